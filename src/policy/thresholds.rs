//! Spot where it can be had; On-Demand while the job is behind an even pace.

use super::{AtTick, Running, Stage, TickView, View};
use crate::units::{SimTime, Span};

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

impl Thresholds {
    /// See [`super::Policy::leave_spot_at`].
    pub fn leave_spot_at(&self, view: &View) -> SimTime {
        let net = view.net(self.deadline);
        match view.stage {
            Stage::Waiting if !view.has_spot() => {
                net.min(view.behind_at(self.deadline).max(view.settled_until))
            }
            _ => net,
        }
    }

    /// See [`super::Policy::leaves_on_demand`].
    pub fn leaves_on_demand(&self, view: &View) -> Option<Running> {
        if view.now < view.settled_until || view.is_critical(self.deadline) {
            return None;
        }
        if view.has_spot() {
            return Some(Running::Spot);
        }
        let is_behind = view.now >= view.behind_at(self.deadline);
        (!self.keep_on_demand && !is_behind).then_some(Running::Nothing)
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::view::tests::{h, view};

    const DEADLINE: Span = Span::from_s(36_000);

    fn policy(keep_on_demand: bool) -> Thresholds {
        Thresholds { deadline: DEADLINE, keep_on_demand, dwell: Span::from_s(60) }
    }

    /// 2 of 8 h are done: behind after 2.5 of 10 h; but the net calls after 10 - 6 - 2 h already.
    #[test]
    fn without_spot_it_leaves_when_it_falls_behind_or_the_net_calls() {
        let early = View { remaining: h(6.0), restart: Span::ZERO, ..view(Stage::Waiting, 0.0) };
        let behind = SimTime::ZERO + h(2.5) + Span::from_ns(1);
        assert_eq!(policy(false).leave_spot_at(&early), behind);
        assert_eq!(policy(false).leave_spot_at(&view(Stage::Waiting, 0.0)), SimTime::ZERO + h(2.0));
        let settled = View { settled_until: SimTime::ZERO + h(3.0), ..early };
        assert_eq!(policy(false).leave_spot_at(&settled), settled.settled_until);
    }

    #[test]
    fn it_leaves_on_demand_for_spot_at_once_and_for_nothing_when_it_is_not_behind() {
        let on = |now: f64, spot: bool| View {
            spot_since: spot.then_some(SimTime::ZERO),
            restart: Span::ZERO,
            ..view(Stage::Training, now)
        };
        assert_eq!(policy(false).leaves_on_demand(&on(3.0, true)), Some(Running::Spot));
        assert_eq!(policy(false).leaves_on_demand(&on(3.0, false)), None);
        assert_eq!(policy(false).leaves_on_demand(&on(2.0, false)), Some(Running::Nothing));
        assert_eq!(policy(true).leaves_on_demand(&on(2.0, false)), None);
        let unsettled = View { settled_until: SimTime::ZERO + h(4.0), ..on(3.0, true) };
        assert_eq!(policy(false).leaves_on_demand(&unsettled), None);
    }
}
