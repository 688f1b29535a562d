//! Special functions: incomplete gamma and beta, the normal and Student's t distribution.
//!
//! Every elementary function comes from `libm`, so that results have the same bits on all platforms.

mod beta;
mod gamma;
mod normal;
mod student;

pub use beta::{beta_quantile, beta_regularized};
pub use gamma::{gamma_p, gamma_q, gamma_q_inverse};
pub use normal::{normal_cdf, normal_quantile};
pub use student::{student_t_quantile, student_t_upper};

/// Terms after which a series or continued fraction is cut: several times what shapes of 10^7 need.
const TERMS_MAX: usize = 100_000;

/// Error of Stirling's formula: ln Γ(n+1) - (n + 1/2) ln n + n - ln(2π)/2, for n > 0.
///
/// Source: C. Loader (2000), "Fast and accurate computation of binomial probabilities". Densities
/// written with it and with [`deviance`] keep their precision where ln Γ itself is large.
fn stirling_error(n: f64) -> f64 {
    const HALF_LN_TAU: f64 = 0.918_938_533_204_672_7;
    if n < 15.0 {
        return libm::lgamma(n + 1.0) - (n + 0.5) * libm::log(n) + n - HALF_LN_TAU;
    }
    let square = n * n;
    let tail = 1.0 / 1_260.0 - (1.0 / 1_680.0 - 1.0 / (1_188.0 * square)) / square;
    (1.0 / 12.0 - (1.0 / 360.0 - tail / square) / square) / n
}

/// Deviance part x ln(x/m) + m - x of a count `x` with mean `m`, both above 0 (Loader 2000, eq. 5).
fn deviance(x: f64, m: f64) -> f64 {
    if (x - m).abs() < 0.1 * (x + m) {
        let excess = (x - m) / m;
        m * ((1.0 + excess) * libm::log1p(excess) - excess)
    } else {
        x * libm::log(x / m) + m - x
    }
}

#[cfg(test)]
fn assert_close(ours: f64, right: f64, relative: f64, what: &str) {
    assert!((ours - right).abs() <= relative * right.abs(), "{what}: {ours:e} is not {right:e}");
}
