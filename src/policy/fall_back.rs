//! On-Demand while Spot is away, and back.

use super::{AtTick, Running, Stage, TickView, View};
use crate::units::{SimTime, Span};

/// `[policy.fall_back]`: Spot where it can be had, On-Demand as soon as it cannot, and back to Spot once it could be
/// had again for a while. It never waits, so it finishes about as soon as On-Demand does, and needs no deadline.
///
/// * `return_after`: how long Spot must have been to be had before it goes back.
/// * `dwell`: On-Demand nodes are kept for at least so long; event mode only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FallBack {
    /// How long Spot must have been to be had before it goes back.
    pub return_after: Span,
    /// How long On-Demand nodes are kept at least.
    pub dwell: Span,
}

impl FallBack {
    /// See [`super::Policy::leave_spot_at`].
    pub fn leave_spot_at(&self, view: &View) -> SimTime {
        let rests = view.stage == Stage::Waiting && !view.has_spot();
        if rests { view.settled_until.max(view.now) } else { SimTime::NEVER }
    }

    /// See [`super::Policy::leaves_on_demand`].
    pub fn leaves_on_demand(&self, view: &View) -> Option<Running> {
        let back_at = view.spot_since? + self.return_after;
        (view.now >= back_at.max(view.settled_until)).then_some(Running::Spot)
    }
}

/// The policy with what it remembers.
#[derive(Debug, Clone, Copy)]
pub struct FallBackTicks<'a> {
    /// The policy.
    pub policy: &'a FallBack,
    /// Begin of the tick since which Spot can be had, seconds.
    pub spot_since_s: Option<f64>,
}

impl AtTick for FallBackTicks<'_> {
    fn at_tick(&mut self, view: &TickView<'_>) -> Running {
        if !view.spot {
            self.spot_since_s = None;
            return Running::OnDemand;
        }
        let since = *self.spot_since_s.get_or_insert(view.now_s());
        let long_enough = view.now_s() - since >= self.policy.return_after.as_secs();
        if view.running == Running::OnDemand && !long_enough { Running::OnDemand } else { Running::Spot }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::TickJob;

    #[test]
    fn it_goes_back_once_spot_was_there_for_a_while() {
        let job = TickJob { tick_s: 600.0, task_s: 36_000.0, deadline_s: f64::INFINITY, overhead_s: 0.0 };
        let policy = FallBack { return_after: Span::from_s(1_200), dwell: Span::ZERO };
        let mut memory = FallBackTicks { policy: &policy, spot_since_s: None };
        let mut running = Running::Nothing;
        let spot = [true, false, true, true, true];
        let found: Vec<Running> = (0..5)
            .map(|tick| {
                if running == Running::Spot && !spot[tick as usize] {
                    running = Running::Nothing;
                }
                let (burning_s, left_s) = (0.0, 36_000.0);
                running = memory.at_tick(&TickView {
                    job: &job,
                    tick,
                    running,
                    burning_s,
                    left_s,
                    spot: spot[tick as usize],
                });
                running
            })
            .collect();
        let (spot, on_demand) = (Running::Spot, Running::OnDemand);
        assert_eq!(found, [spot, on_demand, on_demand, on_demand, spot]);
    }
}
