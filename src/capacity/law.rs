//! A distribution of times, of any kind, with an optional longest time.

use super::{Bathtub, Constant, Empirical, Exponential, Gamma, Lognormal, Uniform, Weibull};
use crate::rng::Stream;
use crate::stats::rising_root;
use crate::units::Span;
use std::ops::RangeInclusive;

/// A distribution of non-negative times: `kind`, cut to `cap` where it is longer (GCP's preemptible
/// machines end at 24 h at the latest). All times below are seconds.
#[derive(Debug, Clone, PartialEq)]
pub struct Law {
    kind: Kind,
    cap: Option<Span>,
}

/// Which distribution.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// Always the same time.
    Constant(Constant),
    /// Constant hazard.
    Exponential(Exponential),
    /// Hazard that falls or rises as a power of age.
    Weibull(Weibull),
    /// The logarithm is normal.
    Lognormal(Lognormal),
    /// Sum of exponential times, or between.
    Gamma(Gamma),
    /// Equally likely between two times.
    Uniform(Uniform),
    /// High hazard at both ends of a limited life.
    Bathtub(Bathtub),
    /// Recorded times, equally likely.
    Empirical(Empirical),
}

/// Why parameters make no law.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LawError {
    /// A parameter out of its range.
    #[error("`{parameter} = {value}`: must be {range}")]
    OutOfRange {
        /// Its name as scenarios have it.
        parameter: &'static str,
        /// What was given.
        value: String,
        /// What is accepted.
        range: String,
    },
    /// An empirical law of no times.
    #[error("`values = []`: must have at least one time")]
    NoValues,
}

/// The largest chance below 1.
const ALMOST_ONE: f64 = 1.0 - f64::EPSILON / 2.0;

/// Does the same with the law inside, whichever it is.
macro_rules! for_each_kind {
    ($kind:expr, $law:ident => $answer:expr) => {
        match $kind {
            Kind::Constant($law) => $answer,
            Kind::Exponential($law) => $answer,
            Kind::Weibull($law) => $answer,
            Kind::Lognormal($law) => $answer,
            Kind::Gamma($law) => $answer,
            Kind::Uniform($law) => $answer,
            Kind::Bathtub($law) => $answer,
            Kind::Empirical($law) => $answer,
        }
    };
}

impl Law {
    /// The law of min(X, `cap`) for X of `kind`; the cap, if any, must be above 0.
    pub fn new(kind: Kind, cap: Option<Span>) -> Result<Self, LawError> {
        match cap {
            Some(cap) => positive("cap", cap).map(|_| Self { kind, cap: Some(cap) }),
            None => Ok(Self { kind, cap: None }),
        }
    }

    /// Always `value`.
    pub const fn constant(value: Span) -> Self {
        Self { kind: Kind::Constant(Constant::new(value)), cap: None }
    }

    /// The least time that can be drawn, or below which any can: 0 for laws without a floor.
    pub fn least_s(&self) -> f64 {
        match &self.kind {
            Kind::Constant(_) | Kind::Uniform(_) | Kind::Empirical(_) => self.quantile_upper(ALMOST_ONE),
            _ => 0.0,
        }
    }

    /// Which distribution, before the cap.
    pub const fn kind(&self) -> &Kind {
        &self.kind
    }

    /// The longest time, if any.
    pub const fn cap(&self) -> Option<Span> {
        self.cap
    }

    /// The one time that is ever drawn, of a constant law.
    #[inline]
    pub fn is_constant(&self) -> Option<Span> {
        match &self.kind {
            Kind::Constant(constant) => Some(self.capped(constant.value())),
            _ => None,
        }
    }

    /// One time: exactly one uniform draw, of a constant law none.
    #[inline]
    pub fn sample(&self, stream: &mut Stream) -> Span {
        match &self.kind {
            Kind::Constant(constant) => self.capped(constant.value()),
            // As of the others, without a call: most draws are these.
            Kind::Exponential(law) => {
                self.capped(Span::from_secs_saturating(law.quantile_upper(stream.open01())))
            }
            _ => self.at_survival(stream.open01()),
        }
    }

    /// The time that is outlived with chance `u`, in whole nanoseconds; `u` in (0, 1). Every law falls
    /// with `u`, so laws drawn with the same `u` stay in step.
    #[inline]
    pub fn at_survival(&self, u: f64) -> Span {
        // These two know whole nanoseconds, which seconds in binary would round beyond 104 days.
        let time = match &self.kind {
            Kind::Constant(constant) => constant.value(),
            Kind::Empirical(empirical) => empirical.at_survival(u),
            kind => Span::from_secs_saturating(for_each_kind!(kind, law => law.quantile_upper(u))),
        };
        self.capped(time)
    }

    /// Chance of a time longer than `t_s`.
    pub fn survival(&self, t_s: f64) -> f64 {
        if t_s < 0.0 {
            1.0
        } else if t_s >= self.cap_s() {
            0.0
        } else {
            for_each_kind!(&self.kind, law => law.survival(t_s))
        }
    }

    /// The time that is outlived with chance `u` in (0, 1): the least t with `survival(t) <= u`.
    pub fn quantile_upper(&self, u: f64) -> f64 {
        for_each_kind!(&self.kind, law => law.quantile_upper(u)).min(self.cap_s())
    }

    /// Mean time.
    pub fn mean_s(&self) -> f64 {
        match self.cap {
            Some(cap) => self.restricted_mean_s(cap.as_secs()),
            None => for_each_kind!(&self.kind, law => law.mean_s()),
        }
    }

    /// Mean of the shorter of a time and `t_s`, which is the area under the survival function up to
    /// `t_s`.
    pub fn restricted_mean_s(&self, t_s: f64) -> f64 {
        if t_s <= 0.0 {
            return 0.0;
        }
        for_each_kind!(&self.kind, law => law.restricted_mean_s(t_s.min(self.cap_s())))
    }

    /// What is left of a time that has been running for long when we look: the x that is outlived with
    /// chance `u`, where P(left <= x) = restricted mean(x)/mean (the equilibrium distribution of a renewal
    /// process: W. Feller, An Introduction to Probability Theory, vol. 2, section XI.4). Zero where all
    /// times are zero.
    pub fn residual_at_survival(&self, u: f64) -> Span {
        let mean = self.mean_s();
        if mean <= 0.0 {
            return Span::ZERO;
        }
        if let (Kind::Exponential(_), None) = (&self.kind, self.cap) {
            return self.at_survival(u);
        }
        let limit = self.cap_s().min(Span::MAX.as_secs());
        let area = (1.0 - u) * mean;
        let mut high = mean.min(limit);
        while high < limit && self.restricted_mean_s(high) < area {
            high = (2.0 * high).min(limit);
        }
        let left =
            rising_root(0.0, high, 0.5 * high, |x| (self.restricted_mean_s(x) - area, self.survival(x)));
        Span::from_secs_saturating(left)
    }

    /// One residual time ([`Self::residual_at_survival`]): exactly one uniform draw, of a constant law
    /// too.
    pub fn sample_residual(&self, stream: &mut Stream) -> Span {
        self.residual_at_survival(stream.open01())
    }

    /// The law of times so many times as long, `factor` above 0. The cap stays: it is a rule of the provider.
    pub fn stretched(&self, factor: f64) -> Result<Self, LawError> {
        let times = |seconds: f64| Span::from_secs_saturating(seconds * factor);
        let kind = match &self.kind {
            Kind::Constant(law) => Kind::Constant(Constant::new(times(law.mean_s()))),
            Kind::Exponential(law) => Kind::Exponential(Exponential::new(times(law.mean_s()))?),
            Kind::Weibull(law) => Kind::Weibull(Weibull::new(law.shape(), times(law.scale_s()))?),
            Kind::Lognormal(law) => Kind::Lognormal(Lognormal::from_mean(times(law.mean_s()), law.sigma())?),
            Kind::Gamma(law) => Kind::Gamma(Gamma::from_mean(law.shape(), times(law.mean_s()))?),
            Kind::Uniform(law) => {
                let [low, high] = [1.0, 0.0].map(|u| times(law.quantile_upper(u)));
                Kind::Uniform(Uniform::new(low, high)?)
            }
            Kind::Bathtub(law) => Kind::Bathtub(law.stretched(factor)?),
            Kind::Empirical(law) => {
                Kind::Empirical(Empirical::new(law.values().iter().map(|t| times(t.as_secs())).collect())?)
            }
        };
        Ok(Self { kind, cap: self.cap })
    }

    #[inline]
    fn capped(&self, time: Span) -> Span {
        self.cap.map_or(time, |cap| time.min(cap))
    }

    fn cap_s(&self) -> f64 {
        self.cap.map_or(f64::INFINITY, Span::as_secs)
    }
}

/// `value` in seconds, if above 0 and not endless.
pub(super) fn positive(parameter: &'static str, value: Span) -> Result<f64, LawError> {
    if value.is_zero() || value == Span::MAX {
        let range = "above 0 and limited".to_owned();
        return Err(LawError::OutOfRange { parameter, value: value.to_string(), range });
    }
    Ok(value.as_secs())
}

/// `value`, if it lies in `range`.
pub(super) fn within(
    parameter: &'static str,
    value: f64,
    range: RangeInclusive<f64>,
) -> Result<f64, LawError> {
    if range.contains(&value) {
        return Ok(value);
    }
    let range = format!("from {} to {}", range.start(), range.end());
    Err(LawError::OutOfRange { parameter, value: value.to_string(), range })
}

#[cfg(test)]
mod tests {
    use super::super::law_check::{UPPER, close, integral};
    use super::*;
    use crate::rng::{Source, Streams};
    use crate::stats::ks;

    const HOUR: Span = Span::from_s(3_600);

    fn hours(n: u64) -> Span {
        HOUR.times(n)
    }

    fn law(kind: Kind) -> Law {
        Law::new(kind, None).unwrap()
    }

    /// One of every kind, with a mean of some hours.
    fn every_kind() -> [Law; 8] {
        [
            law(Kind::Constant(Constant::new(hours(5)))),
            law(Kind::Exponential(Exponential::new(hours(6)).unwrap())),
            law(Kind::Weibull(Weibull::from_mean(0.62, hours(5)).unwrap())),
            law(Kind::Lognormal(Lognormal::new(hours(2), 1.2).unwrap())),
            law(Kind::Gamma(Gamma::from_mean(0.4, hours(7)).unwrap())),
            law(Kind::Uniform(Uniform::new(hours(1), hours(9)).unwrap())),
            law(Kind::Bathtub(Bathtub::new(0.41, hours(1), HOUR, hours(24)).unwrap())),
            law(Kind::Empirical(Empirical::new(vec![hours(8), HOUR, hours(3), hours(3)]).unwrap())),
        ]
    }

    #[test]
    fn the_least_time_is_the_floor_of_the_law() {
        let s = Span::from_s;
        let least = |kind| Law::new(kind, None).unwrap().least_s();
        assert_eq!(Law::constant(s(7)).least_s(), 7.0);
        assert_eq!(least(Kind::Lognormal(Lognormal::new(s(120), 0.5).unwrap())), 0.0);
        assert!((least(Kind::Uniform(Uniform::new(s(60), s(300)).unwrap())) - 60.0).abs() < 1e-9);
        assert_eq!(least(Kind::Empirical(Empirical::new(vec![s(9), s(3)]).unwrap())), 3.0);
    }

    #[test]
    fn a_cap_cuts_every_law() {
        let cap = Span::from_s(9_000);
        for free in every_kind() {
            let capped = Law::new(free.kind().clone(), Some(cap)).unwrap();
            assert_eq!(capped.survival(9_000.0), 0.0);
            assert_eq!(capped.survival(8_999.0), free.survival(8_999.0));
            assert_eq!(capped.mean_s(), free.restricted_mean_s(9_000.0));
            for u in UPPER {
                assert_eq!(capped.at_survival(u), free.at_survival(u).min(cap));
                assert_eq!(capped.quantile_upper(u), free.quantile_upper(u).min(9_000.0));
            }
        }
    }

    #[test]
    fn a_stretched_law_has_stretched_times() {
        for law in every_kind() {
            let twice = law.stretched(2.0).unwrap();
            for u in UPPER {
                close(twice.quantile_upper(u), 2.0 * law.quantile_upper(u), 1e-9, "time");
            }
            close(twice.mean_s(), 2.0 * law.mean_s(), 1e-9, "mean");
        }
        let capped = Law::new(every_kind()[1].kind().clone(), Some(HOUR)).unwrap();
        assert_eq!(capped.stretched(0.5).unwrap().cap(), Some(HOUR));
    }

    #[test]
    fn without_a_limit_the_restricted_mean_is_the_mean() {
        for law in every_kind() {
            close(law.restricted_mean_s(f64::INFINITY), law.mean_s(), 1e-12, "mean");
            assert_eq!(law.survival(f64::INFINITY), 0.0, "{law:?}");
        }
    }

    #[test]
    fn every_law_falls_with_the_same_uniform_number() {
        for law in every_kind() {
            let times: Vec<Span> = (1..1_000).map(|i| law.at_survival(f64::from(i) / 1_000.0)).collect();
            assert!(times.is_sorted_by(|a, b| a >= b), "{law:?}");
        }
    }

    #[test]
    fn a_sample_takes_one_draw_and_a_constant_none() {
        for law in every_kind() {
            let mut stream = Streams::new(1).stream(Source::Lifetime, 0, 0, 0);
            let mut twin = stream.clone();
            law.sample(&mut stream);
            if law.is_constant().is_none() {
                twin.open01();
            }
            assert_eq!(stream, twin, "{law:?}");
        }
    }

    /// The residual of a Weibull law has density survival(x)/mean: its distribution by quadrature, and
    /// 100,000 samples within 1.95/sqrt(n) of it (false alarm in about 1,000, seed fixed).
    #[test]
    fn residual_times_follow_the_equilibrium_distribution() {
        for law in every_kind() {
            let mut stream = Streams::new(2).stream(Source::Path, 0, 0, 0);
            let mut left: Vec<f64> =
                (0..100_000).map(|_| law.sample_residual(&mut stream).as_secs()).collect();
            let mean = law.mean_s();
            let distance = ks::distance(&mut left, |x| law.restricted_mean_s(x) / mean);
            assert!(distance < ks::limit(100_000), "{law:?}: {distance}");
        }
        let weibull = &every_kind()[2];
        let at = weibull.residual_at_survival(0.3).as_secs();
        close(integral(|x| weibull.survival(x), at) / weibull.mean_s(), 0.7, 1e-9, "Weibull");
    }

    /// The residual of a constant 5 h is uniform on 0 to 5 h.
    #[test]
    fn the_residual_of_a_constant_is_uniform() {
        let residual = every_kind()[0].residual_at_survival(0.25).as_secs();
        close(residual, 0.75 * 18_000.0, 1e-12, "three quarters");
        let never = law(Kind::Constant(Constant::new(Span::ZERO)));
        assert_eq!(never.residual_at_survival(0.5), Span::ZERO);
    }

    #[test]
    fn errors_give_value_and_range() {
        let text = |error: LawError| error.to_string();
        assert_eq!(text(Weibull::new(-0.7, HOUR).unwrap_err()), "`shape = -0.7`: must be from 0.01 to 1000");
        assert_eq!(
            text(Exponential::new(Span::ZERO).unwrap_err()),
            "`mean = 0 s`: must be above 0 and limited"
        );
        assert_eq!(text(Uniform::new(HOUR, HOUR).unwrap_err()), "`high = 1 h`: must be above `low = 1 h`");
        assert_eq!(text(Empirical::new(vec![]).unwrap_err()), "`values = []`: must have at least one time");
        assert!(Gamma::new(f64::NAN, HOUR).is_err());
    }
}
