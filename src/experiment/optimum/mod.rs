//! The best interval between saves of each Spot cluster, and what other intervals come to.

mod points;
mod search;

use self::points::{means, own_steps};
use self::search::{Found, by_simulation, by_theory};
use crate::analytic::{FlatRange, OutOfDomain, SEGMENTS_MAX, Theory, in_domain};
use crate::rng::Streams;
use crate::scenario::load::Scenario;
use crate::scenario::plan::{Limits, Market, Plan};
use crate::stats::Interval;
use rayon::ThreadPool;

/// How much more than the best a point in the flat range may take, as a share.
pub const FLAT_WITHIN: f64 = 0.01;

/// What [`optima`] found for the Spot clusters of a scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct Optima {
    /// Clusters with a best interval, in the order of the scenario.
    pub found: Vec<Optimum>,
    /// Names of the others, with the reason.
    pub without: Vec<(String, NoOptimum)>,
}

/// Intervals between the saves of one cluster. Its limits are left out.
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
    /// Interval, seconds, and makespan, hours, by theory, at more places than [`Self::points`]; empty where
    /// theory does not reach.
    pub curve: Vec<(f64, f64)>,
    /// Intervals within [`FLAT_WITHIN`] of the best; of a search by simulation, those among the points.
    pub flat: FlatRange,
    /// What tells the best.
    pub basis: Basis,
    /// What is least at the best.
    pub least: Least,
    /// Whether the scenario has limits, which are left out.
    pub unlimited: bool,
    /// Whether the bill has more than instances, which is not in the dollars of theory.
    pub billed_beside: bool,
    /// What the formulas for a long job and losses at a constant rate say, where losses are such.
    pub formulas: Option<Formulas>,
}

/// What tells the best interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// Formulas.
    Theory,
    /// Simulations of each point in the same worlds, since theory does not reach the cluster.
    Simulation(OutOfDomain),
}

/// What the best interval makes least.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Least {
    /// The mean makespan.
    Makespan,
    /// The mean cost: under a policy that goes to On-Demand for a deadline the makespan says little.
    Cost,
}

/// What a job comes to with one interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Work between two saves, a whole number of steps, seconds; `None` for no periodic save.
    pub interval_s: Option<f64>,
    /// By theory; `None` where it does not reach the cluster, or the job has more than [`SEGMENTS_MAX`]
    /// segments.
    pub theory: Option<Theory>,
    /// By simulation; `None` where some replication did not finish.
    pub simulated: Option<Simulated>,
}

/// Means of simulations that all finished.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Simulated {
    /// Hours.
    pub makespan_h: Interval,
    /// Dollars.
    pub cost_usd: Interval,
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
    /// There is no formula for it, and no law of losses from which a search could begin.
    #[error(transparent)]
    OutOfDomain(#[from] OutOfDomain),
    /// Its steps, and so its intervals, differ by instance type.
    #[error("it may be on several instance types")]
    SeveralInstances,
    /// Saves cost nothing.
    #[error("its saves take no time, so nothing speaks against more of them")]
    FreeSaves,
    /// Beyond what the recursion is tried for.
    #[error("its best interval may need more than {SEGMENTS_MAX} segments")]
    TooManySegments,
    /// It is lost too early, however often it saves.
    #[error("at no interval tried does it always finish")]
    NeverFinishes,
}

impl Optimum {
    /// By how much a point takes longer, or costs more, than the best, as a share; `None` where that is not
    /// known, infinite where it never finishes.
    pub fn more(&self, point: &Point) -> Option<f64> {
        Some(self.value(point)? / self.value(&self.points[self.best])? - 1.0)
    }

    fn value(&self, point: &Point) -> Option<f64> {
        match self.basis {
            Basis::Theory => point.theory.map(|theory| theory.makespan_h),
            Basis::Simulation(_) => point.simulated.map(|simulated| self.least.of(&simulated)),
        }
    }
}

impl Least {
    fn of(self, simulated: &Simulated) -> f64 {
        match self {
            Self::Makespan => simulated.makespan_h.value,
            Self::Cost => simulated.cost_usd.value,
        }
    }
}

/// The best interval of each Spot cluster, by theory where that reaches, with `replications` simulations of
/// each interval told, in the same worlds, on the threads of `pool`. The answer does not depend on their
/// number.
pub fn optima(scenario: &Scenario, replications: u64, pool: &ThreadPool) -> Optima {
    let mut optima = Optima { found: Vec::new(), without: Vec::new() };
    let streams = Streams::new(scenario.seed);
    for cluster in scenario.clusters.iter().filter(|cluster| cluster.market == Market::Spot) {
        let simulated = |plan: &Plan| pool.install(|| means(plan, &streams, replications));
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
    simulated: impl Fn(&Plan) -> Option<Simulated>,
) -> Result<Optimum, NoOptimum> {
    let unlimited = plan.limits != Limits::default();
    let plan = &Plan { limits: Limits::default(), ..plan.clone() };
    if plan.machines().next().is_some() {
        return Err(NoOptimum::SeveralInstances);
    }
    if plan.cycle.stall().is_zero() {
        return Err(NoOptimum::FreeSaves);
    }
    let found = match in_domain(plan) {
        Ok(job) => by_theory(plan, &job, simulated),
        // Each size of an elastic gang has a cycle of its own.
        Err(why @ (OutOfDomain::NoLosses | OutOfDomain::Elastic)) => Err(why.into()),
        Err(why) => by_simulation(plan, why, simulated),
    }?;
    let Found { points, best, curve, flat, basis, least, formulas } = found;
    Ok(Optimum {
        name: name.to_owned(),
        best: points.range(..best).count(),
        own: points.range(..own_steps(plan)).count(),
        points: points.into_values().collect(),
        curve,
        flat,
        basis,
        least,
        unlimited,
        billed_beside: plan.extras.is_some(),
        formulas,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::load::{Overrides, load};

    const START: &str = r#"start = { start = "300 s", on_first = false }"#;
    const CAPACITY: &str =
        r#"capacity.renewal = { uptime = { exponential = { mean = "24000 s" } }, gap = "60 s" }"#;

    fn found(more: &str, checkpoint: &str) -> Optima {
        found_with(START, more, checkpoint)
    }

    /// `other` takes the place of the start or of the capacity.
    fn found_with(other: &str, more: &str, checkpoint: &str) -> Optima {
        let start = if other.starts_with("start") { other } else { START };
        let capacity = if other.starts_with("capacity") { other } else { CAPACITY };
        let text = format!(
            r#"
schema = 1
name = "optimum"
job = {{ work = {{ ideal_time = "174600 s" }}, horizon = "1000 d" }}
{start}
checkpoint = {{ {checkpoint} }}
{capacity}
pricing = {{ rule = "flat", on_demand = "2 USD/h", spot = "1 USD/h" }}
{more}
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
        close(optimum.more(&own).unwrap(), right / 196_210.844_994_846 - 1.0, 1e-6);
    }

    /// Nine intervals and the own, at 4 standard errors each: a false alarm in fewer than 1 of 1,000 seeds.
    #[test]
    fn simulated_makespans_surround_theory() {
        let optima = found("", r#"every = "15 min", stall = "120 s""#);
        for point in &optima.found[0].points {
            let simulated = point.simulated.unwrap().makespan_h;
            let right = point.theory.unwrap().makespan_h;
            let limit = 4.0 / 1.96 * simulated.half_width();
            assert!((simulated.value - right).abs() <= limit, "{point:?}");
        }
    }

    #[test]
    fn saves_that_cost_nothing_have_no_best_interval() {
        let optima = found("", r#"every = "15 min", stall = "0 s""#);
        assert_eq!(optima.without, [("c".to_owned(), NoOptimum::FreeSaves)]);
    }

    /// A limit does not hang on the interval, so it is left out; the best is what it is without.
    #[test]
    fn limits_are_left_out() {
        let checkpoint = r#"every = "15 min", stall = "120 s""#;
        let limited = found(r#"limits = { max_wait = "90 d" }"#, checkpoint).found.remove(0);
        let free = found("", checkpoint).found.remove(0);
        assert!(limited.unlimited);
        assert_eq!(Optimum { unlimited: false, ..limited }, free);
    }

    /// A restart that varies is beyond theory; with the same mean the best interval is nearly the same, and the
    /// makespan is flat around it, so the best simulated point is within a factor of two.
    #[test]
    fn beyond_theory_the_best_is_found_by_simulation() {
        let start = r#"start = { start = { exponential = { mean = "300 s" } }, on_first = false }"#;
        let optima = found_with(start, "", r#"every = "15 min", stall = "120 s""#);
        let optimum = &optima.found[0];
        assert_eq!(optimum.basis, Basis::Simulation(OutOfDomain::Start));
        let best_s = optimum.points[optimum.best].interval_s.unwrap();
        assert!((1_160.0..=4_640.0).contains(&best_s), "{best_s}");
        assert!(optimum.flat.shortest_s <= best_s && best_s <= optimum.flat.longest_s);
        assert_eq!(optimum.more(&optimum.points[optimum.best]), Some(0.0));
        assert_eq!(optimum.points[optimum.own].interval_s, Some(900.0));
    }

    #[test]
    fn what_is_never_lost_has_no_best_interval() {
        let optima = found_with("capacity = {}", "", r#"every = "15 min", stall = "120 s""#);
        let reason = NoOptimum::OutOfDomain(OutOfDomain::NoLosses);
        assert_eq!((optima.found.len(), optima.without), (0, vec![("c".to_owned(), reason)]));
    }
}
