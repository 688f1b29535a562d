//! Made-up results of the kind that a run gives: skewed Spot clouds, On-Demand points.

use super::{Interval, Market, PlotCluster, PlotData, Run};

/// What a made-up cluster is like.
pub(super) struct Kind {
    pub(super) name: &'static str,
    pub(super) market: Market,
    /// Hours without interruptions.
    pub(super) ideal_h: f64,
    /// Mean hours that interruptions add; 0 for none.
    pub(super) extra_h: f64,
    pub(super) usd_per_h: f64,
    /// Of the hours without interruptions, waiting for gradients.
    pub(super) comm_h: f64,
}

const ON_DEMAND: Kind = Kind {
    name: "1x g5.12xlarge On-Demand",
    market: Market::OnDemand,
    ideal_h: 4.41,
    extra_h: 0.0,
    usd_per_h: 7.06,
    comm_h: 0.13,
};
const FOUR_BIG: Kind = Kind {
    name: "4x g5.4xlarge Spot",
    market: Market::Spot,
    ideal_h: 5.75,
    extra_h: 1.6,
    usd_per_h: 2.95,
    comm_h: 1.38,
};
const FOUR_SMALL: Kind = Kind {
    name: "4x g5.2xlarge Spot",
    market: Market::Spot,
    ideal_h: 8.75,
    extra_h: 2.2,
    usd_per_h: 2.45,
    comm_h: 4.37,
};
const TWO_BIG: Kind =
    Kind { name: "2x g5.4xlarge Spot", ideal_h: 10.1, extra_h: 2.4, usd_per_h: 1.50, ..FOUR_BIG };
const EIGHT_BIG: Kind =
    Kind { name: "8x g5.4xlarge Spot", ideal_h: 3.5, extra_h: 1.2, usd_per_h: 6.1, ..FOUR_BIG };

/// The k-th of a low-discrepancy sequence in (0, 1) (additive recurrence with the golden ratio and kin).
fn spread(k: u64, step: f64) -> f64 {
    (0.5 + k as f64 * step) % 1.0
}

pub(super) fn cluster(kind: &Kind, n: u64, deadline_h: Option<f64>, horizon_h: f64) -> PlotCluster {
    let runs: Vec<Run> = (0..n)
        .map(|k| {
            let (u, v, w) = (
                spread(k, 0.618_033_988_749_895),
                spread(k, 0.754_877_666_246_693),
                spread(k, 0.569_840_290_998_053),
            );
            // A quarter of the runs meet no interruption; the others have two skewed kinds of extra time.
            let hit = if kind.extra_h > 0.0 && w > 0.25 { kind.extra_h } else { 0.0 };
            let lost = hit * 0.25 * -libm::log(1.0 - u);
            let queued = hit * 0.8 * libm::log(1.0 - v) * libm::log(1.0 - v) / 2.0;
            let start = 0.02 * (1.0 + u + v);
            let elapsed = kind.ideal_h + start + lost + queued;
            let finished = elapsed <= horizon_h;
            let elapsed_h = elapsed.min(horizon_h);
            Run { elapsed_h, finished, cost_usd: kind.usd_per_h * (elapsed_h - queued.min(elapsed_h - 0.01)) }
        })
        .collect();
    from_runs(kind, runs, deadline_h)
}

fn from_runs(kind: &Kind, runs: Vec<Run>, deadline_h: Option<f64>) -> PlotCluster {
    let n = runs.len() as f64;
    let finished: Vec<&Run> = runs.iter().filter(|run| run.finished).collect();
    let cost = runs.iter().map(|run| run.cost_usd).sum::<f64>();
    let elapsed = runs.iter().map(|run| run.elapsed_h).sum::<f64>() / n;
    let done = finished.len() as f64;
    let about = |value: f64, half: f64| Interval { value, low: value - half, high: value + half };
    let chance = |count: f64| {
        let p = count / n;
        let half = 1.96 * (p * (1.0 - p) / n).sqrt() + 1.0 / n;
        Interval { value: p, low: (p - half).max(0.0), high: (p + half).min(1.0) }
    };
    let makespan = finished.iter().map(|run| run.elapsed_h).sum::<f64>() / done;
    let in_time = |hours: f64| finished.iter().filter(|run| run.elapsed_h <= hours).count() as f64;
    let extra = (elapsed - kind.ideal_h).max(0.0);
    let computing = (kind.ideal_h - kind.comm_h).min(elapsed * 0.9);
    let mut time_h = [
        extra * 0.55,
        extra * 0.03,
        extra * 0.09,
        extra * 0.05,
        extra * 0.01,
        computing * 0.97,
        kind.comm_h,
        0.0,
        computing * 0.03,
        extra * 0.2,
        0.0,
    ];
    time_h[5] += elapsed - time_h.iter().sum::<f64>();
    let spread = kind.extra_h * 0.9 / n.sqrt() * 1.96;
    PlotCluster {
        number: 0,
        name: kind.name.to_owned(),
        market: kind.market,
        replications: runs.len() as u64,
        cost_per_finished_usd: (done > 0.0).then(|| about(cost / done, spread * kind.usd_per_h * 0.5)),
        cost_usd_mean: about(cost / n, spread * kind.usd_per_h * 0.5),
        bound_usd: None,
        makespan_h_mean: (done > 0.0).then(|| about(makespan, spread)),
        deadline_probability: deadline_h.map(|hours| chance(in_time(hours))),
        finish_probability: chance(done),
        time_h,
        dominated: false,
        runs,
    }
}

pub(super) fn data(kinds: &[&Kind], n: u64, deadline_h: Option<f64>) -> PlotData {
    let horizon_h = 168.0;
    let mut clusters: Vec<PlotCluster> =
        kinds.iter().map(|kind| cluster(kind, n, deadline_h, horizon_h)).collect();
    clusters.iter_mut().enumerate().for_each(|(number, cluster)| cluster.number = number);
    let means: Vec<Option<(f64, f64)>> =
        clusters.iter().map(|c| Some((c.makespan_h_mean?.value, c.cost_per_finished_usd?.value))).collect();
    for (cluster, mean) in clusters.iter_mut().zip(&means) {
        cluster.dominated = means
            .iter()
            .flatten()
            .any(|other| mean.is_some_and(|mean| other.0 <= mean.0 && other.1 <= mean.1 && *other != mean));
    }
    PlotData {
        title: "Four small Spot machines or one big On-Demand one?".to_owned(),
        deadline_h,
        horizon_h,
        footer: "n = 10,000 per cluster, seed 0, same worlds for all clusters".to_owned(),
        baseline: clusters.iter().position(|c| c.market == Market::OnDemand),
        clusters,
    }
}

/// As in the mock-ups: a dear sure point and two skewed clouds, deadline 12 h.
pub(super) fn three_clusters() -> PlotData {
    data(&[&ON_DEMAND, &FOUR_BIG, &FOUR_SMALL], 10_000, Some(12.0))
}

/// The same with two more Spot clusters.
pub(super) fn five_clusters() -> PlotData {
    data(&[&ON_DEMAND, &EIGHT_BIG, &FOUR_BIG, &FOUR_SMALL, &TWO_BIG], 10_000, Some(12.0))
}

/// One On-Demand cluster and many Spot ones that crowd each other.
pub(super) fn many_clusters(count: usize) -> PlotData {
    let kinds: Vec<Kind> = (0..count)
        .map(|k| match k {
            0 => ON_DEMAND,
            k => {
                let ideal_h = 4.0 + 0.9 * k as f64;
                Kind {
                    ideal_h,
                    extra_h: 0.3 * ideal_h,
                    usd_per_h: 22.0 / ideal_h + 0.2 * (k % 4) as f64,
                    ..FOUR_BIG
                }
            }
        })
        .collect();
    let mut data = data(&kinds.iter().collect::<Vec<_>>(), 2000, Some(14.0));
    for (k, cluster) in data.clusters.iter_mut().enumerate().skip(1) {
        cluster.name = format!("{}x g6e.{}xlarge Spot", k + 1, 1 << (k % 5));
    }
    data
}
