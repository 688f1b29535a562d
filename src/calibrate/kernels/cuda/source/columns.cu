// Sums of columns in two steps: blocks of 32 lanes × 8 rows sum ROWS rows each into a row of partial sums, then one
// such block for each group of columns sums those. WIDE columns are a lane's, of 4 or 1.
const unsigned ROWS = 128;
const int LINES = 8;

// Sums what the eight threads of a column hold; the first of them has it.
__device__ __forceinline__ Floats<WIDE> sum_lines(Floats<WIDE> mine) {
    __shared__ Floats<WIDE> held[LINES][32];
    unsigned lane = threadIdx.x % 32;
    unsigned line = threadIdx.x / 32;
    __syncthreads();
    held[line][lane] = mine;
    __syncthreads();
    if (line == 0) {
        for (int other = 1; other < LINES; ++other) {
#pragma unroll
            for (int i = 0; i < WIDE; ++i) {
                mine.at[i] += held[other][lane].at[i];
            }
        }
    }
    return mine;
}

__device__ __forceinline__ unsigned first_column() {
    return (blockIdx.x * 32 + threadIdx.x % 32) * WIDE;
}

__device__ __forceinline__ Floats<WIDE> floats(const float* from) {
    return *reinterpret_cast<const Floats<WIDE>*>(from);
}

__device__ __forceinline__ void put_floats(float* to, const Floats<WIDE>& values) {
    *reinterpret_cast<Floats<WIDE>*>(to) = values;
}

extern "C" __global__ void __launch_bounds__(256)
column_parts(const Number* x, float* parts, Count rows, unsigned width) {
    unsigned column = first_column();
    Floats<WIDE> sum = {};
    Count begin = static_cast<Count>(blockIdx.y) * ROWS;
    Count end = begin + ROWS < rows ? begin + ROWS : rows;
    if (column < width) {
#pragma unroll 4
        for (Count row = begin + threadIdx.x / 32; row < end; row += LINES) {
            Floats<WIDE> values = load<WIDE>(x + row * width + column);
#pragma unroll
            for (int i = 0; i < WIDE; ++i) {
                sum.at[i] += values.at[i];
            }
        }
    }
    sum = sum_lines(sum);
    if (threadIdx.x < 32 && column < width) {
        put_floats(parts + static_cast<Count>(blockIdx.y) * width + column, sum);
    }
}

extern "C" __global__ void __launch_bounds__(256)
column_total(const float* parts, Number* sums, unsigned count, unsigned width) {
    unsigned column = first_column();
    Floats<WIDE> sum = {};
    if (column < width) {
#pragma unroll 4
        for (unsigned part = threadIdx.x / 32; part < count; part += LINES) {
            Floats<WIDE> values = floats(parts + static_cast<Count>(part) * width + column);
#pragma unroll
            for (int i = 0; i < WIDE; ++i) {
                sum.at[i] += values.at[i];
            }
        }
    }
    sum = sum_lines(sum);
    if (threadIdx.x < 32 && column < width) {
        store<WIDE>(sums + column, sum);
    }
}

// The second pass of layer norm's backward: its weight's and its bias' gradients.
extern "C" __global__ void __launch_bounds__(256)
norm_parts(const float* x, const float* dy, const float* means, const float* reciprocals, float* weight_parts,
           float* bias_parts, Count rows, unsigned width) {
    unsigned column = first_column();
    Floats<WIDE> weight = {};
    Floats<WIDE> bias = {};
    Count begin = static_cast<Count>(blockIdx.y) * ROWS;
    Count end = begin + ROWS < rows ? begin + ROWS : rows;
    if (column < width) {
#pragma unroll 4
        for (Count row = begin + threadIdx.x / 32; row < end; row += LINES) {
            Floats<WIDE> values = floats(x + row * width + column);
            Floats<WIDE> slopes = floats(dy + row * width + column);
            float mean = means[row];
            float reciprocal = reciprocals[row];
#pragma unroll
            for (int i = 0; i < WIDE; ++i) {
                weight.at[i] += slopes.at[i] * (values.at[i] - mean) * reciprocal;
                bias.at[i] += slopes.at[i];
            }
        }
    }
    weight = sum_lines(weight);
    bias = sum_lines(bias);
    if (threadIdx.x < 32 && column < width) {
        Count at = static_cast<Count>(blockIdx.y) * width + column;
        put_floats(weight_parts + at, weight);
        put_floats(bias_parts + at, bias);
    }
}
