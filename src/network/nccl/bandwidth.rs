//! What an all-reduce takes per byte.

use super::Nccl;
use super::algorithm::{Algorithm, Protocol};
use super::graph::{ChannelBandwidth, NvlsGraph, TreePattern};
use super::ranks::{CpuVendor, Generation};
use super::tables;

impl Nccl {
    /// Algorithm bandwidth of an all-reduce of many bytes, GB/s (10^9 bytes/s): bytes over time.
    pub fn bandwidth(&self, algorithm: Algorithm, protocol: Protocol) -> f64 {
        let bus = self.bus_bandwidth(algorithm, protocol);
        let n = f64::from(self.ranks.count());
        match algorithm {
            Algorithm::Tree => bus / 2.0,
            Algorithm::Ring | Algorithm::Nvls | Algorithm::NvlsTree => bus * n / (2.0 * (n - 1.0)),
        }
    }

    /// Share of [`Self::bandwidth`] that is reached at `bytes`, above 0 and at most 1.
    pub fn correction(&self, algorithm: Algorithm, protocol: Protocol, bytes: u64) -> f64 {
        let x86_blackwell =
            self.ranks.generation() == Generation::Blackwell && self.ranks.cpu != CpuVendor::Other;
        match algorithm {
            Algorithm::Tree => tables::tree_correction(protocol, bytes),
            Algorithm::NvlsTree if x86_blackwell => tables::tree_correction(protocol, bytes),
            Algorithm::Ring | Algorithm::Nvls | Algorithm::NvlsTree => 1.0,
        }
    }

    /// Bytes that cross each channel's slowest link, over time, all channels together.
    pub(super) fn bus_bandwidth(&self, algorithm: Algorithm, protocol: Protocol) -> f64 {
        match algorithm {
            Algorithm::Ring => self.ring_bus(protocol),
            Algorithm::Tree => self.tree_bus(protocol),
            Algorithm::Nvls | Algorithm::NvlsTree => {
                self.graph.nvls.map_or(0.0, |nvls| self.nvls_bus(algorithm, nvls))
            }
        }
    }

    fn ring_bus(&self, protocol: Protocol) -> f64 {
        let channels = f64::from(self.graph.channels);
        let bus = channels * self.channel(self.graph.ring);
        match protocol {
            Protocol::LL => (0.5 * bus).min(self.ll_max()),
            Protocol::LL128 => (0.92 * bus).min(channels * self.limits().ring_ll128),
            Protocol::Simple => bus,
        }
    }

    fn tree_bus(&self, protocol: Protocol) -> f64 {
        let channels = f64::from(self.graph.channels);
        let limits = self.limits();
        let bus = (0.92 * channels * self.channel(self.graph.tree)).min(channels * limits.tree);
        let flags = if self.ranks.nodes == 1 { 7.0 / 9.0 } else { 120.0 / 128.0 };
        let bus = match protocol {
            Protocol::LL => (bus / 3.8).min(self.ll_max()),
            Protocol::LL128 => (flags * bus).min(channels * limits.tree_ll128),
            Protocol::Simple => bus,
        };
        if self.graph.tree_pattern == TreePattern::Chain { 0.85 * bus } else { bus }
    }

    fn nvls_bus(&self, algorithm: Algorithm, nvls: NvlsGraph) -> f64 {
        let channels = f64::from(nvls.channels);
        let efficiency = if self.ranks.generation() == Generation::Blackwell { 0.74 } else { 0.85 };
        let intra = nvls.bandwidth.intra * efficiency * 2.0 * (channels - 1.0) / channels;
        let per_channel = match algorithm {
            Algorithm::NvlsTree => {
                let halves = if self.ranks.nodes == 2 { 2.0 } else { 1.0 };
                intra.min(nvls.bandwidth.inter * halves).min(self.limits().nvls_tree)
            }
            Algorithm::Nvls | Algorithm::Ring | Algorithm::Tree => intra.min(nvls.bandwidth.inter),
        };
        channels * per_channel
    }

    /// The bandwidth of a channel that counts: up to two nodes, each NIC carries only half of a tree.
    fn channel(&self, bandwidth: ChannelBandwidth) -> f64 {
        if self.ranks.nodes <= 2 { bandwidth.intra } else { bandwidth.inter }
    }

    fn limits(&self) -> tables::Limits {
        tables::limits(self.ranks.generation(), self.ranks.node_column())
    }

    fn ll_max(&self) -> f64 {
        let row = match self.ranks.cpu {
            _ if self.ranks.nodes == 1 => self.ranks.generation(),
            CpuVendor::Amd => Generation::Ampere,
            CpuVendor::Intel | CpuVendor::Other => Generation::Volta,
        };
        tables::ll_max(row, self.ranks.node_column())
    }
}
