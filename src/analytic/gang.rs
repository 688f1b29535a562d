//! What more nodes do to a gang's losses, time and bill.

use super::Memoryless;
use crate::checkpoint::exact_interval_s;

/// Rate at which a gang is broken whose nodes are lost at `own_rate` each, independently, and that is met
/// by shocks at `shock_rate` which take each node with chance `hit`: n λ + β (1 − (1 − p)^n). Rates in one
/// unit, that of the answer.
pub fn gang_loss_rate(nodes: u32, own_rate: f64, shock_rate: f64, hit: f64) -> f64 {
    let n = f64::from(nodes);
    n * own_rate - shock_rate * libm::expm1(n * libm::log1p(-hit))
}

/// A long job spread over nodes that are lost independently, at a constant rate each; any loss stops all.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scaling {
    /// Nodes.
    pub nodes: u32,
    /// Losses per second of one node, above 0.
    pub node_rate_per_s: f64,
    /// Work, in seconds of one node at full efficiency.
    pub work_node_s: f64,
    /// Share of a node's speed that it keeps in the gang, above 0.
    pub efficiency: f64,
    /// A blocking save.
    pub save_s: f64,
    /// Start of each gang after a loss, exposed to losses.
    pub restart_s: f64,
    /// Wait after each loss; all nodes are given back, so it is not billed.
    pub downtime_s: f64,
}

/// What a [`Scaling`] comes to in the mean, saving at the exact interval of the gang.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scaled {
    /// Losses per second of the gang.
    pub gang_rate_per_s: f64,
    /// Work between saves, in seconds of the gang.
    pub interval_s: f64,
    /// Submit to finish.
    pub makespan_s: f64,
    /// Billed time of all nodes together.
    pub billed_node_s: f64,
}

impl Scaling {
    /// T = W/(n e), and T times the overhead ratio of a long job; billed is the same without downtime.
    pub fn scaled(&self) -> Scaled {
        let n = f64::from(self.nodes);
        let gang_rate_per_s = gang_loss_rate(self.nodes, self.node_rate_per_s, 0.0, 0.0);
        let mean_uptime_s = 1.0 / gang_rate_per_s;
        let work_s = self.work_node_s / (n * self.efficiency);
        let interval_s = exact_interval_s(self.save_s, mean_uptime_s);
        let of = |downtime_s| {
            let losses = Memoryless { mean_uptime_s, restart_s: self.restart_s, downtime_s };
            work_s * losses.overhead_ratio(interval_s, self.save_s)
        };
        Scaled { gang_rate_per_s, interval_s, makespan_s: of(self.downtime_s), billed_node_s: n * of(0.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 8 × 1e-5 + 2e-5 × (1 − 0.5^8) = 9.992_187_5e-5; a shock that always hits adds its whole rate.
    #[test]
    fn a_shock_breaks_the_gang_unless_it_misses_every_node() {
        assert!((gang_loss_rate(8, 1e-5, 2e-5, 0.5) / 9.992_187_5e-5 - 1.0).abs() < 1e-14);
        assert!((gang_loss_rate(8, 1e-5, 2e-5, 1.0) / 1e-4 - 1.0).abs() < 1e-14);
        assert_eq!(gang_loss_rate(2, 2e-5, 7e-5, 0.0), 4e-5);
    }

    /// Nodes that scale perfectly save time; each loss then stops more of them, so they cost more.
    #[test]
    fn more_nodes_are_faster_and_dearer() {
        let of = |nodes| {
            let scaling = Scaling {
                nodes,
                node_rate_per_s: 1e-5,
                work_node_s: 698_400.0,
                efficiency: 1.0,
                save_s: 60.0,
                restart_s: 300.0,
                downtime_s: 600.0,
            };
            scaling.scaled()
        };
        assert!(of(8).makespan_s < of(4).makespan_s && of(8).billed_node_s > of(4).billed_node_s);
    }
}
