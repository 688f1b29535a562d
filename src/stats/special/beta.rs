//! Regularized incomplete beta function.

use super::super::rising_root;
use super::{TERMS_MAX, deviance, stirling_error};
use std::f64::consts::TAU;

/// I_x(a, b): chance that a beta variable is at most `x`. `a`, `b` above 0, `x` in 0..=1.
/// Continued fraction NIST DLMF 8.17.22 on the side where it converges fast.
pub fn beta_regularized(a: f64, b: f64, x: f64) -> f64 {
    regularized(a, b, x, 1.0 - x)
}

/// The `x` with I_x(a, b) = `p`, for `p` in 0..=1.
pub fn beta_quantile(a: f64, b: f64, p: f64) -> f64 {
    rising_root(0.0, 1.0, a / (a + b), |x| {
        let y = 1.0 - x;
        (regularized(a, b, x, y) - p, front(a, b, x, y) / (x * y))
    })
}

/// I_x(a, b) given both `x` and `y = 1 - x`, one of which may be too small to follow from the other.
pub(super) fn regularized(a: f64, b: f64, x: f64, y: f64) -> f64 {
    if x <= 0.0 {
        0.0
    } else if y <= 0.0 {
        1.0
    } else if x < (a + 1.0) / (a + b + 2.0) {
        front(a, b, x, y) * fraction(a, b, x) / a
    } else {
        1.0 - front(a, b, x, y) * fraction(b, a, y) / b
    }
}

/// x^a y^b / B(a, b), by Loader's binomial density: precise for large `a` and `b` too.
pub(super) fn front(a: f64, b: f64, x: f64, y: f64) -> f64 {
    let n = a + b;
    let log =
        stirling_error(n) - stirling_error(a) - stirling_error(b) - deviance(a, n * x) - deviance(b, n * y);
    libm::exp(log) * (a * b / (TAU * n)).sqrt()
}

/// The continued fraction by the modified Lentz method (Press et al., Numerical Recipes, section 6.4).
fn fraction(a: f64, b: f64, x: f64) -> f64 {
    /// In place of a denominator that vanishes.
    const TINY: f64 = 1e-300;
    let nonzero = |v: f64| if v.abs() < TINY { TINY } else { v };
    let mut c = 1.0;
    let mut d = 1.0 / nonzero(1.0 - (a + b) * x / (a + 1.0));
    let mut value = d;
    for m in 1..=TERMS_MAX {
        let m = m as f64;
        let (even, odd) = (
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0)),
        );
        let mut change = 1.0;
        for numerator in [even, odd] {
            d = 1.0 / nonzero(1.0 + numerator * d);
            c = nonzero(1.0 + numerator / c);
            change *= c * d;
        }
        value *= change;
        if (change - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::super::assert_close;
    use super::*;
    use statrs::function::beta::beta_reg;

    #[test]
    fn the_incomplete_beta_agrees_with_statrs() {
        for (a, b) in [(0.5, 0.5), (1.0, 3.0), (5.0, 2.0), (30.0, 700.0), (4_000.0, 0.5)] {
            for x in [0.001, 0.04, 0.3, 0.5, 0.9, 0.999] {
                let right = beta_reg(a, b, x);
                let what = format!("I_{x}({a}, {b})");
                assert!((beta_regularized(a, b, x) - right).abs() <= 1e-11 * right + 1e-15, "{what}");
            }
        }
    }

    /// P(Bin(10, 1/2) >= 6) = 386/1024 and P(Bin(3, 1/10) >= 1) = 0.271.
    #[test]
    fn binomial_tails_are_met() {
        assert_close(beta_regularized(6.0, 5.0, 0.5), 386.0 / 1_024.0, 1e-15, "10 coins");
        assert_close(beta_regularized(1.0, 3.0, 0.1), 0.271, 1e-15, "3 draws");
    }

    #[test]
    fn the_quantile_inverts() {
        for (a, b) in [(1.0, 10.0), (10.0, 1.0), (0.5, 6.0), (500.0, 501.0), (3.0, 1e6)] {
            for p in [0.005, 0.025, 0.5, 0.975] {
                let x = beta_quantile(a, b, p);
                assert_close(beta_regularized(a, b, x), p, 1e-10, &format!("{a}, {b}, {p}"));
            }
        }
    }
}
