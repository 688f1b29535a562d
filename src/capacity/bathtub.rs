//! High hazard at both ends of a limited life.

use super::LawError;
use super::law::{positive, within};
use crate::stats::rising_root;
use crate::units::Span;

/// `bathtub`: a time up to t has chance F(t) = level × (1 - e^(-t/early) + e^((t - limit)/late)), cut to
/// 1 from where it reaches 1.
///
/// * `level`, no unit: the share that ends early on.
/// * `early`, time: how fast early losses fade.
/// * `late`, `limit`, times: how fast and where losses mount up at the end.
///
/// F(0) = level × e^(-limit/late) is not quite 0: with that chance, about 10^-14 as published, the time
/// is 0. With `level` below 1/2, F passes `limit` below 1; the machines the law was made for are cut at
/// 24 h, which is [`super::Law`]'s cap and has the rest of the chance.
///
/// Source: Kadupitiya, Jadhao and Sharma (2020), arXiv 1911.05160 (level 0.4137, early 0.9 h, late
/// 0.76 h, limit 24 h).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bathtub {
    level: f64,
    early_s: f64,
    late_s: f64,
    limit_s: f64,
    end_s: f64,
}

impl Bathtub {
    /// From `level`, 0.001 to 1, and three times above 0.
    pub fn new(level: f64, early: Span, late: Span, limit: Span) -> Result<Self, LawError> {
        let mut law = Self {
            level: within("level", level, 0.001..=1.0)?,
            early_s: positive("early", early)?,
            late_s: positive("late", late)?,
            limit_s: positive("limit", limit)?,
            end_s: f64::INFINITY,
        };
        // There the last term alone is 1, so F reaches 1 before.
        let high = law.limit_s - law.late_s * libm::log(law.level);
        law.end_s = law.age_at(1.0, high);
        Ok(law)
    }

    /// The law of times so many times as long.
    pub fn stretched(self, factor: f64) -> Result<Self, LawError> {
        let [early, late, limit] = [self.early_s, self.late_s, self.limit_s]
            .map(|seconds| Span::from_secs_saturating(seconds * factor));
        Self::new(self.level, early, late, limit)
    }

    /// Chance of a time longer than `t_s`.
    pub fn survival(self, t_s: f64) -> f64 {
        if t_s >= self.end_s { 0.0 } else { (1.0 - self.share_up_to(t_s)).clamp(0.0, 1.0) }
    }

    /// The time outlived with chance `u` in (0, 1), in seconds; 0 where fewer outlive 0.
    pub fn quantile_upper(self, u: f64) -> f64 {
        if 1.0 - u <= self.share_up_to(0.0) { 0.0 } else { self.age_at(1.0 - u, self.end_s) }
    }

    /// Mean, in seconds.
    pub fn mean_s(self) -> f64 {
        self.restricted_mean_s(self.end_s)
    }

    /// Mean of the shorter of a time and `t_s`: the integral of 1 - F, term by term.
    pub fn restricted_mean_s(self, t_s: f64) -> f64 {
        let t = t_s.min(self.end_s);
        let early = t + self.early_s * libm::expm1(-t / self.early_s);
        let late = self.late_s * libm::exp(-self.limit_s / self.late_s) * libm::expm1(t / self.late_s);
        t - self.level * (early + late)
    }

    /// F before it is cut.
    fn share_up_to(self, t_s: f64) -> f64 {
        let late = libm::exp((t_s - self.limit_s) / self.late_s);
        self.level * (late - libm::expm1(-t_s / self.early_s))
    }

    /// The age before `high_s` by which `share` have ended.
    fn age_at(self, share: f64, high_s: f64) -> f64 {
        // Early losses alone would reach the share there, late ones come on top.
        let start =
            if share < self.level { -self.early_s * libm::log1p(-share / self.level) } else { high_s };
        rising_root(0.0, high_s, start, |t| {
            let slope = libm::exp((t - self.limit_s) / self.late_s) / self.late_s
                + libm::exp(-t / self.early_s) / self.early_s;
            (self.share_up_to(t) - share, self.level * slope)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::law_check::{check_samples, close, formulas, integral};
    use super::*;
    use crate::capacity::{Kind, Law};

    /// The published parameters, in hours; F(1 h) and F(24 h) by hand:
    /// 0.4137 × (1 - e^(-1/0.9) + e^(-23/0.76)) = 0.2775129, 0.4137 × (2 - e^(-24/0.9)) = 0.8274.
    fn published() -> Bathtub {
        let law = Bathtub::new(0.4137, Span::from_s(3_240), Span::from_s(2_736), Span::from_s(86_400));
        law.unwrap()
    }

    #[test]
    fn survival_is_as_by_hand() {
        close(1.0 - published().survival(3_600.0), 0.277_512_9, 1e-6, "1 h");
        close(1.0 - published().survival(86_400.0), 0.827_4, 1e-10, "24 h");
        assert_eq!(published().survival(100_000.0), 0.0);
    }

    #[test]
    fn the_quantile_inverts_survival_and_gives_zero_to_the_atom_at_zero() {
        let law = published();
        for u in [1e-12, 0.001, 0.2, 0.5, 0.59, 0.9, 0.999_999] {
            close(law.survival(law.quantile_upper(u)), u, 1e-13 / u, "survival");
        }
        // Late losses that begin at once: F(0) = 0.5 × e^-1.
        let short = Bathtub::new(0.5, Span::from_s(60), Span::from_s(60), Span::from_s(60)).unwrap();
        close(short.survival(0.0), 1.0 - 0.5 * libm::exp(-1.0), 1e-15, "atom");
        assert_eq!(short.quantile_upper(0.9), 0.0);
        assert!(short.quantile_upper(0.8) > 0.0);
    }

    #[test]
    fn means_are_areas() {
        let law = published();
        for t in [60.0, 3_600.0, 80_000.0, 86_400.0] {
            close(law.restricted_mean_s(t), integral(|x| law.survival(x), t), 1e-10, "restricted mean");
        }
        close(law.mean_s(), integral(|x| law.survival(x), law.end_s), 1e-10, "mean");
        assert_eq!(law.restricted_mean_s(1e9), law.mean_s());
    }

    /// The cap at 24 h has what F leaves there, 1 - 0.8274; the mean is the area up to it.
    #[test]
    fn the_cap_has_an_atom() {
        let law = Law::new(Kind::Bathtub(published()), Some(Span::from_s(86_400))).unwrap();
        assert_eq!(law.at_survival(0.172_5), Span::from_s(86_400));
        assert!(law.at_survival(0.172_7) < Span::from_s(86_400));
        close(law.mean_s(), integral(|x| published().survival(x), 86_400.0), 1e-10, "mean");
    }

    #[test]
    fn samples_follow_the_law() {
        check_samples(&formulas!(published()));
    }
}
