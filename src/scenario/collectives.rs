//! How long a collective over all ranks of a cluster takes.

use super::exchange::Link;
use super::fabric::figures_of;
use super::network::{AllReduceGiven, NetworkKeys, OTHER_RANKS, PLACEMENTS};
use super::throughput::{Machines, Untold};
use super::topology::Links;
use crate::network::nccl::{Calibrated, FabricClass, Wire};
use crate::network::{MeasuredFabric, NodePath, RingAllReduce, Sockets};
use crate::units::{Bandwidth, Bytes};

/// All-reduces and their halves among the ranks of one cluster at one rate of its cards.
pub(super) enum Collectives<'a> {
    /// One rank: nothing to exchange.
    Alone,
    /// A ring at a bandwidth given outright, without latency.
    Given(Bandwidth, u32),
    /// As they were measured among just these ranks.
    Measured(&'a MeasuredFabric),
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

impl<'a> Collectives<'a> {
    /// Those of `machines`, whose cards the gradients find as `link`.
    pub fn new(network: &'a NetworkKeys, machines: &Machines, link: &Link) -> Result<Self, Untold> {
        let ranks = machines.ranks();
        if ranks < 2 {
            return Ok(Self::Alone);
        }
        match &network.given {
            Some(AllReduceGiven::Bandwidth(bandwidth)) => return Ok(Self::Given(*bandwidth, ranks)),
            Some(AllReduceGiven::Measured(measured)) => {
                measured.check(machines).map_err(|error| Untold::new(error, OTHER_RANKS))?;
                return Ok(Self::Measured(&measured.fabric));
            }
            None => {}
        }
        let Links { wire, nccl, class } = Links::of(machines, network.fabric.as_deref(), link.nominal)?;
        let mut model = Calibrated::new(nccl, figures_of(machines.catalogue, class));
        let path = path(network, machines);
        let nic = link.left.map(|nic| match wire {
            Wire::Tcp | Wire::Tcpx => path.rate(nic, sockets(machines).flows()),
            _ => nic,
        });
        model.nic_gb_per_s = nic.map(|nic| nic.bytes_per_s() / 1e9);
        if let Some(shaped) = link.shaped {
            // The provider's limit is on bytes, of which software that is slower than the wire loses none.
            let shaped = shaped.bytes_per_s() / 1e9;
            let limit = model.fit.rate_max_gb_per_s.map_or(shaped, |limit| limit.min(shaped));
            model.fit.rate_max_gb_per_s = Some(limit);
        }
        // Each collective goes around the nodes twice, a hop at a time.
        let added_s = path.added_latency_s(2 * (machines.nodes - 1));
        Ok(Self::Nccl { model, class, added_s })
    }

    /// The class of the fabric, where NCCL is modelled.
    pub fn class(&self) -> Option<&'static str> {
        match self {
            Self::Nccl { class, .. } => Some(class.name()),
            Self::Alone | Self::Given(..) | Self::Measured(_) => None,
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
            Self::Measured(fabric) => Collective { time_s: fabric.secs(bytes), choice: None },
            Self::Nccl { model, added_s, .. } => {
                let choice = model.all_reduce(bytes.get());
                Collective {
                    time_s: choice.time_s + added_s,
                    choice: Some((choice.algorithm.name(), choice.protocol.name())),
                }
            }
        }
    }

    /// An all-gather to `bytes`, or a reduce-scatter of them, seconds: once around the ring that an
    /// all-reduce goes around twice.
    pub fn gather_s(&self, bytes: Bytes) -> f64 {
        match self {
            Self::Nccl { model, added_s, .. } => model.gather_s(bytes.get()) + added_s / 2.0,
            _ => self.all_reduce(bytes).time_s / 2.0,
        }
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
