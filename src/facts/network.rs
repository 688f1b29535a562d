//! What joins nodes, and the GPUs of a node.

use serde::Deserialize;

/// One `[[fabric]]` of `data/networks.toml`: between nodes.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fabric {
    /// `"tcp"`, `"efa-gpudirect"` and so on.
    pub name: String,
    /// Beginnings of the names of the instances that have it; empty: all that no other fabric names.
    #[serde(default)]
    pub instances: Vec<String>,
    /// What its NICs speak, as NCCL's model tells it apart: `tcp`, `tcpx`, `efa`, `rdma` or `slingshot`.
    pub wire: String,
    /// When it was read.
    pub date: String,
    /// How far to trust it.
    pub confidence: String,
    /// Where it comes from.
    pub source: String,
}

/// One `[[interconnect]]` of `data/networks.toml`: between the GPUs of one node.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interconnect {
    /// `"pcie-host-staged"`, `"nvlink3-nvswitch"` and so on.
    pub name: String,
    /// The values of [`super::Instance::intra_node_interconnect`] that it stands for.
    pub interconnects: Vec<String>,
    /// Its class among [`super::NcclFigures`].
    pub nccl: String,
    /// When it was read.
    pub date: String,
    /// How far to trust it.
    pub confidence: String,
    /// Where it comes from.
    pub source: String,
}
