//! Constant hazard.

use super::LawError;
use super::law::positive;
use crate::units::Span;

/// `exponential`: a time longer than t has chance `exp(-t / mean)`, whatever has passed already.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exponential {
    mean_s: f64,
}

impl Exponential {
    /// From the mean, above 0.
    pub fn new(mean: Span) -> Result<Self, LawError> {
        Ok(Self { mean_s: positive("mean", mean)? })
    }

    /// Chance of a time longer than `t_s`.
    pub fn survival(self, t_s: f64) -> f64 {
        libm::exp(-t_s / self.mean_s)
    }

    /// The time outlived with chance `u` in (0, 1), in seconds.
    #[inline]
    pub fn quantile_upper(self, u: f64) -> f64 {
        -libm::log(u) * self.mean_s
    }

    /// Mean, in seconds.
    pub const fn mean_s(self) -> f64 {
        self.mean_s
    }

    /// Mean of the shorter of a time and `t_s`: mean × (1 - survival).
    pub fn restricted_mean_s(self, t_s: f64) -> f64 {
        -libm::expm1(-t_s / self.mean_s) * self.mean_s
    }
}

#[cfg(test)]
mod tests {
    use super::super::law_check::{check_against, check_formulas, check_samples, close, formulas};
    use super::*;
    use statrs::distribution::ContinuousCDF;

    fn law() -> Exponential {
        Exponential::new(Span::from_s(6 * 3_600)).unwrap()
    }

    #[test]
    fn survival_agrees_with_statrs() {
        let theirs = statrs::distribution::Exp::new(1.0 / 21_600.0).unwrap();
        for t in [0.0, 1.0, 3_600.0, 86_400.0, 1e6] {
            close(law().survival(t), theirs.sf(t), 1e-13, "survival");
        }
    }

    #[test]
    fn formulas_agree_with_each_other() {
        check_formulas(&formulas!(law()), 1e-9);
    }

    #[test]
    fn samples_follow_the_law_and_rand_distr() {
        check_samples(&formulas!(law()));
        check_against(&formulas!(law()), rand_distr::Exp::new(1.0 / 21_600.0).unwrap());
    }
}
