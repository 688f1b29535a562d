//! The bathtub law as a likelihood: the share lost early, how fast early losses fade, how fast late ones
//! mount up, and where they end.

use super::observed::Sample;

/// Losses at either side without which there is no such side.
const LOSSES_LEAST: f64 = 5.0;
/// No side of the bathtub is steeper than this share of its length: a peak of the likelihood there is a
/// single time, not a law.
const STEEPEST: f64 = 1e-3;
/// Densities multiplied before a logarithm is taken; they lie far above 1e-300 to this power.
const MULTIPLIED: usize = 16;

/// The terms of a bathtub law (see [`crate::capacity::Bathtub`]), times in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    /// Share that ends early on.
    pub level: f64,
    /// How fast early losses fade.
    pub early: f64,
    /// How fast late ones mount up.
    pub late: f64,
    /// Where late ones alone reach the level.
    pub limit: f64,
}

impl Terms {
    /// From ln(level/(1 - level)) and the logarithms of the times.
    fn of(point: &[f64], limit: impl FnOnce(&Self) -> f64) -> Self {
        let mut terms = Self {
            level: 1.0 / (1.0 + libm::exp(-point[0])),
            early: libm::exp(point[1]),
            late: libm::exp(point[2]),
            limit: 0.0,
        };
        terms.limit = limit(&terms);
        terms
    }

    /// Of a full point: the fourth number is ln limit.
    pub fn full(point: &[f64]) -> Self {
        Self::of(point, |_| libm::exp(point[3]))
    }

    /// Of times cut off at `cap`: the fourth number is how many times `late` the limit lies beyond.
    pub fn capped(point: &[f64], cap: f64) -> Self {
        Self::of(point, |terms| cap + terms.late * point[3])
    }

    /// Of three numbers, ending at `end`: all are lost by then, F(end) = 1.
    pub fn ending(point: &[f64], end: f64) -> Self {
        Self::of(point, |terms| {
            let late = 1.0 / terms.level - 1.0 + libm::exp(-end / terms.early);
            end - terms.late * libm::log(late)
        })
    }

    /// Chance of a time up to `t`.
    fn lost_by(&self, t: f64) -> f64 {
        let late = libm::exp((t - self.limit) / self.late);
        (self.level * (late - libm::expm1(-t / self.early))).min(1.0)
    }

    /// Density at `t`, per second.
    pub fn density(&self, t: f64) -> f64 {
        let late = libm::exp((t - self.limit) / self.late) / self.late;
        self.level * (late + libm::exp(-t / self.early) / self.early)
    }

    /// Chance of a time longer than `t`.
    pub fn survival(&self, t: f64) -> f64 {
        1.0 - self.lost_by(t)
    }

    /// Log-likelihood; none where a time lies beyond the law's end.
    pub fn ln_likelihood(&self, sample: &Sample) -> f64 {
        let mut sum = 0.0;
        for some in sample.exact.chunks(MULTIPLIED) {
            sum += libm::log(some.iter().map(|&(t, _)| self.density(t)).product());
        }
        for &(low, high, n) in &sample.between {
            let high = if high.is_finite() { self.lost_by(high) } else { 1.0 };
            sum += n * libm::log(high - self.lost_by(low));
        }
        for &(after, n) in &sample.after {
            sum -= n * libm::log(self.survival(after));
        }
        sum
    }

    /// Whether both sides are seen: some losses at each, over some time.
    pub fn has_both_sides(&self, sample: &Sample) -> bool {
        let many = sample.complete() as f64;
        let long = sample.longest_s();
        let early = self.level * many;
        let late = (1.0 - self.level) * many;
        early > LOSSES_LEAST && late > LOSSES_LEAST && self.early.min(self.late) > STEEPEST * long
    }
}

/// Points from which to climb, the first three numbers of each: early losses are taken to be those in the
/// first half.
pub fn starts(sample: &Sample) -> Vec<[f64; 3]> {
    let long = sample.longest_s();
    let (mut early, mut early_sum, mut late, mut late_sum) = (0.0, 0.0, 0.0, 0.0);
    for (t, n, is_complete) in sample.middles() {
        if t < 0.5 * long {
            early += n;
            early_sum += n * t;
        } else if is_complete {
            late += n;
            late_sum += n * (long - t);
        }
    }
    if early <= LOSSES_LEAST || late <= LOSSES_LEAST {
        return Vec::new();
    }
    let all = early + late + sample.cut_off() as f64;
    let logit = libm::log(early / (all - early));
    let (early, late) = (early_sum / early, (late_sum / late).max(1e-2 * long));
    vec![[logit, libm::log(early), libm::log(late)], [logit, libm::log(0.5 * early), libm::log(0.5 * late)]]
}
