//! Chance to be done by a deadline under losses at a constant rate.

/// A job of equal segments, each saved, whose gang is lost at a constant rate and starts in no time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EqualSegments {
    /// Losses per second, above 0.
    pub rate_per_s: f64,
    /// Segments, at least 1.
    pub segments: u64,
    /// One segment with its save, above 0.
    pub segment_s: f64,
    /// Wait after each loss.
    pub downtime_s: f64,
}

/// What a deadline does to a job.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ByDeadline {
    /// Chance that the makespan is at most the deadline.
    pub chance: f64,
    /// Mean of the shorter of makespan and deadline: how long a job runs that is given up then.
    pub spent_s: f64,
}

/// λ × slack beyond which the numbers below no longer fit a double.
const SLACK_MAX: f64 = 600.0;
/// Terms smaller than this share of their sum are left out.
const NEGLIGIBLE: f64 = 1e-18;

impl EqualSegments {
    /// The chance to be done after `deadline_s`, or `None` where losses are so many that doubles cannot
    /// hold the terms: 600 and more in the time that the work leaves.
    ///
    /// The makespan is n S + m D + the time in m broken segments, where m is negative binomial with
    /// p = e^{−λS} and each broken segment lasts exponentially, given that it is shorter than S:
    /// `P = Σ_m C(n + m − 1, m) pⁿ H_m(t − n S − m D)`, H_m from `broken`. Derived here: all terms are
    /// positive, so unlike in the alternating sum over kills no digits are lost.
    pub fn by(&self, deadline_s: f64) -> Option<ByDeadline> {
        let Self { rate_per_s: rate, segment_s, downtime_s, .. } = *self;
        let n = self.segments as f64;
        // A deadline of exactly the uninterrupted time can be met, whatever the last digit of n S is.
        let slack_s = match deadline_s - n * segment_s {
            slack if slack.abs() <= 1e-14 * deadline_s => 0.0,
            slack => slack,
        };
        if slack_s < 0.0 {
            return Some(ByDeadline { chance: 0.0, spent_s: deadline_s });
        }
        if rate * slack_s > SLACK_MAX {
            return None;
        }
        let (mut chance, mut saved_s, mut last) = (0.0, 0.0, 0.0);
        let mut log_ways = 0.0;
        for losses in 0_u32.. {
            let left_s = slack_s - f64::from(losses) * downtime_s;
            if left_s < 0.0 {
                break;
            }
            let broken = broken(losses, rate, segment_s, left_s);
            let weight = libm::exp(log_ways - rate * (n * segment_s + left_s));
            let term = weight * broken.within;
            (chance, saved_s) = (chance + term, saved_s + weight * broken.area_s);
            // The terms rise to one peak and then fall ever faster.
            if term <= last && term <= NEGLIGIBLE * chance {
                break;
            }
            last = term;
            log_ways += libm::log((n + f64::from(losses)) / f64::from(losses + 1));
        }
        Some(ByDeadline { chance, spent_s: deadline_s - saved_s })
    }
}

/// H_m(x) and its integral from 0 to x, both times e^{λx}.
struct Broken {
    within: f64,
    area_s: f64,
}

/// H_m(x): the chance that m exponential times are each shorter than S and together at most x.
///
/// Their density, times e^{λx}, is λ^m S^{m−1} times a cardinal B-spline, so it obeys de Boor's recursion
/// (C. de Boor 1972, Journal of Approximation Theory 6): h_m(x) (m − 1)/λ = x h_{m−1}(x) +
/// (m S − x) h_{m−1}(x − S). From the Laplace transform of one such time,
/// H_m(x) = H_m(x − S) + H_{m+1}(x) + h_{m+1}(x)/λ, which is solved from a large m down; the area obeys the
/// same with H in place of h. What is left out is at most the chance of as many Poisson events of mean λx
/// as there are values of m above, a share of 10⁻²⁰.
fn broken(m: u32, rate: f64, segment_s: f64, x_s: f64) -> Broken {
    let steps = (x_s / segment_s).floor() as usize;
    // Entry j belongs to x − j S; the one beyond the last, where all is nothing, closes the recursions.
    let at: Vec<f64> = (0..=steps).map(|j| (x_s - j as f64 * segment_s).max(0.0)).collect();
    let mean = rate * x_s;
    let above = (mean + 12.0 * mean.sqrt() + 30.0) as usize;
    let mut density = vec![0.0; steps + 2];
    density[steps] = rate;
    // Densities of m + 1, m + 2, ... times.
    let mut densities = Vec::with_capacity(above);
    for times in 1..=m as usize + above {
        if times > 1 {
            let longest_s = times as f64 * segment_s;
            for j in 0..=steps {
                let rises = at[j] * density[j] + (longest_s - at[j]).max(0.0) * density[j + 1];
                density[j] = rate / (times - 1) as f64 * rises;
            }
        }
        if times > m as usize {
            densities.push(density.clone());
        }
    }
    let (mut within, mut area_s) = (vec![0.0; steps + 2], vec![0.0; steps + 2]);
    for density in densities.iter().rev() {
        for j in (0..=steps).rev() {
            area_s[j] += area_s[j + 1] + within[j] / rate;
            within[j] += within[j + 1] + density[j] / rate;
        }
    }
    Broken { within: within[0], area_s: area_s[0] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(ours: f64, right: f64) {
        assert!((ours / right - 1.0).abs() < 1e-12, "{ours}, right is {right}");
    }

    /// The alternating sum over kills, at 140 decimal digits (mpmath).
    #[test]
    fn chances_agree_with_the_alternating_sum() {
        let right = [
            (1e-4, 20, 1_860.0, 600.0, 45_000.0, 0.712_086_007_815_632_5, 42_557.414_858_256_08),
            (1e-4, 3, 1_860.0, 600.0, 9_000.0, 0.936_886_944_499_335_1, 6_426.179_721_519_738),
            (1e-3, 5, 700.0, 0.0, 12_000.0, 0.999_955_673_606_355_4, 5_068.735_778_436_303),
            (1e-4, 1, 36_000.0, 0.0, 50_000.0, 0.065_576_933_873_502_15, 49_349.695_405_754_44),
            (1e-5, 200, 1_800.0, 100.0, 366_000.0, 0.861_207_900_752_049_8, 363_422.052_902_689_1),
            (5e-4, 30, 600.0, 0.0, 60_000.0, 1.0, 20_991.528_454_560_187),
        ];
        for (rate_per_s, segments, segment_s, downtime_s, deadline_s, chance, spent_s) in right {
            let job = EqualSegments { rate_per_s, segments, segment_s, downtime_s };
            let ours = job.by(deadline_s).unwrap();
            close(ours.chance, chance);
            close(ours.spent_s, spent_s);
        }
    }

    /// Without a loss it is done to the second: chance e^{−λnS}.
    #[test]
    fn a_deadline_without_slack_is_met_without_losses() {
        let job = EqualSegments { rate_per_s: 1e-4, segments: 20, segment_s: 1_800.0, downtime_s: 0.0 };
        let by = job.by(36_000.0).unwrap();
        close(by.chance, libm::exp(-3.6));
        assert_eq!(by.spent_s, 36_000.0);
        assert_eq!(job.by(35_999.0).unwrap(), ByDeadline { chance: 0.0, spent_s: 35_999.0 });
    }

    #[test]
    fn too_many_losses_are_declined() {
        let job = EqualSegments { rate_per_s: 1.0, segments: 20, segment_s: 1.0, downtime_s: 0.0 };
        assert_eq!(job.by(700.0), None);
    }
}
