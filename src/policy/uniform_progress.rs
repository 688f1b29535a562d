//! An even pace to the deadline, with as few changes of market as that needs.

use super::thresholds::is_behind;
use super::{AtTick, Running, Stage, TickView, View};
use crate::units::{SimTime, Span};

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
    /// See [`super::Policy::leave_spot_at`].
    pub fn leave_spot_at(&self, view: &View) -> SimTime {
        let net = view.net(self.deadline);
        let rests = view.stage == Stage::Waiting && !view.has_spot();
        if rests { net.min(view.behind_at(self.deadline)) } else { net }
    }

    /// See [`super::Policy::leaves_on_demand`].
    pub fn leaves_on_demand(&self, view: &View) -> Option<Running> {
        let stays = !view.has_spot() || view.is_critical(self.deadline) || !self.is_ahead(view);
        (!stays).then_some(Running::Spot)
    }

    /// Whether the even pace is beaten by [`Self::ahead`] restarts.
    fn is_ahead(&self, view: &View) -> bool {
        let margin = Span::from_secs_saturating(self.ahead * view.restart.as_secs());
        let then = (view.now + margin).since_submit();
        u128::from(then.ns()) * u128::from(view.total.ns())
            < u128::from(view.done().ns()) * u128::from(self.deadline.ns())
    }

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::view::tests::{h, view};

    /// 2 of 8 h are done, as at 2.5 of 10 h at an even pace; with two restarts of half an hour it must be before
    /// 1.5 h.
    #[test]
    fn it_leaves_on_demand_only_when_ahead_by_two_restarts() {
        let policy = UniformProgress { deadline: h(10.0), ahead: 2.0 };
        let on = |now: f64, spot: bool| View {
            spot_since: spot.then_some(SimTime::ZERO),
            restart: h(0.5),
            ..view(Stage::Training, now)
        };
        assert_eq!(policy.leaves_on_demand(&on(1.4, true)), Some(Running::Spot));
        assert_eq!(policy.leaves_on_demand(&on(1.5, true)), None);
        assert_eq!(policy.leaves_on_demand(&on(1.4, false)), None);
        let once = UniformProgress { ahead: 1.0, ..policy };
        assert_eq!(once.leaves_on_demand(&on(1.9, true)), Some(Running::Spot));
    }

    #[test]
    fn where_spot_is_it_waits_for_the_net_alone() {
        let policy = UniformProgress { deadline: h(10.0), ahead: 2.0 };
        let rests = View { restart: h(0.5), ..view(Stage::Waiting, 0.0) };
        assert_eq!(policy.leave_spot_at(&rests), SimTime::ZERO + h(2.5) + Span::from_ns(1));
        let has_spot = View { spot_since: Some(SimTime::ZERO), ..rests };
        assert_eq!(policy.leave_spot_at(&has_spot), SimTime::ZERO + h(3.0));
    }
}
