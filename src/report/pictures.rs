//! The pictures of a run, from its results.

use super::plot::{self, Drawing, Interval, PlotCluster, PlotData, Run};
use crate::experiment::{ClusterResult, Replicated, Status};
use crate::scenario::load::Scenario;
use crate::stats;

/// What meets the deadline this often is held against perfect foresight.
const OFTEN: f64 = 0.95;

/// Every picture of a run by the name of its file, without an ending.
pub fn all(
    scenario: &Scenario,
    results: &[ClusterResult],
    replicated: &[Replicated],
) -> Vec<(&'static str, Drawing)> {
    let data = data(scenario, results, replicated);
    vec![
        ("cost-vs-time", plot::cost_vs_time(&data)),
        ("cost-distribution", plot::cost_distribution(&data)),
        ("makespan-ecdf", plot::makespan_ecdf(&data)),
        ("time-parts", plot::time_parts(&data)),
    ]
}

fn data(scenario: &Scenario, results: &[ClusterResult], replicated: &[Replicated]) -> PlotData {
    let shown: Vec<usize> = (0..results.len())
        .filter(|&i| results[i].status == Status::Simulated && results[i].replications > 0)
        .collect();
    let clusters = shown.iter().map(|&i| cluster(results, i, &replicated[i])).collect();
    let plans = || shown.iter().map(|&i| &scenario.clusters[i].plan);
    let n = results.iter().map(|result| result.replications).max().unwrap_or(0);
    let seed = scenario.seed;
    PlotData {
        title: scenario.title.clone(),
        deadline_h: plans().filter_map(|plan| plan.deadline).max().map(|deadline| deadline.as_hours()),
        horizon_h: plans().map(|plan| plan.horizon).max().map_or(0.0, |horizon| horizon.as_hours()),
        footer: format!("n = {} for each cluster, seed {seed}", super::number::count(n)),
        clusters,
        baseline: scenario.baseline().and_then(|baseline| shown.iter().position(|&i| i == baseline)),
    }
}

fn cluster(results: &[ClusterResult], index: usize, replicated: &Replicated) -> PlotCluster {
    let result = &results[index];
    let run = |run: &crate::experiment::Run| Run {
        elapsed_h: run.elapsed_h,
        finished: run.finished,
        cost_usd: run.cost_usd,
    };
    let cost = result.cost_usd.mean.unwrap_or(0.0);
    PlotCluster {
        number: index,
        name: result.name.clone(),
        market: result.market.into(),
        runs: replicated.runs.iter().map(run).collect(),
        replications: result.replications,
        cost_per_finished_usd: result.cost_per_finished_usd.map(interval),
        cost_usd_mean: result.cost_usd.interval.map_or(exactly(cost), interval),
        bound_usd: bound_usd(result),
        makespan_h_mean: result
            .makespan_h
            .mean
            .map(|mean| result.makespan_h.interval.map_or(exactly(mean), interval)),
        deadline_probability: result.deadline_probability.map(interval),
        finish_probability: result.finish_probability.map_or(exactly(0.0), interval),
        time_h: result.time_h,
        dominated: results.iter().any(|other| dominates(other, result)),
    }
}

/// Perfect foresight below the mean of a cluster that nearly always meets the deadline: one that is late may be cheaper.
fn bound_usd(result: &ClusterResult) -> Option<f64> {
    let foresight = result.foresight.filter(|foresight| !foresight.free_stays)?;
    result.deadline_probability.filter(|chance| chance.value >= OFTEN)?;
    Some(foresight.bound_usd.value)
}

/// Whether `other` is both cheaper and faster in the mean.
fn dominates(other: &ClusterResult, result: &ClusterResult) -> bool {
    let key = |r: &ClusterResult| Some((r.cost_per_finished_usd?.value, r.makespan_h.mean?));
    match (key(other), key(result)) {
        (Some((cost, time)), Some((own_cost, own_time))) => cost < own_cost && time < own_time,
        _ => false,
    }
}

fn interval(i: stats::Interval) -> Interval {
    Interval { value: i.value, low: i.low, high: i.high }
}

fn exactly(value: f64) -> Interval {
    Interval { value, low: value, high: value }
}
