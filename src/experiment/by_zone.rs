//! What clusters that may be in several zones did in each.

use crate::scenario::plan::Market;
use crate::sim::{Observer, Stay};
use serde::{Deserialize, Serialize};

/// Sums over replications, for each zone of one cluster in the order of the scenario. All are whole numbers, so
/// any split of the replications gives the same.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ByZone(Vec<InZone>);

/// What a cluster did on Spot in one zone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InZone {
    /// Complete gangs.
    pub attempts: u64,
    /// Time of running nodes, ns.
    pub running_node_ns: u128,
    /// Their bills, nano-dollars.
    pub cost_nusd: i128,
}

impl ByZone {
    /// The sums of each zone; fewer than the cluster has where it never was in the last ones.
    pub fn zones(&self) -> &[InZone] {
        &self.0
    }

    /// Takes all replications of `other`.
    pub fn merge(&mut self, other: &Self) {
        for (zone, more) in other.0.iter().enumerate() {
            let sum = self.of(zone);
            sum.attempts += more.attempts;
            sum.running_node_ns += more.running_node_ns;
            sum.cost_nusd += more.cost_nusd;
        }
    }

    fn of(&mut self, zone: usize) -> &mut InZone {
        if self.0.len() <= zone {
            self.0.resize(zone + 1, InZone::default());
        }
        &mut self.0[zone]
    }
}

impl Observer for ByZone {
    fn gang(&mut self, zone: u32) {
        self.of(zone as usize).attempts += 1;
    }

    fn stay(&mut self, stay: &Stay) {
        if stay.market == Market::Spot {
            let sum = self.of(stay.zone as usize);
            sum.running_node_ns += u128::from(stay.end.since(stay.provisioned.min(stay.end)).ns());
            sum.cost_nusd += i128::from(stay.bill.cost.nusd());
        }
    }
}
