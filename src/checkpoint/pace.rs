//! How fast steps are made.

use crate::units::Span;

/// How long each of an attempt's steps takes. All numbers of time are in ns.
///
/// A trait, not a number of burst steps that may be 0, so that the engine's loop without credits has no
/// branch for them.
pub trait Pace: Copy {
    /// How many steps come first and are faster: those that begin while burst credits last.
    fn burst_steps(&self) -> u64;

    /// Length of one of these.
    fn burst_step_ns(&self) -> u64;

    /// Length of every later step.
    fn step_ns(&self) -> u64;

    /// What the first `steps` steps take. Saturates.
    fn time_ns(&self, steps: u64) -> u64;

    /// The fewest steps that take at least `time_ns`.
    fn steps_covering(&self, time_ns: u64) -> u64;
}

/// All steps are of one length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Steady {
    step_ns: u64,
}

/// The first steps are faster than the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bursting {
    burst_steps: u64,
    burst_step_ns: u64,
    step_ns: u64,
}

impl Steady {
    /// Steps of length `step`.
    pub const fn new(step: Span) -> Self {
        Self { step_ns: step.ns() }
    }

    /// The same after `burst_steps` of length `burst_step`, which is not longer, and not nothing.
    pub fn after(self, burst_steps: u64, burst_step: Span) -> Bursting {
        assert!((1..=self.step_ns).contains(&burst_step.ns()), "a burst step is shorter, but not nothing");
        Bursting { burst_steps, burst_step_ns: burst_step.ns(), step_ns: self.step_ns }
    }
}

impl Pace for Steady {
    #[inline]
    fn burst_steps(&self) -> u64 {
        0
    }

    #[inline]
    fn burst_step_ns(&self) -> u64 {
        self.step_ns
    }

    #[inline]
    fn step_ns(&self) -> u64 {
        self.step_ns
    }

    #[inline]
    fn time_ns(&self, steps: u64) -> u64 {
        steps.saturating_mul(self.step_ns)
    }

    #[inline]
    fn steps_covering(&self, time_ns: u64) -> u64 {
        // Work given as ideal time has steps of 1 ns: it needs no division.
        if self.step_ns == 1 { time_ns } else { time_ns.div_ceil(self.step_ns) }
    }
}

impl Pace for Bursting {
    #[inline]
    fn burst_steps(&self) -> u64 {
        self.burst_steps
    }

    #[inline]
    fn burst_step_ns(&self) -> u64 {
        self.burst_step_ns
    }

    #[inline]
    fn step_ns(&self) -> u64 {
        self.step_ns
    }

    #[inline]
    fn time_ns(&self, steps: u64) -> u64 {
        let burst = steps.min(self.burst_steps);
        burst.saturating_mul(self.burst_step_ns).saturating_add((steps - burst).saturating_mul(self.step_ns))
    }

    #[inline]
    fn steps_covering(&self, time_ns: u64) -> u64 {
        match time_ns.checked_sub(self.burst_steps.saturating_mul(self.burst_step_ns)) {
            Some(after_burst) => self.burst_steps + after_burst.div_ceil(self.step_ns),
            None => time_ns.div_ceil(self.burst_step_ns),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_and_their_time_are_inverse_to_each_other() {
        for (burst_step, step, burst_steps) in [(1, 1, 4), (2, 2, 0), (2, 5, 3), (3, 7, 1), (1, 4, 9)] {
            let steady = Steady::new(Span::from_ns(step));
            let pace = steady.after(burst_steps, Span::from_ns(burst_step));
            for steps in 1..20 {
                let (before, after) = (pace.time_ns(steps - 1), pace.time_ns(steps));
                assert_eq!(after - before, if steps <= burst_steps { burst_step } else { step });
                assert!((before + 1..=after).all(|time| pace.steps_covering(time) == steps), "{pace:?}");
            }
        }
    }
}
