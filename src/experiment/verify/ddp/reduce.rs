//! How long the all-reduce of a published job takes.

use super::row::Row;
use super::tables::Machine;
use crate::facts::Catalogue;
use crate::network::nccl::{Calibrated, FabricClass, Nccl, Topology, TopologyError, Wire};
use crate::scenario::fabric::figures_of;
use crate::units::Bytes;

/// All-reduce among the ranks of a job.
#[derive(Debug)]
pub(super) struct AllReduce {
    model: Calibrated,
}

impl AllReduce {
    /// Among the GPUs of `row`.
    pub fn new(row: &Row, machine: &Machine) -> Result<Self, String> {
        let topology = topology(row, machine).map_err(|error| error.to_string())?;
        let nccl = Nccl::of(&topology).map_err(|error| error.to_string())?;
        let class = match topology.intra {
            Some(intra) if row.nodes == 1 => FabricClass::inside_node(intra, topology.sm),
            _ => FabricClass::between_nodes(wire(&row.network), &nccl),
        };
        Ok(Self { model: Calibrated::new(nccl, figures_of(Catalogue::builtin(), class)) })
    }

    /// Seconds that `bytes` take.
    pub fn time_s(&self, bytes: Bytes) -> f64 {
        match self.model.nccl.ranks.count() {
            1 => 0.0,
            _ => self.model.all_reduce(bytes.get()).time_s,
        }
    }
}

fn topology(row: &Row, machine: &Machine) -> Result<Topology, TopologyError> {
    let gpus_per_node = row.gpus_per_node();
    Ok(Topology {
        nodes: row.nodes,
        gpus_per_node,
        sm: machine.sm,
        cpu: machine.cpu.parse()?,
        intra: if gpus_per_node > 1 { Some(machine.intra.parse()?) } else { None },
        inter: if row.nodes > 1 { Some(row.network.parse()?) } else { None },
        net_latency_us: 0.0,
    })
}

/// What the network of a row speaks; most say InfiniBand.
fn wire(network: &str) -> Wire {
    let network = network.to_lowercase();
    let starts = |words: &[&str]| words.iter().any(|word| network.starts_with(word));
    match () {
        () if starts(&["tcpx"]) => Wire::Tcpx,
        () if starts(&["tcp", "ena", "gvnic", "sockets"]) => Wire::Tcp,
        () if starts(&["efa"]) => Wire::Efa,
        () => Wire::Rdma,
    }
}
