//! How fast steps are made.

use crate::units::Span;

/// Steps of one length, of which the first may be faster: those that begin while burst credits last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pace {
    step_ns: u64,
    burst_step_ns: u64,
    burst_steps: u64,
}

impl Pace {
    /// All steps of length `step`.
    pub fn steady(step: Span) -> Self {
        Self { step_ns: step.ns(), burst_step_ns: step.ns(), burst_steps: 0 }
    }

    /// The same with the first `steps` of length `step`, which is not longer.
    pub fn with_burst(self, step: Span, steps: u64) -> Self {
        assert!((1..=self.step_ns).contains(&step.ns()), "a burst step is shorter, but not nothing");
        Self { burst_step_ns: step.ns(), burst_steps: steps, ..self }
    }

    /// Length of a step after the burst, in ns.
    pub const fn step_ns(&self) -> u64 {
        self.step_ns
    }

    /// Length of a step of the burst, in ns.
    pub const fn burst_step_ns(&self) -> u64 {
        self.burst_step_ns
    }

    /// How many steps the burst has.
    pub const fn burst_steps(&self) -> u64 {
        self.burst_steps
    }

    /// What the first `steps` steps take, in ns. Saturates.
    #[inline]
    pub fn time_ns(&self, steps: u64) -> u64 {
        if self.burst_steps == 0 {
            return steps.saturating_mul(self.step_ns);
        }
        let burst = steps.min(self.burst_steps);
        burst.saturating_mul(self.burst_step_ns).saturating_add((steps - burst).saturating_mul(self.step_ns))
    }

    /// The fewest steps that take at least `time_ns`.
    #[inline]
    pub fn steps_covering(&self, time_ns: u64) -> u64 {
        if self.step_ns == 1 {
            return time_ns; // Work given as ideal time, without a division; its burst steps are 1 ns too.
        }
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
            let steady = Pace::steady(Span::from_ns(step));
            let pace = steady.with_burst(Span::from_ns(burst_step), burst_steps);
            for steps in 1..20 {
                let (before, after) = (pace.time_ns(steps - 1), pace.time_ns(steps));
                assert_eq!(after - before, if steps <= burst_steps { burst_step } else { step });
                assert!((before + 1..=after).all(|time| pace.steps_covering(time) == steps), "{pace:?}");
            }
        }
    }
}
