//! Mean and spread of a quantity over replications.

use crate::stats::{Interval, Moments};
use serde::{Deserialize, Serialize};

/// Exact sum, and moments in thousandths of it: enough digits for a spread, and far from overflow for
/// any horizon and number of replications.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Spread {
    sum: i128,
    coarse: Moments,
}

/// Units of a sample per unit of the coarse moments.
pub(super) const COARSE: i64 = 1_000;

impl Spread {
    /// Takes one more sample.
    pub fn push(&mut self, value: i64) {
        self.sum += i128::from(value);
        self.coarse.push(coarse(value));
    }

    /// Takes all samples of `other`.
    pub fn merge(&mut self, other: &Self) {
        self.sum += other.sum;
        self.coarse.merge(&other.coarse);
    }

    /// The exact sum.
    pub const fn sum(&self) -> i128 {
        self.sum
    }

    /// Number of samples.
    pub const fn count(&self) -> u64 {
        self.coarse.count()
    }

    /// Mean, in the unit of the samples; `None` of no samples.
    pub fn mean(&self) -> Option<f64> {
        (self.count() > 0).then(|| self.sum as f64 / self.count() as f64)
    }

    /// Standard deviation, in the unit of the samples; `None` of fewer than two samples.
    pub fn sd(&self) -> Option<f64> {
        self.coarse.sd().map(|sd| sd * COARSE as f64)
    }

    /// Mean with Student's interval; `None` of fewer than two samples.
    pub fn mean_interval(&self, confidence: f64) -> Option<Interval> {
        let margin = self.coarse.mean_interval(confidence)?.half_width() * COARSE as f64;
        Some(Interval::around(self.mean()?, margin))
    }
}

/// A sample in the unit of the coarse moments, halves up.
pub(super) fn coarse(value: i64) -> i64 {
    (value + COARSE / 2).div_euclid(COARSE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_exact_and_the_spread_is_that_of_thousandths() {
        let mut spread = Spread::default();
        [3_000_000_001, 5_000_000_002].into_iter().for_each(|value| spread.push(value));
        assert_eq!(spread.mean(), Some(4_000_000_001.5));
        assert!((spread.sd().unwrap() - 2e9 / 2_f64.sqrt()).abs() < 1e3);
    }
}
