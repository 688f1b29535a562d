//! Ring all-reduce.

use crate::units::{Bandwidth, Bytes};

/// All-reduce of `bytes` around a ring of `ranks`: each rank sends and receives `2(n−1)/n` of them
/// over the slowest link of the ring. Latency is not counted: gradients are large.
/// Source: nccl-tests `doc/PERFORMANCE.md`, bus bandwidth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RingAllReduce {
    /// Bytes to reduce, the same on every rank.
    pub bytes: Bytes,
    /// Ranks in the ring.
    pub ranks: u32,
    /// Achieved bandwidth of the slowest link, one direction.
    pub bandwidth: Bandwidth,
}

impl RingAllReduce {
    /// Seconds it takes.
    pub fn time_s(&self) -> f64 {
        let n = f64::from(self.ranks);
        2.0 * (n - 1.0) / n * self.bandwidth.secs_for(self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring_s(gb: f64, ranks: u32, bandwidth: &str) -> f64 {
        let bytes = Bytes::new((gb * 1e9) as u64);
        RingAllReduce { bytes, ranks, bandwidth: bandwidth.parse().unwrap() }.time_s()
    }

    /// Cases 18 and 19: 1 GB among 8 at 25 Gbit/s; 1.4 GB among 2, 4, 8 at 10 Gbit/s.
    #[test]
    fn the_ring_sends_twice_all_but_its_own_share() {
        assert!((ring_s(1.0, 8, "25 Gbit/s") - 0.560).abs() < 1e-9);
        for (ranks, seconds) in [(1, 0.0), (2, 1.12), (4, 1.68), (8, 1.96)] {
            assert!((ring_s(1.4, ranks, "10 Gbit/s") - seconds).abs() < 1e-9, "{ranks}");
        }
    }
}
