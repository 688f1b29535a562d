//! Rings and trees that NCCL's own search found, and the systems that it found them in.

use super::{VerifyError, rows};
use crate::network::nccl::{ChannelBandwidth, Graph, NvlsGraph, PathClass, TreePattern};
use serde::Deserialize;

/// One graph per system and number of nodes; source and date in the file.
const GRAPHS: &str = include_str!("../../../data/verify/nccl_graphs.csv");

/// One line of the file.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct KnownGraph {
    pub system: String,
    pub nodes: u32,
    pub gpus_per_node: u32,
    pub sm: u32,
    pub cpu: String,
    pub inter: String,
    pub intra: String,
    pub net_latency_us: f64,
    ring_channels: u32,
    ring_bw_intra: f64,
    ring_bw_inter: Option<f64>,
    ring_type_intra: String,
    ring_type_inter: String,
    tree_bw_intra: f64,
    tree_bw_inter: Option<f64>,
    tree_pattern: String,
    nvls_channels: u32,
    nvls_bw_intra: f64,
    nvls_bw_inter: f64,
    final_channels: u32,
}

/// All that are carried.
pub(super) fn known_graphs() -> Result<Vec<KnownGraph>, VerifyError> {
    rows::read(GRAPHS)
}

impl KnownGraph {
    /// The graph of the line.
    pub(super) fn graph(&self) -> Result<Graph, VerifyError> {
        let nvls = NvlsGraph {
            channels: self.nvls_channels,
            bandwidth: ChannelBandwidth { intra: self.nvls_bw_intra, inter: self.nvls_bw_inter },
        };
        Ok(Graph {
            channels: self.ring_channels,
            ring: channel(self.ring_bw_intra, self.ring_bw_inter),
            tree: channel(self.tree_bw_intra, self.tree_bw_inter),
            tree_pattern: match self.tree_pattern.as_str() {
                "balanced" => TreePattern::Balanced,
                "chain" => TreePattern::Chain,
                other => return Err(VerifyError::Row(format!("`{}`: tree pattern {other}", self.system))),
            },
            intra_path: self.path(&self.ring_type_intra)?,
            inter_path: self.path(&self.ring_type_inter)?,
            nvls: (nvls.channels > 0).then_some(nvls),
            final_channels: self.final_channels,
        })
    }

    fn path(&self, word: &str) -> Result<PathClass, VerifyError> {
        Ok(match word {
            "-" | "LOC" => PathClass::Local,
            "NVL" => PathClass::NvLink,
            "NVB" => PathClass::NvLinkBridge,
            "C2C" => PathClass::ChipToChip,
            "PIX" => PathClass::PcieSwitch,
            "PXB" => PathClass::PcieSwitches,
            "P2C" => PathClass::PcieChipToChip,
            "PXN" => PathClass::NvLinkToNic,
            "PHB" => PathClass::HostBridge,
            "SYS" => PathClass::Sockets,
            other => return Err(VerifyError::Row(format!("`{}`: path class {other}", self.system))),
        })
    }
}

/// Within one node the file gives no bandwidth between nodes, and none is used.
fn channel(intra: f64, inter: Option<f64>) -> ChannelBandwidth {
    ChannelBandwidth { intra, inter: inter.unwrap_or(intra) }
}
