//! How the gradients of one step travel, at one rate of the network card.

use super::collectives::Collectives;
use super::compute::{ComputeKeys, ShardingKey};
use super::gpu_time::{GpuStep, UNITS};
use super::network::{AllReduceGiven, NetworkKeys};
use super::throughput::{Machines, Untold};
use crate::network::sharding::{Group, Sharding, Unit, UnitTimes};
use crate::network::{Accumulation, Bucket, BucketLimits, Ddp, Matrix, TokenBucket, Transfer, buckets};
use crate::units::{Bandwidth, Bytes};

/// What the exchange of gradients hangs on.
pub(super) struct Exchange<'a> {
    network: &'a NetworkKeys,
    compute: &'a ComputeKeys,
    machines: &'a Machines,
    gpu: &'a GpuStep,
    buckets: Vec<Bucket>,
    /// Bytes sent over bytes of gradients.
    wire: f64,
}

/// The network card of a node, one direction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Card {
    /// Its rate, while credits last if it has them.
    pub burst: Bandwidth,
    /// The rate to which it is held, where it has a faster one and no credits for it.
    pub shaped: Option<Bandwidth>,
    /// Its credits.
    pub bucket: Option<TokenBucket>,
}

/// The card as the gradients find it; all `None` inside one node, or where rates are given outright.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Link {
    /// Its rate by data sheet.
    pub nominal: Option<Bandwidth>,
    /// What of that an input stream leaves.
    pub left: Option<Bandwidth>,
    /// The rate to which the provider holds it, if that is less.
    pub shaped: Option<Bandwidth>,
}

/// What the exchange came to.
pub(super) struct Travelled {
    pub transfers: Vec<Transfer>,
    /// Seconds that computing waits.
    pub exposed_s: f64,
    /// Seconds by which backward is slower for it.
    pub slowed_s: f64,
    /// Algorithm and protocol of the largest collective.
    pub choice: Option<(&'static str, &'static str)>,
    /// Class of the fabric.
    pub fabric: Option<&'static str>,
    pub bus_bandwidth: Option<Bandwidth>,
}

impl<'a> Exchange<'a> {
    /// That of `gpu`'s gradients among `machines`.
    pub fn new(
        network: &'a NetworkKeys,
        compute: &'a ComputeKeys,
        machines: &'a Machines,
        gpu: &'a GpuStep,
    ) -> Self {
        let default = BucketLimits::default();
        let limits = network
            .bucket
            .map_or(default, |others| BucketLimits { first: default.first.min(others), others });
        let matrices: Vec<Matrix> =
            gpu.matrices.iter().map(|&(rows, columns)| Matrix { rows, columns }).collect();
        let wire = network.compression.wire(&matrices, gpu.gradient_bytes);
        Self { network, compute, machines, gpu, buckets: buckets(&gpu.gradients, limits), wire }
    }

    /// The card, where bytes pass one at a rate that is neither given outright nor measured.
    pub fn card(&self) -> Result<Option<Card>, Untold> {
        if self.machines.nodes < 2 || self.network.given.is_some() {
            return Ok(None);
        }
        let instance = self.machines.instance.instance;
        let baseline = self.network.baseline.unwrap_or(instance.network_baseline);
        let burst = match self.network.burst {
            Some(burst) if burst < baseline => {
                let title = format!("`burst = \"{burst}\"` is below the card's baseline, {baseline}");
                return Err(Untold::new(title, "give `baseline` too").about("network.burst"));
            }
            Some(burst) => burst,
            None if instance.network_burst < baseline => baseline,
            None => instance.network_burst,
        };
        let minutes = match self.network.burst_time {
            Some(span) => span.as_secs() / 60.0,
            None => self.machines.catalogue.burst_time().minutes(baseline),
        };
        if minutes <= 0.0 {
            let shaped = (baseline < burst).then_some(baseline);
            return Ok(Some(Card { burst, bucket: None, shaped }));
        }
        let bucket = TokenBucket::from_minutes(baseline, burst, minutes);
        Ok(Some(Card { burst, bucket, shaped: None }))
    }

    /// Bytes that a node's card sends in one step: in a ring over all ranks each node has one that sends to
    /// another node, and hybrid shards travel beside each other. Inside one node, what each of its GPUs sends.
    pub fn sent(&self) -> Bytes {
        if self.machines.ranks() < 2 {
            return Bytes::new(0);
        }
        let ranks_per_node = self.machines.instance.instance.gpus;
        let group = Group { nodes: self.machines.nodes, ranks_per_node };
        let gradients: f64 = self.gpu.gradients.iter().map(|gradient| gradient.bytes.as_f64()).sum();
        let traffic = self.sharding().traffic(group, gradients * self.wire, gradients, self.accumulation());
        let bytes = traffic.among_all + f64::from(ranks_per_node) * traffic.across_nodes;
        Bytes::new(bytes as u64)
    }

    /// The exchange over `link`.
    pub fn travel(&self, link: &Link) -> Result<Travelled, Untold> {
        let collectives = Collectives::new(self.network, self.machines, link)?;
        let largest = self.largest();
        let whole = collectives.all_reduce(largest);
        let ranks = f64::from(self.machines.ranks());
        let bus = 2.0 * (ranks - 1.0) / ranks * largest.as_f64() / whole.time_s;
        let (transfers, exposed_s, slowed_s) = match self.compute.sharding {
            ShardingKey::Ddp => self.replicated(&collectives),
            _ => self.sharded(&collectives),
        };
        Ok(Travelled {
            transfers,
            exposed_s,
            slowed_s,
            choice: whole.choice,
            fabric: collectives.class(),
            bus_bandwidth: (whole.time_s > 0.0).then(|| Bandwidth::from_bytes_per_s(bus)).flatten(),
        })
    }

    fn sharding(&self) -> Sharding {
        match self.compute.sharding {
            ShardingKey::Ddp => Sharding::Ddp,
            ShardingKey::Zero1 => Sharding::Zero1,
            ShardingKey::Zero2 => Sharding::Zero2,
            ShardingKey::Fsdp => Sharding::FullShard,
            ShardingKey::Hybrid => Sharding::HybridShard,
        }
    }

    fn accumulation(&self) -> Accumulation {
        Accumulation { micro_batches: self.compute.accumulate, exchange_each: false }
    }

    /// What casting gradients there and back takes of the GPU's memory.
    fn copy_s_per_byte(&self) -> f64 {
        let gpu = self.machines.catalogue.gpu_of(self.machines.instance.instance);
        f64::from(self.network.compression.memory_passes()) / gpu.bandwidth.bytes_per_s()
    }

    /// By how much communication beside it slows backward; a bandwidth given outright comes without.
    fn contention(&self) -> f64 {
        let costs = self.machines.catalogue.ddp();
        match (&self.network.given, self.machines.nodes) {
            (Some(AllReduceGiven::Bandwidth(_)), _) => 0.0,
            (_, 1) => costs.contention_inside_node.value,
            _ => costs.contention_between_nodes.value,
        }
    }

    /// Buckets go out while backward goes on.
    fn replicated(&self, collectives: &Collectives<'_>) -> (Vec<Transfer>, f64, f64) {
        let micro_batches = self.compute.accumulate;
        let each = 1.0 / f64::from(micro_batches);
        let time = &self.gpu.time;
        let ddp = Ddp {
            forward_s: time.forward_s * each,
            backward_s: time.backward_s * each,
            overlap: self.network.overlap,
            wire: self.wire,
            launch_s: 0.0,
            copy_s_per_byte: self.copy_s_per_byte(),
            contention: self.contention(),
            accumulation: self.accumulation(),
        };
        // Each further collective of a compression costs what the smallest one does.
        let extra = f64::from(self.network.compression.extra_collectives());
        let extra_s = if extra > 0.0 { extra * collectives.all_reduce(Bytes::new(1)).time_s } else { 0.0 };
        let all_reduce_s = |bytes| collectives.all_reduce(bytes).time_s + extra_s;
        let exchange = ddp.exchange(&self.buckets, all_reduce_s);
        // The transfers are of the last micro-batch, which is as much slower as all of them together.
        let before_s = time.host_copy_s + (time.forward_s + time.backward_s) * (1.0 - each);
        let transfers = exchange.transfers.iter().filter(|transfer| transfer.end_s > transfer.start_s);
        let transfers = transfers.map(|transfer| transfer.later(before_s + exchange.slowed_s));
        (transfers.collect(), exchange.exposed_s, exchange.slowed_s)
    }

    /// Blocks are gathered before and reduced after they are computed.
    fn sharded(&self, collectives: &Collectives<'_>) -> (Vec<Transfer>, f64, f64) {
        let time = &self.gpu.time;
        let bytes: u64 = self.gpu.gradients.iter().map(|gradient| gradient.bytes.get()).sum();
        let each = 1.0 / (UNITS as f64 * f64::from(self.compute.accumulate));
        let unit = Unit {
            forward_s: time.forward_s * each,
            backward_s: time.backward_s * each,
            parameters: Bytes::new(bytes / UNITS),
            gradients: Bytes::new(bytes / UNITS),
        };
        let units = vec![unit; UNITS as usize];
        let times = UnitTimes {
            all_gather_s: |bytes| collectives.gather_s(bytes),
            reduce_scatter_s: |bytes| collectives.gather_s(bytes),
        };
        let step = self.sharding().step(&units, &times, self.network.overlap, self.accumulation());
        let slots = step.slots.iter().filter(|slot| slot.traffic_s > 0.0);
        let transfers = slots.map(|slot| {
            let start_s = time.host_copy_s + slot.start_s;
            let bytes = Bytes::new(bytes / UNITS);
            Transfer { bytes, ready_s: start_s, start_s, end_s: start_s + slot.traffic_s }
        });
        (transfers.collect(), step.exposed_s, 0.0)
    }

    /// The largest collective.
    fn largest(&self) -> Bytes {
        let largest = self.buckets.iter().map(|bucket| bucket.bytes).max().unwrap_or(Bytes::new(0));
        Bytes::new((largest.as_f64() * self.wire) as u64)
    }
}
