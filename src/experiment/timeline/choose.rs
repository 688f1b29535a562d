//! Which replication to look at.

use crate::rng::Streams;
use crate::scenario::plan::Plan;
use crate::sim::{End, Scratch, simulate};

/// A replication by its number, or by where it stands among all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// From 0.
    Number(u64),
    /// That in the middle; of an even number the lower one.
    Median,
    /// That in the middle of those with the usual number of preemptions: as many as half of all have at most.
    Typical,
    /// That which finished first; of several the cheapest, then the one with the least number.
    Best,
    /// That which finished last, or did not finish.
    Worst,
}

/// The number of the replication of `plan` that is meant, of the first `replications` (at least one).
///
/// They are ordered by whether they finished, makespan, cost and number.
pub fn choose(plan: &Plan, streams: &Streams, which: Which, replications: u64) -> u64 {
    if let Which::Number(number) = which {
        return number;
    }
    let mut scratch = Scratch::default();
    let mut all: Vec<_> = (0..replications)
        .map(|number| {
            let outcome = simulate(plan, streams, number, &mut scratch, &mut ());
            (outcome.end != End::Finished, outcome.elapsed, outcome.cost(), number, outcome.preemptions)
        })
        .collect();
    if which == Which::Typical {
        let mut preemptions: Vec<u32> = all.iter().map(|one| one.4).collect();
        preemptions.sort_unstable();
        let usual = preemptions[(preemptions.len() - 1) / 2];
        all.retain(|one| one.4 == usual);
    }
    all.sort_unstable();
    let at = match which {
        Which::Worst => all.len() - 1,
        Which::Median | Which::Typical => (all.len() - 1) / 2,
        _ => 0,
    };
    all[at].3
}
