//! The exact search: from run to run, what is worth keeping of all schedules so far.

use super::dual::{Dual, IDLE, ON_DEMAND};
use super::{Optimum, Prices, Runs, Stretch, Task};

/// The first search looks this share above the lower bound; where nothing is found there, the next looks further.
const FIRST_REACH: f64 = 2e-4;
const FURTHER: f64 = 4.0;
/// Costs nearer to each other than this share are equal.
const EQUAL: f64 = 1e-12;

/// A run of Spot and the gap after it, which ends with the next run or the window.
#[derive(Debug, Clone, Copy)]
struct Run {
    up: u64,
    gap: u64,
    /// The window before it.
    begin: u64,
}

/// Runs, what is to be done, and prices.
#[derive(Debug)]
pub(super) struct Problem {
    first_gap: u64,
    runs: Vec<Run>,
    window: u64,
    prices: Prices,
    /// By starts: the units that must run.
    needed: Vec<u64>,
}

impl Problem {
    pub fn new(given: Runs<'_>, task: Task, prices: Prices) -> Self {
        let (mut first_gap, mut window, mut runs) = (0, 0, Vec::<Run>::new());
        let mut was_up = false;
        for &(length, up) in given.iter().filter(|(length, _)| *length > 0) {
            match runs.last_mut() {
                Some(run) if up && was_up => run.up += length,
                Some(run) if !up => run.gap += length,
                None if !up => first_gap += length,
                _ => runs.push(Run { up: length, gap: 0, begin: window }),
            }
            (was_up, window) = (up, window + length);
        }
        let needed = (0..=2 * runs.len() as u64 + 1).map(|starts| task.needed(starts)).collect();
        Self { first_gap, runs, window, prices, needed }
    }

    /// First gap, then each run and its gap: run `i` is stretch `2 i + 1`.
    pub fn stretches(&self) -> Vec<Stretch> {
        let gap = |length| Stretch::paid(length, None);
        let run = |run: &Run| [Stretch::paid(run.up, Some(self.prices.spot)), gap(run.gap)];
        std::iter::once(gap(self.first_gap)).chain(self.runs.iter().flat_map(run)).collect()
    }

    /// The cheapest schedule without On-Demand, if Spot alone can do it: the longest runs, as few as will do.
    pub fn spot_only(&self) -> Option<Optimum> {
        let mut longest: Vec<u64> = self.runs.iter().map(|run| run.up).collect();
        longest.sort_unstable_by(|a, b| b.cmp(a));
        let mut units = 0;
        longest.iter().zip(1..).find_map(|(up, starts)| {
            units += up;
            let spot = self.needed[starts];
            (units >= spot).then_some(Optimum { spot, on_demand: 0, starts: starts as u64 })
        })
    }

    pub fn cheaper(&self, a: Optimum, b: Optimum) -> Optimum {
        if self.cost(b) < self.cost(a) { b } else { a }
    }

    fn cost(&self, of: Optimum) -> f64 {
        of.cost(self.prices.spot, self.prices.on_demand)
    }

    /// What a whole schedule comes to, if it does the work and needs On-Demand for it.
    fn finished(&self, state: &State) -> Option<Optimum> {
        let needed = self.needed[state.starts as usize];
        let enough = state.idle + needed <= self.window && state.spot < needed;
        enough.then(|| Optimum {
            spot: state.spot,
            on_demand: needed - state.spot,
            starts: u64::from(state.starts),
        })
    }
}

/// Schedules up to the begin of a run that do not differ in what matters later.
#[derive(Debug, Clone, Copy)]
struct State {
    starts: u32,
    /// Units in which nothing may run.
    idle: u64,
    /// Units on Spot.
    spot: u64,
}

impl State {
    fn plus(self, starts: u32, idle: u64, spot: u64) -> Self {
        Self { starts: self.starts + starts, idle: self.idle + idle, spot: self.spot + spot }
    }
}

/// States before a run whose hole is idle, and those whose hole holds On-Demand: by starts, then idle units, and
/// among those of equal starts with ever more Spot.
#[derive(Debug, Default)]
pub(super) struct Front {
    idle: Vec<State>,
    on_demand: Vec<State>,
    next_idle: Vec<State>,
    next_on_demand: Vec<State>,
    after_spot: Vec<State>,
}

impl Front {
    /// The cheapest schedule, given one and lower bounds.
    pub fn search(&mut self, problem: &Problem, dual: &Dual, known: Optimum) -> Optimum {
        let lowest = dual.bound();
        let known_cost = problem.cost(known);
        let mut reach = FIRST_REACH * known_cost;
        loop {
            let limit = (lowest + reach).min(known_cost);
            let found = self.below(problem, dual, limit);
            let best = found.map_or(known, |found| problem.cheaper(known, found));
            // Everything left out costs more than the limit.
            if problem.cost(best) <= limit {
                return best;
            }
            reach *= FURTHER;
        }
    }

    /// The cheapest schedule with On-Demand among those of at most `limit`.
    fn below(&mut self, problem: &Problem, dual: &Dual, limit: f64) -> Option<Optimum> {
        let none = State { starts: 0, idle: 0, spot: 0 };
        self.idle.clear();
        self.on_demand.clear();
        self.idle.push(none.plus(0, problem.first_gap, 0));
        self.on_demand.push(none.plus(1, 0, 0));
        for (index, run) in problem.runs.iter().enumerate() {
            let end = run.begin + run.up + run.gap;
            let keep = Keep { problem, dual, limit, end, rest: 2 * index + 3 };
            merge(&self.idle, &self.on_demand, &mut self.after_spot, |_| true);
            for state in &mut self.after_spot {
                *state = state.plus(1, 0, run.up);
            }
            for state in &mut self.idle {
                *state = state.plus(0, run.up + run.gap, 0);
            }
            for state in &mut self.after_spot {
                state.idle += run.gap;
            }
            merge(&self.idle, &self.after_spot, &mut self.next_idle, |state| keep.worth(state, IDLE));
            for state in &mut self.after_spot {
                *state = State { starts: state.starts + 1, idle: state.idle - run.gap, ..*state };
            }
            let worth = |state: &State| keep.worth(state, ON_DEMAND);
            merge(&self.on_demand, &self.after_spot, &mut self.next_on_demand, worth);
            std::mem::swap(&mut self.idle, &mut self.next_idle);
            std::mem::swap(&mut self.on_demand, &mut self.next_on_demand);
        }
        let finished = self.idle.iter().chain(&self.on_demand).filter_map(|state| problem.finished(state));
        finished.reduce(|a, b| problem.cheaper(a, b))
    }
}

/// What tells whether a state can still become a schedule below the limit.
struct Keep<'a> {
    problem: &'a Problem,
    dual: &'a Dual,
    limit: f64,
    /// The window so far.
    end: u64,
    /// The stretch that comes next.
    rest: usize,
}

impl Keep<'_> {
    #[inline]
    fn worth(&self, state: &State, mode: usize) -> bool {
        let problem = self.problem;
        let needed = problem.needed[state.starts as usize];
        // With enough Spot the schedule without On-Demand is no dearer.
        if state.idle + needed > problem.window || state.spot >= needed {
            return false;
        }
        let (spot, starts) = (state.spot as f64, f64::from(state.starts));
        let on_demand = (self.end - state.idle - state.spot) as f64;
        self.dual.tables.iter().all(|table| {
            let so_far = table.work + table.start * starts
                - (table.penalty - problem.prices.spot) * spot
                - table.on_demand_gain * on_demand;
            so_far + table.rest[self.rest][mode] <= self.limit * (1.0 + EQUAL)
        })
    }
}

/// Both lists in one, without states that another of equal starts is no worse than.
fn merge(a: &[State], b: &[State], into: &mut Vec<State>, keep: impl Fn(&State) -> bool) {
    into.clear();
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    loop {
        let first = match (a.peek(), b.peek()) {
            (Some(x), Some(y)) if (x.starts, x.idle) <= (y.starts, y.idle) => a.next(),
            (Some(_), None) => a.next(),
            (_, Some(_)) => b.next(),
            (None, None) => return,
        };
        let Some(&state) = first else { return };
        let beaten = into.last().is_some_and(|last| last.starts == state.starts && last.spot >= state.spot);
        if !beaten && keep(&state) {
            into.push(state);
        }
    }
}
