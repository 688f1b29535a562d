//! Losses or returns whose rate changes with the hour of the day.

use super::fitted::{Parameter, Z, scaled};
use super::observed::{Observed, Sample};
use super::{Family, Fit};
use crate::stats::Peak;
use std::f64::consts::TAU;

/// Hours of a day.
const HOURS: usize = 24;
const HOUR_S: f64 = 3_600.0;
const DAY_S: f64 = 86_400.0;
/// With fewer ends a daily rhythm is not looked for.
const ENOUGH: u64 = 24;

/// A rate with a daily rhythm: constant within an hour of the day (UTC), its logarithm a sine over the day.
#[derive(Debug, Clone, PartialEq)]
pub struct ByHour {
    /// Log-likelihood, of the same times as of a law.
    pub ln_likelihood: f64,
    /// Mean time at the mean rate, where each hour's factor is 1.
    pub mean: Parameter,
    /// Factors on the rate, by hour; their mean is 1.
    pub factors: [f64; HOURS],
    /// The cosine's and the sine's part of the logarithm of the rate, the angle being 0 at midnight.
    pub parts: [Parameter; 2],
    /// Half the logarithm of the greatest rate over the least.
    pub amplitude: f64,
    /// The chance of a rhythm as strong where there is none: twice the gain in ln L is then chi-squared with
    /// two degrees of freedom (S. S. Wilks, Ann. Math. Statist. 9, 1938).
    pub p_value: f64,
}

impl ByHour {
    /// The likeliest rhythm of times that each began so many seconds after a midnight, UTC. `None` with too
    /// few ends.
    pub fn of(times: &[(f64, Observed)]) -> Option<Self> {
        let plain = Sample::new(times.iter().map(|&(_, time)| time));
        if plain.complete() < ENOUGH {
            return None;
        }
        let plain = Fit::of(Family::Exponential, &plain)?;
        let start = [-plain.point()[0], 0.0, 0.0];
        let peak = Peak::of(|point| ln_likelihood(point, times), &start)?;
        let covariance = peak.covariance()?;
        let factors = factors(&peak.at);
        let mean_factor = factors.iter().sum::<f64>() / HOURS as f64;
        // ln mean = -ln rate - ln of the mean factor, and how the latter moves with either part.
        let moves = |wave: fn(f64) -> f64| {
            let parts = factors.iter().enumerate().map(|(hour, factor)| factor * wave(angle(hour)));
            -parts.sum::<f64>() / (mean_factor * HOURS as f64)
        };
        let mut mean =
            scaled("mean", true, &peak.at, &covariance, &[-1.0, moves(libm::cos), moves(libm::sin)]);
        let value = libm::exp(-peak.at[0]) / mean_factor;
        (mean.low, mean.high) = (value * mean.low / mean.value, value * mean.high / mean.value);
        mean.value = value;
        let part = |name, index: usize| {
            let (value, reach) = (peak.at[index], Z * covariance[index][index].sqrt());
            Parameter { name, is_time: false, value, low: value - reach, high: value + reach }
        };
        Some(Self {
            ln_likelihood: peak.value,
            mean,
            parts: [part("cosine", 1), part("sine", 2)],
            factors: factors.map(|factor| factor / mean_factor),
            amplitude: libm::hypot(peak.at[1], peak.at[2]),
            p_value: libm::exp(-(peak.value - plain.ln_likelihood).max(0.0)),
        })
    }

    /// Akaike's information criterion.
    pub fn aic(&self) -> f64 {
        2.0 * 3.0 - 2.0 * self.ln_likelihood
    }
}

/// The factor of each hour, at its middle.
fn factors(point: &[f64]) -> [f64; HOURS] {
    std::array::from_fn(|hour| {
        libm::exp(point[1] * libm::cos(angle(hour)) + point[2] * libm::sin(angle(hour)))
    })
}

/// Where an hour's middle is on the circle of the day.
fn angle(hour: usize) -> f64 {
    TAU * (hour as f64 + 0.5) / HOURS as f64
}

/// The rate, summed: a clock on which ends come at one rate.
struct Clock {
    factors: [f64; HOURS],
    /// What it shows at the begin of each hour, in seconds.
    shown: [f64; HOURS],
    day: f64,
}

impl Clock {
    fn new(factors: [f64; HOURS]) -> Self {
        let mut shown = [0.0; HOURS];
        let mut day = 0.0;
        for (shown, factor) in shown.iter_mut().zip(factors) {
            *shown = day;
            day += factor * HOUR_S;
        }
        Self { factors, shown, day }
    }

    fn at(&self, t_s: f64) -> f64 {
        let days = (t_s / DAY_S).floor();
        let rest = t_s - days * DAY_S;
        let hour = ((rest / HOUR_S) as usize).min(HOURS - 1);
        days * self.day + self.shown[hour] + (rest - hour as f64 * HOUR_S) * self.factors[hour]
    }

    fn factor(&self, t_s: f64) -> f64 {
        let rest = t_s - (t_s / DAY_S).floor() * DAY_S;
        self.factors[((rest / HOUR_S) as usize).min(HOURS - 1)]
    }
}

/// At ln rate, and the cosine's and the sine's part of its logarithm.
fn ln_likelihood(point: &[f64], times: &[(f64, Observed)]) -> f64 {
    let rate = libm::exp(point[0]);
    let clock = Clock::new(factors(point));
    times
        .iter()
        .map(|&(begin, time)| {
            let until = |t: f64| rate * (clock.at(begin + t) - clock.at(begin));
            let low = until(time.low_s);
            if time.low_s == time.high_s {
                point[0] + libm::log(clock.factor(begin + time.low_s)) - low
            } else if time.is_complete() {
                libm::log(-libm::expm1(low - until(time.high_s))) - low
            } else {
                -low
            }
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: a factor of 2 in the first hour and 1 else, at 1/h: from 0:30 for 1 h the clock runs
    /// 2 × 0.5 + 0.5 = 1.5 h; over a day and 1 h from midnight, 25 + 2 h.
    #[test]
    fn the_clock_runs_faster_in_an_hour_of_losses() {
        let mut factors = [1.0; HOURS];
        factors[0] = 2.0;
        let clock = Clock::new(factors);
        assert_eq!(clock.at(5_400.0) - clock.at(1_800.0), 1.5 * HOUR_S);
        assert_eq!(clock.at(DAY_S + HOUR_S), 27.0 * HOUR_S);
    }

    #[test]
    fn without_a_rhythm_it_is_an_exponential_law() {
        let times = [(100.0, Observed::exact(50.0)), (9_000.0, Observed::longer_than(30.0))];
        let found = ln_likelihood(&[-libm::log(40.0), 0.0, 0.0], &times);
        assert!((found - (-libm::log(40.0) - 2.0)).abs() < 1e-12, "{found}");
    }
}
