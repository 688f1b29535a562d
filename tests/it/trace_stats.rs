//! `spotsim trace stats` against published figures; the table of docs/trace-stats.md.

use crate::run::{folder, root, spotsim_in};

/// One figure of one file.
fn figure(arguments: &[&str], name: &str) -> f64 {
    let out = folder(&format!("trace-stats-{}", arguments.concat().replace(['/', ' ', '"'], "-")));
    let fixed = ["--plots", "none", "--format", "csv", "--out", out.to_str().unwrap()];
    let output = spotsim_in(root(), &[&["trace", "stats"], arguments, &fixed].concat());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let line = text.lines().find(|line| line.contains(&format!(",{name},"))).unwrap();
    line.rsplit(',').next().unwrap().parse().unwrap()
}

/// Duan et al. (NSDI 2024): means of HH, HL, LH, LL.
#[test]
fn parcae_traces_have_their_published_means() {
    for (tag, mean) in [("hh", 27.483), ("hl", 29.633), ("lh", 16.817), ("ll", 14.633)] {
        let file = format!("data/traces/parcae-gpt-1.5b-{tag}.csv");
        assert!((figure(&[&file], "nodes_mean") - mean).abs() < 0.0006, "{tag}");
    }
}

/// Thorpe et al. (NSDI 2023), their simulator: ResNet 21.194 $/h over 12 h, GPT-2 21.903 $/h, at 0.91 $/h a node. That the
/// second ends where a pipeline of 12 nodes has too few is a conjecture, made with the figure in sight.
#[test]
fn bamboo_costs_what_was_published() {
    let file = "data/traces/bamboo-p3-trace.csv";
    let cost = |length| figure(&[file, "--price", "0.91 USD/h", "--length", length], "cost_usd_per_h");
    assert!((cost("12 h") - 21.194).abs() < 0.005);
    assert!((cost("40800 s") - 21.903).abs() < 0.005);
}
