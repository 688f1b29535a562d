//! What more certainty costs: the cheapest candidate for each probability of meeting the deadline.

use super::Found;
use crate::experiment::CONFIDENCE;
use crate::stats::{Interval, wilson};

/// Probabilities that are asked about.
pub const LEVELS: [f64; 6] = [0.5, 0.8, 0.9, 0.95, 0.99, 0.999];

/// The answer for one probability.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// The probability.
    pub probability: f64,
    /// The cheapest candidate whose share on time is at least that; `None` if none's is.
    pub candidate: Option<usize>,
    /// Its mean bill, dollars.
    pub cost_usd: f64,
    /// Its share on time, with its 95 % interval.
    pub share: Option<Interval>,
    /// Replications that the share comes from.
    pub replications: u64,
}

impl Level {
    /// Whether the whole interval of the share is at or above the probability.
    pub fn is_sure(&self) -> bool {
        self.share.is_some_and(|share| share.low >= self.probability)
    }

    pub(super) fn placed(self, place: &impl Fn(usize) -> usize) -> Self {
        Self { candidate: self.candidate.map(place), ..self }
    }
}

/// All levels, from the samples that there are: what was dropped early is known less well.
pub(super) fn levels(found: &Found<'_>) -> Vec<Level> {
    let level = |probability: f64| {
        let candidate = found.cheapest(|index| found.reaches(index, probability));
        let samples = candidate.map_or(&[][..], |index| found.samples(index));
        let n = samples.len() as u64;
        Level {
            probability,
            candidate,
            cost_usd: candidate.map_or(f64::NAN, |index| found.cost_usd(index)),
            share: wilson(super::on_time(samples), n, CONFIDENCE),
            replications: n,
        }
    };
    LEVELS.map(level).to_vec()
}
