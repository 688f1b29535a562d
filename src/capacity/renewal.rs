//! Capacity that comes and goes for independent random spans.

use super::law::Law;
use super::path::ANY;
use crate::rng::{Source, Stream, Streams};
use crate::units::{SimTime, Span};

/// Where a renewal path begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Begin {
    /// Up, at age 0: as if capacity had come at submit.
    #[default]
    Fresh,
    /// As a job meets it that is submitted at a random moment of a long history.
    Stationary,
}

/// `[capacity.renewal]`: up for a span of law `uptime`, then down for one of law `gap`, and again.
///
/// Uptimes and gaps have a stream each, so a change of one law leaves the draws of the other alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Renewal {
    /// Law of the spans in which any number of nodes can be had.
    pub uptime: Law,
    /// Law of the spans in which none can.
    pub gap: Law,
    /// Where the path begins.
    pub begin: Begin,
}

/// The draws of one replication.
#[derive(Debug, Clone)]
pub(super) struct RenewalWalk<'a> {
    renewal: &'a Renewal,
    up: bool,
    uptimes: Stream,
    gaps: Stream,
}

impl Renewal {
    #[inline]
    pub(super) fn begin(
        &self,
        streams: &Streams,
        zone: u64,
        replication: u64,
    ) -> (u32, SimTime, RenewalWalk<'_>) {
        let stream = |index| streams.stream(Source::Path, zone, replication, index);
        let mut walk = RenewalWalk { renewal: self, up: true, uptimes: stream(0), gaps: stream(1) };
        let first = match self.begin {
            Begin::Fresh => walk.draw(),
            Begin::Stationary => {
                let (up, gap) = (self.uptime.mean_s(), self.gap.mean_s());
                walk.up = stream(2).open01() * (up + gap) < up;
                let law = if walk.up { &self.uptime } else { &self.gap };
                law.sample_residual(&mut stream(3))
            }
        };
        (walk.level(), SimTime::ZERO + first, walk)
    }
}

impl RenewalWalk<'_> {
    #[inline]
    fn level(&self) -> u32 {
        if self.up { ANY } else { 0 }
    }

    #[inline]
    pub(super) fn peek_level(&self) -> u32 {
        if self.up { 0 } else { ANY }
    }

    #[inline]
    pub(super) fn step(&mut self, now: SimTime) -> (u32, SimTime) {
        self.up = !self.up;
        let span = self.draw();
        (self.level(), now + span)
    }

    /// An uptime of zero would let a path change for ever at one instant, so it lasts 1 ns.
    #[inline]
    fn draw(&mut self) -> Span {
        if self.up {
            self.renewal.uptime.sample(&mut self.uptimes).max(Span::from_ns(1))
        } else {
            self.renewal.gap.sample(&mut self.gaps)
        }
    }
}
