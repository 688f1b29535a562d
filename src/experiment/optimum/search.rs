//! The best interval, by theory or by simulation.

use super::points::{curve_grid, grid, point, saving_every};
use super::{Basis, FLAT_WITHIN, Formulas, Least, NoOptimum, Point, Simulated};
use crate::analytic::{
    FlatRange, OutOfDomain, Renewal, SEGMENTS_MAX, daly_interval_s, theory, young_interval_s,
};
use crate::capacity::Kind;
use crate::checkpoint::exact_interval_s;
use crate::policy::Policy;
use crate::scenario::plan::Plan;
use crate::scenario::uptime::GangUptime;
use std::collections::BTreeMap;

/// What a search found; intervals are in steps.
pub(super) struct Found {
    /// What was looked at.
    pub points: BTreeMap<u64, Point>,
    pub best: u64,
    pub curve: Vec<(f64, f64)>,
    pub flat: FlatRange,
    pub basis: Basis,
    pub least: Least,
    pub formulas: Option<Formulas>,
}

pub(super) fn by_theory(
    plan: &Plan,
    job: &Renewal<'_>,
    simulated: impl Fn(&Plan) -> Option<Simulated>,
) -> Result<Found, NoOptimum> {
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
    let told = |plan: &Plan, every: u64| {
        let reached = steps.div_ceil(every) <= SEGMENTS_MAX;
        reached.then(|| theory(plan).ok()).flatten()
    };
    let at = |every| {
        let plan = saving_every(plan, every);
        (every, Point { theory: told(&plan, every), ..point(&plan, every, &simulated) })
    };
    let points: BTreeMap<u64, Point> = grid(best_steps, plan).into_iter().map(at).collect();
    let between = |every: u64| {
        let plan = saving_every(plan, every);
        told(&plan, every).map(|theory| (plan.cycle.stepping(every).as_secs(), theory.makespan_h))
    };
    let flat = job.flat_range(&best, FLAT_WITHIN);
    let step_s = plan.work.step.total().as_secs();
    Ok(Found {
        curve: curve_grid(&points, steps).into_iter().filter_map(between).collect(),
        points,
        best: best_steps,
        flat: FlatRange { shortest_s: flat.shortest_s.max(step_s), ..flat },
        basis: Basis::Theory,
        least: Least::Makespan,
        formulas: formulas(job),
    })
}

/// The best of intervals that are simulated, around the best for a long job; further ones are tried for as
/// long as the best is the shortest or the longest.
pub(super) fn by_simulation(
    plan: &Plan,
    why: OutOfDomain,
    simulated: impl Fn(&Plan) -> Option<Simulated>,
) -> Result<Found, NoOptimum> {
    let uptime = GangUptime::new(Some(&plan.capacity), plan.failures.as_ref(), plan.nodes).ok_or(why)?;
    let restart_s = plan.start.bring_up_mean_s() + plan.start.restore.mean_s();
    let interval_s = uptime.best_interval(plan.cycle.stall(), plan.cycle.upload(), restart_s).0;
    let step_s = plan.work.step.total().as_secs();
    let steps = plan.work.steps;
    let mut centre = ((interval_s / step_s).round() as u64).clamp(1, steps);
    let least = if plan.policy == Policy::SpotOnly { Least::Makespan } else { Least::Cost };
    let mut points = BTreeMap::new();
    let best = loop {
        for every in grid(centre, plan) {
            points.entry(every).or_insert_with(|| point(&saving_every(plan, every), every, &simulated));
        }
        let values = points.iter().filter_map(|(&every, point)| Some((every, least.of(&point.simulated?))));
        let (best, _) = values.min_by(|a, b| a.1.total_cmp(&b.1)).ok_or(NoOptimum::NeverFinishes)?;
        let ends = [points.keys().next(), points.keys().next_back()];
        // The grid of the next turn reaches at least twice as far, so that this ends at a step or the job.
        if best == centre || best == 1 || best == steps || !ends.contains(&Some(&best)) {
            break best;
        }
        centre = best;
    };
    Ok(Found {
        flat: flat_points(&points, best, least, steps as f64 * step_s),
        points,
        best,
        curve: Vec::new(),
        basis: Basis::Simulation(why),
        least,
        formulas: None,
    })
}

/// The points around the best that are within [`FLAT_WITHIN`] of it; no save at all is all of the work.
fn flat_points(points: &BTreeMap<u64, Point>, best: u64, least: Least, work_s: f64) -> FlatRange {
    let value = |point: &Point| point.simulated.map(|simulated| least.of(&simulated));
    let enough = value(&points[&best]).map_or(f64::NEG_INFINITY, |best| best * (1.0 + FLAT_WITHIN));
    let good = |point: &&Point| value(point).is_some_and(|value| value <= enough);
    let interval_s = |point: &Point| point.interval_s.unwrap_or(work_s);
    let best_s = interval_s(&points[&best]);
    let before = points.range(..best).rev().map(|(_, point)| point);
    let after = points.range(best..).map(|(_, point)| point);
    FlatRange {
        shortest_s: before.take_while(good).last().map_or(best_s, interval_s),
        longest_s: after.take_while(good).last().map_or(best_s, interval_s),
    }
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
