//! How much work to do between two saves where losses come at a constant rate.
//!
//! An interval is work, the save not included. `mean_uptime_s` is that of the whole gang, above 0.

use super::Memoryless;
use crate::stats::rising_root;

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

/// The interval of least makespan of a long job, whatever restart, downtime and work:
/// M (1 + W₀(−e^{−C/M − 1})), from (1 − τ/M) e^{τ/M} = e^{−C/M}.
pub fn exact_interval_s(save_s: f64, mean_uptime_s: f64) -> f64 {
    mean_uptime_s * one_plus_lambert_w0(save_s / mean_uptime_s)
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

/// 1 + W₀(−e^{−1−c}), c at least 0, W₀ Lambert's function: the root u of −ln(1 − u) − u = c.
///
/// Close to the branch point, where that difference loses digits, the series in p = √(2(1 − e^{−c})) takes
/// its place (Corless et al. 1996, Advances in Computational Mathematics 5, eq. 4.22).
fn one_plus_lambert_w0(c: f64) -> f64 {
    const SERIES: [f64; 6] =
        [1.0, -1.0 / 3.0, 11.0 / 72.0, -43.0 / 540.0, 769.0 / 17_280.0, -221.0 / 8_505.0];
    let p = (-2.0 * libm::expm1(-c)).sqrt();
    if p < 0.01 {
        return p * SERIES.iter().rev().fold(0.0, |sum, term| sum * p + term);
    }
    rising_root(0.0, 1.0, 0.5 * p, |u| (-libm::log1p(-u) - u - c, u / (1.0 - u)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// mpmath.lambertw at 40 digits: c = 1e-12, 4e-5, 0.005, 1, 50.
    #[test]
    fn lambert_w_keeps_its_digits_from_the_branch_point_on() {
        let right = [
            (1e-12, 1.414_212_895_706_507e-6),
            (4e-5, 8.917_625_143_209_216e-3),
            (0.005, 9.669_481_706_823_783e-2),
            (1.0, 0.841_405_660_436_960_6),
            (50.0, 1.0),
        ];
        for (c, value) in right {
            let ours = one_plus_lambert_w0(c);
            assert!((ours / value - 1.0).abs() < 1e-13, "{c}: {ours}, right is {value}");
        }
    }

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
