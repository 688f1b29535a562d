//! What keys of throughput make of odd values: a step of figures, or an error at the key.

use spotsim::experiment::step::steps;
use spotsim::report::step::csv as steps_csv;
use spotsim::scenario::load::{Loaded, Overrides, load};

const TEXT: &str = r#"
schema = 1
name = "hostile"
[job]
model = "vit_base_patch16_224"
batch_per_gpu = 64
work = "100 k steps"
[compute]
[network]
[[cluster]]
name = "c"
instance = "g5.2xlarge"
nodes = 4
market = "on-demand"
"#;

/// One product of the step of [`TEXT`], in another batch.
const CALIBRATION: &str = r#"
device = "A10G"
class = "cuda"
backend = "cuda"
spread = 0.02
date = "2026-12-02"
[[kernel]]
name = "gemm"
shape = "25216x2304x768"
precision = "bf16"
median_us = 4000.0
spread = 0.01
"#;

fn read(set: &[&str], file: &str) -> Loaded {
    let set = set.iter().map(|set| (*set).to_owned()).collect();
    let overrides = Overrides { set, ..Overrides::default() };
    load("h.toml", TEXT.to_owned(), &overrides, &|_| Ok(file.to_owned()))
}

/// The figures of the step with these keys, by name.
fn figures(set: &[&str], file: &str) -> Vec<(String, String)> {
    let loaded = read(set, file);
    let problems = loaded.problems.render(&loaded.sources, false);
    let bytes = steps_csv(&steps(&loaded.scenario.unwrap_or_else(|| panic!("{set:?}: {problems}"))));
    let mut reader = csv::Reader::from_reader(bytes.as_slice());
    let names = reader.headers().unwrap().clone();
    let last = reader.records().last().unwrap().unwrap();
    names.iter().zip(&last).map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

fn figure(name: &str, set: &[&str], file: &str) -> f64 {
    let figures = figures(set, file);
    figures.iter().find(|(n, _)| n == name).unwrap().1.parse().unwrap()
}

#[test]
fn odd_values_that_mean_something_give_figures_that_are_numbers() {
    for set in [
        &["job.batch_per_gpu=1", "cluster.0.nodes=1024"][..],
        &["cluster.0.instance=p5.48xlarge", "cluster.0.nodes=2"],
        &["cluster.0.instance=p3.2xlarge", "job.precision=fp32"],
        &["cluster.0.nodes=1"],
        &["network.bandwidth=1 B/s"],
        &["network.bandwidth=1e30 GB/s"],
        &["network.bucket=0 B"],
        &["network.bucket=1000 TB"],
        &["network.burst_time=10000 d"],
        &["network.compression={powersgd={rank=4096}}"],
        &["compute.step_time=1 ns"],
        &["compute.time_per_sample=1 ns"],
        &["compute.accumulate=65536"],
        &["compute.sharding=fsdp", "cluster.0.nodes=1024"],
        &["job.model={params=1}", "compute.time_per_sample=1 ms"],
        &["job.model={params=17592186044416}", "compute.time_per_sample=1 ms"],
        &["job.model={image=1,patch=1,width=1,depth=1,heads=1,mlp_ratio=1e-300,classes=1}"],
        &["job.input={cpu_time_per_sample=\"0 s\"}"],
        &["job.input={cpu_time_per_sample=\"1000 d\"}"],
        &["job.input={cpu_time_per_sample=\"1 ms\",from=\"s3\",read_per_sample=\"0 B\"}"],
        &["job.input={cpu_time_per_sample=\"1 ms\",from=\"s3\",read_per_sample=\"1000 TB\"}"],
        &["job.input={cpu_time_per_sample=\"1 ms\",bytes_per_sample=\"1000 TB\"}"],
    ] {
        for (name, value) in figures(set, "") {
            let number: Option<f64> = value.parse().ok();
            assert!(
                number.is_none_or(|n| n.is_finite() && n.is_sign_positive()),
                "{set:?}: {name} = {value}"
            );
        }
    }
}

/// What is said, and the text that is pointed at.
#[test]
fn an_error_about_a_step_points_at_its_key() {
    for (set, title, marked) in [
        (&["job.model=vit_bse_patch16_224"][..], "unknown model", "vit_bse_patch16_224"),
        (&["job.model={params=25}"], "the model has parameters only", "{params=25}"),
        (&["job.model={params=25, gmacs=1e300}"], "`gmacs = 1e300`: must be above 0 and at most", "1e300"),
        (
            &["job.model={image=8192,patch=1,width=8,depth=1,heads=1}"],
            "an image has 67108864 patches",
            "{image=8192,patch=1,width=8,depth=1,heads=1}",
        ),
        (&["job.batch_per_gpu=0"], "`batch_per_gpu = 0`", "0"),
        (&["job.batch_per_gpu=4096"], "need about 289.2 GB on each GPU, and A10G has", "4096"),
        (&["job.global_batch=16384"], "need about 289.2 GB on each GPU, and A10G has", "16384"),
        (&["cluster.0.instance=p3.2xlarge", "job.precision=tf32"], "has no tf32 arithmetic", "tf32"),
        (&["cluster.0.instance=g4dn.xlarge", "job.precision=bf16"], "T4 has no bf16 arithmetic", "bf16"),
        (&["network.burst=1 Gbit/s"], "is below the card's baseline", "1 Gbit/s"),
        (&["network.bandwidth=10 Gb/s"], "ambiguous unit `Gb/s`", "10 Gb/s"),
        (&["compute.samples_per_s=1e300"], "`samples_per_s = 1e300`: must be", "1e300"),
        (&["compute.calibration=none.toml"], "line 1: missing field `device`", "none.toml"),
    ] {
        let loaded = read(set, "");
        let text = loaded.problems.render(&loaded.sources, false);
        assert!(text.contains(title), "{set:?}: {text}");
        let marks = format!(" {} ", "^".repeat(marked.len()));
        assert!(text.lines().any(|line| format!("{line} ").contains(&marks)), "{set:?}: {text}");
        assert_eq!(text.matches("error:").count(), if title.contains("gmacs") { 2 } else { 1 }, "{text}");
    }
}

/// By hand: what the file has takes 1.433 ms at the peak of the A10G and 4 ms, so arithmetic runs at 0.358 of it
/// in place of the catalogue's 1.293. Products take 75 ms of the step at that, fused attention 17 ms, partly memory's.
#[test]
fn a_calibration_file_tells_products_that_it_does_not_have() {
    let with = figure("compute_ms", &["compute.calibration=a.toml"], CALIBRATION);
    let longer_ms = with - figure("compute_ms", &[], "");
    let more = 1.293 / 0.358 - 1.0;
    assert!((75.0 * more..92.0 * more).contains(&longer_ms), "{longer_ms} ms");
}

#[test]
fn a_calibration_of_another_class_must_be_accepted() {
    let file = CALIBRATION.replace("class = \"cuda\"", "class = \"portable\"");
    let loaded = read(&["compute.calibration=a.toml"], &file);
    assert!(
        loaded.problems.render(&loaded.sources, false).contains("its `class` is \"portable\", not \"cuda\"")
    );
    let accepted = ["compute.calibration=a.toml", "compute.accept_class=true"];
    assert!(figure("step_ms", &accepted, &file) > 0.0);
}

/// Autocast keeps fp32 parameters; without it gradients are half as large, and casting them saves nothing.
#[test]
fn parameters_of_half_precision_have_gradients_of_half_the_size() {
    let bandwidth = "network.bandwidth=1 GB/s";
    let sent = |precision| figure("communication_ms", &[bandwidth, precision], "");
    assert!((sent("job.precision=bf16") / sent("job.precision=amp-bf16") - 0.5).abs() < 1e-3);
    let cast = ["network.compression=bf16", bandwidth, "job.precision=bf16"];
    assert!((figure("communication_ms", &cast, "") / sent("job.precision=bf16") - 1.0).abs() < 0.01);
}
