//! How long the all-reduce of a published job takes.

use super::row::Row;
use super::tables::{Machine, Tables};
use crate::network::nccl::{Algorithm, Intra, Nccl, Protocol, Topology, TopologyError};
use crate::units::Bytes;
use serde::Deserialize;

/// What NCCL's cost model is multiplied by for one class of fabric.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Fabric {
    /// Its class.
    pub fabric: String,
    bandwidth_efficiency: f64,
    latency_factor: f64,
}

/// All-reduce among the ranks of a job.
#[derive(Debug)]
pub(super) struct AllReduce {
    nccl: Nccl,
    fabric: Fabric,
}

impl AllReduce {
    /// Among the GPUs of `row`.
    pub fn new(row: &Row, machine: &Machine, tables: &Tables) -> Result<Self, String> {
        let topology = topology(row, machine).map_err(|error| error.to_string())?;
        let nccl = Nccl::of(&topology).map_err(|error| error.to_string())?;
        Ok(Self { nccl, fabric: tables.fabric(class(row, &topology))? })
    }

    /// Seconds that `bytes` take: the least over all pairs of algorithm and protocol that NCCL considers.
    pub fn time_s(&self, bytes: Bytes) -> f64 {
        if self.nccl.ranks.count() == 1 {
            return 0.0;
        }
        let pairs = Algorithm::ALL.into_iter().flat_map(|a| Protocol::ALL.map(|p| (a, p)));
        let enabled = pairs.filter(|&(algorithm, protocol)| self.nccl.enabled(algorithm, protocol));
        let times_us = enabled.map(|(algorithm, protocol)| self.time_us(algorithm, protocol, bytes.get()));
        1e-6 * times_us.fold(f64::INFINITY, f64::min)
    }

    fn time_us(&self, algorithm: Algorithm, protocol: Protocol, bytes: u64) -> f64 {
        let nccl = &self.nccl;
        let latency_us =
            nccl.latency(algorithm, protocol).total_us() * nccl.plateau(algorithm, protocol, bytes);
        let gb_per_s = nccl.bandwidth(algorithm, protocol) * nccl.correction(algorithm, protocol, bytes);
        self.fabric.latency_factor * latency_us
            + bytes as f64 / (1_000.0 * gb_per_s * self.fabric.bandwidth_efficiency)
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

/// Class of the fabric that bounds the job: between nodes if there are several.
fn class(row: &Row, topology: &Topology) -> &'static str {
    let network = row.network.to_lowercase();
    let starts = |words: &[&str]| words.iter().any(|word| network.starts_with(word));
    if row.nodes > 1 {
        return match topology.inter {
            _ if starts(&["tcpx"]) => "tcpx",
            _ if starts(&["tcp", "ena", "gvnic", "sockets"]) => "tcp",
            Some(inter) if starts(&["efa"]) && inter.nics == 1 => "efa-send-receive",
            _ if starts(&["efa"]) => "efa-gpudirect",
            _ => "rdma",
        };
    }
    match topology.intra {
        Some(Intra::HostMemory { .. }) => "pcie",
        Some(Intra::NvSwitch) if topology.sm >= 90 => "nvswitch-sharp",
        _ => "nvlink",
    }
}
