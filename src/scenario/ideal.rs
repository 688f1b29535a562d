//! A cluster's run without queue and interruption, and limits that leave no room for it.

use super::plan::{Plan, TickMode};
use super::problem::{Problem, Sink};
use super::tree::Table;
use crate::capacity::Law;
use crate::checkpoint::{Cycle, Pace};
use crate::pricing::{Beside, Ended, PriceWalk, Usage, volume_billed};
use crate::units::{Money, SimTime, Span};

/// A cluster's run if nothing ever got in its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ideal {
    /// Provision, start, work and saves, random spans at their means; nodes begin with full credits.
    pub makespan: Span,
    /// The same with random spans at their least: what no luck can beat.
    pub least: Span,
    /// Its bill at On-Demand prices, with what is billed beside its instances.
    pub on_demand_cost: Money,
}

/// What a plan takes with full luck.
pub(super) fn ideal(plan: &Plan) -> Ideal {
    if let Some(mode) = &plan.tick {
        return ideal_in_ticks(plan, mode);
    }
    let work = plan.uninterrupted();
    let bring_up = |span: &dyn Fn(&Law) -> f64, law: &Law| match plan.start.on_first {
        true => law.is_constant().unwrap_or_else(|| Span::from_secs_saturating(span(law))),
        false => Span::ZERO,
    };
    let mean = |law: &Law| law.mean_s();
    let least = |law: &Law| law.least_s();
    let start = &plan.start;
    let until_ready =
        |span: &dyn Fn(&Law) -> f64| start.until_ready().map(|law| bring_up(span, law)).sum::<Span>();
    let running = until_ready(&mean) + work;
    let (from, to) = (SimTime::ZERO, SimTime::ZERO + running);
    let bill = plan.on_demand.bill(&mut PriceWalk::default(), from, to, Ended::Released, |_| {}).cost;
    let nodes = i64::from(plan.nodes);
    let makespan = bring_up(&mean, &start.provision) + running;
    let beside = plan.extras.as_ref().map(|extras| {
        let steps = plan.work.steps;
        let (saves, save_ns) = match &plan.work.burst {
            None => saves(&plan.cycle, steps, extras.keep),
            Some(burst) => saves(&burst.cycle(plan.cycle, burst.full, steps), steps, extras.keep),
        };
        let billed_ns = u128::from(volume_billed(makespan).ns());
        let volumes = plan.nodes.saturating_sub(extras.save_volumes);
        let usage = Usage {
            saves,
            save_ns,
            restores: 0,
            nodes_started: if start.on_first { u64::from(plan.nodes) } else { 0 },
            volume_ns: u128::from(volumes) * billed_ns,
            held_ns: billed_ns,
            ..Usage::default()
        };
        Beside::of(&extras.charges, &usage).total()
    });
    let instances = Money::from_nusd(bill.nusd().saturating_mul(nodes));
    Ideal {
        makespan,
        least: bring_up(&least, &start.provision) + until_ready(&least) + plan.soonest(),
        on_demand_cost: instances.saturating_add(beside.unwrap_or_default()),
    }
}

/// The same in tick mode: whole ticks.
fn ideal_in_ticks(plan: &Plan, mode: &TickMode) -> Ideal {
    let needed = mode.overhead + plan.uninterrupted();
    let makespan = mode.tick.times(needed.ns().div_ceil(mode.tick.ns()));
    let (from, to) = (SimTime::ZERO, SimTime::ZERO + makespan);
    let bill = plan.on_demand.bill(&mut PriceWalk::default(), from, to, Ended::Released, |_| {}).cost;
    let on_demand_cost = Money::from_nusd(bill.nusd().saturating_mul(i64::from(plan.nodes)));
    Ideal { makespan, least: makespan, on_demand_cost }
}

/// Saves of a run of `steps` steps without interruption, and how long the first `keep` lie stored until its
/// end, ns; those after them take their places.
fn saves(cycle: &Cycle<impl Pace>, steps: u64, keep: u64) -> (u64, u128) {
    let written = cycle.written_in_all(steps);
    let stored = written.durable.min(keep);
    let until_end = u128::from(stored) * u128::from(cycle.duration(steps).ns());
    (written.begun + u64::from(cycle.ends_with_save()), until_end - cycle.durable_ns(stored))
}

/// Says before any simulation what no replication can do.
pub(super) fn warn_of_limits(own: &Table, plan: &Plan, sink: &Sink) {
    if let Some(deadline) = plan.deadline.filter(|deadline| *deadline > plan.horizon) {
        let title = format!("the horizon of {} ends runs before the deadline of {deadline}", plan.horizon);
        let label = "what has not ended by then counts as late; make `job.horizon` longer";
        sink.report(Problem::warning(title).at(own.place, label));
    }
    let ideal = ideal(plan);
    let provision = if plan.start.on_first { plan.start.provision.mean_s() } else { 0.0 };
    let run = ideal.makespan.saturating_sub(Span::from_secs_saturating(provision));
    let h = |span: Span| format!("{:.2} h", span.as_hours());
    if let Some(max_run) = plan.limits.max_run.filter(|&max_run| run > max_run) {
        let title = format!(
            "the ideal run takes {}, {} more than max_run = {max_run}: no replication can finish",
            h(run),
            h(run - max_run)
        );
        sink.report(Problem::warning(title).at(own.place, "waiting longer does not help"));
    }
    if let Some(max_wait) = plan.limits.max_wait {
        if ideal.makespan > max_wait {
            let title = format!("the ideal run takes {}, more than max_wait = {max_wait}", h(ideal.makespan));
            sink.report(Problem::warning(title).at(own.place, "no replication can finish"));
        } else if (max_wait - ideal.makespan).times(10) < ideal.makespan {
            let slack = max_wait - ideal.makespan;
            let title = format!(
                "max_wait leaves {slack} over the ideal run; any longer wait or interruption ends it"
            );
            sink.report(Problem::warning(title).at(own.place, ""));
        }
    }
}
