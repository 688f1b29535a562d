//! One world as each policy goes through it, for a picture.

use super::scenario::{NoCurves, chosen, plans};
use super::{Asked, Named, POLICIES};
use crate::experiment::levels::levels;
use crate::rng::Streams;
use crate::scenario::load::Scenario;
use crate::scenario::plan::{Market, Plan};
use crate::sim::{Outcome, Scratch, Timeline, simulate};
use crate::units::{SimTime, Span};

/// Worlds in which a telling one is looked for.
const LOOKED_AT: u64 = 100;

/// One world.
#[derive(Debug, Clone, PartialEq)]
pub struct World {
    /// Its number.
    pub number: u64,
    /// The cluster.
    pub name: String,
    /// Since submit.
    pub deadline_h: f64,
    /// When Spot can be had, hours, until the last policy is done.
    pub capacity: Vec<(f64, f64)>,
    /// One a policy.
    pub runs: Vec<PolicyRun>,
}

/// A policy in that world.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicyRun {
    /// Which.
    pub policy: Named,
    /// From when to when nodes were held, hours, and where.
    pub held: Vec<(f64, f64, Market)>,
    /// Time and share of the work done, in order: it falls where work is lost.
    pub progress: Vec<(f64, f64)>,
    /// When it ended, hours.
    pub end_h: f64,
    /// Whether the work was done by the deadline.
    pub met: bool,
    /// Its bill.
    pub cost_usd: f64,
}

/// World `number` of a cluster, by this deadline; else the first in which Greedy and Uniform Progress pay differently.
pub fn one_world(
    scenario: &Scenario,
    asked: &Asked,
    deadline: Span,
    number: Option<u64>,
) -> Result<World, NoCurves> {
    let cluster = chosen(scenario, asked)?;
    let streams = Streams::new(scenario.seed);
    let plans = plans(&cluster.plan, deadline);
    let number = number.unwrap_or_else(|| telling(&plans, &streams, scenario.replications));
    let runs: Vec<PolicyRun> = plans
        .iter()
        .zip(POLICIES)
        .map(|(plan, policy)| {
            let mut timeline = Timeline::default();
            let outcome = simulate(plan, &streams, number, &mut Scratch::default(), &mut timeline);
            one_run(plan, policy, &timeline, &outcome, deadline)
        })
        .collect();
    let end_h = runs.iter().map(|run| run.end_h).fold(0.0, f64::max);
    let capacity = capacity(&cluster.plan, &streams, number, end_h);
    let name = cluster.name.clone();
    Ok(World { number, name, deadline_h: deadline.as_hours(), capacity, runs })
}

/// The first world in which Greedy and Uniform Progress pay differently; 0 if none is found soon.
fn telling(plans: &[Plan], streams: &Streams, worlds: u64) -> u64 {
    let mut scratch = Scratch::default();
    let mut cost = |key: &str, world| {
        let at = POLICIES.iter().position(|policy| policy.key == key)?;
        Some(simulate(&plans[at], streams, world, &mut scratch, &mut ()).cost())
    };
    (0..worlds.min(LOOKED_AT))
        .find(|&world| cost("greedy", world) != cost("uniform_progress", world))
        .unwrap_or(0)
}

fn hours(t: SimTime) -> f64 {
    t.since_submit().as_hours()
}

fn one_run(plan: &Plan, policy: Named, timeline: &Timeline, outcome: &Outcome, deadline: Span) -> PolicyRun {
    let all = plan.work.steps.max(1) as f64;
    let made = timeline.progress.iter().map(|(at, steps)| (hours(*at), *steps as f64 / all));
    let stays = timeline.ledger.stays.iter().filter(|stay| stay.slot == 0);
    PolicyRun {
        policy,
        held: stays.map(|stay| (hours(stay.granted), hours(stay.end), stay.market)).collect(),
        progress: std::iter::once((0.0, 0.0)).chain(made).collect(),
        end_h: outcome.elapsed.as_hours(),
        met: outcome.meets(deadline),
        cost_usd: outcome.cost().as_usd(),
    }
}

/// When the gang could be had in the first zone.
fn capacity(plan: &Plan, streams: &Streams, number: u64, end_h: f64) -> Vec<(f64, f64)> {
    let end = SimTime::ZERO + Span::from_secs_saturating(end_h * 3_600.0);
    let levels = levels(plan, (&plan.capacity, &plan.spot), streams, number, end);
    let up = levels.iter().filter(|level| level.nodes >= plan.spot_nodes());
    up.map(|level| (hours(level.from), hours(level.to))).collect()
}
