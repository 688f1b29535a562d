// libnvrtc.so.12 of the stand-in: passes texts on, with their definitions before them.
#include <cstring>
#include <string>

namespace {

struct Program { std::string text, image; bool cubin = false; };
const int known[] = {75, 80, 86, 90};

}  // namespace

extern "C" {

int nvrtcVersion(int* major, int* minor) { *major = 12; *minor = 9; return 0; }
const char* nvrtcGetErrorString(int result) { return result == 6 ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR_INVALID_OPTION"; }
int nvrtcGetNumSupportedArchs(int* count) { *count = 4; return 0; }
int nvrtcGetSupportedArchs(int* to) { std::memcpy(to, known, sizeof known); return 0; }

int nvrtcCreateProgram(void** to, const char* text, const char*, int headers, const char* const*, const char* const*) {
    *to = new Program{text, ""};
    return headers == 0 ? 0 : 3;
}

int nvrtcCompileProgram(void* handle, int count, const char* const* options) {
    Program* program = static_cast<Program*>(handle);
    std::string definitions;
    bool target = false;
    for (int i = 0; i < count; ++i) {
        std::string option = options[i];
        if (option.rfind("-D", 0) == 0) {
            std::string definition = option.substr(2);
            size_t equals = definition.find('=');
            if (equals != std::string::npos) definition[equals] = ' ';
            definitions += "#define " + definition + "\n";
        } else if (option.rfind("--gpu-architecture=", 0) == 0) {
            program->cubin = option.find("=sm_") != std::string::npos;
            int number = std::stoi(option.substr(option.find('_') + 1));
            for (int one : known) target = target || one == number;
        } else if (option != "--std=c++17") {
            return 5;
        }
    }
    program->image = definitions + program->text;
    return target ? 0 : 5;
}

int nvrtcDestroyProgram(void** handle) { delete static_cast<Program*>(*handle); *handle = nullptr; return 0; }
int nvrtcGetProgramLogSize(void*, size_t* bytes) { *bytes = 1; return 0; }
int nvrtcGetProgramLog(void*, char* to) { *to = 0; return 0; }
int nvrtcGetPTXSize(void* handle, size_t* bytes) { *bytes = static_cast<Program*>(handle)->image.size() + 1; return 0; }
int nvrtcGetPTX(void* handle, char* to) { std::strcpy(to, static_cast<Program*>(handle)->image.c_str()); return 0; }

int nvrtcGetCUBINSize(void* handle, size_t* bytes) {
    Program* program = static_cast<Program*>(handle);
    *bytes = program->cubin ? program->image.size() + 1 : 0;
    return 0;
}

int nvrtcGetCUBIN(void* handle, char* to) {
    Program* program = static_cast<Program*>(handle);
    if (!program->cubin) return 3;
    std::strcpy(to, program->image.c_str());
    return 0;
}

}  // extern "C"
