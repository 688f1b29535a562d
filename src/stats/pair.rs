//! Two figures of the same replications: their difference and the ratio of their sums.

use super::Interval;
use super::moments::{Moments, cross_deviation, student_margin};
use serde::{Deserialize, Serialize};

/// Exact sums over pairs of whole numbers (x, y), one pair per replication; limits as of [`Moments`],
/// for x - y too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PairMoments {
    x: Moments,
    y: Moments,
    products: i128,
}

impl PairMoments {
    /// Takes one more pair. Panics beyond the limit of [`Moments`].
    pub fn push(&mut self, x: i64, y: i64) {
        let mut one = Self { products: i128::from(x) * i128::from(y), ..Self::default() };
        one.x.push(x);
        one.y.push(y);
        self.merge(&one);
    }

    /// Takes all pairs of `other`. Panics beyond the limit of [`Moments`].
    pub fn merge(&mut self, other: &Self) {
        self.x.merge(&other.x);
        self.y.merge(&other.y);
        self.products =
            self.products.checked_add(other.products).expect("|Σxy| is at most the larger sum of squares");
    }

    /// Moments of the first figure.
    pub const fn x(&self) -> &Moments {
        &self.x
    }

    /// Moments of the second figure.
    pub const fn y(&self) -> &Moments {
        &self.y
    }

    /// Covariance of x and y with n - 1; `None` of fewer than two pairs.
    pub fn covariance(&self) -> Option<f64> {
        let n = self.x.count();
        (n > 1).then(|| cross_deviation(&self.x, &self.y, self.products) / (n - 1) as f64)
    }

    /// Moments of x - y, pair by pair: the interval of its mean is that of a paired comparison.
    pub fn difference(&self) -> Moments {
        let squares = i128::checked_mul(2, self.products)
            .and_then(|twice| self.x.squares().checked_sub(twice))
            .and_then(|rest| rest.checked_add(self.y.squares()))
            .expect("samples are in a unit whose squared differences fit 2^127");
        Moments::from_sums(self.x.count(), self.x.sum() - self.y.sum(), squares)
    }

    /// Σx/Σy, such as dollars per finished run; `None` where Σy is 0.
    pub fn ratio(&self) -> Option<f64> {
        (self.y.sum() != 0).then(|| self.x.sum() as f64 / self.y.sum() as f64)
    }

    /// Σx/Σy with its interval by the delta method: residuals x - r y with standard deviation s_r (n - 1)
    /// give r ± t s_r/(√n |mean y|) (W. Cochran, Sampling Techniques,
    /// section 6.4). `None` where Σy is 0 or there are fewer than two pairs.
    pub fn ratio_interval(&self, confidence: f64) -> Option<Interval> {
        let (n, ratio, y_mean) = (self.x.count(), self.ratio()?, self.y.mean()?);
        if n < 2 {
            return None;
        }
        let x_part = cross_deviation(&self.x, &self.x, self.x.squares());
        let y_part = cross_deviation(&self.y, &self.y, self.y.squares());
        let both = cross_deviation(&self.x, &self.y, self.products);
        // Rounding can carry the residuals of exactly proportional pairs below nothing.
        let residuals = (x_part - 2.0 * ratio * both + ratio * ratio * y_part).max(0.0);
        let error = (residuals / (n - 1) as f64 / n as f64).sqrt() / y_mean.abs();
        Some(Interval::around(ratio, student_margin(confidence, n) * error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    fn pairs(all: impl IntoIterator<Item = (i64, i64)>) -> PairMoments {
        let mut moments = PairMoments::default();
        all.into_iter().for_each(|(x, y)| moments.push(x, y));
        moments
    }

    /// (1, 2), (2, 4), (3, 9): means 2 and 5, deviations -1, 0, 1 and -3, -1, 4, products 7.
    #[test]
    fn covariance_is_that_of_three_pairs_by_hand() {
        assert_eq!(pairs([(1, 2), (2, 4), (3, 9)]).covariance(), Some(3.5));
        assert_eq!(pairs([(1, 2)]).covariance(), None);
    }

    /// Row m079 of the project's `mc_vectors.csv`, 2026-12, counted in billionths: a = -100 ln(1 - u) and
    /// b = -110 ln(1 - u) of one u, drawn by the congruential generator that the file defines.
    #[test]
    fn the_paired_difference_is_the_reference_one() {
        let mut state = 9_u64;
        let difference = pairs((0..200).map(|_| {
            state = (1_103_515_245 * state + 12_345) % (1 << 31);
            let waited = -libm::log(1.0 - state as f64 / 2_147_483_648.0) * 1e9;
            ((100.0 * waited).round() as i64, (110.0 * waited).round() as i64)
        }))
        .difference();
        let interval = difference.mean_interval(0.95).unwrap();
        let found = [interval.value, difference.sd().unwrap(), interval.low, interval.high];
        let right = [-8.50345447999641, 9.14432661451482, -9.77852461014064, -7.22838434985218];
        for (ours, right) in found.into_iter().zip(right) {
            assert!((ours / 1e9 - right).abs() < 1e-8, "{ours}");
        }
    }

    /// Rows m083 and m084, kind cost_per_finished_run.
    #[test]
    fn ratios_of_sums_are_the_reference_ones() {
        let all_finish = pairs([(5, 1); 4]);
        assert_eq!(all_finish.ratio_interval(0.95), Some(Interval { value: 5.0, low: 5.0, high: 5.0 }));
        assert_eq!(pairs([(8, 0); 3]).ratio_interval(0.95), None);
    }

    /// By hand: costs 2, 4, 6, 8 of which three finish, r = 20/3; residuals -14/3, -8/3, 6, 4/3 have
    /// squares 196/9 + 64/9 + 324/9 + 16/9 = 600/9, so s_r² = 200/9; mean finished 3/4; t(3), which
    /// solves 1/2 + (θ + sin θ cos θ)/π = 0.975 for tan θ = t/√3, is 3.18244630528371.
    #[test]
    fn the_delta_method_is_as_by_hand() {
        let interval = pairs([(2, 1), (4, 1), (6, 0), (8, 1)]).ratio_interval(0.95).unwrap();
        let margin = 3.182_446_305_283_71 * (200.0_f64 / 9.0 / 4.0).sqrt() / 0.75;
        assert!((interval.high - 20.0 / 3.0 - margin).abs() < 1e-12);
        assert!((20.0 / 3.0 - interval.low - margin).abs() < 1e-12);
    }

    /// 2,000 experiments of 200 runs: 95 % intervals cover the true ratio 95 % of times; five standard
    /// deviations of that count are 2.4 %, and 1 % is left to the method; false alarm below 1e-6.
    #[test]
    fn ratio_intervals_cover_as_often_as_they_say() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(11);
        let covered = (0..2_000).filter(|_| {
            let moments = pairs((0..200).map(|_| {
                let finished = random.random_bool(0.7);
                let cost = if finished { 1_000.0 } else { 2_000.0 } * (0.5 + random.random::<f64>());
                (cost.round() as i64, i64::from(finished))
            }));
            let interval = moments.ratio_interval(0.95).unwrap();
            // (0.7 × 1,000 + 0.3 × 2,000)/0.7.
            (interval.low..interval.high).contains(&(1_300.0 / 0.7))
        });
        let share = covered.count() as f64 / 2_000.0;
        assert!((share - 0.95).abs() < 0.034, "{share}");
    }

    /// The largest sums that there may be, and 64 bits of nothing.
    #[test]
    fn sums_are_read_as_they_were_written() {
        let x = Moments::from_sums(u64::MAX, i128::MIN, i128::MAX);
        let all = PairMoments { x, y: Moments::default(), products: i128::MIN };
        let text = serde_json::to_string(&all).unwrap();
        assert!(text.contains("170141183460469231731687303715884105727"), "{text}");
        assert_eq!(serde_json::from_str::<PairMoments>(&text).unwrap(), all);
    }

    #[test]
    fn any_split_gives_the_same_sums() {
        let all = [(1, 7), (-3, 2), (9, -4), (0, 0)];
        let mut left = pairs(all[..1].iter().copied());
        left.merge(&pairs(all[1..].iter().copied()));
        assert_eq!(left, pairs(all));
    }
}
