//! Perfect foresight: the least that a job costs by its deadline if the whole future of Spot is known.
//!
//! Time is in whole units: ticks, or nanoseconds. The model is that of the omniscient rule in Wu et al., "Can't Be
//! Late", NSDI 2024: in each unit nothing runs, Spot does where it can be had, or On-Demand does; a start costs the
//! job some work more, which may be made up at any time; what runs is paid. So no schedule is cheaper, of whatever rule.
//!
//! [`least_cost`] is exact where prices stand still. [`least_cost_bound`] takes prices that move and is a lower bound.

mod dual;
mod front;
#[cfg(test)]
mod tests;

use dual::Dual;
use front::{Front, Problem};

/// Consecutive units in which Spot can be had at one price, or not at all.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stretch {
    /// Units.
    pub length: u64,
    /// Price of a unit of Spot; `None`: not to be had.
    pub spot: Option<f64>,
    /// Whether Spot that is started in it costs nothing until it ends, as where the provider will take it back young.
    pub free_if_fresh: bool,
}

impl Stretch {
    /// Units with Spot at one price, or without it, that are paid for.
    pub const fn paid(length: u64, spot: Option<f64>) -> Self {
        Self { length, spot, free_if_fresh: false }
    }
}

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Task {
    /// Running time that the job needs beside its starts.
    pub work: u64,
    /// Running time that each start needs.
    pub overhead: u64,
    /// Length of a unit, in what the two are given in; not zero.
    pub unit: u64,
}

impl Task {
    /// Units that must run if there are `starts` starts.
    fn needed(&self, starts: u64) -> u64 {
        let time = u128::from(self.work) + u128::from(starts) * u128::from(self.overhead);
        u64::try_from(time.div_ceil(u128::from(self.unit))).unwrap_or(u64::MAX)
    }

    /// Units of the work, not rounded.
    fn work_units(&self) -> f64 {
        self.work as f64 / self.unit as f64
    }

    /// Units of one start, not rounded.
    fn overhead_units(&self) -> f64 {
        self.overhead as f64 / self.unit as f64
    }
}

/// A cheapest schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Optimum {
    /// Units on Spot.
    pub spot: u64,
    /// Units on On-Demand.
    pub on_demand: u64,
    /// Starts, of either.
    pub starts: u64,
}

impl Optimum {
    /// Its cost, at the prices of a unit.
    pub fn cost(&self, spot: f64, on_demand: f64) -> f64 {
        self.spot as f64 * spot + self.on_demand as f64 * on_demand
    }
}

/// Whether Spot can be had: `(units, yes or no)` in turn, up to the deadline; neighbours may be alike.
pub type Runs<'a> = &'a [(u64, bool)];

/// Prices of a unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prices {
    /// Of Spot, 0 or more.
    pub spot: f64,
    /// Of On-Demand, above 0.
    pub on_demand: f64,
}

/// A cheapest schedule, `None` where even On-Demand alone from the start on is late.
///
/// Why a search over whole runs is exact: a Spot block can be widened to all of its run, since each unit gained takes
/// the place of a dearer one or of none and no start is added. What is between two such blocks holds at most one block
/// of On-Demand, since two can be joined, and what it does not need of its room it leaves. So a schedule is: which
/// runs are Spot, and which holes between them may hold On-Demand. With `s` starts the job needs N(s) units, x of
/// them on Spot and the rest on On-Demand, and the units of holes left idle are at most those of the window less N(s).
pub fn least_cost(runs: Runs<'_>, task: Task, prices: Prices) -> Option<Optimum> {
    let window: u64 = runs.iter().map(|(length, _)| length).sum();
    if task.work == 0 {
        return Some(Optimum { spot: 0, on_demand: 0, starts: 0 });
    }
    let units = task.needed(1);
    if units > window {
        return None;
    }
    let on_demand = Optimum { spot: 0, on_demand: units, starts: 1 };
    if prices.spot >= prices.on_demand {
        return Some(on_demand);
    }
    let problem = Problem::new(runs, task, prices);
    let known = problem.spot_only().unwrap_or(on_demand);
    let dual = Dual::of(&problem.stretches(), task, prices.on_demand);
    Some(Front::default().search(&problem, &dual, problem.cheaper(known, on_demand)))
}

/// A price below which no schedule is, where prices of Spot move: `None` where even On-Demand alone is late.
///
/// The demand for N(s) units is given up and each unit that is missing costs a penalty instead (a Lagrangian bound);
/// the penalty is the one at which the bound is highest.
pub fn least_cost_bound(stretches: &[Stretch], task: Task, on_demand: f64) -> Option<f64> {
    let window: u64 = stretches.iter().map(|stretch| stretch.length).sum();
    if task.work == 0 {
        return Some(0.0);
    }
    (task.needed(1) <= window).then(|| Dual::of(stretches, task, on_demand).bound().max(0.0))
}
