// Attention as T. Dao's FlashAttention-2 (2023) computes it: a block goes over all keys for its queries, keeps the
// highest score and the sum of exponentials of each, and never writes a score. PyTorch uses it for bf16 and fp16.
#define TILES (WIDTH <= 64 ? 2 : 1)
#define QUERIES (16 * TILES * WARPS)
#define KEYS 64

extern "C" __global__ void __launch_bounds__(128)
attention(const Number* q, const Number* k, const Number* v, Number* output, float* log_sums, unsigned tokens,
          unsigned blocks, float scale) {
    // Two stages of keys and values. Queries and results lie in them before and after.
    Number* stages = static_cast<Number*>(dynamic_shared());
    const int stage_numbers = 2 * KEYS * STRIDE;
    Count head = blockIdx.x / blocks;
    unsigned first = blockIdx.x % blocks * QUERIES;
    int warp = threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    Count skipped = head * tokens * WIDTH;
    q += skipped;
    k += skipped;
    v += skipped;
    output += skipped;
    log_sums += head * tokens;

    load_tile(stages, q, first, QUERIES, tokens);
    copies_end();
    copies_wait<0>();
    __syncthreads();
    unsigned queries[TILES][STEPS][4];
#pragma unroll
    for (int tile = 0; tile < TILES; ++tile) {
#pragma unroll
        for (int step = 0; step < STEPS; ++step) {
            load_left(queries[tile][step], stages + (warp * TILES + tile) * 16 * STRIDE + step * 16, STRIDE);
        }
    }
    __syncthreads();

    float sums[TILES][STEPS * 2][4] = {};
    float highest[TILES][2];
    float totals[TILES][2];
#pragma unroll
    for (int tile = 0; tile < TILES; ++tile) {
        highest[tile][0] = highest[tile][1] = -INFINITY;
        totals[tile][0] = totals[tile][1] = 0;
    }
    float scale2 = scale * LOG2_E;

    load_tile(stages, k, 0, KEYS, tokens);
    load_tile(stages + KEYS * STRIDE, v, 0, KEYS, tokens);
    copies_end();
    for (unsigned begin = 0, stage = 0; begin < tokens; begin += KEYS, stage ^= 1) {
        const Number* keys = stages + stage * stage_numbers;
        const Number* values = keys + KEYS * STRIDE;
        if (begin + KEYS < tokens) {
            Number* next = stages + (stage ^ 1) * stage_numbers;
            load_tile(next, k, begin + KEYS, KEYS, tokens);
            load_tile(next + KEYS * STRIDE, v, begin + KEYS, KEYS, tokens);
            copies_end();
            copies_wait<1>();
        } else {
            copies_wait<0>();
        }
        __syncthreads();

        float scores[TILES][KEYS / 8][4] = {};
#pragma unroll
        for (int step = 0; step < STEPS; ++step) {
#pragma unroll
            for (int pair = 0; pair < KEYS / 16; ++pair) {
                unsigned right[4];
                load_right_transposed(right, keys + pair * 16 * STRIDE + step * 16, STRIDE);
#pragma unroll
                for (int tile = 0; tile < TILES; ++tile) {
                    mma(scores[tile][2 * pair], queries[tile][step], right[0], right[1]);
                    mma(scores[tile][2 * pair + 1], queries[tile][step], right[2], right[3]);
                }
            }
        }
        if (begin + KEYS > tokens) {
#pragma unroll
            for (int i = 0; i < KEYS / 8 * 4; ++i) {
                if (begin + i / 4 * 8 + lane % 4 * 2 + i % 2 >= tokens) {
#pragma unroll
                    for (int tile = 0; tile < TILES; ++tile) {
                        scores[tile][i / 4][i % 4] = -INFINITY;
                    }
                }
            }
        }

        // A lane holds two rows of each tile; four lanes hold a row together.
#pragma unroll
        for (int tile = 0; tile < TILES; ++tile) {
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                float top = highest[tile][half];
#pragma unroll
                for (int i = 0; i < KEYS / 8; ++i) {
                    top = fmaxf(top, fmaxf(scores[tile][i][2 * half], scores[tile][i][2 * half + 1]));
                }
                top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, 1));
                top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, 2));
                float shrink = fast_exp2((highest[tile][half] - top) * scale2);
                float base = top * scale2;
                float total = 0;
#pragma unroll
                for (int i = 0; i < KEYS / 8 * 2; ++i) {
                    float& score = scores[tile][i / 2][2 * half + i % 2];
                    score = fast_exp2(score * scale2 - base);
                    total += score;
                }
                highest[tile][half] = top;
                totals[tile][half] = totals[tile][half] * shrink + total;
#pragma unroll
                for (int i = 0; i < STEPS * 2; ++i) {
                    sums[tile][i][2 * half] *= shrink;
                    sums[tile][i][2 * half + 1] *= shrink;
                }
            }
        }

#pragma unroll
        for (int step = 0; step < KEYS / 16; ++step) {
            unsigned left[TILES][4];
#pragma unroll
            for (int tile = 0; tile < TILES; ++tile) {
                left_of(left[tile], scores[tile][2 * step], scores[tile][2 * step + 1]);
            }
#pragma unroll
            for (int pair = 0; pair < STEPS; ++pair) {
                unsigned right[4];
                load_right(right, values + step * 16 * STRIDE + pair * 16, STRIDE);
#pragma unroll
                for (int tile = 0; tile < TILES; ++tile) {
                    mma(sums[tile][2 * pair], left[tile], right[0], right[1]);
                    mma(sums[tile][2 * pair + 1], left[tile], right[2], right[3]);
                }
            }
        }
        __syncthreads();
    }

    Number* mine = stages + warp * TILES * 16 * STRIDE;
#pragma unroll
    for (int tile = 0; tile < TILES; ++tile) {
        float inverse[2];
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            float total = totals[tile][half];
            total += __shfl_xor_sync(0xffffffff, total, 1);
            total += __shfl_xor_sync(0xffffffff, total, 2);
            inverse[half] = 1.0f / total;
            unsigned row = first + (warp * TILES + tile) * 16 + lane / 4 + 8 * half;
            if (lane % 4 == 0 && row < tokens) {
                log_sums[row] = highest[tile][half] * scale + logf(total);
            }
        }
#pragma unroll
        for (int i = 0; i < STEPS * 2; ++i) {
            float (&sum)[4] = sums[tile][i];
            sum[0] *= inverse[0];
            sum[1] *= inverse[0];
            sum[2] *= inverse[1];
            sum[3] *= inverse[1];
            put_result(mine + tile * 16 * STRIDE + i * 8, STRIDE, sum, 1.0f);
        }
    }
    __syncwarp();
    store_rows(output, mine, first + warp * TILES * 16, TILES * 16, tokens);
}
