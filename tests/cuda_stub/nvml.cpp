// libnvidia-ml.so.1 of the stand-in: a device at one address, without a sensor for temperature.
#include <cstdio>
#include <cstring>

static char device;

extern "C" {

int nvmlInit_v2() { return 0; }
int nvmlShutdown() { return 0; }
int nvmlSystemGetDriverVersion(char* to, unsigned room) { std::snprintf(to, room, "570.00"); return 0; }

int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, void** to) {
    *to = &device;
    return std::strcmp(bus, "0000:01:00.0") == 0 ? 0 : 6;
}

int nvmlDeviceGetClockInfo(void*, int clock, unsigned* to) { *to = 1755; return clock == 1 ? 0 : 2; }
int nvmlDeviceGetPowerUsage(void*, unsigned* to) { *to = 123456; return 0; }
int nvmlDeviceGetTemperature(void*, int, unsigned*) { return 3; }

}  // extern "C"
