//! Scenarios whose sums would not fit the numbers that hold them.

use super::cluster::Cluster;
use super::plan::{Burst, Plan, StepParts};
use super::problem::{Problem, Sink};
use super::tree::Table;
use crate::checkpoint::Every;
use crate::pricing::{Beside, MOVE_PRICES, Tariff, Usage, volume_billed};
use crate::units::{Money, Price, Span};

/// Sums of squares stay below this: 2^126 leaves a factor of two to the 127 bits that hold them.
const SQUARES_MAX: f64 = 8.5e37;
/// Stays that a replication can have at the most, each billed for a minimum: the engine looks at no more
/// slots than this.
const STAYS_MAX: u64 = 20_000_000;

/// Reports a cluster whose bills or times, over `replications`, could exceed what is counted exactly.
pub fn refuse_too_large(cluster: &Cluster, table: &Table, replications: u64, sink: &Sink) {
    let plan = &cluster.plan;
    let spots = || plan.zones().map(|(_, spot)| spot);
    let hours = f64::from(plan.nodes) * plan.horizon.as_hours()
        + plan
            .on_demand
            .minimum
            .max(spots().map(|spot| spot.minimum).max().unwrap_or_default())
            .times(STAYS_MAX)
            .as_hours();
    let dearer = spots().map(Tariff::highest).fold(plan.on_demand.highest(), Price::max);
    let (instances_usd, beside_usd) = (dearer.as_usd_per_hour() * hours, most_beside_usd(plan));
    let cost_usd = instances_usd + beside_usd;
    let squares = |largest_millionths: f64| replications as f64 * (2.0 * largest_millionths).powi(2);
    let help = "shorten `horizon`, or ask for fewer replications";
    if cost_usd > 0.5 * Money::from_nusd(i64::MAX).as_usd() || squares(cost_usd * 1e6) > SQUARES_MAX {
        let title = format!("a replication could cost {cost_usd:.1e} dollars, too much to count exactly");
        let (what, help) = match beside_usd > instances_usd {
            true => {
                ("storage, requests and traffic over the horizon", "save less often, or shorten `horizon`")
            }
            false => ("nodes × price × horizon", help),
        };
        sink.report(Problem::error(title).at(table.place, what).help(help));
    }
    if squares(microseconds(plan.horizon)) > SQUARES_MAX {
        let title =
            format!("{replications} replications of up to {} are too many to count exactly", plan.horizon);
        sink.report(Problem::error(title).at(table.place, "").help(help));
    }
}

/// More dollars beside the instances than a replication of `plan` can come to.
fn most_beside_usd(plan: &Plan) -> f64 {
    let Some(extras) = &plan.extras else { return 0.0 };
    let (horizon, nodes) = (plan.horizon.ns(), u64::from(plan.nodes));
    let attempts = STAYS_MAX / nodes;
    let last = if plan.notice.is_some() || plan.cycle.ends_with_save() { attempts } else { 0 };
    let saves = most_periodic_saves(plan).saturating_add(last);
    let usage = Usage {
        saves,
        save_ns: u128::from(saves.min(extras.keep)) * u128::from(horizon),
        restores: attempts,
        nodes_started: STAYS_MAX,
        volume_ns: u128::from(nodes) * u128::from(horizon)
            + u128::from(STAYS_MAX) * u128::from(volume_billed(Span::from_ns(1)).ns()),
        held_ns: u128::from(horizon),
        moves: [attempts; MOVE_PRICES],
    };
    // A line that is cut off where money ends is refused, so no sum of lines may overflow here.
    let line = |charge| Beside::of(std::slice::from_ref(charge), &usage).total().as_usd();
    extras.charges.iter().map(line).sum()
}

/// More periodic saves than a replication of `plan` begins, lost and made again or not: no save comes
/// sooner after a restore than the interval, or a step.
fn most_periodic_saves(plan: &Plan) -> u64 {
    let fastest =
        |step: &StepParts, burst: Option<&Burst>| burst.map_or(step.total(), |burst| burst.step.total());
    let others = plan.machines().map(|machine| fastest(&machine.step, machine.burst.as_ref()));
    let step = others.fold(fastest(&plan.work.step, plan.work.burst.as_ref()), Span::min);
    plan.cycle.every().map_or(0, |every| {
        let apart = match every {
            Every::Time(span) => span.max(step),
            Every::Steps(steps) => step.times(steps),
        };
        plan.horizon.ns() / apart.ns()
    })
}

fn microseconds(span: Span) -> f64 {
    span.as_secs() * 1e6
}
