//! Kinds of laws that are fitted, and their likelihoods.

use super::bathtub::Terms;
use super::observed::Sample;
use crate::stats::special::{gamma_p, gamma_q, normal_cdf};
use std::f64::consts::FRAC_1_SQRT_2;

/// A kind of law. A law of it is a point of numbers without bounds, in which likelihoods are near
/// quadratic: logarithms of times (in seconds), of shapes and of spreads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// ln mean.
    Exponential,
    /// ln shape, ln scale.
    Weibull,
    /// ln median, ln sigma.
    Lognormal,
    /// ln shape, ln mean (which, unlike the scale, is estimated independently of the shape).
    Gamma,
    /// Low, high: times, not their logarithms.
    Uniform,
    /// ln(level/(1 - level)), ln early, ln late, ln limit.
    Bathtub,
}

/// ln sqrt(2π).
const HALF_LN_TAU: f64 = 0.918_938_533_204_672_7;

impl Family {
    /// Those that describe an uptime without a limit.
    pub const UNLIMITED: [Self; 4] = [Self::Exponential, Self::Weibull, Self::Lognormal, Self::Gamma];

    /// All.
    pub const ALL: [Self; 6] =
        [Self::Exponential, Self::Weibull, Self::Lognormal, Self::Gamma, Self::Uniform, Self::Bathtub];

    /// Its name in scenarios.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exponential => "exponential",
            Self::Weibull => "weibull",
            Self::Lognormal => "lognormal",
            Self::Gamma => "gamma",
            Self::Uniform => "uniform",
            Self::Bathtub => "bathtub",
        }
    }

    /// How many numbers it has.
    pub const fn parameters(self) -> usize {
        match self {
            Self::Exponential => 1,
            Self::Weibull | Self::Lognormal | Self::Gamma | Self::Uniform => 2,
            Self::Bathtub => 4,
        }
    }

    /// Chance of a time longer than `t` seconds.
    pub(super) fn survival(self, point: &[f64], t: f64) -> f64 {
        match self {
            _ if t <= 0.0 => 1.0,
            Self::Uniform => ((point[1] - t) / (point[1] - point[0])).clamp(0.0, 1.0),
            Self::Bathtub => Terms::full(point).survival(t),
            _ => libm::exp(self.ln_survival(point, t)),
        }
    }

    /// Log-likelihood of the sample at `point`, of a family with a smooth one: densities per second of times seen whole, chances of the
    /// others, each given that it could be seen.
    pub(super) fn ln_likelihood(self, point: &[f64], sample: &Sample) -> f64 {
        let between: f64 =
            sample.between.iter().map(|&(low, high, n)| n * self.ln_between(point, low, high)).sum();
        let after: f64 = sample.after.iter().map(|&(t, n)| n * self.ln_survival(point, t)).sum();
        self.ln_densities(point, sample) + between - after
    }

    /// Log-density of all times seen whole.
    fn ln_densities(self, point: &[f64], sample: &Sample) -> f64 {
        if sample.exact.is_empty() {
            return 0.0;
        }
        let n = sample.exact.len() as f64;
        match self {
            Self::Exponential => -n * point[0] - sample.sum_s * libm::exp(-point[0]),
            Self::Weibull => {
                let shape = libm::exp(point[0]);
                let hazards: f64 =
                    sample.exact.iter().map(|&(_, log)| libm::exp(shape * (log - point[1]))).sum();
                n * (point[0] - shape * point[1]) + (shape - 1.0) * sample.sum_log - hazards
            }
            Self::Lognormal => {
                let squares =
                    sample.sum_log_square - 2.0 * point[0] * sample.sum_log + n * point[0] * point[0];
                -n * (point[1] + HALF_LN_TAU) - sample.sum_log - 0.5 * squares * libm::exp(-2.0 * point[1])
            }
            _ => {
                let shape = libm::exp(point[0]);
                let log_scale = point[1] - point[0];
                (shape - 1.0) * sample.sum_log
                    - sample.sum_s * libm::exp(-log_scale)
                    - n * (shape * log_scale + libm::lgamma(shape))
            }
        }
    }

    /// Logarithm of the chance of a time above `low` and not above `high`.
    pub(super) fn ln_between(self, point: &[f64], low: f64, high: f64) -> f64 {
        if high == f64::INFINITY {
            return self.ln_survival(point, low);
        }
        match self {
            Self::Exponential | Self::Weibull => {
                let before = self.hazard_sum(point, low);
                libm::log(-libm::expm1(before - self.hazard_sum(point, high))) - before
            }
            Self::Lognormal => {
                let (a, b) = (score(point, low), score(point, high));
                // The smaller tails, so that their difference keeps its digits.
                let (a, b) = if a > 0.0 { (-b, -a) } else { (a, b) };
                libm::log(normal_cdf(b) - normal_cdf(a))
            }
            _ => {
                let (shape, a, b) = gamma_terms(point, low, high);
                let chance = if a > shape {
                    gamma_q(shape, a) - gamma_q(shape, b)
                } else {
                    gamma_p(shape, b) - gamma_p(shape, a)
                };
                libm::log(chance)
            }
        }
    }

    /// Logarithm of the chance of a time above `t`.
    pub(super) fn ln_survival(self, point: &[f64], t: f64) -> f64 {
        if t <= 0.0 {
            return 0.0;
        }
        match self {
            Self::Exponential | Self::Weibull => -self.hazard_sum(point, t),
            Self::Lognormal => libm::log(0.5 * libm::erfc(score(point, t) * FRAC_1_SQRT_2)),
            _ => {
                let (shape, x, _) = gamma_terms(point, t, t);
                libm::log(gamma_q(shape, x))
            }
        }
    }

    /// The hazard from 0 to `t`, summed, of an exponential or Weibull law.
    fn hazard_sum(self, point: &[f64], t: f64) -> f64 {
        match self {
            Self::Weibull if t > 0.0 => libm::exp(libm::exp(point[0]) * (libm::log(t) - point[1])),
            Self::Weibull => 0.0,
            _ => t * libm::exp(-point[0]),
        }
    }

    /// A point near the peak, from moments of the logarithms.
    pub(super) fn start(self, sample: &Sample) -> Vec<f64> {
        let (mut n, mut ends, mut sum, mut log, mut square) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for (t, many, is_complete) in sample.middles().filter(|&(t, ..)| t > 0.0) {
            n += many;
            ends += if is_complete { many } else { 0.0 };
            sum += many * t;
            log += many * libm::log(t);
            square += many * libm::log(t) * libm::log(t);
        }
        let mean_log = log / n;
        let spread = (square / n - mean_log * mean_log).max(1e-4).sqrt();
        match self {
            // The exact answer where all times are whole or cut off.
            Self::Exponential => vec![libm::log(sum / ends)],
            Self::Lognormal => vec![mean_log, libm::log(spread)],
            // The logarithm of an exponential time has mean -0.577 and standard deviation 1.283.
            Self::Weibull => vec![libm::log(1.283 / spread), mean_log + 0.577 * spread / 1.283],
            // ln mean - mean of ln is about 1/(2 shape) + 1/(12 shape²) (Minka 2002, Estimating a gamma
            // distribution).
            _ => {
                let excess = (libm::log(sum / n) - mean_log).max(1e-4);
                let shape = (3.0 - excess + ((excess - 3.0) * (excess - 3.0) + 24.0 * excess).sqrt())
                    / (12.0 * excess);
                vec![libm::log(shape), libm::log(sum / n)]
            }
        }
    }
}

/// How many spreads above the middle the logarithm of `t` is, for a lognormal law.
fn score(point: &[f64], t: f64) -> f64 {
    if t > 0.0 { (libm::log(t) - point[0]) * libm::exp(-point[1]) } else { f64::NEG_INFINITY }
}

/// Shape, and two times over the scale, of a gamma law.
fn gamma_terms(point: &[f64], low: f64, high: f64) -> (f64, f64, f64) {
    let rate = libm::exp(point[0] - point[1]);
    (libm::exp(point[0]), low * rate, high * rate)
}
