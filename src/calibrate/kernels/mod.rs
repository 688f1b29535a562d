//! The kernels of a training step, run and timed on the device in front of us.
//!
//! A [`Task`] is one kernel in one shape and number format; its [`buffers`](Task::buffers) say what it reads and
//! writes, so that every backend computes the same function of the same numbers. A [`Backend`] runs tasks.

mod buffers;
pub mod cpu;
pub mod cuda;
pub mod file;
pub mod measure;
#[cfg(feature = "portable")]
pub mod portable;
pub mod reference;
pub mod suite;
mod task;

pub use buffers::{ADAM, AdamRule, Begin, Buffer, Format, NORM_EPSILON, Values};
pub use task::{Heads, Number, Pass, Rows, Task, Work};

/// What runs kernels. Its name stands in each file and output; results of different kinds never mix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BackendKind {
    /// The vendor's libraries for matrix products, and kernels compiled by NVRTC.
    Cuda,
    /// Kernels in WGSL on any device that has Vulkan.
    Portable,
    /// The host's processor.
    Cpu,
}

impl BackendKind {
    /// Its name in files, outputs and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cuda => "cuda",
            Self::Portable => "portable",
            Self::Cpu => "cpu",
        }
    }
}

/// A device that a backend can run kernels on.
#[derive(Debug, Clone, PartialEq)]
pub struct DeviceInfo {
    /// What runs the kernels.
    pub kind: BackendKind,
    /// The device, as its driver calls it.
    pub device: String,
    /// The driver's name and version; `None` where there is none.
    pub driver: Option<String>,
    /// Path and version of the library that computes matrix products; `None` where the kernels are our own.
    pub library: Option<(String, String)>,
    /// What tells the time: "CUDA events".
    pub timer: &'static str,
    /// Whether a processor plays the device, so that only small shapes end in time.
    pub software: bool,
}

/// State of a device while it works; what cannot be read is `None`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Sensors {
    /// Clock of its multiprocessors, MHz.
    pub clock_mhz: Option<f64>,
    /// Power drawn, watts.
    pub power_w: Option<f64>,
    /// Temperature, degrees Celsius.
    pub temperature_c: Option<f64>,
}

/// Runs tasks on one device.
///
/// The order is [`prepare`](Self::prepare), then any number of [`run`](Self::run), then
/// [`output`](Self::output). A later `prepare` frees what the earlier one took.
pub trait Backend {
    /// The device.
    fn info(&self) -> &DeviceInfo;

    /// Why a task cannot be run here: a format that the device lacks. Other tasks go on.
    fn refusal(&self, task: &Task) -> Option<String>;

    /// Takes memory for a task's buffers and fills them as they say; what a backward pass reads of its forward pass
    /// is computed here.
    fn prepare(&mut self, task: &Task) -> Result<(), BackendError>;

    /// Runs the prepared kernel `times` times in a row; seconds of all together by the device's own timer.
    fn run(&mut self, times: u32) -> Result<f64, BackendError>;

    /// All numbers of one of the prepared task's buffers, as they are now.
    fn output(&mut self, buffer: usize) -> Result<Vec<f32>, BackendError>;

    /// What the device's sensors say now.
    fn sensors(&mut self) -> Sensors;
}

/// Why a task cannot be run on a backend, of those that are known before it takes any memory.
pub fn refusal(backend: &dyn Backend, task: &Task) -> Option<String> {
    let most = task.buffers().iter().map(|buffer| buffer.numbers).max().unwrap_or(0);
    // Places in a buffer are counted in 32 bits by every backend.
    if most > u64::from(u32::MAX) {
        return Some(format!("a buffer of {most} numbers: at most {} are measured", u32::MAX));
    }
    backend.refusal(task)
}

/// Why a backend cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum BackendError {
    /// There is no such device, driver or library.
    #[error("{0}")]
    Absent(String),
    /// A call into a driver or library failed.
    #[error("{call} failed: {why}")]
    Call {
        /// The function.
        call: &'static str,
        /// What it said.
        why: String,
    },
    /// The device has not enough memory for a task.
    #[error("{task} needs {needed} bytes on the device, which has {free} free")]
    Memory {
        /// The task.
        task: String,
        /// Bytes of its buffers.
        needed: u64,
        /// Bytes that are free.
        free: u64,
    },
}
