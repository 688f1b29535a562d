//! `spotsim step`: single steps against answers derived by hand (the project's cases 18 and 19, 2026-12-01)
//! and against what the text of the born-from article fixes.

use crate::run::{folder, number, root, run_text, spotsim_in};
use serde_json::Value;

fn step(name: &str, text: &str) -> (i32, Vec<Value>, String) {
    let folder = folder(name);
    std::fs::write(folder.join("scenario.toml"), text).unwrap();
    let arguments = ["step", "scenario.toml", "--format", "json", "--plots", "none", "--out", "out"];
    let output = spotsim_in(&folder, &arguments);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    let clusters = json["clusters"].as_array().cloned().unwrap_or_default();
    (output.status.code().unwrap(), clusters, String::from_utf8(output.stderr).unwrap())
}

fn close(ours: f64, right: f64, share: f64) {
    assert!((ours / right - 1.0).abs() <= share, "{ours}, right is {right}");
}

/// `ms` of computing in one step of one node, then `gradients` bytes in a ring, nothing overlapped.
fn ring(parameters: &str, bandwidth: &str, nodes: u32) -> String {
    format!(
        r#"
schema = 1
name = "ring"
[job]
model = {{ params = {parameters} }}
global_batch = 64
work = "100 k steps"
horizon = "90 d"
[compute]
time_per_sample = "10 ms"
[network]
bandwidth = "{bandwidth}"
overlap = false
[pricing]
rule = "flat"
on_demand = "2 USD/h"
[[cluster]]
name = "c"
instance = "p3.2xlarge"
nodes = {nodes}
market = "on-demand"
[simulation]
replications = 1
"#
    )
}

/// 1 GB among 8: 2 × 7/8 × 1e9 B / B.
#[test]
fn case_18_bits_and_bytes_differ_by_eight() {
    for (text, ms) in [
        ("25 Gbps", 560.0),
        ("25 Gbit/s", 560.0),
        ("3.125 GB/s", 560.0),
        ("25 GB/s", 70.0),
        ("25 GBps", 70.0),
    ] {
        let (_, clusters, stderr) =
            step(&format!("18-{}", text.replace(['/', ' '], "")), &ring("250_000_000", text, 8));
        assert_eq!(clusters.len(), 1, "{text}: {stderr}");
        assert!((number(&clusters[0], "exposed_comm_ms") - ms).abs() < 1.0, "{text}");
    }
}

/// step(n) = 0.64 s / n + 2(n−1)/n × 1.4 GB / B; 100,000 steps at 2 USD/h a node.
#[test]
fn case_19_more_nodes_are_slower_or_dearer() {
    let tables = [
        (
            "10 Gbit/s",
            [
                (1, 0.640, 17.78, 35.56),
                (2, 1.440, 40.00, 160.00),
                (4, 1.840, 51.11, 408.89),
                (8, 2.040, 56.67, 906.67),
            ],
        ),
        (
            "100 Gbit/s",
            [
                (1, 0.640, 17.78, 35.56),
                (2, 0.432, 12.00, 48.00),
                (4, 0.328, 9.11, 72.89),
                (8, 0.276, 7.67, 122.67),
            ],
        ),
    ];
    for (bandwidth, table) in tables {
        let (_, clusters, stderr) = step("19", &ring("350_000_000", bandwidth, 8));
        let scaling = clusters[0]["scaling"].as_array().unwrap_or_else(|| panic!("{stderr}"));
        for ((nodes, step_s, hours, usd), point) in table.into_iter().zip(scaling) {
            assert_eq!(number(point, "nodes"), f64::from(nodes));
            close(number(point, "step_ms"), step_s * 1e3, 1e-3);
            let (_, clusters, _) = run_text("19-run", &ring("350_000_000", bandwidth, nodes), &[]);
            close(number(&clusters[0], "makespan_h_mean"), hours, 1e-3);
            close(number(&clusters[0], "cost_usd_mean"), usd, 1e-3);
        }
    }
}

#[test]
fn case_19_is_said_plainly() {
    for (bandwidth, verdict) in [
        ("10 Gbit/s", "one node is best for time and money; adding nodes makes it slower"),
        ("100 Gbit/s", "8 nodes are fastest, one node is cheapest: faster but dearer"),
    ] {
        let folder = folder("19-verdict");
        std::fs::write(folder.join("s.toml"), ring("350_000_000", bandwidth, 8)).unwrap();
        let output = spotsim_in(&folder, &["step", "s.toml", "--plots", "none"]);
        let text = String::from_utf8(output.stdout).unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(verdict), "{text}");
    }
}

fn seed() -> Vec<Value> {
    let out = folder("step-seed");
    let arguments = [
        "step",
        "scenarios/seed-g5.toml",
        "--format",
        "json",
        "--plots",
        "none",
        "--out",
        out.to_str().unwrap(),
    ];
    let output = spotsim_in(root(), &arguments);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    json["clusters"].as_array().unwrap().clone()
}

/// The pace of a fresh machine: with credits, where there are any to spend.
fn fresh_rate(cluster: &Value) -> f64 {
    let paces = cluster["paces"].as_array().unwrap();
    let rate =
        |name: &str| paces.iter().find(|pace| pace["pace"] == name).map(|pace| number(pace, "samples_per_s"));
    rate("burst").or_else(|| rate("sustained")).unwrap()
}

/// Source: the article's text and the prices beside it, `seed_table.md` of the project's reference, 2026-12.
#[test]
fn the_born_from_case_ranks_as_its_article_says() {
    let clusters = seed();
    let [small, medium, big] = [0, 1, 2].map(|i| fresh_rate(&clusters[i]));
    // USD per hour and million samples: SageMaker's price × nodes × (1 − savings).
    let usd = |per_hour: f64, rate: f64| per_hour * 1e6 / (3_600.0 * rate);
    let small_usd = usd(1.515 * 4.0 * (1.0 - 0.58), small);
    let medium_usd = usd(2.03 * 4.0 * (1.0 - 0.62), medium);
    let big_usd = usd(7.09, big);
    assert!(medium > small, "4x g5.4xlarge {medium}/s, 4x g5.2xlarge {small}/s");
    assert!(medium_usd < small_usd && small_usd < big_usd, "{medium_usd} {small_usd} {big_usd}");
    // The derived ranges of the same table.
    for (rate, low, high) in [(small, 480.0, 900.0), (medium, 830.0, 1_320.0), (big, 1_180.0, 1_500.0)] {
        assert!((low..high).contains(&rate), "{rate} is not within {low} to {high}");
    }
}

/// ViT-B/16 at batch 64 on four g5.2xlarge, 5 Gbit/s and up to 10 for 52 min of full use.
fn credits(work: &str) -> String {
    format!(
        r#"
schema = 1
name = "credits"
[job]
model = "vit_base_patch16_224"
batch_per_gpu = 64
work = "{work}"
[network]
overlap = false
baseline = "5 Gbit/s"
burst = "10 Gbit/s"
burst_time = "52 min"
[compute]
time_per_sample = "1 ms"
[[cluster]]
name = "c"
instance = "g5.2xlarge"
nodes = 4
market = "on-demand"
[simulation]
replications = 1
"#
    )
}

/// Full credits hold 5 Gbit/s × 3,120 s. A step of length T1 sends U = 2 × 3/4 × 346.27 MB and earns T1 × 5 Gbit/s, so
/// they last K / (U / T1 − b); then a step takes U / b.
#[test]
fn the_rate_drops_when_credits_run_out_at_the_hand_computed_time() {
    let (_, clusters, stderr) = step("credits-step", &credits("100 k steps"));
    assert_eq!(clusters.len(), 1, "{stderr}");
    let paces = clusters[0]["paces"].as_array().unwrap();
    let step_s =
        |name: &str| number(paces.iter().find(|pace| pace["pace"] == name).unwrap(), "step_ms") / 1e3;
    let (fast_s, slow_s) = (step_s("burst"), step_s("sustained"));
    let baseline = 5e9 / 8.0;
    let sent = 2.0 * 3.0 / 4.0 * 4.0 * 86_567_656.0;
    let lasts_s = (10e9 / 8.0 - baseline) * 3_120.0 / (sent / fast_s - baseline);
    assert!((number(&clusters[0], "burst_lasts_h") * 3_600.0 - lasts_s).abs() < 1.0, "{lasts_s}");
    assert!((slow_s - sent / baseline).abs() < 1e-6, "{slow_s}");
    let fast_steps = (lasts_s / fast_s).ceil();
    for steps in [fast_steps as u64, 100_000] {
        let (_, clusters, _) = run_text("credits-run", &credits(&format!("{steps} steps")), &[]);
        let right_s = fast_steps * fast_s + (steps as f64 - fast_steps) * slow_s;
        let ours_s = number(&clusters[0], "makespan_h_mean") * 3_600.0;
        assert!((ours_s - right_s).abs() < 1.0, "{steps} steps: {ours_s} s, right is {right_s} s");
    }
}

#[test]
fn a_batch_that_cannot_fit_is_refused_with_both_figures() {
    let text = credits("1 k steps").replace("batch_per_gpu = 64", "batch_per_gpu = 4096");
    let (code, _, stderr) = step("too-large", &text);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("GB on each GPU, and A10G has"), "{stderr}");
}

#[test]
fn one_node_does_not_feel_its_network_card() {
    let with = |card: &str| {
        let text =
            credits("1 k steps").replace("nodes = 4", "nodes = 1").replace("burst = \"10 Gbit/s\"", card);
        step("alone", &text).1
    };
    assert_eq!(with("burst = \"10 Gbit/s\"")[0]["paces"], with("burst = \"400 Gbit/s\"")[0]["paces"]);
}
