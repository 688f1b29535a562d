//! Burst credits of the network (docs/semantics.md, rules 25 to 28).

use super::engine::{Attempt, Replication};
use super::gang::State;
use super::observer::Observer;
use crate::units::{SimTime, Span};

impl<O: Observer> Replication<'_, O> {
    /// Burst training that the complete gang can pay for if it trains from `training_at`: as much as its
    /// emptiest node can.
    #[inline]
    pub(super) fn gang_credit(&self, training_at: SimTime) -> Span {
        let Some(burst) = &self.plan.work.burst else { return Span::ZERO };
        let idle = training_at.since(self.idle_since);
        let held = self.slots.iter().filter_map(|slot| slot.node());
        held.map(|node| burst.refilled(node.credit, idle)).min().unwrap_or(Span::ZERO)
    }

    /// Every node pays for the burst's share of the first `stepping` of step time of an attempt that ends
    /// now, lost steps included. A node that cannot pay for the whole of the burst's last step is empty.
    #[inline]
    pub(super) fn spend_credits(&mut self, attempt: &Attempt, stepping: Span) {
        let Some(burst) = &self.plan.work.burst else { return };
        if self.now < attempt.training_at {
            return; // Still idle.
        }
        let spent = stepping.min(attempt.cycle.stepping(attempt.cycle.burst_steps()));
        let idle = attempt.training_at.since(self.idle_since);
        for slot in self.slots.iter_mut() {
            if let State::Held(node) = &mut slot.state {
                node.credit = burst.refilled(node.credit, idle).saturating_sub(spent);
            }
        }
        self.idle_since = self.now;
    }
}
