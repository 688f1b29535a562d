//! What the links of one node can carry at once.
//!
//! The rules are those by which NCCL's search takes bandwidth off links, `src/graph/search.cc` and
//! `src/graph/paths.cc`, 2.30.7. The node is taken as symmetric, so that each rule is an inequality and
//! nothing is searched link by link. Held against NCCL's own graphs of 104 clusters in
//! `data/verify/nccl_graphs.csv`; where its search stops short of what the links allow, a rule says so.

use super::topology::{Inter, Intra, Topology, TopologyError, Transport};

/// What a channel is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Ring,
    /// The first two GPUs send half each to the NIC.
    BalancedTree,
    /// The first GPU sends it all.
    ChainTree,
    Nvls,
}

/// Channels of one shape, all of the same bandwidths in GB/s.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Demand {
    pub shape: Shape,
    pub channels: u32,
    pub intra: f64,
    pub inter: f64,
}

/// Bandwidths in GB/s, one direction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Links {
    gpus: u32,
    /// Between GPUs.
    inside: Inside,
    /// One GPU's PCIe link.
    pcie: f64,
    /// From socket to socket.
    socket: f64,
    sockets: u32,
    /// Bytes on PCIe per byte sent by a GPU through the host bridge.
    sending: f64,
    /// Bytes back to the host per byte that a GPU receives.
    acknowledging: f64,
    network: Option<Network>,
}

#[derive(Debug, Clone, Copy)]
enum Inside {
    OneGpu,
    HostMemory,
    /// From one GPU to another, and to all others together.
    NvLink {
        path: f64,
        total: f64,
    },
}

#[derive(Debug, Clone, Copy)]
struct Network {
    nics: u32,
    /// What a NIC and the PCIe link to it carry.
    nic: f64,
    pcie: f64,
    /// NICs and GPUs hang in pairs below PCIe switches, so that nothing passes a host bridge.
    beside_gpus: bool,
}

/// Bandwidth of 16 lanes of PCIe by generation. Source: `NVIDIA/nccl:src/graph/topo.cc`.
fn pcie_gb_per_s(generation: u32) -> f64 {
    match generation {
        0..=3 => 12.0,
        4 => 24.0,
        _ => 48.0,
    }
}

/// Bandwidth of one NVLink and how many a GPU has. Source: `NVIDIA/nccl:src/graph/topo.h`; data sheets.
fn nvlink(sm: u32) -> Option<(f64, f64)> {
    match sm {
        70 => Some((20.0, 6.0)),
        80 => Some((20.0, 12.0)),
        90 => Some((20.6, 18.0)),
        100..=109 => Some((40.1, 18.0)),
        _ => None,
    }
}

impl Links {
    /// The links of one node of `topology`.
    pub(super) fn of(topology: &Topology) -> Result<Self, TopologyError> {
        let gpus = topology.gpus_per_node;
        let intra = match topology.intra {
            Some(intra) if gpus > 1 => Some(intra),
            None if gpus > 1 => return Err(TopologyError::NoLinks(gpus)),
            _ => None,
        };
        let pcie = match (intra, topology.sm) {
            (Some(Intra::HostMemory { pcie, .. }), _) => pcie,
            (_, 0..80) => 3,
            (_, 80..90) => 4,
            _ => 5,
        };
        let sockets = match intra {
            None => 1,
            Some(Intra::HostMemory { sockets, .. }) => sockets,
            Some(Intra::NvLinkMesh | Intra::NvSwitch) => 2,
            Some(Intra::NvLinkAllToAll) => gpus,
        };
        let intel = topology.cpu.vendor() == super::CpuVendor::Intel;
        Ok(Self {
            gpus,
            inside: inside(intra, topology)?,
            pcie: pcie_gb_per_s(pcie),
            socket: topology.cpu.socket_gb_per_s(),
            sockets,
            sending: if intel { 6.0 / 5.0 } else { 1.0 },
            acknowledging: if topology.sm < 80 { 1.0 / 8.0 } else { 0.0 },
            network: match topology.inter {
                _ if topology.nodes == 1 => None,
                Some(inter) if inter.nics > 0 && inter.nic_gb_per_s > 0.0 => Some(Network::of(inter, intra)),
                _ => return Err(TopologyError::NoNetwork(topology.nodes)),
            },
        })
    }

    /// Whether GPUs reach their NICs through PCIe switches alone.
    pub(super) fn nics_beside_gpus(&self) -> bool {
        self.network.is_some_and(|network| network.beside_gpus)
    }

    /// Whether a path between GPUs or to a NIC leads from socket to socket. GPUs joined by NVLink over two sockets
    /// use a NIC from its own.
    pub(super) fn crosses_sockets(&self) -> bool {
        let enough = if matches!(self.inside, Inside::HostMemory) { 2 } else { 3 };
        self.sockets >= enough
    }

    /// Whether all of `demand` fits at once.
    pub(super) fn carry(&self, demand: Demand) -> bool {
        demand.channels > 0
            && self.gpus_carry(demand)
            && self.network.is_none_or(|net| self.nics_carry(net, demand))
    }

    fn gpus_carry(&self, demand: Demand) -> bool {
        let channels = f64::from(demand.channels);
        match self.inside {
            Inside::OneGpu => channels * demand.inter * (self.sending + self.acknowledging) <= self.pcie,
            Inside::HostMemory => {
                let to_peers = f64::from(self.channels_per_gpu(demand)) * demand.intra * self.sending;
                let crossing = if self.sockets > 1 { channels * demand.intra } else { 0.0 };
                to_peers + self.first_gpu_to_nic(demand) <= self.pcie && crossing <= self.socket
            }
            Inside::NvLink { path, total } => {
                let busiest = f64::from(self.channels_per_gpu(demand));
                demand.intra <= path && busiest * demand.intra <= total
            }
        }
    }

    /// Channels in which the busiest GPU sends to another of its node.
    fn channels_per_gpu(&self, demand: Demand) -> u32 {
        let channels = demand.channels;
        match (demand.shape, self.network) {
            // The GPU at the head of a channel sends for it twice.
            (Shape::Nvls, _) => channels + 1,
            // The last GPU of a channel sends to the NIC; NICs beside the GPUs let each have its turn.
            (_, Some(network)) if network.beside_gpus => channels - channels / self.gpus,
            // Two GPUs take turns at being first. More could, but NCCL's search does not find it.
            (Shape::BalancedTree | Shape::ChainTree, None) if self.gpus == 2 => channels.div_ceil(2),
            _ => channels,
        }
    }

    /// GB/s that the first GPU of a channel puts on its PCIe link for the sake of the network.
    fn first_gpu_to_nic(&self, demand: Demand) -> f64 {
        let Some(network) = self.network else { return 0.0 };
        let sending = match demand.shape {
            Shape::BalancedTree => self.sending / 2.0,
            Shape::ChainTree => self.sending,
            Shape::Ring | Shape::Nvls => 0.0,
        };
        f64::from(network.channels_per_nic(demand)) * demand.inter * (sending + self.acknowledging)
    }

    fn nics_carry(&self, network: Network, demand: Demand) -> bool {
        let channels = network.channels_per_nic(demand);
        let load = f64::from(channels) * demand.inter;
        let pcie = network.pcie.min(self.pcie);
        if load > network.nic || load > pcie {
            return false;
        }
        // A ring may end at a GPU of another socket, whose path spares the host bridge its extra bytes.
        let by_socket = demand.shape == Shape::Ring
            && self.sockets > 1
            && f64::from(channels.div_ceil(self.sockets - 1)) * demand.inter <= self.socket;
        network.beside_gpus || load * self.sending <= pcie || by_socket
    }
}

impl Network {
    fn of(inter: Inter, intra: Option<Intra>) -> Self {
        let nic = inter.nic_gb_per_s;
        // A virtual NIC's PCIe link cannot be read; NCCL then takes generation 3.
        let pcie = match inter.transport {
            Transport::Sockets => 3,
            Transport::Rdma if nic <= 12.5 => 3,
            Transport::Rdma if nic <= 25.0 => 4,
            Transport::Rdma => 5,
        };
        let beside_gpus = inter.transport == Transport::Rdma
            && inter.nics > 1
            && matches!(intra, Some(Intra::NvSwitch | Intra::NvLinkMesh));
        Self { nics: inter.nics, nic, pcie: pcie_gb_per_s(pcie), beside_gpus }
    }

    fn channels_per_nic(self, demand: Demand) -> u32 {
        demand.channels.div_ceil(self.nics)
    }
}

fn inside(intra: Option<Intra>, topology: &Topology) -> Result<Inside, TopologyError> {
    let gpus = topology.gpus_per_node;
    let unknown = TopologyError::NvLink { gpus, sm: topology.sm };
    let (link, links) = match intra {
        None => return Ok(Inside::OneGpu),
        Some(Intra::HostMemory { .. }) => return Ok(Inside::HostMemory),
        Some(Intra::NvLinkMesh | Intra::NvLinkAllToAll | Intra::NvSwitch) => {
            nvlink(topology.sm).ok_or(unknown.clone())?
        }
    };
    let total = link * links;
    match intra {
        // Two of a V100's six links lead to the other four GPUs.
        Some(Intra::NvLinkMesh) if topology.sm == 70 && gpus == 8 => Ok(Inside::NvLink { path: link, total }),
        Some(Intra::NvLinkMesh) if topology.sm == 70 && gpus == 4 => {
            Ok(Inside::NvLink { path: link, total: total - 2.0 * link })
        }
        Some(Intra::NvLinkMesh) if topology.sm == 70 || gpus > 4 => Err(unknown),
        Some(Intra::NvLinkMesh | Intra::NvLinkAllToAll) => {
            Ok(Inside::NvLink { path: total / f64::from(gpus - 1), total })
        }
        _ => Ok(Inside::NvLink { path: total, total }),
    }
}
