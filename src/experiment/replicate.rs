//! Replications of all clusters, in parallel, with answers that do not depend on how.

use super::chunk::{CHUNK, Chunk, Replicated, Rows, Worker};
use super::drawn::Draw;
use super::result::{ClusterResult, Status, summarise};
use crate::scenario::load::Scenario;
use crate::scenario::sampling::{BATCHES, Sampling};
use rayon::ThreadPool;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Mutex, PoisonError};

/// Chunks that a thread takes at once, where there are enough for all. As many of each thread may wait to be folded, so
/// memory stays bounded however many replications there are.
const CHUNKS_AT_ONCE: u64 = 4;
/// Times that each thread takes some, at least: in the end all wait for the one that took the last.
const TURNS: u64 = 16;
/// Replications that a worker takes at a time where each has a scenario of its own: to read it takes longer than to
/// simulate it.
const DRAWN_CHUNK: u64 = 16;

/// What the caller wants to know and do on the way.
pub struct Options<'a> {
    /// Which replications: all of the scenario's, or a shard's.
    pub numbers: Range<u64>,
    /// Makes the scenario of each replication, if they have values of their own.
    pub draw: Option<&'a Draw<'a>>,
    /// Set from outside to stop; what is complete is kept.
    pub stop: &'a AtomicBool,
    /// Formats rows in the workers, if a file of replications is wanted.
    pub rows: Option<&'a Rows<'a>>,
    /// Called in order, from one thread, as replications are complete.
    pub progress: &'a mut dyn Progress,
}

/// Sees replications become complete, in order.
pub trait Progress {
    /// `done` replications of every cluster are complete; `rows` are those formatted since the last
    /// call. An error stops the run.
    fn advance(&mut self, done: u64, rows: &[u8]) -> std::io::Result<()>;
}

/// Nobody watches.
impl Progress for () {
    fn advance(&mut self, _: u64, _: &[u8]) -> std::io::Result<()> {
        Ok(())
    }
}

/// Runs the replications `options.numbers` of every cluster for which `simulated` is true, on the threads of
/// `pool`: all of them, or until the scenario's rule is met at a look. Gives one result a cluster; fewer
/// replications than that only if `options.stop` was set.
pub fn replicate(
    scenario: &Scenario,
    simulated: &[bool],
    pool: &ThreadPool,
    options: &mut Options<'_>,
) -> std::io::Result<Vec<Replicated>> {
    let mut results = vec![Replicated::default(); scenario.clusters.len()];
    let numbers = options.numbers.clone();
    let Some(until) = &scenario.until else {
        go_on(scenario, simulated, pool, options, numbers, &mut results)?;
        return Ok(results);
    };
    let cap = numbers.end;
    let (mut done, mut look) = (numbers.start, until.first_look(cap));
    loop {
        go_on(scenario, simulated, pool, options, done..look, &mut results)?;
        if look == cap || options.stop.load(Ordering::Relaxed) || is_enough(scenario, simulated, &results) {
            return Ok(results);
        }
        (done, look) = (look, until.next_look(look, cap));
    }
}

/// Runs all replications of a scenario whose sampling makes them depend on one another, in [`BATCHES`] that are
/// independent; gives the whole and each batch.
pub fn replicate_in_batches(
    scenario: &Scenario,
    simulated: &[bool],
    pool: &ThreadPool,
    options: &mut Options<'_>,
) -> std::io::Result<(Vec<Replicated>, Vec<Vec<Replicated>>)> {
    debug_assert!(scenario.sampling != Sampling::Random && scenario.replications.is_multiple_of(BATCHES));
    let none = vec![Replicated::default(); scenario.clusters.len()];
    let (mut whole, mut batches) = (none.clone(), Vec::new());
    let size = scenario.replications / BATCHES;
    for batch in 0..BATCHES {
        let mut results = none.clone();
        let numbers = batch * size..(batch + 1) * size;
        go_on(scenario, simulated, pool, options, numbers, &mut results)?;
        whole.iter_mut().zip(&results).for_each(|(whole, part)| whole.merge(part));
        if options.stop.load(Ordering::Relaxed) {
            break;
        }
        batches.push(results);
    }
    Ok((whole, batches))
}

/// Whether the rule of `scenario` is met by what is known.
pub(super) fn is_enough(scenario: &Scenario, simulated: &[bool], results: &[Replicated]) -> bool {
    let of_cluster = |((cluster, replicated), &simulated): ((_, &Replicated), &bool)| {
        let status = if simulated { Status::Simulated } else { Status::Infeasible };
        summarise(cluster, &mut replicated.clone(), status)
    };
    let results: Vec<ClusterResult> =
        scenario.clusters.iter().zip(results).zip(simulated).map(of_cluster).collect();
    scenario.until.as_ref().is_some_and(|until| until.is_met(&results))
}

/// Adds the replications `numbers` to `results`.
fn go_on(
    scenario: &Scenario,
    simulated: &[bool],
    pool: &ThreadPool,
    options: &mut Options<'_>,
    numbers: Range<u64>,
    results: &mut [Replicated],
) -> std::io::Result<()> {
    let size = if options.draw.is_some() { DRAWN_CHUNK } else { CHUNK };
    let chunks = (numbers.end - numbers.start).div_ceil(size);
    let chunk = |nth: u64| {
        let first = numbers.start + nth * size;
        first..(first + size).min(numbers.end)
    };
    let Options { draw, rows, stop, .. } = *options;
    let threads = pool.current_num_threads();
    let work = Work {
        worker: Worker { scenario, simulated, draw, rows, stop },
        chunk: &chunk,
        chunks,
        at_once: (chunks / (TURNS * threads as u64)).clamp(1, CHUNKS_AT_ONCE),
        next: AtomicU64::new(0),
        failed: Mutex::new(None),
    };
    let done = |nth: u64| chunk(nth).end - options.numbers.start;
    let mut fold = Fold { early: BTreeMap::new(), next: 0, results, done: &done, progress: options.progress };
    let (sender, receiver) = sync_channel(threads);
    pool.in_place_scope(|scope| {
        for _ in 1..threads {
            let (sender, work) = (sender.clone(), &work);
            scope.spawn(move |_| while work.take().is_some_and(|taken| sender.send(taken).is_ok()) {});
        }
        drop(sender);
        // This thread is one of them, and folds between two turns: a thread of its own would take a core from another.
        while let Some(taken) = work.take() {
            fold.take(taken)?;
            receiver.try_iter().try_for_each(|taken| fold.take(taken))?;
        }
        receiver.into_iter().try_for_each(|taken| fold.take(taken))
    })?;
    match work.failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some((_, why)) => Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, why)),
        None => Ok(()),
    }
}

/// Chunks from the one of this number on.
type Taken = (u64, Vec<Chunk>);

/// What threads take chunks of.
struct Work<'a> {
    worker: Worker<'a>,
    /// The replications of a chunk.
    chunk: &'a (dyn Fn(u64) -> Range<u64> + Sync),
    chunks: u64,
    /// Chunks that are taken at a time.
    at_once: u64,
    /// The first that is not taken.
    next: AtomicU64,
    /// Of those that failed the earliest, and why.
    failed: Mutex<Option<(u64, String)>>,
}

impl Work<'_> {
    /// Runs the next chunks, fewer if they are stopped or one fails; `None` when nothing is left to do.
    fn take(&self) -> Option<Taken> {
        let first = self.next.fetch_add(self.at_once, Ordering::Relaxed);
        if first >= self.chunks || has_failed(&self.failed) || self.worker.stop.load(Ordering::Relaxed) {
            return None;
        }
        let mut done = Vec::new();
        for nth in first..(first + self.at_once).min(self.chunks) {
            match self.worker.run((self.chunk)(nth)) {
                Ok(Some(chunk)) => done.push(chunk),
                Ok(None) => break,
                Err(why) => {
                    first_failure(&self.failed, nth, why);
                    break;
                }
            }
        }
        Some((first, done))
    }
}

fn has_failed(failed: &Mutex<Option<(u64, String)>>) -> bool {
    failed.lock().unwrap_or_else(PoisonError::into_inner).is_some()
}

/// Keeps the failure of the earliest chunk. Every chunk before a failed one is run to its end, so which is the
/// earliest does not depend on threads.
fn first_failure(failed: &Mutex<Option<(u64, String)>>, nth: u64, why: String) {
    let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
    if failed.as_ref().is_none_or(|(other, _)| nth < *other) {
        *failed = Some((nth, why));
    }
}

/// Adds chunks up in their order, whatever the order in which they come; those behind a missing one are left out.
struct Fold<'a> {
    /// Those that came before their turn.
    early: BTreeMap<u64, Vec<Chunk>>,
    /// Whose turn it is.
    next: u64,
    results: &'a mut [Replicated],
    /// Replications that are complete with a chunk.
    done: &'a dyn Fn(u64) -> u64,
    progress: &'a mut dyn Progress,
}

impl Fold<'_> {
    fn take(&mut self, (first, chunks): Taken) -> std::io::Result<()> {
        self.early.insert(first, chunks);
        while let Some(chunks) = self.early.remove(&self.next).filter(|chunks| !chunks.is_empty()) {
            for chunk in chunks {
                for (result, part) in self.results.iter_mut().zip(&chunk.parts) {
                    result.merge(part);
                }
                self.progress.advance((self.done)(self.next), &chunk.rows)?;
                self.next += 1;
            }
        }
        Ok(())
    }
}
