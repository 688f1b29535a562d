// Backward of attention as FlashAttention-2 has it, in three kernels: the products of output and its gradient, the
// gradients themselves with scores computed anew, and queries' gradients rounded from their fp32 sums.
//
// A block holds 64 keys and goes over all queries. Scores lie transposed, keys by queries, so that a warp's results
// are the left operands of the products that come next. Queries' gradients need all keys: they are added up in
// global memory. STAGES of queries and gradients lie in shared memory, 1 or 2.
#define KEYS 64
#define QUERIES (WIDTH <= 64 ? 64 : 32)
#define PAIRS (QUERIES / 16)
#define MIXED_STRIDE (QUERIES + 8)

// One warp for each row; it also clears the row's sums.
extern "C" __global__ void __launch_bounds__(128)
attention_dots(const Number* output, const Number* gradient, float* dots, float* sums, Count rows) {
    Count row = blockIdx.x * 4ull + threadIdx.x / 32;
    if (row >= rows) {
        return;
    }
    float dot = 0;
    for (unsigned column = threadIdx.x % 32 * 2; column < WIDTH; column += 64) {
        Count at = row * WIDTH + column;
        float one[2];
        float other[2];
        widen_two(one, *reinterpret_cast<const unsigned*>(output + at));
        widen_two(other, *reinterpret_cast<const unsigned*>(gradient + at));
        dot += one[0] * other[0] + one[1] * other[1];
        *reinterpret_cast<Floats<2>*>(sums + at) = {{0, 0}};
    }
    dot = warp_sum(dot);
    if (threadIdx.x % 32 == 0) {
        dots[row] = dot;
    }
}

struct Stage {
    Number* queries;
    Number* gradients;
    float* log_sums;
    float* dots;
};

// Three blocks a multiprocessor, where registers allow it: six more than they may have would cost a third of all warps.
extern "C" __global__ void __launch_bounds__(128, WIDTH <= 64 ? 3 : 1)
attention_backward(const Number* q, const Number* k, const Number* v, const Number* gradient, const float* log_sums,
                   const float* dots, float* dq, Number* dk, Number* dv, unsigned tokens, unsigned blocks,
                   float scale) {
    Number* keys = static_cast<Number*>(dynamic_shared());
    Number* values = keys + KEYS * STRIDE;
    Number* mixed = values + KEYS * STRIDE;
    Number* staged = mixed + KEYS * MIXED_STRIDE;
    float* staged_rows = reinterpret_cast<float*>(staged + STAGES * 2 * QUERIES * STRIDE);
    Count head = blockIdx.x / blocks;
    unsigned first = blockIdx.x % blocks * KEYS;
    int warp = threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    Count skipped = head * tokens * WIDTH;
    q += skipped;
    k += skipped;
    v += skipped;
    gradient += skipped;
    dq += skipped;
    dk += skipped;
    dv += skipped;
    log_sums += head * tokens;
    dots += head * tokens;

    auto stage_of = [=](unsigned stage) {
        Number* numbers = staged + stage * 2 * QUERIES * STRIDE;
        float* rows = staged_rows + stage * 2 * QUERIES;
        return Stage{numbers, numbers + QUERIES * STRIDE, rows, rows + QUERIES};
    };
    // A row that is not there has a sum without bounds: all of its weights are 0.
    auto begin_stage = [=](Stage to, unsigned begin) {
        load_tile(to.queries, q, begin, QUERIES, tokens);
        load_tile(to.gradients, gradient, begin, QUERIES, tokens);
        copies_end();
        for (int row = threadIdx.x; row < QUERIES; row += 32 * WARPS) {
            bool counts = begin + row < tokens;
            to.log_sums[row] = counts ? log_sums[begin + row] * LOG2_E : INFINITY;
            to.dots[row] = counts ? dots[begin + row] : 0.0f;
        }
    };

    load_tile(keys, k, first, KEYS, tokens);
    load_tile(values, v, first, KEYS, tokens);
    copies_end();
    if (STAGES == 2) {
        begin_stage(stage_of(0), 0);
    }
    float of_keys[STEPS * 2][4] = {};
    float of_values[STEPS * 2][4] = {};
    float scale2 = scale * LOG2_E;
    const Number* my_keys = keys + warp * 16 * STRIDE;
    const Number* my_values = values + warp * 16 * STRIDE;
    Number* my_mixed = mixed + warp * 16 * MIXED_STRIDE;

    for (unsigned begin = 0, number = 0; begin < tokens; begin += QUERIES, number ^= STAGES - 1) {
        Stage stage = stage_of(number);
        if (STAGES == 1) {
            begin_stage(stage, begin);
            copies_wait<0>();
        } else if (begin + QUERIES < tokens) {
            begin_stage(stage_of(number ^ 1), begin + QUERIES);
            copies_wait<1>();
        } else {
            copies_wait<0>();
        }
        __syncthreads();

        float weights[PAIRS * 2][4] = {};
        float slopes[PAIRS * 2][4] = {};
#pragma unroll
        for (int step = 0; step < STEPS; ++step) {
            unsigned left[4];
            unsigned other[4];
            load_left(left, my_keys + step * 16, STRIDE);
            load_left(other, my_values + step * 16, STRIDE);
#pragma unroll
            for (int pair = 0; pair < PAIRS; ++pair) {
                unsigned right[4];
                load_right_transposed(right, stage.queries + pair * 16 * STRIDE + step * 16, STRIDE);
                mma(weights[2 * pair], left, right[0], right[1]);
                mma(weights[2 * pair + 1], left, right[2], right[3]);
                load_right_transposed(right, stage.gradients + pair * 16 * STRIDE + step * 16, STRIDE);
                mma(slopes[2 * pair], other, right[0], right[1]);
                mma(slopes[2 * pair + 1], other, right[2], right[3]);
            }
        }
        // From scores to weights, and from the weights' gradients to the scores'.
#pragma unroll
        for (int i = 0; i < PAIRS * 2 * 4; ++i) {
            int query = i / 4 * 8 + lane % 4 * 2 + i % 2;
            unsigned key = first + warp * 16 + lane / 4 + i % 4 / 2 * 8;
            float& weight = weights[i / 4][i % 4];
            float& slope = slopes[i / 4][i % 4];
            weight = key < tokens ? fast_exp2(weight * scale2 - stage.log_sums[query]) : 0.0f;
            slope = weight * (slope - stage.dots[query]);
        }
#pragma unroll
        for (int i = 0; i < PAIRS * 2; ++i) {
            put_result(my_mixed + i * 8, MIXED_STRIDE, slopes[i], 1.0f);
        }
#pragma unroll
        for (int step = 0; step < PAIRS; ++step) {
            unsigned left[4];
            unsigned other[4];
            left_of(left, weights[2 * step], weights[2 * step + 1]);
            left_of(other, slopes[2 * step], slopes[2 * step + 1]);
#pragma unroll
            for (int pair = 0; pair < STEPS; ++pair) {
                unsigned right[4];
                load_right(right, stage.gradients + step * 16 * STRIDE + pair * 16, STRIDE);
                mma(of_values[2 * pair], left, right[0], right[1]);
                mma(of_values[2 * pair + 1], left, right[2], right[3]);
                load_right(right, stage.queries + step * 16 * STRIDE + pair * 16, STRIDE);
                mma(of_keys[2 * pair], other, right[0], right[1]);
                mma(of_keys[2 * pair + 1], other, right[2], right[3]);
            }
        }
        __syncthreads();

        // Each warp takes 16 queries, and of their columns every second 16 where two warps share them.
        int group = warp % PAIRS;
        unsigned scores[KEYS / 16][4];
#pragma unroll
        for (int step = 0; step < KEYS / 16; ++step) {
            load_left_transposed(scores[step], mixed + step * 16 * MIXED_STRIDE + group * 16, MIXED_STRIDE);
        }
        for (int pair = warp / PAIRS; pair < STEPS; pair += WARPS / PAIRS) {
            float sum[2][4] = {};
#pragma unroll
            for (int step = 0; step < KEYS / 16; ++step) {
                unsigned right[4];
                load_right(right, keys + step * 16 * STRIDE + pair * 16, STRIDE);
                mma(sum[0], scores[step], right[0], right[1]);
                mma(sum[1], scores[step], right[2], right[3]);
            }
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                unsigned query = begin + group * 16 + lane / 4 + i % 2 * 8;
                const float* two = sum[i / 2] + i % 2 * 2;
                if (query < tokens) {
                    unsigned column = pair * 16 + i / 2 * 8 + lane % 4 * 2;
                    add_two(dq + static_cast<Count>(query) * WIDTH + column, two[0] * scale, two[1] * scale);
                }
            }
        }
        __syncthreads();
    }

#pragma unroll
    for (int i = 0; i < STEPS * 2; ++i) {
        put_result(keys + warp * 16 * STRIDE + i * 8, STRIDE, of_keys[i], scale);
        put_result(values + warp * 16 * STRIDE + i * 8, STRIDE, of_values[i], 1.0f);
    }
    __syncwarp();
    store_rows(dk, my_keys, first + warp * 16, 16, tokens);
    store_rows(dv, my_values, first + warp * 16, 16, tokens);
}

extern "C" __global__ void __launch_bounds__(256) attention_round(const float* sums, Number* to, Count numbers) {
    // Heads are multiples of 16 wide, so there is no rest.
    Count at = (blockIdx.x * 256ull + threadIdx.x) * 8;
    if (at < numbers) {
        Floats<4> low = *reinterpret_cast<const Floats<4>*>(sums + at);
        Floats<4> high = *reinterpret_cast<const Floats<4>*>(sums + at + 4);
        Floats<8> values;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            values.at[i] = low.at[i];
            values.at[4 + i] = high.at[i];
        }
        store<8>(to + at, values);
    }
}
