//! Which candidate to launch: the cheapest that meets its deadline often enough, and what speaks for it.

mod certainty;
mod flip;
mod rule;
mod select;
#[cfg(test)]
mod tests;
mod worlds;

pub use certainty::{LEVELS, Level};
pub use flip::{PriceFlip, RateFlip, RateFlips};
pub use rule::Rule;
pub use select::{Fate, Search, select};
pub use worlds::{Sample, Simulations, Worlds};

use self::worlds::{costs, differences, on_time};
use super::CONFIDENCE;
use crate::rng::Streams;
use crate::scenario::cluster::Cluster;
use crate::scenario::load::Scenario;
use crate::stats::{Interval, Moments, PairMoments, wilson};
use rayon::ThreadPool;
use std::sync::atomic::AtomicBool;

/// Micro-dollars of a dollar.
const UUSD: f64 = 1e6;

/// What came of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is the choice.
    Best,
    /// It is not surely dearer than the choice by more than the indifference, nor surely cheaper.
    Tie,
    /// Whether it is better than the choice could not be told.
    Open,
    /// It is surely dearer.
    Dearer,
    /// It misses the deadline too often.
    Misses,
    /// It cannot meet the deadline even without an interruption, and was not simulated.
    Impossible,
}

/// A candidate with its figures.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// What came of it.
    pub verdict: Verdict,
    /// Replications that were spent on it.
    pub replications: u64,
    /// Share of them on time, with its 95 % interval.
    pub deadline_probability: Option<Interval>,
    /// Mean bill of all of them, dollars, with its 95 % interval.
    pub cost_usd: Option<Interval>,
    /// What it costs more than the choice in the same worlds, dollars, with its 95 % interval.
    pub more_usd: Option<Interval>,
}

/// What [`choose`] found.
#[derive(Debug, Clone)]
pub struct Chosen {
    /// One a cluster, in the order of the scenario.
    pub candidates: Vec<Judged>,
    /// The choice, by its place; `None` if no candidate meets the deadline often enough.
    pub best: Option<usize>,
    /// Whether the answer is as sure as it was asked for.
    pub sure: bool,
    /// The confidence that was reached.
    pub reached: f64,
    /// The cheapest of the others that meet the deadline often enough.
    pub runner_up: Option<usize>,
    /// The candidate that is on time most often.
    pub most_reliable: Option<usize>,
    /// What more certainty costs, for each of [`LEVELS`].
    pub levels: Vec<Level>,
    /// Spot prices from which another candidate is the cheapest: lower ones, and higher ones.
    pub price_flips: Vec<PriceFlip>,
    /// Rates of interruption from which another candidate is the cheapest.
    pub rate_flips: Option<RateFlips>,
    /// Replications of those that were kept to the end.
    pub replications: u64,
    /// Replications of all together, without those of the flips.
    pub spent: u64,
    /// Rounds of the search, and at most.
    pub rounds: (u32, u32),
    /// Whether it was stopped from outside.
    pub stopped: bool,
}

/// Chooses among the clusters of `scenario`, each of which has a deadline. `seen` is told the candidates that
/// are kept and their replications after each round.
pub fn choose(
    scenario: &Scenario,
    pool: &ThreadPool,
    stop: &AtomicBool,
    seen: &mut dyn FnMut(usize, u64),
) -> Chosen {
    let possible: Vec<usize> =
        (0..scenario.clusters.len()).filter(|&index| can_meet(&scenario.clusters[index])).collect();
    let plans = possible.iter().map(|&index| &scenario.clusters[index].plan).collect();
    let worlds = Simulations { plans, streams: Streams::new(scenario.seed), pool, stop };
    let rule = Rule::new(scenario.terms, possible.len());
    let search = select(&worlds, possible.len(), &rule, seen);
    let place = |index: usize| possible[index];
    let found = Found::new(&search, scenario.terms.probability);
    let mut candidates = vec![Judged::impossible(); scenario.clusters.len()];
    for (index, &place) in possible.iter().enumerate() {
        candidates[place] = found.judged(index);
    }
    let rate_flips = found
        .best
        .filter(|_| !search.stopped)
        .map(|best| flip::by_rate(&worlds, &search, best, &scenario.terms).placed(&place));
    Chosen {
        candidates,
        best: found.best.map(place),
        sure: search.sure,
        reached: search.reached,
        runner_up: found.runner_up().map(place),
        most_reliable: found.most_reliable().map(place),
        levels: certainty::levels(&found).into_iter().map(|level| level.placed(&place)).collect(),
        price_flips: match worlds.plans.iter().any(|plan| plan.max_price.is_some()) {
            // A maximum price is a decision that looks at the price.
            true => Vec::new(),
            false => flip::by_price(&found).into_iter().map(|flip| flip.placed(&place)).collect(),
        },
        rate_flips,
        replications: search.samples.iter().map(Vec::len).max().unwrap_or(0) as u64,
        spent: search.samples.iter().map(Vec::len).sum::<usize>() as u64,
        rounds: (search.rounds, rule.rounds()),
        stopped: search.stopped,
    }
}

/// Whether the work can be done by the deadline where nothing gets in its way.
fn can_meet(cluster: &Cluster) -> bool {
    cluster.plan.deadline.is_some_and(|deadline| cluster.ideal.least <= deadline)
}

/// A search that has ended, and what it asked for.
struct Found<'a> {
    search: &'a Search,
    probability: f64,
    best: Option<usize>,
}

impl<'a> Found<'a> {
    fn new(search: &'a Search, probability: f64) -> Self {
        Self { search, probability, best: search.best }
    }

    fn samples(&self, index: usize) -> &'a [Sample] {
        &self.search.samples[index]
    }

    /// Those with samples.
    fn all(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.search.samples.len()).filter(|&index| !self.samples(index).is_empty())
    }

    /// What a candidate costs more than the choice, micro-dollars in the mean.
    fn more(&self, index: usize) -> Moments {
        self.best.map_or_else(Moments::default, |best| differences(self.samples(index), self.samples(best)))
    }

    /// Mean bill, dollars. One that was dropped early met fewer worlds than the choice: how much dearer or cheaper
    /// than all of them these were is told by the choice's own bills, and taken out as far as the two go
    /// together (a control variate: Law, Simulation Modeling and Analysis, section 11.4).
    fn cost_usd(&self, index: usize) -> f64 {
        let own = costs(self.samples(index)).mean().unwrap_or(f64::INFINITY);
        let luck = self.best.and_then(|best| {
            let mut pairs = PairMoments::default();
            let both = self.samples(index).iter().zip(self.samples(best));
            both.for_each(|(own, best)| pairs.push(own.cost_uusd, best.cost_uusd));
            let together = pairs.covariance()? / pairs.y().variance().filter(|variance| *variance > 0.0)?;
            Some(together * (costs(self.samples(best)).mean()? - pairs.y().mean()?))
        });
        (own + luck.unwrap_or(0.0)) / UUSD
    }

    /// The cheapest of those for which `holds`.
    fn cheapest(&self, holds: impl Fn(usize) -> bool) -> Option<usize> {
        self.all()
            .filter(|&index| holds(index))
            .min_by(|&a, &b| self.cost_usd(a).total_cmp(&self.cost_usd(b)))
    }

    fn reaches(&self, index: usize, probability: f64) -> bool {
        self.search.share(index).is_some_and(|share| share >= probability)
    }

    /// Whether it was found to be as good as the choice.
    fn is_tie(&self, index: usize) -> bool {
        self.search.sure && self.search.fates[index] == Fate::Kept && self.best != Some(index)
    }

    fn runner_up(&self) -> Option<usize> {
        let best = self.best?;
        self.cheapest(|index| index != best && self.reaches(index, self.probability))
    }

    /// Of equal shares the cheapest.
    fn most_reliable(&self) -> Option<usize> {
        let share = |index: usize| self.search.share(index).unwrap_or(0.0);
        let most = self.all().map(share).fold(0.0, f64::max);
        self.cheapest(|index| share(index) >= most)
    }

    fn judged(&self, index: usize) -> Judged {
        let samples = self.samples(index);
        let n = samples.len() as u64;
        let verdict = match self.search.fates[index] {
            _ if self.best == Some(index) => Verdict::Best,
            Fate::Dearer => Verdict::Dearer,
            Fate::Misses => Verdict::Misses,
            Fate::Kept if self.search.sure => Verdict::Tie,
            Fate::Kept => Verdict::Open,
        };
        Judged {
            verdict,
            replications: n,
            deadline_probability: wilson(on_time(samples), n, CONFIDENCE),
            cost_usd: dollars(&costs(samples)),
            more_usd: self.best.filter(|&best| best != index).and_then(|_| dollars(&self.more(index))),
        }
    }
}

impl Judged {
    fn impossible() -> Self {
        let none = None;
        Self {
            verdict: Verdict::Impossible,
            replications: 0,
            deadline_probability: none,
            cost_usd: none,
            more_usd: none,
        }
    }
}

/// Mean of micro-dollars in dollars, with its interval.
fn dollars(of: &Moments) -> Option<Interval> {
    let mean = of.mean()? / UUSD;
    Some(
        of.mean_interval(CONFIDENCE).map_or(Interval::around(mean, 0.0), |interval| {
            Interval::around(mean, interval.half_width() / UUSD)
        }),
    )
}
