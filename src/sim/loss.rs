//! What the provider takes, what we give back, and the bill of each stay.

use super::engine::{EFFORT_MAX, Replication};
use super::gang::{Slot, State, gang_of};
use super::observer::{Observer, Stay};
use crate::pricing::{Bill, Ended, Tariff};
use crate::scenario::plan::Market;
use crate::units::{Money, SimTime, Span};

/// Nodes that one instant took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Losses {
    /// Taken back by the provider.
    pub reclaimed: u32,
    /// Ended by their hardware.
    pub failed: u32,
}

impl Losses {
    /// Whether any node is gone.
    pub const fn any(self) -> bool {
        self.reclaimed + self.failed > 0
    }
}

impl<O: Observer, const FULL: bool, const LONE: bool> Replication<'_, O, FULL, LONE> {
    /// The first so many slots of a gang on Spot are On-Demand (rules 83 to 86).
    #[inline]
    pub(super) fn anchors(&self) -> usize {
        let mixed = FULL && self.market == Market::Spot;
        if mixed { self.plan.on_demand_nodes as usize } else { 0 }
    }

    /// Nodes that the path must allow to a gang on Spot.
    #[inline]
    pub(super) fn spot_nodes(&self) -> u32 {
        if LONE {
            1
        } else if FULL {
            self.plan.spot_nodes()
        } else {
            self.plan.nodes
        }
    }

    /// Whether a complete gang can lose a node at all.
    #[inline]
    pub(super) fn can_lose(&self) -> bool {
        self.market() == Market::Spot || FULL && self.plan.failures.is_some()
    }

    /// When the complete gang loses its first node, up to `limit`.
    #[inline]
    pub(super) fn next_loss(&mut self, limit: SimTime) -> SimTime {
        let dies = |slot: &Slot| slot.node().map_or(SimTime::NEVER, |node| node.dies);
        let mut at = gang_of::<LONE>(self.slots).iter().map(dies).fold(SimTime::NEVER, SimTime::min);
        if FULL && self.market == Market::OnDemand {
            return at;
        }
        let spot_slots = self.plan.nodes - self.spot_nodes()..self.plan.nodes;
        while let Some((loss, rest)) = self.losses.split_first().filter(|_| !LONE) {
            if loss.slots.iter().any(|slot| spot_slots.contains(slot)) || loss.at > limit {
                at = at.min(loss.at);
                break;
            }
            self.losses = rest;
        }
        if FULL && !self.shocks.is_empty() {
            at = at.min(self.next_hit(at.min(limit)));
        }
        let nodes = self.spot_nodes();
        at.min(self.supply.next_below::<FULL>(nodes, at.min(limit), self.prices))
    }

    /// When the first shock comes that takes a node of a complete gang, up to `limit`. Shocks before it
    /// are passed.
    fn next_hit(&mut self, limit: SimTime) -> SimTime {
        let mut first = limit;
        let mut found = SimTime::NEVER;
        let (nodes, anchors) = (self.slots.len(), self.anchors());
        for (shock, walk) in self.capacity.shocks.iter().zip(self.shocks.iter_mut()) {
            while walk.next_at() <= first && self.effort <= EFFORT_MAX {
                let hits = walk.hits(shock, self.streams, self.capacity.zone, self.replication);
                if hits.take(nodes).skip(anchors).any(|hit| hit) {
                    (first, found) = (walk.next_at(), walk.next_at());
                    break;
                }
                self.effort += nodes as u64;
                walk.pass(shock);
            }
        }
        found
    }

    /// Ends the nodes that are lost at this instant. Lifetimes and failures go first, then written-out
    /// losses and shocks; then the path takes the newest nodes, ties by higher slot.
    pub(super) fn take_losses(&mut self) -> Losses {
        let mut lost = Losses::default();
        for index in 0..gang_of::<LONE>(self.slots).len() {
            if let Some(node) = self.slots[index].node().filter(|node| node.dies <= self.now) {
                let ends = if FULL { node.ends } else { Ended::Reclaimed };
                self.end_stay(index, ends);
                match ends {
                    Ended::Failed => lost.failed += 1,
                    _ => lost.reclaimed += 1,
                }
            }
        }
        if !FULL || self.market == Market::Spot {
            if !LONE && !self.losses.is_empty() {
                lost.reclaimed += self.take_named();
            }
            if FULL && !self.shocks.is_empty() {
                lost.reclaimed += self.take_shocked();
            }
            lost.reclaimed += self.take_newest();
        }
        self.nodes_lost += lost.reclaimed + lost.failed;
        lost
    }

    /// Takes the nodes that the scenario names.
    fn take_named(&mut self) -> u32 {
        let mut lost = 0;
        while let Some((loss, rest)) = self.losses.split_first().filter(|(loss, _)| loss.at <= self.now) {
            let named: &[u32] = if loss.at == self.now { &loss.slots } else { &[] };
            for &slot in named {
                lost += self.reclaim(slot as usize);
            }
            self.losses = rest;
        }
        lost
    }

    /// Takes the nodes that shocks of this instant hit.
    fn take_shocked(&mut self) -> u32 {
        let mut lost = 0;
        for (entry, shock) in self.capacity.shocks.iter().enumerate() {
            while self.shocks[entry].next_at() <= self.now {
                let walk = &self.shocks[entry];
                if walk.next_at() == self.now {
                    let hits = walk.hits(shock, self.streams, self.capacity.zone, self.replication);
                    for (index, _) in hits.enumerate().take(self.slots.len()).filter(|(_, hit)| *hit) {
                        lost += self.reclaim(index);
                    }
                }
                self.effort += self.slots.len() as u64;
                self.shocks[entry].pass(shock);
            }
        }
        lost
    }

    /// Takes what is held beyond the path.
    #[inline]
    fn take_newest(&mut self) -> u32 {
        let level = self.supply.pass::<FULL>(self.now, self.prices);
        if LONE {
            return if level == 0 { self.reclaim(0) } else { 0 };
        }
        let anchors = self.anchors();
        if level as usize >= self.slots.len() - anchors {
            return 0;
        }
        let mut held = self.slots[anchors..].iter().filter(|slot| slot.node().is_some()).count();
        let mut lost = 0;
        while held > level as usize {
            let newest = (anchors..self.slots.len())
                .filter_map(|index| self.slots[index].node().map(|node| (node.granted, index)))
                .max()
                .expect("more nodes are held than a level of at least 0");
            lost += self.reclaim(newest.1);
            held -= 1;
        }
        lost
    }

    /// Takes the node of slot `index`, if there is one on Spot, and gives their number.
    fn reclaim(&mut self, index: usize) -> u32 {
        let held = self.slots.get(index).is_some_and(|slot| slot.node().is_some());
        let held = held && index >= self.anchors();
        if held {
            self.end_stay(index, Ended::Reclaimed);
        }
        u32::from(held)
    }

    /// Drops everything held or requested.
    pub(super) fn release_all(&mut self) {
        for index in 0..gang_of::<LONE>(self.slots).len() {
            if self.slots[index].node().is_some() {
                self.end_stay(index, Ended::Released);
            }
            self.slots[index].state = State::Absent;
        }
    }

    /// Ends the stay of the node in slot `index` now, and bills it.
    pub(super) fn end_stay(&mut self, index: usize, ended: Ended) {
        let node = self.slots[index].node().expect("only a held node's stay ends");
        self.slots[index].state = State::Absent;
        let market = if index < self.anchors() { Market::OnDemand } else { self.market() };
        let (tariff, total): (&Tariff, &mut Money) = match market {
            Market::Spot => (self.spot, &mut self.spot_cost),
            Market::OnDemand => (&self.plan.on_demand, &mut self.on_demand_cost),
        };
        // Rule 22: a node that ends before it is provisioned costs nothing, whoever ended it.
        let bill = match node.ready <= self.now {
            true => tariff.bill(self.prices, node.ready, self.now, ended, |line| self.observer.line(line)),
            false => Bill { billed: Span::ZERO, cost: Money::ZERO },
        };
        *total += bill.cost;
        self.running_node_ns += u128::from(self.now.since(node.ready.min(self.now)).ns());
        if FULL && let Some(extras) = &self.plan.extras {
            self.counted.stay(index, node.granted, self.now, extras);
        }
        let slot = u32::try_from(index).expect("a gang has fewer than 2^32 nodes");
        self.observer.stay(&Stay {
            slot,
            zone: self.zone,
            market,
            granted: node.granted,
            provisioned: node.ready,
            end: self.now,
            ended,
            bill,
        });
    }
}
