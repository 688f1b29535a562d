//! How long a collective over all ranks of a cluster takes.

use super::fabric::figures_of;
use super::network::{NetworkKeys, PLACEMENTS};
use super::throughput::{Machines, Untold};
use crate::facts::{HostProcessor, Instance};
use crate::network::nccl::{
    Calibrated, FabricClass, Inter, Intra, Nccl, Processor, Topology, Transport, UnknownFabric, Wire,
};
use crate::network::{NodePath, RingAllReduce, Sockets};
use crate::units::{Bandwidth, Bytes};

/// All-reduces and their halves among the ranks of one cluster at one rate of its cards.
pub(super) enum Collectives {
    /// One rank: nothing to exchange.
    Alone,
    /// A ring at a bandwidth given outright, without latency.
    Given(Bandwidth, u32),
    /// As NCCL does it.
    Nccl {
        /// Its model of the cluster, with the figures of its fabric.
        model: Calibrated,
        /// Which figures these are.
        class: FabricClass,
        /// Latency that the placement of the nodes adds to a collective, seconds.
        added_s: f64,
    },
}

/// One collective.
pub(super) struct Collective {
    /// Seconds.
    pub time_s: f64,
    /// Algorithm and protocol, where NCCL chose.
    pub choice: Option<(&'static str, &'static str)>,
}

impl Collectives {
    /// Those of `machines`, whose cards give the gradients `nic` of `nominal` now.
    pub fn new(
        network: &NetworkKeys,
        machines: &Machines,
        nominal: Option<Bandwidth>,
        nic: Option<Bandwidth>,
    ) -> Result<Self, Untold> {
        let ranks = machines.ranks();
        if ranks < 2 {
            return Ok(Self::Alone);
        }
        if let Some(bandwidth) = network.bandwidth {
            return Ok(Self::Given(bandwidth, ranks));
        }
        let untold = |error: String| Untold::new(error, "give `bandwidth` in [network]");
        let wire = wire(network, machines).map_err(untold)?;
        let topology = topology(machines, wire, nominal)?;
        let nccl = Nccl::of(&topology).map_err(|error| untold(error.to_string()))?;
        let class = match (machines.nodes, topology.intra) {
            (1, Some(intra)) => FabricClass::inside_node(intra, topology.sm),
            _ => FabricClass::between_nodes(wire, &nccl),
        };
        let mut model = Calibrated::new(nccl, figures_of(machines.catalogue, class));
        let path = path(network, machines);
        let nic = nic.map(|nic| match wire {
            Wire::Tcp | Wire::Tcpx => path.rate(nic, sockets(machines).flows()),
            _ => nic,
        });
        model.nic_gb_per_s = nic.map(|nic| nic.bytes_per_s() / 1e9);
        // Each collective goes around the nodes twice, a hop at a time.
        let added_s = path.added_latency_s(2 * (machines.nodes - 1));
        Ok(Self::Nccl { model, class, added_s })
    }

    /// The class of the fabric, where NCCL is modelled.
    pub fn class(&self) -> Option<&'static str> {
        match self {
            Self::Nccl { class, .. } => Some(class.name()),
            Self::Alone | Self::Given(..) => None,
        }
    }

    /// An all-reduce of `bytes`.
    pub fn all_reduce(&self, bytes: Bytes) -> Collective {
        match self {
            Self::Alone => Collective { time_s: 0.0, choice: None },
            Self::Given(bandwidth, ranks) => {
                let ring = RingAllReduce { bytes, ranks: *ranks, bandwidth: *bandwidth };
                Collective { time_s: ring.time_s(), choice: None }
            }
            Self::Nccl { model, added_s, .. } => {
                let choice = model.all_reduce(bytes.get());
                Collective {
                    time_s: choice.time_s + added_s,
                    choice: Some((choice.algorithm.name(), choice.protocol.name())),
                }
            }
        }
    }

    /// An all-gather to `bytes`, or a reduce-scatter of them, seconds: half an all-reduce.
    pub fn gather_s(&self, bytes: Bytes) -> f64 {
        self.all_reduce(bytes).time_s / 2.0
    }
}

fn sockets(machines: &Machines) -> Sockets {
    let sockets = machines.catalogue.sockets();
    Sockets { threads: sockets.threads, per_thread: sockets.per_thread }
}

fn path(network: &NetworkKeys, machines: &Machines) -> NodePath {
    let name = PLACEMENTS.iter().find(|(_, p)| *p == network.placement).map_or("", |(name, _)| name);
    let placement = machines.catalogue.placement(name);
    placement.map_or(NodePath { single_flow: None, hop_latency_s: 0.0 }, |placement| NodePath {
        single_flow: Some(placement.single_flow),
        hop_latency_s: placement.hop_latency_us * 1e-6,
    })
}

/// What the cards of the cluster speak.
fn wire(network: &NetworkKeys, machines: &Machines) -> Result<Wire, String> {
    let catalogue = machines.catalogue;
    let named = network.fabric.as_deref().and_then(|name| catalogue.fabric(name));
    let fabric = named.unwrap_or_else(|| catalogue.fabric_between(machines.instance.instance));
    fabric.wire.parse().map_err(|error: UnknownFabric| error.to_string())
}

/// The cluster's links; `nic` is what each node's cards give together.
fn topology(machines: &Machines, wire: Wire, nic: Option<Bandwidth>) -> Result<Topology, Untold> {
    let instance = machines.instance.instance;
    let host = machines.catalogue.host_of(instance);
    let inter = nic.map(|nic| Inter {
        transport: if wire == Wire::Tcp { Transport::Sockets } else { Transport::Rdma },
        nics: host.nics,
        nic_gb_per_s: nic.bytes_per_s() / 1e9 / f64::from(host.nics),
    });
    let intra = (instance.gpus > 1).then(|| intra(instance, host.sockets)).transpose()?;
    Ok(Topology {
        nodes: machines.nodes,
        gpus_per_node: instance.gpus,
        sm: machines.catalogue.gpu_of(instance).compute_capability,
        cpu: match host.processor {
            HostProcessor::Amd => Processor::Amd,
            HostProcessor::Broadwell => Processor::Broadwell,
            HostProcessor::Skylake => Processor::Skylake,
            HostProcessor::SapphireRapids => Processor::SapphireRapids,
        },
        intra,
        inter,
        net_latency_us: 0.0,
    })
}

/// What joins the GPUs of one node, from the catalogue's words for it.
fn intra(instance: &Instance, sockets: u32) -> Result<Intra, Untold> {
    let words = instance.intra_node_interconnect.as_str();
    match words.split([' ', '+']).next() {
        Some("pcie3") => Ok(Intra::HostMemory { pcie: 3, sockets }),
        Some("pcie4") => Ok(Intra::HostMemory { pcie: 4, sockets }),
        // Bridges join pairs; a ring of more than one pair crosses PCIe.
        Some("nvlink") => Ok(Intra::HostMemory { pcie: 4, sockets }),
        Some("nvlink2") => Ok(Intra::NvLinkMesh),
        Some("nvlink3" | "nvlink4") => Ok(Intra::NvSwitch),
        _ => {
            let title = format!("how the GPUs of {} are joined is not known", instance.name);
            Err(Untold::new(title, "give `bandwidth` in [network]"))
        }
    }
}
