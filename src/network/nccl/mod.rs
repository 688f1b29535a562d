//! How long NCCL thinks that an all-reduce takes, and which algorithm it therefore takes.
//!
//! This is the cost model of NCCL 2.30.7's tuner re-stated. It predicts the choice, not the wire: times of
//! real networks need its latencies and bandwidths replaced by calibrated ones, for which
//! [`Nccl::latency`] and [`Nccl::bandwidth`] give the parts.

mod algorithm;
mod bandwidth;
mod calibrated;
mod choice;
mod cluster_words;
mod fabric;
mod fit;
mod gather;
mod graph;
mod latency;
mod links;
mod ranks;
mod runs;
mod search;
mod tables;
mod topology;
mod words;

#[cfg(test)]
mod tests;

pub use algorithm::{Algorithm, Protocol};
pub use calibrated::{AllReduce, Calibrated, FabricFit};
pub use choice::Choice;
pub use cluster_words::{ClusterWords, MeasuredCluster};
pub use fabric::{FabricClass, UnknownFabric, Wire};
pub use fit::{ClassFits, FitError, OneFit, Run, SizeCurve, fit_classes, fit_one};
pub use graph::{ChannelBandwidth, Graph, NvlsGraph, PathClass, TreePattern};
pub use latency::Latency;
pub use ranks::{CpuVendor, Generation, Ranks};
pub use runs::{MeasuredRow, SystemRun, SystemRuns};
pub use topology::{Inter, Intra, Processor, Topology, TopologyError, Transport};

/// NCCL's model of one communicator.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nccl {
    /// Who takes part.
    pub ranks: Ranks,
    /// Their rings and trees.
    pub graph: Graph,
}

impl Nccl {
    /// The model of a cluster whose rings and trees are derived from its links.
    pub fn of(topology: &Topology) -> Result<Self, TopologyError> {
        Ok(Self { ranks: topology.ranks(), graph: topology.graph()? })
    }
}
