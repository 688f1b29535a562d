//! The best interval between saves of each Spot cluster, and what other intervals come to.

use super::{CONFIDENCE, Spread};
use crate::analytic::{
    FlatRange, OutOfDomain, Renewal, SEGMENTS_MAX, Theory, daly_interval_s, in_domain, theory,
    young_interval_s,
};
use crate::capacity::Kind;
use crate::checkpoint::{Cycle, Every, exact_interval_s};
use crate::rng::Streams;
use crate::scenario::load::Scenario;
use crate::scenario::plan::{Market, Plan};
use crate::sim::{End, Scratch, simulate};
use crate::stats::Interval;
use rayon::ThreadPool;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// How much longer than the best a makespan in the flat range may be, as a share.
pub const FLAT_WITHIN: f64 = 0.01;
/// Intervals on each side of the best, each √2 times the one before: up to four times as long or short.
const GRID_SIDE: i32 = 4;
const NS_PER_H: f64 = 3.6e12;

/// What [`optima`] found for the Spot clusters of a scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct Optima {
    /// Clusters that theory reaches, in the order of the scenario.
    pub found: Vec<Optimum>,
    /// Names of the others, with the reason.
    pub without: Vec<(String, NoOptimum)>,
}

/// Intervals between the saves of one cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct Optimum {
    /// The cluster's name.
    pub name: String,
    /// The best interval, the scenario's own and those around the best, the shortest first.
    pub points: Vec<Point>,
    /// Index of the best in [`Self::points`].
    pub best: usize,
    /// Index of the scenario's own in [`Self::points`].
    pub own: usize,
    /// Intervals whose makespan is within [`FLAT_WITHIN`] of the best.
    pub flat: FlatRange,
    /// Whether the bill has more than instances, which is not in the dollars of theory.
    pub billed_beside: bool,
    /// What the formulas for a long job and losses at a constant rate say, where losses are such.
    pub formulas: Option<Formulas>,
}

/// What a job comes to with one interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Work between two saves, a whole number of steps, seconds; `None` for no periodic save.
    pub interval_s: Option<f64>,
    /// By theory, the horizon left out; `None` where the job has more than [`SEGMENTS_MAX`] segments.
    pub theory: Option<Theory>,
    /// Mean makespan by simulation, hours; `None` where some replication did not finish.
    pub simulated_h: Option<Interval>,
}

/// Intervals by formula, seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Formulas {
    /// J. W. Young (1974).
    pub young_s: f64,
    /// J. T. Daly (2006), higher order.
    pub daly_s: f64,
    /// The minimum itself, by Lambert's function.
    pub exact_s: f64,
}

/// Why a Spot cluster has no best interval that can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoOptimum {
    /// There is no formula for it.
    #[error(transparent)]
    OutOfDomain(#[from] OutOfDomain),
    /// Saves cost nothing.
    #[error("its saves take no time, so nothing speaks against more of them")]
    FreeSaves,
    /// Beyond what the recursion is tried for.
    #[error("its best interval may need more than {SEGMENTS_MAX} segments")]
    TooManySegments,
    /// It is lost too early, however often it saves.
    #[error("cut into up to {SEGMENTS_MAX} segments it never finishes")]
    NeverFinishes,
}

impl Optimum {
    /// By how much the makespan of a point is longer than the best one, as a share; `None` where theory
    /// does not reach the point, infinite where it never finishes.
    pub fn longer(&self, point: &Point) -> Option<f64> {
        let best = self.points[self.best].theory?;
        Some(point.theory?.makespan_h / best.makespan_h - 1.0)
    }
}

/// The best interval of each Spot cluster by theory, with `replications` simulations of each interval told,
/// in the same worlds, on the threads of `pool`. The answer does not depend on their number.
pub fn optima(scenario: &Scenario, replications: u64, pool: &ThreadPool) -> Optima {
    let mut optima = Optima { found: Vec::new(), without: Vec::new() };
    let streams = Streams::new(scenario.seed);
    for cluster in scenario.clusters.iter().filter(|cluster| cluster.market == Market::Spot) {
        let simulated = |plan: &Plan| pool.install(|| makespan_h(plan, &streams, replications));
        match optimum(&cluster.name, &cluster.plan, simulated) {
            Ok(optimum) => optima.found.push(optimum),
            Err(why) => optima.without.push((cluster.name.clone(), why)),
        }
    }
    optima
}

fn optimum(
    name: &str,
    plan: &Plan,
    simulated: impl Fn(&Plan) -> Option<Interval>,
) -> Result<Optimum, NoOptimum> {
    let job = in_domain(plan)?;
    if plan.cycle.stall().is_zero() {
        return Err(NoOptimum::FreeSaves);
    }
    let best = job.best_interval();
    if !best.expected.makespan_s.is_finite() {
        return Err(NoOptimum::NeverFinishes);
    }
    if best.segments >= SEGMENTS_MAX {
        return Err(NoOptimum::TooManySegments);
    }
    let steps = plan.work.steps;
    // Rounded up: a step less each would leave one more segment at the end.
    let best_steps = steps.div_ceil(best.segments);
    let own_steps = plan.cycle.save(1, steps).map_or(steps, |save| save.steps);
    let grid = grid(best_steps, own_steps, steps);
    let point = |&every: &u64| {
        let plan = saving_every(plan, every);
        let reached = steps.div_ceil(every) <= SEGMENTS_MAX;
        Point {
            interval_s: (every < steps).then(|| plan.cycle.stepping(every).as_secs()),
            theory: reached.then(|| theory(&plan).ok()).flatten(),
            simulated_h: simulated(&plan),
        }
    };
    let flat = job.flat_range(&best, FLAT_WITHIN);
    let step_s = plan.work.step.total().as_secs();
    Ok(Optimum {
        name: name.to_owned(),
        best: grid.range(..best_steps).count(),
        own: grid.range(..own_steps).count(),
        points: grid.iter().map(point).collect(),
        flat: FlatRange { shortest_s: flat.shortest_s.max(step_s), ..flat },
        billed_beside: plan.extras.is_some(),
        formulas: formulas(&job),
    })
}

/// Steps between saves: the best, the own, and a geometric grid around the best; all of them is no save.
fn grid(best_steps: u64, own_steps: u64, steps: u64) -> BTreeSet<u64> {
    let around = (-GRID_SIDE..=GRID_SIDE).map(|power| {
        let factor = libm::pow(2.0, 0.5 * f64::from(power));
        (best_steps as f64 * factor).round() as u64
    });
    let mut grid: BTreeSet<u64> = around.filter(|every| (1..=steps).contains(every)).collect();
    grid.extend([best_steps, own_steps]);
    grid
}

/// `plan` with a save after each `every` steps.
fn saving_every(plan: &Plan, every: u64) -> Plan {
    let step = plan.work.step.total();
    // A single step has no periodic save.
    let final_save = plan.cycle.duration(1) > step;
    let cycle = Cycle::new(step, Some(Every::Steps(every)), plan.cycle.stall(), final_save)
        .with_upload(plan.cycle.upload(), None);
    Plan { cycle, ..plan.clone() }
}

/// Mean makespan, hours, if every replication finishes.
fn makespan_h(plan: &Plan, streams: &Streams, replications: u64) -> Option<Interval> {
    // Sums are exact, so they do not depend on which thread adds up what.
    let makespan = (0..replications)
        .into_par_iter()
        .fold(
            || (Spread::default(), Scratch::default()),
            |(mut spread, mut scratch), replication| {
                let outcome = simulate(plan, streams, replication, &mut scratch, &mut ());
                if outcome.end == End::Finished {
                    spread.push(i64::try_from(outcome.elapsed.ns()).unwrap_or(i64::MAX));
                }
                (spread, scratch)
            },
        )
        .map(|(spread, _)| spread)
        .reduce(Spread::default, |mut sum, part| {
            sum.merge(&part);
            sum
        });
    let all = makespan.count() == replications;
    let ns = makespan.mean_interval(CONFIDENCE).filter(|_| all)?;
    Some(Interval::around(ns.value / NS_PER_H, ns.half_width() / NS_PER_H))
}

fn formulas(job: &Renewal<'_>) -> Option<Formulas> {
    let law = job.uptime.law;
    if !matches!(law.kind(), Kind::Exponential(_)) || law.cap().is_some() {
        return None;
    }
    let mean_s = law.mean_s() / f64::from(job.uptime.nodes);
    Some(Formulas {
        young_s: young_interval_s(job.save_s, mean_s),
        daly_s: daly_interval_s(job.save_s, mean_s),
        exact_s: exact_interval_s(job.save_s, mean_s),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::load::{Overrides, load};

    fn found(job: &str, checkpoint: &str) -> Optima {
        let text = format!(
            r#"
schema = 1
name = "optimum"
job = {{ work = {{ ideal_time = "174600 s" }}, horizon = "1000 d" }}
start = {{ start = "300 s", on_first = false }}
checkpoint = {{ {checkpoint} }}
capacity = {{ renewal = {{ uptime = {{ exponential = {{ mean = "24000 s" }} }}, gap = "60 s" }} }}
pricing = {{ rule = "flat", on_demand = "2 USD/h", spot = "1 USD/h" }}
{job}
[[cluster]]
name = "c"
instance = "g5.xlarge"
nodes = 1
market = "spot"
"#
        );
        let loaded = load("test.toml", text, &Overrides::default(), &|_| Err("no files here".into()));
        let scenario = loaded.scenario.expect("the scenario is right");
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread can be had");
        optima(&scenario, 200, &pool)
    }

    fn close(ours: f64, right: f64, share: f64) {
        assert!((ours / right - 1.0).abs() <= share, "{ours}, right is {right}");
    }

    /// Row o001 of `data/verify/optimum_vectors.csv`: 75 segments, each saved, in 196,210.845 s.
    #[test]
    fn the_best_interval_is_that_of_the_reference() {
        let optima = found("", r#"every = "15 min", stall = "120 s", final_save = true"#);
        let optimum = &optima.found[0];
        let best = optimum.points[optimum.best];
        close(best.interval_s.unwrap(), 174_600.0 / 75.0, 1e-9);
        close(best.theory.unwrap().makespan_h * 3_600.0, 196_210.844_994_846, 1e-9);
        let formulas = optimum.formulas.unwrap();
        close(formulas.young_s, 2_400.0, 1e-12);
        close(formulas.daly_s, 2_320.666_666_666_67, 1e-12);
        close(formulas.exact_s, 2_320.675_609_637_71, 1e-12);
    }

    /// e^{R/M} (M + D) (e^{(900 + 120)/M} − 1) × 194 segments of 15 min: 205,199.55 s.
    #[test]
    fn the_own_interval_is_among_those_told_and_longer_than_the_best() {
        let optima = found("", r#"every = "15 min", stall = "120 s", final_save = true"#);
        let optimum = &optima.found[0];
        let own = optimum.points[optimum.own];
        assert_eq!(own.interval_s, Some(900.0));
        let right = 194.0 * libm::exp(300.0 / 24_000.0) * 24_060.0 * libm::expm1(1_020.0 / 24_000.0);
        close(own.theory.unwrap().makespan_h * 3_600.0, right, 1e-9);
        close(optimum.longer(&own).unwrap(), right / 196_210.844_994_846 - 1.0, 1e-6);
    }

    /// Nine intervals and the own, at 4 standard errors each: a false alarm in fewer than 1 of 1,000 seeds.
    #[test]
    fn simulated_makespans_surround_theory() {
        let optima = found("", r#"every = "15 min", stall = "120 s""#);
        for point in &optima.found[0].points {
            let (simulated, right) = (point.simulated_h.unwrap(), point.theory.unwrap().makespan_h);
            let limit = 4.0 / 1.96 * simulated.half_width();
            assert!((simulated.value - right).abs() <= limit, "{point:?}");
        }
    }

    #[test]
    fn saves_that_cost_nothing_have_no_best_interval() {
        let optima = found("", r#"every = "15 min", stall = "0 s""#);
        assert_eq!(optima.without, [("c".to_owned(), NoOptimum::FreeSaves)]);
    }

    #[test]
    fn a_cluster_with_a_limit_is_named_with_the_reason() {
        let optima = found(r#"limits = { max_wait = "90 d" }"#, r#"every = "15 min", stall = "120 s""#);
        let reason = NoOptimum::OutOfDomain(OutOfDomain::Limits);
        assert_eq!((optima.found.len(), optima.without), (0, vec![("c".to_owned(), reason)]));
    }
}
