//! All laws and processes fitted to one recording.

use super::by_hour::ByHour;
use super::calm_storm::{CalmStorm, Step};
use super::goodness::{distance, p_value};
use super::{ENOUGH, Family, Fit, Observed, Sample};
use crate::records::{Capacity, Stays};
use crate::stats::special::gamma_q_inverse;
use crate::trace::runs::{Run, observed_stays, runs};
use crate::units::{Span, Timestamp};

/// The seed of all redrawn samples.
const SEED: u64 = 0;
/// An interval of a time wider than this factor is no number.
const WIDEST: f64 = 10.0;
const NS_PER_S: f64 = 1e9;

/// Laws fitted to times of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Times {
    /// Ends seen.
    pub complete: u64,
    /// Times whose end was not seen.
    pub cut_off: u64,
    /// The best first; empty with fewer than [`ENOUGH`] ends, or where all are alike.
    pub laws: Vec<Judged>,
    /// The one length that all have, in seconds, if they do.
    pub alike_s: Option<f64>,
    /// Where the mean may lie with 95 % confidence if ends come at one rate, in seconds: this holds for any
    /// number of them. No upper end where none was seen; `None` where nothing was.
    pub mean_range_s: Option<(f64, Option<f64>)>,
    observed: Vec<Observed>,
}

/// A law, and how well it fits.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The law.
    pub fit: Fit,
    /// How much worse than the best, in AIC.
    pub behind: f64,
    /// Greatest difference from the Kaplan-Meier estimate.
    pub distance: f64,
    /// The chance of a greater one, of the best law only.
    pub p_value: Option<f64>,
}

/// What was fitted to one recording.
#[derive(Debug, Clone, PartialEq)]
pub struct Study {
    /// The file, and the zone where it says one.
    pub title: String,
    /// The recording's begin and end, where it has a calendar.
    pub window: Option<(Timestamp, Timestamp)>,
    /// What it is about.
    pub of: Of,
}

/// What a study is about.
#[expect(clippy::large_enum_variant, reason = "there is one for each zone, and none is copied")]
#[derive(Debug, Clone, PartialEq)]
pub enum Of {
    /// Capacity that comes and goes.
    Capacity {
        /// Spans with capacity.
        uptimes: Times,
        /// Spans without.
        gaps: Times,
        /// Calm and storm by turns.
        calm_storm: Option<CalmStorm>,
        /// Rates that change with the hour, of loss and of return.
        by_hour: Option<(ByHour, ByHour)>,
    },
    /// Nodes that come and go.
    Lifetimes(Times),
}

/// Which model a study comes down to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Best {
    /// Uptimes and gaps that know nothing of each other.
    Renewal,
    /// Calm and storm.
    CalmStorm,
    /// Hours of the day.
    ByHour,
    /// Lifetimes of nodes.
    Lifetime,
    /// Too little was seen for a number.
    TooFew,
}

impl Times {
    /// Fits every law.
    pub fn of(observed: Vec<Observed>) -> Self {
        let sample = Sample::new(observed.iter().copied());
        let enough = sample.complete() >= ENOUGH;
        let families = Family::ALL.into_iter().filter(|_| enough);
        let mut fits: Vec<Fit> = families.filter_map(|family| Fit::of(family, &sample)).collect();
        fits.sort_by(|a, b| a.aic().total_cmp(&b.aic()));
        let least = fits.first().map_or(0.0, Fit::aic);
        let judged = fits.into_iter().enumerate().map(|(place, fit)| Judged {
            behind: fit.aic() - least,
            distance: distance(&fit, &sample),
            p_value: (place == 0).then(|| p_value(&fit, &observed, SEED)),
            fit,
        });
        let laws: Vec<Judged> = judged.collect();
        let first = observed.iter().find(|one| one.is_complete()).map(|one| one.middle_s());
        let alike = |t: f64| observed.iter().filter(|one| one.is_complete()).all(|one| one.middle_s() == t);
        let seen_s: f64 = observed.iter().map(|one| one.middle_s() - one.after_s).sum();
        Self {
            complete: sample.complete(),
            cut_off: sample.cut_off(),
            laws,
            alike_s: first.filter(|&t| enough && alike(t)),
            mean_range_s: mean_range(sample.complete(), seen_s),
            observed,
        }
    }

    /// The best law, if its times are known to a factor of ten.
    pub fn best(&self) -> Option<&Judged> {
        let best = self.laws.first()?;
        let narrow = |p: &super::Parameter| p.high <= WIDEST * p.low.max(f64::MIN_POSITIVE);
        let times = best.fit.parameters.iter().filter(|parameter| parameter.is_time);
        // A uniform law may well begin at 0, and only its end says how long times are.
        let mut times = times.filter(|parameter| parameter.name != "low");
        times.all(narrow).then_some(best)
    }

    /// The longest time that is allowed, where times are cut off there as by a provider.
    pub fn cap(&self) -> Option<Span> {
        let sample = Sample::new(self.observed.iter().copied());
        let is_capped = self.cut_off >= ENOUGH && sample.ends_at_a_cap();
        is_capped.then(|| Span::from_secs_saturating(sample.longest_s()))
    }
}

/// The mean of exponential times of which `complete` ended in `seen_s` seconds: twice the sum over the mean
/// is chi-squared (B. Epstein and M. Sobel, J. Am. Statist. Assoc. 48, 1953); cut off at a fixed time, with
/// one end more for the lower bound.
fn mean_range(complete: u64, seen_s: f64) -> Option<(f64, Option<f64>)> {
    if seen_s <= 0.0 {
        return None;
    }
    let ends = complete as f64;
    let low = seen_s / gamma_q_inverse(ends + 1.0, 0.025);
    let high = (complete > 0).then(|| seen_s / gamma_q_inverse(ends, 0.975));
    Some((low, high))
}

impl Study {
    /// Of recorded capacity, up where at least `nodes` could be had; a length was seen to `half_s` at either
    /// side. `has_hours`: whether hours of the day mean something.
    pub fn of_capacity(title: String, capacity: &Capacity, nodes: u32, half_s: f64, has_hours: bool) -> Self {
        let runs = runs(capacity, nodes);
        let day_s = (capacity.start.unix_ns() as f64 / NS_PER_S).rem_euclid(86_400.0);
        let side = |is_up: bool| {
            runs.iter()
                .filter(move |run| run.up == is_up)
                .filter_map(move |run| Some((day_s + run.from.as_secs(), run.observed(half_s)?)))
                .collect::<Vec<_>>()
        };
        let (ups, downs) = (side(true), side(false));
        let times = |side: &[(f64, Observed)]| Times::of(side.iter().map(|&(_, time)| time).collect());
        let by_hour = || Some((ByHour::of(&ups)?, ByHour::of(&downs)?));
        let end = capacity.start.checked_add(capacity.length());
        Self {
            title,
            window: end.filter(|_| has_hours).map(|end| (capacity.start, end)),
            of: Of::Capacity {
                uptimes: times(&ups),
                gaps: times(&downs),
                calm_storm: CalmStorm::of(&steps(&runs, half_s)),
                by_hour: if has_hours { by_hour() } else { None },
            },
        }
    }

    /// Of stays of nodes: those given back, or there at the end, are cut off.
    pub fn of_stays(title: String, stays: &Stays) -> Self {
        let window = Some((stays.start, stays.end));
        Self { title, window, of: Of::Lifetimes(Times::of(observed_stays(stays).collect())) }
    }

    /// All zones' times together, each zone in its own weather and hours, so that only laws are fitted.
    pub fn pooled(studies: &[Self]) -> Option<Self> {
        let mut all = (Vec::new(), Vec::new());
        for study in studies {
            let Of::Capacity { uptimes, gaps, .. } = &study.of else { return None };
            all.0.extend_from_slice(&uptimes.observed);
            all.1.extend_from_slice(&gaps.observed);
        }
        let (uptimes, gaps) = (Times::of(all.0), Times::of(all.1));
        let title = format!("{} zones together", studies.len());
        Some(Self {
            title,
            window: None,
            of: Of::Capacity { uptimes, gaps, calm_storm: None, by_hour: None },
        })
    }

    /// What it comes down to: the process with the least AIC.
    pub fn best(&self) -> Best {
        match &self.of {
            Of::Lifetimes(times) => times.best().map_or(Best::TooFew, |_| Best::Lifetime),
            Of::Capacity { uptimes, .. } if uptimes.best().is_none() && uptimes.alike_s.is_none() => {
                Best::TooFew
            }
            Of::Capacity { gaps, .. } if gaps.best().is_none() && gaps.alike_s.is_none() => Best::TooFew,
            Of::Capacity { .. } => {
                let candidates = self.candidates();
                let best = candidates.iter().min_by(|a, b| a.1.total_cmp(&b.1));
                best.map_or(Best::Renewal, |(best, _)| *best)
            }
        }
    }

    /// The processes that could be fitted, with their AIC.
    pub fn candidates(&self) -> Vec<(Best, f64)> {
        let Of::Capacity { uptimes, gaps, calm_storm, by_hour } = &self.of else { return Vec::new() };
        let laws = uptimes.laws.first().zip(gaps.laws.first());
        let laws = laws.map(|(up, gap)| (Best::Renewal, up.fit.aic() + gap.fit.aic()));
        let chain = calm_storm.as_ref().map(|chain| (Best::CalmStorm, chain.aic()));
        let hours = by_hour.as_ref().map(|(loss, back)| (Best::ByHour, loss.aic() + back.aic()));
        laws.into_iter().chain(chain).chain(hours).collect()
    }
}

/// Runs in their order, each with what was seen of it.
fn steps(runs: &[Run], half_s: f64) -> Vec<Step> {
    let mut follows = false;
    let mut steps = Vec::new();
    for run in runs {
        match run.observed(half_s) {
            Some(time) => {
                steps.push(Step { is_up: run.up, time, follows });
                follows = run.end_seen;
            }
            None => follows = false,
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With no end in 100 h the mean is, at 97.5 %, above 100/ln 40 = 27.11 h; with one end it lies between
    /// 100/5.5716 and 100/0.025318 h (chi-squared with 4 and 2 degrees of freedom, tables).
    #[test]
    fn the_range_of_a_mean_is_that_of_chi_squared_tables() {
        let (low, high) = mean_range(0, 100.0).unwrap();
        assert!((low - 27.11).abs() < 0.01 && high.is_none(), "{low}");
        let (low, high) = mean_range(1, 100.0).unwrap();
        assert!((low - 17.948).abs() < 0.01 && (high.unwrap() - 3_949.8).abs() < 1.0, "{low} {high:?}");
    }
}
