//! Spot while the deadline allows it, then On-Demand to the end.

use super::{AtTick, Running, TickView, View};
use crate::units::{SimTime, Span};

/// `[policy.greedy]`: takes Spot whenever it can be had, and moves to On-Demand for good at the last
/// instant from which On-Demand, started from the newest durable save, still meets the deadline.
///
/// While nothing is held it leaves one restart earlier, as the published rule does: a Spot node that
/// came now and went at once would otherwise cost the deadline (Wu et al., NSDI 2024, "safety net":
/// `R(t) < C(t) + 2d`). The published simulators lose no work, so there a warmed-up Spot node may be
/// kept inside that window; here unsaved steps are at stake, so it is left too. With free saves at
/// every step the two rules are one.
///
/// * `deadline`, since submit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Greedy {
    /// When the job must be done, since submit.
    pub deadline: Span,
}

impl Greedy {
    /// See [`super::Policy::leave_spot_at`].
    pub fn leave_spot_at(&self, view: &View) -> SimTime {
        view.net(self.deadline)
    }
}

impl AtTick for Greedy {
    #[inline]
    fn at_tick(&mut self, view: &TickView<'_>) -> Running {
        view.with_safety_net(if view.spot { Running::Spot } else { Running::Nothing })
    }

    #[inline]
    fn holds(&self, view: &TickView<'_>, choice: Running) -> u64 {
        match choice {
            Running::Nothing => view.calm_ticks(2.0),
            Running::Spot => u64::MAX,
            Running::OnDemand => view.on_demand_to_the_end(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Stage;
    use crate::policy::view::tests::{h, view};

    fn leaves_at_h(stage: Stage) -> f64 {
        Greedy { deadline: h(10.0) }.leave_spot_at(&view(stage, 0.0)).since_submit().as_hours()
    }

    #[test]
    fn a_gang_that_waits_leaves_one_restart_earlier() {
        assert_eq!(leaves_at_h(Stage::Waiting), 2.0);
        assert_eq!(leaves_at_h(Stage::Preparing), 3.0);
        assert_eq!(leaves_at_h(Stage::Training), 3.0);
    }
}
