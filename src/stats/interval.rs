//! Confidence intervals of shares and quantiles.

use super::special::{beta_quantile, beta_regularized, normal_quantile};

/// A figure with its two-sided confidence interval, all in the figure's unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The estimate.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Interval {
    /// `value` ± `margin`.
    pub fn around(value: f64, margin: f64) -> Self {
        Self { value, low: value - margin, high: value + margin }
    }

    /// Half the width.
    pub fn half_width(&self) -> f64 {
        0.5 * (self.high - self.low)
    }
}

/// Share of `successes` in `n` trials with Wilson's score interval; `None` of no trials.
/// `confidence` in (0, 1).
///
/// Source: E. B. Wilson (1927), JASA 22, 209-212.
pub fn wilson(successes: u64, n: u64, confidence: f64) -> Option<Interval> {
    debug_assert!(successes <= n, "{successes} successes in {n} trials");
    if n == 0 {
        return None;
    }
    let (count, share) = (n as f64, successes as f64 / n as f64);
    let z = normal_quantile(0.5 + 0.5 * confidence);
    let shrink = 1.0 + z * z / count;
    let centre = (share + z * z / (2.0 * count)) / shrink;
    let margin = z / shrink * (share * (1.0 - share) / count + z * z / (4.0 * count * count)).sqrt();
    // The ends at 0 and 1 are exact; rounding must not move them.
    let low = if successes == 0 { 0.0 } else { centre - margin };
    let high = if successes == n { 1.0 } else { centre + margin };
    Some(Interval { value: share, low, high })
}

/// Share of `successes` in `n` trials with Clopper and Pearson's interval, which covers at least as
/// often as it says; `None` of no trials. `confidence` in (0, 1).
///
/// Source: C. Clopper and E. Pearson (1934), Biometrika 26, 404-413.
pub fn clopper_pearson(successes: u64, n: u64, confidence: f64) -> Option<Interval> {
    debug_assert!(successes <= n, "{successes} successes in {n} trials");
    if n == 0 {
        return None;
    }
    let (k, failures) = (successes as f64, (n - successes) as f64);
    let outside = 0.5 - 0.5 * confidence;
    let low = if successes == 0 { 0.0 } else { beta_quantile(k, failures + 1.0, outside) };
    // Counted from the other end, where the tail itself and not its complement is given.
    let high = if successes == n { 1.0 } else { 1.0 - beta_quantile(failures, k + 1.0, outside) };
    Some(Interval { value: k / n as f64, low, high })
}

/// Ranks, counted from 1, of the order statistics that bound the `p`-quantile of `n` samples whatever
/// their law: the largest `l` with P(Bin(n, p) <= l - 1) <= (1 - confidence)/2 and the smallest `u` with
/// P(Bin(n, p) >= u) no more than that. `None` where `n` is too small for that side. `p` and
/// `confidence` in (0, 1).
///
/// Source: W. Conover, Practical Nonparametric Statistics, section 3.2.
pub fn order_statistic_ranks(n: u64, p: f64, confidence: f64) -> (Option<u64>, Option<u64>) {
    let outside = 0.5 - 0.5 * confidence;
    let lower = first_rank(n, |k| at_least(n, 1.0 - p, n + 1 - k) > outside).checked_sub(1);
    let upper = first_rank(n, |k| at_least(n, p, k) <= outside);
    (lower.filter(|&l| l >= 1), (upper <= n).then_some(upper))
}

/// P(Bin(n, p) >= k), for k from 1 to n.
fn at_least(n: u64, p: f64, k: u64) -> f64 {
    beta_regularized(k as f64, (n - k) as f64 + 1.0, p)
}

/// The least rank from 1 to `n` that satisfies a condition which, once true, stays true; else `n + 1`.
fn first_rank(n: u64, holds: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut high) = (1, n + 1);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(id: &str, found: Option<Interval>, low: f64, high: f64) {
        let found = found.unwrap();
        assert!((found.low - low).abs() <= 1e-12 * low, "{id}: low {}", found.low);
        assert!((found.high - high).abs() <= 1e-12 * high, "{id}: high {}", found.high);
    }

    /// Rows made for the project at 40 digits, 2026-12 (`mc_vectors.csv`), kind wilson.
    #[test]
    fn wilson_intervals_are_the_reference_ones() {
        for (id, k, n, low, high) in [
            ("m012", 0, 10, 0.0, 0.277532799862889),
            ("m014", 1, 10, 0.0178762130950729, 0.404150026795238),
            ("m016", 5, 10, 0.236593090512564, 0.763406909487436),
            ("m018", 9, 10, 0.595849973204762, 0.982123786904927),
            ("m020", 10, 10, 0.722467200137111, 1.0),
            ("m026", 0, 1_000, 0.0, 0.00382675848555512),
            ("m030", 950, 1_000, 0.934686179755749, 0.961869737607251),
            ("m032", 500, 1_000, 0.469069600368104, 0.530930399631896),
            ("m034", 9_999, 10_000, 0.999433731102599, 0.999982347326399),
        ] {
            check(id, wilson(k, n, 0.95), low, high);
        }
        assert_eq!(wilson(0, 0, 0.95), None);
    }

    /// Rows made for the project at 40 digits, 2026-12 (`mc_vectors.csv`), kind clopper_pearson.
    #[test]
    fn clopper_pearson_intervals_are_the_reference_ones() {
        for (id, k, n, low, high) in [
            ("m013", 0, 10, 0.0, 0.308497107818761),
            ("m015", 1, 10, 0.00252857854446178, 0.445016117028195),
            ("m017", 5, 10, 0.187086028447399, 0.812913971552601),
            ("m021", 10, 10, 0.691502892181239, 1.0),
            ("m023", 0, 1, 0.0, 0.975),
            ("m025", 1, 1, 0.025, 1.0),
            ("m027", 0, 1_000, 0.0, 0.00368208389686567),
            ("m029", 3, 1_000, 0.000619099931649571, 0.0087420232384783),
            ("m033", 500, 1_000, 0.468549172971792, 0.531450827028208),
            ("m035", 9_999, 10_000, 0.999442963002053, 0.999997468222407),
        ] {
            check(id, clopper_pearson(k, n, 0.95), low, high);
        }
        assert_eq!(clopper_pearson(0, 0, 0.95), None);
    }

    /// Rows made for the project at 40 digits, 2026-12 (`mc_vectors.csv`), kind quantile_ranks.
    #[test]
    fn order_statistic_ranks_are_the_reference_ones() {
        for (id, n, p, confidence, lower, upper) in [
            ("m036", 5, 0.5, 0.95, None, None),
            ("m038", 10, 0.5, 0.95, Some(2), Some(9)),
            ("m039", 20, 0.5, 0.95, Some(6), Some(15)),
            ("m040", 100, 0.5, 0.95, Some(40), Some(61)),
            ("m041", 59, 0.95, 0.95, Some(52), None),
            ("m042", 72, 0.95, 0.95, Some(64), Some(72)),
            ("m043", 73, 0.95, 0.95, Some(65), Some(73)),
            ("m044", 100, 0.95, 0.95, Some(90), Some(100)),
            ("m045", 200, 0.95, 0.95, Some(184), Some(197)),
            ("m046", 200, 0.05, 0.95, Some(4), Some(17)),
            ("m047", 1_000, 0.95, 0.95, Some(936), Some(964)),
            ("m049", 1_000, 0.9, 0.99, Some(875), Some(925)),
            ("m050", 300, 0.95, 0.9, Some(279), Some(292)),
        ] {
            assert_eq!(order_statistic_ranks(n, p, confidence), (lower, upper), "{id}");
        }
    }
}
