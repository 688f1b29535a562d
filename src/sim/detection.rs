//! Between a loss and its detection: survivors hang in a collective that cannot end.

use super::engine::{EFFORT_MAX, Replication};
use super::observer::Observer;
use super::outcome::{End, Part, Reason};
use crate::rng::Source;
use crate::units::{SimTime, Span};

impl<O: Observer, const FULL: bool, const LONE: bool> Replication<'_, O, FULL, LONE> {
    /// Lets the survivors of a gang that broke now hang until they notice, the last of them is gone, the
    /// policy leaves Spot, or a rule or the horizon ends the replication, which is then given. The time
    /// is that of a step that never ends: training to `max_run`, and lost (rule 37).
    pub(super) fn hang(&mut self) -> Option<End> {
        let detected_at = self.now + self.draw(Source::Detection, &self.plan.start.detection);
        let run_limit = self.attempt_limit(self.now);
        loop {
            self.effort += self.slots.len() as u64;
            if self.effort > EFFORT_MAX {
                return Some(End::GaveUp(Reason::TooManyEvents));
            }
            let survivors = self.slots.iter().filter_map(|slot| slot.node());
            let dies = survivors.map(|node| node.dies).min();
            let leave_at = self.leave_spot_at();
            if dies.is_none() || self.now >= detected_at.min(leave_at) {
                return None;
            }
            let taken_at = dies.unwrap_or(SimTime::NEVER).min(self.next_change_from_outside());
            let stop_at = run_limit.min(leave_at);
            let next = detected_at.min(taken_at).min(stop_at);
            let span = next.since(self.now);
            self.run_used += span;
            self.book(Part::Lost, span, self.now);
            let absent = self.slots.iter().filter(|slot| slot.node().is_none()).count();
            self.absent_node_ns += absent as u128 * u128::from(span.ns());
            self.now = next;
            if taken_at <= next {
                self.take_losses();
            }
            if next < detected_at
                && let Some(end) = self.end_by_clock()
            {
                return Some(end);
            }
        }
    }

    /// Whether survivors may hang at all.
    #[inline]
    pub(super) fn may_hang(&self) -> bool {
        self.plan.start.detection.is_constant() != Some(Span::ZERO)
    }
}
