//! The backend: devices found, and tasks run on one.

use super::BackendError;
use super::cublas::{Cublas, Products};
use super::driver::{Attribute, Context, Device, Driver};
use super::nvml::Nvml;
use super::nvrtc::Nvrtc;
use super::prepared::Prepared;
use super::refusal::refusal;
use super::source::Variant;
use super::steps::Kernels;
use super::stream::{Event, Kernel, Module, Stream};
use crate::calibrate::kernels::{Backend, BackendKind, DeviceInfo, Sensors, Task};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;

/// All devices that the driver sees. Libraries are looked for in `search`, in its order, and then where the system
/// looks. Without cuBLAS the devices are listed all the same, without a library; [`open`] says what was missing.
pub fn devices(search: &[PathBuf]) -> Result<Vec<DeviceInfo>, BackendError> {
    let driver = Driver::open(search)?;
    let found = driver.devices()?;
    if found.is_empty() {
        return Err(driver.no_device());
    }
    let major = driver.version()? / 1000;
    let library = Cublas::open(search, Some(major)).and_then(|cublas| cublas.describe()).ok();
    let nvml = Nvml::open(search);
    found.into_iter().map(|device| info(&driver, device, nvml.as_ref(), library.clone())).collect()
}

/// Opens a device by its place in the list of [`devices`].
pub fn open(search: &[PathBuf], index: usize) -> Result<Cuda, BackendError> {
    let driver = Driver::open(search)?;
    let found = driver.devices()?;
    let device = *found.get(index).ok_or_else(|| {
        if found.is_empty() {
            return driver.no_device();
        }
        BackendError::Absent(format!(
            "there is no CUDA device {index}: the driver sees {}, counted from 0",
            found.len()
        ))
    })?;
    let driver_major = Some(driver.version()? / 1000);
    let nvrtc = Nvrtc::open(search, driver_major)?;
    let cublas = Cublas::open(search, driver_major)?;
    let nvml = Nvml::open(search);
    let info = info(&driver, device, nvml.as_ref(), Some(cublas.describe()?))?;
    let major = driver.attribute(device, Attribute::Major)?;
    let architecture = 10 * major + driver.attribute(device, Attribute::Minor)?;
    let bus = driver.bus(device)?;
    let context = Context::new(&driver, device)?;
    let stream = Stream::new(&context)?;
    let products = Products::new(cublas, &context, &stream, major)?;
    let code = Code {
        loaded: BTreeMap::new(),
        nvrtc,
        architecture,
        room: room(&driver, device)?,
        context: Rc::clone(&context),
    };
    let (begin, end) = (Event::new(&context)?, Event::new(&context)?);
    Ok(Cuda { info, prepared: None, code, products, begin, end, stream, nvml, bus, context })
}

fn info(
    driver: &Driver,
    device: Device,
    nvml: Option<&Nvml>,
    library: Option<(String, String)>,
) -> Result<DeviceInfo, BackendError> {
    let version = driver.version()?;
    let cuda = format!("CUDA {}.{}", version / 1000, version % 1000 / 10);
    let driver_version = nvml.and_then(Nvml::driver);
    Ok(DeviceInfo {
        kind: BackendKind::Cuda,
        device: driver.name(device)?,
        driver: Some(
            driver_version.map_or_else(|| format!("NVIDIA, {cuda}"), |it| format!("NVIDIA {it}, {cuda}")),
        ),
        library,
        timer: "CUDA events",
        software: false,
    })
}

/// Bytes of shared memory that count for a multiprocessor: all of them, unless a block may not have half of that.
fn room(driver: &Driver, device: Device) -> Result<u64, BackendError> {
    let all = driver.attribute(device, Attribute::SharedPerMultiprocessor)?;
    let block = driver.attribute(device, Attribute::SharedPerBlock)?;
    Ok(u64::try_from(all.min(block.saturating_mul(2))).unwrap_or(0))
}

/// Kernels compiled so far.
struct Code {
    loaded: BTreeMap<Variant, Rc<Module>>,
    nvrtc: Nvrtc,
    architecture: i32,
    room: u64,
    context: Rc<Context>,
}

impl Kernels for Code {
    fn kernel(&mut self, variant: &Variant, name: &'static str, shared: u32) -> Result<Kernel, BackendError> {
        if let Some(module) = self.loaded.get(variant) {
            return module.kernel(name, shared);
        }
        let text = variant.source.text();
        let compiled = self.nvrtc.compile(&text, &variant.defines, self.architecture)?;
        let module = Module::new(&self.context, &compiled.image)?;
        self.loaded.insert(variant.clone(), Rc::clone(&module));
        module.kernel(name, shared)
    }

    fn shared_room(&self) -> u64 {
        self.room
    }
}

/// One NVIDIA device.
pub struct Cuda {
    info: DeviceInfo,
    // Dropped from here down: what uses a thing before the thing.
    prepared: Option<Prepared>,
    code: Code,
    products: Products,
    begin: Event,
    end: Event,
    stream: Stream,
    nvml: Option<Nvml>,
    bus: String,
    context: Rc<Context>,
}

impl Cuda {
    /// Path and version of the compiler of the kernels that are not the vendor's.
    pub fn compiler(&self) -> Result<(String, String), BackendError> {
        self.code.nvrtc.describe()
    }

    fn time(&self, prepared: &Prepared, times: u32) -> Result<f64, BackendError> {
        self.begin.record(&self.stream)?;
        for _ in 0..times {
            prepared.put(&self.stream, &self.products)?;
        }
        self.end.record(&self.stream)?;
        self.end.seconds_since(&self.begin)
    }
}

impl Backend for Cuda {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn refusal(&self, task: &Task) -> Option<String> {
        refusal(task, self.code.architecture)
    }

    fn prepare(&mut self, task: &Task) -> Result<(), BackendError> {
        if let Some(why) = self.refusal(task) {
            return Err(BackendError::Absent(why));
        }
        self.context.enter()?;
        // Freed first, so that its memory counts as free.
        self.prepared = None;
        let prepared = Prepared::new(task, &self.context, &self.stream, &self.products, &mut self.code)?;
        self.prepared = Some(prepared);
        Ok(())
    }

    fn run(&mut self, times: u32) -> Result<f64, BackendError> {
        self.context.enter()?;
        let prepared = self.prepared.as_ref().ok_or_else(unprepared)?;
        let timed = self.time(prepared, times);
        // Also after an error nothing may go on reading memory that is freed next.
        self.stream.wait()?;
        timed
    }

    fn output(&mut self, buffer: usize) -> Result<Vec<f32>, BackendError> {
        self.context.enter()?;
        let prepared = self.prepared.as_ref().ok_or_else(unprepared)?;
        prepared.numbers(buffer, &self.stream)?.ok_or_else(|| BackendError::Call {
            call: "output",
            why: format!("the prepared task has no buffer {buffer}"),
        })
    }

    fn sensors(&mut self) -> Sensors {
        self.nvml.as_ref().map_or_else(Sensors::default, |nvml| nvml.sensors(&self.bus))
    }
}

fn unprepared() -> BackendError {
    BackendError::Call { call: "run", why: "no task is prepared".to_owned() }
}
