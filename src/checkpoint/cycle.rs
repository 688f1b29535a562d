//! Blocking saves at a fixed cadence, in closed form.

use super::pace::{Bursting, Pace, Steady};
use crate::units::Span;

/// The cadence of a job's blocking saves.
///
/// With [`Every::Time`], save k (from 1) is due when k times that much of kept step time has passed
/// since the restored point; it begins at the first step boundary at or after that, and several due
/// within one step give one save. With [`Every::Steps`] it follows step k × n, however long steps are
/// (docs/semantics.md, rule 12). None follows the last step unless `final_save`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cycle<P = Steady> {
    pace: P,
    every: Option<Every>,
    /// Saves that follow a step of the burst.
    burst_saves: u64,
    stall_ns: u64,
    final_save: bool,
}

/// What lies between two saves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Every {
    /// Kept step time.
    Time(Span),
    /// Steps.
    Steps(u64),
}

/// Where a job stands after some time of training, counted from the point it restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// Steps up to the newest durable save.
    pub durable_steps: u64,
    /// Saves that are durable.
    pub saves: u64,
    /// Time in steps, the durable ones and the rest of a part-done step included.
    pub stepping: Span,
    /// Time that steps stood still for saves, one under way included.
    pub stall: Span,
}

/// One periodic save.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Save {
    /// Steps that it keeps, from the restored point.
    pub steps: u64,
    /// When it is durable, after the first step began.
    pub ends: Span,
}

impl Cycle {
    /// A cycle of steps of length `step`, which must not be zero, with a save of length `stall` after
    /// each `every` (not zero).
    pub fn new(step: Span, every: Option<Every>, stall: Span, final_save: bool) -> Self {
        let endless = matches!(every, Some(Every::Time(Span::ZERO) | Every::Steps(0)));
        assert!(!step.is_zero() && !endless, "a cycle without length never ends");
        Self { pace: Steady::new(step), every, burst_saves: 0, stall_ns: stall.ns(), final_save }
    }

    /// The same cycle with the first `steps` steps of length `step`, not longer than the others.
    pub fn with_burst(self, step: Span, steps: u64) -> Cycle<Bursting> {
        let Self { every, stall_ns, final_save, .. } = self;
        let pace = self.pace.after(steps, step);
        let paced = Cycle { pace, every, burst_saves: 0, stall_ns, final_save };
        Cycle { burst_saves: paced.saves_due(steps), ..paced }
    }
}

impl<P: Pace> Cycle<P> {
    /// Length of a step after the burst; of every step where there is none.
    pub fn step(&self) -> Span {
        Span::from_ns(self.pace.step_ns())
    }

    /// How many steps the burst has.
    #[inline]
    pub fn burst_steps(&self) -> u64 {
        self.pace.burst_steps()
    }

    /// Time in the first `steps` steps, saves excluded. Saturates.
    #[inline]
    pub fn stepping(&self, steps: u64) -> Span {
        Span::from_ns(self.pace.time_ns(steps))
    }

    /// How long steps stand still for one save.
    pub const fn stall(&self) -> Span {
        Span::from_ns(self.stall_ns)
    }

    /// Periodic save `k` (from 1) of a job of `steps` more steps, if it has that many.
    pub fn save(&self, k: u64, steps: u64) -> Option<Save> {
        (k <= self.saves_within(steps)).then(|| {
            let kept = self.step_of_save(k);
            Save { steps: kept, ends: self.stepping(kept) + self.stall().times(k) }
        })
    }

    /// Time from the restored point to the end of a job of `steps` more steps, saves included.
    /// Saturates.
    pub fn duration(&self, steps: u64) -> Span {
        let saves = self.saves_within(steps) + u64::from(self.final_save);
        self.stepping(steps) + self.stall().times(saves)
    }

    /// Where a job of `steps` more steps stands after `elapsed`, less than its [`Self::duration`].
    #[inline]
    pub fn progress(&self, elapsed: Span, steps: u64) -> Progress {
        let elapsed = elapsed.ns();
        let saves_max = self.saves_within(steps);
        let (saves, durable_steps) = self.saves_by(elapsed, saves_max);
        let durable_ns = self.pace.time_ns(durable_steps);
        let since_save = elapsed - durable_ns - saves * self.stall_ns;
        // Steps go on until the next save begins, or until the last step is done.
        let next_stop = if saves < saves_max { self.step_of_save(saves + 1) } else { steps };
        let stepped = since_save.min(self.pace.time_ns(next_stop) - durable_ns);
        Progress {
            durable_steps,
            saves,
            stepping: Span::from_ns(durable_ns + stepped),
            stall: Span::from_ns(saves * self.stall_ns + (since_save - stepped)),
        }
    }

    /// The saves, of `saves_max`, that are durable after `elapsed`, and the steps they keep.
    #[inline]
    fn saves_by(&self, elapsed: u64, saves_max: u64) -> (u64, u64) {
        let Some(every) = self.every else { return (0, 0) };
        let mut saves = self.saves_by_at_most(elapsed, every).min(saves_max);
        loop {
            let kept = self.step_of_save(saves);
            if saves == 0 || self.pace.time_ns(kept) + saves * self.stall_ns <= elapsed {
                return (saves, kept);
            }
            saves -= 1;
        }
    }

    /// At least as many saves as are durable after `elapsed`, and at most two more: a boundary may lie
    /// up to a step after the due time.
    #[inline]
    fn saves_by_at_most(&self, elapsed: u64, every: Every) -> u64 {
        let period = |step_ns: u64| match every {
            Every::Time(span) => span.ns().max(step_ns).saturating_add(self.stall_ns),
            Every::Steps(steps) => steps.saturating_mul(step_ns).saturating_add(self.stall_ns),
        };
        if self.burst_steps() == 0 {
            return elapsed / period(self.pace.step_ns());
        }
        let burst_ns = self.pace.time_ns(self.burst_steps()) + self.burst_saves * self.stall_ns;
        match elapsed.checked_sub(burst_ns) {
            // What the burst has done towards its next save makes that one come earlier by up to a period.
            Some(after_burst) => self.burst_saves + 1 + after_burst / period(self.pace.step_ns()),
            None => (elapsed / period(self.pace.burst_step_ns())).min(self.burst_saves),
        }
    }

    /// How many saves end before the last of `steps` steps does.
    #[inline]
    fn saves_within(&self, steps: u64) -> u64 {
        self.saves_due(steps.saturating_sub(1))
    }

    /// How many saves are due by the end of `steps` steps: those that follow one of them.
    #[inline]
    fn saves_due(&self, steps: u64) -> u64 {
        match self.every {
            None => 0,
            Some(Every::Time(every)) if every.ns() >= self.pace.step_ns() => {
                self.pace.time_ns(steps) / every.ns()
            }
            // A save follows every step after the burst, and of the burst's steps at most every one.
            Some(Every::Time(_)) if steps > self.burst_steps() => {
                self.burst_saves + (steps - self.burst_steps())
            }
            Some(Every::Time(every)) => steps.min(self.pace.time_ns(steps) / every.ns()),
            Some(Every::Steps(every)) => steps / every,
        }
    }

    /// The step after which save `k` (from 1) begins.
    #[inline]
    fn step_of_save(&self, k: u64) -> u64 {
        match self.every {
            None => 0,
            Some(Every::Time(every)) if every.ns() >= self.pace.step_ns() => {
                self.pace.steps_covering(k * every.ns())
            }
            Some(Every::Time(_)) if k > self.burst_saves => self.burst_steps() + (k - self.burst_saves),
            Some(Every::Time(every)) => k.max(self.pace.steps_covering(k * every.ns())),
            Some(Every::Steps(every)) => k * every,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn s(seconds: u64) -> Span {
        Span::from_s(seconds)
    }

    fn ns(ns: u64) -> Span {
        Span::from_ns(ns)
    }

    /// A small job with a final save, as numbers: the walk knows no more than this.
    #[derive(Debug, Clone, Copy)]
    struct Job {
        burst_step: u64,
        burst_steps: u64,
        step: u64,
        every: Every,
        stall: u64,
    }

    impl Job {
        fn steady(self) -> Cycle {
            Cycle::new(ns(self.step), Some(self.every), ns(self.stall), true)
        }

        fn bursting(self) -> Cycle<Bursting> {
            self.steady().with_burst(ns(self.burst_step), self.burst_steps)
        }

        /// Whether a save is due in step `step`, after which `kept` of step time has passed.
        fn saves_after(self, step: u64, kept: u64, length: u64) -> bool {
            match self.every {
                Every::Time(every) => kept / every.ns() > (kept - length) / every.ns(),
                Every::Steps(every) => step.is_multiple_of(every),
            }
        }

        /// The slow, obvious walk over the steps.
        fn walked(self, elapsed: u64, steps: u64) -> Progress {
            let (mut left, mut kept, mut p) = (elapsed, 0, Progress::default());
            for step in 1..=steps {
                let length = if step <= self.burst_steps { self.burst_step } else { self.step };
                p.stepping += ns(length.min(left));
                if left < length {
                    return p;
                }
                (left, kept) = (left - length, kept + length);
                if step < steps && self.saves_after(step, kept, length) {
                    p.stall += ns(self.stall.min(left));
                    if left < self.stall {
                        return p;
                    }
                    left -= self.stall;
                    (p.saves, p.durable_steps) = (p.saves + 1, step);
                }
            }
            p.stall += ns(left);
            p
        }

        /// Holds every instant of `cycle`, which must be this job's, against the walk.
        fn check(self, cycle: &Cycle<impl Pace>, steps: u64) {
            for elapsed in 0..cycle.duration(steps).ns() {
                let walked = self.walked(elapsed, steps);
                assert_eq!(cycle.progress(ns(elapsed), steps), walked, "{self:?} elapsed {elapsed}");
            }
        }
    }

    fn small_cadences() -> impl Iterator<Item = Every> {
        (1..=11).map(|time| Every::Time(ns(time))).chain((1..=4).map(Every::Steps))
    }

    #[test]
    fn closed_form_agrees_with_walking_over_every_step() {
        for every in small_cadences() {
            for step in 1..=7 {
                for stall in 0..=4 {
                    let job = Job { burst_step: step, burst_steps: 0, step, every, stall };
                    job.check(&job.steady(), 9);
                }
            }
        }
    }

    #[test]
    fn closed_form_of_two_paces_agrees_with_walking_over_every_step() {
        for every in small_cadences() {
            for (burst_step, step) in [(1, 1), (1, 2), (1, 7), (2, 3), (2, 6), (3, 3), (3, 5), (4, 7), (5, 6)]
            {
                for burst_steps in 0..=10 {
                    for stall in [0, 1, 3] {
                        let job = Job { burst_step, burst_steps, step, every, stall };
                        job.check(&job.bursting(), 9);
                    }
                }
            }
        }
    }

    #[test]
    fn every_save_ends_when_the_walk_says_so() {
        for every in small_cadences() {
            for burst_steps in [0, 1, 4, 8] {
                let job = Job { burst_step: 2, burst_steps, step: 5, every, stall: 3 };
                for k in 1.. {
                    let Some(save) = job.bursting().save(k, 9) else { break };
                    let at_end = job.walked(save.ends.ns(), 9);
                    assert_eq!((at_end.saves, at_end.durable_steps), (k, save.steps), "{job:?}");
                    assert_eq!(job.walked(save.ends.ns() - 1, 9).saves, k - 1, "{job:?}");
                }
            }
        }
    }

    /// Case 14 C: 12 h of work, a save of 2 min after every full hour but the last: 12 h 22 min.
    #[test]
    fn no_save_follows_the_last_step_unless_asked() {
        let hourly = |last| Cycle::new(s(1), Some(Every::Time(s(3_600))), s(120), last);
        assert_eq!(hourly(false).duration(43_200), s(12 * 3_600 + 22 * 60));
        assert_eq!(hourly(true).duration(43_200), s(12 * 3_600 + 24 * 60));
        assert_eq!(Cycle::new(s(1), None, s(120), true).duration(10), s(130));
    }

    #[test]
    fn a_save_is_durable_when_it_ends_and_not_before() {
        let cycle = Cycle::new(s(1), Some(Every::Time(s(10))), s(5), false);
        assert_eq!(cycle.progress(s(15) - ns(1), 100).durable_steps, 0);
        let at_end = cycle.progress(s(15), 100);
        assert_eq!((at_end.durable_steps, at_end.saves, at_end.stepping, at_end.stall), (10, 1, s(10), s(5)));
    }

    #[test]
    fn several_saves_due_within_one_step_give_one() {
        let cycle = Cycle::new(s(11), Some(Every::Time(s(2))), s(1), false);
        assert_eq!(cycle.progress(s(24), 100).saves, 2);
        assert_eq!(cycle.duration(3), s(35));
    }

    /// Ten steps of 1 s, then steps of 3 s. Every 4 s: after steps 4, 8, 11 (13 s), 12 (16 s), 14 (22 s).
    /// Every 4 steps: after 4, 8, 12.
    #[test]
    fn time_between_saves_counts_both_paces_and_steps_between_them_neither() {
        let kept = |every| {
            let cycle = Cycle::new(s(3), Some(every), s(1), false).with_burst(s(1), 10);
            (1..).map_while(|k| cycle.save(k, 15)).map(|save| save.steps).collect::<Vec<_>>()
        };
        assert_eq!(kept(Every::Time(s(4))), [4, 8, 11, 12, 14]);
        assert_eq!(kept(Every::Steps(4)), [4, 8, 12]);
    }

    #[test]
    fn without_saves_nothing_is_kept() {
        let cycle = Cycle::new(s(1), None, Span::ZERO, false);
        let p = cycle.progress(s(99), 100);
        assert_eq!((p.durable_steps, p.stepping), (0, s(99)));
    }
}
