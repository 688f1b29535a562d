//! wgpu's objects, and its errors as ours.

use super::super::{BackendError, BackendKind, DeviceInfo};
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

/// What both times on a device's own clock need.
const TIMESTAMPS: wgpu::Features =
    wgpu::Features::TIMESTAMP_QUERY.union(wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS);

/// All adapters, in the order of the Vulkan loader.
pub(super) fn adapters() -> Result<Vec<wgpu::Adapter>, BackendError> {
    if wgpu::Instance::enabled_backend_features().is_empty() {
        return Err(BackendError::Absent(
            "the portable backend looked for Vulkan, which it does not reach on this platform".to_owned(),
        ));
    }
    let mut wanted = wgpu::InstanceDescriptor::new_without_display_handle();
    wanted.backends = wgpu::Backends::VULKAN;
    wanted.flags = wgpu::InstanceFlags::empty();
    let adapters = done(wgpu::Instance::new(wanted).enumerate_adapters(wgpu::Backends::VULKAN));
    if adapters.is_empty() {
        return Err(BackendError::Absent(
            "the portable backend looked for the Vulkan loader (libvulkan.so.1) and a device that has a Vulkan \
             driver and found none; the vendor's driver brings one, and on Debian the packages libvulkan1 and \
             mesa-vulkan-drivers bring one that runs on any processor"
                .to_owned(),
        ));
    }
    Ok(adapters)
}

/// What is said of an adapter.
pub(super) fn describe(adapter: &wgpu::Adapter) -> DeviceInfo {
    let said = adapter.get_info();
    let driver = format!("{} {}", said.driver, said.driver_info).trim().to_owned();
    let timer = if adapter.features().contains(TIMESTAMPS) { "timestamp queries" } else { "host clock" };
    DeviceInfo {
        kind: BackendKind::Portable,
        device: said.name,
        driver: (!driver.is_empty()).then_some(driver),
        library: None,
        timer,
        software: said.device_type == wgpu::DeviceType::Cpu,
    }
}

/// A device that is open.
#[derive(Debug)]
pub(super) struct Device {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    pub limits: wgpu::Limits,
    /// Two times and where they are resolved and read, if the device tells times.
    pub times: Option<Times>,
    /// The first error that wgpu reported since it was last asked for.
    fault: Arc<Mutex<Option<Fault>>>,
}

/// Times of begin and end.
#[derive(Debug)]
pub(super) struct Times {
    pub queries: wgpu::QuerySet,
    pub resolved: wgpu::Buffer,
    /// Seconds of one count.
    pub period: f64,
}

/// What wgpu reported.
#[derive(Debug, Clone)]
pub(super) enum Fault {
    /// No memory for what was asked.
    Memory,
    /// Everything else, in its words.
    Other(String),
    /// The device works no more: every later call fails. Asked to wait for it, wgpu would panic.
    Lost(String),
}

impl Device {
    pub(super) fn open(adapter: &wgpu::Adapter) -> Result<Self, BackendError> {
        let timed = adapter.features().contains(TIMESTAMPS);
        let limits = adapter.limits();
        let wanted = wgpu::DeviceDescriptor {
            required_features: if timed { TIMESTAMPS } else { wgpu::Features::empty() },
            required_limits: limits.clone(),
            // Large buffers get memory of their own; small blocks leave it for them.
            memory_hints: wgpu::MemoryHints::MemoryUsage,
            ..wgpu::DeviceDescriptor::default()
        };
        let (device, queue) = done(adapter.request_device(&wanted))
            .map_err(|why| BackendError::Call { call: "request_device", why: why.to_string() })?;
        let fault = Arc::new(Mutex::new(None));
        let kept = Arc::clone(&fault);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| keep(&kept, error.into())));
        let kept = Arc::clone(&fault);
        device.set_device_lost_callback(move |_, why| keep(&kept, Fault::Lost(why)));
        let times = timed.then(|| Times {
            queries: device.create_query_set(&wgpu::QuerySetDescriptor {
                label: None,
                ty: wgpu::QueryType::Timestamp,
                count: 2,
            }),
            resolved: device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: 16,
                usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            }),
            period: f64::from(queue.get_timestamp_period()) * 1e-9,
        });
        let open = Self { device, queue, limits, times, fault };
        open.check("open")?;
        Ok(open)
    }

    pub(super) fn encoder(&self) -> wgpu::CommandEncoder {
        self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
    }

    /// The first fault since the last call.
    pub(super) fn fault(&self) -> Option<Fault> {
        let mut fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Fault::Lost(_)) = *fault { fault.clone() } else { fault.take() }
    }

    /// An error if wgpu reported one.
    pub(super) fn check(&self, call: &'static str) -> Result<(), BackendError> {
        match self.fault() {
            None => Ok(()),
            Some(Fault::Memory) => Err(BackendError::Call { call, why: "out of memory".to_owned() }),
            Some(Fault::Other(why)) => Err(BackendError::Call { call, why }),
            Some(Fault::Lost(why)) => {
                Err(BackendError::Call { call, why: format!("the device is lost: {why}") })
            }
        }
    }

    /// Waits until all that was submitted is done.
    pub(super) fn wait(&self, call: &'static str) -> Result<(), BackendError> {
        self.check(call)?;
        self.device
            .poll(wgpu::PollType::wait_indefinitely())
            .map_err(|why| BackendError::Call { call, why: why.to_string() })?;
        self.check(call)
    }

    /// The first bytes of a buffer.
    pub(super) fn read(&self, buffer: &wgpu::Buffer, bytes: u64) -> Result<Vec<u8>, BackendError> {
        const CALL: &str = "read a buffer";
        let staging = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: bytes,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = self.encoder();
        encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, bytes);
        self.queue.submit([encoder.finish()]);
        self.check(CALL)?;
        // A failure is found when the range is asked for.
        staging.slice(..).map_async(wgpu::MapMode::Read, |_| ());
        self.wait(CALL)?;
        let mapped = staging
            .slice(..)
            .get_mapped_range()
            .map_err(|why| BackendError::Call { call: CALL, why: why.to_string() })?;
        Ok(mapped.to_vec())
    }
}

impl From<wgpu::Error> for Fault {
    fn from(error: wgpu::Error) -> Self {
        match error {
            wgpu::Error::OutOfMemory { .. } => Self::Memory,
            other => Self::Other(other.to_string()),
        }
    }
}

fn keep(fault: &Mutex<Option<Fault>>, new: Fault) {
    let mut fault = fault.lock().unwrap_or_else(PoisonError::into_inner);
    if fault.is_none() || matches!(new, Fault::Lost(_)) {
        *fault = Some(new);
    }
}

/// The value of a future; those of wgpu on Vulkan are ready when they are made.
fn done<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return value;
        }
        std::thread::yield_now();
    }
}
