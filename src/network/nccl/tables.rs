//! Constants of NCCL's cost model. Source: `NVIDIA/nccl:src/graph/tuning.cc`, 2.30.7, read 2026-12.
//!
//! Latencies in microseconds; bandwidths in GB/s (10^9 bytes/s).

use super::algorithm::{Algorithm, Protocol};
use super::ranks::Generation;

/// One figure for each of LL, LL128, Simple.
type ByProtocol = [f64; 3];
/// One figure for each of Tree, Ring, NVLS, NVLSTree, by protocol; 0 where a pair does not exist.
type ByAlgorithm = [ByProtocol; 4];
/// One figure for one, two, and more nodes.
type ByNodes = [f64; 3];
/// One figure for each of Volta, Ampere, Hopper, Blackwell, by nodes.
type ByGeneration = [ByNodes; 4];

/// Links that latencies are told apart by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hardware {
    NvLink,
    Pcie,
    Network,
}

const BASE: ByAlgorithm = [[6.8, 14.0, 8.4], [6.6, 14.0, 8.4], [0.0; 3], [0.0; 3]];
const NVLINK: ByAlgorithm = [[0.6, 1.25, 4.0], [0.6, 1.9, 3.4], [0.0, 0.0, 25.0], [0.0, 0.0, 25.0]];
const PCIE: ByAlgorithm = [[1.0, 1.9, 4.0], [1.0, 2.5, 5.7], [0.0; 3], [0.0; 3]];
const NETWORK: ByAlgorithm = [[5.0, 8.5, 14.0], [2.7, 4.0, 14.0], [0.0, 0.0, 18.0], [0.0, 0.0, 20.9]];

/// Latency of any collective, before the first hop.
pub(super) fn base_us(algorithm: Algorithm, protocol: Protocol) -> f64 {
    BASE[algorithm_column(algorithm)][protocol as usize]
}

/// Latency of one hop.
pub(super) fn hop_us(hardware: Hardware, algorithm: Algorithm, protocol: Protocol) -> f64 {
    let table = match hardware {
        Hardware::NvLink => NVLINK,
        Hardware::Pcie => PCIE,
        Hardware::Network => NETWORK,
    };
    table[algorithm_column(algorithm)][protocol as usize]
}

fn algorithm_column(algorithm: Algorithm) -> usize {
    match algorithm {
        Algorithm::Tree => 0,
        Algorithm::Ring => 1,
        Algorithm::Nvls => 2,
        Algorithm::NvlsTree => 3,
    }
}

/// Most that LL moves. Between nodes it depends on the host instead of the GPU: `Ampere` for AMD, else `Volta`.
const LL_MAX: ByGeneration =
    [[39.0, 39.0, 20.4], [87.7, 22.5, 19.0], [141.0, 45.0, 35.0], [282.0, 90.0, 70.0]];
/// Most that LL128 moves per ring channel.
const RING_LL128_MAX: ByGeneration = [[20.0; 3], [20.0; 3], [36.7; 3], [40.0; 3]];
/// Most that LL128 moves per tree channel.
const TREE_LL128_MAX: ByGeneration = [[20.0; 3], [20.0; 3], [36.7, 36.7, 29.0], [55.6, 31.67, 20.0]];
/// Most that a tree channel moves under any protocol.
const TREE_MAX: ByGeneration =
    [[26.5, 18.5, 10.0], [24.0, 23.6, 17.8], [38.7, 41.4, 36.0], [70.0, 42.8, 24.0]];
/// Most that an NVLSTree channel moves.
const NVLS_TREE_MAX: ByGeneration = [[0.0; 3], [0.0; 3], [0.0, 57.7, 45.5], [0.0, 96.0, 80.0]];

/// Limits on bandwidth of one kind of GPU (or, for `ll`, host) and number of nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Limits {
    pub ring_ll128: f64,
    pub tree_ll128: f64,
    pub tree: f64,
    pub nvls_tree: f64,
}

/// Limits per channel.
pub(super) fn limits(generation: Generation, node_column: usize) -> Limits {
    let pick = |table: ByGeneration| table[generation as usize][node_column];
    Limits {
        ring_ll128: pick(RING_LL128_MAX),
        tree_ll128: pick(TREE_LL128_MAX),
        tree: pick(TREE_MAX),
        nvls_tree: pick(NVLS_TREE_MAX),
    }
}

/// Most that LL moves over all channels.
pub(super) fn ll_max(row: Generation, node_column: usize) -> f64 {
    LL_MAX[row as usize][node_column]
}

/// Share of the bandwidth that trees reach, by the power of two of `bytes / 64`.
const TREE_CORRECTION: [[f64; 23]; 3] = [
    [
        1.0, 1.0, 1.0, 1.0, 0.9, 0.8, 0.7, 0.7, 0.7, 0.7, 0.6, 0.5, 0.4, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0,
        1.0, 1.0, 1.0,
    ],
    [
        1.0, 1.0, 1.0, 1.0, 1.0, 0.9, 0.8, 0.8, 0.8, 0.7, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.8, 0.9, 0.9, 0.9,
        0.9, 1.0, 1.0,
    ],
    [
        0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.8, 0.7, 0.6, 0.6, 0.5, 0.5, 0.5, 0.5, 0.6, 0.7, 0.8, 0.7, 0.7,
        0.8, 0.9, 0.9,
    ],
];

/// Share of its bandwidth that a tree reaches at `bytes`.
pub(super) fn tree_correction(protocol: Protocol, bytes: u64) -> f64 {
    let shares = &TREE_CORRECTION[protocol as usize];
    (bytes / 64).checked_ilog2().and_then(|power| shares.get(power as usize)).copied().unwrap_or(1.0)
}
