//! Closed forms for losses at a constant rate.

/// A gang that is lost at a constant rate, and the time that each loss costs. Times in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Memoryless {
    /// Mean time from a fresh gang to its loss, above 0: 1/λ.
    pub mean_uptime_s: f64,
    /// Start of each gang after a loss, exposed to losses: R.
    pub restart_s: f64,
    /// Wait after each loss, not exposed and not billed: D.
    pub downtime_s: f64,
}

impl Memoryless {
    /// Mean time until `stretch_s` seconds have passed in one go, the first try without restart:
    /// `e^{λR} (1/λ + D) (e^{λs} − 1)`.
    ///
    /// Sources: J. T. Daly (2006), Future Generation Computer Systems 22(3); Bougeret et al., SC 2011.
    pub fn stretch_s(&self, stretch_s: f64) -> f64 {
        let mean = self.mean_uptime_s;
        libm::exp(self.restart_s / mean) * (mean + self.downtime_s) * libm::expm1(stretch_s / mean)
    }

    /// Makespan per second of work of a long job that saves for `save_s` after each `interval_s` of work;
    /// NaN where the interval is not above 0.
    pub fn overhead_ratio(&self, interval_s: f64, save_s: f64) -> f64 {
        if interval_s > 0.0 { self.stretch_s(interval_s + save_s) / interval_s } else { f64::NAN }
    }

    /// Mean makespan of `work_s` in equal segments, each with its save, the last too.
    pub fn segments_s(&self, work_s: f64, segments: u64, save_s: f64) -> f64 {
        segments as f64 * self.stretch_s(work_s / segments as f64 + save_s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 48.5 h at 0.15 losses an hour: (e^{7.275} − 1)/0.15 = 9,618.34 h.
    #[test]
    fn a_long_stretch_takes_for_ever() {
        let losses = Memoryless { mean_uptime_s: 24_000.0, restart_s: 0.0, downtime_s: 0.0 };
        assert!((losses.stretch_s(48.5 * 3_600.0) / 3_600.0 - 9_618.341).abs() < 1e-3);
    }

    #[test]
    fn without_an_interval_there_is_no_ratio() {
        let losses = Memoryless { mean_uptime_s: 24_000.0, restart_s: 0.0, downtime_s: 0.0 };
        assert!(losses.overhead_ratio(0.0, 60.0).is_nan());
        assert!(losses.overhead_ratio(-1.0, 60.0).is_nan());
    }
}
