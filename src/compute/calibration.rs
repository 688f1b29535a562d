//! Kernels measured on one machine: what a calibration file holds.

use super::between::{Evidence, between};
use super::{Device, Precision, Product, kernel};
use crate::rng::fnv1a;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Version of the form of calibration files that this program writes, and the latest that it reads.
pub const CALIBRATION_SCHEMA: u32 = 1;

/// A calibration file. Its TOML has these keys, and a `[[kernel]]` table for each [`MeasuredKernel`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// Version of the form.
    #[serde(default = "first_schema")]
    pub schema: u32,
    /// The accelerator, as its driver calls it.
    pub device: String,
    /// How far its figures hold: for which kind of software.
    pub class: Class,
    /// What ran the kernels: `"cuda"`, `"portable"`, `"cpu"`.
    pub backend: String,
    /// Version of the driver; `None` where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
    /// The library that computed; `None` where the kernels are our own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub library: Option<Library>,
    /// What told the time: `"CUDA events"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timer: Option<String>,
    /// Clock while measuring, MHz, the median over kernels; `None` where it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock_mhz: Option<f64>,
    /// Power while measuring, watts, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub power_w: Option<f64>,
    /// Temperature while measuring, degrees Celsius, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature_c: Option<f64>,
    /// Largest spread of its kernels, share of the median.
    pub spread: f64,
    /// Day of the measurement.
    pub date: String,
    /// How it was made, and by which version: a remark for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made: Option<String>,
    /// How many kernels there are, so that a file which was cut off is noticed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<usize>,
    /// Of the kernels, so that damage is noticed: see [`Self::sealed`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checksum: Option<String>,
    /// The kernels.
    #[serde(rename = "kernel")]
    pub kernels: Vec<MeasuredKernel>,
}

fn first_schema() -> u32 {
    1
}

/// Kind of the kernels in a calibration file. Only `Cuda` has those that training runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// The vendor's library.
    Cuda,
    /// Our own, on any device.
    Portable,
    /// The host's processor.
    Cpu,
}

impl Class {
    /// Its name in files and outputs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cuda => "cuda",
            Self::Portable => "portable",
            Self::Cpu => "cpu",
        }
    }
}

/// A library of kernels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Library {
    /// The file that was loaded.
    pub path: String,
    /// As the library tells it.
    pub version: String,
}

/// One measured kernel: a name of [`kernel`](super::kernel), a shape and a number format.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasuredKernel {
    /// One of the names in [`kernel`](super::kernel).
    pub name: String,
    /// Sizes joined by `x`, as the names say.
    pub shape: String,
    /// Format of the numbers it reads: `"bf16"`, `"fp16"`, `"tf32"`, `"fp32"`, or two joined by `+`; `"bytes"`
    /// of a copy, and `"none"` of a launch.
    pub precision: String,
    /// Median over its repetitions, microseconds.
    pub median_us: f64,
    /// Half the distance of the quartiles, share of the median.
    pub spread: f64,
    /// Half the width of the median's 95 % interval, share of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<f64>,
    /// How often it was timed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repetitions: Option<usize>,
    /// Launches of one repetition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub launches: Option<u32>,
    /// Repetitions far above the others; they count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outliers: Option<usize>,
    /// Largest error of its results over what its number format allows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
    /// Clock right after, MHz.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock_mhz: Option<f64>,
    /// Power right after, watts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub power_w: Option<f64>,
}

/// Why a calibration file is refused.
#[derive(Debug, thiserror::Error)]
pub enum CalibrationError {
    /// Not the keys and tables that a calibration file has.
    #[error("line {line}: {message}")]
    Form {
        /// Where, from 1.
        line: usize,
        /// What is wrong there.
        message: String,
    },
    /// Written by a later version.
    #[error(
        "its `schema` is {schema}, and this version reads up to {CALIBRATION_SCHEMA}: it was written by a later one"
    )]
    Later {
        /// The file's.
        schema: i64,
    },
    /// A part of it is missing.
    #[error("it says that it has {count} kernels and has {found}: a part of it is missing")]
    CutOff {
        /// How many it says.
        count: usize,
        /// How many there are.
        found: usize,
    },
    /// Its kernels are not those that were written.
    #[error(
        "its kernels do not give its `checksum`: it was damaged or changed; whoever changed it on purpose takes the \
         line out"
    )]
    Damaged,
    /// Nothing was measured.
    #[error("it has no kernels")]
    Empty,
    /// A kernel that takes no time, or one that nobody would wait for.
    #[error("kernel {name} {shape}: median_us = {median_us} must be from 0.001 to 1e10")]
    Time {
        /// The kernel's name.
        name: String,
        /// Its shape.
        shape: String,
        /// Its time.
        median_us: f64,
    },
    /// Two times for one kernel.
    #[error("kernel {name} {shape} {precision} is there twice")]
    Twice {
        /// The kernel's name.
        name: String,
        /// Its shape.
        shape: String,
        /// Its number format.
        precision: String,
    },
}

impl Calibration {
    /// Reads the text of a calibration file.
    pub fn parse(text: &str) -> Result<Self, CalibrationError> {
        let form = |error: toml::de::Error| {
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            CalibrationError::Form { line, message: error.message().replace('\n', " ") }
        };
        // A later form may have keys that this one does not know, so its version is looked at first.
        let table: toml::Table = toml::from_str(text).map_err(form)?;
        if let Some(schema) = table.get("schema").and_then(toml::Value::as_integer)
            && schema != i64::from(CALIBRATION_SCHEMA)
        {
            return Err(CalibrationError::Later { schema });
        }
        let calibration: Self = toml::from_str(text).map_err(form)?;
        calibration.check()?;
        Ok(calibration)
    }

    fn check(&self) -> Result<(), CalibrationError> {
        let found = self.kernels.len();
        if let Some(count) = self.count.filter(|count| *count != found) {
            return Err(CalibrationError::CutOff { count, found });
        }
        if found == 0 {
            return Err(CalibrationError::Empty);
        }
        let mut seen = BTreeSet::new();
        for kernel in &self.kernels {
            let MeasuredKernel { name, shape, precision, median_us, .. } = kernel;
            let (name, shape, precision) = (name.clone(), shape.clone(), precision.clone());
            if !(1e-3..=1e10).contains(median_us) {
                return Err(CalibrationError::Time { name, shape, median_us: *median_us });
            }
            if !seen.insert((&kernel.name, &kernel.shape, &kernel.precision)) {
                return Err(CalibrationError::Twice { name, shape, precision });
            }
        }
        match &self.checksum {
            Some(sum) if *sum != self.sum() => Err(CalibrationError::Damaged),
            _ => Ok(()),
        }
    }

    /// The same with count and checksum of its kernels.
    pub fn sealed(self) -> Self {
        Self { count: Some(self.kernels.len()), checksum: Some(self.sum()), ..self }
    }

    /// FNV-1a of 64 bits over device, class, date, and each kernel's name, shape, format and time.
    fn sum(&self) -> String {
        let mut text = format!("{} {} {}\n", self.device, self.class.name(), self.date);
        for k in &self.kernels {
            _ = writeln!(text, "{} {} {} {} {}", k.name, k.shape, k.precision, k.median_us, k.spread);
        }
        format!("{:016x}", fnv1a(&text))
    }

    /// Seconds that a kernel takes, and on what that rests; `None` if neither it nor kernels around it were measured.
    /// The products of backward fall back on [`kernel::GEMM`] of their shape.
    pub fn kernel(&self, name: &str, shape: &str, precision: &str) -> Option<(f64, Evidence)> {
        let of = |name: &str| {
            let kernels = || self.kernels.iter().filter(|k| k.name == name && k.precision == precision);
            match kernels().find(|k| k.shape == shape) {
                Some(kernel) => Some((kernel.median_us * 1e-6, Evidence::Measured)),
                None => {
                    let others = kernels().map(|k| (k.shape.as_str(), k.median_us * 1e-6));
                    Some((between(shape, others)?, Evidence::Between))
                }
            }
        };
        let is_backward = matches!(name, kernel::GEMM_DGRAD | kernel::GEMM_WGRAD);
        match of(name) {
            None if is_backward => of(kernel::GEMM),
            found => found,
        }
    }

    /// Seconds that a kernel was measured to take in just this shape and format.
    pub fn kernel_s(&self, name: &str, shape: &str, precision: &str) -> Option<f64> {
        let kernel = self.kernels.iter().find(|k| k.is(name, shape, precision))?;
        Some(kernel.median_us * 1e-6)
    }

    /// Number formats of which there is a matrix product.
    pub fn product_formats(&self) -> Vec<&str> {
        let mut formats: Vec<&str> =
            self.kernels.iter().filter(|k| k.is_product()).map(|k| k.precision.as_str()).collect();
        formats.sort_unstable();
        formats.dedup();
        formats
    }

    /// Seconds to launch one kernel.
    pub fn launch_s(&self) -> Option<f64> {
        self.kernel_s(kernel::LAUNCH, "1", "none")
    }

    /// Rate of the largest copy from the host, bytes/s.
    pub fn host_copy_bytes_per_s(&self, pinned: bool) -> Option<f64> {
        self.rate_of_largest(if pinned { kernel::HOST_COPY_PINNED } else { kernel::HOST_COPY })
    }

    /// Memory bandwidth that the largest copy inside the device reaches, bytes/s: each byte is read and written.
    pub fn bandwidth_bytes_per_s(&self) -> Option<f64> {
        self.rate_of_largest(kernel::MEMCPY).map(|rate| 2.0 * rate)
    }

    /// `device` with the efficiencies and the launch time that this file shows, for the kernels that it does
    /// not have in the shape needed: its products in this precision take on average what the model says,
    /// and traffic runs at the rate of its largest copy. What the file does not show stays.
    pub fn applied_to(&self, device: Device, precision: Precision) -> Device {
        let perfect = Device { compute_efficiency: 1.0, memory_efficiency: 1.0, ..device };
        let (mut modelled_s, mut measured_s) = (0.0, 0.0);
        let products = self.kernels.iter().filter(|k| k.is_product());
        for kernel in products.filter(|k| k.precision == precision.operand_name()) {
            if let Some(product) = Product::parse(&kernel.shape) {
                modelled_s += perfect.product_s(&product, precision.operand_bytes());
                measured_s += kernel.median_us * 1e-6;
            }
        }
        let bandwidth = self.bandwidth_bytes_per_s();
        Device {
            compute_efficiency: if measured_s > 0.0 {
                modelled_s / measured_s
            } else {
                device.compute_efficiency
            },
            memory_efficiency: bandwidth
                .map_or(device.memory_efficiency, |rate| rate / device.bandwidth_bytes_per_s),
            launch_s: self.launch_s().unwrap_or(device.launch_s),
            ..device
        }
    }

    fn rate_of_largest(&self, name: &str) -> Option<f64> {
        self.kernels
            .iter()
            .filter(|k| k.name == name)
            .filter_map(|k| Some((k.shape.parse::<u64>().ok().filter(|&bytes| bytes > 0)?, k.median_us)))
            .max_by_key(|&(bytes, _)| bytes)
            .map(|(bytes, median_us)| bytes as f64 / (median_us * 1e-6))
    }
}

impl MeasuredKernel {
    fn is_product(&self) -> bool {
        [kernel::GEMM, kernel::GEMM_DGRAD, kernel::GEMM_WGRAD].contains(&self.name.as_str())
    }

    fn is(&self, name: &str, shape: &str, precision: &str) -> bool {
        self.name == name && self.shape == shape && self.precision == precision
    }
}

#[cfg(test)]
#[path = "calibration_tests.rs"]
pub(super) mod tests;
