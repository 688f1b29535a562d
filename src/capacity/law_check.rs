//! What every law's tests ask: does it invert, integrate and sample as its formulas say?

use crate::rng::{Source, Streams};
use crate::stats::ks;
use rand_distr::Distribution;

/// Survival chances at which laws are looked at.
pub const UPPER: [f64; 9] = [1e-12, 1e-6, 0.001, 0.05, 0.3, 0.5, 0.9, 0.999, 1.0 - 1e-9];

const SAMPLES: u64 = 100_000;

/// The formulas of one law, times in seconds.
pub struct Formulas<'a> {
    pub survival: &'a dyn Fn(f64) -> f64,
    pub quantile_upper: &'a dyn Fn(f64) -> f64,
    pub mean_s: f64,
    pub restricted_mean_s: &'a dyn Fn(f64) -> f64,
}

/// Collects the formulas of a law.
macro_rules! formulas {
    ($law:expr) => {
        $crate::capacity::law_check::Formulas {
            survival: &|t| $law.survival(t),
            quantile_upper: &|u| $law.quantile_upper(u),
            mean_s: $law.mean_s(),
            restricted_mean_s: &|t| $law.restricted_mean_s(t),
        }
    };
}
pub(super) use formulas;

/// Two numbers that differ by no more than a share `relative` of the second.
pub fn close(ours: f64, right: f64, relative: f64, what: &str) {
    assert!((ours - right).abs() <= relative * right.abs(), "{what}: {ours} is not {right}");
}

/// Area under `f` from 0 to `end` by the double exponential rule (Takahasi and Mori 1974), which stands
/// singular ends.
pub fn integral(f: impl Fn(f64) -> f64, end: f64) -> f64 {
    let step = 1.0 / 64.0;
    let terms = (-288..=288).map(|k| {
        let s = f64::from(k) * step;
        let bend = std::f64::consts::FRAC_PI_2 * libm::sinh(s);
        let x = end / (1.0 + libm::exp(-2.0 * bend));
        let slope = std::f64::consts::FRAC_PI_2 * libm::cosh(s) / libm::cosh(bend).powi(2);
        0.5 * end * slope * f(x) * step
    });
    terms.sum()
}

/// The quantile inverts the survival function, and restricted means are areas under it; the mean is
/// that up to the time that one in 10^12 outlives, to `mean_tolerance`.
pub fn check_formulas(law: &Formulas<'_>, mean_tolerance: f64) {
    for u in UPPER {
        let t = (law.quantile_upper)(u);
        let survival = (law.survival)(t);
        assert!((survival - u).abs() <= 1e-11 * u.min(1.0 - u) + 2e-16, "S({t}) = {survival}, not {u}");
    }
    for u in [0.999, 0.5, 0.05, 1e-6] {
        let t = (law.quantile_upper)(u);
        close((law.restricted_mean_s)(t), integral(law.survival, t), 1e-9, "restricted mean");
    }
    close(law.mean_s, integral(law.survival, (law.quantile_upper)(1e-12)), mean_tolerance, "mean");
}

/// 100,000 inversions lie within 1.95/sqrt(n) of the survival function: a false alarm in about 1,000,
/// seed fixed.
pub fn check_samples(law: &Formulas<'_>) {
    let mut stream = Streams::new(20).stream(Source::Lifetime, 0, 0, 0);
    let mut ours: Vec<f64> = (0..SAMPLES).map(|_| (law.quantile_upper)(stream.open01())).collect();
    let distance = ks::distance(&mut ours, |t| 1.0 - (law.survival)(t));
    assert!(distance < ks::limit(SAMPLES), "{distance}");
}

/// 100,000 inversions and as many samples of another program's law are alike by the two-sample test:
/// a false alarm in about 1,000, seeds fixed.
pub fn check_against(law: &Formulas<'_>, other: impl Distribution<f64>) {
    let mut stream = Streams::new(21).stream(Source::Lifetime, 0, 0, 0);
    let mut ours: Vec<f64> = (0..SAMPLES).map(|_| (law.quantile_upper)(stream.open01())).collect();
    let mut theirs: Vec<f64> = (0..SAMPLES).map(|_| other.sample(&mut stream)).collect();
    let distance = ks::two_sample_distance(&mut ours, &mut theirs);
    // Two samples of n count as one of n/2.
    assert!(distance < ks::limit(SAMPLES / 2), "{distance}");
}
