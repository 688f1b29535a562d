//! One replication, with all that a picture of it needs.

use super::observer::{Fate, Ledger, Observer, PhaseSpan, Stay, Trained};
use super::outcome::{Part, TimeParts};
use crate::pricing::Line;
use crate::units::SimTime;

/// A stretch of a cluster's time that is one thing to who looks at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slice {
    /// What it is: kept steps of any kind are [`Part::Computing`].
    pub part: Part,
    /// From.
    pub from: SimTime,
    /// To.
    pub to: SimTime,
    /// Whole steps made in it, kept or not.
    pub steps: u64,
    /// Where its time went, exactly: the parts add up to its length.
    pub parts: TimeParts,
}

/// A complete gang that was broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Break {
    /// When.
    pub at: SimTime,
    /// By the provider, or else by hardware alone.
    pub by_provider: bool,
}

/// An observer that keeps where all time went, piece by piece, beside the ledger.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Timeline {
    /// Stays, lines and kept steps.
    pub ledger: Ledger,
    /// All time from submit to the end, in order and without a hole.
    pub slices: Vec<Slice>,
    /// Instants, and how many steps there were: rising while they are made, falling where they are lost.
    pub progress: Vec<(SimTime, u64)>,
    /// Complete gangs that were broken, in order.
    pub breaks: Vec<Break>,
    /// When the node of which slot began or ceased to train with an elastic gang.
    pub members: Vec<(SimTime, u32, bool)>,
    /// Slices whose steps are in memory only.
    in_memory: Vec<usize>,
    steps: u64,
}

impl Timeline {
    /// Waits of one kind that follow one another are one: capacity may flicker for ever.
    fn push(&mut self, slice: Slice) {
        let waits = matches!(slice.part, Part::Queued | Part::Acquiring | Part::Provisioning);
        match self.slices.last_mut().filter(|last| waits && last.part == slice.part) {
            _ if slice.from >= slice.to => {}
            Some(last) => {
                last.to = slice.to;
                last.parts = last.parts.and(&slice.parts);
            }
            None => self.slices.push(slice),
        }
    }

    /// Makes lost what was kept.
    fn lose(slice: &mut Slice) {
        if slice.part != Part::Computing {
            return;
        }
        let kept = [Part::Computing, Part::ExposedComm, Part::DataStall];
        let lost = kept.into_iter().map(|part| slice.parts.get(part)).sum();
        let mut parts = TimeParts::default();
        parts.add(Part::CheckpointStall, slice.parts.get(Part::CheckpointStall));
        parts.add(Part::Lost, lost);
        (slice.part, slice.parts) = (Part::Lost, parts);
    }
}

impl Observer for Timeline {
    const SEES_TRAINING: bool = true;

    fn line(&mut self, line: &Line) {
        self.ledger.line(line);
    }

    fn stay(&mut self, stay: &Stay) {
        self.ledger.stay(stay);
    }

    /// Training is told by [`Self::trained`].
    fn phase(&mut self, phase: PhaseSpan) {
        let PhaseSpan { part, from, to } = phase;
        if part == Part::Computing || from >= to {
            return;
        }
        let mut parts = TimeParts::default();
        parts.add(part, to.since(from));
        self.push(Slice { part, from, to, steps: 0, parts });
    }

    fn trained(&mut self, trained: &Trained) {
        let Trained { from, to, steps, fate, parts } = *trained;
        if from >= to {
            return;
        }
        let part = match fate {
            _ if parts.get(Part::CheckpointStall) == parts.total() => Part::CheckpointStall,
            Fate::Kept | Fate::Held => Part::Computing,
            Fate::Lost => Part::Lost,
        };
        if fate == Fate::Held {
            self.in_memory.push(self.slices.len());
        }
        if steps > 0 {
            self.progress.push((from, self.steps));
            self.steps += steps;
            self.progress.push((to, self.steps));
        }
        self.push(Slice { part, from, to, steps, parts });
    }

    fn held(&mut self, kept: bool) {
        for index in std::mem::take(&mut self.in_memory) {
            if !kept {
                Self::lose(&mut self.slices[index]);
            }
        }
    }

    fn forgotten(&mut self) {
        self.slices.iter_mut().for_each(Self::lose);
    }

    fn member(&mut self, at: SimTime, slot: u32, is_member: bool) {
        self.members.push((at, slot, is_member));
    }

    fn broken(&mut self, at: SimTime, by_provider: bool) {
        self.breaks.push(Break { at, by_provider });
    }

    fn kept(&mut self, at: SimTime, steps: u64) {
        self.ledger.kept(at, steps);
        if steps != self.steps {
            self.progress.push((at, self.steps));
            self.progress.push((at, steps));
            self.steps = steps;
        }
    }
}
