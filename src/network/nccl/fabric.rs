//! Fabrics that differ enough to have figures of their own.

use std::str::FromStr;

/// What carries an all-reduce: the network where there are several nodes, else the links inside the node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FabricClass {
    /// TCP sockets.
    Tcp,
    /// Google's TCPX and TCPXO: sockets that read and write GPU memory.
    Tcpx,
    /// EFA through host memory, one GPU a node: a single thread copies.
    EfaHostStagedOneGpu,
    /// EFA through host memory, several GPUs a node.
    EfaHostStaged,
    /// EFA that reads and writes the memory of A100 (its first generation).
    EfaGpuDirectAmpere,
    /// EFA that reads and writes the memory of H100 and later.
    EfaGpuDirect,
    /// InfiniBand or RoCE through host memory: the NIC is not beside the GPU.
    RdmaHostStaged,
    /// InfiniBand or RoCE that reads and writes GPU memory.
    RdmaGpuDirect,
    /// HPE Slingshot under Grace Hopper.
    Slingshot,
    /// NVSwitch that reduces by itself: H100 and later.
    NvSwitchSharp,
    /// NVSwitch of A100.
    NvSwitch,
    /// NVLink without a switch.
    NvLinkMesh,
    /// Host memory over PCIe.
    Pcie,
}

/// Wires and software between nodes, before it is known what GPUs and hosts make of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// TCP sockets.
    Tcp,
    /// TCPX or TCPXO.
    Tcpx,
    /// Elastic Fabric Adapter.
    Efa,
    /// InfiniBand or RoCE.
    Rdma,
    /// HPE Slingshot.
    Slingshot,
}

impl FromStr for Wire {
    type Err = UnknownFabric;

    fn from_str(text: &str) -> Result<Self, UnknownFabric> {
        Ok(match text {
            "tcp" => Self::Tcp,
            "tcpx" => Self::Tcpx,
            "efa" => Self::Efa,
            "rdma" => Self::Rdma,
            "slingshot" => Self::Slingshot,
            _ => return Err(UnknownFabric(text.to_owned())),
        })
    }
}

/// Figures that classes of one kind share until their own rows say otherwise: where the logarithms of a class's
/// figures are drawn to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pool {
    NetworkLatency,
    NodeLatency,
    SocketHop,
    EfaHop,
    RdmaHop,
    SocketEfficiency,
    StagedEfficiency,
    DirectEfficiency,
    NodeEfficiency,
    SocketRate,
    StagedRate,
}

impl Pool {
    pub(super) const COUNT: usize = 11;

    /// What is believed before any row, in the figure's own unit, and how far that may be wrong: standard deviation
    /// of its logarithm. Hops: 12 µs is between InfiniBand's few and a socket's hundred. Sockets stop at 2 to 4 GB/s,
    /// copies through
    /// host memory at 3 to 8. The rest is round.
    pub(super) fn belief(self) -> (f64, f64) {
        match self {
            Self::NetworkLatency | Self::NodeLatency => (1.5, 1.0),
            Self::SocketHop | Self::EfaHop | Self::RdmaHop => (12.0, 1.5),
            Self::SocketEfficiency
            | Self::StagedEfficiency
            | Self::DirectEfficiency
            | Self::NodeEfficiency => (0.8, 0.4),
            Self::SocketRate => (3.0, 0.5),
            Self::StagedRate => (5.0, 0.5),
        }
    }
}

impl FabricClass {
    /// All, in the order of the data file.
    pub const ALL: [Self; 13] = [
        Self::Tcp,
        Self::Tcpx,
        Self::EfaHostStagedOneGpu,
        Self::EfaHostStaged,
        Self::EfaGpuDirectAmpere,
        Self::EfaGpuDirect,
        Self::RdmaHostStaged,
        Self::RdmaGpuDirect,
        Self::Slingshot,
        Self::NvSwitchSharp,
        Self::NvSwitch,
        Self::NvLinkMesh,
        Self::Pcie,
    ];

    /// As data files spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tcp => "tcp",
            Self::Tcpx => "tcpx",
            Self::EfaHostStagedOneGpu => "efa-host-staged-one-gpu",
            Self::EfaHostStaged => "efa-host-staged",
            Self::EfaGpuDirectAmpere => "efa-gpudirect-ampere",
            Self::EfaGpuDirect => "efa-gpudirect",
            Self::RdmaHostStaged => "rdma-host-staged",
            Self::RdmaGpuDirect => "rdma-gpudirect",
            Self::Slingshot => "slingshot",
            Self::NvSwitchSharp => "nvswitch-sharp",
            Self::NvSwitch => "nvswitch",
            Self::NvLinkMesh => "nvlink-mesh",
            Self::Pcie => "pcie",
        }
    }

    /// Pools of its latency factor, hop, efficiency and rate limit; `None` where it has no such figure.
    pub(super) fn pools(self) -> [Option<Pool>; 4] {
        use Pool::{
            DirectEfficiency, EfaHop, NetworkLatency, NodeEfficiency, NodeLatency, RdmaHop, SocketEfficiency,
            SocketHop, SocketRate, StagedEfficiency, StagedRate,
        };
        let network = |hop, efficiency, rate| [Some(NetworkLatency), Some(hop), Some(efficiency), rate];
        match self {
            Self::Tcp => network(SocketHop, SocketEfficiency, Some(SocketRate)),
            Self::Tcpx => network(SocketHop, DirectEfficiency, None),
            Self::EfaHostStagedOneGpu => network(EfaHop, StagedEfficiency, Some(StagedRate)),
            Self::EfaHostStaged => network(EfaHop, StagedEfficiency, None),
            Self::EfaGpuDirectAmpere | Self::EfaGpuDirect => network(EfaHop, DirectEfficiency, None),
            Self::RdmaHostStaged => network(RdmaHop, StagedEfficiency, Some(StagedRate)),
            Self::RdmaGpuDirect | Self::Slingshot => network(RdmaHop, DirectEfficiency, None),
            Self::NvSwitchSharp | Self::NvSwitch | Self::NvLinkMesh | Self::Pcie => {
                [Some(NodeLatency), None, Some(NodeEfficiency), None]
            }
        }
    }
}

impl FromStr for FabricClass {
    type Err = UnknownFabric;

    fn from_str(text: &str) -> Result<Self, UnknownFabric> {
        let known = Self::ALL.into_iter().find(|class| class.name() == text);
        known.ok_or_else(|| UnknownFabric(text.to_owned()))
    }
}

/// A name that no class has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}`: no fabric of this name has figures")]
pub struct UnknownFabric(pub String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_is_read_by_its_name() {
        for class in FabricClass::ALL {
            assert_eq!(class.name().parse(), Ok(class));
        }
        assert!("pigeon".parse::<FabricClass>().is_err());
    }
}
