//! `spotsim calibrate`: kernels measured on this machine, and what a scenario makes of the file.

use crate::run::{folder, number, spotsim_in};
use serde_json::Value;
use spotsim::compute::Calibration;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Every kernel of a calibration file: rows 1 to 13 of the reference's table of micro-benchmarks.
pub const KERNELS: [&str; 19] = [
    "adam",
    "adam_for_each",
    "attention",
    "attention_backward",
    "batched_gemm",
    "column_sum",
    "gelu",
    "gelu_backward",
    "gemm",
    "gemm_dgrad",
    "gemm_wgrad",
    "host_copy",
    "host_copy_pinned",
    "launch",
    "layer_norm",
    "layer_norm_backward",
    "memcpy",
    "residual_add",
    "softmax",
];

/// The smallest step: one sample of the smallest model.
pub const TINY: [&str; 6] = ["calibrate", "--quick", "--model", "vit_tiny_patch16_224", "--batch", "1"];

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Exit code, stdout, stderr.
pub fn spotsim(at: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = spotsim_in(at, arguments);
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

pub fn parsed(toml: &str) -> Calibration {
    Calibration::parse(toml).unwrap()
}

pub fn names(file: &Calibration) -> Vec<&str> {
    let mut names: Vec<&str> = file.kernels.iter().map(|kernel| kernel.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Median of a kernel, ms.
fn median_ms(file: &Calibration, name: &str, shape: &str, precision: &str) -> f64 {
    let of = |k: &&spotsim::compute::MeasuredKernel| {
        (k.name.as_str(), k.shape.as_str(), k.precision.as_str()) == (name, shape, precision)
    };
    file.kernels.iter().find(of).unwrap_or_else(|| panic!("no {name} {shape}")).median_us / 1e3
}

/// The processor measured once: the JSON on stdout, and the file.
static CPU: LazyLock<(Value, String)> = LazyLock::new(|| {
    let at = folder("calibrate-cpu");
    let more = ["--backend", "cpu", "--out", "new/cpu.toml", "--format", "json"];
    let (code, stdout, stderr) = spotsim(&at, &[&TINY[..], &more].concat());
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("a scenario takes a file of class cpu only with [compute] accept_class = true"));
    (serde_json::from_str(&stdout).unwrap(), fs::read_to_string(at.join("new/cpu.toml")).unwrap())
});

/// A scenario of one g5.xlarge that names `k.toml`.
pub fn scenario(model: &str, batch: u32, precision: &str) -> String {
    format!(
        r#"
schema = 1
name = "measured"
[job]
model = "{model}"
batch_per_gpu = {batch}
precision = "{precision}"
work = "10 k steps"
[compute]
calibration = "k.toml"
[pricing]
rule = "flat"
on_demand = "1 USD/h"
[[cluster]]
name = "c"
instance = "g5.xlarge"
nodes = 1
market = "on-demand"
[simulation]
replications = 1
"#
    )
}

pub fn tiny() -> String {
    scenario("vit_tiny_patch16_224", 1, "fp32")
}

/// A folder with a scenario `s.toml` and its file of kernels.
pub fn with_file(name: &str, scenario: &str, kernels: &str) -> PathBuf {
    let at = folder(name);
    fs::write(at.join("s.toml"), scenario).unwrap();
    fs::write(at.join("k.toml"), kernels).unwrap();
    at
}

/// The first cluster of `spotsim step`.
pub fn step(at: &Path, more: &[&str]) -> (i32, Value, String) {
    let arguments = ["step", "s.toml", "--format", "json", "--plots", "none"];
    let (code, stdout, stderr) = spotsim(at, &[&arguments, more].concat());
    let json: Value = serde_json::from_str(&stdout).unwrap_or(Value::Null);
    (code, json["clusters"][0].clone(), stderr)
}

pub fn operation(cluster: &Value, name: &str) -> Value {
    let all = cluster["gpu"]["operations"].as_array().unwrap_or_else(|| panic!("{cluster}"));
    all.iter().find(|of| of["name"] == name).unwrap_or_else(|| panic!("no {name}")).clone()
}

pub fn close(ours: f64, right: f64) {
    assert!((ours / right - 1.0).abs() < 1e-9, "{ours}, right is {right}");
}

#[test]
fn the_processor_gives_a_file_with_every_kernel() {
    let (_, toml) = &*CPU;
    let file = parsed(toml);
    assert_eq!((file.class.name(), file.backend.as_str(), file.kernels.len()), ("cpu", "cpu", 36));
    assert_eq!(names(&file), KERNELS);
    assert!(file.kernels.iter().all(|kernel| kernel.error.is_some_and(|error| error <= 1.0)), "{toml}");
    assert_eq!((file.count, file.checksum.is_some()), (Some(36), true));
}

#[test]
fn json_has_all_that_the_file_has() {
    let (json, toml) = &*CPU;
    let file = parsed(toml);
    let head = (json["device"].as_str().unwrap(), json["class"].as_str().unwrap(), json["date"].as_str());
    assert_eq!(head, (file.device.as_str(), "cpu", Some(file.date.as_str())));
    let kernels = json["kernel"].as_array().unwrap();
    assert_eq!(kernels.len(), file.kernels.len());
    for (ours, right) in kernels.iter().zip(&file.kernels) {
        assert_eq!(
            (&ours["name"], &ours["shape"]),
            (&right.name.clone().into(), &right.shape.clone().into())
        );
        assert_eq!(number(ours, "median_us"), right.median_us);
    }
    // 2 × 197 × 576 × 192 by the definition of a product.
    let rate = 2.0 * 197.0 * 576.0 * 192.0 / (median_ms(&file, "gemm", "197x576x192", "fp32") / 1e3);
    let ours = kernels.iter().find(|kernel| kernel["shape"] == "197x576x192").unwrap();
    assert!((number(ours, "flop_per_s") / rate - 1.0).abs() < 1e-6, "{ours}");
}

#[test]
fn csv_agrees_with_the_file() {
    let at = folder("calibrate-csv");
    let more = ["--backend", "cpu", "--out", "cpu.toml", "--format", "csv"];
    let (code, stdout, stderr) = spotsim(&at, &[&TINY[..], &more].concat());
    assert_eq!(code, 0, "{stderr}");
    let file = parsed(&fs::read_to_string(at.join("cpu.toml")).unwrap());
    let mut lines = stdout.lines();
    assert!(lines.next().unwrap().starts_with("name,shape,precision,median_us,spread,interval,"));
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), file.kernels.len());
    for (row, kernel) in rows.iter().zip(&file.kernels) {
        assert_eq!(row.len(), 12, "{row:?}");
        assert_eq!(row[..3], [&kernel.name, &kernel.shape, &kernel.precision]);
        assert_eq!(row[3].parse(), Ok(kernel.median_us));
    }
}

#[test]
fn the_table_answers_which_kernels_on_what() {
    let at = folder("calibrate-table");
    let (code, stdout, stderr) =
        spotsim(&at, &[&TINY[..], &["--backend", "cpu", "--out", "cpu.toml"]].concat());
    assert_eq!(code, 0, "{stderr}");
    for words in [
        "How fast are the kernels of a training step on ",
        "36 kernels measured by the backend cpu (class cpu) in ",
        "every result is right",
        "Written   cpu.toml",
    ] {
        assert!(stdout.contains(words), "{words}: {stdout}");
    }
    let warning = "warning: these are no kernels that training runs: a scenario takes a file of class cpu only with \
                   [compute] accept_class = true\n";
    assert_eq!(stderr, warning);
}

#[test]
fn a_file_of_the_processor_is_refused_unless_it_is_accepted() {
    let at = with_file("calibrate-class", &tiny(), &CPU.1);
    let (code, _, stderr) = step(&at, &[]);
    assert_eq!(code, 2);
    let words = "holds kernels that training does not run: its `class` is \"cpu\", not \"cuda\"";
    assert!(stderr.contains(words) && stderr.contains("accept_class = true"), "{stderr}");
    let (code, cluster, stderr) = step(&at, &["--set", "compute.accept_class=true"]);
    assert_eq!(code, 0, "{stderr}");
    let file = parsed(&CPU.1);
    assert_eq!(cluster["form"], "calibrated");
    assert_eq!(cluster["calibration"]["class"], "cpu");
    assert_eq!(cluster["calibration"]["device"], file.device.as_str());
    assert_eq!(cluster["calibration"]["accepted"], true);
}

/// Twelve blocks of one sample: 197 tokens of 192 numbers, 3 heads of 64; 5,717,416 parameters.
#[test]
fn the_predicted_step_is_made_of_the_measured_medians() {
    let at = with_file("calibrate-by-hand", &tiny(), &CPU.1);
    let (code, cluster, stderr) = step(&at, &["--set", "compute.accept_class=true"]);
    assert_eq!(code, 0, "{stderr}");
    let file = parsed(&CPU.1);
    let median = |name: &str, shape: &str| median_ms(&file, name, shape, "fp32");
    let layer = |out: u32, input: u32| {
        12.0 * (median("gemm", &format!("197x{out}x{input}"))
            + median("gemm_dgrad", &format!("197x{input}x{out}"))
            + median("gemm_wgrad", &format!("{out}x{input}x197")))
    };
    let attention = 12.0 * (median("attention", "1x3x197x64") + median("attention_backward", "1x3x197x64"));
    let norms = 25.0 * (median("layer_norm", "197x192") + median("layer_norm_backward", "197x192"));
    let gelu = 12.0 * (median("gelu", "197x768") + median("gelu_backward", "197x768"));
    let biases = 12.0 * (median("column_sum", "197x576") + median("column_sum", "197x768"));
    for (name, right) in [
        ("qkv", layer(576, 192)),
        ("proj", layer(192, 192)),
        ("fc1", layer(768, 192)),
        ("fc2", layer(192, 768)),
        ("attention", attention),
        ("layer norm", norms),
        ("gelu", gelu),
        ("bias gradients", biases),
        ("update", median("adam_for_each", "5717416")),
    ] {
        let of = operation(&cluster, name);
        close(number(&of, "time_ms"), right);
        close(number(&of, "measured_ms"), right);
    }
}

#[test]
fn a_run_names_the_file_and_what_it_changed() {
    let at = with_file("calibrate-told", &tiny(), &CPU.1);
    let (code, stdout, stderr) =
        spotsim(&at, &["run", "s.toml", "--plots", "none", "--set", "compute.accept_class=true"]);
    assert_eq!(code, 0, "{stderr}");
    let told = stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let file = parsed(&CPU.1);
    let device = file.device.split_whitespace().collect::<Vec<_>>().join(" ");
    let measured = format!(
        "kernels as measured on {device} (class cpu, {}, \"k.toml\", accepted though of another device or class)",
        file.date
    );
    for words in
        [measured.as_str(), "of the GPU's time in the step's own shapes", "by the roofline alone for"]
    {
        assert!(told.contains(words), "{words}: {told}");
    }
}

#[test]
fn a_step_shows_shares_of_all_as_whole() {
    let at = with_file("calibrate-shares", &tiny(), &CPU.1);
    let (_, stdout, stderr) =
        spotsim(&at, &["step", "s.toml", "--plots", "none", "--set", "compute.accept_class=true"]);
    assert!(stdout.contains("Measured (") && stdout.contains("against roofline, c:"), "{stdout} {stderr}");
    assert!(!stdout.contains("100.0000"), "{stdout}");
}
