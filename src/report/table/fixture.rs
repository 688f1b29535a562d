//! A scenario and results for tests. The figures are those of the mock-up `terminal.txt`, not results.

use super::{RunView, run_table};
use crate::experiment::{ClusterResult, Estimate, Status};
use crate::scenario::load::{Overrides, Scenario, load};
use crate::sim::{PARTS, Part};
use crate::stats::{Interval, wilson};

/// What all scenarios here share.
pub const HEAD: &str = r#"
schema = 1
name = "seed-g5"
title = "Four small Spot machines or one big On-Demand one?"
[job]
model = "vit_base_patch16_224"
batch_per_gpu = 128
work = "20 M samples"
deadline = "12 h"
horizon = "7 d"
[start]
start = "90 s"
[checkpoint]
every = "15 min"
stall = "5 s"
[capacity.renewal]
uptime = { weibull = { shape = 0.62, mean = "5.5 h" } }
gap = { lognormal = { median = "20 min", sigma = 1.2 } }
"#;

/// One cluster's table.
pub fn cluster(name: &str, instance: &str, nodes: u32, market: &str) -> String {
    let name = toml::Value::String(name.to_owned());
    format!("[[cluster]]\nname = {name}\ninstance = \"{instance}\"\nnodes = {nodes}\nmarket = \"{market}\"\n")
}

/// A scenario of `clusters`, changed by `set` as `--set` does.
pub fn scenario(clusters: &[String], set: &[&str]) -> Scenario {
    read(format!("{HEAD}{}", clusters.concat()), set)
}

/// The scenario of `text`, changed by `set`.
pub fn read(text: String, set: &[&str]) -> Scenario {
    let set = set.iter().map(|&set| set.to_owned()).collect();
    let loaded =
        load("seed-g5.toml", text, &Overrides { set, ..Overrides::default() }, &|_| Err("none".into()));
    loaded.scenario.unwrap_or_else(|| panic!("{}", loaded.problems.render(&loaded.sources, false)))
}

/// The three clusters of the mock-up.
pub fn three() -> Vec<String> {
    vec![
        cluster("1x g5.12xlarge On-Demand", "ml.g5.12xlarge", 1, "on-demand"),
        cluster("4x g5.4xlarge Spot", "ml.g5.4xlarge", 4, "spot"),
        cluster("4x g5.2xlarge Spot", "ml.g5.2xlarge", 4, "spot"),
    ]
}

/// `value` from `low` to `high`.
pub fn interval(value: f64, low: f64, high: f64) -> Interval {
    Interval { value, low, high }
}

fn estimate(mean: Interval, p05: f64, p95: f64) -> Estimate {
    let interval = Some(mean);
    Estimate { mean: Some(mean.value), sd: Some(1.0), interval, p05: Some(p05), p50: None, p95: Some(p95) }
}

/// Results of a cluster of `scenario` that were never simulated.
pub fn empty(scenario: &Scenario, index: usize) -> ClusterResult {
    let cluster = &scenario.clusters[index];
    ClusterResult {
        name: cluster.name.clone(),
        instance: cluster.instance.clone(),
        nodes: cluster.nodes,
        market: cluster.market,
        status: Status::Infeasible,
        ideal_h: cluster.ideal.makespan.as_hours(),
        deadline_h: cluster.plan.deadline.map(|deadline| deadline.as_hours()),
        ..ClusterResult::default()
    }
}

/// What tells clusters apart in these tests.
pub struct Figures {
    /// Mean dollars a run, with their interval and the 5 % and 95 % quantiles.
    pub cost: (Interval, f64, f64),
    /// Mean hours, with their interval and the 95 % quantile.
    pub makespan: (Interval, f64),
    /// Replications of 10,000 done by the deadline.
    pub on_time: u64,
    /// Mean preemptions.
    pub preemptions: f64,
}

/// Results of 10,000 replications that all finished.
pub fn finished(scenario: &Scenario, index: usize, figures: &Figures) -> ClusterResult {
    let n = 10_000;
    let preemptions = Estimate { mean: Some(figures.preemptions), ..Estimate::default() };
    let mut time_h = [0.0; PARTS.len()];
    time_h[Part::Computing as usize] = 4.18;
    time_h[Part::Queued as usize] = figures.makespan.0.value - 4.18;
    ClusterResult {
        status: Status::Simulated,
        replications: n,
        finished: n,
        finish_probability: wilson(n, n, 0.95),
        deadline_probability: wilson(figures.on_time, n, 0.95),
        makespan_h: estimate(figures.makespan.0, 0.0, figures.makespan.1),
        cost_usd: estimate(figures.cost.0, figures.cost.1, figures.cost.2),
        cost_per_finished_usd: Some(figures.cost.0),
        preemptions,
        time_h,
        ..empty(scenario, index)
    }
}

/// `result` with what it saves against a baseline.
pub fn against(result: ClusterResult, saved: Interval, share: f64, longer: f64) -> ClusterResult {
    ClusterResult {
        saved_usd: Some(saved),
        savings_vs_baseline: Some(interval(share, share - 0.001, share + 0.001)),
        cheaper_probability: wilson(10_000, 10_000, 0.95),
        longer_h: Some(interval(longer, longer - 0.05, longer + 0.05)),
        ..result
    }
}

/// The results of the mock-up.
pub fn mock(scenario: &Scenario) -> Vec<ClusterResult> {
    let on_demand = Figures {
        cost: (interval(31.12, 31.12, 31.12), 31.12, 31.12),
        makespan: (interval(4.41, 4.41, 4.41), 4.45),
        on_time: 10_000,
        preemptions: 0.0,
    };
    let larger = Figures {
        cost: (interval(18.35, 18.33, 18.36), 17.53, 19.93),
        makespan: (interval(7.25, 7.20, 7.30), 11.07),
        on_time: 9_670,
        preemptions: 1.47,
    };
    let smaller = Figures {
        cost: (interval(23.11, 23.09, 23.12), 22.17, 24.70),
        makespan: (interval(10.86, 10.81, 10.92), 15.57),
        on_time: 7_850,
        preemptions: 2.08,
    };
    let mut results = vec![
        finished(scenario, 0, &on_demand),
        against(finished(scenario, 1, &larger), interval(12.78, 12.76, 12.79), 0.41, 2.84),
        against(finished(scenario, 2, &smaller), interval(8.01, 8.00, 8.03), 0.257, 6.45),
    ];
    results[0].time_h = [0.0, 0.0, 0.0, 0.06, 0.0, 4.18, 0.13, 0.0, 0.04, 0.0, 0.0];
    results[1].time_h = [1.18, 0.07, 0.1, 0.1, 0.02, 4.18, 1.38, 0.0, 0.06, 0.17, 0.0];
    results[2].time_h = [1.63, 0.08, 0.12, 0.12, 0.04, 4.18, 4.37, 0.0, 0.09, 0.25, 0.0];
    results
}

/// The text for all replications asked, without colour or files.
pub fn printed(scenario: &Scenario, results: &[ClusterResult]) -> String {
    let asked = results.iter().map(|result| result.replications).max().unwrap_or(0);
    let file = "scenarios/seed-g5.toml";
    run_table(&RunView { scenario, results, file, asked, colour: false, out: None, written: &[] })
}
