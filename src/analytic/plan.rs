//! What a cluster of a scenario should come to, where theory reaches.

use super::{Renewal, SEGMENTS_MAX, Start, Uptime};
use crate::capacity::on_off;
use crate::capacity::path::Path;
use crate::capacity::renewal::Begin;
use crate::capacity::{Kind, Law};
use crate::policy::Policy;
use crate::pricing::Tariff;
use crate::scenario::plan::{self, Capacity, Limits, OnLoss, Plan, SavedOn, Work};
use crate::units::Span;

/// Expected makespan and instance dollars of a cluster that runs until it is done: the horizon is left out, so it
/// compares with simulations of which every replication finished.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Theory {
    /// Mean from submit to finish, hours; infinite where it may never finish.
    pub makespan_h: f64,
    /// Mean dollars of the instances, where the tariff makes them a formula too. What is billed beside
    /// them is not in it.
    pub instances_usd: Option<f64>,
}

/// Why theory does not reach a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OutOfDomain {
    /// Another policy than Spot alone.
    #[error("its policy may leave Spot")]
    Policy,
    /// Things happen at whole ticks.
    #[error("it is simulated tick by tick")]
    Ticks,
    /// Nothing is ever lost.
    #[error("nothing interrupts it")]
    NoLosses,
    /// The gang trains with fewer nodes too, or nodes wait beside it.
    #[error("it is elastic or has spares, so a loss is not the end of its gang")]
    Elastic,
    /// Some of the gang's nodes are On-Demand.
    #[error("some nodes of its Spot gang are On-Demand")]
    Mixed,
    /// A gang may move.
    #[error("it may be in several zones or on several instance types")]
    Zones,
    /// Survivors of a gang are kept.
    #[error("survivors are kept, so a gang is not renewed as a whole")]
    Survivors,
    /// Losses of a kind that does not renew itself.
    #[error("its losses are not independent uptimes of one law from a fresh start")]
    Losses,
    /// A span of the start or of acquiring that varies.
    #[error("the start of a gang varies or waits while capacity may go")]
    Start,
    /// More segments than the recursion is worth.
    #[error("it saves more than {SEGMENTS_MAX} times")]
    TooManySegments,
    /// Steps are of two lengths.
    #[error("burst credits run out on the way")]
    Credits,
    /// Saves that no recursion over segments covers.
    #[error("it saves at a notice, on local drives or, at its end, beside training")]
    Saves,
    /// A limit may end the run.
    #[error("a limit may end it early")]
    Limits,
}

/// Expected makespan and cost of `plan`, or why there is no formula for them.
pub fn theory(plan: &Plan) -> Result<Theory, OutOfDomain> {
    let job = in_domain(plan)?;
    if job.segments() > SEGMENTS_MAX {
        return Err(OutOfDomain::TooManySegments);
    }
    let expected = job.expected();
    let acquire_s = plan.capacity.acquire_first.mean_s();
    let instances_usd = reclaimed_nodes(plan, &job).map(|reclaimed| {
        let released = f64::from(plan.nodes) - reclaimed;
        // Only a node that the provider takes is free, and only one that we give back has a minimum.
        let node_s = reclaimed * expected.billed_s
            + released * (expected.billed_s + expected.free_s + expected.topped_up_s);
        plan.spot.price.as_usd_per_hour() * node_s / 3_600.0
    });
    Ok(Theory { makespan_h: (acquire_s + expected.makespan_s) / 3_600.0, instances_usd })
}

/// `plan` as a job of [`Renewal`], from the grant of the first gang on, or why it is none.
///
/// Saves are taken to be evenly spaced: where `every` is not a whole number of steps, each falls up to a
/// step later, which is left out.
pub fn in_domain(plan: &Plan) -> Result<Renewal<'_>, OutOfDomain> {
    // All fields by name, so that whoever adds one decides here what it means for theory.
    let Plan {
        nodes,
        on_loss,
        elastic,
        spares,
        policy,
        max_price,
        on_demand_nodes,
        tick,
        work: Work { steps, step, burst },
        cycle,
        notice,
        saved_on,
        start,
        capacity,
        elsewhere,
        choose_zone: _,
        moves: _,
        failures,
        spot,
        on_demand: _,
        extras: _,
        limits: Limits { max_run, max_wait, max_restarts, attempts_without_progress },
        deadline: _,
        horizon: _,
    } = plan;
    if *policy != Policy::SpotOnly {
        return Err(OutOfDomain::Policy);
    }
    if tick.is_some() {
        return Err(OutOfDomain::Ticks);
    }
    if elastic.is_some() || spares.is_some() {
        return Err(OutOfDomain::Elastic);
    }
    if max_run.is_some()
        || max_wait.is_some()
        || max_restarts.is_some()
        || attempts_without_progress.is_some()
    {
        return Err(OutOfDomain::Limits);
    }
    if !elsewhere.is_empty() {
        return Err(OutOfDomain::Zones);
    }
    if *on_demand_nodes > 0 {
        return Err(OutOfDomain::Mixed);
    }
    if failures.is_some() || max_price.is_some() {
        return Err(OutOfDomain::Losses);
    }
    if burst.is_some() {
        return Err(OutOfDomain::Credits);
    }
    // A single step has no periodic save.
    let final_save = cycle.duration(1) > step.total();
    if notice.is_some() || *saved_on != SavedOn::Store || final_save && !cycle.upload().is_zero() {
        return Err(OutOfDomain::Saves);
    }
    let (uptime, downtime_s) = losses(capacity, *nodes, *on_loss)?;
    let (first_start, restart) = starts(start)?;
    let step_s = step.total().as_secs();
    Ok(Renewal {
        uptime,
        work_s: *steps as f64 * step_s,
        interval_s: cycle.save(1, *steps).map(|save| save.steps as f64 * step_s),
        save_s: cycle.stall().as_secs(),
        first_start,
        restart,
        downtime_s,
        final_save,
        durable_lag_s: cycle.upload().as_secs(),
        free_before_s: spot.free_if_reclaimed_before.as_secs(),
        minimum_s: spot.minimum.as_secs(),
    })
}

/// The uptime of a gang and the mean wait after it.
fn losses(capacity: &Capacity, nodes: u32, on_loss: OnLoss) -> Result<(Uptime<'_>, f64), OutOfDomain> {
    let Capacity { path, zone: _, lifetime, notice: _, acquire, acquire_first, losses, shocks } = capacity;
    if !losses.is_empty() || !shocks.is_empty() {
        return Err(OutOfDomain::Losses);
    }
    match (path, lifetime) {
        (Path::Always, None) => Err(OutOfDomain::NoLosses),
        (Path::Always, Some(_)) if nodes > 1 && on_loss == OnLoss::Keep => Err(OutOfDomain::Survivors),
        (Path::Always, Some(law)) => {
            // Of several nodes the first granted would age while it waits for the others.
            let together = acquire.is_constant().is_some() && acquire_first.is_constant().is_some();
            let known = nodes == 1 || together;
            known.then_some((Uptime { law, nodes }, acquire.mean_s())).ok_or(OutOfDomain::Start)
        }
        // Every loss finds each process of the path up, so that gaps are independent of each other and of uptimes.
        (Path::OnOff(on_off), None)
            if on_off.begin_of_replications() == on_off::Begin::Up && on_off.hours().is_none() =>
        {
            let none = |law: &Law| law.is_constant() == Some(Span::ZERO);
            let uptime = Uptime { law: on_off.uptime(), nodes: 1 };
            let at_once = none(acquire) && none(acquire_first);
            at_once.then_some((uptime, on_off.means().gap.as_secs())).ok_or(OutOfDomain::Start)
        }
        // The path takes all nodes at once, whatever their number.
        (Path::Renewal(renewal), None) if renewal.begin == Begin::Fresh => {
            let none = |law: &Law| law.is_constant() == Some(Span::ZERO);
            let at_once = none(acquire) && none(acquire_first);
            let uptime = Uptime { law: &renewal.uptime, nodes: 1 };
            at_once.then_some((uptime, renewal.gap.mean_s())).ok_or(OutOfDomain::Start)
        }
        _ => Err(OutOfDomain::Losses),
    }
}

/// The first start and every later one.
fn starts(plan: &plan::Start) -> Result<(Start, Start), OutOfDomain> {
    let plan::Start { provision, start, phases, restore, detection, on_first } = plan;
    let constant_s = |law: &Law| law.is_constant().map(Span::as_secs).ok_or(OutOfDomain::Start);
    let unbilled_s = constant_s(provision)?;
    if detection.is_constant() != Some(Span::ZERO) {
        return Err(OutOfDomain::Start);
    }
    let phases_s: Result<Vec<f64>, _> = phases.iter().map(|phase| constant_s(&phase.law)).collect();
    let start_s = constant_s(start)? + phases_s?.iter().sum::<f64>();
    let restore_s = constant_s(restore)?;
    let fresh = Start { length_s: unbilled_s + start_s, unbilled_s };
    let first = if *on_first { fresh } else { Start::default() };
    Ok((first, Start { length_s: fresh.length_s + restore_s, ..fresh }))
}

/// How many nodes of a lost gang the provider takes, the others being given back; `None` where that varies
/// and matters, or where a bill is not price × time but for a minimum and a free beginning.
fn reclaimed_nodes(plan: &Plan, job: &Renewal<'_>) -> Option<f64> {
    let Tariff { price: _, changing, minimum, free_if_reclaimed_before, whole_hours } = &plan.spot;
    let shortest_s = job.first_start.length_s.min(job.restart.length_s - job.restart.unbilled_s);
    if changing.is_some() || *whole_hours || shortest_s + job.last_segment_s() < minimum.as_secs() {
        return None;
    }
    let nodes = f64::from(plan.nodes);
    if minimum.is_zero() && free_if_reclaimed_before.is_zero() {
        return Some(nodes);
    }
    match &plan.capacity.lifetime {
        Some(law) if plan.nodes > 1 && law.is_constant().is_none() => {
            let ties = law.cap().is_some() || matches!(law.kind(), Kind::Empirical(_));
            (!ties).then_some(1.0)
        }
        _ => Some(nodes),
    }
}
