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
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Mutex, PoisonError};

/// Chunks that a thread hands over at once, where there are enough for all: each time the folding thread is woken, and
/// takes a core from another. As many may wait to be folded for each thread, so memory stays bounded however many
/// replications there are.
const CHUNKS_AT_ONCE: u64 = 4;
/// Times that each thread hands over, at least: the last ones are idle while another is at its last.
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
    let worker = Worker { scenario, simulated, draw, rows, stop };
    let failed = Mutex::new(None);
    let next = AtomicU64::new(0);
    let threads = pool.current_num_threads();
    let at_once = (chunks / (TURNS * threads as u64)).clamp(1, CHUNKS_AT_ONCE);
    let (sender, receiver) = sync_channel(threads * (CHUNKS_AT_ONCE / at_once) as usize);
    pool.in_place_scope(|scope| {
        for _ in 0..threads {
            let (sender, next, failed) = (sender.clone(), &next, &failed);
            scope.spawn(move |_| {
                let firsts = std::iter::from_fn(|| Some(next.fetch_add(at_once, Ordering::Relaxed)));
                for first in firsts.take_while(|&first| first < chunks && !has_failed(failed)) {
                    let nths = first..(first + at_once).min(chunks);
                    let (mut done, all) = (Vec::new(), (nths.end - first) as usize);
                    for nth in nths {
                        match worker.run(chunk(nth)) {
                            Ok(Some(chunk)) => done.push(chunk),
                            Ok(None) => break,
                            Err(why) => {
                                first_failure(failed, nth, why);
                                break;
                            }
                        }
                    }
                    // A chunk that was stopped half-way ends this worker, and so does a fold that failed.
                    let is_cut = done.len() < all;
                    if sender.send((first, done)).is_err() || is_cut {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let done = |nth: u64| chunk(nth).end - options.numbers.start;
        fold(receiver, results, &done, options.progress)
    })?;
    match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some((_, why)) => Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, why)),
        None => Ok(()),
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

/// Adds chunks up in their order, whatever the order in which they come, several at once from the first of them on;
/// those behind a missing one are left out. `done` replications are complete with a chunk.
fn fold(
    chunks: Receiver<(u64, Vec<Chunk>)>,
    results: &mut [Replicated],
    done: &dyn Fn(u64) -> u64,
    progress: &mut dyn Progress,
) -> std::io::Result<()> {
    let (mut early, mut next) = (BTreeMap::new(), 0);
    for (first, chunks) in chunks {
        early.insert(first, chunks);
        while let Some(chunks) = early.remove(&next).filter(|chunks| !chunks.is_empty()) {
            for chunk in chunks {
                for (result, part) in results.iter_mut().zip(&chunk.parts) {
                    result.merge(part);
                }
                progress.advance(done(next), &chunk.rows)?;
                next += 1;
            }
        }
    }
    Ok(())
}
