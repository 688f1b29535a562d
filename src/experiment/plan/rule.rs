//! When a candidate is surely on time, surely late or surely dearer: how the chance of an error is spent.

use super::worlds::{Sample, costs, differences, on_time};
use crate::scenario::terms::Terms;
use crate::stats::special::{beta_regularized, student_t_upper};
use crate::stats::{Moments, clopper_pearson};

/// Replications of each candidate in the first round; enough that means of skewed bills are near normal.
const FIRST: u64 = 512;
/// Each round makes so many times as many as there were.
const GROWTH: f64 = 1.5;

/// What is tested, with which chance of an error in each test.
///
/// A wrong choice needs a wrong answer about the true best candidate, b: that it misses the deadline, or
/// that another one that meets it is cheaper by more than the truth; or about another one: that it meets
/// the deadline and does not. So half of the chance of an error goes to the deadline, split over the
/// `candidates`, and half to the bills, split over the `candidates` - 1 comparisons with b; each is split
/// again over the `rounds` in which we look (Bonferroni: whatever depends on whatever).
///
/// Shares are bounded by Clopper and Pearson's interval, which holds for any number of replications. Paired
/// differences of bills are bounded by Student's, which is near for the 512 of the first round and more.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    terms: Terms,
    candidates: usize,
    rounds: u32,
}

impl Rule {
    /// For a choice among so many.
    pub fn new(terms: Terms, candidates: usize) -> Self {
        let mut rule = Self { terms, candidates: candidates.max(1), rounds: 1 };
        while rule.replications(rule.rounds) < terms.replications_max {
            rule.rounds += 1;
        }
        rule
    }

    /// What is asked for.
    pub const fn terms(&self) -> &Terms {
        &self.terms
    }

    /// Rounds that there are at most.
    pub const fn rounds(&self) -> u32 {
        self.rounds
    }

    /// Replications of a candidate after so many rounds.
    pub fn replications(&self, rounds: u32) -> u64 {
        let all = (1..rounds).fold(FIRST as f64, |all, _| (all * GROWTH).ceil());
        (all as u64).min(self.terms.replications_max)
    }

    /// Splits the chance of an error about the deadline.
    fn deadline_tests(&self) -> f64 {
        2.0 * self.candidates as f64 * f64::from(self.rounds)
    }

    /// Splits the chance of an error about bills.
    fn cost_tests(&self) -> f64 {
        2.0 * (self.candidates - 1).max(1) as f64 * f64::from(self.rounds)
    }

    /// Confidence of a two-sided interval whose one side errs with the chance of one of `tests`.
    fn confidence(&self, tests: f64) -> f64 {
        1.0 - 2.0 * (1.0 - self.terms.confidence) / tests
    }

    /// Whether a candidate surely meets the deadline as often as it must, or surely does not; `None`: open.
    pub fn meets(&self, samples: &[Sample]) -> Option<bool> {
        let n = samples.len() as u64;
        let share = clopper_pearson(on_time(samples), n, self.confidence(self.deadline_tests()))?;
        match self.terms.probability {
            p if share.low >= p => Some(true),
            p if share.high < p => Some(false),
            _ => None,
        }
    }

    /// What a candidate costs more than the incumbent at least, micro-dollars.
    pub fn dearer_by(&self, samples: &[Sample], incumbent: &[Sample]) -> f64 {
        let difference = differences(samples, incumbent);
        let interval = difference.mean_interval(self.confidence(self.cost_tests()));
        interval.map_or(f64::NEG_INFINITY, |interval| interval.low)
    }

    /// A difference that does not matter beside the bill of the incumbent, micro-dollars.
    pub fn indifference(&self, incumbent: &[Sample]) -> f64 {
        self.terms.indifference * costs(incumbent).mean().unwrap_or(0.0)
    }

    /// With which confidence the incumbent could be called the best among `others`, by the data of this
    /// round, as if no more rounds were to come; 0 where nothing can be said.
    pub fn reached(&self, incumbent: &[Sample], others: &[&[Sample]]) -> f64 {
        let late = self.deadline_tests() * self.chance_if_late(incumbent);
        let indifference = self.indifference(incumbent);
        let dearer = others.iter().map(|other| {
            let cheaper = chance_above(&differences(other, incumbent), -indifference);
            (self.cost_tests() * cheaper).min(self.deadline_tests() * self.chance_if_on_time(other))
        });
        (1.0 - dearer.fold(late, f64::max)).max(0.0)
    }

    /// With which confidence all of `others` can be called late too often.
    pub fn reached_late(&self, others: &[&[Sample]]) -> f64 {
        let chances = others.iter().map(|other| self.deadline_tests() * self.chance_if_on_time(other));
        (1.0 - chances.fold(0.0, f64::max)).max(0.0)
    }

    /// Chance of so many on time or more, of a candidate that is on time a little too rarely.
    fn chance_if_late(&self, samples: &[Sample]) -> f64 {
        let (k, n) = (on_time(samples), samples.len() as u64);
        if k == 0 { 1.0 } else { beta_regularized(k as f64, (n - k) as f64 + 1.0, self.terms.probability) }
    }

    /// Chance of so many on time or fewer, of a candidate that is on time just often enough.
    fn chance_if_on_time(&self, samples: &[Sample]) -> f64 {
        let (k, n) = (on_time(samples), samples.len() as u64);
        let p = self.terms.probability;
        if k == n { 1.0 } else { beta_regularized((n - k) as f64, k as f64 + 1.0, 1.0 - p) }
    }
}

/// Chance of a mean as high as this, of samples whose true mean is `bound`.
fn chance_above(samples: &Moments, bound: f64) -> f64 {
    let (Some(mean), Some(sd)) = (samples.mean(), samples.sd()) else { return 1.0 };
    let n = samples.count() as f64;
    match (mean - bound) / (sd / n.sqrt()) {
        t if t.is_nan() => 1.0,
        t if t.is_infinite() => f64::from(u8::from(t < 0.0)),
        t => student_t_upper(t, n - 1.0),
    }
}
