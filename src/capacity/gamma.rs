//! Sums of exponential times, and what lies between.

use super::LawError;
use super::law::{positive, within};
use crate::stats::special::{gamma_p, gamma_q, gamma_q_inverse};
use crate::units::Span;
use std::ops::RangeInclusive;

/// `gamma`: density t^(shape-1) e^(-t/scale), normalized; the sum of `shape` exponential times of mean
/// `scale` where `shape` is whole.
///
/// * `scale`, time.
/// * `shape`, no unit: the squared coefficient of variation is 1/shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gamma {
    shape: f64,
    scale_s: f64,
}

/// Shapes for which the incomplete gamma function keeps its digits.
const SHAPES: RangeInclusive<f64> = 0.01..=10_000.0;

impl Gamma {
    /// From `shape`, 0.01 to 10,000, and `scale`, above 0.
    pub fn new(shape: f64, scale: Span) -> Result<Self, LawError> {
        Ok(Self { shape: within("shape", shape, SHAPES)?, scale_s: positive("scale", scale)? })
    }

    /// From `shape`, 0.01 to 10,000, and the mean shape × scale, above 0.
    pub fn from_mean(shape: f64, mean: Span) -> Result<Self, LawError> {
        let shape = within("shape", shape, SHAPES)?;
        Ok(Self { shape, scale_s: positive("mean", mean)? / shape })
    }

    /// The shape.
    pub const fn shape(self) -> f64 {
        self.shape
    }

    /// Chance of a time longer than `t_s`.
    pub fn survival(self, t_s: f64) -> f64 {
        gamma_q(self.shape, t_s / self.scale_s)
    }

    /// The time outlived with chance `u` in (0, 1), in seconds.
    pub fn quantile_upper(self, u: f64) -> f64 {
        self.scale_s * gamma_q_inverse(self.shape, u)
    }

    /// Mean, in seconds.
    pub fn mean_s(self) -> f64 {
        self.shape * self.scale_s
    }

    /// Mean of the shorter of a time and `t_s`: mean × P(shape + 1, t/scale) + t × survival, by parts.
    pub fn restricted_mean_s(self, t_s: f64) -> f64 {
        let x = t_s / self.scale_s;
        let whole = self.mean_s() * gamma_p(self.shape + 1.0, x);
        // Without a limit the cut part is ∞ × 0.
        if t_s.is_finite() { whole + t_s * gamma_q(self.shape, x) } else { self.mean_s() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::law_check::{check_against, check_formulas, check_samples, close, formulas};
    use super::*;
    use statrs::distribution::ContinuousCDF;

    fn laws() -> [(f64, Gamma); 3] {
        [0.4, 1.0, 6.5].map(|shape| (shape, Gamma::new(shape, Span::from_s(5_000)).unwrap()))
    }

    #[test]
    fn survival_agrees_with_statrs() {
        for (shape, law) in laws() {
            let theirs = statrs::distribution::Gamma::new(shape, 1.0 / 5_000.0).unwrap();
            for t in [0.0, 60.0, 3_600.0, 20_000.0, 60_000.0] {
                close(law.survival(t), theirs.sf(t), 1e-11, "survival");
            }
        }
    }

    #[test]
    fn formulas_agree_with_each_other() {
        for (_, law) in laws() {
            check_formulas(&formulas!(law), 1e-9);
        }
    }

    #[test]
    fn the_mean_gives_the_scale() {
        let law = Gamma::from_mean(4.0, Span::from_s(20_000)).unwrap();
        assert_eq!(law, Gamma::new(4.0, Span::from_s(5_000)).unwrap());
        assert_eq!(law.mean_s(), 20_000.0);
    }

    #[test]
    fn samples_follow_the_law_and_rand_distr() {
        for (shape, law) in laws() {
            check_samples(&formulas!(law));
            check_against(&formulas!(law), rand_distr::Gamma::new(shape, 5_000.0).unwrap());
        }
    }
}
