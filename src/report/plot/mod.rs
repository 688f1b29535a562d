//! The pictures of `spotsim run`: cost against time, when runs finish, what they cost, where time goes;
//! that of `spotsim step`: one step in lanes; those of `spotsim trace stats`: capacity over time, survival; those of `spotsim optimum`: makespan or cost against the interval
//! between saves; that of `spotsim plan`: cost against the chance to be in time; those of `spotsim sweep`:
//! cost over its keys and against time; that of `spotsim break-even`: how far from the goal a key leads.
//!
//! Each plot is drawn once, as a [`Drawing`], and written from it as SVG and PNG. The title of each
//! states a finding, made from the figures by rule; where intervals overlap it says so. Nothing here
//! reads or writes files.

mod availability;
mod axis;
mod break_even;
mod cost_distribution;
mod cost_labels;
mod cost_vs_probability;
mod cost_vs_time;
mod density;
mod drawing;
mod ecdf_labels;
mod finding;
mod frame;
mod label;
mod lanes;
#[cfg(test)]
mod layout_tests;
mod makespan_ecdf;
mod number;
mod png;
mod policy_runs;
mod policy_vs_deadline;
mod probability_table;
#[cfg(test)]
mod sample;
mod save_intervals;
mod sensitivity;
mod series;
mod spot;
mod step_lanes;
#[cfg(test)]
mod step_lanes_tests;
mod step_title;
mod survival;
mod svg;
mod sweep;
mod text;
mod theme;
mod time_parts;
mod time_table;
mod timeline;

pub use availability::availability;
pub use break_even::break_even;
pub use cost_distribution::cost_distribution;
pub use cost_vs_probability::cost_vs_probability;
pub use cost_vs_time::cost_vs_time;
pub use drawing::Drawing;
pub use makespan_ecdf::makespan_ecdf;
pub use policy_runs::policy_runs;
pub use policy_vs_deadline::policy_vs_deadline;
pub use save_intervals::save_intervals;
pub use sensitivity::{sensitivity, sensitivity_name};
pub use step_lanes::step_lanes;
pub use survival::survival;
pub use sweep::sweep;
pub use time_parts::time_parts;
pub use timeline::timeline;

use crate::scenario::plan;

/// What a run of one scenario found, as far as the plots show it.
#[derive(Debug, Clone, PartialEq)]
pub struct PlotData {
    /// The scenario's title, any text.
    pub title: String,
    /// By when the job should be done, hours from submit.
    pub deadline_h: Option<f64>,
    /// When a run is cut, hours from submit.
    pub horizon_h: f64,
    /// Number of replications, seed and conditions, any text: "n = 10,000 per cluster, seed 0".
    pub footer: String,
    /// The clusters that were simulated; infeasible ones are left out by the caller.
    pub clusters: Vec<PlotCluster>,
    /// The cluster, by its place, that the others are compared with.
    pub baseline: Option<usize>,
}

/// What one cluster cost and how long it took.
#[derive(Debug, Clone, PartialEq)]
pub struct PlotCluster {
    /// Its place among the clusters of the scenario, from 0.
    pub number: usize,
    /// Any text. A count before "x" is shown with "×", an end that repeats the market may be dropped.
    pub name: String,
    /// How its nodes are rented.
    pub market: Market,
    /// All replications, or an even sample of them, in any order.
    pub runs: Vec<Run>,
    /// How many replications the figures come from.
    pub replications: u64,
    /// Σ cost of all / number of finished, dollars; `None` if none finished.
    pub cost_per_finished_usd: Option<Interval>,
    /// Mean cost of all replications, dollars.
    pub cost_usd_mean: Interval,
    /// What perfect foresight would have paid in the mean, dollars; `None` where that is not known.
    pub bound_usd: Option<f64>,
    /// Mean makespan of finished replications, hours; `None` if none finished.
    pub makespan_h_mean: Option<Interval>,
    /// Chance to finish by the deadline; `None` without one.
    pub deadline_probability: Option<Interval>,
    /// Chance to finish by the horizon.
    pub finish_probability: Interval,
    /// Mean hours of all replications, adding up to elapsed: queued, acquiring, provisioning, starting,
    /// restoring, computing, exposed_comm, data_stall, checkpoint_stall, lost, idle.
    pub time_h: [f64; 11],
    /// Whether another cluster is both cheaper and faster in the mean.
    pub dominated: bool,
}

/// How nodes are rented.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Market {
    /// Cheap, and taken back when the provider wants it.
    Spot,
    /// At list price, and kept.
    OnDemand,
}

impl From<plan::Market> for Market {
    fn from(market: plan::Market) -> Self {
        match market {
            plan::Market::Spot => Self::Spot,
            plan::Market::OnDemand => Self::OnDemand,
        }
    }
}

/// One replication.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Run {
    /// From submit to its end, hours.
    pub elapsed_h: f64,
    /// Whether it ended because the work was done.
    pub finished: bool,
    /// What it was charged, dollars.
    pub cost_usd: f64,
}

/// An estimate and its 95 % confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The estimate.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}
