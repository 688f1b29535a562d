//! What the provider takes, what we give back, and the bill of each stay.

use super::engine::Replication;
use super::gang::{Slot, State};
use super::observer::{Observer, Stay};
use crate::pricing::{Bill, Ended, Tariff};
use crate::scenario::plan::Market;
use crate::units::{Money, SimTime, Span};

impl<O: Observer> Replication<'_, O> {
    /// When the complete gang loses its first node, up to `limit`.
    #[inline]
    pub(super) fn next_loss(&mut self, limit: SimTime) -> SimTime {
        let dies = |slot: &Slot| slot.node().map_or(SimTime::NEVER, |node| node.dies);
        let mut at = self.slots.iter().map(dies).fold(SimTime::NEVER, SimTime::min);
        let nodes = self.plan.nodes;
        while let Some((loss, rest)) = self.losses.split_first() {
            if loss.slots.iter().any(|&slot| slot < nodes) || loss.at > limit {
                at = at.min(loss.at);
                break;
            }
            self.losses = rest;
        }
        at.min(self.walk.next_below(nodes, at.min(limit)))
    }

    /// Ends the nodes that the provider takes at this instant and gives their number. Lifetimes and
    /// written-out losses go first; then the path takes the newest nodes, ties by higher slot.
    pub(super) fn take_losses(&mut self) -> u32 {
        let now = self.now;
        let level = self.walk.pass(now);
        let (mut held, mut lost) = (0, 0);
        for index in 0..self.slots.len() {
            match self.slots[index].node() {
                Some(node) if node.dies <= now => {
                    self.end_stay(index, Ended::Reclaimed);
                    lost += 1;
                }
                Some(_) => held += 1,
                None => {}
            }
        }
        while let Some((loss, rest)) = self.losses.split_first().filter(|(loss, _)| loss.at <= now) {
            for &slot in loss.slots.iter().filter(|_| loss.at == now) {
                let index = slot as usize;
                if index < self.slots.len() && self.slots[index].node().is_some() {
                    self.end_stay(index, Ended::Reclaimed);
                    held -= 1;
                    lost += 1;
                }
            }
            self.losses = rest;
        }
        while held > level {
            let newest = (0..self.slots.len())
                .filter_map(|index| self.slots[index].node().map(|node| (node.granted, index)))
                .max()
                .expect("more nodes are held than a level of at least 0");
            self.end_stay(newest.1, Ended::Reclaimed);
            held -= 1;
            lost += 1;
        }
        self.nodes_lost += lost;
        lost
    }

    /// Drops everything held or requested.
    pub(super) fn release_all(&mut self) {
        for index in 0..self.slots.len() {
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
        let (tariff, total): (&Tariff, &mut Money) = match self.market {
            Market::Spot => (&self.plan.spot, &mut self.spot_cost),
            Market::OnDemand => (&self.plan.on_demand, &mut self.on_demand_cost),
        };
        // Rule 22: a node that ends before it is provisioned costs nothing, whoever ended it.
        let bill = match node.ready <= self.now {
            true => tariff.bill(node.ready, self.now, ended),
            false => Bill { billed: Span::ZERO, cost: Money::ZERO },
        };
        *total += bill.cost;
        let slot = u32::try_from(index).expect("a gang has fewer than 2^32 nodes");
        self.observer.stay(&Stay {
            slot,
            market: self.market,
            granted: node.granted,
            provisioned: node.ready,
            end: self.now,
            ended,
            bill,
        });
    }
}
