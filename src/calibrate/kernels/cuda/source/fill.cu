// What buffers hold at first; the same hash as `Values::at`. `unit` is the scale over 2 to the power of the
// significand's bits, which is exact.
extern "C" __global__ void __launch_bounds__(256)
fill(Number* to, Count numbers, unsigned seed, unsigned significand_bits, float unit, unsigned positive) {
    Count at = blockIdx.x * 256ull + threadIdx.x;
    if (at >= numbers) {
        return;
    }
    unsigned hash = static_cast<unsigned>(at) ^ seed * 0x9e3779b9u;
    hash ^= hash >> 16;
    hash *= 0x7feb352du;
    hash ^= hash >> 15;
    hash *= 0x846ca68bu;
    hash ^= hash >> 16;
    unsigned odd = 2 * (hash >> (33 - significand_bits)) + 1;
    float magnitude = static_cast<float>(odd) * unit;
    to[at] = narrow((hash & 1) == 1 && positive == 0 ? -magnitude : magnitude);
}

extern "C" __global__ void __launch_bounds__(32) empty() {}
