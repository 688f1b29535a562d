//! Replications of all clusters, in parallel, with answers that do not depend on how.

use super::by_zone::ByZone;
use super::tally::Tally;
use crate::rng::Streams;
use crate::scenario::load::Scenario;
use crate::sim::{End, Outcome, Scratch, simulate};
use rayon::ThreadPool;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};

/// Replications that one worker takes at a time, and the unit in which an interrupted run is complete.
pub const CHUNK: u64 = 256;
/// Complete chunks that may wait to be folded, for each thread: enough to keep all busy, and memory
/// stays bounded however many replications there are.
const CHUNKS_WAITING: usize = 4;
/// Replications of each cluster that pictures are drawn from.
const DRAWN_MAX: usize = 100_000;

/// Turns the outcomes of one replication, one a cluster that is simulated, into bytes of a file.
pub type Rows<'a> = dyn Fn(u64, &[Option<Outcome>], &mut Vec<u8>) + Sync + 'a;

/// What the caller wants to know and do on the way.
pub struct Options<'a> {
    /// Set from outside to stop; what is complete is kept.
    pub stop: &'a AtomicBool,
    /// Formats rows in the workers, if a file of replications is wanted.
    pub rows: Option<&'a Rows<'a>>,
    /// Called in order, from one thread, as replications are complete.
    pub progress: &'a mut dyn Progress,
    /// Which replications: all of them, or those of a shard.
    pub numbers: Range<u64>,
}

/// Sees replications become complete, in order.
pub trait Progress {
    /// `done` replications of every cluster are complete, of those asked for; `rows` are those formatted since
    /// the last call. An error stops the run.
    fn advance(&mut self, done: u64, rows: &[u8]) -> std::io::Result<()>;
}

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

/// Runs the replications `options.numbers` of every cluster for which `simulated` is true, on the threads of
/// `pool`. Gives one result a cluster; fewer replications than asked only if `options.stop` was set.
pub fn replicate(
    scenario: &Scenario,
    simulated: &[bool],
    pool: &ThreadPool,
    options: &mut Options<'_>,
) -> std::io::Result<Vec<Replicated>> {
    let numbers = options.numbers.clone();
    let chunks = (numbers.end - numbers.start).div_ceil(CHUNK);
    // Pictures show the first replications of all, which may lie in an earlier shard.
    let drawn = (DRAWN_MAX as u64).saturating_sub(numbers.start) as usize;
    let job = Job {
        scenario,
        simulated,
        baseline: scenario.baseline(),
        rows: options.rows,
        stop: options.stop,
        numbers,
    };
    let next = AtomicU64::new(0);
    let threads = pool.current_num_threads();
    let (sender, receiver) = sync_channel(CHUNKS_WAITING * threads);
    pool.in_place_scope(|scope| {
        for _ in 0..threads {
            let (sender, job, next) = (sender.clone(), &job, &next);
            scope.spawn(move |_| {
                let numbers = std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)));
                for number in numbers.take_while(|&number| number < chunks) {
                    // A chunk that was stopped half-way ends this worker, and so does a fold that failed.
                    let Some(chunk) = job.run(number) else { return };
                    if sender.send(chunk).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut results = fold(receiver, scenario.clusters.len(), options.progress)?;
        results.iter_mut().for_each(|result| result.runs.truncate(drawn));
        Ok(results)
    })
}

/// Adds chunks up in their order, whatever the order in which they come; those behind a missing one
/// are left out.
fn fold(
    chunks: Receiver<Chunk>,
    clusters: usize,
    progress: &mut dyn Progress,
) -> std::io::Result<Vec<Replicated>> {
    let mut results = vec![Replicated::default(); clusters];
    let (mut early, mut next) = (BTreeMap::new(), 0);
    for chunk in chunks {
        early.insert(chunk.number, chunk);
        while let Some(chunk) = early.remove(&next) {
            for (result, part) in results.iter_mut().zip(&chunk.parts) {
                result.merge(part);
            }
            progress.advance(chunk.done, &chunk.rows)?;
            next += 1;
        }
    }
    Ok(results)
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

struct Job<'a> {
    scenario: &'a Scenario,
    simulated: &'a [bool],
    baseline: Option<usize>,
    rows: Option<&'a Rows<'a>>,
    stop: &'a AtomicBool,
    numbers: Range<u64>,
}

/// A run of replications, one after the other.
struct Chunk {
    number: u64,
    /// Replications of the job up to its end.
    done: u64,
    parts: Vec<Replicated>,
    rows: Vec<u8>,
}

impl Job<'_> {
    fn run(&self, number: u64) -> Option<Chunk> {
        let clusters = &self.scenario.clusters;
        let streams = Streams::new(self.scenario.seed);
        let first = self.numbers.start;
        let end = (first + (number + 1) * CHUNK).min(self.numbers.end);
        let mut done = Chunk {
            number,
            done: end - first,
            parts: vec![Replicated::default(); clusters.len()],
            rows: Vec::new(),
        };
        let mut scratch = Scratch::default();
        let mut outcomes: Vec<Option<Outcome>> = vec![None; clusters.len()];
        for replication in first + number * CHUNK..end {
            if self.stop.load(Ordering::Relaxed) {
                return None;
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
                let other = self.baseline.filter(|&b| b != index).and_then(|b| outcomes[b].as_ref());
                part.tally.push(outcome, clusters[index].plan.deadline, other);
                part.only = Some(*outcome);
                part.runs.push(Run {
                    elapsed_h: outcome.elapsed.as_hours(),
                    finished: outcome.end == End::Finished,
                    cost_usd: outcome.cost().as_usd(),
                });
            }
            if let Some(rows) = self.rows {
                rows(replication, &outcomes, &mut done.rows);
            }
        }
        Some(done)
    }
}
