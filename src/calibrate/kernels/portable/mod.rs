//! Kernels in WGSL through wgpu, on any device that has Vulkan.
//!
//! Everything is fp32: wgpu reaches no tensor cores on NVIDIA, so that these times are a ratio between devices and
//! never a throughput in bf16 (docs/calibration-portable.md).

mod device;
mod kernel;
mod plan;
mod prepared;
#[cfg(test)]
mod tests;

use super::{Backend, BackendError, DeviceInfo, Format, Sensors, Task, Work};
use device::Device;
use plan::{Gang, Plan};
use prepared::{Prepared, padded};

/// The devices that have a Vulkan driver, in the order of [`open`]'s indices.
pub fn devices() -> Result<Vec<DeviceInfo>, BackendError> {
    Ok(device::adapters()?.iter().map(device::describe).collect())
}

/// Opens one of [`devices`]. `clock` gives monotonic seconds: copies from pageable memory, which no timer of the device
/// sees whole, are timed by it, and everything on devices without timestamp queries.
pub fn open(index: usize, clock: fn() -> f64) -> Result<Portable, BackendError> {
    let adapters = device::adapters()?;
    let adapter = adapters.get(index).ok_or_else(|| {
        let why = format!("the portable backend has no device {index}; it found {}", adapters.len());
        BackendError::Absent(why)
    })?;
    let info = device::describe(adapter);
    let gang = if info.software { Gang::Alone } else { Gang::Together };
    Ok(Portable { device: Device::open(adapter)?, info, clock, gang, prepared: None })
}

/// A device with Vulkan.
#[derive(Debug)]
pub struct Portable {
    device: Device,
    info: DeviceInfo,
    clock: fn() -> f64,
    gang: Gang,
    prepared: Option<Prepared>,
}

impl Backend for Portable {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn refusal(&self, task: &Task) -> Option<String> {
        let precision = task.precision();
        if !matches!(precision.as_str(), "fp32" | "fp32+fp32" | "bytes" | "none") {
            return Some(format!(
                "the portable backend computes in fp32 alone, since wgpu reaches no tensor cores on NVIDIA; \
                 {} was asked for in {precision}",
                task.name()
            ));
        }
        let limits = &self.device.limits;
        let most = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
        let scratch = Plan::new(task, self.gang).scratch;
        let largest = task.buffers().iter().map(|buffer| buffer.numbers).chain(scratch).max()?;
        (padded(largest) > most).then(|| {
            format!(
                "{} of {} needs a buffer of {} bytes; {} binds at most {most}",
                task.name(),
                task.shape(),
                padded(largest),
                self.info.device
            )
        })
    }

    fn prepare(&mut self, task: &Task) -> Result<(), BackendError> {
        self.prepared = None;
        self.device.wait("free buffers")?;
        if let Some(why) = self.refusal(task) {
            return Err(BackendError::Call { call: "prepare", why });
        }
        self.prepared = Some(Prepared::new(&self.device, self.gang, task)?);
        Ok(())
    }

    fn run(&mut self, times: u32) -> Result<f64, BackendError> {
        let prepared = self.prepared()?;
        if let Work::HostCopy(_) = prepared.work {
            let begin = (self.clock)();
            for _ in 0..times {
                self.device.queue.write_buffer(&prepared.buffers[0], 0, &prepared.host);
                self.device.queue.submit([]);
                self.device.wait("copy from the host")?;
            }
            return Ok((self.clock)() - begin);
        }
        let commands = prepared.commands(&self.device, times);
        self.device.check("record commands")?;
        let begin = (self.clock)();
        for commands in commands {
            self.device.queue.submit([commands]);
        }
        self.device.wait("run a kernel")?;
        let on_host = (self.clock)() - begin;
        let seconds = match &self.device.times {
            None => on_host,
            Some(kept) => {
                let read = self.device.read(&kept.resolved, 16)?;
                let counts: Vec<u64> = read.chunks_exact(8).map(count).collect();
                counts[1].saturating_sub(counts[0]) as f64 * kept.period
            }
        };
        if let Some(prepared) = &mut self.prepared {
            prepared.seconds_each = Some(seconds / f64::from(times.max(1)));
        }
        Ok(seconds)
    }

    fn output(&mut self, buffer: usize) -> Result<Vec<f32>, BackendError> {
        let prepared = self.prepared()?;
        let Some(numbers) = prepared.numbers.get(buffer) else {
            let why = format!("the task has {} buffers, none at {buffer}", prepared.numbers.len());
            return Err(BackendError::Call { call: "output", why });
        };
        let bytes = self.device.read(&prepared.buffers[buffer], numbers * Format::Fp32.bytes())?;
        let number = |four: &[u8]| f32::from_ne_bytes(four.try_into().expect("chunks of four bytes"));
        Ok(bytes.chunks_exact(4).map(number).collect())
    }

    /// Vulkan has no sensors.
    fn sensors(&mut self) -> Sensors {
        Sensors::default()
    }
}

impl Portable {
    fn prepared(&self) -> Result<&Prepared, BackendError> {
        let why = "no task was prepared".to_owned();
        self.prepared.as_ref().ok_or(BackendError::Call { call: "run", why })
    }
}

fn count(eight: &[u8]) -> u64 {
    u64::from_ne_bytes(eight.try_into().expect("chunks of eight bytes"))
}
