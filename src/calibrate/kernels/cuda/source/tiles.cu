// Tiles of WIDTH numbers a row in shared memory, for attention, whose block has four warps. Rows are eight numbers
// longer than they need to be, so that the eight rows that a matrix is loaded from lie in different banks.
#define WARPS 4
#define STRIDE (WIDTH + 8)
#define STEPS (WIDTH / 16)
#define LOG2_E 1.4426950408889634f

__device__ __forceinline__ void mma(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
#ifdef FP16
    mma_half(c, a, b0, b1);
#else
    mma_bfloat(c, a, b0, b1);
#endif
}

// Begins to copy the rows `first..first + rows` of a head; zeros stand in for rows that it has not.
__device__ __forceinline__ void load_tile(Number* to, const Number* head, unsigned first, int rows, unsigned tokens) {
    const int pieces = WIDTH / 8;
    for (int piece = threadIdx.x; piece < rows * pieces; piece += 32 * WARPS) {
        int row = piece / pieces;
        int column = piece % pieces * 8;
        bool counts = first + row < tokens;
        const Number* from = counts ? head + static_cast<Count>(first + row) * WIDTH + column : head;
        copy_async(to + row * STRIDE + column, from, counts);
    }
}

// Rows that this warp wrote, from shared memory to a head, 16 bytes at once.
__device__ __forceinline__ void store_rows(Number* head, const Number* from, unsigned first, int rows, unsigned tokens) {
    const int pieces = WIDTH / 8;
    for (int piece = threadIdx.x % 32; piece < rows * pieces; piece += 32) {
        int row = piece / pieces;
        int column = piece % pieces * 8;
        if (first + row < tokens) {
            *reinterpret_cast<uint4*>(head + static_cast<Count>(first + row) * WIDTH + column) =
                *reinterpret_cast<const uint4*>(from + row * STRIDE + column);
        }
    }
}

// The left operand of 16 × 16 that lies so from `tile` on.
__device__ __forceinline__ void load_left(unsigned (&to)[4], const Number* tile, int stride) {
    int lane = threadIdx.x % 32;
    ldmatrix(to, tile + (lane % 16) * stride + lane / 16 * 8);
}

// The same of a matrix that lies transposed.
__device__ __forceinline__ void load_left_transposed(unsigned (&to)[4], const Number* tile, int stride) {
    int lane = threadIdx.x % 32;
    ldmatrix_transposed(to, tile + (lane % 8 + lane / 16 * 8) * stride + lane / 8 % 2 * 8);
}

// Two right operands of 16 × 8, side by side, of a matrix that lies transposed: its 16 columns are rows in memory.
__device__ __forceinline__ void load_right_transposed(unsigned (&to)[4], const Number* tile, int stride) {
    int lane = threadIdx.x % 32;
    ldmatrix(to, tile + (lane % 8 + lane / 16 * 8) * stride + lane / 8 % 2 * 8);
}

// The same of a matrix that lies as it is multiplied.
__device__ __forceinline__ void load_right(unsigned (&to)[4], const Number* tile, int stride) {
    int lane = threadIdx.x % 32;
    ldmatrix_transposed(to, tile + (lane % 16) * stride + lane / 16 * 8);
}

// Two results side by side as a left operand: the lanes hold the same places of both.
__device__ __forceinline__ void left_of(unsigned (&to)[4], const float (&one)[4], const float (&other)[4]) {
    to[0] = narrow_two(one[0], one[1]);
    to[1] = narrow_two(one[2], one[3]);
    to[2] = narrow_two(other[0], other[1]);
    to[3] = narrow_two(other[2], other[3]);
}

// A result of 16 × 8 into shared memory.
__device__ __forceinline__ void put_result(Number* tile, int stride, const float (&c)[4], float factor) {
    int lane = threadIdx.x % 32;
    Number* to = tile + lane / 4 * stride + lane % 4 * 2;
    *reinterpret_cast<unsigned*>(to) = narrow_two(c[0] * factor, c[1] * factor);
    *reinterpret_cast<unsigned*>(to + 8 * stride) = narrow_two(c[2] * factor, c[3] * factor);
}
