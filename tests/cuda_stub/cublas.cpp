// libcublas.so.12 of the stand-in: matrix products as the manual of cuBLAS defines them, by columns:
// C = alpha op(A) op(B) + beta C with op(A) m × k, op(B) k × n, C m × n, number (i, j) of X at x[i + j * ldx].
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace {

enum Status { SUCCESS = 0, NOT_INITIALIZED = 1, INVALID_VALUE = 7, NOT_SUPPORTED = 15 };
enum Type { R_32F = 0, R_16F = 2, R_16BF = 14 };
enum Compute { C_32F = 68, C_32F_FAST_TF32 = 77 };

struct Handle { void* stream; int math; };

float bits_to_float(uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, 4);
    return value;
}

double get(const void* matrix, int type, long long at) {
    if (type == R_32F) return static_cast<const float*>(matrix)[at];
    if (type == R_16F) return static_cast<double>(static_cast<const _Float16*>(matrix)[at]);
    return bits_to_float(static_cast<uint32_t>(static_cast<const uint16_t*>(matrix)[at]) << 16);
}

// Ten bits of fraction are left.
double tf32(double value) {
    float single = static_cast<float>(value);
    uint32_t bits;
    std::memcpy(&bits, &single, 4);
    return bits_to_float((bits + 0x1000) & ~0x1fffu);
}

void put(void* matrix, int type, long long at, double value) {
    if (type == R_32F) {
        static_cast<float*>(matrix)[at] = static_cast<float>(value);
    } else if (type == R_16F) {
        static_cast<_Float16*>(matrix)[at] = static_cast<_Float16>(value);
    } else {
        float single = static_cast<float>(value);
        uint32_t bits;
        std::memcpy(&bits, &single, 4);
        uint32_t tie = (bits >> 16) & 1;
        static_cast<uint16_t*>(matrix)[at] = static_cast<uint16_t>((bits + 0x7fff + tie) >> 16);
    }
}

int type_bytes(int type) { return type == R_32F ? 4 : 2; }

}  // namespace

extern "C" {

int cublasCreate_v2(void** handle) { *handle = new Handle{nullptr, 0}; return SUCCESS; }
int cublasDestroy_v2(void* handle) { delete static_cast<Handle*>(handle); return SUCCESS; }
int cublasGetProperty(int property, int* value) { const int parts[] = {12, 9, 1}; *value = parts[property]; return SUCCESS; }
int cublasSetStream_v2(void* handle, void* stream) { static_cast<Handle*>(handle)->stream = stream; return SUCCESS; }
int cublasSetMathMode(void* handle, int mode) { static_cast<Handle*>(handle)->math = mode; return mode == 0 || mode == 3 ? SUCCESS : INVALID_VALUE; }

int cublasSetWorkspace_v2(void*, void* workspace, size_t bytes) {
    return workspace != nullptr && bytes > 0 ? SUCCESS : INVALID_VALUE;
}

int cublasGemmEx(void* handle, int transa, int transb, int m, int n, int k, const void* alpha, const void* a, int a_type,
                 int lda, const void* b, int b_type, int ldb, const void* beta, void* c, int c_type, int ldc, int compute,
                 int algorithm) {
    if (static_cast<Handle*>(handle)->stream == nullptr) return NOT_INITIALIZED;
    if (m < 0 || n < 0 || k < 0 || (transa != 0 && transa != 1) || (transb != 0 && transb != 1)) return INVALID_VALUE;
    if (lda < (transa == 0 ? m : k) || ldb < (transb == 0 ? k : n) || ldc < m) return INVALID_VALUE;
    bool types = a_type == b_type && b_type == c_type && (a_type == R_32F || a_type == R_16F || a_type == R_16BF);
    bool fast = compute == C_32F_FAST_TF32;
    if (!types || (compute != C_32F && !(fast && a_type == R_32F)) || (algorithm != -1 && algorithm != 99)) return NOT_SUPPORTED;
    // 99 may narrow fp32 to fp16.
    if (a_type == R_32F && algorithm == 99) return NOT_SUPPORTED;
    float scale = *static_cast<const float*>(alpha), keep = *static_cast<const float*>(beta);
    for (long long j = 0; j < n; ++j) {
        for (long long i = 0; i < m; ++i) {
            double sum = 0;
            for (long long l = 0; l < k; ++l) {
                double left = get(a, a_type, transa == 0 ? i + l * lda : l + i * lda);
                double right = get(b, b_type, transb == 0 ? l + j * ldb : j + l * ldb);
                sum += fast ? tf32(left) * tf32(right) : left * right;
            }
            double before = keep == 0 ? 0 : keep * get(c, c_type, i + j * ldc);
            put(c, c_type, i + j * ldc, scale * sum + before);
        }
    }
    return SUCCESS;
}

int cublasGemmStridedBatchedEx(void* handle, int transa, int transb, int m, int n, int k, const void* alpha, const void* a,
                               int a_type, int lda, long long a_stride, const void* b, int b_type, int ldb,
                               long long b_stride, const void* beta, void* c, int c_type, int ldc, long long c_stride,
                               int count, int compute, int algorithm) {
    for (long long one = 0; one < count; ++one) {
        int status = cublasGemmEx(handle, transa, transb, m, n, k, alpha,
                                  static_cast<const char*>(a) + one * a_stride * type_bytes(a_type), a_type, lda,
                                  static_cast<const char*>(b) + one * b_stride * type_bytes(b_type), b_type, ldb, beta,
                                  static_cast<char*>(c) + one * c_stride * type_bytes(c_type), c_type, ldc, compute, algorithm);
        if (status != SUCCESS) return status;
    }
    return SUCCESS;
}

}  // extern "C"
