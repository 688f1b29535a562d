//! How many samples are enough.

use super::Running;
use super::special::normal_quantile;

/// Samples after which the half-width of a mean's interval is about `relative` of the mean, from the coefficient of
/// variation: (z CV/ε)², rounded up (spec of the reference, 4.4). All above 0, `confidence` below 1.
pub fn samples_for_relative(relative: f64, variation: f64, confidence: f64) -> u64 {
    let root = normal_quantile(0.5 + 0.5 * confidence) * variation / relative;
    (root * root).ceil() as u64
}

/// Samples whose largest is, with `confidence`, an upper bound of the `p`-quantile whatever the law: the least n with
/// 1 - p^n ≥ `confidence`. Both in (0, 1). Source: S. Wilks (1941), Ann. Math. Stat. 12, 91-96.
pub fn samples_for_upper_bound(p: f64, confidence: f64) -> u64 {
    // A rounding of the last bit must not ask for one sample more.
    (libm::log1p(-confidence) / libm::log(p) - 1e-9).ceil().max(1.0) as u64
}

/// The first samples, `least` of them and two at least, whose normal interval's half-width is at most `relative` of
/// the mean's size; `None` if none of the samples is the last of such. Covers less often than it says where `least` is
/// small. Source: Y. Chow and H. Robbins (1965), Ann. Math. Stat. 36, 457-462.
pub fn first_narrow_enough(
    samples: impl IntoIterator<Item = f64>,
    relative: f64,
    confidence: f64,
    least: u64,
) -> Option<Running> {
    let z = normal_quantile(0.5 + 0.5 * confidence);
    let mut all = Running::default();
    samples.into_iter().find_map(|x| {
        all.push(x);
        let margin = z * all.sd()? / (all.count() as f64).sqrt();
        (all.count() >= least && margin <= relative * all.mean()?.abs()).then_some(all)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0.95^58 is 0.051 and 0.95^59 0.048 (Wilks); (1.96/0.01)² is 38,415.
    #[test]
    fn sizes_are_those_of_the_books() {
        assert_eq!(samples_for_upper_bound(0.95, 0.95), 59);
        assert_eq!(samples_for_upper_bound(0.5, 0.75), 2);
        assert_eq!(samples_for_relative(0.01, 1.0, 0.95), 38_415);
    }

    /// Of 1, 1, 1 nothing varies: two samples do, or as many as the least.
    #[test]
    fn what_does_not_vary_is_known_at_once() {
        let stop = |least| first_narrow_enough([1.0; 9], 0.1, 0.95, least).map(|all| all.count());
        assert_eq!((stop(0), stop(5), stop(10)), (Some(2), Some(5), None));
    }
}
