// A device played by the host: the same kernel texts, compiled by g++ after this header.
//
// Threads of a block are fibers, run in a shuffled order from one barrier to the next, so that a missing barrier shows.
// Shared memory begins as not-a-number; asynchronous copies happen no earlier than they are waited for. What the
// instructions in ptx.cu do is written here from the PTX ISA's text and figures, not from the kernels.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <ucontext.h>
#include <utility>
#include <vector>

#define __global__
#define __device__ static
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __shared__ static __attribute__((section("shared_memory")))

struct uint2 { unsigned x, y; } __attribute__((aligned(8)));
struct uint4 { unsigned x, y, z, w; } __attribute__((aligned(16)));
struct Place { unsigned x, y, z; };
static Place threadIdx, blockIdx, blockDim, gridDim;

extern char __start_shared_memory[] __attribute__((weak));
extern char __stop_shared_memory[] __attribute__((weak));

namespace stub {

[[noreturn]] inline void fail(const char* what) {
    std::fprintf(stderr, "stub device: %s (block %u, thread %u)\n", what, blockIdx.x, threadIdx.x);
    std::abort();
}

enum class State { Ready, AtBlock, AtWarp, Done };
enum class Kind { None, Sync, Shuffle, Mma, Ldmatrix };

// What a lane brings to something that its warp does together.
struct Meeting {
    Kind kind = Kind::None;
    int detail = 0;
    float value = 0;
    float* c = nullptr;
    const unsigned* a = nullptr;
    unsigned b[2] = {};
    unsigned* to = nullptr;
    const void* row = nullptr;
};

struct Copy { void* to; const void* from; bool counts; };

struct Fiber {
    ucontext_t context;
    State state = State::Done;
    Meeting meeting;
    std::vector<Copy> copies;
    std::vector<std::vector<Copy>> groups;
};

struct Block {
    ucontext_t scheduler;
    std::vector<Fiber> fibers;
    std::vector<char*> stacks;
    Fiber* running = nullptr;
    void (*body)(void*) = nullptr;
    void* arguments = nullptr;
    char* dynamic = nullptr;
    // Warps, the one that goes ahead of the others first.
    std::vector<unsigned> favour;
    uint32_t luck = 1;
};
static Block block;
const size_t STACK = 256 << 10;

inline void shuffle(std::vector<unsigned>& order) {
    for (size_t i = order.size(); i > 1; --i) {
        block.luck = block.luck * 1664525u + 1013904223u;
        std::swap(order[i - 1], order[(block.luck >> 8) % i]);
    }
}

inline void leave(State state) {
    Fiber* fiber = block.running;
    fiber->state = state;
    swapcontext(&fiber->context, &block.scheduler);
}

inline void meet(const Meeting& meeting) {
    block.running->meeting = meeting;
    leave(State::AtWarp);
}

inline void begin() {
    block.body(block.arguments);
    block.running->state = State::Done;
}

inline float half_value(uint16_t bits) { return static_cast<float>(__builtin_bit_cast(_Float16, bits)); }

inline float number_value(uint16_t bits, bool bfloat) {
    return bfloat ? __builtin_bit_cast(float, static_cast<uint32_t>(bits) << 16) : half_value(bits);
}

// mma.m16n8k16, PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type".
inline void multiply(Fiber* warp) {
    float a[16][16], b[16][8];
    bool bfloat = warp[0].meeting.detail == 1;
    for (int lane = 0; lane < 32; ++lane) {
        int group = lane >> 2, in_group = lane % 4;
        const Meeting& mine = warp[lane].meeting;
        for (int i = 0; i < 8; ++i) {
            bool first_rows = (0 <= i && i < 2) || (4 <= i && i < 6);
            int row = first_rows ? group : group + 8;
            int column = in_group * 2 + (i & 1) + (i >= 4 ? 8 : 0);
            a[row][column] = number_value(static_cast<uint16_t>(mine.a[i / 2] >> (i % 2 * 16)), bfloat);
        }
        for (int i = 0; i < 4; ++i) {
            int row = in_group * 2 + (i & 1) + (i >= 2 ? 8 : 0);
            b[row][group] = number_value(static_cast<uint16_t>(mine.b[i / 2] >> (i % 2 * 16)), bfloat);
        }
    }
    for (int lane = 0; lane < 32; ++lane) {
        int group = lane >> 2, in_group = lane % 4;
        for (int i = 0; i < 4; ++i) {
            int row = i < 2 ? group : group + 8;
            int column = in_group * 2 + (i & 1);
            double sum = warp[lane].meeting.c[i];
            for (int k = 0; k < 16; ++k) {
                sum += static_cast<double>(a[row][k]) * b[k][column];
            }
            warp[lane].meeting.c[i] = static_cast<float>(sum);
        }
    }
}

// ldmatrix.x4: lanes 8i..8i+7 name the rows of matrix i; a lane gets numbers 2 (lane % 4) and the next of row lane / 4,
// of the transposed matrix with .trans.
inline void load_matrices(Fiber* warp) {
    uint16_t matrices[4][8][8];
    bool transposed = warp[0].meeting.detail == 1;
    for (int lane = 0; lane < 32; ++lane) {
        if (reinterpret_cast<uintptr_t>(warp[lane].meeting.row) % 16 != 0) {
            fail("ldmatrix of a row that is not at a multiple of 16 bytes");
        }
        std::memcpy(matrices[lane / 8][lane % 8], warp[lane].meeting.row, 16);
    }
    for (int lane = 0; lane < 32; ++lane) {
        for (int matrix = 0; matrix < 4; ++matrix) {
            uint16_t both[2];
            for (int i = 0; i < 2; ++i) {
                int row = lane / 4, column = lane % 4 * 2 + i;
                both[i] = transposed ? matrices[matrix][column][row] : matrices[matrix][row][column];
            }
            warp[lane].meeting.to[matrix] = both[0] | static_cast<uint32_t>(both[1]) << 16;
        }
    }
}

inline void do_together(Fiber* warp) {
    Kind kind = warp[0].meeting.kind;
    for (int lane = 0; lane < 32; ++lane) {
        if (warp[lane].meeting.kind != kind || warp[lane].meeting.detail != warp[0].meeting.detail) {
            fail("lanes of a warp are at different instructions");
        }
    }
    if (kind == Kind::Shuffle) {
        float values[32];
        for (int lane = 0; lane < 32; ++lane) {
            values[lane] = warp[lane].meeting.value;
        }
        for (int lane = 0; lane < 32; ++lane) {
            warp[lane].meeting.value = values[lane ^ warp[0].meeting.detail];
        }
    } else if (kind == Kind::Mma) {
        multiply(warp);
    } else if (kind == Kind::Ldmatrix) {
        load_matrices(warp);
    }
}

// Lets one warp go on that is complete, or the whole block; false if nobody can. The same warp goes first until the
// block's next barrier, so that warps are as far apart as they can be.
inline bool release() {
    for (unsigned warp : block.favour) {
        unsigned first = 32 * warp, waiting = 0;
        for (unsigned i = first; i < first + 32; ++i) {
            waiting += block.fibers[i].state == State::AtWarp;
        }
        if (waiting == 32) {
            do_together(&block.fibers[first]);
            for (unsigned i = first; i < first + 32; ++i) {
                block.fibers[i].state = State::Ready;
            }
            return true;
        }
    }
    shuffle(block.favour);
    bool any = false;
    for (Fiber& fiber : block.fibers) {
        if (fiber.state == State::AtWarp) return false;
    }
    for (Fiber& fiber : block.fibers) {
        if (fiber.state == State::AtBlock) {
            fiber.state = State::Ready;
            any = true;
        }
    }
    return any;
}

inline void run_block() {
    unsigned threads = static_cast<unsigned>(block.fibers.size());
    std::vector<unsigned> order(threads);
    block.favour.resize(threads / 32);
    for (unsigned i = 0; i < threads / 32; ++i) {
        block.favour[i] = i;
    }
    shuffle(block.favour);
    for (unsigned i = 0; i < threads; ++i) {
        Fiber& fiber = block.fibers[i];
        fiber.copies.clear();
        fiber.groups.clear();
        getcontext(&fiber.context);
        fiber.context.uc_stack = {block.stacks[i], 0, STACK};
        fiber.context.uc_link = &block.scheduler;
        makecontext(&fiber.context, begin, 0);
        fiber.state = State::Ready;
        order[i] = i;
    }
    for (;;) {
        shuffle(order);
        unsigned done = 0;
        for (unsigned i : order) {
            Fiber& fiber = block.fibers[i];
            if (fiber.state == State::Ready) {
                threadIdx = {i, 0, 0};
                block.running = &fiber;
                swapcontext(&block.scheduler, &fiber.context);
            }
            done += fiber.state == State::Done;
        }
        if (done == threads) return;
        bool ready = false;
        for (Fiber& fiber : block.fibers) {
            ready = ready || fiber.state == State::Ready;
        }
        if (!ready && !release()) {
            fail("threads wait for others that never come");
        }
    }
}

// Shared memory whose end is the end of what may be touched.
inline char* guarded(size_t bytes) {
    size_t pages = (bytes + 4095) / 4096 * 4096;
    char* begin = static_cast<char*>(mmap(nullptr, pages + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(begin + pages, 4096, PROT_NONE);
    return begin + pages - (bytes + 15) / 16 * 16;
}

template <typename... A, size_t... I>
void unpack(void (*kernel)(A...), void** arguments, std::index_sequence<I...>) {
    kernel(*static_cast<A*>(arguments[I])...);
}

template <typename... A>
int launch(void (*kernel)(A...), void** arguments, const unsigned* shape, unsigned shared) {
    for (size_t i = 0; i < sizeof...(A); ++i) {
        if (arguments[i] == nullptr) {
            std::fprintf(stderr, "stub device: a kernel got %zu arguments instead of %zu\n", i, sizeof...(A));
            return 1;
        }
    }
    if (arguments[sizeof...(A)] != nullptr || shape[2] % 32 != 0) {
        std::fprintf(stderr, "stub device: a kernel got more than its %zu arguments\n", sizeof...(A));
        return 1;
    }
    struct Call { void (*kernel)(A...); void** arguments; } call{kernel, arguments};
    block.body = [](void* pointer) {
        Call* call = static_cast<Call*>(pointer);
        unpack(call->kernel, call->arguments, std::index_sequence_for<A...>());
    };
    block.arguments = &call;
    block.fibers = std::vector<Fiber>(shape[2]);
    while (block.stacks.size() < shape[2]) {
        block.stacks.push_back(static_cast<char*>(std::malloc(STACK)));
    }
    block.dynamic = guarded(shared);
    gridDim = {shape[0], shape[1], 1};
    blockDim = {shape[2], 1, 1};
    for (unsigned y = 0; y < shape[1]; ++y) {
        for (unsigned x = 0; x < shape[0]; ++x) {
            blockIdx = {x, y, 0};
            std::memset(block.dynamic, 0xff, shared);
            if (__start_shared_memory != nullptr) {
                std::memset(__start_shared_memory, 0xff, __stop_shared_memory - __start_shared_memory);
            }
            run_block();
        }
    }
    return 0;
}

}  // namespace stub

static inline float __uint_as_float(unsigned bits) { return __builtin_bit_cast(float, bits); }
static inline unsigned __float_as_uint(float value) { return __builtin_bit_cast(unsigned, value); }
static inline float rsqrtf(float x) { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(x))); }
static inline void add_two(float* to, float low, float high) {
    if (reinterpret_cast<uintptr_t>(to) % 8 != 0) {
        stub::fail("red.v2 of two numbers that do not lie at a multiple of 8");
    }
    to[0] += low;
    to[1] += high;
}
static inline void __syncthreads() { stub::leave(stub::State::AtBlock); }

static inline void __syncwarp() {
    stub::Meeting meeting;
    meeting.kind = stub::Kind::Sync;
    stub::meet(meeting);
}

static inline float __shfl_xor_sync(unsigned mask, float value, int distance) {
    if (mask != 0xffffffff) {
        stub::fail("only whole warps are played");
    }
    stub::Meeting meeting;
    meeting.kind = stub::Kind::Shuffle;
    meeting.detail = distance;
    meeting.value = value;
    stub::Fiber* self = stub::block.running;
    stub::meet(meeting);
    return self->meeting.value;
}

static inline float half_to_float(unsigned short bits) { return stub::half_value(bits); }

static inline unsigned short float_to_half(float value) {
    return __builtin_bit_cast(uint16_t, static_cast<_Float16>(value));
}

// The nearer of the two bfloat16 beside the value; of two as near the even one.
static inline unsigned short float_to_bfloat(float value) {
    uint32_t below = __float_as_uint(value) >> 16;
    if (value != value) return 0x7fff;
    double low = __uint_as_float(below << 16), high = __uint_as_float((below + 1) << 16);
    double to_low = std::fabs(value - low), to_high = std::fabs(high - value);
    bool up = to_high < to_low || (to_high == to_low && below % 2 == 1);
    return static_cast<unsigned short>(up ? below + 1 : below);
}

static inline unsigned floats_to_halves(float low, float high) {
    return float_to_half(low) | static_cast<unsigned>(float_to_half(high)) << 16;
}

static inline unsigned floats_to_bfloats(float low, float high) {
    return float_to_bfloat(low) | static_cast<unsigned>(float_to_bfloat(high)) << 16;
}

static inline void mma_of(int bfloat, float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    stub::Meeting meeting;
    meeting.kind = stub::Kind::Mma;
    meeting.detail = bfloat;
    meeting.c = c;
    meeting.a = a;
    meeting.b[0] = b0;
    meeting.b[1] = b1;
    stub::meet(meeting);
}

static inline void mma_half(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) { mma_of(0, c, a, b0, b1); }
static inline void mma_bfloat(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) { mma_of(1, c, a, b0, b1); }

static inline void ldmatrix_of(int transposed, unsigned (&to)[4], const void* row) {
    stub::Meeting meeting;
    meeting.kind = stub::Kind::Ldmatrix;
    meeting.detail = transposed;
    meeting.to = to;
    meeting.row = row;
    stub::meet(meeting);
}

static inline void ldmatrix(unsigned (&to)[4], const void* row) { ldmatrix_of(0, to, row); }
static inline void ldmatrix_transposed(unsigned (&to)[4], const void* row) { ldmatrix_of(1, to, row); }

static inline void copy_async(void* to, const void* from, bool counts) {
    if (reinterpret_cast<uintptr_t>(to) % 16 != 0 || reinterpret_cast<uintptr_t>(from) % 16 != 0) {
        stub::fail("cp.async of 16 bytes that do not lie at a multiple of 16");
    }
    // What was there may already be gone.
    std::memset(to, 0xff, 16);
    stub::block.running->copies.push_back({to, from, counts});
}

static inline void copies_end() {
    stub::Fiber* self = stub::block.running;
    self->groups.push_back(std::exchange(self->copies, {}));
}

template <int GROUPS>
static inline void copies_wait() {
    auto& groups = stub::block.running->groups;
    while (groups.size() > GROUPS) {
        for (const stub::Copy& copy : groups.front()) {
            copy.counts ? std::memcpy(copy.to, copy.from, 16) : std::memset(copy.to, 0, 16);
        }
        groups.erase(groups.begin());
    }
}

static inline float fast_exp2(float x) { return std::exp2(x); }
static inline void* dynamic_shared() { return stub::block.dynamic; }
