//! When enough has been sampled: a mean known to a share of itself, or to a number of its own unit.

use super::Interval;
use super::special::normal_quantile;

/// Whether an interval is narrow enough: half its width at most `relative` of the value, or at most
/// `absolute`. A share of a value of 0 is met by no width but 0.
pub fn is_precise(interval: &Interval, relative: Option<f64>, absolute: Option<f64>) -> bool {
    let half = interval.half_width();
    relative.is_some_and(|share| half <= share * interval.value.abs())
        || absolute.is_some_and(|most| half <= most)
}

/// Samples after which a mean is expected to be known to the share `relative` of itself, where the
/// standard deviation is `variation` times the mean: (z variation/relative)², rounded up.
pub fn sample_size(relative: f64, variation: f64, confidence: f64) -> u64 {
    let root = normal_quantile(0.5 + 0.5 * confidence) * variation / relative;
    (root * root).ceil() as u64
}

/// The first n, from `least` and two, after which `samples` are [`is_precise`] enough to the share
/// `relative`, with the normal interval of their mean; `None` if they end before. Looking after every
/// sample covers less often than it says.
///
/// Source: Y. Chow and H. Robbins (1965), Annals of Mathematical Statistics 36, 457-462.
pub fn first_precise(
    samples: impl IntoIterator<Item = f64>,
    relative: f64,
    confidence: f64,
    least: u64,
) -> Option<(u64, Interval)> {
    let z = normal_quantile(0.5 + 0.5 * confidence);
    let (mut n, mut mean, mut squares) = (0, 0.0, 0.0);
    for sample in samples {
        n += 1;
        // B. Welford's running sums: nothing large is subtracted from anything large.
        let from_old = sample - mean;
        mean += from_old / n as f64;
        squares += from_old * (sample - mean);
        if n < least.max(2) {
            continue;
        }
        let error = (squares / (n - 1) as f64 / n as f64).sqrt();
        let interval = Interval::around(mean, z * error);
        if is_precise(&interval, Some(relative), None) {
            return Some((n, interval));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// u = x/2^31 of x <- (1103515245 x + 12345) mod 2^31, as `mc_vectors.csv` defines it.
    fn uniforms(seed: u64) -> impl Iterator<Item = f64> {
        let next = |x: &u64| Some((1_103_515_245 * x + 12_345) % (1 << 31));
        std::iter::successors(next(&seed), next).map(|x| x as f64 / 2_147_483_648.0)
    }

    /// Rows made for the project at 40 digits, 2026-12 (`mc_vectors.csv`), kind sequential_stop_z, of
    /// samples 1 + 2u.
    #[test]
    fn the_first_precise_size_is_the_reference_one() {
        for (id, seed, relative, least, n, mean, half) in [
            ("m069", 2, 0.1, 10, 34, 2.07556878257652, 0.205004993441068),
            ("m070", 3, 0.05, 10, 127, 1.98481438523818, 0.09910233379536),
            ("m071", 7, 0.05, 30, 130, 2.00778783892926, 0.0997442590742565),
            ("m072", 7, 0.2, 2, 4, 1.95998448273167, 0.380893249918274),
            ("m073", 11, 0.02, 100, 851, 1.9589596222528, 0.0391335177839849),
            ("m074", 5, 0.3, 5, 5, 1.97412423864007, 0.520573949292199),
        ] {
            let samples = uniforms(seed).take(10_000).map(|u| 1.0 + 2.0 * u);
            let (stopped, interval) = first_precise(samples, relative, 0.95, least).unwrap();
            assert_eq!(stopped, n, "{id}");
            assert!((interval.value - mean).abs() < 1e-12, "{id}: {}", interval.value);
            assert!((interval.half_width() - half).abs() < 1e-12, "{id}: {}", interval.half_width());
        }
    }

    /// Rows m085 to m087, kind sample_size_relative.
    #[test]
    fn sample_sizes_are_the_reference_ones() {
        assert_eq!(sample_size(0.01, 1.0, 0.95), 38_415);
        assert_eq!(sample_size(0.05, 1.0, 0.95), 1_537);
        assert_eq!(sample_size(0.01, 0.2, 0.99), 2_654);
    }

    #[test]
    fn a_share_of_nothing_is_never_met_but_a_width_is() {
        let around_nothing = Interval::around(0.0, 0.01);
        assert!(!is_precise(&around_nothing, Some(0.5), None));
        assert!(is_precise(&around_nothing, Some(0.5), Some(0.01)));
        assert_eq!(first_precise([1.0, -1.0, 1.0, -1.0], 0.1, 0.95, 2), None);
    }
}
