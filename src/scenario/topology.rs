//! A cluster's links as NCCL's model takes them.

use super::throughput::{Machines, Untold};
use crate::facts::HostProcessor;
use crate::network::nccl::{
    FabricClass, Inter, Intra, Nccl, Processor, Topology, Transport, UnknownFabric, Wire,
};
use crate::units::Bandwidth;

const HELP: &str = "give `bandwidth` in [network]";

/// What joins the ranks of one cluster.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Links {
    /// What the cards speak.
    pub wire: Wire,
    /// NCCL's own model of the cluster.
    pub nccl: Nccl,
    /// Which class's figures the model takes.
    pub class: FabricClass,
}

impl Links {
    /// Those of `machines` over the `fabric` of this name, else over the instance's own; `nic` is what each node's
    /// cards give together, one direction, and `None` inside one node.
    pub fn of(machines: &Machines, fabric: Option<&str>, nic: Option<Bandwidth>) -> Result<Self, Untold> {
        let wire = wire(machines, fabric)?;
        let topology = topology(machines, wire, nic)?;
        let topology = if wire == Wire::Tcp { topology.with_next_channel_speed() } else { topology };
        let nccl = Nccl::of(&topology).map_err(|error| Untold::new(error.to_string(), HELP))?;
        let class = match (machines.nodes, topology.intra) {
            (1, Some(intra)) => FabricClass::inside_node(intra, topology.sm),
            _ => FabricClass::between_nodes(wire, &nccl),
        };
        Ok(Self { wire, nccl, class })
    }
}

/// What the cards of the cluster speak.
fn wire(machines: &Machines, fabric: Option<&str>) -> Result<Wire, Untold> {
    let catalogue = machines.catalogue;
    let named = fabric.and_then(|name| catalogue.fabric(name));
    let fabric = named.unwrap_or_else(|| catalogue.fabric_between(machines.instance.instance));
    fabric.wire.parse().map_err(|error: UnknownFabric| Untold::new(error.to_string(), HELP))
}

fn topology(machines: &Machines, wire: Wire, nic: Option<Bandwidth>) -> Result<Topology, Untold> {
    let instance = machines.instance.instance;
    let host = machines.catalogue.host_of(instance);
    let inter = nic.map(|nic| Inter {
        transport: if wire == Wire::Tcp { Transport::Sockets } else { Transport::Rdma },
        nics: host.nics,
        nic_gb_per_s: nic.bytes_per_s() / 1e9 / f64::from(host.nics),
    });
    let intra = (instance.gpus > 1).then(|| intra(machines, host.sockets)).transpose()?;
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

/// What joins the GPUs of one node.
fn intra(machines: &Machines, sockets: u32) -> Result<Intra, Untold> {
    let catalogue = machines.catalogue;
    let instance = machines.instance.instance;
    let class = catalogue.interconnect_inside(instance).map_or("", |inside| &inside.nccl);
    // "4.0 x16".
    let pcie = catalogue.gpu_of(instance).pcie.split('.').next().and_then(|pcie| pcie.parse().ok());
    match (class.parse(), pcie) {
        (Ok(FabricClass::NvLinkMesh), _) => Ok(Intra::NvLinkMesh),
        (Ok(FabricClass::NvSwitch | FabricClass::NvSwitchSharp), _) => Ok(Intra::NvSwitch),
        (Ok(FabricClass::Pcie), Some(pcie)) => Ok(Intra::HostMemory { pcie, sockets }),
        _ => {
            let title = format!("how the GPUs of {} are joined is not known", instance.name);
            Err(Untold::new(title, HELP))
        }
    }
}
