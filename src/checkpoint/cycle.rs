//! Blocking saves at a fixed cadence, in closed form.

use crate::units::Span;

/// The cadence of a job's blocking saves.
///
/// Save k (from 1) is due when `every × k` of kept step time has passed since the restored point; it
/// begins at the first step boundary at or after that, and several due within one step give one save
/// (docs/semantics.md, rule 12). None follows the last step unless `final_save`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cycle {
    step_ns: u64,
    every_ns: Option<u64>,
    stall_ns: u64,
    final_save: bool,
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
    /// each `every` (not zero) of steps.
    pub fn new(step: Span, every: Option<Span>, stall: Span, final_save: bool) -> Self {
        assert!(!step.is_zero() && every != Some(Span::ZERO), "a cycle without length never ends");
        Self { step_ns: step.ns(), every_ns: every.map(Span::ns), stall_ns: stall.ns(), final_save }
    }

    /// Length of one step.
    pub const fn step(&self) -> Span {
        Span::from_ns(self.step_ns)
    }

    /// How long steps stand still for one save.
    pub const fn stall(&self) -> Span {
        Span::from_ns(self.stall_ns)
    }

    /// Periodic save `k` (from 1) of a job of `steps` more steps, if it has that many.
    pub fn save(&self, k: u64, steps: u64) -> Option<Save> {
        (k <= self.saves_within(steps)).then(|| {
            let kept = self.step_of_save(k);
            Save { steps: kept, ends: self.step().times(kept) + self.stall().times(k) }
        })
    }

    /// Time from the restored point to the end of a job of `steps` more steps, saves included.
    /// Saturates.
    pub fn duration(&self, steps: u64) -> Span {
        let saves = self.saves_within(steps) + u64::from(self.final_save);
        self.step().times(steps) + Span::from_ns(self.stall_ns).times(saves)
    }

    /// Where a job of `steps` more steps stands after `elapsed`, less than its [`Self::duration`].
    #[inline]
    pub fn progress(&self, elapsed: Span, steps: u64) -> Progress {
        let elapsed = elapsed.ns();
        let saves_max = self.saves_within(steps);
        let (saves, durable_steps) = self.saves_by(elapsed, saves_max);
        let since_save = elapsed - durable_steps * self.step_ns - saves * self.stall_ns;
        // Steps go on until the next save begins, or until the last step is done.
        let next_stop = if saves < saves_max { self.step_of_save(saves + 1) } else { steps };
        let steps_until_stop = (next_stop - durable_steps).saturating_mul(self.step_ns);
        let stepped = since_save.min(steps_until_stop);
        Progress {
            durable_steps,
            saves,
            stepping: Span::from_ns(durable_steps * self.step_ns + stepped),
            stall: Span::from_ns(saves * self.stall_ns + (since_save - stepped)),
        }
    }

    /// The saves, of `saves_max`, that are durable after `elapsed`, and the steps they keep.
    #[inline]
    fn saves_by(&self, elapsed: u64, saves_max: u64) -> (u64, u64) {
        let Some(every) = self.every_ns else { return (0, 0) };
        let period = every.max(self.step_ns).saturating_add(self.stall_ns);
        let mut saves = (elapsed / period).min(saves_max);
        loop {
            let kept = self.step_of_save(saves);
            // A boundary may lie up to a step after the due time, so the last one may not be done yet.
            if saves == 0 || kept * self.step_ns + saves * self.stall_ns <= elapsed {
                return (saves, kept);
            }
            saves -= 1;
        }
    }

    /// How many saves end before the last of `steps` steps does.
    #[inline]
    fn saves_within(&self, steps: u64) -> u64 {
        match self.every_ns {
            Some(every) if every >= self.step_ns => {
                steps.saturating_sub(1).saturating_mul(self.step_ns) / every
            }
            Some(_) => steps.saturating_sub(1),
            None => 0,
        }
    }

    /// The step after which save `k` (from 1) begins.
    #[inline]
    fn step_of_save(&self, k: u64) -> u64 {
        match self.every_ns {
            Some(every) if self.step_ns == 1 => k * every,
            Some(every) if every >= self.step_ns => (k * every).div_ceil(self.step_ns),
            _ => k,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn s(seconds: u64) -> Span {
        Span::from_s(seconds)
    }

    /// The slow, obvious walk over the steps.
    fn walked(cycle: &Cycle, elapsed: u64, steps: u64) -> Progress {
        let (mut t, mut p, mut due, mut step) =
            (0, Progress::default(), cycle.every_ns.unwrap_or(u64::MAX), 0);
        let end = Span::from_ns;
        while step < steps {
            let part = cycle.step_ns.min(elapsed - t);
            (t, p.stepping) = (t + part, p.stepping + end(part));
            if part < cycle.step_ns || t == elapsed && cycle.stall_ns > 0 {
                return p;
            }
            step += 1;
            let kept = step * cycle.step_ns;
            if kept >= due && step < steps {
                while due <= kept {
                    due += cycle.every_ns.unwrap();
                }
                let part = cycle.stall_ns.min(elapsed - t);
                (t, p.stall) = (t + part, p.stall + end(part));
                if part < cycle.stall_ns {
                    return p;
                }
                (p.saves, p.durable_steps) = (p.saves + 1, step);
            }
            if t == elapsed {
                return p;
            }
        }
        p.stall += end(elapsed - t);
        p
    }

    #[test]
    fn closed_form_agrees_with_walking_over_every_step() {
        for step in 1..=7 {
            for every in 1..=11 {
                for stall in 0..=4 {
                    let cycle = Cycle::new(
                        Span::from_ns(step),
                        Some(Span::from_ns(every)),
                        Span::from_ns(stall),
                        true,
                    );
                    for elapsed in 0..cycle.duration(9).ns() {
                        assert_eq!(
                            cycle.progress(Span::from_ns(elapsed), 9),
                            walked(&cycle, elapsed, 9),
                            "step {step} every {every} stall {stall} elapsed {elapsed}"
                        );
                    }
                }
            }
        }
    }

    /// Case 14 C: 12 h of work, a save of 2 min after every full hour but the last: 12 h 22 min.
    #[test]
    fn no_save_follows_the_last_step_unless_asked() {
        let hourly = |last| Cycle::new(s(1), Some(s(3_600)), s(120), last);
        assert_eq!(hourly(false).duration(43_200), s(12 * 3_600 + 22 * 60));
        assert_eq!(hourly(true).duration(43_200), s(12 * 3_600 + 24 * 60));
        assert_eq!(Cycle::new(s(1), None, s(120), true).duration(10), s(130));
    }

    #[test]
    fn a_save_is_durable_when_it_ends_and_not_before() {
        let cycle = Cycle::new(s(1), Some(s(10)), s(5), false);
        assert_eq!(cycle.progress(s(15) - Span::from_ns(1), 100).durable_steps, 0);
        let at_end = cycle.progress(s(15), 100);
        assert_eq!((at_end.durable_steps, at_end.saves, at_end.stepping, at_end.stall), (10, 1, s(10), s(5)));
    }

    #[test]
    fn several_saves_due_within_one_step_give_one() {
        let cycle = Cycle::new(s(11), Some(s(2)), s(1), false);
        assert_eq!(cycle.progress(s(24), 100).saves, 2);
        assert_eq!(cycle.duration(3), s(35));
    }

    #[test]
    fn without_saves_nothing_is_kept() {
        let cycle = Cycle::new(s(1), None, Span::ZERO, false);
        let p = cycle.progress(s(99), 100);
        assert_eq!((p.durable_steps, p.stepping), (0, s(99)));
    }
}
