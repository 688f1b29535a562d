//! Replications of candidates in the same worlds.

use crate::rng::Streams;
use crate::scenario::plan::Plan;
use crate::sim::{Scratch, simulate};
use crate::stats::Moments;
use rayon::ThreadPool;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// Replications that one worker takes at a time.
const CHUNK: u64 = 64;
const NUSD_PER_UUSD: i64 = 1_000;

/// What a choice needs of one replication of one candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// The bill, micro-dollars.
    pub cost_uusd: i64,
    /// Its Spot stays, micro-dollars.
    pub spot_uusd: i64,
    /// Whether the work was done by the deadline.
    pub on_time: bool,
}

/// Something of which candidates can be sampled: replication i is the same world for all of them.
pub trait Worlds {
    /// The replications `range` of each of `candidates`, in order. Where it was stopped, fewer, but of each
    /// as many.
    fn draw(&self, candidates: &[usize], range: Range<u64>) -> Vec<Vec<Sample>>;
}

/// Plans that are simulated.
pub struct Simulations<'a> {
    /// One a candidate.
    pub plans: Vec<&'a Plan>,
    /// All chance.
    pub streams: Streams,
    /// Who does the work.
    pub pool: &'a ThreadPool,
    /// Set from outside to stop; what is complete is kept.
    pub stop: &'a AtomicBool,
}

impl Worlds for Simulations<'_> {
    fn draw(&self, candidates: &[usize], range: Range<u64>) -> Vec<Vec<Sample>> {
        let begins: Vec<u64> = (0..(range.end - range.start).div_ceil(CHUNK)).collect();
        let chunk = |number: u64| {
            let begin = range.start + number * CHUNK;
            self.chunk(candidates, begin..(begin + CHUNK).min(range.end))
        };
        let chunks: Vec<Option<Vec<Vec<Sample>>>> =
            self.pool.install(|| begins.into_par_iter().map(chunk).collect());
        let mut all = vec![Vec::new(); candidates.len()];
        // What lies behind a chunk that was stopped is left out, so that no replication is skipped.
        for chunk in chunks.into_iter().map_while(|chunk| chunk) {
            all.iter_mut().zip(chunk).for_each(|(all, more)| all.extend(more));
        }
        all
    }
}

impl Simulations<'_> {
    fn chunk(&self, candidates: &[usize], range: Range<u64>) -> Option<Vec<Vec<Sample>>> {
        let mut scratch = Scratch::default();
        let mut samples = vec![Vec::with_capacity(CHUNK as usize); candidates.len()];
        for replication in range {
            if self.stop.load(Ordering::Relaxed) {
                return None;
            }
            for (samples, &candidate) in samples.iter_mut().zip(candidates) {
                let plan = self.plans[candidate];
                let outcome = simulate(plan, &self.streams, replication, &mut scratch, &mut ());
                samples.push(Sample {
                    cost_uusd: rounded(outcome.cost().nusd()),
                    spot_uusd: rounded(outcome.spot_cost.nusd()),
                    on_time: plan.deadline.is_some_and(|deadline| outcome.meets(deadline)),
                });
            }
        }
        Some(samples)
    }
}

fn rounded(nusd: i64) -> i64 {
    (nusd + NUSD_PER_UUSD / 2).div_euclid(NUSD_PER_UUSD)
}

/// Replications on time.
pub fn on_time(samples: &[Sample]) -> u64 {
    samples.iter().filter(|sample| sample.on_time).count() as u64
}

/// Bills, micro-dollars.
pub fn costs(samples: &[Sample]) -> Moments {
    let mut costs = Moments::default();
    samples.iter().for_each(|sample| costs.push(sample.cost_uusd));
    costs
}

/// What the first costs more than the second, in the replications that both have, micro-dollars.
pub fn differences(one: &[Sample], other: &[Sample]) -> Moments {
    let mut differences = Moments::default();
    one.iter().zip(other).for_each(|(one, other)| differences.push(one.cost_uusd - other.cost_uusd));
    differences
}
