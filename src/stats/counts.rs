//! Small whole numbers, counted by value.

use super::{Interval, Moments};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How often each value of a small whole number occurred: exact mean, spread and quantiles in memory
/// that grows with the values, not with the samples.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counts {
    moments: Moments,
    by_value: BTreeMap<u32, u64>,
}

impl Counts {
    /// Takes one more sample.
    pub fn push(&mut self, value: u32) {
        self.moments.push(i64::from(value));
        *self.by_value.entry(value).or_default() += 1;
    }

    /// Takes all samples of `other`.
    pub fn merge(&mut self, other: &Self) {
        self.moments.merge(&other.moments);
        for (&value, &count) in &other.by_value {
            *self.by_value.entry(value).or_default() += count;
        }
    }

    /// Mean; `None` of no samples.
    pub fn mean(&self) -> Option<f64> {
        self.moments.mean()
    }

    /// Standard deviation with n - 1; `None` of fewer than two samples.
    pub fn sd(&self) -> Option<f64> {
        self.moments.sd()
    }

    /// Mean with Student's interval; `None` of fewer than two samples.
    pub fn mean_interval(&self, confidence: f64) -> Option<Interval> {
        self.moments.mean_interval(confidence)
    }

    /// Quantile `p` in [0, 1], linear between order statistics (type 7); `None` of no samples.
    pub fn quantile(&self, p: f64) -> Option<f64> {
        let last = self.moments.count().checked_sub(1)?;
        let at = p * last as f64;
        let (low, share) = (at.floor() as u64, at - at.floor());
        let (below, above) = (self.at_rank(low)?, self.at_rank((low + 1).min(last))?);
        Some(below + share * (above - below))
    }

    /// The value with `rank` smaller or equal ones before it.
    fn at_rank(&self, rank: u64) -> Option<f64> {
        let mut seen = 0;
        self.by_value.iter().find_map(|(&value, &count)| {
            seen += count;
            (seen > rank).then_some(f64::from(value))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_between_order_statistics() {
        let mut counts = Counts::default();
        [0, 0, 1, 4].into_iter().for_each(|value| counts.push(value));
        assert_eq!(counts.mean(), Some(1.25));
        assert_eq!(counts.quantile(0.5), Some(0.5));
        assert_eq!(counts.quantile(1.0), Some(4.0));
        assert_eq!(Counts::default().quantile(0.5), None);
    }
}
