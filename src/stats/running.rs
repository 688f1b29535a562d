//! Mean and spread of real numbers, as they come.

use super::Interval;
use super::moments::student_margin;
use super::special::normal_quantile;

/// Count, mean and squared deviations of real numbers, in the order in which they come (Welford 1962, Technometrics 4,
/// 419-420). Sums over replications are in whole numbers instead ([`super::Moments`]): this depends on the order.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Running {
    count: u64,
    mean: f64,
    squares: f64,
}

impl Running {
    /// Takes one more number.
    pub fn push(&mut self, x: f64) {
        self.count += 1;
        let off = x - self.mean;
        self.mean += off / self.count as f64;
        self.squares += off * (x - self.mean);
    }

    /// How many.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Mean; `None` of none.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then_some(self.mean)
    }

    /// Standard deviation with n - 1; `None` of fewer than two.
    pub fn sd(&self) -> Option<f64> {
        (self.count > 1).then(|| (self.squares / (self.count - 1) as f64).sqrt())
    }

    /// Mean with Student's interval; `None` of fewer than two. `confidence` in (0, 1).
    pub fn student_interval(&self, confidence: f64) -> Option<Interval> {
        let error = self.standard_error()?;
        Some(Interval::around(self.mean, student_margin(confidence, self.count) * error))
    }

    /// Mean with the normal interval, right for many numbers only; `None` of fewer than two.
    pub fn normal_interval(&self, confidence: f64) -> Option<Interval> {
        Some(Interval::around(self.mean, normal_quantile(0.5 + 0.5 * confidence) * self.standard_error()?))
    }

    fn standard_error(&self) -> Option<f64> {
        Some(self.sd()? / (self.count as f64).sqrt())
    }
}

impl FromIterator<f64> for Running {
    fn from_iter<I: IntoIterator<Item = f64>>(numbers: I) -> Self {
        numbers.into_iter().fold(Self::default(), |mut all, x| {
            all.push(x);
            all
        })
    }
}

/// Quantile `p` in [0, 1] of a sample, linear between order statistics (type 7); `None` of an empty one.
///
/// Source: R. Hyndman and Y. Fan (1996), Am. Stat. 50, 361-365.
pub fn sample_quantile(sample: &[f64], p: f64) -> Option<f64> {
    let mut sorted = sample.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = p * sorted.len().checked_sub(1)? as f64;
    let (low, share) = (at.floor() as usize, at - at.floor());
    let below = *sorted.get(low)?;
    Some(sorted.get(low + 1).map_or(below, |above| below + share * (above - below)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Row m007 of the reference (40 digits): mean 0.1, sd 1.7464…, 90 % interval ± 1.66502…
    #[test]
    fn the_interval_is_the_reference_one() {
        let all: Running = [-2.0, -1.0, 0.0, 1.0, 2.5].into_iter().collect();
        let interval = all.student_interval(0.9).unwrap();
        assert!((all.sd().unwrap() - 1.746_424_919_657_3).abs() < 1e-13);
        assert!((interval.low + 1.565_025_567_199_04).abs() < 1e-12);
        assert!((interval.high - 1.765_025_567_199_04).abs() < 1e-12);
        assert_eq!([1.0].into_iter().collect::<Running>().student_interval(0.9), None);
    }

    #[test]
    fn quantiles_lie_between_order_statistics() {
        assert_eq!(sample_quantile(&[3.0, 1.0, 2.0], 0.75), Some(2.5));
        assert_eq!(sample_quantile(&[7.0], 1.0), Some(7.0));
        assert_eq!(sample_quantile(&[], 0.5), None);
    }
}
