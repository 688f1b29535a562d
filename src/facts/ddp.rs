//! What exchanging gradients costs beside the bytes.

use super::Estimate;
use serde::Deserialize;

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
