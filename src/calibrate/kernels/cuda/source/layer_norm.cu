// Layer norm: a block for each row. WIDE numbers are read at once, 4 or 1.

// Count, mean and sum of squared deviations, as B. P. Welford (1962) keeps them.
struct Moments {
    float count;
    float mean;
    float squares;
};

// T. F. Chan, G. H. Golub and R. J. LeVeque (1979): the moments of two sets together.
__device__ __forceinline__ Moments together(Moments one, Moments other) {
    float count = one.count + other.count;
    if (count == 0) {
        return one;
    }
    float share = other.count / count;
    float delta = other.mean - one.mean;
    return {count, one.mean + delta * share, one.squares + other.squares + delta * delta * one.count * share};
}

__device__ __forceinline__ Floats<WIDE> floats(const float* from) {
    return *reinterpret_cast<const Floats<WIDE>*>(from);
}

// Without `y` it writes the moments alone, which are what backward reads.
extern "C" __global__ void __launch_bounds__(128)
layer_norm(const float* x, const float* weight, const float* bias, float* y, float* means, float* reciprocals,
           unsigned width, float epsilon) {
    __shared__ Moments warps[4];
    Count row = blockIdx.x;
    x += row * width;
    Moments mine = {0, 0, 0};
    for (unsigned column = threadIdx.x * WIDE; column < width; column += 128 * WIDE) {
        Floats<WIDE> values = floats(x + column);
#pragma unroll
        for (int i = 0; i < WIDE; ++i) {
            mine.count += 1;
            float delta = values.at[i] - mine.mean;
            mine.mean += delta / mine.count;
            mine.squares += delta * (values.at[i] - mine.mean);
        }
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        Moments other;
        other.count = __shfl_xor_sync(0xffffffff, mine.count, distance);
        other.mean = __shfl_xor_sync(0xffffffff, mine.mean, distance);
        other.squares = __shfl_xor_sync(0xffffffff, mine.squares, distance);
        mine = together(mine, other);
    }
    if (threadIdx.x % 32 == 0) {
        warps[threadIdx.x / 32] = mine;
    }
    __syncthreads();
    Moments all = together(together(warps[0], warps[1]), together(warps[2], warps[3]));
    float reciprocal = rsqrtf(all.squares / static_cast<float>(width) + epsilon);
    if (threadIdx.x == 0) {
        means[row] = all.mean;
        reciprocals[row] = reciprocal;
    }
    if (y == nullptr) {
        return;
    }
    y += row * width;
    for (unsigned column = threadIdx.x * WIDE; column < width; column += 128 * WIDE) {
        Floats<WIDE> values = floats(x + column);
        Floats<WIDE> factors = floats(weight + column);
        Floats<WIDE> terms = floats(bias + column);
#pragma unroll
        for (int i = 0; i < WIDE; ++i) {
            values.at[i] = (values.at[i] - all.mean) * reciprocal * factors.at[i] + terms.at[i];
        }
        *reinterpret_cast<Floats<WIDE>*>(y + column) = values;
    }
}

// The gradient of x: dx = r (w dy - mean(w dy) - n mean(w dy n)) with n = (x - mean) r.
extern "C" __global__ void __launch_bounds__(128)
layer_norm_backward(const float* x, const float* weight, const float* means, const float* reciprocals,
                    const float* dy, float* dx, unsigned width) {
    __shared__ float sums[4];
    __shared__ float products[4];
    Count row = blockIdx.x;
    x += row * width;
    dy += row * width;
    dx += row * width;
    float mean = means[row];
    float reciprocal = reciprocals[row];
    float sum = 0;
    float product = 0;
    for (unsigned column = threadIdx.x * WIDE; column < width; column += 128 * WIDE) {
        Floats<WIDE> values = floats(x + column);
        Floats<WIDE> slopes = floats(dy + column);
        Floats<WIDE> factors = floats(weight + column);
#pragma unroll
        for (int i = 0; i < WIDE; ++i) {
            float slope = slopes.at[i] * factors.at[i];
            sum += slope;
            product += slope * (values.at[i] - mean) * reciprocal;
        }
    }
    sum = warp_sum(sum);
    product = warp_sum(product);
    if (threadIdx.x % 32 == 0) {
        sums[threadIdx.x / 32] = sum;
        products[threadIdx.x / 32] = product;
    }
    __syncthreads();
    float share = 1.0f / static_cast<float>(width);
    sum = (sums[0] + sums[1] + sums[2] + sums[3]) * share;
    product = (products[0] + products[1] + products[2] + products[3]) * share;
    for (unsigned column = threadIdx.x * WIDE; column < width; column += 128 * WIDE) {
        Floats<WIDE> values = floats(x + column);
        Floats<WIDE> slopes = floats(dy + column);
        Floats<WIDE> factors = floats(weight + column);
#pragma unroll
        for (int i = 0; i < WIDE; ++i) {
            float normal = (values.at[i] - mean) * reciprocal;
            values.at[i] = reciprocal * (slopes.at[i] * factors.at[i] - sum - normal * product);
        }
        *reinterpret_cast<Floats<WIDE>*>(dx + column) = values;
    }
}
