//! Tells an observer what training was made of.

use super::engine::{Attempt, Left, Replication};
use super::observer::{Fate, Observer, Trained};
use super::outcome::{Part, TimeParts};
use crate::checkpoint::{Cycle, Pace, Piece};
use crate::scenario::plan::StepParts;
use crate::units::{SimTime, Span};

/// How many of an attempt's steps are durable, and how many more are in memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fates {
    pub kept: u64,
    pub held: u64,
}

impl<O: Observer, const FULL: bool, const LONE: bool> Replication<'_, O, FULL, LONE> {
    /// Tells of an attempt of steps of length `step` that ends now.
    #[cold]
    pub(super) fn tell_training<P: Pace>(
        &mut self,
        attempt: Attempt,
        step: &StepParts,
        cycle: &Cycle<P>,
        left: Left,
        fates: Fates,
    ) {
        let Attempt { training_at, steps, .. } = attempt;
        if self.now <= training_at {
            return;
        }
        let made = match left {
            Left::Done => Some(steps),
            Left::Noticed(kept) => Some(kept),
            Left::Durable => None,
        };
        let burst_step = self.burst().map_or(*step, |burst| burst.step);
        let told = Told { training_at, step: *step, burst_step, cycle };
        for piece in cycle.pieces(self.now.since(training_at), steps, made) {
            told.tell(piece, fates, &mut |trained| self.observer.trained(&trained));
        }
    }
}

/// One attempt.
struct Told<'a, P> {
    training_at: SimTime,
    step: StepParts,
    burst_step: StepParts,
    cycle: &'a Cycle<P>,
}

impl<P: Pace> Told<'_, P> {
    /// Tells of `piece`, cut where the fate of its steps changes.
    fn tell(&self, piece: Piece, fates: Fates, tell: &mut impl FnMut(Trained)) {
        let ends = [(fates.kept, Fate::Kept), (fates.kept + fates.held, Fate::Held)];
        let mut rest = piece;
        for (end, fate) in ends {
            if rest.before >= end {
                continue;
            }
            if rest.made <= end && rest.to == self.end_of(&rest, rest.made) {
                return tell(self.trained(rest, fate));
            }
            let made = rest.made.min(end);
            let cut = self.end_of(&rest, made);
            tell(self.trained(Piece { to: cut, made, ..rest }, fate));
            rest = Piece { from: cut, before: made, ..rest };
        }
        if rest.from < rest.to {
            tell(self.trained(rest, Fate::Lost));
        }
    }

    /// When so many steps are made, of `piece`.
    fn end_of(&self, piece: &Piece, made: u64) -> Span {
        piece.from + piece.stall + (self.cycle.stepping(made) - self.cycle.stepping(piece.before))
    }

    fn trained(&self, piece: Piece, fate: Fate) -> Trained {
        let Piece { from, to, stall, before, made } = piece;
        let mut parts = TimeParts::default();
        parts.add(Part::CheckpointStall, stall);
        if fate == Fate::Lost {
            parts.add(Part::Lost, to - from - stall);
        } else {
            let burst = self.cycle.burst_steps();
            let bursting = made.min(burst) - before.min(burst);
            for (step, times) in [(&self.burst_step, bursting), (&self.step, made - before - bursting)] {
                parts.add(Part::Computing, step.computing.times(times));
                parts.add(Part::ExposedComm, step.exposed_comm.times(times));
                parts.add(Part::DataStall, step.data_stall.times(times));
            }
        }
        let (from, to) = (self.training_at + from, self.training_at + to);
        Trained { from, to, steps: made - before, fate, parts }
    }
}
