//! How far apart saves should be. Times are seconds: these are formulas over reals.

use crate::stats::rising_root;

/// What each save and each restart of a long job costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Costs {
    /// Steps stand still for a save.
    pub save_s: f64,
    /// A save is durable that long after its stall.
    pub lag_s: f64,
    /// From a fresh gang to its first step.
    pub restart_s: f64,
}

/// Points of the first look at the intervals between a tenth of Young's and ten times it.
const LOOKS: u32 = 64;
/// Steps of the golden section: they shrink its bracket by 10^-8.
const SECTIONS: u32 = 40;
/// Saves of one attempt that are summed; beyond them survival is all but nothing.
const SAVES_MAX: u32 = 100_000;
/// Saves of one attempt up to which an interval is tried that ends exactly at a known uptime.
const EXACT_SAVES: u32 = 24;

/// The interval of least makespan of a long job, whatever restart, downtime and work:
/// M (1 + W₀(−e^{−C/M − 1})), from (1 − τ/M) e^{τ/M} = e^{−C/M}.
pub fn exact_interval_s(save_s: f64, mean_uptime_s: f64) -> f64 {
    mean_uptime_s * one_plus_lambert_w0(save_s / mean_uptime_s)
}

/// The constant work between saves with which a long job makes most progress, where a fresh gang lasts for
/// longer than t with chance `survival(t)`, `mean_s` in the mean; `uptimes_s` are times that it lasts exactly
/// with a chance of their own.
///
/// An attempt makes durable, in the mean, `τ Σ_k P(U ≥ R + k (τ + C) + L)`, and what a loss costs beside
/// does not hang on τ: renewal reward (Ross, Stochastic Processes, section 3.6). For exponential losses that is
/// [`exact_interval_s`].
pub fn best_interval_s(costs: Costs, mean_s: f64, uptimes_s: &[f64], survival: impl Fn(f64) -> f64) -> f64 {
    let progress = |interval_s: f64| {
        let mut sum = 0.0;
        for k in 1..=SAVES_MAX {
            let durable_s = costs.restart_s + f64::from(k) * (interval_s + costs.save_s) + costs.lag_s;
            // The instant itself counts: a save that is done at the instant of the loss is done.
            let reached = survival(durable_s.next_down());
            sum += reached;
            if reached <= 1e-9 * sum {
                break;
            }
        }
        interval_s * sum
    };
    let young_s = (2.0 * costs.save_s * mean_s).sqrt();
    let look = |i: u32| young_s * libm::pow(10.0, 2.0 * f64::from(i) / f64::from(LOOKS) - 1.0);
    let best = |a: (f64, f64), b: (f64, f64)| if b.1 > a.1 { b } else { a };
    let (at, most) =
        (0..=LOOKS).map(|i| (i, progress(look(i)))).fold((0, -1.0), |a, b| if b.1 > a.1 { b } else { a });
    let (mut low, mut high) = (look(at.saturating_sub(1)), look(at + 1));
    let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
    for _ in 0..SECTIONS {
        let (left, right) = (high - golden * (high - low), low + golden * (high - low));
        if progress(left) < progress(right) { low = left } else { high = right }
    }
    let middle = 0.5 * (low + high);
    let around = best((look(at), most), (middle, progress(middle)));
    // Progress jumps where a save just fits into a known uptime, too sharply for the search above.
    let exact = uptimes_s.iter().flat_map(|uptime_s| {
        let whole_s = uptime_s - costs.restart_s - costs.lag_s;
        (1..=EXACT_SAVES).map(move |k| whole_s / f64::from(k) - costs.save_s)
    });
    exact.filter(|interval_s| *interval_s > 0.0).map(|tau| (tau, progress(tau))).fold(around, best).0
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

    const FREE: Costs = Costs { save_s: 60.0, lag_s: 0.0, restart_s: 0.0 };

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
    fn the_exact_interval_solves_its_equation() {
        for (save_s, mean_s) in [(60.0, 21_600.0), (1e-3, 1e6), (600.0, 900.0), (1e4, 100.0)] {
            let y = exact_interval_s(save_s, mean_s) / mean_s;
            let (left, right) = ((1.0 - y) * libm::exp(y), libm::exp(-save_s / mean_s));
            assert!((left - right).abs() < 1e-14, "{save_s}, {mean_s}: {left} {right}");
        }
    }

    #[test]
    fn for_exponential_losses_the_search_finds_the_exact_interval() {
        for (save_s, mean_s) in [(60.0, 21_600.0), (5.0, 3_600.0), (600.0, 3_600.0)] {
            let exact_s = exact_interval_s(save_s, mean_s);
            for (lag_s, restart_s) in [(0.0, 0.0), (100.0, 300.0)] {
                let costs = Costs { save_s, lag_s, restart_s };
                let found_s = best_interval_s(costs, mean_s, &[], |t| libm::exp(-t / mean_s));
                assert!((found_s / exact_s - 1.0).abs() < 1e-3, "{found_s}, exact is {exact_s}");
            }
        }
    }

    /// Every gang lasts for an hour: one save at its very end keeps 59 min of it, two keep 58.
    #[test]
    fn a_known_uptime_gets_one_save_at_its_end() {
        let found_s = best_interval_s(FREE, 3_600.0, &[3_600.0], |t| f64::from(u8::from(t < 3_600.0)));
        assert!((found_s - 3_540.0).abs() < 1e-9, "{found_s}");
    }

    /// A hazard that falls with age makes long attempts: saves lie further apart than for exponential
    /// losses of the same mean.
    #[test]
    fn a_falling_hazard_wants_longer_intervals() {
        let (shape, mean_s) = (0.6, 21_600.0);
        let scale_s = mean_s / libm::tgamma(1.0 + 1.0 / shape);
        let survival = |t: f64| libm::exp(-libm::pow(t / scale_s, shape));
        let found_s = best_interval_s(FREE, mean_s, &[], survival);
        assert!(found_s > exact_interval_s(60.0, mean_s), "{found_s}");
    }
}
