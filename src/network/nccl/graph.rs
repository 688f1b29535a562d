//! What NCCL's search for rings and trees came to.

/// The worst kind of link on a path, the closest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PathClass {
    /// The GPU itself: no link.
    Local,
    /// NVLink, through an NVLink switch too.
    NvLink,
    /// NVLink through another GPU.
    NvLinkBridge,
    /// Chip-to-chip link of a Grace host.
    ChipToChip,
    /// One PCIe switch.
    PcieSwitch,
    /// Several PCIe switches, no host bridge.
    PcieSwitches,
    /// To a NIC over a host's chip-to-chip link.
    PcieChipToChip,
    /// NVLink to the GPU beside the NIC.
    NvLinkToNic,
    /// The PCIe host bridge.
    HostBridge,
    /// From one socket to another.
    Sockets,
}

/// Shape of the part of a tree that lies inside a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreePattern {
    /// Two GPUs share the NIC's traffic.
    Balanced,
    /// One GPU does it all.
    Chain,
}

/// Bandwidth per channel, GB/s (10^9 bytes/s) in one direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChannelBandwidth {
    /// Between GPUs of a node.
    pub intra: f64,
    /// Between nodes; within a single node it is not used.
    pub inter: f64,
}

/// Channels of NVLink SHARP.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NvlsGraph {
    /// Channels, one per GPU that heads one; fewer than 2 disable it.
    pub channels: u32,
    /// Bandwidth of each.
    pub bandwidth: ChannelBandwidth,
}

/// Channels and bandwidths that the search found for one communicator.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Graph {
    /// Channels of rings, and of trees too.
    pub channels: u32,
    /// Of a ring's channel.
    pub ring: ChannelBandwidth,
    /// Of a tree's channel.
    pub tree: ChannelBandwidth,
    /// Shape of the trees.
    pub tree_pattern: TreePattern,
    /// Worst path between GPUs of a node; `Local` where a node has one.
    pub intra_path: PathClass,
    /// Worst path from a GPU to its NIC; `Local` within a single node.
    pub inter_path: PathClass,
    /// NVLink SHARP, where the node has a switch that can.
    pub nvls: Option<NvlsGraph>,
    /// Channels in the end, after the search's were multiplied.
    pub final_channels: u32,
}
