//! Measured times as a calibration file.

use super::measure::Measurement;
use super::{BackendKind, DeviceInfo, Sensors};
use crate::compute::{CALIBRATION_SCHEMA, Calibration, Class, Library, MeasuredKernel};
use crate::stats::sample_quantile;

/// What a calibration file holds of a measurement. `made` says how it was made.
pub fn calibration(info: &DeviceInfo, measured: &[Measurement], date: String, made: String) -> Calibration {
    let median = |of: fn(&Sensors) -> Option<f64>| {
        let read: Vec<f64> = measured.iter().filter_map(|m| of(&m.sensors)).collect();
        sample_quantile(&read, 0.5)
    };
    let calibration = Calibration {
        schema: CALIBRATION_SCHEMA,
        device: info.device.clone(),
        class: class(info.kind),
        backend: info.kind.name().to_owned(),
        driver: info.driver.clone(),
        library: info.library.clone().map(|(path, version)| Library { path, version }),
        timer: Some(info.timer.to_owned()),
        clock_mhz: median(|sensors| sensors.clock_mhz),
        power_w: median(|sensors| sensors.power_w),
        temperature_c: median(|sensors| sensors.temperature_c),
        spread: measured.iter().map(|m| rounded(m.spread)).fold(0.0, f64::max),
        date,
        made: Some(made),
        count: None,
        checksum: None,
        kernels: measured.iter().map(kernel).collect(),
    };
    calibration.sealed()
}

/// The class of what a backend measures.
pub fn class(kind: BackendKind) -> Class {
    match kind {
        BackendKind::Cuda => Class::Cuda,
        BackendKind::Portable => Class::Portable,
        BackendKind::Cpu => Class::Cpu,
    }
}

fn kernel(m: &Measurement) -> MeasuredKernel {
    MeasuredKernel {
        name: m.task.name().to_owned(),
        shape: m.task.shape(),
        precision: m.task.precision(),
        // Whole picoseconds; less would be refused as no time at all.
        median_us: ((m.median_s * 1e12).round() / 1e6).max(1e-3),
        spread: rounded(m.spread),
        interval: m.interval.map(rounded),
        repetitions: Some(m.repetitions),
        launches: Some(m.launches),
        outliers: Some(m.outliers),
        error: Some(rounded(m.error)),
        clock_mhz: m.sensors.clock_mhz,
        power_w: m.sensors.power_w,
    }
}

/// To a hundred-thousandth.
fn rounded(share: f64) -> f64 {
    (share * 1e5).round() / 1e5
}

#[cfg(test)]
mod tests {
    use super::super::{Number, Pass, Task, Work};
    use super::*;
    use crate::compute::Product;

    fn measurement(median_s: f64, clock_mhz: Option<f64>) -> Measurement {
        let work = Work::Gemm(Pass::Forward, Product::one(128, (median_s * 1e9) as u64, 64));
        Measurement {
            task: Task { work, number: Number::Bf16 },
            median_s,
            spread: 0.004,
            interval: Some(0.002),
            repetitions: 40,
            launches: 2,
            outliers: 1,
            error: 0.25,
            sensors: Sensors { clock_mhz, ..Sensors::default() },
        }
    }

    #[test]
    fn a_measurement_reads_back_from_its_file() {
        let info = DeviceInfo {
            kind: BackendKind::Cuda,
            device: "NVIDIA A10G".into(),
            driver: Some("570.1".into()),
            library: Some(("libcublas.so.12".into(), "12.4.5".into())),
            timer: "CUDA events",
            software: false,
        };
        let measured =
            [measurement(2e-3, Some(1700.0)), measurement(1e-3, Some(1600.0)), measurement(3e-3, None)];
        let file = calibration(&info, &measured, "2026-12-03".into(), "test".into());
        let read = Calibration::parse(&toml::to_string(&file).unwrap()).unwrap();
        assert_eq!(read, file);
        assert_eq!((read.class, read.clock_mhz, read.spread), (Class::Cuda, Some(1650.0), 0.004));
        assert_eq!(read.kernel_s("gemm", "128x2000000x64", "bf16"), Some(2e-3));
    }
}
