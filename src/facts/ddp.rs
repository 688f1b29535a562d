//! What exchanging gradients costs beside the bytes.

use serde::Deserialize;

/// A figure with the range in which it is to be varied.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Estimate {
    /// Used where nothing else is said.
    pub value: f64,
    /// The least that is likely.
    pub low: f64,
    /// The most that is likely.
    pub high: f64,
    /// When it was measured or made.
    pub date: String,
    /// How far to trust it; "assumed" where it is not measured.
    pub confidence: String,
    /// Where it comes from.
    pub source: String,
}

/// `data/ddp.toml`: figures of PyTorch's `DistributedDataParallel`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DdpCosts {
    /// Host and kernel launch for each bucket, seconds.
    pub launch_s: Estimate,
    /// Share by which the backward pass is slower while NCCL sends between nodes.
    pub contention_between_nodes: Estimate,
    /// The same with NCCL inside a node.
    pub contention_inside_node: Estimate,
    /// Spread of the ranks' computing times, a share of them.
    pub straggler_sigma: Estimate,
}
