//! Joins job, `[compute]`, `[network]` and the machines into one training step.

use super::anatomy::{Anatomy, Form, GpuTime, Pace};
use super::calibration::KernelFile;
use super::compute::{ComputeKeys, Given};
use super::exchange::{Card, Exchange, Link};
use super::gpu_time::{GpuStep, GpuWork};
use super::job::{Job, JobWork};
use super::network::NetworkKeys;
use super::plan::StepParts;
use super::speed::{chip, coefficients};
use crate::compute;
use crate::facts::{Catalogue, InstanceRef};
use crate::network::Transfer;
use crate::units::{Bandwidth, Bytes, Span};

/// What the cluster is made of, as far as throughput cares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Machines {
    /// The catalogue.
    pub catalogue: &'static Catalogue,
    /// What each node is.
    pub instance: InstanceRef<'static>,
    /// How many there are.
    pub nodes: u32,
}

impl Machines {
    /// GPUs of the whole cluster.
    pub fn ranks(&self) -> u32 {
        self.nodes.saturating_mul(self.instance.instance.gpus)
    }
}

/// What decides how long a step takes, for any number of nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct Throughput {
    /// What each node is.
    pub machines: Machines,
    /// What is trained.
    pub job: Job,
    /// How fast the GPUs are.
    pub compute: ComputeKeys,
    /// How gradients travel.
    pub network: NetworkKeys,
    /// Measured kernels, if the scenario names a file of them.
    pub calibration: Option<KernelFile>,
}

/// Why a step cannot be told: what is wrong, and what would help.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Untold {
    /// What is wrong.
    pub title: String,
    /// What would help; may be empty.
    pub help: String,
    /// The key that it is about, with its table: `job.precision`.
    pub key: &'static str,
}

impl Untold {
    pub(super) fn new(title: impl Into<String>, help: impl Into<String>) -> Self {
        Self { title: title.into(), help: help.into(), key: "job" }
    }

    pub(super) fn about(self, key: &'static str) -> Self {
        Self { key, ..self }
    }
}

impl Throughput {
    /// The step with so many nodes in place of the cluster's own. A speed given for the whole cluster holds
    /// for its own number only.
    pub fn step(&self, nodes: u32) -> Result<Anatomy, Untold> {
        let machines = Machines { nodes, ..self.machines };
        match self.compute.given {
            Some(Given::StepTime(span)) => Ok(self.given(span, &machines)),
            Some(Given::SamplesPerS(rate)) => {
                let Some(batch) = self.job.global_batch else {
                    let help = "add `batch_per_gpu = 128` to [job]";
                    let title = "`samples_per_s` needs the batch size";
                    return Err(Untold::new(title, help).about("compute.samples_per_s"));
                };
                Ok(self.given(Span::from_secs_saturating(batch as f64 / rate), &machines))
            }
            _ => self.modelled(&machines, None),
        }
    }

    /// Whether the work is an ideal time, so that no step is asked for.
    pub fn is_ideal(&self) -> bool {
        matches!(self.job.work, JobWork::IdealTime(_))
    }

    /// Whether [`Self::step`] tells anything of other numbers of nodes.
    pub fn scales(&self) -> bool {
        !matches!(self.compute.given, Some(Given::StepTime(_) | Given::SamplesPerS(_)))
    }

    fn given(&self, span: Span, machines: &Machines) -> Anatomy {
        let parts = StepParts { computing: span, ..StepParts::default() };
        let sustained = Pace {
            parts,
            nic: None,
            slowed_s: 0.0,
            transfers: Vec::new(),
            choice: None,
            fabric: None,
            bus_bandwidth: None,
        };
        Anatomy {
            nodes: machines.nodes,
            ranks: machines.ranks(),
            samples: self.job.global_batch.map_or(0.0, |batch| batch as f64),
            form: Form::Given,
            gpu: GpuTime { forward_s: span.as_secs(), ..GpuTime::default() },
            memory: None,
            loader: None,
            gradients: Bytes::new(0),
            sent: Bytes::new(0),
            burst: None,
            sustained,
            burst_lasts: None,
            burst_earn: 0.0,
            mfu: self.mfu(span.as_secs(), machines),
        }
    }

    /// Samples of one GPU and micro-batch with so many ranks.
    fn batch(&self, ranks: u32) -> Option<f64> {
        let micro_batches = f64::from(ranks) * f64::from(self.compute.accumulate);
        match (self.job.fixed_global_batch, self.job.global_batch) {
            (true, Some(batch)) => Some(batch as f64 / micro_batches),
            _ => self.job.batch_per_gpu,
        }
    }

    /// The step, beside an upload at no more than that rate if there is one.
    pub(super) fn modelled(&self, machines: &Machines, upload: Option<Bandwidth>) -> Result<Anatomy, Untold> {
        let ranks = machines.ranks();
        let (Some(model), Some(batch)) = (&self.job.model, self.batch(ranks)) else {
            let help = "add `model` and `batch_per_gpu` to [job], or `step_time` to [compute]";
            return Err(Untold::new("how long a step takes cannot be told", help));
        };
        let catalogue = machines.catalogue;
        let instance = machines.instance.instance;
        let work = GpuWork {
            job: &self.job,
            model,
            keys: &self.compute,
            calibration: self.calibration.as_ref(),
            gpu: catalogue.gpu_of(instance),
            coefficients: &coefficients(catalogue),
            training: catalogue.training(),
            memory: instance.gpu_memory,
            batch,
        };
        let memory = self.memory(&work, machines)?;
        let gpu = work.step()?;
        let loader = self.job.input.as_ref().map(|input| self.loader(input, machines, batch));
        let exchange = Exchange::new(&self.network, &self.compute, machines, &gpu);
        let card = exchange.card()?;
        let mut anatomy = Anatomy {
            nodes: machines.nodes,
            ranks,
            samples: batch * f64::from(ranks) * f64::from(self.compute.accumulate),
            form: gpu.form.clone(),
            gpu: gpu.time.clone(),
            memory,
            loader: None,
            gradients: gpu
                .gradients
                .iter()
                .fold(Bytes::new(0), |sum, g| Bytes::new(sum.get() + g.bytes.get())),
            sent: exchange.sent(),
            burst: None,
            sustained: self.pace(&exchange, &gpu, card, loader.as_ref(), upload)?,
            burst_lasts: None,
            burst_earn: 0.0,
            mfu: None,
        };
        if let Some(bucket) = card.and_then(|card| card.bucket) {
            let fast = anatomy.sustained.clone();
            if let Some(credit) = bucket.drain(anatomy.sent, fast.parts.total()) {
                anatomy.burst_lasts = Some(credit.full);
                anatomy.burst_earn = credit.earn;
                anatomy.sustained = without_credits(&fast, anatomy.sent, bucket.baseline);
                anatomy.burst = Some(fast);
            }
        }
        anatomy.loader = loader.map(|loader| self.loader_seen(&loader, &anatomy, machines));
        anatomy.mfu = self.mfu(anatomy.sustained.parts.total().as_secs(), machines);
        Ok(anatomy)
    }

    /// Memory need and memory, or that the batch does not fit.
    fn memory(&self, work: &GpuWork<'_>, machines: &Machines) -> Result<Option<(Bytes, Bytes)>, Untold> {
        if work.model.shape.is_none() && work.model.activations == 0.0 {
            return Ok(None);
        }
        let (need, has) = work.memory_need(machines.ranks(), machines.instance.instance.gpus);
        let need = Bytes::new(need.total_bytes() as u64);
        if need > has {
            let gb = |bytes: Bytes| bytes.as_f64() / 1e9;
            let title = format!(
                "{} samples of {} need about {:.1} GB on each GPU, and {} has {:.1} GB",
                work.batch,
                work.model.name,
                gb(need),
                work.gpu.name,
                gb(has)
            );
            let key = if self.job.fixed_global_batch { "job.global_batch" } else { "job.batch_per_gpu" };
            let help = format!("lower `{}`, or raise [compute] `accumulate`", &key["job.".len()..]);
            return Err(Untold::new(title, help).about(key));
        }
        Ok(Some((need, has)))
    }

    fn pace(
        &self,
        exchange: &Exchange<'_>,
        gpu: &GpuStep,
        card: Option<Card>,
        loader: Option<&compute::Loader>,
        upload: Option<Bandwidth>,
    ) -> Result<Pace, Untold> {
        let left = |rate: Bandwidth| self.left_to_gradients(rate, gpu, loader, upload);
        let link = card.map_or(Link::default(), |card| Link {
            nominal: Some(card.burst),
            left: Some(left(card.burst)),
            shaped: card.shaped.map(left),
        });
        let travelled = exchange.travel(&link)?;
        let busy_s = gpu.time.host_copy_s + gpu.time.compute_s() + travelled.slowed_s;
        let unstalled_s = busy_s + travelled.exposed_s;
        let stall_s = loader.map_or(0.0, |loader| loader.stall_s(unstalled_s));
        let parts = StepParts {
            computing: Span::from_secs_saturating(busy_s),
            exposed_comm: Span::from_secs_saturating(travelled.exposed_s),
            data_stall: Span::from_secs_saturating(stall_s),
        };
        if parts.total().is_zero() {
            return Err(Untold::new("a step takes no time at all", ""));
        }
        Ok(Pace {
            parts,
            nic: link.shaped.or(link.left),
            slowed_s: travelled.slowed_s,
            transfers: travelled.transfers,
            choice: travelled.choice,
            fabric: travelled.fabric,
            bus_bandwidth: travelled.bus_bandwidth,
        })
    }

    /// Model FLOP/s over the dense peaks of all GPUs, where the arithmetic is known.
    fn mfu(&self, step_s: f64, machines: &Machines) -> Option<f64> {
        let gpu = machines.catalogue.gpu_of(machines.instance.instance);
        let model = self.job.model.as_ref().filter(|model| model.forward_macs > 0.0)?;
        let batch = self.batch(machines.ranks())? * f64::from(self.compute.accumulate);
        Some(model.train_flop() * batch / (step_s * chip(gpu).peak_flop_per_s(self.job.precision)?))
    }
}

/// The pace of steps when credits are spent. The card then sends `baseline` on average: what it earns while
/// the GPUs compute is spent as soon as gradients are there, so a step takes the time to send its bytes at
/// that rate.
fn without_credits(fast: &Pace, sent: Bytes, baseline: Bandwidth) -> Pace {
    let step = Span::from_secs_saturating(baseline.secs_for(sent)).max(fast.parts.total());
    let longer = step - fast.parts.total();
    // The loader works on while gradients travel, so what it made the step wait shrinks first.
    let data_stall = fast.parts.data_stall.saturating_sub(longer);
    let exposed_comm = step - fast.parts.computing - data_stall;
    let stretched = fast.transfers.first().map_or(1.0, |first| {
        let took = fast.transfers.last().map_or(0.0, |last| last.end_s) - first.start_s;
        if took > 0.0 { (took + longer.as_secs()) / took } else { 1.0 }
    });
    let begin = fast.transfers.first().map_or(0.0, |first| first.start_s);
    let transfers = fast.transfers.iter().map(|transfer| {
        let at = |instant: f64| begin + (instant - begin) * stretched;
        Transfer { start_s: at(transfer.start_s), end_s: at(transfer.end_s), ..*transfer }
    });
    Pace {
        parts: StepParts { computing: fast.parts.computing, exposed_comm, data_stall },
        nic: Some(baseline),
        slowed_s: fast.slowed_s,
        transfers: transfers.collect(),
        choice: fast.choice,
        fabric: fast.fabric,
        bus_bandwidth: fast
            .bus_bandwidth
            .and_then(|bus| Bandwidth::from_bytes_per_s(bus.bytes_per_s() / stretched)),
    }
}
