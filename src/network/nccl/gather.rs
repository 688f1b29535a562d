//! All-gather and reduce-scatter, of which sharded training is made.

use super::Nccl;
use super::algorithm::{Algorithm, Protocol};

impl Nccl {
    /// NCCL's estimate for an all-gather, or a reduce-scatter, of `bytes` gathered: half an all-reduce.
    /// Microseconds, the least over what NCCL considers: rings, and NVLS within one node.
    pub fn gather_time_us(&self, bytes: u64) -> f64 {
        let pairs = [Algorithm::Ring, Algorithm::Nvls]
            .into_iter()
            .flat_map(|algorithm| Protocol::ALL.map(|protocol| (algorithm, protocol)));
        pairs
            .filter(|(algorithm, protocol)| self.enabled(*algorithm, *protocol))
            .map(|(algorithm, protocol)| self.gather_pair_us(algorithm, protocol, bytes))
            .fold(f64::INFINITY, f64::min)
    }

    fn gather_pair_us(&self, algorithm: Algorithm, protocol: Protocol, bytes: u64) -> f64 {
        let n = f64::from(self.ranks.count());
        if self.ranks.count() == 1 {
            return 0.0;
        }
        let latency = self.latency(algorithm, protocol);
        // A ring goes around once instead of twice; a switch needs one step for either.
        let rounds = if algorithm == Algorithm::Ring { 0.5 } else { 1.0 };
        let latency_us = latency.base_us + rounds * (latency.intra_us + latency.hops * latency.hop_us);
        let gb_per_s = self.bus_bandwidth(algorithm, protocol) * n / (n - 1.0);
        latency_us + bytes as f64 / (1_000.0 * gb_per_s)
    }
}
