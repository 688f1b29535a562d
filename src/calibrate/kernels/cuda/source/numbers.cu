// Numbers as they lie in memory, and as they are computed with. One of BF16, FP16 and FP32 is defined.
typedef unsigned long long Count;

// NVRTC has no headers, and so not this name either.
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif

#ifdef FP32
typedef float Number;
#else
typedef unsigned short Number;
#endif

// Numbers of 16 bytes.
#define VECTOR (16 / static_cast<int>(sizeof(Number)))

__device__ __forceinline__ float widen(Number number) {
#if defined(FP32)
    return number;
#elif defined(FP16)
    return half_to_float(number);
#else
    return __uint_as_float(static_cast<unsigned>(number) << 16);
#endif
}

// To the nearest, ties to even.
__device__ __forceinline__ Number narrow(float value) {
#if defined(FP32)
    return value;
#elif defined(FP16)
    return float_to_half(value);
#else
    unsigned bits = __float_as_uint(value);
    return value != value ? 0x7fff : static_cast<Number>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
#endif
}

#ifndef FP32
__device__ __forceinline__ unsigned narrow_two(float low, float high) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    return narrow(low) | static_cast<unsigned>(narrow(high)) << 16;
#elif defined(FP16)
    return floats_to_halves(low, high);
#else
    return floats_to_bfloats(low, high);
#endif
}

__device__ __forceinline__ void widen_two(float* to, unsigned word) {
    to[0] = widen(static_cast<Number>(word));
    to[1] = widen(static_cast<Number>(word >> 16));
}
#endif

// fp32 numbers that are loaded and stored at once.
template <int N>
struct alignas(4 * N) Floats {
    float at[N];
};

// Reads N numbers at once; their place is a multiple of N.
template <int N>
__device__ __forceinline__ Floats<N> load(const Number* from) {
    Floats<N> values;
#ifdef FP32
    values = *reinterpret_cast<const Floats<N>*>(from);
#else
    if constexpr (N == 8) {
        uint4 words = *reinterpret_cast<const uint4*>(from);
        widen_two(values.at, words.x);
        widen_two(values.at + 2, words.y);
        widen_two(values.at + 4, words.z);
        widen_two(values.at + 6, words.w);
    } else if constexpr (N == 4) {
        uint2 words = *reinterpret_cast<const uint2*>(from);
        widen_two(values.at, words.x);
        widen_two(values.at + 2, words.y);
    } else {
        values.at[0] = widen(*from);
    }
#endif
    return values;
}

template <int N>
__device__ __forceinline__ void store(Number* to, const Floats<N>& values) {
#ifdef FP32
    *reinterpret_cast<Floats<N>*>(to) = values;
#else
    if constexpr (N == 8) {
        uint4 words;
        words.x = narrow_two(values.at[0], values.at[1]);
        words.y = narrow_two(values.at[2], values.at[3]);
        words.z = narrow_two(values.at[4], values.at[5]);
        words.w = narrow_two(values.at[6], values.at[7]);
        *reinterpret_cast<uint4*>(to) = words;
    } else if constexpr (N == 4) {
        uint2 words;
        words.x = narrow_two(values.at[0], values.at[1]);
        words.y = narrow_two(values.at[2], values.at[3]);
        *reinterpret_cast<uint2*>(to) = words;
    } else {
        *to = narrow(values.at[0]);
    }
#endif
}

// Sum over a warp, known to all of its lanes.
__device__ __forceinline__ float warp_sum(float value) {
    for (int distance = 16; distance > 0; distance /= 2) {
        value += __shfl_xor_sync(0xffffffff, value, distance);
    }
    return value;
}
