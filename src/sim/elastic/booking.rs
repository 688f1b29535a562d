//! Stretches of training, and where their steps and their time go.

use super::super::engine::{Attempt, Left, Replication};
use super::super::observer::Observer;
use super::super::outcome::Part;
use super::super::trained::Fates;
use crate::checkpoint::{Cycle, Every, Progress};
use crate::scenario::plan::{ReshardFrom, StepParts};
use crate::units::{SimTime, Span};

/// Steps that nodes hold in memory beyond the newest durable save.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in super::super) struct Memory {
    /// How many, in steps of the whole gang.
    pub steps: u64,
    /// The time in which they were made.
    pub time: StepParts,
}

/// Training at one size with one cadence of saves, and what lies before it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stretch {
    pub attempt: Attempt,
    pub step: StepParts,
    pub cycle: Cycle,
    /// When all steps are made, if nothing comes between.
    pub done_at: SimTime,
    /// When the save is durable that the steps in memory make due; the cadence begins anew there.
    pub saved_at: SimTime,
    /// Training goes on from the stretch before without a break.
    pub goes_on: bool,
    /// A save is read before it.
    pub restores: bool,
    /// Nodes that train.
    pub members: u32,
}

impl<O: Observer, const FULL: bool, const LONE: bool> Replication<'_, O, FULL, LONE> {
    /// The stretch that begins now, at the gang's present size.
    pub(super) fn stretch(&self, starting: Span, restoring: Span, goes_on: bool) -> Stretch {
        let members = self.members();
        let size = self.plan.at_size(members);
        let steps = self.plan.work.steps - self.durable_steps - self.memory.steps;
        let training_at = self.now + starting + restoring;
        let attempt = Attempt { begun: self.now, starting, restoring, training_at, steps };
        let due = self.save_due_after(&size.cycle);
        let cycle = due.map_or(size.cycle, |due| size.cycle.with_steps(due));
        let saved_at =
            due.and_then(|_| cycle.save(1, steps)).map_or(SimTime::NEVER, |s| training_at + s.ends);
        let done_at = training_at + cycle.duration(steps);
        let step = size.step;
        Stretch { attempt, step, cycle, done_at, saved_at, goes_on, restores: false, members }
    }

    /// The stretch after a save that the steps in memory made due.
    pub(super) fn go_on(&self) -> Stretch {
        self.stretch(Span::ZERO, Span::ZERO, true)
    }

    /// After how many steps of `cycle` the next save is due, if steps in memory bring it forward.
    fn save_due_after(&self, cycle: &Cycle) -> Option<u64> {
        if self.memory.steps == 0 {
            return None;
        }
        let steps = match cycle.every()? {
            Every::Time(every) => {
                every.saturating_sub(self.memory.time.total()).ns().div_ceil(cycle.step().ns())
            }
            Every::Steps(every) => every.saturating_sub(self.memory.steps),
        };
        Some(steps.max(1))
    }

    /// Books a stretch that went on until now; gives the number of new durable saves.
    pub(super) fn book_stretch(&mut self, stretch: &Stretch, left: Left) -> u64 {
        let Stretch { attempt, step, cycle, restores, members, .. } = stretch;
        let steps = attempt.steps;
        let training = self.book_until_now(*attempt);
        let fewer = u128::from(self.plan.nodes - members);
        self.fewer_node_ns += fewer * u128::from(self.now.since(attempt.begun).ns());
        if let Some(extras) = &self.plan.extras {
            if *restores {
                self.count_restore(*attempt);
            }
            self.count_saves(extras, *attempt, cycle, left);
        }
        let Progress { durable_steps: durable, saves, stepping, stall } = left.stands(cycle, training, steps);
        self.time.add(Part::CheckpointStall, stall);
        if saves > 0 {
            self.keep_memory();
        }
        self.durable_steps += durable;
        self.book_steps(step, durable);
        let trained = self.now >= attempt.training_at;
        for seat in self.seats.iter_mut().filter(|seat| trained && seat.member) {
            seat.holds_state = true;
        }
        let whole = stepping.ns() / step.total().ns();
        let held = if self.memory_lives() { whole - durable } else { 0 };
        self.memory.steps += held;
        self.memory.time.computing += step.computing.times(held);
        self.memory.time.exposed_comm += step.exposed_comm.times(held);
        self.memory.time.data_stall += step.data_stall.times(held);
        self.time.add(Part::Lost, stepping - step.total().times(durable + held));
        if O::SEES_TRAINING {
            self.tell_training(*attempt, step, cycle, left, Fates { kept: durable, held });
        }
        self.observer.kept(self.now, self.durable_steps + self.memory.steps);
        saves
    }

    /// Whether some node holds the newest state and the gang goes on from that.
    pub(super) fn memory_lives(&self) -> bool {
        let elastic = self.plan.elastic.as_ref();
        let from_memory = elastic.is_some_and(|elastic| elastic.reshard_from == ReshardFrom::Memory);
        from_memory && self.seats.iter().any(|seat| seat.holds_state)
    }

    /// A save made all durable that is in memory.
    fn keep_memory(&mut self) {
        let Memory { steps, time } = std::mem::take(&mut self.memory);
        self.durable_steps += steps;
        self.book_steps(&time, 1);
        self.observer.held(true);
    }

    /// No node will go on from what is in memory.
    pub(super) fn forget_memory(&mut self) {
        let Memory { time, .. } = std::mem::take(&mut self.memory);
        self.time.add(Part::Lost, time.total());
        self.observer.held(false);
        self.observer.kept(self.now, self.durable_steps);
    }

    /// Forgets what is in memory if no node is left that holds it.
    pub(super) fn forget_memory_of_nobody(&mut self) {
        if !self.memory_lives() {
            self.forget_memory();
        }
    }
}
