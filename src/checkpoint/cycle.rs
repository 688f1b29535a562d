//! Saves at a fixed cadence, in closed form.

use super::pace::{Bursting, Pace, Steady};
use crate::units::Span;

/// The cadence of a job's saves.
///
/// Steps stand still while a save is made, and go on while it is uploaded, if it is
/// ([`Cycle::with_upload`]).
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
    /// How long a save is uploaded beside training before it is durable.
    upload_ns: u64,
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

/// One save.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Save {
    /// Steps that it keeps, from the restored point.
    pub steps: u64,
    /// When it is durable, after the first step began.
    pub ends: Span,
}

/// A job that is warned of its loss; instants are counted from its first step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Warned {
    /// When it knows.
    pub seen: Span,
    /// When it is lost.
    pub lost: Span,
    /// How long a save takes then until it is durable.
    pub save: Span,
    /// Whether it trains on for as long as the save still fits.
    pub late: bool,
}

impl Cycle {
    /// A cycle of steps of length `step`, which must not be zero, with a save of length `stall` after
    /// each `every` (not zero).
    pub fn new(step: Span, every: Option<Every>, stall: Span, final_save: bool) -> Self {
        let endless = matches!(every, Some(Every::Time(Span::ZERO) | Every::Steps(0)));
        assert!(!step.is_zero() && !endless, "a cycle without length never ends");
        Self {
            pace: Steady::new(step),
            every,
            burst_saves: 0,
            stall_ns: stall.ns(),
            upload_ns: 0,
            final_save,
        }
    }

    /// The same cycle with saves that are durable only `upload` after their stall. Uploads run one at a
    /// time: of the due saves every m-th is made, where m is the least with which no save begins while
    /// the one before is uploaded (docs/semantics.md, rule 29). `burst_step` is the length of the steps
    /// that [`Self::with_burst`] will put first, if it will.
    pub fn with_upload(self, upload: Span, burst_step: Option<Span>) -> Self {
        let (upload_ns, step_ns) = (upload.ns(), self.pace.step_ns());
        let shortest_ns = burst_step.map_or(step_ns, Span::ns);
        // A boundary may lie up to a step after the due time, so the next one may be closer by as much.
        let whole_steps = upload_ns.div_ceil(step_ns).saturating_mul(step_ns);
        let apart_ns = burst_step
            .map_or(whole_steps, |burst_step| whole_steps.max(upload_ns.saturating_add(burst_step.ns())));
        let every = self.every.map(|every| match every {
            _ if upload_ns <= shortest_ns => every,
            Every::Time(span) => Every::Time(span.times(apart_ns.div_ceil(span.ns()))),
            Every::Steps(steps) => {
                Every::Steps(steps.saturating_mul(upload_ns.div_ceil(shortest_ns).div_ceil(steps)))
            }
        });
        Self { every, upload_ns, ..self }
    }

    /// The same cycle with steps of another length, not zero, where saves are not uploaded beside training.
    pub fn with_step(self, step: Span) -> Self {
        assert!(!step.is_zero() && self.upload_ns == 0, "uploads would have to be kept apart");
        Self { pace: Steady::new(step), ..self }
    }

    /// The same cycle with a save after each `steps` steps (not zero), where saves are not uploaded beside
    /// training.
    pub fn with_steps(self, steps: u64) -> Self {
        assert!(steps > 0 && self.upload_ns == 0, "uploads would have to be kept apart");
        Self { every: Some(Every::Steps(steps)), ..self }
    }

    /// The same cycle with the first `steps` steps of length `step`, not longer than the others.
    pub fn with_burst(self, step: Span, steps: u64) -> Cycle<Bursting> {
        let Self { every, stall_ns, upload_ns, final_save, .. } = self;
        let pace = self.pace.after(steps, step);
        let paced = Cycle { pace, every, burst_saves: 0, stall_ns, upload_ns, final_save };
        Cycle { burst_saves: paced.saves_due(steps), ..paced }
    }
}

impl<P: Pace> Cycle<P> {
    /// How fast steps are made.
    pub(super) const fn pace(&self) -> &P {
        &self.pace
    }

    /// Saves that follow a step of the burst.
    pub(super) const fn burst_saves(&self) -> u64 {
        self.burst_saves
    }

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

    /// How long a save is uploaded beside training, after its stall.
    pub const fn upload(&self) -> Span {
        Span::from_ns(self.upload_ns)
    }

    /// Whether the job ends with a save.
    pub const fn ends_with_save(&self) -> bool {
        self.final_save
    }

    /// What lies between two saves that are made.
    pub const fn every(&self) -> Option<Every> {
        self.every
    }

    /// Periodic save `k` (from 1) of a job of `steps` more steps, if it has that many.
    pub fn save(&self, k: u64, steps: u64) -> Option<Save> {
        (k <= self.saves_within(steps)).then(|| {
            let kept = self.step_of_save(k);
            Save { steps: kept, ends: self.stalled_until(k) + self.upload() }
        })
    }

    /// The first periodic save whose stall is over at or after `at`, of a job of `steps` more steps.
    pub fn save_from_on(&self, at: Span, steps: u64) -> Option<Save> {
        let before = at.ns().checked_sub(1).map_or(0, |before| self.saves_by(before, u64::MAX).0);
        self.save(before + 1, steps)
    }

    /// When a job of `steps` more steps can stop at or after `at` without losing a step: at a boundary
    /// between two steps, after the stall of a save that is due there. `None` where its last step ends first.
    pub fn boundary_from(&self, at: Span, steps: u64) -> Option<Span> {
        let (stalls, _, stepping) = self.stands_at(at, steps);
        let boundary = self.pace.steps_covering(stepping);
        let due = stalls < self.saves_within(steps) && boundary == self.step_of_save(stalls + 1);
        let stalls = stalls + u64::from(due);
        (boundary < steps).then(|| self.stepping(boundary) + self.stall().times(stalls))
    }

    /// When the stall of save `k` is over, or the first step begins for `k` = 0.
    pub(super) fn stalled_until(&self, k: u64) -> Span {
        self.stepping(self.step_of_save(k)) + self.stall().times(k)
    }

    /// Time from the restored point to the end of a job of `steps` more steps, saves included.
    /// Saturates.
    #[inline(always)]
    pub fn duration(&self, steps: u64) -> Span {
        let saves = self.saves_within(steps);
        let stepped = self.stepping(steps) + self.stall().times(saves);
        match (self.final_save, saves) {
            (false, _) => stepped,
            (true, 0) => stepped + self.stall() + self.upload(),
            // The last save waits for the upload under way.
            (true, _) => {
                stepped.max(self.stalled_until(saves) + self.upload()) + self.stall() + self.upload()
            }
        }
    }

    /// Where a job of `steps` more steps stands after `elapsed`, less than its [`Self::duration`].
    #[inline]
    pub fn progress(&self, elapsed: Span, steps: u64) -> Progress {
        let (stalls, kept, stepping) = self.stands_at(elapsed, steps);
        let (saves, durable_steps) = match self.upload() {
            Span::ZERO => (stalls, kept),
            _ => self.durable_by(elapsed, steps),
        };
        Progress {
            durable_steps,
            saves,
            stepping: Span::from_ns(stepping),
            stall: elapsed - Span::from_ns(stepping),
        }
    }

    /// The periodic saves of a job of `steps` more steps that are durable after `elapsed`, and the steps that
    /// they keep. Apart from [`Self::stands_at`], so that jobs without uploads do not carry it.
    #[inline(never)]
    pub(super) fn durable_by(&self, elapsed: Span, steps: u64) -> (u64, u64) {
        self.saves_by(elapsed.saturating_sub(self.upload()).ns(), steps)
    }

    /// How many steps the save at a notice keeps of a job of `steps` more steps that is lost before it is
    /// done, if that save is durable in time and keeps any. It begins at the first step boundary at or
    /// after the notice or, if `late`, at the last one from which it is durable in time. A save of the same
    /// steps that is under way goes on if that is sooner.
    pub fn steps_saved_at_notice(&self, warned: Warned, steps: u64) -> Option<u64> {
        let Warned { seen, lost, save, late } = warned;
        let at_once = Some(self.save_from(seen, save, steps)).filter(|save| save.ends <= lost)?;
        let kept = match late {
            true => at_once.steps.max(self.steps_made(lost.saturating_sub(save), steps)),
            false => at_once.steps,
        };
        (kept > 0).then_some(kept)
    }

    /// The save, `save` long, that begins at the first step boundary at or after `at`, or one under way.
    fn save_from(&self, at: Span, save: Span, steps: u64) -> Save {
        let (stalls, kept, stepping) = self.stands_at(at, steps);
        let boundary = self.pace.steps_covering(stepping);
        let made = self.stepping(boundary) + self.stall().times(stalls);
        let anew = made.max(at) + save;
        // The save of these steps has ended its stall, is in it, or has not begun.
        let cadence = match (boundary == kept && stalls > 0, stalls < self.saves_within(steps)) {
            (true, _) => made + self.upload(),
            (false, true) if boundary == self.step_of_save(stalls + 1) && made <= at => {
                made + self.stall() + self.upload()
            }
            _ => anew,
        };
        Save { steps: boundary, ends: anew.min(cadence) }
    }

    /// Whole steps made by `at`.
    fn steps_made(&self, at: Span, steps: u64) -> u64 {
        let (_, _, stepping) = self.stands_at(at, steps);
        self.pace.steps_covering(stepping + 1) - 1
    }

    /// Saves whose stall is over at `at`, the steps that they keep, and the time in steps by then.
    #[inline(always)]
    fn stands_at(&self, at: Span, steps: u64) -> (u64, u64, u64) {
        let (stalls, kept) = self.saves_by(at.ns(), steps);
        // Steps go on until the next save begins, or until the last step is done.
        let next_stop = match self.every {
            Some(_) => self.step_of_save(stalls + 1).min(steps),
            None => steps,
        };
        let kept_ns = self.pace.time_ns(kept);
        let since_save = at.ns() - kept_ns - stalls * self.stall_ns;
        (stalls, kept, kept_ns + since_save.min(self.pace.time_ns(next_stop) - kept_ns))
    }

    /// The saves of a job of `steps` more steps whose stall is over after `elapsed`, and the steps they keep.
    #[inline(always)]
    pub(super) fn saves_by(&self, elapsed: u64, steps: u64) -> (u64, u64) {
        let Some(every) = self.every else { return (0, 0) };
        let mut saves = self.saves_by_at_most(elapsed, every);
        // A division that only the end of the job needs.
        if self.step_of_save(saves) >= steps {
            saves = self.saves_within(steps);
        }
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
    pub fn saves_within(&self, steps: u64) -> u64 {
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
    pub(super) fn step_of_save(&self, k: u64) -> u64 {
        match self.every {
            None => 0,
            Some(Every::Time(every)) if every.ns() >= self.pace.step_ns() => {
                self.pace.steps_covering(k.saturating_mul(every.ns()))
            }
            Some(Every::Time(_)) if k > self.burst_saves => self.burst_steps() + (k - self.burst_saves),
            Some(Every::Time(every)) => k.max(self.pace.steps_covering(k.saturating_mul(every.ns()))),
            Some(Every::Steps(every)) => k.saturating_mul(every),
        }
    }
}

#[cfg(test)]
#[path = "cycle_tests.rs"]
mod tests;
