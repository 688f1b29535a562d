//! Some replications of all clusters, one after the other, on one thread.

use super::by_zone::ByZone;
use super::drawn::Draw;
use super::tally::Tally;
use crate::rng::Streams;
use crate::scenario::load::Scenario;
use crate::sim::{End, Outcome, Scratch, simulate};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// Replications that one worker takes at a time, and the unit in which an interrupted run is complete.
pub const CHUNK: u64 = 256;
/// Replications of each cluster that pictures are drawn from: the first of all.
pub const DRAWN_MAX: usize = 100_000;

/// Turns the outcomes of one replication, one a cluster that is simulated, into bytes of a file.
pub type Rows<'a> = dyn Fn(u64, &[Option<Outcome>], &mut Vec<u8>) + Sync + 'a;

/// One replication, for pictures.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Submit to end, hours.
    pub elapsed_h: f64,
    /// Whether the work was done.
    pub finished: bool,
    /// Its bill.
    pub cost_usd: f64,
}

/// What one cluster's replications came to.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Replicated {
    /// Their sums.
    pub tally: Tally,
    /// The first of them, at most 100,000.
    pub runs: Vec<Run>,
    /// The only one, if there is one.
    pub only: Option<Outcome>,
    /// What it did in each zone, where it may be in several.
    pub by_zone: ByZone,
}

impl Replicated {
    /// Takes the replications of `part`, which follow those that are here.
    pub fn merge(&mut self, part: &Self) {
        self.tally.merge(&part.tally);
        let room = DRAWN_MAX.saturating_sub(self.runs.len());
        self.runs.extend(part.runs.iter().take(room));
        self.only = part.only.or(self.only).filter(|_| self.tally.replications == 1);
        self.by_zone.merge(&part.by_zone);
    }
}

/// What a worker needs to simulate any replications.
#[derive(Clone, Copy)]
pub struct Worker<'a> {
    /// Of these clusters.
    pub scenario: &'a Scenario,
    /// For which of them.
    pub simulated: &'a [bool],
    /// Makes the scenario of each replication, if they have values of their own.
    pub draw: Option<&'a Draw<'a>>,
    /// Formats rows, if a file of replications is wanted.
    pub rows: Option<&'a Rows<'a>>,
    /// Set from outside to stop.
    pub stop: &'a AtomicBool,
}

/// Replications that are complete.
pub struct Chunk {
    /// One a cluster.
    pub parts: Vec<Replicated>,
    /// As rows of a file.
    pub rows: Vec<u8>,
}

impl Worker<'_> {
    /// The replications `numbers`; `None` if it was stopped. An error is a replication whose values make no
    /// scenario.
    pub fn run(&self, numbers: Range<u64>) -> Result<Option<Chunk>, String> {
        let mut own: Scenario;
        let mut clusters = &self.scenario.clusters;
        let baseline = self.scenario.baseline();
        let streams = Streams::new(self.scenario.seed);
        let mut done = Chunk { parts: vec![Replicated::default(); clusters.len()], rows: Vec::new() };
        let count = (numbers.end - numbers.start) as usize;
        for (part, _) in done.parts.iter_mut().zip(self.simulated).filter(|(_, simulated)| **simulated) {
            part.tally.reserve(count);
            part.runs.reserve(count);
        }
        let mut scratch = Scratch::default();
        let mut outcomes: Vec<Option<Outcome>> = vec![None; clusters.len()];
        for replication in numbers {
            if self.stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            if let Some(draw) = self.draw {
                own = draw.scenario(replication)?;
                clusters = &own.clusters;
            }
            for (index, cluster) in clusters.iter().enumerate().filter(|(index, _)| self.simulated[*index]) {
                let (plan, by_zone) = (&cluster.plan, &mut done.parts[index].by_zone);
                let outcome = match plan.elsewhere.is_empty() {
                    true => simulate(plan, &streams, replication, &mut scratch, &mut ()),
                    false => simulate(plan, &streams, replication, &mut scratch, by_zone),
                };
                debug_assert_eq!(outcome.time.total(), outcome.elapsed);
                outcomes[index] = Some(outcome);
            }
            for (index, outcome) in outcomes.iter().enumerate() {
                let Some(outcome) = outcome else { continue };
                let part = &mut done.parts[index];
                let other = baseline.filter(|&b| b != index).and_then(|b| outcomes[b].as_ref());
                part.tally.push(outcome, clusters[index].plan.deadline, other);
                if replication < DRAWN_MAX as u64 {
                    part.runs.push(Run {
                        elapsed_h: outcome.elapsed.as_hours(),
                        finished: outcome.end == End::Finished,
                        cost_usd: outcome.cost().as_usd(),
                    });
                }
            }
            if let Some(rows) = self.rows {
                rows(replication, &outcomes, &mut done.rows);
            }
        }
        for (part, outcome) in done.parts.iter_mut().zip(outcomes) {
            part.only = outcome;
        }
        Ok(Some(done))
    }
}
