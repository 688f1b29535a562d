//! Hazard that falls or rises as a power of age.

use super::LawError;
use super::law::{positive, within};
use crate::stats::special::gamma_p;
use crate::units::Span;
use std::ops::RangeInclusive;

/// `weibull`: a time longer than t has chance `exp(-(t / scale)^shape)`.
///
/// * `scale`, time: outlived by 36.8 %.
/// * `shape`, no unit: below 1 the hazard falls with age, at 1 it is constant, above 1 it rises.
///
/// Source: W. Weibull (1951), J. Appl. Mech. 18, 293-297.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weibull {
    shape: f64,
    scale_s: f64,
    inverse_shape: f64,
}

/// Shapes for which mean and quantiles are finite numbers.
const SHAPES: RangeInclusive<f64> = 0.01..=1_000.0;

impl Weibull {
    /// From `shape`, 0.01 to 1,000, and `scale`, above 0.
    pub fn new(shape: f64, scale: Span) -> Result<Self, LawError> {
        let shape = within("shape", shape, SHAPES)?;
        Ok(Self { shape, scale_s: positive("scale", scale)?, inverse_shape: 1.0 / shape })
    }

    /// From `shape`, 0.01 to 1,000, and the mean scale × Γ(1 + 1/shape), above 0.
    pub fn from_mean(shape: f64, mean: Span) -> Result<Self, LawError> {
        let inverse_shape = 1.0 / within("shape", shape, SHAPES)?;
        let scale_s = positive("mean", mean)? / libm::tgamma(1.0 + inverse_shape);
        Ok(Self { shape, scale_s, inverse_shape })
    }

    /// The shape.
    pub const fn shape(self) -> f64 {
        self.shape
    }

    /// The scale, in seconds.
    pub const fn scale_s(self) -> f64 {
        self.scale_s
    }

    /// Chance of a time longer than `t_s`.
    pub fn survival(self, t_s: f64) -> f64 {
        libm::exp(-self.hazard_sum(t_s))
    }

    /// The time outlived with chance `u` in (0, 1), in seconds.
    #[inline]
    pub fn quantile_upper(self, u: f64) -> f64 {
        self.scale_s * libm::pow(-libm::log(u), self.inverse_shape)
    }

    /// Mean, in seconds.
    pub fn mean_s(self) -> f64 {
        self.scale_s * libm::tgamma(1.0 + self.inverse_shape)
    }

    /// Mean of the shorter of a time and `t_s`: (scale/shape) γ(1/shape, (t/scale)^shape).
    pub fn restricted_mean_s(self, t_s: f64) -> f64 {
        self.mean_s() * gamma_p(self.inverse_shape, self.hazard_sum(t_s))
    }

    /// The hazard from 0 to `t_s`, summed.
    fn hazard_sum(self, t_s: f64) -> f64 {
        libm::pow(t_s / self.scale_s, self.shape)
    }
}

#[cfg(test)]
mod tests {
    use super::super::law_check::{check_against, check_formulas, check_samples, close, formulas};
    use super::*;
    use statrs::distribution::ContinuousCDF;

    fn laws() -> [Weibull; 3] {
        [0.62, 1.0, 2.5].map(|shape| Weibull::new(shape, Span::from_s(32_400)).unwrap())
    }

    #[test]
    fn survival_agrees_with_statrs() {
        for law in laws() {
            // Theirs takes the shape first.
            let theirs = statrs::distribution::Weibull::new(law.shape(), 32_400.0).unwrap();
            for t in [0.0, 60.0, 3_600.0, 86_400.0, 200_000.0] {
                close(law.survival(t), theirs.sf(t), 1e-12, "survival");
            }
        }
    }

    /// Γ(3) = 2 at shape 1/2 and Γ(3/2) = √π/2 at shape 2.
    #[test]
    fn the_mean_gives_the_scale() {
        let scale_s = |shape| Weibull::from_mean(shape, Span::from_s(3_600)).unwrap().scale_s();
        close(scale_s(0.5), 1_800.0, 1e-14, "shape 1/2");
        close(scale_s(2.0), 7_200.0 / std::f64::consts::PI.sqrt(), 1e-14, "shape 2");
        let law = Weibull::from_mean(0.01, Span::from_s(3_600)).unwrap();
        close(law.mean_s(), 3_600.0, 1e-12, "shape 0.01");
    }

    #[test]
    fn formulas_agree_with_each_other() {
        for law in laws() {
            check_formulas(&formulas!(law), 1e-8);
        }
    }

    #[test]
    fn samples_follow_the_law_and_rand_distr() {
        for law in laws() {
            check_samples(&formulas!(law));
            // Theirs takes the scale first.
            check_against(&formulas!(law), rand_distr::Weibull::new(32_400.0, law.shape()).unwrap());
        }
    }
}
