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
    /// The uptime that follows the gap, while there is none.
    next_uptime: Span,
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
        let mut walk = RenewalWalk {
            renewal: self,
            up: true,
            uptimes: stream(0),
            gaps: stream(1),
            next_uptime: Span::ZERO,
        };
        let first = match self.begin {
            Begin::Fresh => walk.draw_uptime(),
            Begin::Stationary => {
                let (up, gap) = (self.uptime.mean_s(), self.gap.mean_s());
                walk.up = stream(2).open01() * (up + gap) < up;
                if walk.up {
                    self.uptime.sample_residual(&mut stream(3))
                } else {
                    walk.next_uptime = walk.draw_uptime();
                    self.gap.sample_residual(&mut stream(3))
                }
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
        let span = if self.up {
            self.next_uptime
        } else {
            // Drawn together: two independent logarithms overlap in the processor.
            self.next_uptime = self.draw_uptime();
            self.renewal.gap.sample(&mut self.gaps)
        };
        (self.level(), now + span)
    }

    /// An uptime of zero would let a path change for ever at one instant, so it lasts 1 ns.
    #[inline]
    fn draw_uptime(&mut self) -> Span {
        self.renewal.uptime.sample(&mut self.uptimes).max(Span::from_ns(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capacity::path::Path;
    use crate::capacity::{Exponential, Kind, Law};

    fn law(mean_s: u64) -> Law {
        Law::new(Kind::Exponential(Exponential::new(Span::from_s(mean_s)).unwrap()), None).unwrap()
    }

    /// The path told from its streams by hand: 0 has the uptimes, 1 the gaps; of a path that is met on
    /// its way 2 says whether it is up and 3 how long that still lasts, which of an exponential span is
    /// a span of the same law.
    fn check(begin: Begin, replication: u64, up_first: bool) {
        let (uptime, gap, streams) = (law(20_000), law(10_000), Streams::new(3));
        let stream = |index| streams.stream(Source::Path, 5, replication, index);
        let (mut uptimes, mut gaps) = (stream(0), stream(1));
        let mut at = SimTime::ZERO;
        let path = Path::Renewal(Renewal { uptime: uptime.clone(), gap: gap.clone(), begin });
        let mut walk = path.walk(&streams, 5, replication);
        for turn in 0..20 {
            let up = (turn % 2 == 0) == up_first;
            let (law, own) = if up { (&uptime, &mut uptimes) } else { (&gap, &mut gaps) };
            let met = begin == Begin::Stationary && turn == 0;
            at = at + if met { law.sample(&mut stream(3)) } else { law.sample(own) };
            assert_eq!((walk.level() > 0, walk.next_change()), (up, at), "{begin:?}, turn {turn}");
            walk.pass(at);
        }
    }

    #[test]
    fn a_path_alternates_between_the_draws_of_its_two_streams() {
        check(Begin::Fresh, 0, true);
    }

    #[test]
    fn a_path_met_on_its_way_begins_with_what_is_left_of_a_span() {
        for replication in 0..10 {
            let is_up = Streams::new(3).stream(Source::Path, 5, replication, 2).open01() < 2.0 / 3.0;
            check(Begin::Stationary, replication, is_up);
        }
    }
}
