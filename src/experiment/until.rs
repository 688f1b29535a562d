//! Whether `[simulation] until` is met: a pure question to the results at one look.

use super::CONFIDENCE;
use super::result::{ClusterResult, Status};
use crate::scenario::load::Scenario;
use crate::scenario::until::Until;
use crate::stats::special::{normal_quantile, student_t_quantile};
use crate::stats::{Interval, is_precise, wilson};

/// Below so many finished replications a ratio over them is further from normal than its interval says.
const FINISHED_MIN: u64 = 100;
/// A mean of samples with skewness g is taken for normal from so many times g² samples on.
///
/// Cochran (Sampling Techniques, section 2.15) asks for 25 where g is known. It is not: samples without their rarest,
/// dearest values look less skewed and less spread than they are, and end early. With 100 intervals of 95 % hold a
/// lognormal mean of sigma 1.5 in 92.4 % of runs, with 400 in 94.3 % (docs/until-coverage.txt).
const PER_SQUARED_SKEWNESS: f64 = 400.0;

/// What one cluster says to the rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Standing {
    /// It never has such a result, so the rule does not concern it.
    NotHere,
    /// There is no value yet, or from too few finished replications, or too skewed ones, to trust its interval.
    TooFew,
    /// A value with its interval at the rule's confidence.
    Known(Interval),
}

impl Until {
    /// Whether every cluster that the rule concerns is known well enough. None is not enough.
    pub fn is_met(&self, results: &[ClusterResult]) -> bool {
        let mut standings = self.standings(results).map(|(_, standing)| standing).peekable();
        standings.peek().is_some()
            && standings.all(|standing| match standing {
                Standing::Known(interval) => is_precise(&interval, self.relative, self.absolute),
                _ => false,
            })
    }

    /// Each cluster that the rule concerns, and how well its result is known.
    pub fn standings<'r>(
        &'r self,
        results: &'r [ClusterResult],
    ) -> impl Iterator<Item = (&'r ClusterResult, Standing)> + 'r {
        let asked = |result: &&ClusterResult| {
            result.status == Status::Simulated
                && self.cluster.as_ref().is_none_or(|name| *name == result.name)
        };
        let standing = |result| (result, standing(result, &self.result, self.confidence));
        results.iter().filter(asked).map(standing).filter(|(_, standing)| *standing != Standing::NotHere)
    }
}

/// What ended a run with a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoppedBy {
    /// The rule was met.
    Precision,
    /// The most replications that were allowed.
    Cap,
}

/// How a run with a rule ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Stopped {
    /// Why.
    pub by: StoppedBy,
    /// Replications of each cluster.
    pub replications: u64,
    /// The cluster that is farthest from what was asked, with its interval at the rule's confidence; `None`
    /// where a cluster has no value, or from too few finished replications.
    pub farthest: Option<(String, Interval)>,
}

impl Stopped {
    /// Half the width of the farthest interval as a share of its value; `None` of 0.
    pub fn relative(&self) -> Option<f64> {
        let (_, interval) = self.farthest.as_ref()?;
        (interval.value != 0.0).then(|| interval.half_width() / interval.value.abs())
    }

    /// About so many replications would halve that width, which falls with their root.
    pub fn for_half(&self) -> Option<u64> {
        self.farthest.as_ref().map(|_| self.replications.saturating_mul(4))
    }
}

impl Scenario {
    /// How its run ended, if it has a rule and was not interrupted.
    pub fn stopped(&self, results: &[ClusterResult]) -> Option<Stopped> {
        let until = self.until.as_ref()?;
        let replications = replications(results);
        let by = match until.is_met(results) {
            true => StoppedBy::Precision,
            false if replications >= self.replications => StoppedBy::Cap,
            false => return None,
        };
        Some(Stopped { by, replications, farthest: until.farthest(results) })
    }

    /// Whether a run was not interrupted.
    pub fn is_complete(&self, results: &[ClusterResult]) -> bool {
        replications(results) >= self.replications || self.stopped(results).is_some()
    }
}

/// Replications that every simulated cluster has.
fn replications(results: &[ClusterResult]) -> u64 {
    results.iter().map(|result| result.replications).max().unwrap_or(0)
}

impl Until {
    fn farthest(&self, results: &[ClusterResult]) -> Option<(String, Interval)> {
        let mut farthest: Option<(f64, String, Interval)> = None;
        for (result, standing) in self.standings(results) {
            let Standing::Known(interval) = standing else { return None };
            let excess = self.excess(&interval);
            if farthest.as_ref().is_none_or(|(most, ..)| excess > *most) {
                farthest = Some((excess, result.name.clone(), interval));
            }
        }
        farthest.map(|(_, name, interval)| (name, interval))
    }

    /// How many times wider an interval is than was asked, by the easier of both bounds.
    fn excess(&self, interval: &Interval) -> f64 {
        let half = interval.half_width();
        let against = |bound: f64| if half == 0.0 { 0.0 } else { half / bound };
        let share = self.relative.map(|share| against(share * interval.value.abs()));
        let width = self.absolute.map(against);
        share.into_iter().chain(width).fold(f64::INFINITY, f64::min)
    }
}

fn standing(result: &ClusterResult, name: &str, confidence: f64) -> Standing {
    let of_finished = matches!(
        name,
        "makespan_h_mean"
            | "cost_per_finished_usd"
            | "cost_usd_per_msample"
            | "savings_vs_on_demand"
            | "savings_vs_baseline"
            | "saved_usd"
            | "longer_h"
    );
    let against = matches!(name, "savings_vs_baseline" | "saved_usd" | "cheaper_probability" | "longer_h");
    if against && result.cheaper_probability.is_none() {
        return Standing::NotHere;
    }
    if of_finished && result.finished < FINISHED_MIN {
        return Standing::TooFew;
    }
    if is_too_skewed(result, name, of_finished) {
        return Standing::TooFew;
    }
    match interval(result, name, confidence) {
        Some(interval) => Standing::Known(interval),
        // The baseline may have finished too rarely, where the cluster itself did not.
        None if against => Standing::TooFew,
        None => Standing::NotHere,
    }
}

/// Whether what a result is a mean of is too skewed for its interval. Shares have intervals of their own kind, and
/// shares of time are bounded.
fn is_too_skewed(result: &ClusterResult, name: &str, of_finished: bool) -> bool {
    let [cost, makespan] = result.skewness;
    let (skewness, samples) = match name {
        "makespan_h_mean" | "longer_h" => (makespan, result.finished),
        "cost_usd_mean" => (cost, result.replications),
        _ if of_finished => (cost, result.replications),
        _ => (None, result.replications),
    };
    skewness.is_some_and(|skewness| (samples as f64) < PER_SQUARED_SKEWNESS * skewness * skewness)
}

/// A result with its interval at another confidence than the printed one.
fn interval(result: &ClusterResult, name: &str, confidence: f64) -> Option<Interval> {
    let n = result.replications;
    // A share is exactly the quotient of two whole numbers.
    let share = |share: Option<Interval>| wilson((share?.value * n as f64).round() as u64, n, confidence);
    let mean = |estimate: &super::Estimate| estimate.interval;
    let (printed, samples) = match name {
        "finish_probability" => return share(result.finish_probability),
        "deadline_probability" => return share(result.deadline_probability),
        "cheaper_probability" => return share(result.cheaper_probability),
        "makespan_h_mean" => (mean(&result.makespan_h), result.finished),
        "cost_usd_mean" => (mean(&result.cost_usd), n),
        "cost_per_finished_usd" => (result.cost_per_finished_usd, n),
        "cost_usd_per_msample" => (result.cost_usd_per_msample, n),
        "savings_vs_on_demand" => (result.savings_vs_on_demand, n),
        "savings_vs_baseline" => (result.savings_vs_baseline, n),
        "saved_usd" => (result.saved_usd, n),
        "longer_h" => (result.longer_h, result.finished),
        "preemptions_mean" => (mean(&result.preemptions), n),
        "failures_mean" => (mean(&result.failures), n),
        "nodes_lost_mean" => (mean(&result.nodes_lost), n),
        "attempts_mean" => (mean(&result.attempts), n),
        "restarts_mean" => (mean(&result.restarts), n),
        "goodput" => (result.goodput, n),
        "ettr" => (result.ettr, n),
        _ => (None, n),
    };
    let printed = printed?;
    let factor = student(confidence, samples) / student(CONFIDENCE, samples);
    // A half-width is scaled, not an end: where the printed confidence is asked for, nothing moves.
    if confidence == CONFIDENCE {
        return Some(printed);
    }
    Some(Interval::around(printed.value, printed.half_width() * factor))
}

fn student(confidence: f64, samples: u64) -> f64 {
    match samples {
        0 | 1 => normal_quantile(0.5 + 0.5 * confidence),
        samples => student_t_quantile(0.5 + 0.5 * confidence, (samples - 1) as f64),
    }
}
