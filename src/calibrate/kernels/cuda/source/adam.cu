// Adam: one pass over everything, or seven as PyTorch's lists of tensors have them.

__device__ __forceinline__ Floats<4> four(const float* from) {
    return *reinterpret_cast<const Floats<4>*>(from);
}

__device__ __forceinline__ void put_four(float* to, const Floats<4>& values) {
    *reinterpret_cast<Floats<4>*>(to) = values;
}

__device__ __forceinline__ void adam_one(
    float& parameter, float gradient, float& first, float& second, float keep2, float add1, float add2,
    float step, float root, float epsilon) {
    first = first + add1 * (gradient - first);
    second = keep2 * second + add2 * gradient * gradient;
    parameter -= step * first / (sqrtf(second) / root + epsilon);
}

// `step` is the rate over the first moment's correction, `root` the root of the second's.
extern "C" __global__ void __launch_bounds__(256)
adam(float* parameters, const float* gradients, float* first, float* second, Count numbers, float keep2, float add1,
     float add2, float step, float root, float epsilon) {
    Count at = (blockIdx.x * 256ull + threadIdx.x) * 4;
    if (at + 4 <= numbers) {
        Floats<4> p = four(parameters + at);
        Floats<4> g = four(gradients + at);
        Floats<4> m = four(first + at);
        Floats<4> v = four(second + at);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            adam_one(p.at[i], g.at[i], m.at[i], v.at[i], keep2, add1, add2, step, root, epsilon);
        }
        put_four(parameters + at, p);
        put_four(first + at, m);
        put_four(second + at, v);
        return;
    }
    for (; at < numbers; ++at) {
        adam_one(parameters[at], gradients[at], first[at], second[at], keep2, add1, add2, step, root, epsilon);
    }
}

// Applies an operation of up to three numbers to each place, four at once; `to` may be `x`.
template <int READ, typename Operation>
__device__ __forceinline__ void each(
    float* to, const float* x, const float* y, const float* z, Count numbers, Operation operation) {
    Count at = (blockIdx.x * 256ull + threadIdx.x) * 4;
    if (at + 4 <= numbers) {
        Floats<4> a = four(x + at);
        Floats<4> b = READ > 1 ? four(y + at) : a;
        Floats<4> c = READ > 2 ? four(z + at) : a;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            a.at[i] = operation(a.at[i], b.at[i], c.at[i]);
        }
        put_four(to + at, a);
        return;
    }
    for (; at < numbers; ++at) {
        to[at] = operation(x[at], READ > 1 ? y[at] : 0.0f, READ > 2 ? z[at] : 0.0f);
    }
}

extern "C" __global__ void __launch_bounds__(256) lerp(float* x, const float* y, Count numbers, float weight) {
    each<2>(x, x, y, nullptr, numbers, [=](float a, float b, float) { return a + weight * (b - a); });
}

extern "C" __global__ void __launch_bounds__(256) multiply(float* x, Count numbers, float factor) {
    each<1>(x, x, nullptr, nullptr, numbers, [=](float a, float, float) { return a * factor; });
}

// Adds the square, as Adam's product of the gradient with itself.
extern "C" __global__ void __launch_bounds__(256) add_square(float* x, const float* y, Count numbers, float factor) {
    each<2>(x, x, y, nullptr, numbers, [=](float a, float b, float) { return a + factor * b * b; });
}

extern "C" __global__ void __launch_bounds__(256) root(float* to, const float* x, Count numbers) {
    each<1>(to, x, nullptr, nullptr, numbers, [=](float a, float, float) { return sqrtf(a); });
}

extern "C" __global__ void __launch_bounds__(256) divide(float* x, Count numbers, float divisor) {
    each<1>(x, x, nullptr, nullptr, numbers, [=](float a, float, float) { return a / divisor; });
}

extern "C" __global__ void __launch_bounds__(256) add(float* x, Count numbers, float term) {
    each<1>(x, x, nullptr, nullptr, numbers, [=](float a, float, float) { return a + term; });
}

extern "C" __global__ void __launch_bounds__(256)
add_quotient(float* x, const float* y, const float* z, Count numbers, float factor) {
    each<3>(x, x, y, z, numbers, [=](float a, float b, float c) { return a + factor * (b / c); });
}
