//! Latin hypercubes.

use super::{Words, below, open01};

/// `count` points of which, in every dimension, each of `count` equal parts of (0, 1) holds exactly one, at a uniform
/// place within it; which point goes with which part is drawn for each dimension apart.
///
/// Source: M. McKay, R. Beckman, W. Conover (1979), Technometrics 21, 239-245.
pub fn latin_hypercube(count: usize, dimensions: usize, words: Words<'_>) -> Vec<Vec<f64>> {
    let mut points = vec![Vec::with_capacity(dimensions); count];
    for _ in 0..dimensions {
        let mut parts: Vec<usize> = (0..count).collect();
        shuffle(&mut parts, words);
        for (point, part) in points.iter_mut().zip(parts) {
            point.push((part as f64 + open01(words())) / count as f64);
        }
    }
    points
}

/// Puts the items in a random order, each as likely (Fisher and Yates).
pub(super) fn shuffle<T>(items: &mut [T], words: Words<'_>) {
    for last in (1..items.len()).rev() {
        items.swap(last, below(last + 1, words()));
    }
}

#[cfg(test)]
mod tests {
    use super::super::words;
    use super::*;

    #[test]
    fn every_part_of_every_dimension_holds_one_point() {
        for count in [1, 2, 7, 100] {
            let points = latin_hypercube(count, 4, &mut words(3));
            for dimension in 0..4 {
                let mut parts: Vec<_> =
                    points.iter().map(|p| (p[dimension] * count as f64) as usize).collect();
                parts.sort_unstable();
                assert!(parts.into_iter().eq(0..count), "{count} {dimension}");
            }
        }
    }

    /// All six orders of three parts, 6,000 times: χ² with 5 degrees of freedom is below 20.5 but once in 1,000.
    #[test]
    fn every_order_is_as_likely() {
        let mut word = words(11);
        let mut counts = [0.0; 6];
        for _ in 0..6_000 {
            let mut items = [0, 1, 2];
            shuffle(&mut items, &mut word);
            counts[items[0] * 2 + usize::from(items[1] > items[2])] += 1.0;
        }
        let chi_squared: f64 = counts.iter().map(|n: &f64| (n - 1_000.0).powi(2) / 1_000.0).sum();
        assert!(chi_squared < 20.5, "{counts:?}");
    }
}
