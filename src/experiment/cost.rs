//! Where the dollars went: by line of the bill, and by the parts of the time.

use super::tally::Tally;
use crate::pricing::GROUPS;
use crate::sim::{BILLED, Part};

const NUSD: f64 = 1e9;

/// Mean dollars of each line that is not zero.
pub fn cost_lines(tally: &Tally) -> Vec<(&'static str, f64)> {
    let instances = [("spot instances", tally.spot_cost), ("on-demand instances", tally.on_demand_cost)];
    let beside = GROUPS.iter().zip(tally.beside).map(|(&(_, name), nusd)| (name, nusd));
    let lines = instances.into_iter().chain(beside).filter(|(_, nusd)| *nusd != 0);
    lines.map(|(item, nusd)| (item, mean_usd(nusd, tally))).collect()
}

/// Mean dollars by part of the time of a cluster of `nodes`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CostByPart {
    /// Of the instances, for each of [`BILLED`].
    pub instances: [f64; BILLED.len()],
    /// What is billed beside them.
    pub other: f64,
}

impl CostByPart {
    /// Instance dollars are split as the time of running nodes is, over all replications: a node that runs
    /// while its gang gathers is idle, survivors that hang are lost, and a complete gang is in one part
    /// at a time (docs/semantics.md, rule 53).
    pub fn of(tally: &Tally, nodes: u32) -> Self {
        let spent = node_ns(tally, nodes);
        let all: i128 = spent.iter().sum();
        let instances_usd = mean_usd(tally.spot_cost + tally.on_demand_cost, tally);
        let mut instances = spent.map(|ns| instances_usd * (ns as f64 / all.max(1) as f64));
        if all == 0 {
            // A minimum is billed for nodes that never ran.
            instances[BILLED.len() - 1] = instances_usd;
        }
        Self { instances, other: mean_usd(tally.beside.iter().sum(), tally) }
    }

    /// Each part with its name in results, in order, and `other` as the last.
    pub fn named(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let parts = BILLED.iter().map(|part| part.name()).zip(self.instances);
        parts.chain([("other", self.other)])
    }

    /// Dollars of the instances.
    pub fn instances_usd(&self) -> f64 {
        self.instances.iter().sum()
    }
}

/// Running node time in each of [`BILLED`], ns, over all replications.
fn node_ns(tally: &Tally, nodes: u32) -> [i128; BILLED.len()] {
    let gang = |part: Part| i128::from(nodes) * tally.time[part as usize];
    let mut spent = BILLED.map(gang);
    for (part, ns) in BILLED.iter().zip(&mut spent) {
        if *part == Part::Lost {
            *ns -= tally.absent_node_ns;
        }
    }
    // Which parts a smaller gang was in is not kept: its missing nodes are taken from all in proportion.
    let whole: i128 = spent.iter().sum();
    if tally.fewer_node_ns > 0 {
        let share = 1.0 - tally.fewer_node_ns as f64 / whole as f64;
        spent = spent.map(|ns| (ns as f64 * share) as i128);
    }
    let complete: i128 = spent.iter().sum();
    let idle = &mut spent[BILLED.len() - 1];
    *idle += tally.running_node_ns - complete;
    spent
}

fn mean_usd(nusd: i128, tally: &Tally) -> f64 {
    nusd as f64 / tally.replications.max(1) as f64 / NUSD
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::PARTS;

    /// Two nodes train for 3 s and lose 1 s, of which one is away for half; one ran for 2 s while the gang
    /// gathered: 6 + 1.5 + 2 node-seconds for 9.5 dollars, a dollar each, over two replications; 1 beside.
    #[test]
    fn dollars_follow_the_time_of_running_nodes() {
        let mut time = [0; PARTS.len()];
        (time[Part::Computing as usize], time[Part::Lost as usize]) = (3_000_000_000, 1_000_000_000);
        time[Part::Queued as usize] = 2_000_000_000;
        let tally = Tally {
            replications: 2,
            spot_cost: 9_000_000_000,
            on_demand_cost: 500_000_000,
            beside: [600_000_000, 0, 400_000_000],
            time,
            running_node_ns: 9_500_000_000,
            absent_node_ns: 500_000_000,
            ..Tally::default()
        };
        let cost = CostByPart::of(&tally, 2);
        let named: Vec<(&str, f64)> = cost.named().filter(|(_, usd)| *usd != 0.0).collect();
        assert_eq!(named, [("computing", 3.0), ("lost", 0.75), ("idle", 1.0), ("other", 0.5)]);
        let lines = cost_lines(&tally);
        let right =
            [("spot instances", 4.5), ("on-demand instances", 0.25), ("storage", 0.3), ("traffic", 0.2)];
        assert_eq!(lines, right);
    }

    #[test]
    fn a_minimum_for_nodes_that_never_ran_is_idle() {
        let tally = Tally { replications: 1, spot_cost: 2_000_000_000, ..Tally::default() };
        assert_eq!(CostByPart::of(&tally, 1).named().find(|(_, usd)| *usd != 0.0), Some(("idle", 2.0)));
    }
}
