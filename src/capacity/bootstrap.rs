//! Many worlds from one recorded trace.

use super::recorded::Recorded;
use crate::rng::{Source, Stream, Streams};
use crate::units::{SimTime, Span};

/// How long blocks are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BlockLengths {
    /// Exponential: a block ends at any instant with the same chance, so the drawn path is as stationary as the
    /// trace.
    #[default]
    Exponential,
    /// All as long as the mean.
    Fixed,
}

/// `[capacity.bootstrap]`: blocks of a recorded trace one after the other, each from a random instant on. A
/// trace goes on with its beginning at its end.
///
/// With exponential lengths it is the stationary bootstrap (Politis and Romano 1994, J. Am. Stat. Assoc. 89,
/// 1303-1313) in continuous time. Begins and lengths are drawn for the replication, not for the zone, so zones
/// recorded together go down together. Availability is the trace's; losses come at its rate, and where blocks
/// meet p(1 − p) more a block for a share p of time up.
#[derive(Debug, Clone, PartialEq)]
pub struct Bootstrap {
    /// The recording.
    pub trace: Recorded,
    /// Mean length of a block; above 0.
    pub block: Span,
    /// How long blocks are.
    pub lengths: BlockLengths,
}

/// A place in the blocks of one replication.
#[derive(Debug, Clone)]
pub(super) struct BootstrapWalk<'a> {
    bootstrap: &'a Bootstrap,
    draws: Stream,
    /// The stretch of the trace that holds now.
    index: usize,
    /// Simulated time of the trace's first sample of this lap, modulo 2^64.
    offset: u64,
    block_ends: SimTime,
    /// Where in the trace the next block begins.
    next_begin: u64,
}

impl Bootstrap {
    pub(super) fn begin(&self, streams: &Streams, replication: u64) -> (u32, SimTime, BootstrapWalk<'_>) {
        let draws = streams.stream(Source::Bootstrap, 0, replication, 0);
        let (index, offset, block_ends, next_begin) = (0, 0, SimTime::ZERO, 0);
        let mut walk = BootstrapWalk { bootstrap: self, draws, index, offset, block_ends, next_begin };
        walk.next_begin = walk.draw_begin();
        walk.begin_block(SimTime::ZERO);
        (walk.level(), walk.next(), walk)
    }
}

impl BootstrapWalk<'_> {
    /// An instant of the trace: the same share of it for traces of any length.
    fn draw_begin(&mut self) -> u64 {
        let length = self.bootstrap.trace.length().ns();
        ((self.draws.open01() * length as f64) as u64).min(length - 1)
    }

    fn begin_block(&mut self, now: SimTime) {
        let mean_s = self.bootstrap.block.as_secs();
        let u = self.draws.open01();
        let length = match self.bootstrap.lengths {
            BlockLengths::Fixed => self.bootstrap.block,
            BlockLengths::Exponential => Span::from_secs_saturating(-libm::log(u) * mean_s),
        };
        self.index = self.bootstrap.trace.stretch_at(self.next_begin);
        self.offset = now.ns().wrapping_sub(self.next_begin);
        self.block_ends = now + length.max(Span::from_ns(1));
        self.next_begin = self.draw_begin();
    }

    fn level(&self) -> u32 {
        self.bootstrap.trace.stretches()[self.index].1
    }

    fn stretch_ends(&self) -> SimTime {
        SimTime::from_ns(self.bootstrap.trace.stretches()[self.index].0.wrapping_add(self.offset))
    }

    fn next(&self) -> SimTime {
        self.block_ends.min(self.stretch_ends())
    }

    pub(super) fn peek_level(&self) -> u32 {
        let stretches = self.bootstrap.trace.stretches();
        let following = match self.stretch_ends() < self.block_ends {
            true => (self.index + 1) % stretches.len(),
            false => self.bootstrap.trace.stretch_at(self.next_begin),
        };
        stretches[following].1
    }

    pub(super) fn step(&mut self, now: SimTime) -> (u32, SimTime) {
        if self.stretch_ends() < self.block_ends {
            self.index += 1;
            if self.index == self.bootstrap.trace.stretches().len() {
                self.index = 0;
                self.offset = self.offset.wrapping_add(self.bootstrap.trace.length().ns());
            }
        } else {
            self.begin_block(now);
        }
        (self.level(), self.next())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capacity::path::Path;
    use crate::capacity::recorded::{AtEnd, Begin, Stretch};
    use crate::stats::ks;

    /// Stretches in whole seconds.
    fn trace(stretches: &[(u64, u32)]) -> Recorded {
        let stretch = |&(seconds, nodes): &(u64, u32)| Stretch { span: Span::from_s(seconds), nodes };
        Recorded::new(stretches.iter().map(stretch), Begin::Start, AtEnd::Stop).unwrap()
    }

    fn path(stretches: &[(u64, u32)], lengths: BlockLengths) -> Path {
        Path::Bootstrap(Bootstrap { trace: trace(stretches), block: Span::from_s(10_000), lengths })
    }

    /// Two zones: the second is down for a part of the time in which the first is.
    const ZONE_A: [(u64, u32); 4] = [(3_000, 1), (1_000, 0), (5_000, 1), (3_000, 0)];
    const ZONE_B: [(u64, u32); 4] = [(3_500, 1), (500, 0), (6_000, 1), (2_000, 0)];

    /// Levels at the seconds of a grid.
    fn sampled(path: &Path, zone: u64, count: u64, step_s: u64) -> Vec<u32> {
        let mut walk = path.walk(&Streams::new(11), zone, 0);
        let level = |k: u64| {
            walk.pass(SimTime::ZERO + Span::from_s(k * step_s));
            walk.level()
        };
        (0..count).map(level).collect()
    }

    /// Shares over 100,000 blocks. Within a block time is spread evenly over the trace, so a share's standard
    /// error is below 0.5/sqrt(100,000 / 2), the 2 for blocks of unequal length; 4.5 of them: a false alarm in
    /// about 100,000 for each of three shares, seed fixed. Right: A is up 8 of 12, B 9.5 of 12, both 8 of 12.
    #[test]
    fn availability_and_what_zones_have_in_common_are_those_of_the_trace() {
        let (a, b) = (path(&ZONE_A, BlockLengths::Exponential), path(&ZONE_B, BlockLengths::Exponential));
        let (a, b) = (sampled(&a, 1, 2_000_000, 500), sampled(&b, 2, 2_000_000, 500));
        let share = |up: &dyn Fn(u32, u32) -> bool| {
            a.iter().zip(&b).filter(|&(&a, &b)| up(a, b)).count() as f64 / a.len() as f64
        };
        let limit = 4.5 * 0.5 / 50_000_f64.sqrt();
        assert!((share(&|a, _| a == 1) - 8.0 / 12.0).abs() < limit);
        assert!((share(&|_, b| b == 1) - 9.5 / 12.0).abs() < limit);
        assert!((share(&|a, b| a == 1 && b == 1) - 8.0 / 12.0).abs() < limit);
    }

    /// Two losses in 12,000 s, and p(1 − p) more a block of 10,000 s: (2/12 + 2/9/10) a 1,000 s. Over
    /// 100,000 blocks, with about two losses each, within 1 %: beyond 4 standard errors, seed fixed.
    #[test]
    fn losses_come_at_the_rate_of_the_trace_and_of_the_seams() {
        for lengths in [BlockLengths::Exponential, BlockLengths::Fixed] {
            let path = path(&ZONE_A, lengths);
            let mut walk = path.walk(&Streams::new(3), 1, 0);
            let (mut losses, end) = (0.0, SimTime::ZERO + Span::from_s(1_000_000_000));
            while walk.next_change() < end {
                let before = walk.level();
                walk.pass(walk.next_change());
                losses += f64::from(before - before.min(walk.level()));
            }
            let rate = losses / 1_000_000.0;
            assert!((rate / (2.0 / 12.0 + 2.0 / 90.0) - 1.0).abs() < 0.01, "{lengths:?}: {rate}");
        }
    }

    /// Kolmogorov-Smirnov, 20,000 blocks of a trace whose level tells the instant: a false alarm in about
    /// 1,000 for lengths and begins each, seed fixed.
    #[test]
    fn blocks_have_their_law_and_begin_anywhere() {
        let bootstrap = Bootstrap {
            trace: trace(&ZONE_A),
            block: Span::from_s(10_000),
            lengths: BlockLengths::default(),
        };
        let (_, _, mut walk) = bootstrap.begin(&Streams::new(4), 7);
        let (mut lengths, mut begins, mut now) = (Vec::new(), Vec::new(), SimTime::ZERO);
        for _ in 0..20_000 {
            begins.push(now.ns().wrapping_sub(walk.offset) as f64 / 12e12);
            lengths.push(walk.block_ends.since(now).as_secs());
            now = walk.block_ends;
            walk.begin_block(now);
        }
        assert!(ks::distance(&mut lengths, |t| -libm::expm1(-t / 10_000.0)) < ks::limit(20_000));
        assert!(ks::distance(&mut begins, |x| x.clamp(0.0, 1.0)) < ks::limit(20_000));
    }

    /// A block that runs over the end of the trace goes on with its beginning: told by hand from the draws.
    #[test]
    fn a_path_is_told_from_its_draws() {
        let path = path(&[(6_000, 2), (6_000, 0)], BlockLengths::Fixed);
        let mut draws = Streams::new(1).stream(Source::Bootstrap, 0, 5, 0);
        let mut walk = path.walk(&Streams::new(1), 77, 5);
        let mut begin_s = draws.open01() * 12_000.0;
        for block in 0..200 {
            draws.open01();
            let after_s = 4_321.0;
            walk.pass(SimTime::ZERO + Span::from_s(block * 10_000 + 4_321));
            let right = if (begin_s + after_s) % 12_000.0 < 6_000.0 { 2 } else { 0 };
            assert_eq!(walk.level(), right, "block {block}");
            begin_s = draws.open01() * 12_000.0;
        }
    }
}
