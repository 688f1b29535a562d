//! Saves at a notice, and saves that go with their nodes: rules 30 to 32.

use super::engine::{Attempt, Replication};
use super::observer::Observer;
use super::outcome::Part;
use crate::checkpoint::{Cycle, Pace, Warned};
use crate::rng::Source;
use crate::scenario::plan::{OnLoss, SavedOn};
use crate::units::Span;

impl<O: Observer, const FULL: bool, const LONE: bool> Replication<'_, O, FULL, LONE> {
    /// Whether the job is told that the provider breaks its gang now, and listens.
    ///
    /// One draw for each gang that the provider broke, so that a loss has its notice whatever else is drawn.
    #[inline]
    pub(super) fn notice_comes(&self) -> bool {
        self.notice().is_some_and(|notice| {
            notice.probability >= 1.0 || {
                let (zone, broken) = (self.capacity.zone, u64::from(self.preemptions));
                let mut stream = self.streams.stream(Source::Notice, zone, self.replication, broken);
                stream.open01() < notice.probability
            }
        })
    }

    /// The steps of this attempt that a save at the notice of its loss, which is now, keeps, if one is kept.
    /// `goes_on` says that training went on from what came before, without a break.
    pub(super) fn steps_saved_at_notice(
        &self,
        attempt: Attempt,
        cycle: &Cycle<impl Pace>,
        goes_on: bool,
    ) -> Option<u64> {
        let notice = self.notice()?;
        let begun = attempt.training_at;
        if self.now <= begun {
            return None;
        }
        let lost = self.now.since(begun);
        // At a notice before the first step there is nothing to save, unless the job trains on.
        let seen = match lost < notice.ahead {
            true if notice.late || goes_on => Span::ZERO,
            true => return None,
            false => lost - notice.ahead,
        };
        let warned = Warned { seen, lost, save: notice.save, late: notice.late };
        cycle.steps_saved_at_notice(warned, attempt.steps)
    }

    /// Forgets all saves if the nodes that hold them are gone, or are about to be released after a loss;
    /// says whether it did.
    pub(super) fn forget_lost_saves(&mut self) -> bool {
        let released = self.plan.on_loss == OnLoss::Release;
        let gone = match self.plan.saved_on {
            SavedOn::Store => false,
            SavedOn::FirstNode => released || self.slots[0].node().is_none(),
            SavedOn::EveryNode => released || self.slots.iter().any(|slot| slot.node().is_none()),
        };
        if gone {
            let (steps, burst_steps) = (self.durable_steps, self.durable_burst_steps);
            let work = &self.plan.work;
            let burst = work.burst.map_or(Span::ZERO, |burst| burst.step.total());
            let stepped = work.step.total().times(steps - burst_steps) + burst.times(burst_steps);
            self.time.add(Part::Lost, stepped);
            (self.durable_steps, self.durable_burst_steps) = (0, 0);
            self.saved_in = None;
            self.observer.forgotten();
            self.observer.kept(self.now, 0);
        }
        gone
    }
}
