//! Files of measured kernels in scenarios: which are refused, and what is told between and beyond their shapes.

use crate::calibrate::{close, operation, scenario, spotsim, step, with_file};
use crate::run::number;
use spotsim::compute::Calibration;
use std::fs;
use std::path::Path;

/// A kernel of a file.
fn kernel(name: &str, shape: &str, precision: &str, median_us: f64) -> String {
    format!(
        "[[kernel]]\nname = \"{name}\"\nshape = \"{shape}\"\nprecision = \"{precision}\"\nmedian_us = \
         {median_us:?}\nspread = 0.01\n"
    )
}

/// A file of an A10G, as its driver calls it.
fn a10g(kernels: &[String]) -> String {
    let head = "device = \"NVIDIA A10G\"\nclass = \"cuda\"\nbackend = \"cuda\"\nspread = 0.01\ndate = \"2026-12-03\"\n";
    format!("{head}{}", kernels.concat())
}

/// The products of ViT-B/16's first layer at batches 16 and 32, of 197 tokens each: 3,152 and 6,304 rows.
fn two_batches() -> String {
    a10g(&[
        kernel("gemm", "3152x2304x768", "bf16", 300.0),
        kernel("gemm", "6304x2304x768", "bf16", 500.0),
        kernel("gemm_dgrad", "3152x768x2304", "bf16", 310.0),
        kernel("gemm_dgrad", "6304x768x2304", "bf16", 530.0),
        kernel("gemm_wgrad", "2304x768x3152", "bf16", 290.0),
        kernel("gemm_wgrad", "2304x768x6304", "bf16", 450.0),
    ])
}

/// The same as `calibrate` writes it, with count and checksum.
fn sealed() -> String {
    toml::to_string(&Calibration::parse(&two_batches()).unwrap().sealed()).unwrap()
}

fn base(batch: u32) -> String {
    scenario("vit_base_patch16_224", batch, "amp-bf16")
}

/// What `validate` says of a scenario with this file.
fn refusal(name: &str, scenario: &str, kernels: &str) -> String {
    let at = with_file(name, scenario, kernels);
    let (code, stdout, stderr) = spotsim(&at, &["validate", "s.toml"]);
    assert_eq!((code, stdout.as_str()), (2, ""), "{stderr}");
    stderr
}

/// The whole message: `why`, and the `help` beside the key.
fn message(why: &str, help: &str) -> String {
    let help = if help.is_empty() { String::new() } else { format!(" {help}") };
    format!(
        "error: the calibration \"k.toml\" {why}\n  --> s.toml:10:15\n   |\n10 | calibration = \"k.toml\"\n   |               \
         ^^^^^^^^{help}\n\n"
    )
}

#[test]
fn a_file_that_was_cut_off_or_changed_is_refused() {
    let sealed = sealed();
    let in_a_word = &sealed[..sealed.rfind("median_us").unwrap() + 5];
    let line = in_a_word.lines().count();
    let at_a_table = &sealed[..sealed.rfind("[[kernel]]").unwrap()];
    let changed = sealed.replace("median_us = 530.0", "median_us = 53.0");
    for (name, text, why) in [
        ("word", in_a_word, format!("line {line}: key with no value, expected `=`")),
        ("table", at_a_table, "it says that it has 6 kernels and has 5: a part of it is missing".into()),
        (
            "changed",
            &changed,
            "its kernels do not give its `checksum`: it was damaged or changed; whoever changed it on purpose \
             takes the line out"
                .into(),
        ),
    ] {
        let said = refusal(&format!("calibrate-cut-{name}"), &base(16), text);
        assert_eq!(said, message(&format!("is not understood: {why}"), ""), "{name}");
    }
    // The whole is read.
    let at = with_file("calibrate-whole", &base(16), &sealed);
    assert_eq!(spotsim(&at, &["validate", "s.toml"]).0, 0);
}

#[test]
fn a_file_of_a_later_form_is_refused_before_its_keys_are_read() {
    let later = format!("novelty = 1\n{}", sealed().replace("schema = 1", "schema = 7"));
    let why =
        "is not understood: its `schema` is 7, and this version reads up to 1: it was written by a later one";
    assert_eq!(refusal("calibrate-later", &base(16), &later), message(why, ""));
}

#[test]
fn a_file_of_another_class_or_device_is_refused() {
    let accept = "add `accept_class = true` to take it for what it is worth";
    let other = two_batches().replace("NVIDIA A10G", "Tesla T4");
    let why = "was measured on Tesla T4, and the cluster has A10G (\"NVIDIA A10G\" to its driver)";
    assert_eq!(refusal("calibrate-other", &base(16), &other), message(why, accept));
    let foreign = two_batches().replace("class = \"cuda\"", "class = \"portable\"");
    let why = "holds kernels that training does not run: its `class` is \"portable\", not \"cuda\"";
    assert_eq!(refusal("calibrate-foreign", &base(16), &foreign), message(why, accept));
}

#[test]
fn a_file_without_products_in_the_precision_is_refused() {
    let fp32 = two_batches().replace("\"bf16\"", "\"fp32\"");
    let why = "has matrix products in fp32, and `precision = \"amp-bf16\"` multiplies in bf16";
    let help = "measure them with `spotsim calibrate --precision`, or change `precision`";
    assert_eq!(refusal("calibrate-precision", &base(16), &fp32), message(why, help));
}

/// 24 samples are half of the way from 16 to 32, so the times are 400, 420 and 370 µs, in each of 12 blocks.
#[test]
fn a_batch_between_measured_ones_lies_on_the_line() {
    let at = with_file("calibrate-between", &base(24), &two_batches());
    let (code, cluster, stderr) = step(&at, &[]);
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(cluster["calibration"]["accepted"], false);
    let qkv = operation(&cluster, "qkv");
    close(number(&qkv, "interpolated_ms"), 12.0 * (0.400 + 0.420 + 0.370));
    close(number(&qkv, "time_ms"), number(&qkv, "interpolated_ms"));
    assert_eq!(number(&qkv, "measured_ms"), 0.0);
}

/// Milliseconds of a product on an A10G at its data sheet, 70 TFLOP/s and 600 GB/s: section 2 of the reference's
/// roofline model, with tiles of 128 and half the rate at a depth of 96.
fn perfect_ms(m: f64, n: f64, k: f64) -> f64 {
    let padded = |side: f64| (side / 128.0).ceil() * 128.0;
    let share = m * n / (padded(m) * padded(n)) * k / (k + 96.0);
    let arithmetic = 2.0 * m * n * k / (70e12 * share);
    let traffic = 2.0 * (m * k + k * n + m * n) / 600e9;
    arithmetic.max(traffic) * 1e3
}

fn layer_ms(rows: f64) -> f64 {
    perfect_ms(rows, 2304.0, 768.0) + perfect_ms(rows, 768.0, 2304.0) + perfect_ms(2304.0, 768.0, rows)
}

/// The file's six products take 2.38 ms, which is the efficiency for every product that it has no time of.
#[test]
fn beyond_the_measured_range_the_roofline_has_the_efficiency_of_the_file() {
    let at = with_file("calibrate-beyond", &base(64), &two_batches());
    let (code, cluster, stderr) = step(&at, &[]);
    assert_eq!(code, 0, "{stderr}");
    let qkv = operation(&cluster, "qkv");
    assert_eq!((number(&qkv, "interpolated_ms"), number(&qkv, "measured_ms")), (0.0, 0.0));
    let efficiency = (layer_ms(3152.0) + layer_ms(6304.0)) / (0.300 + 0.500 + 0.310 + 0.530 + 0.290 + 0.450);
    // Arithmetic is what binds these products, also at the memory efficiency of the catalogue.
    close(number(&qkv, "time_ms"), 12.0 * layer_ms(12608.0) / efficiency);
}

/// The rows of `sweep.csv` from the cluster's name on, by what stands before it.
fn rows(at: &Path, scenario: &str) -> Vec<(String, String)> {
    fs::write(at.join("s.toml"), scenario).unwrap();
    let arguments = ["sweep", "s.toml", "--plots", "none", "--out", "out", "--replications", "8"];
    let (code, _, stderr) = spotsim(at, &arguments);
    assert_eq!(code, 0, "{stderr}");
    let table = fs::read_to_string(at.join("out/sweep.csv")).unwrap();
    let row = |line: &str| {
        let (before, figures) = line.split_once(",c,").unwrap();
        (before.to_owned(), figures.to_owned())
    };
    table.lines().skip(1).map(row).collect()
}

#[test]
fn a_sweep_has_runs_with_and_without_the_file() {
    let at = with_file("calibrate-sweep", "", &two_batches());
    let both = format!("{}[sweep]\n\"compute.calibration\" = [\"none\", \"k.toml\"]\n", base(24));
    let both = rows(&at, &both);
    let starts: Vec<&str> = both.iter().map(|(before, _)| before.as_str()).collect();
    assert_eq!(starts, ["0,none", "1,k.toml"]);
    let without = base(24).replace("calibration = \"k.toml\"\n", "");
    let without = rows(&at, &format!("{without}[sweep]\n\"compute.accumulate\" = [1, 2]\n"));
    assert_eq!(both[0].1, without[0].1);
    assert_ne!(both[1].1, without[0].1);
}
