//! NVML: sensors. Where it is missing, or a sensor is, nothing is known.

#![expect(unsafe_code, reason = "calls into NVML")]

use super::driver::{Handle, text_of};
use super::library::{NVML, functions};
use crate::calibrate::kernels::Sensors;
use std::ffi::{CString, c_char, c_int, c_uint};
use std::path::PathBuf;
use std::ptr;

functions! {
    /// Functions of NVML.
    Functions {
        nvmlInit_v2();
        nvmlShutdown();
        nvmlSystemGetDriverVersion(*mut c_char, c_uint);
        nvmlDeviceGetHandleByPciBusId_v2(*const c_char, *mut Handle);
        nvmlDeviceGetClockInfo(Handle, c_int, *mut c_uint);
        nvmlDeviceGetPowerUsage(Handle, *mut c_uint);
        nvmlDeviceGetTemperature(Handle, c_int, *mut c_uint);
    }
}

/// NVML, shut down with this value.
pub(super) struct Nvml {
    functions: Functions,
}

impl Nvml {
    pub(super) fn open(folders: &[PathBuf]) -> Option<Self> {
        let library = NVML.open(folders, None).ok()?;
        let functions = Functions::load(&library).ok()?;
        // SAFETY: no pointers. Shut down by `drop`, which a failed start never reaches.
        (unsafe { (functions.nvmlInit_v2)() } == 0).then_some(Self { functions })
    }

    /// Version of the driver: "550.54.15".
    pub(super) fn driver(&self) -> Option<String> {
        let mut text = [0_u8; 80];
        // SAFETY: NVML writes at most as many bytes as it is told.
        let result = unsafe { (self.functions.nvmlSystemGetDriverVersion)(text.as_mut_ptr().cast(), 80) };
        (result == 0).then(|| text_of(&text))
    }

    /// What the sensors of the device at a PCI address say.
    pub(super) fn sensors(&self, bus: &str) -> Sensors {
        let Ok(bus) = CString::new(bus) else {
            return Sensors::default();
        };
        let mut device = ptr::null_mut();
        // SAFETY: the text ends with a 0 byte, and the pointer is to a live handle.
        let found =
            unsafe { (self.functions.nvmlDeviceGetHandleByPciBusId_v2)(bus.as_ptr(), &raw mut device) };
        if found != 0 {
            return Sensors::default();
        }
        let read = |sensor: &dyn Fn(*mut c_uint) -> c_int| {
            let mut value = 0;
            (sensor(&raw mut value) == 0).then_some(f64::from(value))
        };
        let functions = &self.functions;
        // SAFETY, of all three: the device is NVML's own, and the pointer is to a live integer. Clock 1 is that of
        // the multiprocessors, temperature 0 that of the chip.
        Sensors {
            clock_mhz: read(&|value| unsafe { (functions.nvmlDeviceGetClockInfo)(device, 1, value) }),
            power_w: read(&|value| unsafe { (functions.nvmlDeviceGetPowerUsage)(device, value) })
                .map(|milliwatts| milliwatts / 1e3),
            temperature_c: read(&|value| unsafe { (functions.nvmlDeviceGetTemperature)(device, 0, value) }),
        }
    }
}

impl Drop for Nvml {
    fn drop(&mut self) {
        // SAFETY: started by `open`; NVML counts its users.
        unsafe { (self.functions.nvmlShutdown)() };
    }
}
