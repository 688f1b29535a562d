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
        let most = (until - out.ticks).min(rules.ticks_max - out.ticks);
        if choice == Running::Nothing {
            ticks = policy.holds(&view, choice).min(most);
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
            ticks = policy.holds(&view, choice).min(most).min(whole);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Greedy, SpotOnly, Thresholds, UniformProgress};
    use crate::units::Span;
    use proptest::prelude::*;

    /// A policy that is asked at each tick.
    struct Patient<P>(P);

    impl<P: AtTick> AtTick for Patient<P> {
        fn at_tick(&mut self, view: &TickView<'_>) -> Running {
            self.0.at_tick(view)
        }
    }

    /// What runs in each tick, and the outcome.
    fn by_tick(rules: &TickRules, policy: &mut impl AtTick, runs: &[u64]) -> (Vec<Running>, Ticked) {
        let spot = |tick: u64| {
            let mut end = 0;
            for (index, run) in runs.iter().enumerate() {
                end += run;
                if tick < end {
                    return (index % 2 == 0, end);
                }
            }
            (false, u64::MAX)
        };
        let mut ran = Vec::new();
        let ticked = ticks(rules, policy, spot, |stretch| {
            ran.extend((0..stretch.ticks).map(|_| stretch.running));
        });
        (ran, ticked)
    }

    fn agree<P: AtTick + Copy>(rules: &TickRules, policy: P, runs: &[u64]) -> Result<(), TestCaseError> {
        let (ran, ticked) = by_tick(rules, &mut policy.clone(), runs);
        let (asked, each) = by_tick(rules, &mut Patient(policy), runs);
        prop_assert_eq!(ran, asked);
        let close = (ticked.left_s - each.left_s).abs() < 1e-6;
        prop_assert!(close, "{} and {} s left", ticked.left_s, each.left_s);
        prop_assert_eq!(Ticked { left_s: 0.0, ..ticked }, Ticked { left_s: 0.0, ..each });
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        /// Taking ticks at once changes nothing, whatever the lengths: no overhead, one longer than a tick, a deadline
        /// between two ticks or too short.
        #[test]
        fn ticks_taken_at_once_are_the_ticks_one_by_one(
            runs in prop::collection::vec(1..40_u64, 0..12),
            tick_s in prop::sample::select(vec![195.0, 300.0, 600.0, 61.7]),
            task_h in 0.0..24.0_f64,
            factor in 0.9..2.5_f64,
            overhead_s in prop::sample::select(vec![0.0, 72.0, 195.0, 720.0, 1_000.3]),
            engine_net: bool,
            ahead in 0.0..3.0_f64,
        ) {
            let (task_s, deadline_s) = (task_h * 3_600.0, task_h * factor * 3_600.0 + 400.0);
            let job = TickJob { tick_s, task_s, deadline_s, overhead_s };
            let rules = TickRules { job, engine_net, ticks_max: 2_000 };
            let deadline = Span::from_secs_saturating(deadline_s);
            agree(&rules, SpotOnly, &runs)?;
            agree(&rules, Greedy { deadline }, &runs)?;
            agree(&rules, UniformProgress { deadline, ahead }, &runs)?;
            for keep_on_demand in [false, true] {
                agree(&rules, Thresholds { deadline, keep_on_demand, dwell: Span::ZERO }, &runs)?;
            }
        }
    }
}
