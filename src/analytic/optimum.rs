//! How much work to do between two saves where losses come at a constant rate.
//!
//! An interval is work, the save not included. `mean_uptime_s` is that of the whole gang, above 0.

use super::Memoryless;
use crate::checkpoint::exact_interval_s;

/// √(2 C M). Source: J. W. Young (1974), CACM 17(9).
pub fn young_interval_s(save_s: f64, mean_uptime_s: f64) -> f64 {
    (2.0 * save_s * mean_uptime_s).sqrt()
}

/// √(2 C (M + R)) − C, not above 0 where saves are long. Source: J. T. Daly (2006), first order.
pub fn daly_first_order_interval_s(save_s: f64, mean_uptime_s: f64, restart_s: f64) -> f64 {
    let twice = 2.0 * (mean_uptime_s + restart_s);
    if save_s == 0.0 {
        return 0.0;
    }
    // (√a − C) = (a − C²)/(√a + C): the difference of two large numbers is taken before the root.
    save_s * (twice - save_s) / ((save_s * twice).sqrt() + save_s)
}

/// √(2 C M) (1 + √x/3 + x/9) − C with x = C/2M; M where x is 1 or more.
/// Source: J. T. Daly (2006), Future Generation Computer Systems 22(3), higher order.
pub fn daly_interval_s(save_s: f64, mean_uptime_s: f64) -> f64 {
    let share = save_s / (2.0 * mean_uptime_s);
    if share >= 1.0 {
        return mean_uptime_s;
    }
    young_interval_s(save_s, mean_uptime_s) * (1.0 + share.sqrt() / 3.0 + share / 9.0) - save_s
}

/// Segments of equal work, each saved, that give the least mean makespan, and that makespan in seconds;
/// of two that are alike the fewer.
///
/// The makespan is convex in the number of segments, so one of the two beside work / exact interval wins.
pub fn best_segments(losses: &Memoryless, work_s: f64, save_s: f64) -> (u64, f64) {
    let fewer = (work_s / exact_interval_s(save_s, losses.mean_uptime_s)).floor().max(1.0) as u64;
    let of = |segments| (segments, losses.segments_s(work_s, segments, save_s));
    let (few, many) = (of(fewer), of(fewer.saturating_add(1)));
    if many.1 < few.1 { many } else { few }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exact_interval_has_the_least_overhead() {
        let losses = Memoryless { mean_uptime_s: 24_000.0, restart_s: 300.0, downtime_s: 60.0 };
        let best = exact_interval_s(600.0, 24_000.0);
        let ratio = |interval_s| losses.overhead_ratio(interval_s, 600.0);
        assert!(ratio(best) < ratio(0.99 * best) && ratio(best) < ratio(1.01 * best));
    }

    #[test]
    fn a_job_shorter_than_the_interval_is_one_segment() {
        let losses = Memoryless { mean_uptime_s: 24_000.0, restart_s: 300.0, downtime_s: 60.0 };
        assert_eq!(best_segments(&losses, 1_200.0, 120.0), (1, losses.stretch_s(1_320.0)));
    }
}
