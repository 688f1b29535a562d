//! Kolmogorov-Smirnov distances, for tests of samplers.

/// The largest distance that 999 samples of `n` in 1,000 stay below: 1.95/sqrt(n).
pub fn limit(n: u64) -> f64 {
    1.95 / (n as f64).sqrt()
}

/// Largest distance between the empirical distribution of `sample`, which is sorted, and `cdf`.
pub fn distance(sample: &mut [f64], cdf: impl Fn(f64) -> f64) -> f64 {
    sample.sort_by(f64::total_cmp);
    let n = sample.len() as f64;
    let gaps = sample.iter().enumerate().map(|(i, &x)| {
        let at = cdf(x);
        (at - i as f64 / n).max((i + 1) as f64 / n - at)
    });
    gaps.fold(0.0, f64::max)
}

/// Largest distance between the empirical distributions of two samples, which are sorted.
pub fn two_sample_distance(a: &mut [f64], b: &mut [f64]) -> f64 {
    a.sort_by(f64::total_cmp);
    b.sort_by(f64::total_cmp);
    let (mut i, mut j, mut largest) = (0, 0, 0.0_f64);
    while i < a.len() && j < b.len() {
        let x = a[i].min(b[j]);
        i += a[i..].iter().take_while(|&&v| v <= x).count();
        j += b[j..].iter().take_while(|&&v| v <= x).count();
        largest = largest.max((i as f64 / a.len() as f64 - j as f64 / b.len() as f64).abs());
    }
    largest
}
