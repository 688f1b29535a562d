//! What calibration files hold, and which are refused.

use super::super::device::tests::A10G;
use super::*;

pub(in crate::compute) const FILE: &str = r#"
device = "A10G"
class = "cuda"
backend = "cuda"
driver = "570.1"
library = { path = "libcublas.so.12", version = "12.1.3" }
clock_mhz = 1710
spread = 0.02
date = "2026-12-02"

[[kernel]]
name = "gemm"
shape = "25216x2304x768"
precision = "bf16"
median_us = 2000.0
spread = 0.01

[[kernel]]
name = "memcpy"
shape = "77000000"
precision = "bytes"
median_us = 308.0
spread = 0.02

[[kernel]]
name = "host_copy"
shape = "77000000"
precision = "bytes"
median_us = 15400.0
spread = 0.02

[[kernel]]
name = "launch"
shape = "1"
precision = "none"
median_us = 6.0
spread = 0.02
"#;

#[test]
fn kernels_are_found_by_name_shape_and_format() {
    let file = Calibration::parse(FILE).unwrap();
    assert_eq!(file.class, Class::Cuda);
    assert_eq!(file.kernel_s(kernel::GEMM, "25216x2304x768", "bf16"), Some(2e-3));
    assert_eq!(file.kernel_s(kernel::GEMM, "25216x2304x768", "fp16"), None);
    assert_eq!(file.kernel_s(kernel::GEMM, "25216x768x768", "bf16"), None);
}

/// 77 MB in 308 µs is 250 GB/s read and as much written; in 15.4 ms from the host it is 5 GB/s.
#[test]
fn copies_tell_rates() {
    let file = Calibration::parse(FILE).unwrap();
    assert!((file.bandwidth_bytes_per_s().unwrap() / 500e9 - 1.0).abs() < 1e-9);
    assert!((file.host_copy_bytes_per_s(false).unwrap() / 5e9 - 1.0).abs() < 1e-9);
    assert_eq!(file.host_copy_bytes_per_s(true), None);
    assert_eq!(file.launch_s(), Some(6e-6));
}

/// The product of the worked case takes 1.433 ms at the peak and 2 ms in the file; 500 of 600 GB/s.
#[test]
fn other_shapes_are_timed_at_the_efficiencies_of_the_file() {
    let file = Calibration::parse(FILE).unwrap();
    let device = file.applied_to(A10G, Precision::AmpBf16);
    assert!((device.compute_efficiency - 1.433 / 2.0).abs() < 1e-3, "{}", device.compute_efficiency);
    assert!((device.memory_efficiency - 500.0 / 600.0).abs() < 1e-9);
    assert_eq!(device.launch_s, 6e-6);
    assert_eq!(file.applied_to(A10G, Precision::Fp32).compute_efficiency, A10G.compute_efficiency);
}

#[test]
fn products_of_backward_fall_back_on_those_of_forward() {
    let file = Calibration::parse(FILE).unwrap();
    let found = file.kernel(kernel::GEMM_DGRAD, "25216x2304x768", "bf16");
    assert_eq!(found, Some((2e-3, Evidence::Measured)));
    let own = FILE.replace(
        "name = \"memcpy\"\nshape = \"77000000\"\nprecision = \"bytes\"",
        "name = \"gemm_dgrad\"\nshape = \"25216x2304x768\"\nprecision = \"bf16\"",
    );
    let file = Calibration::parse(&own).unwrap();
    let found = file.kernel(kernel::GEMM_DGRAD, "25216x2304x768", "bf16");
    assert_eq!(found, Some((308e-6, Evidence::Measured)));
}

/// What `calibrate` writes.
fn sealed() -> String {
    toml::to_string(&Calibration::parse(FILE).unwrap().sealed()).unwrap()
}

#[test]
fn what_was_sealed_reads_back() {
    let text = sealed();
    let read = Calibration::parse(&text).unwrap();
    assert_eq!(read.kernels, Calibration::parse(FILE).unwrap().kernels);
    assert_eq!(read.count, Some(4));
}

#[test]
fn a_file_that_was_cut_off_damaged_or_is_of_a_later_form_is_refused() {
    let text = sealed();
    let cut = &text[..text.rfind("[[kernel]]").unwrap()];
    let said = |text: &str| Calibration::parse(text).unwrap_err().to_string();
    assert!(said(cut).contains("it has 4 kernels and has 3: a part of it is missing"), "{}", said(cut));
    let changed = text.replace("2000.0", "2001.0");
    assert!(said(&changed).contains("do not give its `checksum`"), "{}", said(&changed));
    let later = format!("novelty = 1\n{}", text.replace("schema = 1", "schema = 7"));
    assert!(said(&later).contains("its `schema` is 7, and this version reads up to 1"), "{}", said(&later));
    let in_a_word = &text[..text.rfind("median_us").unwrap() + 5];
    assert!(said(in_a_word).starts_with("line "), "{}", said(in_a_word));
    let none = text.split("[[kernel]]").next().unwrap().replace("count = 4", "count = 0");
    assert!(said(&format!("kernel = []\n{none}")).contains("no kernels"));
}

#[test]
fn a_wrong_file_is_refused_with_the_reason() {
    let slow = FILE.replace("median_us = 6.0", "median_us = 0.0");
    let error = Calibration::parse(&slow).unwrap_err().to_string();
    assert_eq!(error, "kernel launch 1: median_us = 0 must be from 0.001 to 1e10");
    let launch = FILE.rsplit("[[kernel]]").next().unwrap();
    let error = Calibration::parse(&format!("{FILE}[[kernel]]{launch}")).unwrap_err().to_string();
    assert_eq!(error, "kernel launch 1 none is there twice");
    let error = Calibration::parse(&FILE.replace("clock_mhz", "clock")).unwrap_err().to_string();
    assert!(error.contains("unknown field `clock`"), "{error}");
}
