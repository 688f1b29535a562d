//! An even pace to the deadline, with as few changes of market as that needs.

use super::thresholds::is_behind;
use super::{AtTick, Running, TickView};
use crate::units::Span;

/// `[policy.uniform_progress]`: Spot where it can be had; On-Demand once the job is behind an even pace. It leaves
/// On-Demand for Spot only when it is ahead of that pace by what two changes of market cost (Wu et al., NSDI 2024,
/// "Uniform Progress").
///
/// * `deadline`, since submit.
/// * `ahead`, no unit: by how many restarts the job must be ahead before it leaves On-Demand; 2 as published.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UniformProgress {
    /// When the job must be done, since submit.
    pub deadline: Span,
    /// By how many restarts the job must be ahead before it leaves On-Demand.
    pub ahead: f64,
}

impl UniformProgress {
    /// Seconds of work that the job is behind the pace that allows to leave On-Demand; below zero it may.
    #[inline]
    fn behind_s(&self, view: &TickView<'_>) -> f64 {
        view.line_s(view.now_s() + self.ahead * view.job.overhead_s) - view.done_s()
    }
}

impl AtTick for UniformProgress {
    #[inline]
    fn at_tick(&mut self, view: &TickView<'_>) -> Running {
        let choice = match view.running {
            Running::OnDemand if !view.spot || self.behind_s(view) >= 0.0 => Running::OnDemand,
            _ if view.spot => Running::Spot,
            _ if is_behind(view) => Running::OnDemand,
            _ => Running::Nothing,
        };
        view.with_safety_net(choice)
    }

    #[inline]
    fn holds(&self, view: &TickView<'_>, choice: Running) -> u64 {
        match choice {
            Running::Spot => u64::MAX,
            Running::Nothing => view.calm_ticks(2.0).min(view.ticks_to_fall_behind()),
            Running::OnDemand if !view.spot => u64::MAX,
            Running::OnDemand => view.on_demand_to_the_end().max(view.ticks_to_gain(self.behind_s(view))),
        }
    }
}
