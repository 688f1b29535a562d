//! Which algorithm and protocol NCCL takes.

use super::Nccl;
use super::algorithm::{Algorithm, Protocol};
use super::graph::PathClass;

/// What NCCL takes for an all-reduce.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choice {
    /// Who sends to whom.
    pub algorithm: Algorithm,
    /// How arrival is told.
    pub protocol: Protocol,
    /// What NCCL thinks that it takes, microseconds.
    pub time_us: f64,
    /// Bytes over time, GB/s (10^9 bytes/s); infinite for a single rank.
    pub alg_bw: f64,
}

impl Nccl {
    /// Whether NCCL considers the pair at all.
    pub fn enabled(&self, algorithm: Algorithm, protocol: Protocol) -> bool {
        let one_node = self.ranks.nodes == 1;
        let nvls = self.graph.nvls.is_some_and(|nvls| nvls.channels >= 2) && self.ranks.sm >= 90;
        let simple = protocol == Protocol::Simple;
        match algorithm {
            Algorithm::Ring | Algorithm::Tree => protocol != Protocol::LL128 || self.whole_stores(),
            Algorithm::Nvls => nvls && simple && one_node,
            Algorithm::NvlsTree => nvls && simple && !one_node,
        }
    }

    /// Whether 128 bytes arrive whole on every path, as LL128 needs.
    fn whole_stores(&self) -> bool {
        let farthest = if self.ranks.sm >= 90 { PathClass::NvLinkToNic } else { PathClass::PcieSwitches };
        self.ranks.sm >= 70
            && self.graph.intra_path <= PathClass::NvLinkBridge
            && self.graph.inter_path <= farthest
    }

    /// NCCL's estimate for an all-reduce of `bytes`, microseconds; `None` where it does not consider the pair.
    /// A single rank has nothing to send.
    pub fn time_us(&self, algorithm: Algorithm, protocol: Protocol, bytes: u64) -> Option<f64> {
        if !self.enabled(algorithm, protocol) {
            return None;
        }
        if self.ranks.count() == 1 {
            return Some(0.0);
        }
        let latency_us =
            self.latency(algorithm, protocol).total_us() * self.plateau(algorithm, protocol, bytes);
        let gb_per_s = self.bandwidth(algorithm, protocol) * self.correction(algorithm, protocol, bytes);
        Some(latency_us + bytes as f64 / (1_000.0 * gb_per_s))
    }

    /// What NCCL takes for an all-reduce of `bytes`: the least time.
    pub fn choose(&self, bytes: u64) -> Choice {
        let mut best: Option<Choice> = None;
        for algorithm in Algorithm::ALL {
            for protocol in Protocol::ALL {
                let Some(time_us) = self.time_us(algorithm, protocol, bytes) else { continue };
                if best.is_none_or(|best| time_us < best.time_us) {
                    let alg_bw = bytes as f64 / (1_000.0 * time_us);
                    best = Some(Choice { algorithm, protocol, time_us, alg_bw });
                }
            }
        }
        best.expect("rings with the simple protocol are always considered")
    }
}
