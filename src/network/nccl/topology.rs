//! Of what links a cluster is made, as far as NCCL sees them.

use super::ranks::{CpuVendor, Ranks};

/// A host's processors, as far as the speed from socket to socket depends on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Processor {
    /// Intel up to Broadwell.
    Broadwell,
    /// Intel Skylake, Cascade Lake, Ice Lake.
    Skylake,
    /// Intel Sapphire Rapids.
    SapphireRapids,
    /// Intel Emerald Rapids and later.
    EmeraldRapids,
    /// Any of AMD's.
    Amd,
    /// Any Arm.
    Arm,
}

impl Processor {
    /// Its maker.
    pub fn vendor(self) -> CpuVendor {
        match self {
            Self::Amd => CpuVendor::Amd,
            Self::Arm => CpuVendor::Other,
            Self::Broadwell | Self::Skylake | Self::SapphireRapids | Self::EmeraldRapids => CpuVendor::Intel,
        }
    }

    /// GB/s from one socket to another, in one direction. Source: `NVIDIA/nccl:src/graph/topo.h`.
    pub(super) fn socket_gb_per_s(self) -> f64 {
        match self {
            Self::Broadwell | Self::Arm => 6.0,
            Self::Skylake => 10.0,
            Self::SapphireRapids => 22.0,
            Self::EmeraldRapids => 40.0,
            Self::Amd => 16.0,
        }
    }
}

/// What joins the GPUs of one node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Intra {
    /// Host memory: each GPU writes to it and reads from it over PCIe.
    HostMemory {
        /// Generation of PCIe, 16 lanes a GPU.
        pcie: u32,
        /// Processor sockets over which the GPUs are spread.
        sockets: u32,
    },
    /// NVLink in the mesh of eight V100, or four GPUs that are joined each to each.
    NvLinkMesh,
    /// NVLink from each GPU to each other, on hosts of one socket per GPU.
    NvLinkAllToAll,
    /// NVLink through switches.
    NvSwitch,
}

/// What carries bytes between nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// TCP sockets of a virtual NIC.
    Sockets,
    /// A network that GPUs or NICs read and write by themselves: EFA, InfiniBand, RoCE, Slingshot, TCPX.
    Rdma,
}

/// The NICs of one node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inter {
    /// What they speak.
    pub transport: Transport,
    /// How many there are, at least 1.
    pub nics: u32,
    /// What NCCL takes each to carry, GB/s (10^9 bytes/s) in one direction.
    pub nic_gb_per_s: f64,
}

/// Why a topology has no graph.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TopologyError {
    /// A word for a processor that is not known.
    #[error(
        "processor `{0}`: not known; known are bdw, skl, icx, spr, emr, rome, milan, genoa, grace and others"
    )]
    Processor(String),
    /// Words for links inside a node that are not understood.
    #[error(
        "links inside a node `{0}`: expected NVSwitch, NVLink all-to-all, clique or mesh, or PCIe3 to PCIe5 without peer-to-peer"
    )]
    Intra(String),
    /// Words for NICs that are not understood.
    #[error("network `{0}`: expected a transport and a rate, as in `EFA 4x100G`")]
    Inter(String),
    /// Several nodes without a network.
    #[error("{0} nodes and no network between them")]
    NoNetwork(u32),
    /// Several GPUs a node that nothing joins.
    #[error("{0} GPUs a node and no links between them")]
    NoLinks(u32),
    /// A node without GPUs, or no nodes.
    #[error("no ranks: at least one node of one GPU is needed")]
    NoRanks,
    /// NVLink on GPUs that have none, or in a number whose wiring is not known.
    #[error("how {gpus} GPUs of sm {sm} are wired by NVLink is not known")]
    NvLink {
        /// GPUs a node.
        gpus: u32,
        /// Their compute capability times 10.
        sm: u32,
    },
    /// Not even the least speed fits.
    #[error("no ring fits: {0} GB/s per NIC is less than the slowest channel")]
    TooSlow(String),
}

/// A cluster's ranks and the links among them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Topology {
    /// Nodes, at least 1.
    pub nodes: u32,
    /// GPUs of each node that take part, at least 1.
    pub gpus_per_node: u32,
    /// The least compute capability of all GPUs, times 10.
    pub sm: u32,
    /// The hosts' processors.
    pub cpu: Processor,
    /// What joins the GPUs of a node; `None` where a node has one.
    pub intra: Option<Intra>,
    /// What joins the nodes; `None` where there is one.
    pub inter: Option<Inter>,
    /// Latency that the network layer reports, microseconds.
    pub net_latency_us: f64,
}

impl Topology {
    /// Its ranks, all that the cost model needs besides the graph.
    pub fn ranks(&self) -> Ranks {
        Ranks {
            nodes: self.nodes,
            gpus_per_node: self.gpus_per_node,
            sm: self.sm,
            cpu: self.cpu.vendor(),
            net_latency_us: self.net_latency_us,
        }
    }
}
