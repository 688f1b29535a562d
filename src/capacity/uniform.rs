//! Equally likely between two times.

use super::LawError;
use crate::units::Span;

/// `uniform`: any time from `low` to `high` is as likely as any other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Uniform {
    low_s: f64,
    high_s: f64,
}

impl Uniform {
    /// From `low` and `high`, which must be above `low` and limited.
    pub fn new(low: Span, high: Span) -> Result<Self, LawError> {
        if high <= low || high == Span::MAX {
            let range = if high <= low { format!("above `low = {low}`") } else { "limited".to_owned() };
            return Err(LawError::OutOfRange { parameter: "high", value: high.to_string(), range });
        }
        Ok(Self { low_s: low.as_secs(), high_s: high.as_secs() })
    }

    /// Chance of a time longer than `t_s`.
    pub fn survival(self, t_s: f64) -> f64 {
        ((self.high_s - t_s) / self.width_s()).clamp(0.0, 1.0)
    }

    /// The time outlived with chance `u` in (0, 1), in seconds.
    pub fn quantile_upper(self, u: f64) -> f64 {
        self.high_s - u * self.width_s()
    }

    /// Mean, in seconds.
    pub fn mean_s(self) -> f64 {
        0.5 * (self.low_s + self.high_s)
    }

    /// Mean of the shorter of a time and `t_s`: the whole up to `low`, then a triangle less.
    pub fn restricted_mean_s(self, t_s: f64) -> f64 {
        let over = (t_s.min(self.high_s) - self.low_s).max(0.0);
        t_s.min(self.low_s) + over - 0.5 * over * over / self.width_s()
    }

    fn width_s(self) -> f64 {
        self.high_s - self.low_s
    }
}

#[cfg(test)]
mod tests {
    use super::super::law_check::{check_against, check_formulas, check_samples, close, formulas};
    use super::*;
    use statrs::distribution::ContinuousCDF;

    #[test]
    fn survival_agrees_with_statrs() {
        let law = Uniform::new(Span::from_s(60), Span::from_s(300)).unwrap();
        let theirs = statrs::distribution::Uniform::new(60.0, 300.0).unwrap();
        for t in [0.0, 60.0, 61.0, 200.0, 300.0, 400.0] {
            close(law.survival(t), theirs.sf(t), 1e-14, "survival");
        }
    }

    /// By hand, on 60 s to 300 s: below 60 s the whole; at 180 s half of the times average 120 s and
    /// half count 180 s, 150 s in all; beyond 300 s the mean, 180 s.
    #[test]
    fn restricted_means_are_as_by_hand() {
        let law = Uniform::new(Span::from_s(60), Span::from_s(300)).unwrap();
        for (t, right) in [(30.0, 30.0), (60.0, 60.0), (180.0, 150.0), (300.0, 180.0), (1e9, 180.0)] {
            assert_eq!(law.restricted_mean_s(t), right, "at {t} s");
        }
        assert_eq!(law.mean_s(), 180.0);
    }

    #[test]
    fn formulas_agree_with_each_other() {
        check_formulas(&formulas!(Uniform::new(Span::ZERO, Span::from_s(300)).unwrap()), 1e-9);
    }

    #[test]
    fn samples_follow_the_law_and_rand_distr() {
        let law = Uniform::new(Span::from_s(60), Span::from_s(300)).unwrap();
        check_samples(&formulas!(law));
        check_against(&formulas!(law), rand_distr::Uniform::new(60.0, 300.0).unwrap());
    }
}
