//! What policies cost against the deadline, beside perfect foresight.

mod one_run;
mod published;
mod scenario;

pub use one_run::{PolicyRun, World, one_world};
pub use published::published;
pub use scenario::{Asked, NoCurves, of_scenario};

use super::CONFIDENCE;
use crate::stats::{Interval, Moments};

const MICRO: f64 = 1e6;

/// Costs of policies at several deadlines, in the same worlds.
#[derive(Debug, Clone, PartialEq)]
pub struct Curves {
    /// What they are of: a cluster's name.
    pub name: String,
    /// Whether they are the published cells.
    pub is_published: bool,
    /// What the job takes On-Demand without interruption, hours.
    pub ideal_h: f64,
    /// What it costs so, USD.
    pub on_demand_usd: f64,
    /// Worlds at each deadline.
    pub worlds: u64,
    /// By deadline, the tightest first.
    pub deadlines: Vec<Deadline>,
    /// The policies, in the order of each [`Deadline::points`].
    pub policies: Vec<Named>,
}

/// A policy by its names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Named {
    /// As a scenario writes it: `thresholds, keep_on_demand`.
    pub key: &'static str,
    /// For people: "Uniform Progress".
    pub title: &'static str,
}

/// Policies with their names, in the order of all outputs.
pub const POLICIES: [Named; 7] = [
    Named { key: "spot_only", title: "Spot only" },
    Named { key: "greedy", title: "Greedy" },
    Named { key: "thresholds", title: "Thresholds" },
    Named { key: "thresholds_keep", title: "Thresholds, keep" },
    Named { key: "uniform_progress", title: "Uniform Progress" },
    Named { key: "time_sliced", title: "Time Sliced" },
    Named { key: "fall_back", title: "Fall back" },
];

/// All policies at one deadline.
#[derive(Debug, Clone, PartialEq)]
pub struct Deadline {
    /// Since submit.
    pub deadline_h: f64,
    /// One a policy.
    pub points: Vec<Point>,
    /// The mean of the least that any run by the deadline costs; `None` where it is not known.
    pub bound_usd: Option<Interval>,
}

/// One policy at one deadline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Mean cost of all runs.
    pub cost_usd: Interval,
    /// Share of runs that met the deadline.
    pub met: f64,
    /// Mean cost beyond Greedy's in the same worlds.
    pub over_greedy_usd: Option<Interval>,
    /// Mean cost beyond the bound's in the same worlds.
    pub over_bound_usd: Option<Interval>,
}

/// Costs of all policies at one deadline, before they are summed up; all lists are by world.
#[derive(Debug, Clone, Default)]
struct Raw {
    deadline_h: f64,
    /// Costs and whether the deadline was met, by policy.
    runs: Vec<Vec<(f64, bool)>>,
    /// Empty where there is none.
    bounds_usd: Vec<f64>,
}

impl Raw {
    fn summed(&self, greedy: Option<usize>) -> Deadline {
        let costs = |policy: usize| self.runs[policy].iter().map(|(cost, _)| *cost);
        let beyond = |policy: usize, other: Vec<f64>| mean(costs(policy).zip(other).map(|(a, b)| a - b));
        let bounded = !self.bounds_usd.is_empty();
        let points = (0..self.runs.len()).map(|policy| Point {
            cost_usd: mean(costs(policy)).unwrap_or_else(|| exactly(0.0)),
            met: self.runs[policy].iter().filter(|(_, met)| *met).count() as f64
                / self.runs[policy].len().max(1) as f64,
            over_greedy_usd: greedy
                .filter(|&at| at != policy)
                .and_then(|at| beyond(policy, costs(at).collect())),
            over_bound_usd: if bounded { beyond(policy, self.bounds_usd.clone()) } else { None },
        });
        Deadline {
            deadline_h: self.deadline_h,
            points: points.collect(),
            bound_usd: mean(self.bounds_usd.iter().copied()),
        }
    }
}

fn exactly(value: f64) -> Interval {
    Interval { value, low: value, high: value }
}

/// The mean of dollars with its interval; of a single one that.
fn mean(usd: impl Iterator<Item = f64>) -> Option<Interval> {
    let mut moments = Moments::default();
    usd.for_each(|usd| moments.push((usd * MICRO).round() as i64));
    let found = moments.mean_interval(CONFIDENCE).or_else(|| moments.mean().map(exactly))?;
    Some(Interval { value: found.value / MICRO, low: found.low / MICRO, high: found.high / MICRO })
}
