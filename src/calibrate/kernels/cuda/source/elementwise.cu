// Kernels of one number after the other: each thread takes the numbers of 16 bytes, and the last thread the rest.

__device__ __forceinline__ float gelu_of(float x) {
    return 0.5f * x * (1.0f + erff(x * 0.70710678118654752f));
}

// The normal distribution's chance below x, plus x times its density.
__device__ __forceinline__ float gelu_slope(float x) {
    float below = 0.5f * (1.0f + erff(x * 0.70710678118654752f));
    return below + x * 0.39894228040143268f * expf(-0.5f * x * x);
}

extern "C" __global__ void __launch_bounds__(256) gelu(const Number* x, Number* y, Count numbers) {
    Count at = (blockIdx.x * 256ull + threadIdx.x) * VECTOR;
    if (at + VECTOR <= numbers) {
        Floats<VECTOR> values = load<VECTOR>(x + at);
#pragma unroll
        for (int i = 0; i < VECTOR; ++i) {
            values.at[i] = gelu_of(values.at[i]);
        }
        store<VECTOR>(y + at, values);
        return;
    }
    for (; at < numbers; ++at) {
        y[at] = narrow(gelu_of(widen(x[at])));
    }
}

extern "C" __global__ void __launch_bounds__(256)
gelu_backward(const Number* x, const Number* dy, Number* dx, Count numbers) {
    Count at = (blockIdx.x * 256ull + threadIdx.x) * VECTOR;
    if (at + VECTOR <= numbers) {
        Floats<VECTOR> values = load<VECTOR>(x + at);
        Floats<VECTOR> slopes = load<VECTOR>(dy + at);
#pragma unroll
        for (int i = 0; i < VECTOR; ++i) {
            slopes.at[i] *= gelu_slope(values.at[i]);
        }
        store<VECTOR>(dx + at, slopes);
        return;
    }
    for (; at < numbers; ++at) {
        dx[at] = narrow(widen(dy[at]) * gelu_slope(widen(x[at])));
    }
}

extern "C" __global__ void __launch_bounds__(256)
residual_add(const Number* branch, const float* residual, float* sum, Count numbers) {
    Count at = (blockIdx.x * 256ull + threadIdx.x) * 4;
    if (at + 4 <= numbers) {
        Floats<4> added = load<4>(branch + at);
        Floats<4> values = *reinterpret_cast<const Floats<4>*>(residual + at);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            values.at[i] += added.at[i];
        }
        *reinterpret_cast<Floats<4>*>(sum + at) = values;
        return;
    }
    for (; at < numbers; ++at) {
        sum[at] = residual[at] + widen(branch[at]);
    }
}
