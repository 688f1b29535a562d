//! What `spotsim calibrate` measured.

use super::number::{self, fixed};
use super::text::{self, Column, Paint};
use crate::calibrate::kernels::measure::{ENOUGH, Measurement};
use crate::calibrate::kernels::{DeviceInfo, Task};
use crate::compute::Calibration;
use serde_json::{Value, json};

/// Rows of the table; the file has all.
const ROWS_MAX: usize = 48;
/// Reasons that are told one by one.
const REASONS_MAX: usize = 4;

/// What there is to tell of a measurement.
#[derive(Debug, Clone, Copy)]
pub struct KernelsView<'a> {
    /// The device.
    pub info: &'a DeviceInfo,
    /// Kernels with their times, in the order in which they were measured.
    pub measured: &'a [Measurement],
    /// Kernels that could not be run there, and why.
    pub skipped: &'a [(Task, String)],
    /// The file's content.
    pub calibration: &'a Calibration,
    /// How long it took, seconds.
    pub took_s: f64,
    /// Where it was written to.
    pub written: &'a str,
    /// Whether escape sequences for colour are wanted.
    pub colour: bool,
}

/// What a backend has to offer: its name, and its devices or why it has none.
pub type Offer = (&'static str, Result<Vec<DeviceInfo>, String>);

/// `--list`, for people.
pub fn offers(offers: &[Offer]) -> String {
    let mut text = String::new();
    for (backend, devices) in offers {
        let lines: Vec<String> = match devices {
            Ok(devices) if devices.is_empty() => vec!["no device".to_owned()],
            Ok(devices) => devices.iter().enumerate().map(|(index, info)| offer(index, info)).collect(),
            Err(why) => vec![text::inert(why)],
        };
        text += &text::beside(backend, &lines);
    }
    text
}

fn offer(index: usize, info: &DeviceInfo) -> String {
    let driver = info.driver.as_ref().map_or(String::new(), |driver| format!(", {}", text::inert(driver)));
    let library = info.library.as_ref().map_or(String::new(), |(path, version)| {
        format!(", matrix products by {} {}", text::inert(path), text::inert(version))
    });
    let played = if info.software { ", played by the processor" } else { "" };
    format!("{index}: {}{driver}{library}; timed by {}{played}", text::inert(&info.device), info.timer)
}

/// `--list` as JSON.
pub fn offers_json(offers: &[Offer]) -> Value {
    let device = |info: &DeviceInfo| {
        json!({
            "device": info.device,
            "driver": info.driver,
            "library": info.library.as_ref().map(|(path, _)| path),
            "library_version": info.library.as_ref().map(|(_, version)| version),
            "timer": info.timer,
            "software": info.software,
        })
    };
    let offer = |(backend, devices): &Offer| match devices {
        Ok(devices) => {
            json!({ "backend": backend, "devices": devices.iter().map(device).collect::<Vec<_>>() })
        }
        Err(why) => json!({ "backend": backend, "devices": [], "why_none": why }),
    };
    json!({ "backends": offers.iter().map(offer).collect::<Vec<_>>() })
}

/// For people, at most 100 columns wide.
pub fn table(view: &KernelsView<'_>) -> String {
    let paint = Paint { colour: view.colour };
    let heading =
        format!("How fast are the kernels of a training step on {}?", text::inert(&view.info.device));
    let verdict = text::wrapped(&verdict(view), text::columns() - 2);
    let verdict: String = verdict.iter().map(|line| format!("  {}\n", paint.bold(line))).collect();
    let mut sections = vec![format!("{}\n", text::wrapped(&heading, text::columns()).join("\n")), verdict];
    sections.push(rows(view, paint));
    let mut notes = vec![
        "± is half of the median's 95 % interval; far: repetitions far above the others, which count"
            .to_owned(),
    ];
    notes.extend(unsure(view));
    notes.extend(sensors(view.calibration));
    sections.push(text::beside("Measured", &notes) + &text::beside("Left out", &left_out(view.skipped)));
    let next = (
        format!("spotsim step FILE --set compute.calibration={}", text::shell_file(view.written)),
        "measured against roofline",
    );
    sections.push(text::hints(&[next], paint) + &text::beside("Written", &[text::inert(view.written)]));
    sections.join("\n")
}

fn verdict(view: &KernelsView<'_>) -> String {
    let fastest = view
        .measured
        .iter()
        .filter(|m| m.task.flop() > 0.0)
        .map(|m| (m.task.flop() / m.median_s, m))
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let product = fastest.map_or(String::new(), |(rate, m)| {
        let (name, shape, precision) = (m.task.name(), m.task.shape(), m.task.precision());
        format!(" The fastest product is {name} {shape} in {precision}: {} TFLOP/s.", figure(rate / 1e12))
    });
    format!(
        "{} kernels measured by the backend {} (class {}) in {} s, and every result is right.{product}",
        number::count(view.measured.len() as u64),
        view.info.kind.name(),
        view.calibration.class.name(),
        fixed(view.took_s, 1),
    )
}

fn rows(view: &KernelsView<'_>, paint: Paint) -> String {
    let shown = &view.measured[..view.measured.len().min(ROWS_MAX)];
    let cells = |cell: &dyn Fn(&Measurement) -> String| shown.iter().map(cell).collect::<Vec<_>>();
    let first = Column::words("kernel", cells(&|m| m.task.name().to_owned()));
    let columns = [
        Column::words("shape", cells(&|m| m.task.shape())),
        Column::words("format", cells(&|m| m.task.precision())),
        Column::figures("median, µs", cells(&|m| figure(m.median_s * 1e6))),
        Column::figures(
            "±, %",
            cells(&|m| m.interval.map_or(number::MISSING.to_owned(), |i| fixed(i * 100.0, 2))),
        ),
        Column::figures("TFLOP/s", cells(&|m| rate(m.task.flop() / m.median_s / 1e12))),
        Column::figures("GB/s", cells(&|m| rate(m.task.bytes() / m.median_s / 1e9))),
        Column::figures("n", cells(&|m| number::count(m.repetitions as u64))),
        Column::figures("far", cells(&|m| number::count(m.outliers as u64))),
    ];
    let table = text::table(&first, &columns, paint);
    match view.measured.len() - shown.len() {
        0 => table,
        more => format!("{table}… {} more in {}\n", number::count(more as u64), text::inert(view.written)),
    }
}

fn rate(value: f64) -> String {
    if value > 0.0 { figure(value) } else { number::MISSING.to_owned() }
}

/// Three digits that count.
fn figure(value: f64) -> String {
    let decimals =
        if value >= 100.0 { 0 } else { (2.0 - value.abs().log10().floor()).clamp(0.0, 6.0) as usize };
    fixed(value, decimals)
}

/// How many medians are known less well than was aimed at.
fn unsure(view: &KernelsView<'_>) -> Option<String> {
    let unsure = view.measured.iter().filter(|m| m.interval.is_none_or(|i| i > ENOUGH)).count();
    let aim = fixed(ENOUGH * 100.0, 0);
    (unsure > 0).then(|| {
        format!("{} of {} medians are not known to {aim} %: the time was up", unsure, view.measured.len())
    })
}

fn sensors(calibration: &Calibration) -> Option<String> {
    let parts: Vec<String> =
        [(calibration.clock_mhz, "MHz"), (calibration.power_w, "W"), (calibration.temperature_c, "°C")]
            .into_iter()
            .filter_map(|(value, unit)| Some(format!("{} {unit}", fixed(value?, 0))))
            .collect();
    (!parts.is_empty()).then(|| format!("{} (medians right after the kernels)", parts.join(", ")))
}

/// Each reason once, with the number of kernels.
fn left_out(skipped: &[(Task, String)]) -> Vec<String> {
    let mut reasons: Vec<(&str, usize)> = Vec::new();
    for (_, why) in skipped {
        match reasons.iter_mut().find(|(other, _)| other == why) {
            Some((_, count)) => *count += 1,
            None => reasons.push((why, 1)),
        }
    }
    let more = reasons.len().saturating_sub(REASONS_MAX);
    reasons.truncate(REASONS_MAX);
    let mut told: Vec<String> = reasons
        .into_iter()
        .map(|(why, count)| format!("{} kernels: {}", number::count(count as u64), text::inert(why)))
        .collect();
    if more > 0 {
        told.push(format!("{more} more reasons, told by --format json"));
    }
    told
}

/// One document: all of the file, rates, and what was left out.
pub fn json(view: &KernelsView<'_>) -> Value {
    let mut file = serde_json::to_value(view.calibration).unwrap_or(Value::Null);
    if let Some(kernels) = file.get_mut("kernel").and_then(Value::as_array_mut) {
        for (kernel, m) in kernels.iter_mut().zip(view.measured) {
            let per_s = |of: f64| (of > 0.0).then(|| of / m.median_s);
            kernel["flop_per_s"] = json!(per_s(m.task.flop()));
            kernel["bytes_per_s"] = json!(per_s(m.task.bytes()));
        }
    }
    let skipped = |(task, why): &(Task, String)| json!({ "name": task.name(), "shape": task.shape(), "precision": task.precision(), "why": why });
    file["skipped"] = view.skipped.iter().map(skipped).collect();
    file["file"] = json!(view.written);
    file
}

/// A header and a line a kernel.
pub fn csv(view: &KernelsView<'_>) -> String {
    let mut text =
        "name,shape,precision,median_us,spread,interval,repetitions,launches,outliers,error,flop_per_s,\
                    bytes_per_s\n"
            .to_owned();
    for (kernel, m) in view.calibration.kernels.iter().zip(view.measured) {
        let per_s = |of: f64| if of > 0.0 { (of / m.median_s).to_string() } else { String::new() };
        let interval = kernel.interval.map_or(String::new(), |interval| interval.to_string());
        text += &format!(
            "{},{},{},{},{},{interval},{},{},{},{},{},{}\n",
            kernel.name,
            kernel.shape,
            kernel.precision,
            kernel.median_us,
            kernel.spread,
            m.repetitions,
            m.launches,
            m.outliers,
            kernel.error.unwrap_or_default(),
            per_s(m.task.flop()),
            per_s(m.task.bytes()),
        );
    }
    text
}
