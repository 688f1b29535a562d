//! Who watches a replication.

use super::outcome::{Part, TimeParts};
use crate::pricing::{Bill, Ended, Line};
use crate::scenario::plan::Market;
use crate::units::SimTime;

/// One stay of one node: a line of the ledger, or where its price changed several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stay {
    /// The node's place in the gang, from 0.
    pub slot: u32,
    /// The zone it was in, from 0 in the order of the scenario.
    pub zone: u32,
    /// Where it was rented.
    pub market: Market,
    /// When the provider granted it.
    pub granted: SimTime,
    /// When it ran: billing begins.
    pub provisioned: SimTime,
    /// When it ended.
    pub end: SimTime,
    /// Who ended it.
    pub ended: Ended,
    /// What it comes to; nothing if it ended before it ran.
    pub bill: Bill,
}

/// A stretch of a cluster's time in one phase. Steps and saves of an attempt are one stretch,
/// under [`Part::Computing`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PhaseSpan {
    /// Which phase.
    pub part: Part,
    /// From.
    pub from: SimTime,
    /// To.
    pub to: SimTime,
}

/// What became of steps, as far as is known when their attempt ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// They are durable.
    Kept,
    /// Nodes hold them in memory: [`Observer::held`] tells what became of them.
    Held,
    /// They have to be made again.
    Lost,
}

/// A stretch of training: steps, a save, or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trained {
    /// From.
    pub from: SimTime,
    /// To.
    pub to: SimTime,
    /// Whole steps made in it.
    pub steps: u64,
    /// What became of them.
    pub fate: Fate,
    /// Where its time went; that of lost steps is lost.
    pub parts: TimeParts,
}

/// Sees what happens, as it happens.
pub trait Observer {
    /// Whether it is told of training piece by piece, which takes the engine time.
    const SEES_TRAINING: bool = false;
    /// When an attempt ends: a stretch of its training, one after the other; only if [`Self::SEES_TRAINING`].
    fn trained(&mut self, _trained: &Trained) {}
    /// All steps held in memory are durable now, or lost.
    fn held(&mut self, _kept: bool) {}
    /// The nodes that held all saves are gone: what was durable is lost.
    fn forgotten(&mut self) {}
    /// From now on the node in this slot trains with an elastic gang, or stands beside it.
    fn member(&mut self, _at: SimTime, _slot: u32, _is_member: bool) {}
    /// A complete gang was broken, by the provider or else by hardware alone.
    fn broken(&mut self, _at: SimTime, _by_provider: bool) {}
    /// A gang of Spot nodes is complete, in the zone of this number.
    fn gang(&mut self, _zone: u32) {}
    /// A line of the stay that is told next; only where the price changes.
    fn line(&mut self, _line: &Line) {}
    /// A node's stay ended.
    fn stay(&mut self, _stay: &Stay) {}
    /// The cluster was in one phase for a while.
    fn phase(&mut self, _phase: PhaseSpan) {}
    /// At the end of an attempt, or of a stay in tick mode: so many steps are there to stay, or held in memory.
    fn kept(&mut self, _at: SimTime, _steps: u64) {}
}

impl Observer for () {}

/// Keeps all of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ledger {
    /// Stays in the order of their ends.
    pub stays: Vec<Stay>,
    /// Lines of stays whose price changes, each with the place of its stay.
    pub lines: Vec<(usize, Line)>,
    /// Phases in order.
    pub phases: Vec<PhaseSpan>,
    /// Steps that are there to stay after each attempt.
    pub kept: Vec<(SimTime, u64)>,
}

impl Ledger {
    /// Each stay with its own lines: none where its price does not change.
    pub fn bills(&self) -> impl Iterator<Item = (&Stay, &[(usize, Line)])> {
        let mut lines = self.lines.as_slice();
        self.stays.iter().enumerate().map(move |(index, stay)| {
            let (own, rest) = lines.split_at(lines.partition_point(|(of, _)| *of <= index));
            lines = rest;
            (stay, own)
        })
    }
}

impl Observer for Ledger {
    fn line(&mut self, line: &Line) {
        self.lines.push((self.stays.len(), *line));
    }

    fn stay(&mut self, stay: &Stay) {
        self.stays.push(*stay);
    }

    fn phase(&mut self, phase: PhaseSpan) {
        if phase.from < phase.to {
            self.phases.push(phase);
        }
    }

    fn kept(&mut self, at: SimTime, steps: u64) {
        self.kept.push((at, steps));
    }
}
