//! What the placement of nodes does to a path between two of them.

use crate::units::Bandwidth;

/// A path between two nodes, as their placement leaves it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NodePath {
    /// The most that one connection moves, one direction; `None` where connections are not limited.
    pub single_flow: Option<Bandwidth>,
    /// Latency of a hop beyond that inside a placement group, seconds.
    pub hop_latency_s: f64,
}

/// How many connections a pair of ranks opens: NCCL's `NCCL_SOCKET_NTHREADS` and `NCCL_NSOCKS_PERTHREAD`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sockets {
    /// Helper threads, at least 1.
    pub threads: u32,
    /// Connections of each thread, at least 1.
    pub per_thread: u32,
}

impl Sockets {
    /// Connections in all.
    pub fn flows(self) -> u32 {
        self.threads * self.per_thread
    }
}

impl NodePath {
    /// What `flows` connections together move on an interface of `nominal` rate.
    pub fn rate(&self, nominal: Bandwidth, flows: u32) -> Bandwidth {
        let together = self
            .single_flow
            .and_then(|one| Bandwidth::from_bytes_per_s(f64::from(flows.max(1)) * one.bytes_per_s()));
        match together {
            Some(limit) if limit < nominal => limit,
            _ => nominal,
        }
    }

    /// Latency that the placement adds to a collective of so many hops in a row, seconds: `2(N−1)` of them in a
    /// ring of N nodes, `2 log2 N` in a tree.
    pub fn added_latency_s(&self, hops: u32) -> f64 {
        f64::from(hops) * self.hop_latency_s
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(single_flow: &str) -> NodePath {
        NodePath { single_flow: Some(single_flow.parse().unwrap()), hop_latency_s: 0.4e-3 }
    }

    fn rate(single_flow: &str, flows: u32) -> Bandwidth {
        path(single_flow).rate("25 Gbit/s".parse().unwrap(), flows)
    }

    /// AWS: 5 Gbit/s a connection outside a cluster placement group, 10 inside.
    #[test]
    fn few_connections_do_not_fill_a_fast_interface() {
        assert_eq!(rate("5 Gbit/s", 1), "5 Gbit/s".parse().unwrap());
        assert_eq!(rate("10 Gbit/s", 2), "20 Gbit/s".parse().unwrap());
    }

    #[test]
    fn many_connections_are_bound_by_the_interface() {
        let sockets = Sockets { threads: 2, per_thread: 8 };
        assert_eq!(rate("5 Gbit/s", sockets.flows()), "25 Gbit/s".parse().unwrap());
    }

    #[test]
    fn a_path_without_a_limit_moves_the_nominal_rate() {
        let free = NodePath { single_flow: None, hop_latency_s: 0.0 };
        assert_eq!(free.rate("100 Gbit/s".parse().unwrap(), 1), "100 Gbit/s".parse().unwrap());
    }

    /// A ring of 4 nodes has 6 hops.
    #[test]
    fn latency_adds_up_hop_by_hop() {
        assert!((path("5 Gbit/s").added_latency_s(6) - 2.4e-3).abs() < 1e-12);
    }
}
