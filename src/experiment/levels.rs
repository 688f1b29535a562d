//! What a zone's path would have given, over the time of one replication.

use crate::pricing::{PriceWalk, Tariff};
use crate::rng::Streams;
use crate::scenario::plan::{Capacity, Plan};
use crate::sim::Supply;
use crate::units::SimTime;

/// Of a path that changes more often than this no more is told.
const CHANGES_MAX: usize = 100_000;

/// How many nodes could be had from when to when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Level {
    /// From.
    pub from: SimTime,
    /// To.
    pub to: SimTime,
    /// Nodes, as many as asked for where the path is all or nothing.
    pub nodes: u32,
}

/// The path of `capacity`, one of the zones of `plan`, from submit to `end`: in order, without a hole.
pub fn levels(
    plan: &Plan,
    (capacity, spot): (&Capacity, &Tariff),
    streams: &Streams,
    replication: u64,
    end: SimTime,
) -> Vec<Level> {
    let mut prices = PriceWalk::default();
    let mut supply = Supply::begin(capacity, spot, plan.max_price, streams, replication, &mut prices);
    let mut levels: Vec<Level> = Vec::new();
    let mut from = SimTime::ZERO;
    while from < end && levels.len() < CHANGES_MAX {
        let next = supply.next_change::<true>();
        let (to, nodes) = (next.min(end), supply.level::<true>());
        match levels.last_mut() {
            Some(last) if last.nodes == nodes => last.to = to,
            _ if from < to => levels.push(Level { from, to, nodes }),
            _ => {}
        }
        if next == SimTime::NEVER {
            break;
        }
        supply.pass::<true>(next, &mut prices);
        from = next;
    }
    levels
}
