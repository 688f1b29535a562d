//! The data loader of a node as a scenario asks for it, and what it leaves of the network card.

use super::anatomy::{Anatomy, Loader};
use super::gpu_time::GpuStep;
use super::input::{InputKeys, Store};
use super::throughput::{Machines, Throughput};
use crate::compute::{self, HostShare, Storage};
use crate::network::{Flow, fair_shares};
use crate::units::{Bandwidth, Bytes};

impl Throughput {
    /// The data loader of one node with so many samples a GPU and micro-batch.
    pub(super) fn loader(&self, input: &InputKeys, machines: &Machines, batch: f64) -> compute::Loader {
        let instance = machines.instance.instance;
        let training = machines.catalogue.training();
        let per_gpu = input.workers.unwrap_or(instance.vcpus / instance.gpus.max(1));
        let model_bytes = self.job.model.as_ref().and_then(|model| model.sample_bytes);
        let storage = input.read_per_sample.map(|bytes| Storage {
            sample_bytes: bytes.as_f64(),
            bytes_per_s: input
                .bandwidth
                .or(store_rate(input.from, machines))
                .map_or(f64::INFINITY, |b| b.bytes_per_s()),
        });
        compute::Loader {
            cores: f64::from(instance.vcpus) / training.vcpus_per_core.value,
            ranks: instance.gpus,
            workers: per_gpu * instance.gpus,
            batch: (batch * f64::from(self.compute.accumulate)).round().max(1.0) as u32,
            item_s: input.cpu_time_per_sample.as_secs(),
            collate_s: training.sample_collate_s.value,
            sample_bytes: input.bytes_per_sample.map(Bytes::as_f64).or(model_bytes).unwrap_or(0.0),
            prefetch: training.prefetch_batches.value as u32,
            storage,
            host: HostShare {
                main_cores: training.main_process_cores.value,
                network_cores: if machines.nodes > 1 { training.network_cores.value } else { 0.0 },
                smt_gain: training.smt_gain.value,
            },
        }
    }

    /// What the loader does while steps are at their fastest.
    pub(super) fn loader_seen(
        &self,
        loader: &compute::Loader,
        anatomy: &Anatomy,
        machines: &Machines,
    ) -> Loader {
        let pace = anatomy.burst.as_ref().unwrap_or(&anatomy.sustained);
        let node_samples = anatomy.samples / f64::from(anatomy.nodes);
        let node_samples_per_s = node_samples / pace.parts.total().as_secs();
        let (samples_per_s, _) = loader.capacity();
        Loader {
            samples_per_s,
            batch_s: node_samples / samples_per_s,
            load: loader.load(node_samples_per_s),
            vcpus: machines.instance.instance.vcpus,
            busy_cores: loader.busy_cores(node_samples_per_s),
            startup_s: loader.startup_s(),
            shared_memory: Bytes::new(loader.shared_memory_bytes() as u64),
        }
    }

    /// What an input stream and an upload over the same card leave to the gradients: the card is shared
    /// fairly, and the stream wants no more than samples are computed.
    pub(super) fn left_to_gradients(
        &self,
        nic: Bandwidth,
        gpu: &GpuStep,
        loader: Option<&compute::Loader>,
        upload: Option<Bandwidth>,
    ) -> Bandwidth {
        let streams = self.job.input.as_ref().is_some_and(|input| input.from == Store::S3);
        let stream = loader.filter(|_| streams).and_then(|loader| {
            let storage = loader.storage?;
            let samples = f64::from(loader.ranks) * f64::from(loader.batch);
            let wanted = samples * storage.sample_bytes / (gpu.time.host_copy_s + gpu.time.compute_s());
            Some(Flow { demand: wanted, cap: storage.bytes_per_s })
        });
        let upload = upload.map(|rate| Flow { demand: f64::INFINITY, cap: rate.bytes_per_s() });
        let mut flows = vec![Flow { demand: f64::INFINITY, cap: f64::INFINITY }];
        flows.extend(stream.into_iter().chain(upload));
        let shares = fair_shares(nic.bytes_per_s(), &flows);
        Bandwidth::from_bytes_per_s(shares[0]).unwrap_or(nic)
    }
}

/// What a store gives each node, where the catalogue knows.
fn store_rate(from: Store, machines: &Machines) -> Option<Bandwidth> {
    match from {
        Store::Ebs => machines.instance.instance.ebs_baseline,
        Store::S3 => Some(machines.instance.instance.network_baseline),
        Store::Memory | Store::Local => None,
    }
}
