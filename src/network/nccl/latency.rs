//! What an all-reduce takes however few its bytes.

use super::Nccl;
use super::algorithm::{Algorithm, Protocol};
use super::graph::PathClass;
use super::ranks::CpuVendor;
use super::tables::{self, Hardware};

/// Latency of one collective, taken apart so that a calibration can scale each part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Latency {
    /// Before the first hop, microseconds.
    pub base_us: f64,
    /// All hops inside nodes together, microseconds.
    pub intra_us: f64,
    /// Hops between nodes, one after the other.
    pub hops: f64,
    /// One hop between nodes, microseconds.
    pub hop_us: f64,
}

impl Latency {
    /// All of it, microseconds.
    pub fn total_us(&self) -> f64 {
        self.base_us + self.intra_us + self.hops * self.hop_us
    }
}

impl Nccl {
    /// Latency of an all-reduce, the plateau of large rings not counted ([`Self::plateau`]).
    pub fn latency(&self, algorithm: Algorithm, protocol: Protocol) -> Latency {
        let ranks = &self.ranks;
        let (nodes, gpus) = (f64::from(ranks.nodes), f64::from(ranks.gpus_per_node));
        let intra_us = self.intra_hop_us(algorithm, protocol);
        // Of a ring's 2(n-1) hops, 2(nodes-1) leave a node.
        let (intra_us, hops) = match algorithm {
            Algorithm::Ring => (
                2.0 * nodes * (gpus - 1.0) * intra_us.max(self.ring_overhead_us(protocol)),
                2.0 * (nodes - 1.0),
            ),
            Algorithm::Tree => (2.0 * (gpus - 1.0) * intra_us, 2.0 * ranks.tree_depth()),
            Algorithm::Nvls => (intra_us, 0.0),
            Algorithm::NvlsTree => (intra_us, 2.0 * ranks.tree_depth()),
        };
        Latency {
            base_us: tables::base_us(algorithm, protocol),
            intra_us,
            hops,
            hop_us: self.inter_hop_us(algorithm, protocol),
        }
    }

    /// One hop between GPUs of a node.
    pub(super) fn intra_hop_us(&self, algorithm: Algorithm, protocol: Protocol) -> f64 {
        let hardware =
            if self.graph.intra_path == PathClass::NvLink { Hardware::NvLink } else { Hardware::Pcie };
        tables::hop_us(hardware, algorithm, protocol)
    }

    /// One hop between nodes.
    pub(super) fn inter_hop_us(&self, algorithm: Algorithm, protocol: Protocol) -> f64 {
        // Rings of single-GPU nodes have no hop inside a node to hide the network's latency behind.
        let row = if self.ranks.gpus_per_node == 1 { Algorithm::Tree } else { algorithm };
        let times = if protocol == Protocol::Simple { 2.0 } else { 1.0 };
        tables::hop_us(Hardware::Network, row, protocol) + times * self.ranks.net_latency_us
    }

    /// The least that a ring's hop inside a node takes when the ring also leaves the node.
    pub(super) fn ring_overhead_us(&self, protocol: Protocol) -> f64 {
        let per_flag = if self.ranks.cpu == CpuVendor::Amd { 2.0 } else { 1.0 };
        match protocol {
            _ if self.ranks.nodes == 1 => 0.0,
            Protocol::Simple => 3.0 * per_flag,
            Protocol::LL | Protocol::LL128 => per_flag,
        }
    }

    /// What the latency of an all-reduce is multiplied by: above 1 for large messages around rings
    /// of several nodes.
    pub fn plateau(&self, algorithm: Algorithm, protocol: Protocol, bytes: u64) -> f64 {
        let lanes = u64::from(self.graph.final_channels.max(1)) * u64::from(self.ranks.count());
        let ring = algorithm == Algorithm::Ring && protocol == Protocol::Simple && self.ranks.nodes > 1;
        match self.ranks.sm {
            _ if !ring || bytes / lanes < 64 => 1.0,
            0..80 => 1.9,
            _ => 1.4,
        }
    }
}
