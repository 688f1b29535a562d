//! Student's t distribution.

use super::super::rising_root;
use super::beta::{front, regularized};
use super::normal_quantile;

/// The `t` below which a Student variable with `freedom` degrees of freedom lies with chance `p`;
/// `p` in (0, 1), `freedom` from 1.
pub fn student_t_quantile(p: f64, freedom: f64) -> f64 {
    if p < 0.5 {
        return -student_t_quantile(1.0 - p, freedom);
    }
    if p == 0.5 {
        return 0.0;
    }
    let tail = 1.0 - p;
    let normal = normal_quantile(p);
    let mut high = 2.0 * normal + 1.0;
    while upper_tail(high, freedom) > tail {
        high *= 2.0;
    }
    // A Student variable has heavier tails than a normal one, so the normal quantile is below. The
    // slope is the density: the t-derivative of the tail is front/t.
    rising_root(0.0, high, normal, |t| {
        let (x, y) = split(t, freedom);
        let at = upper_tail(t, freedom);
        (libm::log(tail / at), front(0.5 * freedom, 0.5, x, y) / (t * at))
    })
}

/// Chance that a Student variable with `freedom` degrees of freedom exceeds `t`.
pub fn student_t_upper(t: f64, freedom: f64) -> f64 {
    if t < 0.0 { 1.0 - upper_tail(-t, freedom) } else { upper_tail(t, freedom) }
}

/// Chance to exceed `t`, for `t >= 0`: half of I_x(freedom/2, 1/2) (NIST DLMF 8.17, Abramowitz and
/// Stegun 26.7.1).
fn upper_tail(t: f64, freedom: f64) -> f64 {
    let (x, y) = split(t, freedom);
    0.5 * regularized(0.5 * freedom, 0.5, x, y)
}

/// freedom/(freedom + t^2) and its complement.
fn split(t: f64, freedom: f64) -> (f64, f64) {
    let sum = freedom + t * t;
    (freedom / sum, t * t / sum)
}

#[cfg(test)]
mod tests {
    use super::super::assert_close;
    use super::*;

    #[test]
    fn quantiles_agree_with_statrs() {
        use statrs::distribution::{ContinuousCDF, StudentsT};
        for freedom in [1.0, 2.0, 3.0, 9.0, 29.0, 199.0, 9_999.0] {
            let theirs = StudentsT::new(0.0, 1.0, freedom).unwrap();
            for p in [0.005, 0.025, 0.3, 0.5, 0.9, 0.975, 0.9995] {
                let ours = student_t_quantile(p, freedom);
                assert!((theirs.cdf(ours) - p).abs() < 1e-11, "p = {p}, freedom = {freedom}: {ours}");
            }
        }
    }

    #[test]
    fn a_tail_is_what_its_quantile_leaves() {
        for (p, freedom) in [(0.3, 4.0), (0.5, 9.0), (0.975, 511.0), (0.99999, 9_999.0)] {
            assert_close(student_t_upper(student_t_quantile(p, freedom), freedom), 1.0 - p, 1e-9, "tail");
        }
    }

    /// One degree of freedom: tan(π(p - 1/2)). Two: (2p - 1)/sqrt(2p(1 - p)). Many: the normal
    /// quantile z plus (z^3 + z)/(4 freedom).
    #[test]
    fn closed_forms_are_met() {
        for p in [0.6, 0.95, 0.975, 0.995] {
            let cauchy = libm::tan(std::f64::consts::PI * (p - 0.5));
            assert_close(student_t_quantile(p, 1.0), cauchy, 1e-12, "freedom 1");
            assert_close(
                student_t_quantile(p, 2.0),
                (2.0 * p - 1.0) / (2.0 * p * (1.0 - p)).sqrt(),
                1e-12,
                "2",
            );
            let z = normal_quantile(p);
            let expanded = z + (z * z * z + z) / 4e7;
            assert_close(student_t_quantile(p, 1e7), expanded, 1e-10, "freedom 10^7");
        }
    }
}
