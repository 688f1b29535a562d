//! A law fitted to times.

use super::bathtub::{self, Terms};
use super::family::Family;
use super::observed::Sample;
use super::uniform;
use crate::capacity::{Bathtub, Exponential, Gamma, Kind, Law, LawError, Lognormal, Uniform, Weibull};
use crate::stats::Peak;
use crate::units::Span;

/// A number of a law, and its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameter {
    /// Its name in scenarios.
    pub name: &'static str,
    /// Whether it is a time, in seconds; else it has no unit.
    pub is_time: bool,
    /// The estimate.
    pub value: f64,
    /// From where, with 95 % confidence.
    pub low: f64,
    /// To where.
    pub high: f64,
}

/// A law fitted to times.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// Its kind.
    pub family: Family,
    /// Its log-likelihood; times in seconds.
    pub ln_likelihood: f64,
    /// Its numbers, with their intervals.
    pub parameters: Vec<Parameter>,
    point: Vec<f64>,
}

impl Fit {
    /// The law of `family` under which the sample is likeliest. `None` where there is no single one: no end
    /// was seen, all times are alike, or no losses mount up at the end of a bathtub.
    pub fn of(family: Family, sample: &Sample) -> Option<Self> {
        if sample.complete() == 0 {
            return None;
        }
        match family {
            Family::Uniform => Self::uniform(sample),
            Family::Bathtub if sample.ends_at_a_cap() => Self::bathtub_to_cap(sample),
            Family::Bathtub => Self::bathtub_to_end(sample),
            _ => Self::smooth(family, sample),
        }
    }

    /// Akaike's information criterion, 2k - 2 ln L: of two laws the lower is the better.
    pub fn aic(&self) -> f64 {
        2.0 * self.family.parameters() as f64 - 2.0 * self.ln_likelihood
    }

    /// Its numbers, as the family has them.
    pub fn point(&self) -> &[f64] {
        &self.point
    }

    /// Chance of a time longer than `t_s` seconds.
    pub fn survival(&self, t_s: f64) -> f64 {
        self.family.survival(&self.point, t_s)
    }

    /// The law, as scenarios and the engine have it. `cap`: the longest time there is. An error where a
    /// number is out of the law's range.
    pub fn law(&self, cap: Option<Span>) -> Result<Law, LawError> {
        let value = |index: usize| self.parameters[index].value;
        let span = |index: usize| Span::from_secs_saturating(value(index));
        let kind = match self.family {
            Family::Exponential => Kind::Exponential(Exponential::new(span(0))?),
            Family::Weibull => Kind::Weibull(Weibull::new(value(0), span(1))?),
            Family::Lognormal => Kind::Lognormal(Lognormal::new(span(0), value(1))?),
            Family::Gamma => Kind::Gamma(Gamma::new(value(0), span(1))?),
            Family::Uniform => Kind::Uniform(Uniform::new(span(0), span(1))?),
            Family::Bathtub => Kind::Bathtub(Bathtub::new(value(0), span(1), span(2), span(3))?),
        };
        Law::new(kind, cap)
    }

    fn smooth(family: Family, sample: &Sample) -> Option<Self> {
        let peak = Peak::of(|point| family.ln_likelihood(point, sample), &family.start(sample))?;
        let covariance = peak.covariance()?;
        let parameters = match family {
            Family::Exponential => vec![scaled("mean", true, &peak.at, &covariance, &[1.0])],
            Family::Weibull => vec![
                scaled("shape", false, &peak.at, &covariance, &[1.0, 0.0]),
                scaled("scale", true, &peak.at, &covariance, &[0.0, 1.0]),
            ],
            Family::Lognormal => {
                // The median's logarithm is the first number itself.
                vec![
                    scaled("median", true, &peak.at, &covariance, &[1.0, 0.0]),
                    scaled("sigma", false, &peak.at, &covariance, &[0.0, 1.0]),
                ]
            }
            _ => vec![
                scaled("shape", false, &peak.at, &covariance, &[1.0, 0.0]),
                scaled("scale", true, &peak.at, &covariance, &[-1.0, 1.0]),
            ],
        };
        Some(Self { family, ln_likelihood: peak.value, parameters, point: peak.at })
    }

    fn uniform(sample: &Sample) -> Option<Self> {
        let ends = uniform::ends(sample)?;
        let parameter =
            |name, [value, low, high]: [f64; 3]| Parameter { name, is_time: true, value, low, high };
        Some(Self {
            family: Family::Uniform,
            ln_likelihood: ends.ln_likelihood,
            point: vec![ends.low[0], ends.high[0]],
            parameters: vec![parameter("low", ends.low), parameter("high", ends.high)],
        })
    }

    /// A bathtub whose end lies beyond the longest time that is allowed: a smooth likelihood.
    fn bathtub_to_cap(sample: &Sample) -> Option<Self> {
        let cap = sample.longest_s();
        let f = |point: &[f64]| Terms::capped(point, cap).ln_likelihood(sample);
        let starts = bathtub::starts(sample).into_iter().map(|[a, b, c]| vec![a, b, c, 0.0]);
        let peak = highest(f, starts)?;
        let covariance = peak.covariance()?;
        let terms = Terms::capped(&peak.at, cap);
        // limit = cap + late × the fourth number.
        let slopes = [0.0, 0.0, terms.late * peak.at[3], terms.late];
        let spread = Z * quadratic(&slopes, &covariance).sqrt();
        Self::bathtub(sample, &peak, &covariance, terms, [terms.limit - spread, terms.limit + spread])
    }

    /// A bathtub that ends where all are lost: the likeliest end is the longest time seen, for the density
    /// of all falls as the end moves away. It nears the right end faster than the others their values, so
    /// these have the intervals that they would have were it known.
    fn bathtub_to_end(sample: &Sample) -> Option<Self> {
        let end = sample.latest_s();
        let f = |point: &[f64]| Terms::ending(point, end).ln_likelihood(sample);
        let peak = highest(f, bathtub::starts(sample).into_iter().map(Vec::from))?;
        let covariance = peak.covariance()?;
        let terms = Terms::ending(&peak.at, end);
        // limit = end - late ln(1/level - 1), but for the few early losses that would come after the end.
        let slopes = [terms.late, 0.0, terms.late * peak.at[0]];
        let spread = Z * quadratic(&slopes, &covariance).sqrt();
        // With n times, the chance that none falls in the last stretch x is e^(-n density x).
        let many = (sample.complete() + sample.cut_off()) as f64;
        let beyond = DROP_END / (many * terms.density(end));
        let limit = [terms.limit - spread, terms.limit + spread + beyond];
        Self::bathtub(sample, &peak, &covariance, terms, limit)
    }

    /// With the interval of the limit.
    fn bathtub(
        sample: &Sample,
        peak: &Peak,
        covariance: &[Vec<f64>],
        terms: Terms,
        [low, high]: [f64; 2],
    ) -> Option<Self> {
        let time = |name, index: usize| {
            let weights: Vec<f64> = (0..peak.at.len()).map(|i| if i == index { 1.0 } else { 0.0 }).collect();
            scaled(name, true, &peak.at, covariance, &weights)
        };
        let limit = Parameter { name: "limit", is_time: true, value: terms.limit, low, high };
        let is_one = terms.limit > 0.0 && terms.has_both_sides(sample);
        is_one.then(|| Self {
            family: Family::Bathtub,
            ln_likelihood: peak.value,
            parameters: vec![level(&peak.at, covariance), time("early", 1), time("late", 2), limit],
            point: vec![peak.at[0], peak.at[1], peak.at[2], libm::log(terms.limit)],
        })
    }
}

/// The 97.5 % quantile of the standard normal law.
pub(super) const Z: f64 = 1.959_963_984_540_054;
/// ln 20.
const DROP_END: f64 = 2.995_732_273_553_991;

fn highest(f: impl Fn(&[f64]) -> f64, starts: impl Iterator<Item = Vec<f64>>) -> Option<Peak> {
    starts.filter_map(|start| Peak::of(&f, &start)).max_by(|a: &Peak, b: &Peak| a.value.total_cmp(&b.value))
}

/// The number whose logarithm is `weights` times the point, by Wald's interval: the logarithm is near
/// normal, with the variance that the observed information gives.
pub(super) fn scaled(
    name: &'static str,
    is_time: bool,
    point: &[f64],
    covariance: &[Vec<f64>],
    weights: &[f64],
) -> Parameter {
    let log: f64 = weights.iter().zip(point).map(|(a, b)| a * b).sum();
    let reach = Z * quadratic(weights, covariance).sqrt();
    Parameter {
        name,
        is_time,
        value: libm::exp(log),
        low: libm::exp(log - reach),
        high: libm::exp(log + reach),
    }
}

/// The level of a bathtub, whose logit is the first number.
fn level(point: &[f64], covariance: &[Vec<f64>]) -> Parameter {
    let share = |logit: f64| 1.0 / (1.0 + libm::exp(-logit));
    let reach = Z * covariance[0][0].sqrt();
    Parameter {
        name: "level",
        is_time: false,
        value: share(point[0]),
        low: share(point[0] - reach),
        high: share(point[0] + reach),
    }
}

fn quadratic(weights: &[f64], matrix: &[Vec<f64>]) -> f64 {
    let rows = weights.iter().zip(matrix);
    rows.map(|(a, row)| a * weights.iter().zip(row).map(|(b, m)| b * m).sum::<f64>()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::special::normal_quantile;

    #[test]
    fn the_quantile_of_the_intervals_is_that_of_the_normal_law() {
        assert!((normal_quantile(0.975) - Z).abs() < 1e-12);
    }
}
