//! Where the answer flips: at which Spot price and at which rate of interruption another candidate wins.

use super::worlds::{Simulations, Worlds, costs, on_time};
use super::{Found, Sample, Search};
use crate::experiment::CONFIDENCE;
use crate::experiment::interrupted::interrupted;
use crate::scenario::plan::Plan;
use crate::scenario::terms::Terms;
use crate::stats::{Interval, PairMoments};

/// A Spot price from which a dearer candidate is the cheapest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PriceFlip {
    /// So many times the present prices of all candidates, with its 95 % interval if there is one.
    pub factor: Interval,
    /// Who is the cheapest then.
    pub candidate: usize,
}

/// A rate of interruption from which another candidate is the cheapest that meets the deadline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RateFlip {
    /// So many times the present rate.
    pub factor: f64,
    /// Who is the choice then; `None`: nobody meets the deadline.
    pub candidate: Option<usize>,
}

/// What other rates of interruption do to the choice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RateFlips {
    /// The nearest fewer and more interruptions at which the choice changes, if there are any from 1/16 to 16
    /// times as many.
    Found {
        /// Fewer.
        fewer: Option<RateFlip>,
        /// More.
        more: Option<RateFlip>,
    },
    /// A candidate's losses do not come at a rate, and why.
    Undefined(usize, &'static str),
    /// In the fewer replications of this search another candidate is as good at the present rate.
    Tied,
    /// It was stopped.
    Stopped,
}

/// Rates are looked at up to so many times the present one, and down to its inverse.
const RATE_MAX: f64 = 16.0;
/// Halvings of the logarithm of a factor: to about 2 %.
const HALVINGS: u32 = 7;
/// Replications at each rate.
const REPLICATIONS: usize = 2_000;
/// Candidates that are looked at: the cheapest. Others are too far away to win.
const RIVALS: usize = 8;

impl PriceFlip {
    pub(super) fn placed(self, place: &impl Fn(usize) -> usize) -> Self {
        Self { candidate: place(self.candidate), ..self }
    }
}

impl RateFlips {
    pub(super) fn placed(self, place: &impl Fn(usize) -> usize) -> Self {
        let flip = |flip: RateFlip| RateFlip { candidate: flip.candidate.map(place), ..flip };
        match self {
            Self::Found { fewer, more } => Self::Found { fewer: fewer.map(flip), more: more.map(flip) },
            Self::Undefined(candidate, why) => Self::Undefined(place(candidate), why),
            other => other,
        }
    }
}

/// The nearest lower and the nearest higher Spot price at which another candidate that meets the deadline is as
/// cheap as the choice.
///
/// As long as no decision looks at the price, a bill is f × (Spot stays) + (all else) at f times the present
/// Spot price, in the very same replications. So two candidates cost the same at f = Σ(difference of all
/// else)/Σ(difference of Spot stays): a ratio of sums, with the interval of one.
pub(super) fn by_price(found: &Found<'_>) -> Vec<PriceFlip> {
    let Some(best) = found.best else { return Vec::new() };
    let rivals = found
        .all()
        .filter(|&index| index != best && !found.is_tie(index) && found.reaches(index, found.probability));
    let flips: Vec<PriceFlip> = rivals
        .filter_map(|candidate| {
            let factor = equal_at(found.samples(best), found.samples(candidate))?;
            (factor.value > 0.0).then_some(PriceFlip { factor, candidate })
        })
        .collect();
    let value = |flip: &&PriceFlip| flip.factor.value;
    let nearer = |a: &&PriceFlip, b: &&PriceFlip| a.factor.value.total_cmp(&b.factor.value);
    let lower = flips.iter().filter(|flip| value(flip) < 1.0).max_by(nearer);
    let higher = flips.iter().filter(|flip| value(flip) >= 1.0).min_by(nearer);
    lower.into_iter().chain(higher).copied().collect()
}

/// The factor on Spot prices at which both cost the same.
fn equal_at(best: &[Sample], rival: &[Sample]) -> Option<Interval> {
    let mut sums = PairMoments::default();
    for (best, rival) in best.iter().zip(rival) {
        let else_uusd = |sample: &Sample| sample.cost_uusd - sample.spot_uusd;
        sums.push(else_uusd(rival) - else_uusd(best), best.spot_uusd - rival.spot_uusd);
    }
    let ratio = sums.ratio()?;
    Some(sums.ratio_interval(CONFIDENCE).unwrap_or(Interval::around(ratio, 0.0)))
}

/// The nearest rates of interruption at which `best` misses the deadline, or another candidate is cheaper by more
/// than what does not matter, by simulating the cheapest candidates
/// anew in the same worlds with shorter and longer uptimes. Policies and intervals between saves stay.
pub(super) fn by_rate(worlds: &Simulations<'_>, search: &Search, best: usize, terms: &Terms) -> RateFlips {
    let found = Found::new(search, terms.probability);
    let mut rivals: Vec<usize> = found.all().collect();
    rivals.sort_by(|&a, &b| found.cost_usd(a).total_cmp(&found.cost_usd(b)));
    let near = rivals.iter().position(|&index| index == best).unwrap_or(0).max(RIVALS - 1);
    rivals.truncate(near + 1);
    // One that is never interrupted is what more interruptions lead to.
    let steady = found.cheapest(|index| !rivals.contains(&index) && has_no_spot(found.samples(index)));
    rivals.extend(steady);
    for &index in &rivals {
        if let Err(why) = interrupted(worlds.plans[index], 1.0) {
            return RateFlips::Undefined(index, why);
        }
    }
    let n = search.samples[best].len().min(REPLICATIONS);
    let winner = |factor: f64| {
        let costs = at_rate(worlds, &rivals, factor, n, terms.probability)?;
        Some(winner(&rivals, &costs, best, terms.indifference))
    };
    match winner(1.0) {
        None => return RateFlips::Stopped,
        Some(first) if first != Some(best) => return RateFlips::Tied,
        Some(_) => {}
    }
    let mut flips = [1.0 / RATE_MAX, RATE_MAX].map(|far| {
        let mut candidate = winner(far)?;
        if candidate == Some(best) {
            return Some(None);
        }
        let (mut near, mut far) = (0.0, libm::log(far));
        for _ in 0..HALVINGS {
            let middle = 0.5 * (near + far);
            match winner(libm::exp(middle))? {
                at if at == Some(best) => near = middle,
                at => (far, candidate) = (middle, at),
            }
        }
        Some(Some(RateFlip { factor: libm::exp(0.5 * (near + far)), candidate }))
    });
    match (flips[0].take(), flips[1].take()) {
        (Some(fewer), Some(more)) => RateFlips::Found { fewer, more },
        _ => RateFlips::Stopped,
    }
}

fn has_no_spot(samples: &[Sample]) -> bool {
    samples.iter().all(|sample| sample.spot_uusd == 0)
}

/// Mean bills of those `rivals` that meet the deadline often enough at `factor` times the present rate of
/// interruption, infinite of the others; `None` where it was stopped.
fn at_rate(
    worlds: &Simulations<'_>,
    rivals: &[usize],
    factor: f64,
    n: usize,
    probability: f64,
) -> Option<Vec<f64>> {
    let plans: Vec<Option<Plan>> =
        rivals.iter().map(|&index| interrupted(worlds.plans[index], factor).ok()).collect();
    // Who cannot be interrupted that often is always interrupted.
    let possible: Vec<usize> = (0..rivals.len()).filter(|&index| plans[index].is_some()).collect();
    let changed = Simulations { plans: plans.iter().flatten().collect(), ..*worlds };
    let drawn: Vec<usize> = (0..possible.len()).collect();
    let samples = changed.draw(&drawn, 0..n as u64);
    let mut bills = vec![f64::INFINITY; rivals.len()];
    for (&index, samples) in possible.iter().zip(&samples) {
        if samples.len() < n {
            return None;
        }
        if on_time(samples) as f64 >= probability * n as f64 {
            bills[index] = costs(samples).mean().unwrap_or(f64::INFINITY);
        }
    }
    Some(bills)
}

/// Who is the choice with these bills: `best`, unless it misses the deadline or another one is cheaper by more
/// than the share `indifference`.
fn winner(rivals: &[usize], bills: &[f64], best: usize, indifference: f64) -> Option<usize> {
    let cheapest = (0..rivals.len()).min_by(|&a, &b| bills[a].total_cmp(&bills[b]))?;
    let own = rivals.iter().position(|&index| index == best).map_or(f64::INFINITY, |at| bills[at]);
    match bills[cheapest] {
        bill if bill.is_infinite() => None,
        bill if bill >= own * (1.0 - indifference) => Some(best),
        _ => Some(rivals[cheapest]),
    }
}
