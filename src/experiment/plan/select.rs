//! The search: all candidates that may still be the best get the next replications, until one is.
//!
//! Candidates are dropped and not merely sampled less. Rules that give each candidate as many replications
//! as its variance and distance ask for (OCBA: C.-H. Chen and L. Lee, Stochastic Simulation Optimization,
//! chapter 3) leave candidates with different replications, and lose what the same worlds give: in
//! pairs, most of the variance of a bill cancels. A sequential rule that drops what is surely dearer keeps
//! every pair (S.-H. Kim and B. Nelson (2001), ACM TOMACS 11, 251-273).

use super::rule::Rule;
use super::worlds::{Sample, Worlds, costs, on_time};

/// What became of a candidate in the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It got all replications.
    Kept,
    /// It is surely dearer than one that surely meets the deadline.
    Dearer,
    /// It surely misses the deadline too often.
    Misses,
}

/// The end of a search.
#[derive(Debug, Clone)]
pub struct Search {
    /// Replications of each candidate, all from 0 on.
    pub samples: Vec<Vec<Sample>>,
    /// What became of each.
    pub fates: Vec<Fate>,
    /// Whether each was once sure to meet the deadline often enough; it is not asked again.
    pub(super) meets: Vec<bool>,
    /// The choice, if one meets the deadline.
    pub best: Option<usize>,
    /// Whether the choice, or that there is none, is as sure as it was asked for.
    pub sure: bool,
    /// Confidence that was reached; that which was asked for where it is sure.
    pub reached: f64,
    /// Rounds that were begun.
    pub rounds: u32,
    /// Whether it was stopped from outside.
    pub stopped: bool,
}

/// Searches among `count` candidates; `seen` is told the kept candidates and their replications after each
/// round.
pub fn select(worlds: &dyn Worlds, count: usize, rule: &Rule, seen: &mut dyn FnMut(usize, u64)) -> Search {
    let mut search = Search {
        samples: vec![Vec::new(); count],
        fates: vec![Fate::Kept; count],
        meets: vec![false; count],
        best: None,
        sure: false,
        reached: 0.0,
        rounds: 0,
        stopped: false,
    };
    let mut done = 0;
    while !search.sure && !search.stopped && search.rounds < rule.rounds() {
        search.rounds += 1;
        let wanted = rule.replications(search.rounds);
        let kept = search.kept();
        for (&index, more) in kept.iter().zip(worlds.draw(&kept, done..wanted)) {
            search.samples[index].extend(more);
        }
        search.stopped = kept.iter().any(|&index| (search.samples[index].len() as u64) < wanted);
        done = wanted;
        search.look(rule);
        seen(search.kept().len(), done);
    }
    search.reached = if search.sure { rule.terms().confidence } else { search.reached_by(rule) };
    search
}

impl Search {
    /// Candidates that may still be the best.
    pub fn kept(&self) -> Vec<usize> {
        (0..self.fates.len()).filter(|&index| self.fates[index] == Fate::Kept).collect()
    }

    /// Looks at the samples after a round: drops what is decided, and says whether all is.
    fn look(&mut self, rule: &Rule) {
        for index in self.kept() {
            if self.meets[index] {
                continue;
            }
            match rule.meets(&self.samples[index]) {
                Some(true) => self.meets[index] = true,
                Some(false) => self.fates[index] = Fate::Misses,
                None => {}
            }
        }
        let Some(incumbent) = self.cheapest(|index| self.meets[index]) else {
            self.best = self.likely(rule.terms().probability);
            self.sure = self.kept().is_empty();
            return;
        };
        let indifference = rule.indifference(&self.samples[incumbent]);
        self.sure = true;
        for index in self.kept().into_iter().filter(|&index| index != incumbent) {
            let least = rule.dearer_by(&self.samples[index], &self.samples[incumbent]);
            if least > 0.0 {
                self.fates[index] = Fate::Dearer;
            }
            self.sure &= least > 0.0 || least >= -indifference;
        }
        self.best = if self.sure { Some(incumbent) } else { self.likely(rule.terms().probability) };
    }

    /// The cheapest of those kept for which `holds`.
    fn cheapest(&self, holds: impl Fn(usize) -> bool) -> Option<usize> {
        let mean = |index: &usize| costs(&self.samples[*index]).mean().unwrap_or(f64::INFINITY);
        let among = self.kept().into_iter().filter(|&index| holds(index));
        among.min_by(|a, b| mean(a).total_cmp(&mean(b)))
    }

    /// The cheapest that meets the deadline, or seems to.
    fn likely(&self, probability: f64) -> Option<usize> {
        self.cheapest(|index| {
            self.meets[index] || self.share(index).is_some_and(|share| share >= probability)
        })
    }

    /// Share of replications on time.
    pub fn share(&self, index: usize) -> Option<f64> {
        let n = self.samples[index].len();
        (n > 0).then(|| on_time(&self.samples[index]) as f64 / n as f64)
    }

    fn reached_by(&self, rule: &Rule) -> f64 {
        let others: Vec<&[Sample]> = self
            .kept()
            .into_iter()
            .filter(|&index| Some(index) != self.best)
            .map(|index| self.samples[index].as_slice())
            .collect();
        match self.best {
            Some(best) => rule.reached(&self.samples[best], &others),
            None => rule.reached_late(&others),
        }
    }
}
