//! Capacity changes and losses written out in the scenario.

use super::path::ANY;
use crate::units::SimTime;

/// One `[[capacity.events]]` with `nodes`: how many can be had from `at` on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LevelChange {
    /// When.
    pub at: SimTime,
    /// Nodes that can be had from then on.
    pub nodes: u32,
}

/// One `[[capacity.events]]` with `lose`: these nodes end, if held; the path stays as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// When.
    pub at: SimTime,
    /// The slots, from 0.
    pub slots: Vec<u32>,
}

/// The level changes of `[[capacity.events]]`, in order of time, no two at one instant. Before the
/// first there is no limit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Schedule {
    changes: Vec<LevelChange>,
}

/// A place in a schedule.
#[derive(Debug, Clone)]
pub(super) struct ScheduleWalk<'a> {
    rest: &'a [LevelChange],
}

impl Schedule {
    /// From changes in any order; `Err` is an instant at which two stand.
    pub fn new(mut changes: Vec<LevelChange>) -> Result<Self, SimTime> {
        changes.sort_by_key(|change| change.at);
        match changes.windows(2).find(|pair| pair[0].at == pair[1].at) {
            Some(pair) => Err(pair[0].at),
            None => Ok(Self { changes }),
        }
    }

    pub(super) fn begin(&self) -> (u32, SimTime, ScheduleWalk<'_>) {
        let mut walk = ScheduleWalk { rest: &self.changes };
        match self.changes.first() {
            // A change at submit holds from the beginning.
            Some(first) if first.at == SimTime::ZERO => {
                let (level, next) = walk.step();
                (level, next, walk)
            }
            _ => (ANY, walk.next(), walk),
        }
    }
}

impl ScheduleWalk<'_> {
    fn next(&self) -> SimTime {
        self.rest.first().map_or(SimTime::NEVER, |change| change.at)
    }

    pub(super) fn peek_level(&self) -> u32 {
        self.rest.first().map_or(ANY, |change| change.nodes)
    }

    pub(super) fn step(&mut self) -> (u32, SimTime) {
        let (first, rest) = self.rest.split_first().expect("a walk steps only to a change that it announced");
        self.rest = rest;
        (first.nodes, self.next())
    }
}
