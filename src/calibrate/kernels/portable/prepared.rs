//! A task in the device's memory: buffers taken and filled, kernels compiled.

use super::super::reference::HOST_VALUES;
use super::super::{BackendError, Begin, Format, Task, Work};
use super::device::{Device, Fault};
use super::kernel::Kernel;
use super::plan::{self, Gang, Plan};

/// Seconds of work handed over at once: drivers of devices that also draw a screen end what takes them longer than a
/// few seconds.
const PIECE: f64 = 0.5;

/// A task whose buffers are filled.
#[derive(Debug)]
pub(super) struct Prepared {
    pub work: Work,
    /// The task's, then its scratch ones.
    pub buffers: Vec<wgpu::Buffer>,
    /// Numbers of the task's buffers.
    pub numbers: Vec<u64>,
    dispatches: Vec<Dispatch>,
    /// What host copies copy.
    pub host: Vec<u8>,
    /// The same where the device reads it.
    pinned: Option<wgpu::Buffer>,
    /// Time of one run, once there was one.
    pub seconds_each: Option<f64>,
}

/// A kernel ready to run.
#[derive(Debug)]
pub(super) struct Dispatch {
    pipeline: wgpu::ComputePipeline,
    group: Option<wgpu::BindGroup>,
    grid: (u32, u32),
}

impl Prepared {
    pub(super) fn new(device: &Device, gang: Gang, task: &Task) -> Result<Self, BackendError> {
        let described = task.buffers();
        let numbers: Vec<u64> = described.iter().map(|buffer| buffer.numbers).collect();
        let plan = Plan::new(task, gang);
        let buffers = allocate(device, task, numbers.iter().chain(&plan.scratch).copied().collect())?;

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
        let compile = |kernel: &Kernel| compile(device, kernel, &buffers);
        let fills = first.iter().chain(&plan.forward).chain(&last);
        let fills: Vec<Dispatch> = fills.map(compile).collect::<Result<_, _>>()?;
        let mut encoder = device.encoder();
        dispatch_all(&mut encoder, &fills, 1);
        device.queue.submit([encoder.finish()]);

        let dispatches = plan.kernels.iter().map(compile).collect::<Result<_, _>>()?;
        let host = match task.work {
            Work::HostCopy(_) | Work::HostCopyPinned(_) => host_values(numbers[0]),
            _ => Vec::new(),
        };
        let pinned = match task.work {
            Work::HostCopyPinned(_) => Some(pin(device, &host)?),
            _ => None,
        };
        device.wait("fill buffers")?;
        Ok(Self { work: task.work, buffers, numbers, dispatches, host, pinned, seconds_each: None })
    }

    /// The kernel so many times between two timestamps. Once its time is known, in pieces of [`PIECE`] seconds, which
    /// a device takes one after the other without a gap.
    pub(super) fn commands(&self, device: &Device, times: u32) -> Vec<wgpu::CommandBuffer> {
        let piece = self.seconds_each.map_or(times, |each| (PIECE / each) as u32).max(1);
        let mut all = Vec::new();
        let mut left = times;
        loop {
            let mut encoder = device.encoder();
            if let (Some(kept), true) = (&device.times, left == times) {
                encoder.write_timestamp(&kept.queries, 0);
            }
            let now = left.min(piece);
            match (self.work, &self.pinned) {
                (Work::Memcpy(_), _) => self.copy(&mut encoder, &self.buffers[0], 1, now),
                (_, Some(pinned)) => self.copy(&mut encoder, pinned, 0, now),
                _ => dispatch_all(&mut encoder, &self.dispatches, now),
            }
            left -= now;
            if let (Some(kept), 0) = (&device.times, left) {
                encoder.write_timestamp(&kept.queries, 1);
                encoder.resolve_query_set(&kept.queries, 0..2, &kept.resolved, 0);
            }
            all.push(encoder.finish());
            if left == 0 {
                return all;
            }
        }
    }

    fn copy(&self, encoder: &mut wgpu::CommandEncoder, from: &wgpu::Buffer, into: usize, times: u32) {
        let bytes = self.numbers[into] * Format::Fp32.bytes();
        for _ in 0..times {
            encoder.copy_buffer_to_buffer(from, 0, &self.buffers[into], 0, bytes);
        }
    }
}

/// Vulkan through wgpu does not say what is free; where memory runs out, what was had until then is named.
fn allocate(device: &Device, task: &Task, numbers: Vec<u64>) -> Result<Vec<wgpu::Buffer>, BackendError> {
    let needed = numbers.iter().map(|numbers| padded(*numbers)).sum();
    let mut buffers = Vec::new();
    let mut free = 0;
    for numbers in numbers {
        buffers.push(device.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: padded(numbers),
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        }));
        match device.fault() {
            None => free += padded(numbers),
            Some(Fault::Memory) => {
                let task = format!("{} of {}", task.name(), task.shape());
                return Err(BackendError::Memory { task, needed, free });
            }
            Some(Fault::Other(why) | Fault::Lost(why)) => {
                return Err(BackendError::Call { call: "create_buffer", why });
            }
        }
    }
    Ok(buffers)
}

pub(super) fn compile(
    device: &Device,
    kernel: &Kernel,
    buffers: &[wgpu::Buffer],
) -> Result<Dispatch, BackendError> {
    let most = device.limits.max_compute_workgroups_per_dimension;
    let module = device.device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some(kernel.entry),
        source: wgpu::ShaderSource::Wgsl(kernel.text(most).into()),
    });
    let label = kernel.label();
    let pipeline = device.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
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
    device.check("compile a kernel")?;
    let entries: Vec<wgpu::BindGroupEntry<'_>> = kernel
        .bindings
        .iter()
        .map(|(binding, place)| wgpu::BindGroupEntry {
            binding: *binding,
            resource: buffers[*place].as_entire_binding(),
        })
        .collect();
    let group = (!entries.is_empty()).then(|| {
        device.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(&label),
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        })
    });
    device.check("bind buffers")?;
    Ok(Dispatch { pipeline, group, grid: kernel.grid(most) })
}

/// Host memory that the device reads by itself.
fn pin(device: &Device, host: &[u8]) -> Result<wgpu::Buffer, BackendError> {
    const CALL: &str = "pin host memory";
    let pinned = device.device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: host.len() as u64,
        usage: wgpu::BufferUsages::MAP_WRITE | wgpu::BufferUsages::COPY_SRC,
        mapped_at_creation: true,
    });
    device.check(CALL)?;
    let range = pinned.slice(..).get_mapped_range_mut();
    let mut mapped = range.map_err(|why| BackendError::Call { call: CALL, why: why.to_string() })?;
    mapped.copy_from_slice(host);
    drop(mapped);
    pinned.unmap();
    Ok(pinned)
}

/// Bytes of a buffer of so many numbers: whole fours, which elementwise kernels take at once.
pub(super) fn padded(numbers: u64) -> u64 {
    numbers.next_multiple_of(4) * Format::Fp32.bytes()
}

/// What the source of a host copy holds.
fn host_values(numbers: u64) -> Vec<u8> {
    let numbers = u32::try_from(numbers).expect("buffers of fewer than 2³² numbers");
    (0..numbers).flat_map(|place| HOST_VALUES.at(place, Format::Fp32).to_ne_bytes()).collect()
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
