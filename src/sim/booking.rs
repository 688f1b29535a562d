//! Where the time and the steps of an attempt go.

use super::engine::{Attempt, Left, Replication};
use super::observer::{Observer, PhaseSpan};
use super::outcome::Part;
use super::trained::Fates;
use crate::checkpoint::{Cycle, Pace, Progress};
use crate::scenario::plan::StepParts;
use crate::units::{SimTime, Span};

impl Left {
    /// Where an attempt of `steps` steps stands that ends so after `training`.
    #[inline(always)]
    pub(super) fn stands(self, cycle: &Cycle<impl Pace>, training: Span, steps: u64) -> Progress {
        let all_of = |durable_steps| {
            let stepping = cycle.stepping(durable_steps);
            Progress { durable_steps, saves: 1, stepping, stall: training - stepping }
        };
        match self {
            Self::Done => all_of(steps),
            // From the save at the notice on, steps stand still.
            Self::Noticed(saved) => all_of(saved),
            Self::Durable => cycle.progress(training, steps),
        }
    }
}

impl<O: Observer, const FULL: bool, const LONE: bool> Replication<'_, O, FULL, LONE> {
    /// Books what lies before the training of an attempt that went on until now; gives the time since.
    #[inline(always)]
    pub(super) fn book_until_now(&mut self, attempt: Attempt) -> Span {
        let Attempt { begun, starting, restoring, .. } = attempt;
        let length = self.now.since(begun);
        self.run_used += length;
        let start = length.ns().min(starting.ns());
        let restore = (length.ns() - start).min(restoring.ns());
        let training = length.ns() - start - restore;
        let (start, restore, training) =
            (Span::from_ns(start), Span::from_ns(restore), Span::from_ns(training));
        self.book(Part::Starting, start, begun);
        self.book(Part::Restoring, restore, begun + start);
        self.observer.phase(PhaseSpan { part: Part::Computing, from: begun + start + restore, to: self.now });
        training
    }

    /// Books an attempt that went on until now; gives the number of new durable saves.
    #[inline(always)]
    pub(super) fn book_attempt(&mut self, attempt: Attempt, cycle: &Cycle<impl Pace>, left: Left) -> u64 {
        let Attempt { training_at, steps, .. } = attempt;
        let training = self.book_until_now(attempt);
        let Progress { durable_steps: kept, saves, stepping, stall } = left.stands(cycle, training, steps);
        if O::SEES_TRAINING {
            self.tell_training(attempt, self.step(), cycle, left, Fates { kept, held: 0 });
        }
        self.keep_steps(cycle, kept);
        self.observer.kept(self.now, self.durable_steps);
        self.time.add(Part::CheckpointStall, stall);
        // Rule 13: only stepping is lost; the time of a voided save stays where it is.
        self.time.add(Part::Lost, stepping - cycle.stepping(kept));
        if FULL && let Some(extras) = &self.plan.extras {
            self.count_restore(attempt);
            self.count_saves(extras, attempt, cycle, left);
        }
        if FULL && self.now >= training_at && self.durable_steps > 0 {
            self.saved_in = Some(self.zone);
        }
        if let (Some(burst), Left::Durable | Left::Noticed(_)) = (self.burst(), left) {
            let spent = stepping.min(cycle.stepping(cycle.burst_steps()));
            self.spend_credits(burst, training_at, spent);
        }
        saves
    }

    /// No loss takes back the first `steps` steps of `cycle`.
    #[inline]
    fn keep_steps(&mut self, cycle: &Cycle<impl Pace>, steps: u64) {
        self.durable_steps += steps;
        self.durable_burst_steps += steps.min(cycle.burst_steps());
    }

    /// Books kept steps, at the end or when the instance type changes, when it is known how many there are.
    #[inline]
    pub(super) fn book_kept(&mut self) {
        let bursting = self.durable_burst_steps - self.booked_burst_steps;
        self.book_steps(self.step(), self.durable_steps - self.booked_steps - bursting);
        if let Some(burst) = self.burst() {
            self.book_steps(&burst.step, bursting);
        }
        (self.booked_steps, self.booked_burst_steps) = (self.durable_steps, self.durable_burst_steps);
    }

    #[inline]
    pub(super) fn book_steps(&mut self, parts: &StepParts, steps: u64) {
        self.time.add(Part::Computing, parts.computing.times(steps));
        self.time.add(Part::ExposedComm, parts.exposed_comm.times(steps));
        self.time.add(Part::DataStall, parts.data_stall.times(steps));
    }

    #[inline]
    pub(super) fn book(&mut self, part: Part, span: Span, from: SimTime) {
        self.time.add(part, span);
        self.observer.phase(PhaseSpan { part, from, to: from + span });
    }
}
