//! Small whole numbers, counted by value.

use super::{Interval, Moments};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How often each value of a small whole number occurred: exact mean, spread and quantiles in memory
/// that grows with the values, not with the samples.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counts {
    /// How often each value below [`FEW`] occurred, up to the largest of them that did.
    few: Vec<u64>,
    /// How often each larger value did.
    many: BTreeMap<u32, u64>,
}

/// Values below this one are counted in a table: they are nearly all there are, and counting is most of what they cost.
const FEW: u32 = 256;

impl Counts {
    /// Takes one more sample.
    #[inline]
    pub fn push(&mut self, value: u32) {
        match self.few.get_mut(value as usize) {
            Some(count) => *count += 1,
            None => self.add(value, 1),
        }
    }

    /// Takes all samples of `other`.
    pub fn merge(&mut self, other: &Self) {
        other.by_value().for_each(|(value, count)| self.add(value, count));
    }

    /// Takes the same sample so many times.
    fn add(&mut self, value: u32, count: u64) {
        if value >= FEW {
            *self.many.entry(value).or_default() += count;
            return;
        }
        let place = value as usize;
        if self.few.len() <= place {
            self.few.resize(place + 1, 0);
        }
        self.few[place] += count;
    }

    /// How often each value occurred, in the order of values.
    fn by_value(&self) -> impl Iterator<Item = (u32, u64)> {
        let few = (0..FEW).zip(self.few.iter().copied()).filter(|(_, count)| *count > 0);
        few.chain(self.many.iter().map(|(&value, &count)| (value, count)))
    }

    fn moments(&self) -> Moments {
        let (mut all, mut sum, mut squares) = (0, 0, 0);
        for (value, count) in self.by_value() {
            let (value, times) = (i128::from(value), i128::from(count));
            all += count;
            sum += value * times;
            squares += value * value * times;
        }
        Moments::from_sums(all, sum, squares)
    }

    /// Mean; `None` of no samples.
    pub fn mean(&self) -> Option<f64> {
        self.moments().mean()
    }

    /// Standard deviation with n - 1; `None` of fewer than two samples.
    pub fn sd(&self) -> Option<f64> {
        self.moments().sd()
    }

    /// Mean with Student's interval; `None` of fewer than two samples.
    pub fn mean_interval(&self, confidence: f64) -> Option<Interval> {
        self.moments().mean_interval(confidence)
    }

    /// Quantile `p` in [0, 1], linear between order statistics (type 7); `None` of no samples.
    pub fn quantile(&self, p: f64) -> Option<f64> {
        let last = self.moments().count().checked_sub(1)?;
        let at = p * last as f64;
        let (low, share) = (at.floor() as u64, at - at.floor());
        let (below, above) = (self.at_rank(low)?, self.at_rank((low + 1).min(last))?);
        Some(below + share * (above - below))
    }

    /// The value with `rank` smaller or equal ones before it.
    fn at_rank(&self, rank: u64) -> Option<f64> {
        let mut seen = 0;
        self.by_value().find_map(|(value, count)| {
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
    /// 300 goes elsewhere than 2 and is counted as it is.
    #[test]
    fn large_values_are_counted_as_small_ones_are() {
        let (mut counts, mut more) = (Counts::default(), Counts::default());
        counts.push(300);
        [2, 300, 1].into_iter().for_each(|value| more.push(value));
        counts.merge(&more);
        assert_eq!(counts.mean(), Some(150.75));
        assert_eq!(counts.quantile(0.5), Some(151.0));
        // (149.75² + 148.75² + 2 × 149.25²)/3.
        assert!((counts.sd().unwrap().powi(2) - 29_700.916_666_666_668).abs() < 1e-9);
    }
}
