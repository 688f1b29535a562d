//! Burst credits of the network: rules 25 to 27.

use super::engine::Replication;
use super::observer::Observer;
use crate::scenario::plan::Burst;
use crate::units::{SimTime, Span};

impl<O: Observer, const FULL: bool, const LONE: bool> Replication<'_, O, FULL, LONE> {
    /// Burst training that the complete gang can pay for if it trains from `training_at`: as much as its
    /// emptiest node can.
    pub(super) fn gang_credit(&self, burst: &Burst, training_at: SimTime) -> Span {
        let idle = training_at.since(self.idle_since);
        let credits = self.slots.iter().map(|slot| burst.refilled(slot.credit, idle));
        credits.min().expect("a gang has a node")
    }

    /// Every node pays for `spent` of burst steps, lost ones included, of an attempt that would train from
    /// `training_at` and ends now. A node that cannot pay for the whole of the last step is empty.
    pub(super) fn spend_credits(&mut self, burst: &Burst, training_at: SimTime, spent: Span) {
        if self.now < training_at {
            return; // Idle all the time, and still.
        }
        let idle = training_at.since(self.idle_since);
        for slot in self.slots.iter_mut() {
            slot.credit = burst.refilled(slot.credit, idle).saturating_sub(spent);
        }
        self.idle_since = self.now;
    }
}
