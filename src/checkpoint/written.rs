//! How many saves are written, and for how long they lie where they are stored.

use super::cycle::{Cycle, Every};
use super::pace::Pace;
use crate::units::Span;

/// Periodic saves of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Written {
    /// Those begun.
    pub begun: u64,
    /// The first of them, which are durable.
    pub durable: u64,
}

impl<P: Pace> Cycle<P> {
    /// Periodic saves of a job of `steps` more steps after `elapsed`, less than its [`Cycle::duration`]. A
    /// save that would begin at that very instant has not, unless it takes no time at all.
    pub fn written(&self, elapsed: Span, steps: u64) -> Written {
        let most = self.saves_within(steps);
        let (stalls, _) = self.saves_by(elapsed.ns(), steps);
        let begins = |k: u64| self.stepping(self.step_of_save(k)) + self.stall().times(k - 1);
        let (durable, _) = self.durable_by(elapsed, steps);
        let begun = match stalls {
            stalls if stalls < most && begins(stalls + 1) < elapsed => stalls + 1,
            // A stall of nothing is over as it begins.
            stalls if stalls > durable && begins(stalls) == elapsed => stalls - 1,
            stalls => stalls,
        };
        Written { begun, durable }
    }

    /// Periodic saves of a whole job of `steps` steps. An upload that its end leaves under way is begun only.
    pub fn written_in_all(&self, steps: u64) -> Written {
        Written { begun: self.saves_within(steps), durable: self.durable_by(self.duration(steps), steps).0 }
    }

    /// Periodic saves of an attempt whose save at a notice, seen `seen` after its first step, keeps `kept`
    /// steps; that save is not counted. It takes the place of an upload under way.
    pub fn written_before_notice(&self, kept: u64, seen: Span) -> Written {
        let begun = self.saves_within(kept);
        let begins = (self.stepping(kept) + self.stall().times(begun)).max(seen);
        Written { begun, durable: self.durable_by(begins, kept).0 }
    }

    /// The sum, over the first `saves` periodic saves, of the time from the first step until they are
    /// durable, ns.
    pub fn durable_ns(&self, saves: u64) -> u128 {
        let first = saves.min(self.burst_saves());
        let n = u128::from(saves);
        let stalls = u128::from(self.stall().ns()) * (n * (n + 1) / 2);
        let uploads = u128::from(self.upload().ns()) * n;
        self.burst_ns(first) + self.sustained_ns(first, saves) + stalls + uploads
    }

    /// The sum of the time in steps until each of the first `saves` saves, which follow steps of the burst.
    fn burst_ns(&self, saves: u64) -> u128 {
        let step = self.pace().burst_step_ns();
        u128::from(step) * steps_of_saves(self.every(), saves, 0, step)
    }

    /// The same for saves `done` + 1 to `saves`, which follow later steps.
    fn sustained_ns(&self, done: u64, saves: u64) -> u128 {
        let (n, step) = (saves - done, self.pace().step_ns());
        let burst_steps = self.burst_steps();
        let burst_ns = self.stepping(burst_steps).ns();
        // What of the burst lies after save `done`, in the unit in which the next one is due.
        let ahead = match self.every() {
            None => 0,
            Some(Every::Time(every)) if every.ns() >= step => burst_ns - done * every.ns(),
            // A save follows every step.
            Some(Every::Time(_)) => 0,
            Some(Every::Steps(every)) => burst_steps - done * every,
        };
        u128::from(n) * u128::from(burst_ns) + u128::from(step) * steps_of_saves(self.every(), n, ahead, step)
    }
}

/// The sum, over the first `saves` saves, of the number of steps until each, if the first is due `ahead`
/// early: in ns for [`Every::Time`], in steps for [`Every::Steps`].
fn steps_of_saves(every: Option<Every>, saves: u64, ahead: u64, step_ns: u64) -> u128 {
    let (n, step) = (u128::from(saves), u128::from(step_ns));
    let counted = n * (n + 1) / 2;
    match every {
        _ if saves == 0 => 0,
        None => 0,
        Some(Every::Time(every)) if every.ns() >= step_ns => {
            let every = u128::from(every.ns());
            floor_sum(n, step, every, every - u128::from(ahead) + step - 1)
        }
        Some(Every::Time(_)) => counted,
        Some(Every::Steps(every)) => counted * u128::from(every) - n * u128::from(ahead),
    }
}

/// Σ ⌊(a·i + b) / m⌋ for i from 0 to n − 1, in as many turns as Euclid's algorithm takes for a and m.
fn floor_sum(mut n: u128, mut m: u128, mut a: u128, mut b: u128) -> u128 {
    let mut sum = 0;
    loop {
        sum += n * n.saturating_sub(1) / 2 * (a / m) + n * (b / m);
        (a, b) = (a % m, b % m);
        let most = a * n + b;
        if most < m {
            return sum;
        }
        (n, b) = (most / m, most % m);
        (m, a) = (a, m);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::Bursting;
    use proptest::prelude::*;
    use proptest::test_runner::{Config, RngSeed};

    fn ns(ns: u64) -> Span {
        Span::from_ns(ns)
    }

    /// Steps of 4, saves due every 10 of step time: after steps 3, 5 and 8, at 12, 20 and 32, each 2 long:
    /// durable at 14, 24 and 38, or 5 later if they are uploaded for so long.
    #[test]
    fn saves_and_when_they_are_durable_by_hand() {
        let cycle = Cycle::new(ns(4), Some(Every::Time(ns(10))), ns(2), false);
        assert_eq!(cycle.durable_ns(3), 14 + 24 + 38);
        let check = |elapsed, begun, durable| {
            assert_eq!(cycle.written(ns(elapsed), 100), Written { begun, durable }, "{elapsed}");
        };
        check(12, 0, 0);
        check(13, 1, 0);
        check(14, 1, 1);
        check(23, 2, 1);
        check(38, 3, 3);
        assert_eq!(cycle.written_in_all(9), Written { begun: 3, durable: 3 });
        assert_eq!(cycle.written_in_all(8), Written { begun: 2, durable: 2 });

        let cycle = cycle.with_upload(ns(5), None);
        // A save may not begin while the one before is uploaded, so every one is made only if 10 is enough.
        assert_eq!(cycle.durable_ns(3), 19 + 29 + 43);
        assert_eq!(cycle.written(ns(18), 100), Written { begun: 1, durable: 0 });
        assert_eq!(cycle.written(ns(19), 100), Written { begun: 1, durable: 1 });
        // The job of nine steps ends at 36 + 6, before the third upload does.
        assert_eq!(cycle.written_in_all(9), Written { begun: 3, durable: 2 });
    }

    /// Without a stall an upload begins at the boundary at 12, and is durable at 17.
    #[test]
    fn an_upload_that_would_begin_now_has_not() {
        let cycle = Cycle::new(ns(4), Some(Every::Time(ns(10))), ns(0), false);
        assert_eq!(cycle.written(ns(12), 100), Written { begun: 1, durable: 1 });
        let cycle = cycle.with_upload(ns(5), None);
        assert_eq!(cycle.written(ns(12), 100), Written { begun: 0, durable: 0 });
        assert_eq!(cycle.written(ns(13), 100), Written { begun: 1, durable: 0 });
        assert_eq!(cycle.written(ns(17), 100), Written { begun: 1, durable: 1 });
    }

    /// A notice seen at 30 (7 steps made, two saves): the save at the boundary at 32 + 4 keeps 8 steps, and is
    /// the third. One seen at 21, while the second upload is under way: it takes its place.
    #[test]
    fn a_save_at_a_notice_takes_the_place_of_an_upload() {
        let cycle = Cycle::new(ns(4), Some(Every::Time(ns(10))), ns(2), false);
        assert_eq!(cycle.written_before_notice(8, ns(30)), Written { begun: 2, durable: 2 });
        let cycle = cycle.with_upload(ns(5), None);
        assert_eq!(cycle.written_before_notice(6, ns(27)), Written { begun: 2, durable: 1 });
        assert_eq!(cycle.written_before_notice(6, ns(29)), Written { begun: 2, durable: 2 });
    }

    fn summed<P: Pace>(cycle: &Cycle<P>, saves: u64) -> u128 {
        (1..=saves).map(|k| u128::from(cycle.save(k, u64::MAX / 1_000_000).unwrap().ends.ns())).sum()
    }

    proptest! {
        #![proptest_config(Config { cases: 2_000, rng_seed: RngSeed::Fixed(20_261_202), failure_persistence: None, ..Config::default() })]

        #[test]
        fn the_sum_is_that_of_the_saves_one_by_one(
            step in 1_u64..40, every in 1_u64..90, by_steps in any::<bool>(), stall in 0_u64..9,
            upload in 0_u64..50, burst_step in 1_u64..40, burst_steps in 0_u64..30, saves in 0_u64..40,
        ) {
            let burst_step = burst_step.min(step);
            let every = if by_steps { Every::Steps(every) } else { Every::Time(ns(every)) };
            let cycle = Cycle::new(ns(step), Some(every), ns(stall), false);
            let steady = cycle.with_upload(ns(upload), None);
            prop_assert_eq!(steady.durable_ns(saves), summed(&steady, saves));
            let burst = cycle.with_upload(ns(upload), Some(ns(burst_step)));
            let burst: Cycle<Bursting> = burst.with_burst(ns(burst_step), burst_steps);
            prop_assert_eq!(burst.durable_ns(saves), summed(&burst, saves));
        }
    }
}
