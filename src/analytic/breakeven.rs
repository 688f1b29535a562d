//! How often Spot may be lost before On-Demand is cheaper.

use crate::checkpoint::exact_interval_s;
use crate::stats::rising_root;

/// When a job on Spot saves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cadence {
    /// Never: all of the work in one go.
    NoSaves,
    /// After so many seconds of work.
    Fixed(f64),
    /// At the exact interval for the rate of losses ([`exact_interval_s`]).
    Exact,
}

/// A job that can run on Spot, lost at a constant rate, or uninterrupted and without saves on On-Demand.
/// Only running time is billed. With saves, the job is long.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BreakEven {
    /// When it saves on Spot.
    pub cadence: Cadence,
    /// A blocking save.
    pub save_s: f64,
    /// Start of each gang after a loss, exposed to losses.
    pub restart_s: f64,
    /// Work to do.
    pub work_s: f64,
    /// On-Demand price over Spot price.
    pub price_ratio: f64,
}

/// Once in three million years, per second: who breaks even below that has no discount to lose.
const RATE_LEAST: f64 = 1e-14;

impl BreakEven {
    /// The rate of losses, per second, at which both cost the same; `None` where Spot is dearer at any
    /// rate, infinite where it is cheaper at any.
    ///
    /// The root of `e^{λR} (e^{λ(τ + C)} − 1)/(λτ) = price ratio`, without saves with τ = T and C = 0.
    pub fn rate_per_s(&self) -> Option<f64> {
        if self.log_excess(RATE_LEAST) >= 0.0 {
            return None;
        }
        let mut high = 1.0 / (self.work_s + self.restart_s);
        while self.log_excess(high) < 0.0 {
            high *= 2.0;
            if high.is_infinite() {
                return Some(f64::INFINITY);
            }
        }
        Some(rising_root(RATE_LEAST, high, 0.5 * high, |rate| (self.log_excess(rate), self.slope_s(rate))))
    }

    /// Seconds of work and of save in one stretch.
    fn stretch(&self, rate: f64) -> (f64, f64) {
        match self.cadence {
            Cadence::NoSaves => (self.work_s, 0.0),
            Cadence::Fixed(interval_s) => (interval_s, self.save_s),
            Cadence::Exact => (exact_interval_s(self.save_s, 1.0 / rate), self.save_s),
        }
    }

    /// Logarithm of Spot dollars over On-Demand dollars; rises with the rate.
    fn log_excess(&self, rate: f64) -> f64 {
        let (work_s, save_s) = self.stretch(rate);
        let saves = if save_s > 0.0 { libm::log1p(save_s / work_s) } else { 0.0 };
        let x = rate * (work_s + save_s);
        let growth = if x > 0.0 { libm::log(libm::expm1(x) / x) } else { 0.0 };
        rate * self.restart_s + growth + saves - libm::log(self.price_ratio)
    }

    /// Its slope; that of the exact interval itself does not count, since it is a minimum.
    fn slope_s(&self, rate: f64) -> f64 {
        let (work_s, save_s) = self.stretch(rate);
        let stretch_s = work_s + save_s;
        self.restart_s - stretch_s / libm::expm1(-rate * stretch_s) - 1.0 / rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const JOB: BreakEven = BreakEven {
        cadence: Cadence::NoSaves,
        save_s: 60.0,
        restart_s: 0.0,
        work_s: 3_600.0,
        price_ratio: std::f64::consts::E - 1.0,
    };

    /// (e^x − 1)/x = e − 1 at x = 1.
    #[test]
    fn without_saves_the_root_is_known() {
        assert!((JOB.rate_per_s().unwrap() * 3_600.0 - 1.0).abs() < 1e-13);
    }

    #[test]
    fn saves_that_cost_more_than_the_discount_never_pay() {
        let fixed = BreakEven { cadence: Cadence::Fixed(600.0), price_ratio: 1.1, ..JOB };
        assert_eq!(fixed.rate_per_s(), None);
        assert!(BreakEven { price_ratio: 1.100_001, ..fixed }.rate_per_s().is_some());
        assert_eq!(BreakEven { cadence: Cadence::Exact, price_ratio: 1.0, ..JOB }.rate_per_s(), None);
    }

    /// Free saves after every step and no restart: losses cost nothing.
    #[test]
    fn where_losses_cost_nothing_any_rate_will_do() {
        let free = BreakEven { cadence: Cadence::Exact, save_s: 0.0, ..JOB };
        assert_eq!(free.rate_per_s(), Some(f64::INFINITY));
    }
}
