//! `[simulation] tick`: a plan whose changes all happen at whole ticks.

use super::assumed::Assumed;
use super::plan::{Limits, Plan, TickMode, Work};
use super::problem::{Problem, Sink};
use super::tree::Table;
use crate::capacity::Law;
use crate::checkpoint::Cycle;
use crate::policy::Policy;
use crate::units::Span;

/// The plan of the cluster `own` in ticks of length `tick`; says what of it tick mode does not have.
pub(super) fn in_ticks(
    plan: Plan,
    tick: Span,
    engine_net: bool,
    own: &Table,
    sink: &Sink,
    assumed: &mut Vec<Assumed>,
) -> Option<Plan> {
    let missing = missing(&plan);
    for (what, help) in &missing {
        let title = format!("{what} not available in tick mode");
        sink.report(Problem::error(title).at(own.place, *help));
    }
    let start = &plan.start;
    let phases = start.until_ready().chain([&start.provision, &start.restore]);
    let overhead = phases.filter_map(Law::is_constant).sum();
    assumed.push(Assumed::new(
        "Tick mode",
        format!(
            "tick mode: capacity is seen and money charged every {tick}, no work is lost, saves cost nothing, and \
             each new instance takes {overhead} before it works"
        ),
    ));
    let cycle = Cycle::new(plan.work.step.total(), None, Span::ZERO, false);
    let work = Work { burst: None, ..plan.work };
    let tick = Some(TickMode { tick, overhead, engine_net });
    missing.is_empty().then_some(Plan { tick, cycle, work, ..plan })
}

/// What tick mode does not have, and what to do about it.
fn missing(plan: &Plan) -> Vec<(&'static str, &'static str)> {
    let on_spot = plan.policy != Policy::OnDemandOnly;
    let start = &plan.start;
    let mut phases = start.until_ready().chain([&start.provision, &start.restore]);
    let capacity = &plan.capacity;
    let acquires =
        [&capacity.acquire, &capacity.acquire_first].map(Law::is_constant) != [Some(Span::ZERO); 2];
    let found = [
        (phases.any(|law| law.is_constant().is_none()), "spans of [start] that vary are", "write constants"),
        (!start.on_first, "`start.on_first = false` is", "each new instance starts"),
        (on_spot && acquires, "`capacity.acquire` is", "an instance starts in the tick that asks for it"),
        (
            on_spot && capacity.lifetime.is_some(),
            "`capacity.lifetime` is",
            "capacity comes and goes as a whole",
        ),
        (on_spot && !capacity.losses.is_empty(), "losses written out are", "drop `capacity.events.losses`"),
        (on_spot && !capacity.shocks.is_empty(), "shocks are", "drop `capacity.shock`"),
        (plan.failures.is_some(), "hardware failures are", "drop [failures]"),
        (plan.notice.is_some(), "saves at a notice are", "drop `checkpoint.on_notice`"),
        (plan.elastic.is_some() || plan.spares.is_some(), "`min_nodes` and `spares` are", "drop them"),
        (plan.on_demand_nodes > 0, "`policy.on_demand_nodes` is", "drop it"),
        (!plan.elsewhere.is_empty(), "several zones are", "name one zone"),
        (plan.limits != Limits::default(), "[limits] are", "the horizon ends a run"),
        (plan.extras.is_some(), "bills beside the instances are", "drop them from [pricing]"),
    ];
    found.into_iter().filter(|(is_there, ..)| *is_there).map(|(_, what, help)| (what, help)).collect()
}
