//! What `spotsim calibrate network` finds in a text of case 12, and what a scenario makes of its file.

use crate::run::{folder, number, root, spotsim_in};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Bytes and mean microseconds (out of place, in place) of `tests/cases/allreduce-32-new.txt`: 4 nodes of 8 GPUs.
const ROWS: [(f64, f64); 5] = [
    (8_388_608.0, (611.2 + 604.9) / 2.0),
    (33_554_432.0, (1_620.7 + 1_630.2) / 2.0),
    (134_217_728.0, (5_240.1 + 5_218.8) / 2.0),
    (536_870_912.0, (19_610.4 + 19_584.7) / 2.0),
    (2_147_483_648.0, (77_604.1 + 77_811.3) / 2.0),
];

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn calibrate(more: &[&str]) -> (i32, String, String) {
    let from = ["calibrate", "network", "--from", "tests/cases/allreduce-32-new.txt", "--date", "2026-12-02"];
    let output = spotsim_in(root(), &[&from, more].concat());
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

/// A folder with the calibration and a scenario that names it, of so many nodes of 8 GPUs.
fn scenario(name: &str, nodes: u32) -> PathBuf {
    let folder = folder(name);
    let (code, _, stderr) = calibrate(&["--out", folder.join("fabric.toml").to_str().unwrap()]);
    assert_eq!(code, 0, "{stderr}");
    let scenario = format!(
        r#"
schema = 1
name = "measured"
[job]
model = {{ params = 250_000_000 }}
batch_per_gpu = 8
work = "10 k steps"
[compute]
time_per_sample = "10 ms"
[network]
calibration = "fabric.toml"
overlap = false
bucket = "40 MiB"
[[cluster]]
name = "c"
instance = "p4d.24xlarge"
nodes = {nodes}
market = "on-demand"
[simulation]
replications = 1
"#
    );
    std::fs::write(folder.join("s.toml"), scenario).unwrap();
    folder
}

fn step(folder: &Path, more: &[&str]) -> (i32, Value, String) {
    let arguments = ["step", "s.toml", "--format", "json", "--plots", "none"];
    let output = spotsim_in(folder, &[&arguments, more].concat());
    let json: Value = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (output.status.code().unwrap(), json["clusters"][0].clone(), text(&output.stderr))
}

/// On a line between the rows around `bytes`; the smallest row's time below it.
fn by_hand_ms(bytes: f64) -> f64 {
    let Some(pair) = ROWS.windows(2).find(|pair| pair[0].0 <= bytes && bytes <= pair[1].0) else {
        assert!(bytes < ROWS[0].0, "{bytes}");
        return ROWS[0].1 / 1e3;
    };
    let share = (bytes - pair[0].0) / (pair[1].0 - pair[0].0);
    (pair[0].1 + share * (pair[1].1 - pair[0].1)) / 1e3
}

#[test]
fn a_scenario_takes_the_measured_times() {
    let (code, cluster, stderr) = step(&scenario("calibration-times", 4), &[]);
    assert_eq!(code, 0, "{stderr}");
    let pace = &cluster["paces"][0];
    let buckets = pace["buckets"].as_array().unwrap();
    assert!(buckets.len() > 1, "{pace}");
    let mut all_ms = 0.0;
    for bucket in buckets {
        let right = by_hand_ms(number(bucket, "bytes"));
        let ours = number(bucket, "end_ms") - number(bucket, "start_ms");
        assert!((ours - right).abs() < 1e-6, "{bucket}: right is {right}");
        all_ms += right;
    }
    assert!((number(&cluster, "exposed_comm_ms") - all_ms).abs() < 1e-3, "{all_ms}: {cluster}");
}

#[test]
fn measured_times_come_without_credits_and_are_told() {
    let folder = scenario("calibration-told", 4);
    let (_, cluster, _) = step(&folder, &[]);
    assert_eq!(cluster["paces"].as_array().unwrap().len(), 1);
    let output = spotsim_in(&folder, &["step", "s.toml", "--plots", "none"]);
    let told = text(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    for words in ["as measured on 4 x 8 NVIDIA A100-SXM4-40GB", "\"fabric.toml\"", "2026-12-02"] {
        assert!(told.contains(words), "{words}: {told}");
    }
}

#[test]
fn a_file_of_other_nodes_is_refused_with_both_figures() {
    let (code, _, stderr) = step(&scenario("calibration-mismatch", 2), &[]);
    assert_eq!(code, 2);
    for words in ["measured on 4 x 8 GPUs", "the cluster has 2 x 8", "give `bandwidth` instead"] {
        assert!(stderr.contains(words), "{words}: {stderr}");
    }
}

#[test]
fn a_bandwidth_displaces_the_file_and_stands_not_beside_it() {
    let folder = scenario("calibration-rivals", 2);
    let (code, cluster, stderr) = step(&folder, &["--set", "network.bandwidth='25 GB/s'"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(!cluster["assumed"].to_string().contains("fabric.toml"), "{cluster}");
    let both = std::fs::read_to_string(folder.join("s.toml")).unwrap();
    let both = both.replace("overlap = false", "bandwidth = \"25 GB/s\"");
    std::fs::write(folder.join("s.toml"), both).unwrap();
    let (code, _, stderr) = step(&folder, &[]);
    assert_eq!(code, 2);
    assert!(stderr.contains("found calibration and bandwidth"), "{stderr}");
}

#[test]
fn what_has_no_effect_beside_the_file_and_files_that_are_none_are_refused() {
    let folder = scenario("calibration-refused", 4);
    let (code, _, stderr) = step(&folder, &["--set", "network.burst='10 Gbit/s'"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("`burst` has no effect beside `calibration`"), "{stderr}");
    for (file, words) in [("absent.toml", "there is no such file"), ("s.toml", "is not understood")] {
        let (code, _, stderr) = step(&folder, &["--set", &format!("network.calibration={file}")]);
        assert_eq!(code, 2);
        assert!(stderr.contains(words), "{stderr}");
    }
}

/// By definition of the curve: measured over the figures' time. 5 sizes of one system fit to a few per cent.
#[test]
fn an_instance_gives_the_figures_of_its_fabric() {
    let (code, stdout, stderr) = calibrate(&["--instance", "p4d.24xlarge", "--format", "json"]);
    assert_eq!(code, 0, "{stderr}");
    let fit = &serde_json::from_str::<Value>(&stdout).unwrap()["nccl_fit"];
    assert_eq!((&fit["instance"], &fit["fabric"]), (&"p4d.24xlarge".into(), &"efa-gpudirect-ampere".into()));
    let by_size = fit["by_size"].as_array().unwrap();
    assert_eq!(by_size.len(), 5);
    let squares = by_size.iter().map(|size| (number(size, "factor") - 1.0).powi(2)).sum::<f64>();
    assert!((number(fit, "spread") - (squares / 5.0).sqrt()).abs() < 1e-9, "{fit}");
    assert!(number(fit, "spread") < 0.1, "{fit}");
}

#[test]
fn the_table_says_which_fit_it_is() {
    let (_, line, _) = calibrate(&[]);
    assert!(line.contains("of this line") && !line.contains("NCCL's model"), "{line}");
    let (_, nccl, _) = calibrate(&["--instance", "p4d.24xlarge"]);
    assert!(nccl.contains("NCCL's model of 4 × p4d.24xlarge") && !nccl.contains("of this line"), "{nccl}");
}

#[test]
fn an_instance_that_was_not_measured_is_refused() {
    for (name, words) in [
        ("g5.2xlarge", "GPUs of the instance: 1, GPUs that took part on each node: 8"),
        ("p4d.24xlarg", "did you mean `p4d.24xlarge`?"),
    ] {
        let (code, stdout, stderr) = calibrate(&["--instance", name]);
        assert_eq!((code, stdout.as_str()), (2, ""));
        assert!(stderr.contains(words), "{stderr}");
    }
}
