//! The driver's functions, and a device's context.

#![expect(unsafe_code, reason = "calls into NVIDIA's driver")]

use super::BackendError;
use super::library::{DRIVER, Found, functions};
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::path::PathBuf;
use std::ptr;
use std::rc::Rc;

/// Contexts, streams, events, modules and functions.
pub(super) type Handle = *mut c_void;
/// An address in the device's memory.
pub(super) type Address = u64;

functions! {
    /// Functions of the driver that take a context as given.
    Functions {
        cuInit(c_uint);
        cuDriverGetVersion(*mut c_int);
        cuGetErrorName(c_int, *mut *const c_char);
        cuGetErrorString(c_int, *mut *const c_char);
        cuDeviceGetCount(*mut c_int);
        cuDeviceGet(*mut c_int, c_int);
        cuDeviceGetName(*mut c_char, c_int, c_int);
        cuDeviceGetAttribute(*mut c_int, c_int, c_int);
        cuDeviceGetPCIBusId(*mut c_char, c_int, c_int);
        cuDevicePrimaryCtxRetain(*mut Handle, c_int);
        cuDevicePrimaryCtxRelease_v2(c_int);
        cuCtxSetCurrent(Handle);
        cuMemGetInfo_v2(*mut usize, *mut usize);
        cuMemAlloc_v2(*mut Address, usize);
        cuMemFree_v2(Address);
        cuMemAllocHost_v2(*mut *mut c_void, usize);
        cuMemFreeHost(*mut c_void);
        cuMemcpyHtoDAsync_v2(Address, *const c_void, usize, Handle);
        cuMemcpyDtoHAsync_v2(*mut c_void, Address, usize, Handle);
        cuMemcpyDtoDAsync_v2(Address, Address, usize, Handle);
        cuMemsetD8Async(Address, u8, usize, Handle);
        cuStreamCreate(*mut Handle, c_uint);
        cuStreamDestroy_v2(Handle);
        cuStreamSynchronize(Handle);
        cuEventCreate(*mut Handle, c_uint);
        cuEventDestroy_v2(Handle);
        cuEventRecord(Handle, Handle);
        cuEventSynchronize(Handle);
        cuEventElapsedTime(*mut f32, Handle, Handle);
        cuModuleLoadData(*mut Handle, *const c_void);
        cuModuleUnload(Handle);
        cuModuleGetFunction(*mut Handle, Handle, *const c_char);
        cuFuncSetAttribute(Handle, c_int, c_int);
        cuLaunchKernel(
            Handle, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, Handle, *mut *mut c_void,
            *mut *mut c_void
        );
    }
}

/// Out of memory, as the driver numbers its results.
pub(super) const OUT_OF_MEMORY: c_int = 2;
const NO_DEVICE: c_int = 100;

/// Attributes of a device by the driver's numbers.
#[derive(Clone, Copy)]
pub(super) enum Attribute {
    SharedPerMultiprocessor = 81,
    SharedPerBlock = 97,
    Major = 75,
    Minor = 76,
}

/// The driver, ready for use.
pub(super) struct Driver {
    pub(super) functions: Functions,
    _library: Found,
}

/// One device.
#[derive(Clone, Copy)]
pub(super) struct Device(c_int);

impl Driver {
    /// Finds the driver and starts it.
    pub(super) fn open(folders: &[PathBuf]) -> Result<Rc<Self>, BackendError> {
        let library = DRIVER.open(folders, None)?;
        let driver = Self { functions: Functions::load(&library)?, _library: library };
        // SAFETY: no pointers.
        let result = unsafe { (driver.functions.cuInit)(0) };
        if result == NO_DEVICE {
            return Err(driver.no_device());
        }
        driver.check("cuInit", result)?;
        Ok(Rc::new(driver))
    }

    pub(super) fn no_device(&self) -> BackendError {
        BackendError::Absent(format!("the driver {} sees no NVIDIA GPU", self._library.path()))
    }

    /// An error of a call from its result.
    pub(super) fn check(&self, call: &'static str, result: c_int) -> Result<(), BackendError> {
        if result == 0 {
            return Ok(());
        }
        let text = |function: unsafe extern "C" fn(c_int, *mut *const c_char) -> c_int| {
            let mut text = ptr::null();
            // SAFETY: on success the text is a constant of the driver; it is null for a result that it does not know.
            unsafe {
                let known = function(result, &raw mut text) == 0 && !text.is_null();
                known.then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
            }
        };
        let name =
            text(self.functions.cuGetErrorName).unwrap_or_else(|| "an error without a name".to_owned());
        let why = text(self.functions.cuGetErrorString).map_or_else(String::new, |why| format!(": {why}"));
        Err(BackendError::Call { call, why: format!("{name} ({result}){why}") })
    }

    /// The latest CUDA that the driver can run: 12040 for 12.4.
    pub(super) fn version(&self) -> Result<c_int, BackendError> {
        let mut version = 0;
        // SAFETY: the pointer is to a live integer.
        self.check("cuDriverGetVersion", unsafe { (self.functions.cuDriverGetVersion)(&raw mut version) })?;
        Ok(version)
    }

    /// All devices.
    pub(super) fn devices(&self) -> Result<Vec<Device>, BackendError> {
        let mut count = 0;
        // SAFETY: the pointer is to a live integer.
        self.check("cuDeviceGetCount", unsafe { (self.functions.cuDeviceGetCount)(&raw mut count) })?;
        let device = |index| {
            let mut device = 0;
            // SAFETY: the pointer is to a live integer.
            self.check("cuDeviceGet", unsafe { (self.functions.cuDeviceGet)(&raw mut device, index) })?;
            Ok(Device(device))
        };
        (0..count).map(device).collect()
    }

    pub(super) fn name(&self, device: Device) -> Result<String, BackendError> {
        let mut text = [0_u8; 256];
        // SAFETY: the driver writes at most as many bytes as it is told.
        let result = unsafe { (self.functions.cuDeviceGetName)(text.as_mut_ptr().cast(), 256, device.0) };
        self.check("cuDeviceGetName", result)?;
        Ok(text_of(&text))
    }

    pub(super) fn bus(&self, device: Device) -> Result<String, BackendError> {
        let mut text = [0_u8; 64];
        // SAFETY: the driver writes at most as many bytes as it is told.
        let result = unsafe { (self.functions.cuDeviceGetPCIBusId)(text.as_mut_ptr().cast(), 64, device.0) };
        self.check("cuDeviceGetPCIBusId", result)?;
        Ok(text_of(&text))
    }

    pub(super) fn attribute(&self, device: Device, attribute: Attribute) -> Result<c_int, BackendError> {
        let mut value = 0;
        // SAFETY: the pointer is to a live integer.
        let result =
            unsafe { (self.functions.cuDeviceGetAttribute)(&raw mut value, attribute as c_int, device.0) };
        self.check("cuDeviceGetAttribute", result)?;
        Ok(value)
    }
}

/// Text up to its 0 byte.
pub(super) fn text_of(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// The primary context of a device, the one that cuBLAS uses too.
pub(super) struct Context {
    pub(super) driver: Rc<Driver>,
    device: Device,
    context: Handle,
}

impl Context {
    pub(super) fn new(driver: &Rc<Driver>, device: Device) -> Result<Rc<Self>, BackendError> {
        let mut context = ptr::null_mut();
        // SAFETY: the pointer is to a live handle.
        let result = unsafe { (driver.functions.cuDevicePrimaryCtxRetain)(&raw mut context, device.0) };
        driver.check("cuDevicePrimaryCtxRetain", result)?;
        let context = Self { driver: Rc::clone(driver), device, context };
        context.enter()?;
        Ok(Rc::new(context))
    }

    /// Makes it the one that calls of this thread mean.
    pub(super) fn enter(&self) -> Result<(), BackendError> {
        // SAFETY: the context is retained as long as `self` lives.
        let result = unsafe { (self.driver.functions.cuCtxSetCurrent)(self.context) };
        self.driver.check("cuCtxSetCurrent", result)
    }

    /// The driver's functions, with this context entered; for handles that are given back. An error is of no use to
    /// them.
    pub(super) fn functions(&self) -> &Functions {
        drop(self.enter());
        &self.driver.functions
    }

    pub(super) fn check(&self, call: &'static str, result: c_int) -> Result<(), BackendError> {
        self.driver.check(call, result)
    }

    /// Bytes of the device's memory that are free.
    pub(super) fn free(&self) -> Result<u64, BackendError> {
        let (mut free, mut total) = (0, 0);
        // SAFETY: both pointers are to live integers.
        let result = unsafe { (self.functions().cuMemGetInfo_v2)(&raw mut free, &raw mut total) };
        self.check("cuMemGetInfo", result)?;
        Ok(free as u64)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: retained once by `new`; every handle made in it holds the context alive.
        unsafe { (self.driver.functions.cuDevicePrimaryCtxRelease_v2)(self.device.0) };
    }
}
