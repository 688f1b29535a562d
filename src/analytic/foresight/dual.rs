//! Lower bounds by a price on the running time that is missing.
//!
//! With a penalty π for each unit that the job lacks, units no longer have to add up, and the cheapest schedule is
//! found by going through the stretches once. Its cost is a lower bound for every π ≥ 0, concave in π.

use super::{Stretch, Task};

/// Modes of a schedule, as indices.
pub(super) const IDLE: usize = 0;
pub(super) const ON_DEMAND: usize = 1;
const SPOT: usize = 2;
/// Spot that will be taken back before it has to be paid.
const FREE: usize = 3;
const MODES: usize = 4;

/// Penalties tried before the best is taken as found.
const PENALTIES_MAX: usize = 64;
/// The highest penalty, in prices of On-Demand.
const PENALTY_MAX: f64 = 1e6;
/// How near to its best the bound must come, as a share.
const NEAR: f64 = 1e-12;

/// What a schedule costs from each stretch on under one penalty.
#[derive(Debug, Clone)]
pub(super) struct Table {
    /// The penalty of a unit that is missing.
    pub penalty: f64,
    /// The penalty of the work.
    pub work: f64,
    /// What a start costs.
    pub start: f64,
    /// What a unit of On-Demand costs less than the penalty.
    pub on_demand_gain: f64,
    /// From stretch `i` on, by the mode before it; one more than there are stretches.
    pub rest: Vec<[f64; MODES]>,
    /// The bound.
    bound: f64,
    /// How fast it rises with the penalty.
    slope: f64,
}

/// The bound and the tables near its best.
#[derive(Debug)]
pub(super) struct Dual {
    /// The best first.
    pub tables: Vec<Table>,
}

impl Dual {
    /// The best penalty: where the lines that touch the bound on both sides meet, until nothing is gained.
    pub fn of(stretches: &[Stretch], task: Task, on_demand: f64) -> Self {
        let table = |penalty| Table::of(stretches, task, on_demand, penalty);
        // At the price of On-Demand its units cost nothing more: a corner, and often the best.
        let mut low = table(on_demand);
        let mut high = low.clone();
        while high.slope > 0.0 && high.penalty < PENALTY_MAX * on_demand {
            low = high;
            high = table(2.0 * low.penalty);
        }
        if low.slope <= 0.0 {
            low = table(0.0);
        }
        let mut best = if low.bound >= high.bound { low.clone() } else { high.clone() };
        for _ in 0..PENALTIES_MAX {
            if low.slope <= 0.0 || high.slope >= 0.0 {
                break;
            }
            let (at_low, at_high) =
                (low.bound - low.slope * low.penalty, high.bound - high.slope * high.penalty);
            let middle = table((at_high - at_low) / (low.slope - high.slope));
            let reach = low.bound + low.slope * (middle.penalty - low.penalty);
            let found = reach - middle.bound <= NEAR * reach.abs();
            if middle.bound > best.bound {
                best = middle.clone();
            }
            if found {
                break;
            }
            if middle.slope > 0.0 { low = middle } else { high = middle }
        }
        Self { tables: vec![best, low, high] }
    }

    /// The lower bound.
    pub fn bound(&self) -> f64 {
        self.tables.iter().map(|table| table.bound).fold(f64::NEG_INFINITY, f64::max)
    }
}

/// A cost under a penalty, and how fast it rises with it.
type Cost = (f64, f64);

impl Table {
    fn of(stretches: &[Stretch], task: Task, on_demand: f64, penalty: f64) -> Self {
        let overhead = task.overhead_units();
        let start = (penalty * overhead, overhead);
        let on_demand_gain = (penalty - on_demand).max(0.0);
        let mut rest = vec![[0.0; MODES]; stretches.len() + 1];
        let mut next: [Cost; MODES] = [(0.0, 0.0); MODES];
        for (stretch, rest) in stretches.iter().zip(&mut rest).rev() {
            let run = |gain: f64, after: Cost| -> Cost {
                // A block may also be shorter than its room.
                let length = if gain > 0.0 { stretch.length as f64 } else { 0.0 };
                (after.0 - gain * length, after.1 - length)
            };
            let idle = next[IDLE];
            let on_demand = run(on_demand_gain, next[ON_DEMAND]);
            let spot = stretch.spot.map(|price| run(penalty - price, next[SPOT]));
            let free = (stretch.spot.is_some() && stretch.free_if_fresh).then(|| run(penalty, next[FREE]));
            let begun = [Some(on_demand), spot, free].into_iter().flatten().map(|cost| add(cost, start));
            let best = begun.fold(idle, lesser);
            let or_best = |on: Option<Cost>| on.map_or(best, |on| lesser(best, on));
            next = [best, or_best(Some(on_demand)), or_best(spot), or_best(free)];
            *rest = next.map(|cost| cost.0);
        }
        let work = task.work_units();
        Self {
            penalty,
            work: penalty * work,
            start: start.0,
            on_demand_gain,
            rest,
            bound: penalty * work + next[IDLE].0,
            slope: work + next[IDLE].1,
        }
    }
}

fn add(a: Cost, b: Cost) -> Cost {
    (a.0 + b.0, a.1 + b.1)
}

fn lesser(a: Cost, b: Cost) -> Cost {
    if b.0 < a.0 { b } else { a }
}
