//! A recorded capacity trace, replayed.

use super::path::ANY;
use crate::rng::{Source, Streams};
use crate::units::{SimTime, Span, Timestamp};
use rand::distr::Distribution;
use rand_distr::Uniform;

/// Where in the trace a replication begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Begin {
    /// At its first sample.
    #[default]
    Start,
    /// At a random instant of it, the same for all zones, so that zones recorded together stay so.
    Random,
    /// So long after its first sample.
    At(Span),
}

/// What follows the last sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AtEnd {
    /// No capacity any more.
    #[default]
    Stop,
    /// The first sample again.
    Wrap,
}

/// One stretch of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch {
    /// How long it lasts.
    pub span: Span,
    /// Nodes that can be had; [`ANY`] where the trace says only "yes".
    pub nodes: u32,
}

/// `[capacity.trace]`: stretches of constant capacity, one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// Ends of the stretches, strictly rising, and the level until each.
    ends: Vec<(u64, u32)>,
    begin: Begin,
    at_end: AtEnd,
    /// When the first sample was taken, where the trace says.
    recorded_from: Option<Timestamp>,
}

/// A place in a trace.
#[derive(Debug, Clone)]
pub(super) struct RecordedWalk<'a> {
    trace: &'a Recorded,
    index: usize,
    /// Simulated time of the trace's first sample of this lap, modulo 2^64.
    offset: u64,
    began_at: Span,
}

impl Recorded {
    /// From at least one stretch that is not empty; `None` otherwise. Neighbours of one level become
    /// one stretch.
    pub fn new(stretches: impl IntoIterator<Item = Stretch>, begin: Begin, at_end: AtEnd) -> Option<Self> {
        let mut ends: Vec<(u64, u32)> = Vec::new();
        let mut total = 0_u64;
        for stretch in stretches.into_iter().filter(|stretch| !stretch.span.is_zero()) {
            total = total.saturating_add(stretch.span.ns());
            match ends.last_mut() {
                Some(last) if last.1 == stretch.nodes => last.0 = total,
                _ => ends.push((total, stretch.nodes)),
            }
        }
        (!ends.is_empty()).then_some(Self { ends, begin, at_end, recorded_from: None })
    }

    /// The same with the instant at which its first sample was taken.
    pub fn recorded_from(self, instant: Option<Timestamp>) -> Self {
        Self { recorded_from: instant, ..self }
    }

    /// When its first sample was taken, where that is known.
    pub const fn first_instant(&self) -> Option<Timestamp> {
        self.recorded_from
    }

    /// Where replications begin.
    pub const fn begin_of_replications(&self) -> Begin {
        self.begin
    }

    /// Whether it begins anew at its end.
    pub fn wraps(&self) -> bool {
        self.at_end == AtEnd::Wrap
    }

    /// Lets replications begin at `instant` instead of the first sample; `false`, and nothing is changed,
    /// where the trace does not reach it or has no instants.
    pub fn begin_at(&mut self, instant: Timestamp) -> bool {
        let into = self.recorded_from.and_then(|first| instant.since(first));
        let into = into.filter(|&into| into < self.length());
        if let Some(into) = into {
            self.begin = Begin::At(into);
        }
        into.is_some()
    }

    /// Length of the whole trace.
    pub fn length(&self) -> Span {
        Span::from_ns(self.ends.last().expect("a trace has at least one stretch").0)
    }

    /// Share of the time in which at least one node can be had.
    pub fn share_available(&self) -> f64 {
        let starts = std::iter::once(0).chain(self.ends.iter().map(|&(end, _)| end));
        let up: u64 = starts
            .zip(&self.ends)
            .filter(|(_, (_, level))| *level > 0)
            .map(|(start, (end, _))| end - start)
            .sum();
        up as f64 / self.length().ns() as f64
    }

    /// How long at least `nodes` nodes could be had, each time.
    pub fn uptimes(&self, nodes: u32) -> Vec<Span> {
        let (mut uptimes, mut begun, mut from) = (Vec::new(), None, 0);
        for &(end, level) in &self.ends {
            match (level >= nodes, begun) {
                (true, None) => begun = Some(from),
                (false, Some(start)) => {
                    uptimes.push(Span::from_ns(from - start));
                    begun = None;
                }
                _ => {}
            }
            from = end;
        }
        uptimes.extend(begun.map(|start| Span::from_ns(from - start)));
        uptimes
    }

    /// Whether the trace has one level from end to end, so that every replication is the same.
    pub fn is_still(&self) -> bool {
        self.ends.len() == 1
    }

    /// Ends of the stretches in nanoseconds, strictly rising, and the level until each.
    pub(super) fn stretches(&self) -> &[(u64, u32)] {
        &self.ends
    }

    /// The stretch that holds `ns` after the first sample; the trace must last longer.
    pub(super) fn stretch_at(&self, ns: u64) -> usize {
        self.ends.partition_point(|&(end, _)| end <= ns)
    }

    pub(super) fn begin(&self, streams: &Streams, replication: u64) -> (u32, SimTime, RecordedWalk<'_>) {
        let start = match self.begin {
            Begin::Start => 0,
            Begin::At(into) => into.ns(),
            Begin::Random => {
                let mut stream = streams.stream(Source::TraceBegin, 0, replication, 0);
                let anywhere = Uniform::new(0, self.length().ns()).expect("a trace is not empty");
                anywhere.sample(&mut stream)
            }
        };
        let index = self.stretch_at(start);
        let began_at = Span::from_ns(start);
        let walk = RecordedWalk { trace: self, index, offset: 0_u64.wrapping_sub(start), began_at };
        (self.ends[index].1, walk.next(), walk)
    }
}

impl RecordedWalk<'_> {
    /// When the level changes next: never within a trace of one level that repeats.
    fn next(&self) -> SimTime {
        let ends = &self.trace.ends;
        match ends.get(self.index) {
            Some(_) if ends.len() == 1 && self.trace.at_end == AtEnd::Wrap => SimTime::NEVER,
            Some(&(end, _)) => SimTime::from_ns(end.wrapping_add(self.offset)),
            None => SimTime::NEVER,
        }
    }

    pub(super) const fn began_at(&self) -> Span {
        self.began_at
    }

    pub(super) fn peek_level(&self) -> u32 {
        match (self.trace.ends.get(self.index + 1), self.trace.at_end) {
            (Some(&(_, level)), _) => level,
            (None, AtEnd::Wrap) => self.trace.ends[0].1,
            (None, AtEnd::Stop) => 0,
        }
    }

    pub(super) fn step(&mut self) -> (u32, SimTime) {
        let level = self.peek_level();
        self.index += 1;
        if self.index == self.trace.ends.len() && self.trace.at_end == AtEnd::Wrap {
            self.index = 0;
            self.offset = self.offset.wrapping_add(self.trace.length().ns());
        }
        (level, self.next())
    }
}

/// Level of a 0/1 sample.
pub const fn level_of(available: bool) -> u32 {
    if available { ANY } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capacity::path::Path;

    fn trace(levels: &[u32], begin: Begin, at_end: AtEnd) -> Path {
        let stretch = |&nodes: &u32| Stretch { span: Span::from_s(10), nodes };
        Path::Trace(Recorded::new(levels.iter().map(stretch), begin, at_end).unwrap())
    }

    /// Seconds and levels of the first changes.
    fn changes(path: &Path, count: usize) -> Vec<(u64, u32)> {
        let mut walk = path.walk(&Streams::new(0), 1, 0);
        let mut seen = vec![(0, walk.level())];
        while seen.len() < count && walk.next_change() < SimTime::NEVER {
            let at = walk.next_change();
            walk.pass(at);
            seen.push((at.ns() / 1_000_000_000, walk.level()));
        }
        seen
    }

    #[test]
    fn a_sample_holds_until_the_next_and_the_end_takes_all() {
        assert_eq!(
            changes(&trace(&[2, 2, 0, 5], Begin::Start, AtEnd::Stop), 9),
            [(0, 2), (20, 0), (30, 5), (40, 0)]
        );
    }

    #[test]
    fn a_trace_that_wraps_goes_on_with_its_first_sample() {
        let seen = changes(&trace(&[1, 0, 3], Begin::Start, AtEnd::Wrap), 6);
        assert_eq!(seen, [(0, 1), (10, 0), (20, 3), (30, 1), (40, 0), (50, 3)]);
        assert_eq!(changes(&trace(&[1], Begin::Start, AtEnd::Wrap), 6), [(0, 1)]);
    }

    #[test]
    fn zones_begin_at_one_random_instant() {
        let path = trace(&[0, 1, 2, 3, 4, 5, 6, 7], Begin::Random, AtEnd::Wrap);
        let level = |zone, r| path.walk(&Streams::new(7), zone, r).level();
        assert!((0..50).all(|r| level(1, r) == level(2, r)));
    }

    /// Means over 2,000 random starts: half of the trace is up. False-alarm rate below 1e-5 (4.5 sd).
    #[test]
    fn random_begins_are_spread_over_the_trace() {
        let path = trace(&[0, 1], Begin::Random, AtEnd::Wrap);
        let up = (0..2_000).filter(|&r| path.walk(&Streams::new(7), 1, r).level() == 1).count();
        assert!((900..=1_100).contains(&up), "{up}");
    }
}
