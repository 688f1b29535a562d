//! Who watches a replication.

use super::outcome::Part;
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

/// Sees what happens, as it happens.
pub trait Observer {
    /// A gang of Spot nodes is complete, in the zone of this number.
    fn gang(&mut self, _zone: u32) {}
    /// A line of the stay that is told next; only where the price changes.
    fn line(&mut self, _line: &Line) {}
    /// A node's stay ended.
    fn stay(&mut self, _stay: &Stay) {}
    /// The cluster was in one phase for a while.
    fn phase(&mut self, _phase: PhaseSpan) {}
    /// At the end of an attempt, or of a stay in tick mode: so many steps are there to stay.
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
