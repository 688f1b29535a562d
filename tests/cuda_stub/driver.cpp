// libcuda.so.1 of the stand-in: memory is the host's, work is done when it is put on a stream.
//
// Built with STUB_SOURCE (this folder), STUB_WORK (a folder to compile kernels in) and, for other devices, STUB_DEVICES,
// STUB_INIT (what cuInit returns), STUB_MEMORY (bytes), STUB_MAJOR, STUB_MINOR, STUB_SHARED (bytes of a multiprocessor),
// STUB_DRIVER (12040 for 12.4), STUB_NO_LAUNCH (leaves cuLaunchKernel out).
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

#ifndef STUB_DEVICES
#define STUB_DEVICES 1
#endif
#ifndef STUB_INIT
#define STUB_INIT 0
#endif
#ifndef STUB_MEMORY
#define STUB_MEMORY (1ull << 30)
#endif
#ifndef STUB_MAJOR
#define STUB_MAJOR 9
#endif
#ifndef STUB_MINOR
#define STUB_MINOR 0
#endif
#ifndef STUB_SHARED
#define STUB_SHARED (228 << 10)
#endif
#ifndef STUB_DRIVER
#define STUB_DRIVER 12090
#endif

namespace {

enum Result { SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NO_DEVICE = 100, INVALID_DEVICE = 101, INVALID_IMAGE = 200,
              INVALID_CONTEXT = 201, INVALID_HANDLE = 400, NOT_FOUND = 500, LAUNCH_FAILED = 719 };

struct Allocation { size_t bytes; void* mapped; size_t mapped_bytes; };
struct Event { bool recorded; std::chrono::steady_clock::time_point at; };
struct Module { void* library; };
using Launch = int (*)(void**, const unsigned*, unsigned);
struct Function { Launch launch; int dynamic_shared; };

std::recursive_mutex lock;
std::map<uintptr_t, Allocation> memory;
std::set<void*> pinned, streams, events, modules, functions;
size_t used = 0;
int retained = 0;
bool started = false;
char context;
thread_local void* current = nullptr;

#define ENTER                                                   \
    std::lock_guard<std::recursive_mutex> guard(lock);          \
    if (current != &context || retained == 0) return INVALID_CONTEXT;

bool inside(uintptr_t address, size_t bytes) {
    auto next = memory.upper_bound(address);
    if (next == memory.begin()) return false;
    auto [begin, allocation] = *--next;
    return address + bytes <= begin + allocation.bytes;
}

std::string read(const std::string& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

// Compiles a text with a door for each of its kernels, unless the same was compiled before.
void* compile(const std::string& text) {
    std::string header = std::string(STUB_SOURCE) + "/device.hpp";
    uint64_t hash = 14695981039346656037ull;
    for (unsigned char c : read(header) + text) hash = (hash ^ c) * 1099511628211ull;
    std::string base = std::string(STUB_WORK) + "/" + std::to_string(hash);
    if (access((base + ".so").c_str(), R_OK) != 0) {
        std::string own = base + "-" + std::to_string(getpid()) + "-" + std::to_string(STUB_MAJOR * 10 + STUB_MINOR);
        std::ofstream source(own + ".cpp");
        source << "#include \"" << header << "\"\n" << text << "\n";
        const std::string mark = "extern \"C\" __global__ void __launch_bounds__(";
        for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
            size_t bound = at + mark.size(), close = text.find(')', bound), comma = text.find(',', bound);
            size_t begin = text.find_first_not_of(" \n", close + 1), end = text.find('(', begin);
            std::string name = text.substr(begin, end - begin), most = text.substr(bound, std::min(close, comma) - bound);
            source << "extern \"C\" int launch_" << name << "(void** a, const unsigned* s, unsigned d) { return s[2] > " << most
                   << " ? 1 : stub::launch(&" << name << ", a, s, d); }\n";
        }
        source.close();
        std::string command = "g++ -std=c++20 -O1 -w -shared -fPIC -o " + own + ".so " + own + ".cpp";
        if (std::system(command.c_str()) != 0 || std::rename((own + ".so").c_str(), (base + ".so").c_str()) != 0) return nullptr;
        std::remove((own + ".cpp").c_str());
    }
    return dlopen((base + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
}

}  // namespace

extern "C" {

int cuInit(unsigned) { started = STUB_INIT == 0; return STUB_INIT; }
int cuDriverGetVersion(int* version) { *version = STUB_DRIVER; return SUCCESS; }

int cuGetErrorName(int result, const char** text) {
    static const std::map<int, const char*> names = {
        {INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"}, {OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
        {NO_DEVICE, "CUDA_ERROR_NO_DEVICE"}, {INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE"},
        {INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT"}, {INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE"},
        {NOT_FOUND, "CUDA_ERROR_NOT_FOUND"}, {LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED"},
        {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"}};
    auto found = names.find(result);
    *text = found == names.end() ? nullptr : found->second;
    return *text ? SUCCESS : INVALID_VALUE;
}

int cuGetErrorString(int result, const char** text) {
    *text = result == 803 ? "system has unsupported display driver / cuda driver combination" : nullptr;
    return *text ? SUCCESS : INVALID_VALUE;
}

int cuDeviceGetCount(int* count) { *count = STUB_DEVICES; return started ? SUCCESS : 3; }
int cuDeviceGet(int* device, int index) { *device = index; return index < STUB_DEVICES ? SUCCESS : INVALID_DEVICE; }
int cuDeviceGetName(char* name, int room, int) { std::snprintf(name, room, "Stand-in GPU"); return SUCCESS; }
int cuDeviceGetPCIBusId(char* name, int room, int device) { std::snprintf(name, room, "0000:%02X:00.0", device + 1); return SUCCESS; }

int cuDeviceGetAttribute(int* value, int attribute, int) {
    switch (attribute) {
        case 75: *value = STUB_MAJOR; return SUCCESS;
        case 76: *value = STUB_MINOR; return SUCCESS;
        case 81: *value = STUB_SHARED; return SUCCESS;
        case 97: *value = STUB_SHARED - 1024; return SUCCESS;
        default: return INVALID_VALUE;
    }
}

int cuDevicePrimaryCtxRetain(void** to, int device) {
    std::lock_guard<std::recursive_mutex> guard(lock);
    if (!started || device >= STUB_DEVICES) return INVALID_DEVICE;
    ++retained;
    *to = &context;
    return SUCCESS;
}

// With the last user gone it writes down what nobody gave back.
int cuDevicePrimaryCtxRelease_v2(int) {
    std::lock_guard<std::recursive_mutex> guard(lock);
    if (--retained == 0) {
        std::ofstream(std::string(STUB_WORK) + "/left")
            << memory.size() + pinned.size() + streams.size() + events.size() + modules.size();
    }
    return SUCCESS;
}

int cuCtxSetCurrent(void* to) { current = to; return to == &context ? SUCCESS : INVALID_CONTEXT; }
int cuMemGetInfo_v2(size_t* free, size_t* total) { ENTER *free = STUB_MEMORY - used; *total = STUB_MEMORY; return SUCCESS; }

// Its last byte is the last that may be touched, but for what fills 16 bytes.
int cuMemAlloc_v2(uint64_t* address, size_t bytes) {
    ENTER
    if (bytes == 0) return INVALID_VALUE;
    if (used + bytes > STUB_MEMORY) return OUT_OF_MEMORY;
    size_t pages = (bytes + 4095) / 4096 * 4096;
    char* mapped = static_cast<char*>(mmap(nullptr, pages + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(mapped + pages, 4096, PROT_NONE);
    char* begin = mapped + pages - (bytes + 15) / 16 * 16;
    std::memset(begin, 0xff, bytes);
    *address = reinterpret_cast<uintptr_t>(begin);
    memory[*address] = {bytes, mapped, pages + 4096};
    used += bytes;
    return SUCCESS;
}

int cuMemFree_v2(uint64_t address) {
    ENTER
    auto found = memory.find(address);
    if (found == memory.end()) return INVALID_VALUE;
    munmap(found->second.mapped, found->second.mapped_bytes);
    used -= found->second.bytes;
    memory.erase(found);
    return SUCCESS;
}

int cuMemAllocHost_v2(void** to, size_t bytes) { ENTER *to = std::malloc(bytes); pinned.insert(*to); return SUCCESS; }

int cuMemFreeHost(void* from) {
    ENTER
    if (pinned.erase(from) == 0) return INVALID_VALUE;
    std::free(from);
    return SUCCESS;
}

int cuMemcpyHtoDAsync_v2(uint64_t to, const void* from, size_t bytes, void* stream) {
    ENTER
    if (!streams.count(stream) || !inside(to, bytes)) return INVALID_VALUE;
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
    return SUCCESS;
}

int cuMemcpyDtoHAsync_v2(void* to, uint64_t from, size_t bytes, void* stream) {
    ENTER
    if (!streams.count(stream) || !inside(from, bytes)) return INVALID_VALUE;
    std::memcpy(to, reinterpret_cast<void*>(from), bytes);
    return SUCCESS;
}

int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void* stream) {
    ENTER
    if (!streams.count(stream) || !inside(to, bytes) || !inside(from, bytes)) return INVALID_VALUE;
    std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes);
    return SUCCESS;
}

int cuMemsetD8Async(uint64_t to, unsigned char byte, size_t bytes, void* stream) {
    ENTER
    if (!streams.count(stream) || !inside(to, bytes)) return INVALID_VALUE;
    std::memset(reinterpret_cast<void*>(to), byte, bytes);
    return SUCCESS;
}

int cuStreamCreate(void** to, unsigned flags) { ENTER if (flags > 1) return INVALID_VALUE; *to = new char; streams.insert(*to); return SUCCESS; }
int cuStreamDestroy_v2(void* stream) { ENTER if (!streams.erase(stream)) return INVALID_HANDLE; delete static_cast<char*>(stream); return SUCCESS; }
int cuStreamSynchronize(void* stream) { ENTER return streams.count(stream) ? SUCCESS : INVALID_HANDLE; }
int cuEventCreate(void** to, unsigned flags) { ENTER if (flags != 0) return INVALID_VALUE; *to = new Event{}; events.insert(*to); return SUCCESS; }
int cuEventDestroy_v2(void* event) { ENTER if (!events.erase(event)) return INVALID_HANDLE; delete static_cast<Event*>(event); return SUCCESS; }

int cuEventRecord(void* event, void* stream) {
    ENTER
    if (!events.count(event) || !streams.count(stream)) return INVALID_HANDLE;
    *static_cast<Event*>(event) = {true, std::chrono::steady_clock::now()};
    return SUCCESS;
}

int cuEventSynchronize(void* event) { ENTER return events.count(event) ? SUCCESS : INVALID_HANDLE; }

int cuEventElapsedTime(float* milliseconds, void* from, void* to) {
    ENTER
    if (!events.count(from) || !events.count(to)) return INVALID_HANDLE;
    Event *begin = static_cast<Event*>(from), *end = static_cast<Event*>(to);
    if (!begin->recorded || !end->recorded) return INVALID_HANDLE;
    *milliseconds = std::chrono::duration<float, std::milli>(end->at - begin->at).count();
    return SUCCESS;
}

int cuModuleLoadData(void** to, const void* image) {
    ENTER
    void* library = compile(static_cast<const char*>(image));
    if (library == nullptr) return INVALID_IMAGE;
    *to = new Module{library};
    modules.insert(*to);
    return SUCCESS;
}

int cuModuleUnload(void* module) { ENTER if (!modules.erase(module)) return INVALID_HANDLE; delete static_cast<Module*>(module); return SUCCESS; }

int cuModuleGetFunction(void** to, void* module, const char* name) {
    ENTER
    if (!modules.count(module)) return INVALID_HANDLE;
    void* found = dlsym(static_cast<Module*>(module)->library, (std::string("launch_") + name).c_str());
    if (found == nullptr) return NOT_FOUND;
    *to = new Function{reinterpret_cast<Launch>(found), 48 << 10};
    functions.insert(*to);
    return SUCCESS;
}

int cuFuncSetAttribute(void* function, int attribute, int value) {
    ENTER
    if (!functions.count(function)) return INVALID_HANDLE;
    if (attribute != 8 || value > STUB_SHARED - 1024) return INVALID_VALUE;
    static_cast<Function*>(function)->dynamic_shared = value;
    return SUCCESS;
}

#ifndef STUB_NO_LAUNCH
int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void* stream, void** arguments, void** extra) {
    ENTER
    if (!functions.count(function) || !streams.count(stream)) return INVALID_HANDLE;
    Function* found = static_cast<Function*>(function);
    bool fits = gx > 0 && gx < (1u << 31) && gy > 0 && gy < 65536 && gz == 1 && bx > 0 && bx <= 1024 && by == 1 && bz == 1;
    if (!fits || extra != nullptr || shared > static_cast<unsigned>(found->dynamic_shared)) return INVALID_VALUE;
    unsigned shape[3] = {gx, gy, bx};
    return found->launch(arguments, shape, shared) == 0 ? SUCCESS : LAUNCH_FAILED;
}
#endif

}  // extern "C"
