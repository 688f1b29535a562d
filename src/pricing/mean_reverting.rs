//! A price that wanders around its mean.

use crate::rng::Stream;
use crate::stats::special::normal_quantile;
use crate::units::{Price, Span};

/// `[pricing.mean_reverting]`: the logarithm of the price is an Ornstein-Uhlenbeck process, looked at once
/// every [`Self::every`]; between two looks the price stands still.
///
/// With Y stationary, standard normal, Y(t + d) = a Y(t) + √(1 − a²) Z, a = 2^(−d / half-life), Z standard
/// normal, is exact at any distance d: no error of a scheme. The price is
/// mean × exp(sd × Y − sd² / 2), so its mean is `mean`, not that of its logarithm. It is rounded to whole
/// micro-dollars an hour, as AWS writes prices, and Y is cut at six standard deviations: once in 5 × 10⁸ looks.
///
/// Source: G. E. Uhlenbeck and L. S. Ornstein (1930), Physical Review 36, 823-841.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeanReverting {
    mean: Price,
    /// Logarithm of the median price in USD/h.
    log_median: f64,
    sd: f64,
    /// What is left of a deviation after one step.
    keep: f64,
    every: Span,
}

/// Standard deviations at which the logarithm is cut.
const CUT: f64 = 6.0;

impl MeanReverting {
    /// A price of this mean whose logarithm has the stationary standard deviation `sd`, and whose deviations
    /// halve in `half_life`. `None` unless all of them are above 0 and `sd` is at most 2.
    pub fn new(mean: Price, sd: f64, half_life: Span, every: Span) -> Option<Self> {
        let fits = mean > Price::ZERO && sd > 0.0 && sd <= 2.0 && !half_life.is_zero() && !every.is_zero();
        let steps = every.as_secs() / half_life.as_secs();
        fits.then(|| Self {
            mean,
            log_median: libm::log(mean.as_usd_per_hour()) - sd * sd / 2.0,
            sd,
            keep: libm::exp2(-steps),
            every,
        })
    }

    /// Its mean.
    pub const fn mean(&self) -> Price {
        self.mean
    }

    /// How long each price holds.
    pub const fn every(&self) -> Span {
        self.every
    }

    /// No price is above this.
    pub fn highest(&self) -> Price {
        self.price(CUT)
    }

    /// No price is below this.
    pub fn lowest(&self) -> Price {
        self.price(-CUT)
    }

    /// The deviation after `before`, in standard deviations of the logarithm; the first is stationary.
    pub(super) fn next(&self, before: Option<f64>, stream: &mut Stream) -> f64 {
        let fresh = normal_quantile(stream.open01());
        match before {
            None => fresh,
            Some(before) => self.keep * before + (1.0 - self.keep * self.keep).sqrt() * fresh,
        }
    }

    /// The price at a deviation.
    pub(super) fn price(&self, deviation: f64) -> Price {
        let usd = libm::exp(self.log_median + self.sd * deviation.clamp(-CUT, CUT));
        // A float-to-integer cast saturates.
        Price::from_micro_usd_per_hour(((usd * 1e6 + 0.5) as u64).max(1))
    }
}

#[cfg(test)]
#[path = "mean_reverting_tests.rs"]
mod tests;
