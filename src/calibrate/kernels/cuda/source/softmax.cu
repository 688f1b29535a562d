// Softmax of rows. PyTorch takes a warp for each row of up to 1024 numbers, which stay in registers; longer rows take
// a block, which reads them twice.

__device__ __forceinline__ float warp_max(float value) {
    for (int distance = 16; distance > 0; distance /= 2) {
        value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, distance));
    }
    return value;
}

// Each lane holds PER_LANE numbers of a row.
extern "C" __global__ void __launch_bounds__(128) softmax(const float* x, float* y, Count rows, unsigned width) {
    Count row = blockIdx.x * 4ull + threadIdx.x / 32;
    if (row >= rows) {
        return;
    }
    unsigned lane = threadIdx.x % 32;
    x += row * width;
    y += row * width;
    float values[PER_LANE];
    float highest = -INFINITY;
#pragma unroll
    for (int i = 0; i < PER_LANE; ++i) {
        unsigned column = lane + 32 * i;
        values[i] = column < width ? x[column] : -INFINITY;
        highest = fmaxf(highest, values[i]);
    }
    highest = warp_max(highest);
    float sum = 0;
#pragma unroll
    for (int i = 0; i < PER_LANE; ++i) {
        values[i] = expf(values[i] - highest);
        sum += values[i];
    }
    sum = warp_sum(sum);
#pragma unroll
    for (int i = 0; i < PER_LANE; ++i) {
        unsigned column = lane + 32 * i;
        if (column < width) {
            y[column] = values[i] / sum;
        }
    }
}

extern "C" __global__ void __launch_bounds__(256) softmax_long(const float* x, float* y, Count rows, unsigned width) {
    __shared__ float highests[8];
    __shared__ float sums[8];
    x += static_cast<Count>(blockIdx.x) * width;
    y += static_cast<Count>(blockIdx.x) * width;
    // A thread without a number has the highest of nothing, and a sum of 0.
    float highest = -INFINITY;
    float sum = 0;
    for (unsigned column = threadIdx.x; column < width; column += 256) {
        float value = x[column];
        if (value > highest) {
            sum *= expf(highest - value);
            highest = value;
        }
        sum += expf(value - highest);
    }
    float of_warp = warp_max(highest);
    sum = warp_sum(sum == 0 ? 0 : sum * expf(highest - of_warp));
    if (threadIdx.x % 32 == 0) {
        highests[threadIdx.x / 32] = of_warp;
        sums[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    float of_block = highests[0];
    for (int warp = 1; warp < 8; ++warp) {
        of_block = fmaxf(of_block, highests[warp]);
    }
    float total = 0;
    for (int warp = 0; warp < 8; ++warp) {
        total += sums[warp] * expf(highests[warp] - of_block);
    }
    for (unsigned column = threadIdx.x; column < width; column += 256) {
        y[column] = expf(x[column] - of_block) / total;
    }
}
