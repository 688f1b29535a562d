//! The loop over ticks.

use crate::policy::{AtTick, BURNT_S, Running, TickJob, TickView};

/// Work left of no more than this is none, seconds.
const DONE_S: f64 = 1e-3;

/// How a job in tick mode is run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TickRules {
    /// The job.
    pub job: TickJob,
    /// Whether a net below every policy goes to On-Demand at the last tick from which the deadline holds.
    pub engine_net: bool,
    /// A job that is not done after so many ticks is given up.
    pub ticks_max: u64,
}

/// What a job in tick mode came to.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Ticked {
    /// Whether all work is done.
    pub is_done: bool,
    /// Ticks from submit to the end.
    pub ticks: u64,
    /// Ticks with Spot nodes.
    pub spot_ticks: u64,
    /// Ticks with On-Demand nodes.
    pub on_demand_ticks: u64,
    /// Times at which Spot nodes were taken back.
    pub preemptions: u64,
    /// Work left, seconds.
    pub left_s: f64,
}

/// Ticks in which the same runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stretch {
    /// The first of them.
    pub tick: u64,
    /// How many.
    pub ticks: u64,
    /// What runs.
    pub running: Running,
    /// Whether it is a new instance.
    pub is_new: bool,
    /// Whether Spot can be had.
    pub spot: bool,
    /// What of it is worked, seconds.
    pub worked_s: f64,
}

/// Runs one job through its ticks. `spot` says whether Spot can be had in a tick, and the first tick after it in which
/// that may differ; it is asked in order. `see` is told what runs, in order.
///
/// The rules are those of the simulator of Wu et al., NSDI 2024, in the version of andylizf/skynomad-artifact
/// (commit 62b9aaa1942e): what is seen at the begin of a tick holds for all of it, no work is lost, a new
/// instance burns the overhead before it works, and whole ticks are billed. Ticks in which nothing can change
/// ([`AtTick::holds`]) are taken at once.
#[inline]
pub fn ticks(
    rules: &TickRules,
    policy: &mut impl AtTick,
    mut spot: impl FnMut(u64) -> (bool, u64),
    mut see: impl FnMut(&Stretch),
) -> Ticked {
    let TickJob { tick_s, task_s, overhead_s, .. } = rules.job;
    let mut out = Ticked { left_s: task_s, ..Ticked::default() };
    let (mut running, mut burning_s, mut done_s) = (Running::Nothing, 0.0_f64, 0.0_f64);
    loop {
        let (has_spot, until) = spot(out.ticks);
        let before = running;
        if running == Running::Spot && !has_spot {
            running = Running::Nothing;
            out.preemptions += 1;
        }
        out.left_s = task_s - done_s;
        out.is_done = out.left_s <= DONE_S;
        if out.is_done || out.ticks >= rules.ticks_max {
            return out;
        }
        let view = TickView {
            job: &rules.job,
            tick: out.ticks,
            running,
            burning_s,
            left_s: out.left_s,
            spot: has_spot,
        };
        let mut choice = policy.at_tick(&view);
        let critical = rules.engine_net && view.is_critical(1.0);
        if critical {
            let is_warm = before == Running::Spot && burning_s < BURNT_S;
            choice = if is_warm { Running::Spot } else { Running::OnDemand };
        }
        if choice == Running::Spot && !has_spot {
            choice = if critical { Running::OnDemand } else { Running::Nothing };
        }
        let is_new = choice != Running::Nothing && choice != running;
        if is_new {
            burning_s = overhead_s;
        }
        let mut ticks = 1;
        let mut worked_s = 0.0;
        // At most to the next change of Spot, and to where a job is given up.
        let ticks_left = until.min(rules.ticks_max) - out.ticks;
        if choice == Running::Nothing {
            ticks = policy.holds(&view, choice).min(ticks_left);
            if rules.engine_net {
                ticks = ticks.min(view.calm_ticks(1.0));
            }
        } else if burning_s > 0.0 {
            worked_s = (tick_s - burning_s).max(0.0);
            burning_s -= tick_s - worked_s;
            if burning_s < BURNT_S {
                burning_s = 0.0;
            }
        } else {
            // All but the last ticks of the work, which may be cut short.
            let whole = ((out.left_s / tick_s) as u64).saturating_sub(1).max(1);
            ticks = policy.holds(&view, choice).min(ticks_left).min(whole);
            worked_s = ticks as f64 * tick_s;
        }
        worked_s = worked_s.min(out.left_s);
        done_s += worked_s;
        see(&Stretch { tick: out.ticks, ticks, running: choice, is_new, spot: has_spot, worked_s });
        match choice {
            Running::Nothing => {}
            Running::Spot => out.spot_ticks += ticks,
            Running::OnDemand => out.on_demand_ticks += ticks,
        }
        running = choice;
        out.ticks += ticks;
    }
}
