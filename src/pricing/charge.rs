//! The lines of a run's bill beside its instances: what was used, and what that costs.

use crate::units::{Bytes, Gb, GbMonth, Money, ThousandRequests, UnitPrice};
use serde::{Deserialize, Serialize};

/// What one replication used; docs/semantics.md, rules 48 to 52, says when something counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Saves begun.
    pub saves: u64,
    /// Time from when a kept save is durable to the end, ns, over all of them.
    pub save_ns: u128,
    /// Restores begun.
    pub restores: u64,
    /// Nodes that started for the first time.
    pub nodes_started: u64,
    /// Billed time of volumes that come and go with their nodes, ns, over all of them.
    pub volume_ns: u128,
    /// From the first grant to the end, ns.
    pub held_ns: u128,
    /// Saves copied to another region, by which of the prices between regions they pay.
    pub moves: [u64; MOVE_PRICES],
}

/// Different prices between the regions of one cluster, at most.
pub const MOVE_PRICES: usize = 4;

/// What a line is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
    /// Saves kept in an object store.
    SavesStored,
    /// Volumes that hold saves and outlive their nodes.
    SaveVolumes,
    /// Volumes that go with their nodes.
    NodeVolumes,
    /// Requests that write saves.
    SaveRequests,
    /// Requests that read saves.
    RestoreRequests,
    /// Images that new nodes pull.
    Image,
    /// Data that new nodes pull.
    Data,
    /// Saves on their way out of the region.
    SaveTraffic,
    /// Saves on their way back.
    RestoreTraffic,
    /// Saves copied to the region in which the gang goes on, at one of the prices between regions.
    MoveTraffic(usize),
}

/// What a group of lines is called in results; the order is that of every output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// Bytes kept for a time.
    Storage,
    /// Requests to an object store.
    Requests,
    /// Bytes moved.
    Traffic,
}

/// All groups with their names in results, in order.
pub const GROUPS: [(Group, &str); 3] =
    [(Group::Storage, "storage"), (Group::Requests, "requests"), (Group::Traffic, "traffic")];

/// One line of a bill, before it is known how much is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Charge {
    /// What for.
    pub item: Item,
    /// What one of it costs.
    pub rate: Rate,
}

/// What one of a [`Charge`]'s item costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rate {
    /// So many bytes while they are there.
    Kept {
        /// Price.
        price: UnitPrice<GbMonth>,
        /// Bytes.
        size: Bytes,
    },
    /// So many requests each time.
    Requested {
        /// Price.
        price: UnitPrice<ThousandRequests>,
        /// Requests.
        each: u64,
    },
    /// So many bytes each time, charged at one end or at both.
    Moved {
        /// Price at an end.
        price: UnitPrice<Gb>,
        /// Bytes.
        size: Bytes,
        /// Ends.
        ends: u8,
    },
}

impl Item {
    /// The group that it is counted under.
    pub const fn group(self) -> Group {
        match self {
            Self::SavesStored | Self::SaveVolumes | Self::NodeVolumes => Group::Storage,
            Self::SaveRequests | Self::RestoreRequests => Group::Requests,
            Self::Image | Self::Data | Self::SaveTraffic | Self::RestoreTraffic | Self::MoveTraffic(_) => {
                Group::Traffic
            }
        }
    }

    /// How much of it was used: times, or nanoseconds for what is kept.
    pub fn count(self, usage: &Usage) -> u128 {
        match self {
            Self::SavesStored => usage.save_ns,
            Self::SaveVolumes => usage.held_ns,
            Self::NodeVolumes => usage.volume_ns,
            Self::SaveRequests | Self::SaveTraffic => u128::from(usage.saves),
            Self::RestoreRequests | Self::RestoreTraffic => u128::from(usage.restores),
            Self::Image | Self::Data => u128::from(usage.nodes_started),
            Self::MoveTraffic(price) => u128::from(usage.moves[price]),
        }
    }
}

impl Charge {
    /// The line for `usage`: exact price × amount, rounded once.
    pub fn cost(&self, usage: &Usage) -> Money {
        let of = |size: Bytes| self.item.count(usage).saturating_mul(u128::from(size.get()));
        match self.rate {
            Rate::Kept { price, size } => price.cost(of(size)),
            Rate::Requested { price, each } => price.cost(of(Bytes::new(each))),
            Rate::Moved { price, size, ends } => price.cost(of(size).saturating_mul(u128::from(ends))),
        }
    }
}

/// Dollars of a bill beside its instances, by group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Beside([Money; GROUPS.len()]);

impl Beside {
    /// The lines of `charges` for `usage`, by group, cut off where money ends: a scenario that could come
    /// that far is refused.
    pub fn of(charges: &[Charge], usage: &Usage) -> Self {
        let mut sums = Self::default();
        for charge in charges {
            let sum = &mut sums.0[charge.item.group() as usize];
            *sum = sum.saturating_add(charge.cost(usage));
        }
        sums
    }

    /// Dollars of each group, in order.
    pub const fn groups(&self) -> &[Money; GROUPS.len()] {
        &self.0
    }

    /// All of it.
    pub fn total(&self) -> Money {
        self.0.iter().copied().fold(Money::ZERO, Money::saturating_add)
    }
}
