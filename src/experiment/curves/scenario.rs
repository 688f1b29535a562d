//! All policies at several deadlines for a Spot cluster of a scenario.

use super::{Curves, Named, POLICIES, Raw};
use crate::experiment::foresight::{bound_usd, has_bound};
use crate::policy::{FallBack, Greedy, Policy, Thresholds, TimeSliced, UniformProgress};
use crate::rng::Streams;
use crate::scenario::cluster::Cluster;
use crate::scenario::load::Scenario;
use crate::scenario::plan::{Market, Plan, SavedOn};
use crate::scenario::policy::{AHEAD, DWELL, RETURN_AFTER, SLICE};
use crate::sim::{Scratch, simulate};
use crate::units::Span;
use rayon::ThreadPool;
use rayon::prelude::*;

/// Deadlines where none are asked for, as multiples of the uninterrupted run.
const MULTIPLES: [f64; 5] = [1.1, 1.25, 1.5, 1.75, 2.0];
/// Worlds that one worker takes at a time.
const CHUNK: u64 = 64;

/// What is asked for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Asked {
    /// The cluster, by name; else the first on Spot.
    pub cluster: Option<String>,
    /// Deadlines; else multiples of the uninterrupted run.
    pub deadlines: Vec<Span>,
}

/// Why there are no curves.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoCurves {
    /// Nothing to decide.
    #[error("no cluster of the file is on Spot")]
    NoSpot,
    /// A name of nothing.
    #[error("no Spot cluster is called \"{0}\"; there is: {1}")]
    Unknown(String, String),
    /// What comes back from On-Demand needs a rigid gang and saves that outlive it.
    #[error("cluster \"{0}\" is elastic, has spares or saves on local drives: only `spot_only` can run it")]
    OnlySpot(String),
    /// Not even On-Demand makes it.
    #[error("the deadline of {:.3} h is shorter than the uninterrupted run of {:.3} h", .0.as_hours(), .1.as_hours())]
    TooShort(Span, Span),
}

/// The curves of one cluster.
pub fn of_scenario(scenario: &Scenario, asked: &Asked, pool: &ThreadPool) -> Result<Curves, NoCurves> {
    let cluster = chosen(scenario, asked)?;
    let plan = &cluster.plan;
    if plan.elastic.is_some() || plan.spares.is_some() || plan.saved_on != SavedOn::Store {
        return Err(NoCurves::OnlySpot(cluster.name.clone()));
    }
    let mut deadlines = asked.deadlines.clone();
    if deadlines.is_empty() {
        deadlines.extend(MULTIPLES.map(|multiple| rounded(multiple * cluster.ideal.makespan.as_hours())));
    }
    deadlines.sort_unstable();
    deadlines.dedup();
    if let Some(&short) = deadlines.iter().find(|&&deadline| deadline < cluster.ideal.least) {
        return Err(NoCurves::TooShort(short, cluster.ideal.least));
    }
    let raw = deadlines.iter().map(|&deadline| at_deadline(scenario, plan, deadline, pool));
    Ok(Curves {
        name: cluster.name.clone(),
        is_published: false,
        ideal_h: cluster.ideal.makespan.as_hours(),
        on_demand_usd: cluster.ideal.on_demand_cost.as_usd(),
        worlds: scenario.replications,
        deadlines: raw.map(|raw| raw.summed(Some(1))).collect(),
        policies: POLICIES.to_vec(),
    })
}

/// Up to whole hours, or tenths of short ones.
fn rounded(hours: f64) -> Span {
    let parts = if hours >= 10.0 { 1.0 } else { 10.0 };
    Span::from_secs_saturating((hours * parts).ceil() / parts * 3_600.0)
}

pub(super) fn chosen<'a>(scenario: &'a Scenario, asked: &Asked) -> Result<&'a Cluster, NoCurves> {
    let spot = || scenario.clusters.iter().filter(|cluster| cluster.market == Market::Spot);
    match &asked.cluster {
        None => spot().next().ok_or(NoCurves::NoSpot),
        Some(name) => spot().find(|cluster| &cluster.name == name).ok_or_else(|| {
            let names: Vec<&str> = spot().map(|cluster| cluster.name.as_str()).collect();
            NoCurves::Unknown(name.clone(), names.join(", "))
        }),
    }
}

/// The plan under each policy, by this deadline.
pub(super) fn plans(plan: &Plan, deadline: Span) -> Vec<Plan> {
    let under = |named| Plan {
        policy: policy(named, deadline),
        deadline: Some(deadline),
        horizon: plan.horizon.max(deadline.times(4)),
        ..plan.clone()
    };
    POLICIES.iter().map(under).collect()
}

/// Every policy in every world, by this deadline.
fn at_deadline(scenario: &Scenario, plan: &Plan, deadline: Span, pool: &ThreadPool) -> Raw {
    let plans = plans(plan, deadline);
    let (worlds, bounded) = (scenario.replications, has_bound(plan));
    let chunk = |number: u64| {
        let streams = Streams::new(scenario.seed);
        let mut scratch = Scratch::default();
        (number * CHUNK..((number + 1) * CHUNK).min(worlds))
            .map(|world| {
                let run = |plan| {
                    let outcome = simulate(plan, &streams, world, &mut scratch, &mut ());
                    (outcome.cost().as_usd(), outcome.meets(deadline))
                };
                let runs: Vec<(f64, bool)> = plans.iter().map(run).collect();
                let bound = if bounded { bound_usd(&plans[0], deadline, &streams, world) } else { None };
                (runs, bound)
            })
            .collect::<Vec<_>>()
    };
    let done: Vec<_> =
        pool.install(|| (0..worlds.div_ceil(CHUNK)).into_par_iter().flat_map_iter(chunk).collect());
    let runs = (0..plans.len()).map(|at| done.iter().map(|(runs, _)| runs[at]).collect()).collect();
    let bounds: Option<Vec<f64>> = done.iter().map(|(_, bound)| *bound).collect();
    Raw { deadline_h: deadline.as_hours(), runs, bounds_usd: bounds.unwrap_or_default() }
}

/// The policy with its usual numbers.
fn policy(named: &Named, deadline: Span) -> Policy {
    let dwell = DWELL;
    match named.key {
        "spot_only" => Policy::SpotOnly,
        "greedy" => Policy::Greedy(Greedy { deadline }),
        "thresholds" => Policy::Thresholds(Thresholds { deadline, keep_on_demand: false, dwell }),
        "thresholds_keep" => Policy::Thresholds(Thresholds { deadline, keep_on_demand: true, dwell }),
        "uniform_progress" => Policy::UniformProgress(UniformProgress { deadline, ahead: AHEAD }),
        "time_sliced" => Policy::TimeSliced(TimeSliced { deadline, slice: SLICE, spread_gain: false }),
        _ => Policy::FallBack(FallBack { return_after: RETURN_AFTER, dwell }),
    }
}
