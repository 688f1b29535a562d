//! Regularized incomplete gamma functions.

use super::super::rising_root;
use super::{TERMS_MAX, deviance, stirling_error};
use std::f64::consts::TAU;

/// P(a, x) = γ(a, x)/Γ(a): chance that a gamma variable of shape `a` and scale 1 is at most `x`.
/// `a` above 0. Series below a + 1, continued fraction above (NIST DLMF 8.11.4 and 8.9.2).
pub fn gamma_p(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        0.0
    } else if x < a + 1.0 {
        lower_series(a, x)
    } else {
        1.0 - upper_fraction(a, x)
    }
}

/// Q(a, x) = 1 - P(a, x), precise where it is small.
pub fn gamma_q(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        1.0
    } else if x < a + 1.0 {
        1.0 - lower_series(a, x)
    } else {
        upper_fraction(a, x)
    }
}

/// The `x` with Q(a, x) = `q`, for `q` in (0, 1). Underflows to 0 where `a` and 1 - `q` are tiny.
pub fn gamma_q_inverse(a: f64, q: f64) -> f64 {
    let log_q = libm::log(q);
    // Q(a, a + sqrt(2aL) + L) <= e^-L (Boucheron, Lugosi, Massart 2013, section 2.4).
    let high = a + (-2.0 * a * log_q).sqrt() - log_q;
    let start = inverse_start(a, q);
    // The smaller tail is matched, by its logarithm: that is near linear in x where the tail is small.
    if q < 0.5 {
        rising_root(0.0, high, start, |x| {
            let tail = gamma_q(a, x);
            (log_q - libm::log(tail), density(a, x) / tail)
        })
    } else {
        let log_p = libm::log(1.0 - q);
        // P(a, x) < x^a / Γ(a+1), so x is above what that would give.
        let low = libm::exp((log_p + libm::lgamma(a + 1.0)) / a);
        if low < f64::MIN_POSITIVE {
            return 0.0;
        }
        rising_root(low.min(high), high, start, |x| {
            let tail = gamma_p(a, x);
            (libm::log(tail) - log_p, density(a, x) / tail)
        })
    }
}

/// A first guess at the inverse: Wilson and Hilferty (1931) above shape 1; below it the power law of
/// small x joined to an exponential tail (Press et al., Numerical Recipes, section 6.2.1).
fn inverse_start(a: f64, q: f64) -> f64 {
    if a > 1.0 {
        let z = -super::normal_quantile(q);
        let root = 1.0 - 1.0 / (9.0 * a) + z / (3.0 * a.sqrt());
        return (a * root * root * root).max(1e-3);
    }
    let (p, joint) = (1.0 - q, 1.0 - a * (0.253 + a * 0.12));
    if p < joint { libm::pow(p / joint, 1.0 / a) } else { 1.0 - libm::log(q / (1.0 - joint)) }
}

/// x^a e^-x / Γ(a+1).
fn weight(a: f64, x: f64) -> f64 {
    libm::exp(-stirling_error(a) - deviance(a, x)) / (TAU * a).sqrt()
}

/// Density of a gamma variable of shape `a` and scale 1.
fn density(a: f64, x: f64) -> f64 {
    weight(a, x) * a / x
}

/// P(a, x) as a power series, for x < a + 1.
fn lower_series(a: f64, x: f64) -> f64 {
    let (mut term, mut sum, mut n) = (1.0, 1.0, a);
    for _ in 0..TERMS_MAX {
        n += 1.0;
        term *= x / n;
        sum += term;
        if term < sum * f64::EPSILON {
            break;
        }
    }
    // Rounding can carry the last bit past 1.
    (weight(a, x) * sum).min(1.0)
}

/// Q(a, x) as a continued fraction by the modified Lentz method, for x >= a + 1.
fn upper_fraction(a: f64, x: f64) -> f64 {
    if x.is_infinite() {
        return 0.0;
    }
    let mut b = x + 1.0 - a;
    let mut c = f64::MAX;
    let mut d = 1.0 / b;
    let mut fraction = d;
    for i in 1..=TERMS_MAX {
        let i = i as f64;
        let numerator = -i * (i - a);
        b += 2.0;
        d = 1.0 / (numerator * d + b);
        c = b + numerator / c;
        let factor = c * d;
        fraction *= factor;
        if (factor - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    (weight(a, x) * a * fraction).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::super::assert_close;
    use super::*;
    use statrs::function::gamma::{gamma_lr, gamma_ur};

    const SHAPES: [f64; 8] = [0.02, 0.3, 1.0, 1.6, 5.0, 17.0, 100.0, 2_500.0];

    #[test]
    fn incomplete_gammas_agree_with_statrs() {
        for a in SHAPES {
            for ratio in [0.01, 0.3, 0.9, 1.0, 1.1, 2.0] {
                let (x, what) = (a * ratio, format!("a = {a}, x = {}", a * ratio));
                if gamma_lr(a, x) > 1e-200 {
                    assert_close(gamma_p(a, x), gamma_lr(a, x), 2e-11, &what);
                }
                if gamma_ur(a, x) > 1e-12 {
                    assert_close(gamma_q(a, x), gamma_ur(a, x), 2e-11, &what);
                }
            }
        }
    }

    /// P(n, x) = 1 - e^-x (1 + x + ... + x^(n-1)/(n-1)!); P(1/2, x) = erf(sqrt x).
    #[test]
    fn closed_forms_are_met() {
        for x in [1e-3, 0.1, 1.0, 3.0, 20.0] {
            assert_close(gamma_p(1.0, x), -libm::expm1(-x), 4e-15, "a = 1");
            assert_close(gamma_q(3.0, x), libm::exp(-x) * (1.0 + x + x * x / 2.0), 4e-15, "a = 3");
            assert_close(gamma_p(0.5, x), libm::erf(x.sqrt()), 4e-15, "a = 1/2");
        }
        assert_eq!((gamma_p(2.0, 0.0), gamma_q(2.0, -1.0)), (0.0, 1.0));
        assert_eq!((gamma_p(2.0, f64::INFINITY), gamma_q(2.0, f64::INFINITY)), (1.0, 0.0));
    }

    #[test]
    fn the_inverse_inverts() {
        for a in SHAPES {
            for q in [1e-15, 1e-6, 0.05, 0.4, 0.5, 0.8, 0.999, 1.0 - 1e-9] {
                let x = gamma_q_inverse(a, q);
                let what = format!("a = {a}, q = {q}, x = {x}");
                if x > 0.0 && q < 0.5 {
                    assert_close(gamma_q(a, x), q, 1e-12, &what);
                } else if x > 0.0 {
                    assert_close(gamma_p(a, x), 1.0 - q, 1e-12, &what);
                }
            }
        }
    }
}
