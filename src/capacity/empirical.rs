//! Recorded times, equally likely.

use super::LawError;
use crate::units::Span;

/// `empirical`: each of `values` is as likely as any other, whatever their order.
#[derive(Debug, Clone, PartialEq)]
pub struct Empirical {
    /// Shortest first.
    values: Vec<Span>,
    /// `sums_ns[i]` is the sum of the first i values, in nanoseconds.
    sums_ns: Vec<u128>,
}

impl Empirical {
    /// From at least one time; zeros are times.
    pub fn new(mut values: Vec<Span>) -> Result<Self, LawError> {
        if values.is_empty() {
            return Err(LawError::NoValues);
        }
        values.sort_unstable();
        let mut sums_ns = vec![0];
        let mut sum = 0;
        for value in &values {
            sum += u128::from(value.ns());
            sums_ns.push(sum);
        }
        Ok(Self { values, sums_ns })
    }

    /// The times, shortest first.
    pub fn values(&self) -> &[Span] {
        &self.values
    }

    /// The time outlived with chance `u` in (0, 1).
    #[inline]
    pub fn at_survival(&self, u: f64) -> Span {
        let last = self.values.len() - 1;
        self.values[last.saturating_sub((u * self.values.len() as f64) as usize)]
    }

    /// Share of the times longer than `t_s`.
    pub fn survival(&self, t_s: f64) -> f64 {
        let ended = self.values.partition_point(|value| value.as_secs() <= t_s);
        (self.values.len() - ended) as f64 / self.values.len() as f64
    }

    /// [`Self::at_survival`], in seconds.
    pub fn quantile_upper(&self, u: f64) -> f64 {
        self.at_survival(u).as_secs()
    }

    /// Mean, in seconds.
    pub fn mean_s(&self) -> f64 {
        self.sums_ns[self.values.len()] as f64 / self.values.len() as f64 / 1e9
    }

    /// Mean of the shorter of a time and `t_s`: the sum of the times that ended, and `t_s` for each other.
    pub fn restricted_mean_s(&self, t_s: f64) -> f64 {
        let ended = self.values.partition_point(|value| value.as_secs() <= t_s);
        let others = self.values.len() - ended;
        // With no others a `t_s` without limit is not to be counted.
        let rest = if others == 0 { 0.0 } else { others as f64 * t_s };
        (self.sums_ns[ended] as f64 / 1e9 + rest) / self.values.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Source, Streams};

    fn law() -> Empirical {
        Empirical::new([40, 10, 20, 20].map(Span::from_s).to_vec()).unwrap()
    }

    #[test]
    fn survival_is_the_share_that_is_longer() {
        let found = [0.0, 10.0, 19.0, 20.0, 39.0, 40.0].map(|t| law().survival(t));
        assert_eq!(found, [1.0, 0.75, 0.75, 0.25, 0.25, 0.0]);
    }

    /// The least t with survival(t) <= u, at the jumps too.
    #[test]
    fn the_quantile_inverts_survival() {
        let found = [0.01, 0.24, 0.25, 0.74, 0.75, 0.99].map(|u| law().quantile_upper(u));
        assert_eq!(found, [40.0, 40.0, 20.0, 20.0, 10.0, 10.0]);
    }

    /// By hand: (10 + 20 + 20 + 40)/4; up to 15 s (10 + 3 × 15)/4; up to 30 s (10 + 20 + 20 + 30)/4.
    #[test]
    fn means_are_as_by_hand() {
        let found = [0.0, 15.0, 30.0, 40.0, f64::INFINITY].map(|t| law().restricted_mean_s(t));
        assert_eq!(found, [0.0, 13.75, 20.0, 22.5, 22.5]);
        assert_eq!(law().mean_s(), 22.5);
    }

    /// 100,000 draws: each count within 4.5 standard deviations of the binomial; false alarm below 1e-4,
    /// seed fixed.
    #[test]
    fn values_are_drawn_equally_often() {
        let mut stream = Streams::new(22).stream(Source::Lifetime, 0, 0, 0);
        let mut counts = [0_u32; 5];
        for _ in 0..100_000 {
            counts[(law().at_survival(stream.open01()).as_secs() / 10.0) as usize] += 1;
        }
        for (value, share) in [(1, 0.25), (2, 0.5), (4, 0.25)] {
            let sd = (1e5_f64 * share * (1.0 - share)).sqrt();
            assert!((f64::from(counts[value]) - 1e5 * share).abs() < 4.5 * sd, "{counts:?}");
        }
    }
}
