//! Intervals that are looked at, and what a job comes to with one of them.

use super::{Point, Simulated};
use crate::checkpoint::{Cycle, Every};
use crate::experiment::{CONFIDENCE, Spread};
use crate::rng::Streams;
use crate::scenario::plan::Plan;
use crate::sim::{End, Scratch, simulate};
use crate::stats::Interval;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Intervals on each side of the best, each √2 times the one before: up to four times as long or short.
const GRID_SIDE: i32 = 4;
/// Places of a curve by theory.
const CURVE_PLACES: u32 = 49;
const NS_PER_H: f64 = 3.6e12;
const NUSD_PER_USD: f64 = 1e9;

pub(super) fn point(plan: &Plan, every: u64, simulated: impl Fn(&Plan) -> Option<Simulated>) -> Point {
    let saves = every < plan.work.steps;
    Point {
        interval_s: saves.then(|| plan.cycle.stepping(every).as_secs()),
        theory: None,
        simulated: simulated(plan),
    }
}

/// Steps between saves: around `centre` in a geometric grid, and the plan's own; all of them is no save. An
/// upload takes no longer than the interval, as uploads run one at a time.
pub(super) fn grid(centre: u64, plan: &Plan) -> BTreeSet<u64> {
    let step_ns = plan.work.step.total().ns();
    let fewest = plan.cycle.upload().ns().div_ceil(step_ns).clamp(1, plan.work.steps);
    let around = (-GRID_SIDE..=GRID_SIDE).map(|power| {
        let factor = libm::pow(2.0, 0.5 * f64::from(power));
        (centre as f64 * factor).round() as u64
    });
    let mut grid: BTreeSet<u64> = around.filter(|every| (fewest..=plan.work.steps).contains(every)).collect();
    grid.extend([centre, own_steps(plan)]);
    grid
}

/// Steps between saves from the fewest of `points` to the most that are not all, [`CURVE_PLACES`] in a
/// geometric grid.
pub(super) fn curve_grid(points: &BTreeMap<u64, Point>, steps: u64) -> BTreeSet<u64> {
    let saving = || points.keys().copied().filter(|&every| every < steps);
    let (Some(fewest), Some(most)) = (saving().next(), saving().next_back()) else { return BTreeSet::new() };
    let ratio = most as f64 / fewest as f64;
    let place = |i: u32| fewest as f64 * libm::pow(ratio, f64::from(i) / f64::from(CURVE_PLACES - 1));
    (0..CURVE_PLACES).map(|i| place(i).round() as u64).collect()
}

pub(super) fn own_steps(plan: &Plan) -> u64 {
    let steps = plan.work.steps;
    plan.cycle.save(1, steps).map_or(steps, |save| save.steps)
}

/// `plan` with a save after each `every` steps.
pub(super) fn saving_every(plan: &Plan, every: u64) -> Plan {
    let step = plan.work.step.total();
    // A single step has no periodic save.
    let final_save = plan.cycle.duration(1) > step;
    let burst_step = plan.work.burst.map(|burst| burst.step.total());
    let cycle = Cycle::new(step, Some(Every::Steps(every)), plan.cycle.stall(), final_save)
        .with_upload(plan.cycle.upload(), burst_step);
    Plan { cycle, ..plan.clone() }
}

/// Means of all replications, if every one finishes.
pub(super) fn means(plan: &Plan, streams: &Streams, replications: u64) -> Option<Simulated> {
    // Sums are exact, so they do not depend on which thread adds up what.
    let (makespan, cost) = (0..replications)
        .into_par_iter()
        .fold(
            || ((Spread::default(), Spread::default()), Scratch::default()),
            |((mut makespan, mut cost), mut scratch), replication| {
                let outcome = simulate(plan, streams, replication, &mut scratch, &mut ());
                if outcome.end == End::Finished {
                    makespan.push(i64::try_from(outcome.elapsed.ns()).unwrap_or(i64::MAX));
                    cost.push(outcome.cost().nusd());
                }
                ((makespan, cost), scratch)
            },
        )
        .map(|(spreads, _)| spreads)
        .reduce(Default::default, |mut sum, part| {
            sum.0.merge(&part.0);
            sum.1.merge(&part.1);
            sum
        });
    if makespan.count() < replications {
        return None;
    }
    let mean = |spread: &Spread, unit: f64| {
        let mean = spread.mean_interval(CONFIDENCE)?;
        Some(Interval::around(mean.value / unit, mean.half_width() / unit))
    };
    Some(Simulated { makespan_h: mean(&makespan, NS_PER_H)?, cost_usd: mean(&cost, NUSD_PER_USD)? })
}
