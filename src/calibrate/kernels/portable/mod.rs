//! Kernels in WGSL through wgpu, on any device that has Vulkan.
//!
//! Everything is fp32: wgpu reaches no tensor cores on NVIDIA, so that these times are a ratio between devices and
//! never a throughput in bf16 (docs/calibration-portable.md).

mod device;
mod kernel;
mod plan;
#[cfg(test)]
mod tests;

use super::{Backend, BackendError, Begin, DeviceInfo, Format, Sensors, Task, Values, Work};
use device::{Device, Fault};
use kernel::Kernel;
use plan::{Gang, Plan};

/// Seconds of work handed over at once: drivers of devices that also draw a screen end what takes them longer than a
/// few seconds.
const PIECE: f64 = 0.5;

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

/// A task whose buffers are filled.
#[derive(Debug)]
struct Prepared {
    work: Work,
    /// The task's, then its scratch ones.
    buffers: Vec<wgpu::Buffer>,
    /// Numbers of the task's buffers.
    numbers: Vec<u64>,
    dispatches: Vec<Dispatch>,
    /// What host copies copy.
    host: Vec<u8>,
    /// The same where the device reads it.
    pinned: Option<wgpu::Buffer>,
    /// Time of one run by the device's timer, once there was one.
    seconds_each: Option<f64>,
}

/// A kernel ready to run.
#[derive(Debug)]
struct Dispatch {
    pipeline: wgpu::ComputePipeline,
    group: Option<wgpu::BindGroup>,
    grid: (u32, u32),
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
        let described = task.buffers();
        let numbers: Vec<u64> = described.iter().map(|buffer| buffer.numbers).collect();
        let plan = Plan::new(task, self.gang);
        let buffers = self.allocate(task, numbers.iter().chain(&plan.scratch).copied().collect())?;

        let mut first = Vec::new();
        let mut last = Vec::new();
        for (place, buffer) in described.iter().enumerate() {
            match buffer.begin {
                Begin::Values(values) => first.push(plan::values(place, buffer.numbers, values)),
                Begin::Poison => last.push(plan::poison(place, buffer.numbers)),
                Begin::Forward => {}
            }
        }
        // Scratch too: what is read before it is written is found.
        for (place, scratch) in (described.len()..).zip(&plan.scratch) {
            last.push(plan::poison(place, *scratch));
        }
        let fills = first.iter().chain(&plan.forward).chain(&last);
        let fills: Vec<Dispatch> =
            fills.map(|kernel| self.dispatch(kernel, &buffers)).collect::<Result<_, _>>()?;
        let mut encoder = self.encoder();
        dispatch_all(&mut encoder, &fills, 1);
        self.device.queue.submit([encoder.finish()]);
        let dispatches = plan.kernels.iter().map(|kernel| self.dispatch(kernel, &buffers));
        let dispatches = dispatches.collect::<Result<_, _>>()?;
        let host = match task.work {
            Work::HostCopy(_) | Work::HostCopyPinned(_) => host_values(numbers[0]),
            _ => Vec::new(),
        };
        let pinned = match task.work {
            Work::HostCopyPinned(_) => Some(self.pin(&host)?),
            _ => None,
        };
        self.device.wait("fill buffers")?;
        self.prepared = Some(Prepared {
            work: task.work,
            buffers,
            numbers,
            dispatches,
            host,
            pinned,
            seconds_each: None,
        });
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
        let commands = self.commands(prepared, times);
        self.device.check("record commands")?;
        let begin = (self.clock)();
        for commands in commands {
            self.device.queue.submit([commands]);
        }
        self.device.wait("run a kernel")?;
        let on_host = (self.clock)() - begin;
        let Some(kept) = &self.device.times else {
            return Ok(on_host);
        };
        let counts: Vec<u64> = self.device.read(&kept.resolved, 16)?.chunks_exact(8).map(count).collect();
        let seconds = counts[1].saturating_sub(counts[0]) as f64 * kept.period;
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

    fn encoder(&self) -> wgpu::CommandEncoder {
        self.device.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
    }

    /// The kernel so many times between two timestamps. Once its time is known, in pieces of [`PIECE`] seconds, which
    /// a device takes one after the other without a gap.
    fn commands(&self, prepared: &Prepared, times: u32) -> Vec<wgpu::CommandBuffer> {
        let piece = prepared.seconds_each.map_or(times, |each| (PIECE / each) as u32).max(1);
        let mut all = Vec::new();
        let mut left = times;
        loop {
            let mut encoder = self.encoder();
            if let (Some(kept), true) = (&self.device.times, left == times) {
                encoder.write_timestamp(&kept.queries, 0);
            }
            let now = left.min(piece);
            match (prepared.work, &prepared.pinned) {
                (Work::Memcpy(_), _) => copy_all(&mut encoder, prepared, &prepared.buffers[0], 1, now),
                (_, Some(pinned)) => copy_all(&mut encoder, prepared, pinned, 0, now),
                _ => dispatch_all(&mut encoder, &prepared.dispatches, now),
            }
            left -= now;
            if let (Some(kept), 0) = (&self.device.times, left) {
                encoder.write_timestamp(&kept.queries, 1);
                encoder.resolve_query_set(&kept.queries, 0..2, &kept.resolved, 0);
            }
            all.push(encoder.finish());
            if left == 0 {
                return all;
            }
        }
    }

    /// Vulkan through wgpu does not say what is free; where memory runs out, what was had until then is named.
    fn allocate(&self, task: &Task, numbers: Vec<u64>) -> Result<Vec<wgpu::Buffer>, BackendError> {
        let needed = numbers.iter().map(|numbers| padded(*numbers)).sum();
        let mut buffers = Vec::new();
        let mut free = 0;
        for numbers in numbers {
            buffers.push(self.device.device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: padded(numbers),
                usage: wgpu::BufferUsages::STORAGE
                    | wgpu::BufferUsages::COPY_SRC
                    | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            }));
            match self.device.fault() {
                None => free += padded(numbers),
                Some(Fault::Memory) => {
                    let task = format!("{} of {}", task.name(), task.shape());
                    return Err(BackendError::Memory { task, needed, free });
                }
                Some(Fault::Other(why)) => return Err(BackendError::Call { call: "create_buffer", why }),
            }
        }
        Ok(buffers)
    }

    fn dispatch(&self, kernel: &Kernel, buffers: &[wgpu::Buffer]) -> Result<Dispatch, BackendError> {
        let device = &self.device.device;
        let most = self.device.limits.max_compute_workgroups_per_dimension;
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(kernel.entry),
            source: wgpu::ShaderSource::Wgsl(kernel.text(most).into()),
        });
        let label = kernel.label();
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(&label),
            layout: None,
            module: &module,
            entry_point: Some(kernel.entry),
            compilation_options: wgpu::PipelineCompilationOptions {
                zero_initialize_workgroup_memory: false,
                ..wgpu::PipelineCompilationOptions::default()
            },
            cache: None,
        });
        self.device.check("compile a kernel")?;
        let entries: Vec<wgpu::BindGroupEntry<'_>> = kernel
            .bindings
            .iter()
            .map(|(binding, place)| wgpu::BindGroupEntry {
                binding: *binding,
                resource: buffers[*place].as_entire_binding(),
            })
            .collect();
        let group = (!entries.is_empty()).then(|| {
            device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some(&label),
                layout: &pipeline.get_bind_group_layout(0),
                entries: &entries,
            })
        });
        self.device.check("bind buffers")?;
        Ok(Dispatch { pipeline, group, grid: kernel.grid(most) })
    }

    /// Host memory that the device reads by itself.
    fn pin(&self, host: &[u8]) -> Result<wgpu::Buffer, BackendError> {
        const CALL: &str = "pin host memory";
        let pinned = self.device.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: host.len() as u64,
            usage: wgpu::BufferUsages::MAP_WRITE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: true,
        });
        self.device.check(CALL)?;
        let range = pinned.slice(..).get_mapped_range_mut();
        let mut mapped = range.map_err(|why| BackendError::Call { call: CALL, why: why.to_string() })?;
        mapped.copy_from_slice(host);
        drop(mapped);
        pinned.unmap();
        Ok(pinned)
    }
}

/// Bytes of a buffer of so many numbers: whole fours, which elementwise kernels take at once.
fn padded(numbers: u64) -> u64 {
    numbers.next_multiple_of(4) * Format::Fp32.bytes()
}

/// What the source of a host copy holds.
fn host_values(numbers: u64) -> Vec<u8> {
    let values = Values { seed: 1, scale: 1.0, positive: false };
    let numbers = u32::try_from(numbers).expect("buffers of fewer than 2³² numbers");
    (0..numbers).flat_map(|place| values.at(place, Format::Fp32).to_ne_bytes()).collect()
}

fn count(eight: &[u8]) -> u64 {
    u64::from_ne_bytes(eight.try_into().expect("chunks of eight bytes"))
}

fn dispatch_all(encoder: &mut wgpu::CommandEncoder, dispatches: &[Dispatch], times: u32) {
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
    for _ in 0..times {
        for dispatch in dispatches {
            pass.set_pipeline(&dispatch.pipeline);
            if let Some(group) = &dispatch.group {
                pass.set_bind_group(0, group, &[]);
            }
            pass.dispatch_workgroups(dispatch.grid.0, dispatch.grid.1, 1);
        }
    }
}

fn copy_all(
    encoder: &mut wgpu::CommandEncoder,
    prepared: &Prepared,
    from: &wgpu::Buffer,
    into: usize,
    times: u32,
) {
    let bytes = prepared.numbers[into] * Format::Fp32.bytes();
    for _ in 0..times {
        encoder.copy_buffer_to_buffer(from, 0, &prepared.buffers[into], 0, bytes);
    }
}
