//! Scenarios whose sums would not fit the numbers that hold them.

use super::cluster::Cluster;
use super::problem::{Problem, Sink};
use super::tree::Table;
use crate::units::{Money, Span};

/// Sums of squares stay below this: 2^126 leaves a factor of two to the 127 bits that hold them.
const SQUARES_MAX: f64 = 8.5e37;
/// Stays that a replication can have at the most, each billed for a minimum: the engine looks at no more
/// slots than this.
const STAYS_MAX: u64 = 20_000_000;

/// Reports a cluster whose bills or times, over `replications`, could exceed what is counted exactly.
pub fn refuse_too_large(cluster: &Cluster, table: &Table, replications: u64, sink: &Sink) {
    let plan = &cluster.plan;
    let hours = f64::from(plan.nodes) * plan.horizon.as_hours()
        + plan.on_demand.minimum.max(plan.spot.minimum).times(STAYS_MAX).as_hours();
    let dearer = plan.spot.highest().max(plan.on_demand.highest());
    let cost_usd = dearer.as_usd_per_hour() * hours;
    let squares = |largest_millionths: f64| replications as f64 * (2.0 * largest_millionths).powi(2);
    let help = "shorten `horizon`, or ask for fewer replications";
    if cost_usd > 0.5 * Money::from_nusd(i64::MAX).as_usd() || squares(cost_usd * 1e6) > SQUARES_MAX {
        let title = format!("a replication could cost {cost_usd:.1e} dollars, too much to count exactly");
        sink.report(Problem::error(title).at(table.place, "nodes × price × horizon").help(help));
    }
    if squares(microseconds(plan.horizon)) > SQUARES_MAX {
        let title =
            format!("{replications} replications of up to {} are too many to count exactly", plan.horizon);
        sink.report(Problem::error(title).at(table.place, "").help(help));
    }
}

fn microseconds(span: Span) -> f64 {
    span.as_secs() * 1e6
}
