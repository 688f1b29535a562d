//! How many nodes can be had in a zone over time: the zone path.

use super::bootstrap::{Bootstrap, BootstrapWalk};
use super::chain::{Chain, ChainWalk};
use super::on_off::{OnOff, OnOffWalk};
use super::recorded::{Recorded, RecordedWalk};
use super::renewal::{Renewal, RenewalWalk};
use super::schedule::{Schedule, ScheduleWalk};
use crate::rng::Streams;
use crate::units::{SimTime, Span};

/// As many nodes as anybody asks for.
pub const ANY: u32 = u32::MAX;

/// Nodes that can be had in a zone at time t: a function of (seed, replication, zone) alone, so that
/// every cluster in the zone meets the same world.
#[derive(Debug, Clone, PartialEq)]
pub enum Path {
    /// Any number, always.
    Always,
    /// All or none, in turn, for random spans.
    Renewal(Renewal),
    /// All or none, without memory; zones may share their fate, and rates change with the hour.
    OnOff(OnOff),
    /// Counts of nodes that jump without memory.
    Chain(Chain),
    /// Changes written out in the scenario.
    Events(Schedule),
    /// A recorded trace, replayed.
    Trace(Recorded),
    /// Blocks of a recorded trace in random order.
    Bootstrap(Bootstrap),
}

/// A walk along one path: the level that holds now and when it changes next.
#[derive(Debug, Clone)]
pub struct Walk<'a> {
    level: u32,
    next: SimTime,
    source: WalkSource<'a>,
}

#[derive(Debug, Clone)]
enum WalkSource<'a> {
    Still,
    Renewal(RenewalWalk<'a>),
    OnOff(OnOffWalk<'a>),
    Chain(ChainWalk<'a>),
    Events(ScheduleWalk<'a>),
    Trace(RecordedWalk<'a>),
    Bootstrap(BootstrapWalk<'a>),
}

impl Path {
    /// The walk of one replication through the zone `zone` (see [`crate::rng::place_key`]).
    #[inline]
    pub fn walk(&self, streams: &Streams, zone: u64, replication: u64) -> Walk<'_> {
        let (level, next, source) = match self {
            Self::Always => (ANY, SimTime::NEVER, WalkSource::Still),
            Self::Renewal(renewal) => {
                let (level, next, walk) = renewal.begin(streams, zone, replication);
                (level, next, WalkSource::Renewal(walk))
            }
            Self::OnOff(on_off) => {
                let (level, next, walk) = on_off.begin(streams, zone, replication);
                (level, next, WalkSource::OnOff(walk))
            }
            Self::Chain(chain) => {
                let (level, next, walk) = chain.begin(streams, zone, replication);
                (level, next, WalkSource::Chain(walk))
            }
            Self::Events(schedule) => {
                let (level, next, walk) = schedule.begin();
                (level, next, WalkSource::Events(walk))
            }
            Self::Trace(trace) => {
                let (level, next, walk) = trace.begin(streams, replication);
                (level, next, WalkSource::Trace(walk))
            }
            Self::Bootstrap(bootstrap) => {
                let (level, next, walk) = bootstrap.begin(streams, replication);
                (level, next, WalkSource::Bootstrap(walk))
            }
        };
        Walk { level, next, source }
    }
}

impl Walk<'_> {
    /// Nodes that can be had now.
    #[inline]
    pub const fn level(&self) -> u32 {
        self.level
    }

    /// How far into a recorded trace the walk begins; nothing for other paths.
    pub fn began_at(&self) -> Span {
        match &self.source {
            WalkSource::Trace(walk) => walk.began_at(),
            _ => Span::ZERO,
        }
    }

    /// When the level may change next.
    #[inline]
    pub const fn next_change(&self) -> SimTime {
        self.next
    }

    /// Takes every change up to `now` and gives the lowest level met on the way, the one at the start
    /// included only if nothing changed: a zero-length gap is seen here and nowhere else.
    #[inline]
    pub fn pass(&mut self, now: SimTime) -> u32 {
        if self.next > now {
            return self.level;
        }
        let mut lowest = ANY;
        while self.next <= now && self.next < SimTime::NEVER {
            self.step();
            lowest = lowest.min(self.level);
        }
        lowest
    }

    /// The first instant, up to `limit`, at which fewer than `nodes` can be had. Changes before it
    /// that leave enough are taken; the one that does not is left for [`Self::pass`].
    #[inline]
    pub fn next_below(&mut self, nodes: u32, limit: SimTime) -> SimTime {
        while self.next <= limit && self.next < SimTime::NEVER {
            if self.peek_level() < nodes {
                return self.next;
            }
            self.step();
        }
        SimTime::NEVER
    }

    #[inline]
    fn peek_level(&self) -> u32 {
        match &self.source {
            WalkSource::Still => self.level,
            WalkSource::Renewal(walk) => walk.peek_level(),
            WalkSource::OnOff(walk) => walk.peek_level(),
            WalkSource::Chain(walk) => walk.peek_level(),
            WalkSource::Events(walk) => walk.peek_level(),
            WalkSource::Trace(walk) => walk.peek_level(),
            WalkSource::Bootstrap(walk) => walk.peek_level(),
        }
    }

    #[inline]
    fn step(&mut self) {
        let (level, next) = match &mut self.source {
            WalkSource::Still => (self.level, SimTime::NEVER),
            WalkSource::Renewal(walk) => walk.step(self.next),
            WalkSource::OnOff(walk) => walk.step(),
            WalkSource::Chain(walk) => walk.step(self.next),
            WalkSource::Events(walk) => walk.step(),
            WalkSource::Trace(walk) => walk.step(),
            WalkSource::Bootstrap(walk) => walk.step(self.next),
        };
        (self.level, self.next) = (level, next);
    }
}
