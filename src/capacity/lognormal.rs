//! Times whose logarithm is normal.

use super::LawError;
use super::law::{positive, within};
use crate::stats::special::{normal_cdf, normal_quantile};
use crate::units::Span;
use std::ops::RangeInclusive;

/// `lognormal`: ln t is normal around ln `median` with standard deviation `sigma`.
///
/// * `median`, time: outlived by half.
/// * `sigma`, no unit: 84 % are below median × e^sigma.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lognormal {
    log_median_s: f64,
    sigma: f64,
}

/// Spreads for which the mean is a finite number.
const SIGMAS: RangeInclusive<f64> = 1e-6..=20.0;

impl Lognormal {
    /// From the median, above 0, and `sigma`, 0.000001 to 20.
    pub fn new(median: Span, sigma: f64) -> Result<Self, LawError> {
        let log_median_s = libm::log(positive("median", median)?);
        Ok(Self { log_median_s, sigma: within("sigma", sigma, SIGMAS)? })
    }

    /// From the mean median × e^(sigma²/2), above 0, and `sigma`, 0.000001 to 20.
    pub fn from_mean(mean: Span, sigma: f64) -> Result<Self, LawError> {
        let sigma = within("sigma", sigma, SIGMAS)?;
        Ok(Self { log_median_s: libm::log(positive("mean", mean)?) - 0.5 * sigma * sigma, sigma })
    }

    /// The spread.
    pub const fn sigma(self) -> f64 {
        self.sigma
    }

    /// Chance of a time longer than `t_s`.
    pub fn survival(self, t_s: f64) -> f64 {
        if t_s <= 0.0 { 1.0 } else { normal_cdf(-self.score(t_s)) }
    }

    /// The time outlived with chance `u` in (0, 1), in seconds.
    #[inline]
    pub fn quantile_upper(self, u: f64) -> f64 {
        libm::exp(self.log_median_s - self.sigma * normal_quantile(u))
    }

    /// Mean, in seconds.
    pub fn mean_s(self) -> f64 {
        libm::exp(self.log_median_s + 0.5 * self.sigma * self.sigma)
    }

    /// Mean of the shorter of a time and `t_s`: mean × Φ(z - sigma) + t × (1 - Φ(z)), z the score of t.
    pub fn restricted_mean_s(self, t_s: f64) -> f64 {
        if t_s <= 0.0 {
            return 0.0;
        }
        let z = self.score(t_s);
        let whole = self.mean_s() * normal_cdf(z - self.sigma);
        let cut = t_s * normal_cdf(-z);
        // Without a limit the cut part is ∞ × 0.
        if t_s.is_finite() { whole + cut } else { whole }
    }

    /// How many standard deviations ln `t_s` lies above its mean.
    fn score(self, t_s: f64) -> f64 {
        (libm::log(t_s) - self.log_median_s) / self.sigma
    }
}

#[cfg(test)]
mod tests {
    use super::super::law_check::{check_against, check_formulas, check_samples, close, formulas};
    use super::*;
    use statrs::distribution::ContinuousCDF;

    fn laws() -> [(f64, Lognormal); 2] {
        [0.5, 1.2].map(|sigma| (sigma, Lognormal::new(Span::from_s(1_200), sigma).unwrap()))
    }

    #[test]
    fn survival_agrees_with_statrs() {
        for (sigma, law) in laws() {
            let theirs = statrs::distribution::LogNormal::new(libm::log(1_200.0), sigma).unwrap();
            for t in [0.0, 300.0, 1_200.0, 3_600.0, 20_000.0] {
                close(law.survival(t), theirs.sf(t), 1e-10, "survival");
            }
        }
    }

    /// e^(sigma²/2) at sigma = 1.2 is 2.0544332106438876.
    #[test]
    fn the_mean_is_above_the_median() {
        close(laws()[1].1.mean_s(), 1_200.0 * 2.054_433_210_643_887_6, 1e-14, "mean");
        close(Lognormal::from_mean(Span::from_s(1_200), 1.2).unwrap().mean_s(), 1_200.0, 1e-14, "mean");
    }

    #[test]
    fn formulas_agree_with_each_other() {
        for (_, law) in laws() {
            check_formulas(&formulas!(law), 1e-7);
        }
    }

    #[test]
    fn samples_follow_the_law_and_rand_distr() {
        for (sigma, law) in laws() {
            check_samples(&formulas!(law));
            let theirs = rand_distr::LogNormal::new(libm::log(1_200.0), sigma).unwrap();
            check_against(&formulas!(law), theirs);
        }
    }
}
