//! Spot where it can be had; On-Demand while the job is behind an even pace.

use super::{AtTick, Running, TickView};
use crate::units::Span;

/// `[policy.thresholds]`: takes Spot whenever it can be had. Without it, On-Demand while less work is done than an
/// even pace from submit to the deadline would have done, else nothing. It has no hysteresis, so it may change
/// markets again and again (`rc_threshold` of Wu et al., NSDI 2024).
///
/// * `deadline`, since submit.
/// * `keep_on_demand`: without Spot, On-Demand nodes are kept even when the job is ahead.
/// * `dwell`: a change of mind comes no sooner than so long after the one before; event mode only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thresholds {
    /// When the job must be done, since submit.
    pub deadline: Span,
    /// Whether On-Demand nodes are kept when the job is ahead and Spot is not to be had.
    pub keep_on_demand: bool,
    /// The least time between two changes of mind.
    pub dwell: Span,
}

impl AtTick for Thresholds {
    #[inline]
    fn at_tick(&mut self, view: &TickView<'_>) -> Running {
        let kept = self.keep_on_demand && view.running == Running::OnDemand;
        let choice = match view.spot {
            true => Running::Spot,
            false if kept || is_behind(view) => Running::OnDemand,
            false => Running::Nothing,
        };
        view.with_safety_net(choice)
    }

    #[inline]
    fn holds(&self, view: &TickView<'_>, choice: Running) -> u64 {
        match choice {
            Running::Spot => u64::MAX,
            Running::Nothing => view.calm_ticks(2.0).min(view.ticks_to_fall_behind()),
            Running::OnDemand if view.spot => view.on_demand_to_the_end(),
            Running::OnDemand if self.keep_on_demand => u64::MAX,
            Running::OnDemand => {
                view.on_demand_to_the_end().max(view.ticks_to_gain(view.line_s(view.now_s()) - view.done_s()))
            }
        }
    }
}

/// Whether less is done than at the even pace.
#[inline]
pub(super) fn is_behind(view: &TickView<'_>) -> bool {
    view.done_s() - view.line_s(view.now_s()) < 0.0
}
