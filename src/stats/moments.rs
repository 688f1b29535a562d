//! Mean and spread of whole numbers, exactly.

use super::Interval;
use super::special::student_t_quantile;
use serde::{Deserialize, Serialize};

/// Count, sum and sum of squares of whole numbers in one natural unit (nanoseconds, nano-dollars,
/// events). The sums are exact, so any split and order of the samples gives the same bits.
///
/// Limit: the sum of squares must stay below 2^127, as it does for 10^7 samples of up to 4 × 10^15 each
/// (47 days in ns, 4 million dollars in nano-dollars). Who expects more counts in a larger unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Moments {
    count: u64,
    sum: i128,
    squares: i128,
}

impl Moments {
    /// Of sums that somebody else kept.
    pub(super) const fn from_sums(count: u64, sum: i128, squares: i128) -> Self {
        Self { count, sum, squares }
    }

    /// Takes one more sample. Panics beyond the limit of [`Moments`].
    pub fn push(&mut self, x: i64) {
        let x = i128::from(x);
        self.merge(&Self { count: 1, sum: x, squares: x * x });
    }

    /// Takes all samples of `other`. Panics beyond the limit of [`Moments`].
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.sum += other.sum;
        self.squares =
            self.squares.checked_add(other.squares).expect("samples are in a unit whose squares fit 2^127");
    }

    /// Number of samples.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Sum of the samples.
    pub const fn sum(&self) -> i128 {
        self.sum
    }

    /// Sum of the squared samples.
    pub const fn squares(&self) -> i128 {
        self.squares
    }

    /// Mean; `None` of no samples.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    /// Variance with n - 1; `None` of fewer than two samples.
    pub fn variance(&self) -> Option<f64> {
        (self.count > 1).then(|| cross_deviation(self, self, self.squares) / (self.count - 1) as f64)
    }

    /// Standard deviation with n - 1; `None` of fewer than two samples.
    pub fn sd(&self) -> Option<f64> {
        self.variance().map(f64::sqrt)
    }

    /// Mean with Student's interval, mean ± t sd/√n; `None` of fewer than two samples.
    /// `confidence` in (0, 1).
    pub fn mean_interval(&self, confidence: f64) -> Option<Interval> {
        let n = self.count as f64;
        // The spread first: of a single sample there is neither it nor Student's factor.
        let error = self.sd()? / n.sqrt();
        Some(Interval::around(self.mean()?, student_margin(confidence, self.count) * error))
    }
}

/// Student's factor of a two-sided interval from `count` samples, at least two.
pub(super) fn student_margin(confidence: f64, count: u64) -> f64 {
    student_t_quantile(0.5 + 0.5 * confidence, (count - 1) as f64)
}

/// Σ (x - mean x)(y - mean y) from exact sums of as many `x` as `y` and `products` = Σ x y.
///
/// Deviations are taken from the whole number nearest each mean, exactly; what that leaves to subtract
/// is at most as large as the result when `x` is `y`, so no digits cancel.
pub(super) fn cross_deviation(x: &Moments, y: &Moments, products: i128) -> f64 {
    let n = i128::from(x.count);
    let ((qx, rx), (qy, ry)) = (divide_to_nearest(x.sum, n), divide_to_nearest(y.sum, n));
    let whole = products - n * qx * qy - qx * ry - qy * rx;
    whole as f64 - rx as f64 * ry as f64 / n as f64
}

/// Quotient and remainder with the remainder between -n/2 and n/2.
fn divide_to_nearest(sum: i128, n: i128) -> (i128, i128) {
    let quotient = (sum + n / 2).div_euclid(n);
    (quotient, sum - quotient * n)
}

#[cfg(test)]
mod tests {
    use super::super::special::normal_quantile;
    use super::*;

    fn moments(samples: &[i64]) -> Moments {
        let mut all = Moments::default();
        samples.iter().for_each(|&x| all.push(x));
        all
    }

    const SKEWED: [i64; 12] = [100, 120, 95, 400, 110, 105, 98, 130, 101, 99, 107, 250];

    /// `right` is mean, sd and the ends of the interval, in units of which a sample counts `parts`.
    fn check(id: &str, samples: &[i64], parts: f64, confidence: f64, right: [f64; 4]) {
        let all = moments(samples);
        let interval = all.mean_interval(confidence).unwrap();
        let found = [interval.value, all.sd().unwrap(), interval.low, interval.high];
        for (ours, right) in found.into_iter().zip(right) {
            assert!((ours / parts - right).abs() < 1e-12 * right.abs().max(1.0), "{id}: {ours}");
        }
    }

    /// Rows made for the project at 40 digits, 2026-12 (`mc_vectors.csv`), kind mean_ci_t; m003, m007 and m008 count tenths.
    #[test]
    fn mean_intervals_are_the_reference_ones() {
        let tenths = [31, 27, 44, 39, 52, 22, 33, 48, 36, 41];
        check("m003", &tenths, 10.0, 0.99, [3.73, 0.938142372516619, 2.765882122661, 4.694117877339]);
        let (mean, sd) = (142.916666666667, 91.4046530875787);
        check("m004", &SKEWED, 1.0, 0.9, [mean, sd, 95.5299999125609, 190.303333420772]);
        check("m005", &SKEWED, 1.0, 0.95, [mean, sd, 84.8409208138462, 200.992412519487]);
        check("m006", &SKEWED, 1.0, 0.99, [mean, sd, 60.9660778417137, 224.86725549162]);
        let (signed, sd) = ([-20, -10, 0, 10, 25], 1.7464249196573);
        check("m007", &signed, 10.0, 0.9, [0.1, sd, -1.56502556719904, 1.76502556719904]);
        check("m008", &signed, 10.0, 0.95, [0.1, sd, -2.06847294830437, 2.26847294830437]);
        check("m011", &[1; 5], 1.0, 0.95, [1.0, 0.0, 1.0, 1.0]);
    }

    /// Row m010, kind mean_ci_z: the normal quantile in place of Student's.
    #[test]
    fn the_normal_interval_of_the_reference_is_met() {
        let all = moments(&SKEWED);
        let margin = normal_quantile(0.975) * all.sd().unwrap() / 12.0_f64.sqrt();
        assert!((all.mean().unwrap() - margin - 91.2005659356239).abs() < 1e-10);
    }

    #[test]
    fn any_split_gives_the_same_moments() {
        let (mut left, right) = (moments(&SKEWED[..5]), moments(&SKEWED[5..]));
        left.merge(&right);
        assert_eq!(left, moments(&SKEWED));
    }

    /// 10^15 + {0, 1, 1}: variance 1/3, which sums of doubles could not see.
    #[test]
    fn large_numbers_keep_their_small_spread() {
        let base = 1_000_000_000_000_000;
        for sign in [1, -1] {
            let variance = moments(&[base, base + 1, base + 1].map(|x| sign * x)).variance().unwrap();
            assert!((variance - 1.0 / 3.0).abs() < 1e-15, "{variance}");
        }
    }

    #[test]
    fn too_few_samples_have_no_figures() {
        assert_eq!(moments(&[]).mean(), None);
        assert_eq!(moments(&[4]).mean(), Some(4.0));
        assert_eq!(moments(&[4]).mean_interval(0.95), None);
    }

    #[test]
    #[should_panic(expected = "squares fit")]
    fn what_does_not_fit_is_refused() {
        moments(&[i64::MIN, i64::MIN, i64::MIN]);
    }
}
