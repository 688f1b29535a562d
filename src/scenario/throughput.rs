//! Joins job, `[compute]`, `[network]` and the machines into one training step and the work of a plan.

use super::anatomy::{Anatomy, Form, GpuTime, Loader, Pace};
use super::compute::{ComputeKeys, Given};
use super::exchange::{Card, Exchange, Link};
use super::gpu_time::{GpuStep, GpuWork};
use super::input::{InputKeys, Store};
use super::job::{Job, JobWork};
use super::network::{AllReduceGiven, NetworkKeys};
use super::plan::{Burst, StepParts, Work};
use super::problem::{Problem, Sink};
use super::source::Place;
use super::speed::chip;
use super::tree::Table;
use crate::compute::{self, Calibration, HostShare, Storage};
use crate::facts::{Catalogue, InstanceRef};
use crate::network::{Flow, fair_shares};
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
    pub calibration: Option<Calibration>,
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
            _ => self.modelled(&machines),
        }
    }

    /// Whether [`Self::step`] tells anything of other numbers of nodes.
    pub fn scales(&self) -> bool {
        !matches!(self.compute.given, Some(Given::StepTime(_) | Given::SamplesPerS(_)))
    }

    fn given(&self, span: Span, machines: &Machines) -> Anatomy {
        let parts = StepParts { computing: span, ..StepParts::default() };
        let sustained =
            Pace { parts, nic: None, transfers: Vec::new(), choice: None, fabric: None, bus_bandwidth: None };
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

    /// Says in `assumed` what the step hangs on that the scenario does not give.
    pub(super) fn say_assumed(&self, step: &Anatomy, assumed: &mut Vec<String>) {
        self.say_compute(step, assumed);
        // A whole step given outright has the exchange in it.
        if step.ranks > 1 && self.scales() {
            self.say_network(step, assumed);
        }
    }

    fn say_compute(&self, step: &Anatomy, assumed: &mut Vec<String>) {
        let gpu = self.machines.catalogue.gpu_of(self.machines.instance.instance);
        match (&step.form, self.compute.given) {
            (Form::Given, _) => {}
            (Form::Calibrated(device), _) => {
                let file = self.compute.calibration.as_deref().unwrap_or_default();
                assumed
                    .push(format!("kernels as measured on {device} (\"{file}\"), the roofline for the rest"));
            }
            (_, Some(Given::Efficiency(_))) => {}
            (form, _) => {
                let what = if *form == Form::Light { "counts of the model" } else { "each operation" };
                let rows = match gpu.efficiency_rows {
                    0 => String::new(),
                    rows => format!("fitted to {rows} measured steps, "),
                };
                assumed.push(format!(
                    "{}: {:.2} of the peak and {:.2} of the memory bandwidth for {what} ({rows}{}, confidence {})",
                    gpu.name,
                    gpu.compute_efficiency,
                    gpu.memory_efficiency,
                    gpu.efficiency_date,
                    super::echo::first_clause(&gpu.efficiency_confidence),
                ));
            }
        }
    }

    fn say_network(&self, step: &Anatomy, assumed: &mut Vec<String>) {
        let catalogue = self.machines.catalogue;
        let instance = self.machines.instance.instance;
        match &self.network.given {
            Some(AllReduceGiven::Measured(measured)) => return assumed.push(measured.words()),
            Some(AllReduceGiven::Bandwidth(_)) => return,
            None => {}
        }
        let fastest = step.burst.as_ref().unwrap_or(&step.sustained);
        if let Some((bus, (algorithm, protocol))) = fastest.bus_bandwidth.zip(fastest.choice) {
            let between = if step.nodes > 1 { "between nodes" } else { "inside the node" };
            let class = fastest.fabric.unwrap_or_default();
            let figures = catalogue.nccl_figures().find(|figures| figures.class == class);
            let spread = figures.map_or(String::new(), |figures| {
                format!(
                    "; eight of ten unseen systems of class {class} take {:.2} to {:.2} of the time",
                    figures.time_low, figures.time_high
                )
            });
            assumed.push(format!(
                "{}: NCCL all-reduces {between} at {:.2} GB/s of bus bandwidth ({algorithm}, {protocol}{spread})",
                instance.name,
                bus.bytes_per_s() / 1e9,
            ));
        }
        if let Some(lasts) = step.burst_lasts {
            let time = catalogue.burst_time();
            assumed.push(format!(
                "{}: burst credits last {:.1} h of training, then {} ({}, confidence {})",
                instance.name,
                lasts.as_hours(),
                self.network.baseline.unwrap_or(instance.network_baseline),
                time.date,
                super::echo::first_clause(&time.confidence),
            ));
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

    fn modelled(&self, machines: &Machines) -> Result<Anatomy, Untold> {
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
            catalogue,
            training: catalogue.training(),
            memory: instance.gpu_memory,
            batch,
        };
        let memory = self.memory(&work, machines)?;
        let gpu = work.step()?;
        let loader = self.job.input.as_ref().map(|input| self.loader(input, machines, batch));
        let exchange = Exchange { network: &self.network, compute: &self.compute, machines, gpu: &gpu };
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
            sustained: self.pace(&exchange, &gpu, card, loader.as_ref())?,
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
    ) -> Result<Pace, Untold> {
        let left = |rate: Bandwidth| self.left_by_input(rate, gpu, loader);
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
            transfers: travelled.transfers,
            choice: travelled.choice,
            fabric: travelled.fabric,
            bus_bandwidth: travelled.bus_bandwidth,
        })
    }

    /// What an input stream over the same card leaves to the gradients: the card is shared fairly, and the
    /// stream wants no more than samples are computed.
    fn left_by_input(&self, nic: Bandwidth, gpu: &GpuStep, loader: Option<&compute::Loader>) -> Bandwidth {
        let streams = self.job.input.as_ref().is_some_and(|input| input.from == Store::S3);
        let (Some(loader), true) = (loader, streams) else { return nic };
        let Some(storage) = loader.storage else { return nic };
        let samples = f64::from(loader.ranks) * f64::from(loader.batch);
        let wanted = samples * storage.sample_bytes / (gpu.time.host_copy_s + gpu.time.compute_s());
        let flows = [
            Flow { demand: f64::INFINITY, cap: f64::INFINITY },
            Flow { demand: wanted, cap: storage.bytes_per_s },
        ];
        let shares = fair_shares(nic.bytes_per_s(), &flows);
        Bandwidth::from_bytes_per_s(shares[0]).unwrap_or(nic)
    }

    fn loader(&self, input: &InputKeys, machines: &Machines, batch: f64) -> compute::Loader {
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

    fn loader_seen(&self, loader: &compute::Loader, anatomy: &Anatomy, machines: &Machines) -> Loader {
        let pace = anatomy.burst.as_ref().unwrap_or(&anatomy.sustained);
        let node_samples = anatomy.samples / f64::from(anatomy.nodes);
        let (samples_per_s, _) = loader.capacity();
        Loader {
            samples_per_s,
            batch_s: node_samples / samples_per_s,
            load: loader.load(node_samples / pace.parts.total().as_secs()),
            vcpus: machines.instance.instance.vcpus,
        }
    }

    /// Model FLOP/s over the dense peaks of all GPUs, where the arithmetic is known.
    fn mfu(&self, step_s: f64, machines: &Machines) -> Option<f64> {
        let gpu = machines.catalogue.gpu_of(machines.instance.instance);
        let model = self.job.model.as_ref().filter(|model| model.forward_macs > 0.0)?;
        let batch = self.batch(machines.ranks())? * f64::from(self.compute.accumulate);
        Some(model.train_flop() * batch / (step_s * chip(gpu).peak_flop_per_s(self.job.precision)?))
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
        super::anatomy::Transfer { start_s: at(transfer.start_s), end_s: at(transfer.end_s), ..*transfer }
    });
    Pace {
        parts: StepParts { computing: fast.parts.computing, exposed_comm, data_stall },
        nic: Some(baseline),
        transfers: transfers.collect(),
        choice: fast.choice,
        fabric: fast.fabric,
        bus_bandwidth: fast
            .bus_bandwidth
            .and_then(|bus| Bandwidth::from_bytes_per_s(bus.bytes_per_s() / stretched)),
    }
}

/// The tables of a cluster that a step is told from, and where problems go.
pub(super) struct StepTables<'a> {
    /// `[job]`.
    pub job: &'a Table,
    /// `[compute]`.
    pub compute: &'a Table,
    /// `[network]`.
    pub network: &'a Table,
    /// Where problems go.
    pub sink: &'a Sink,
}

impl StepTables<'_> {
    fn refuse(&self, untold: Untold) {
        let place = self.place(untold.key);
        self.sink.report(Problem::error(untold.title).at(place, untold.help));
    }

    /// Where the value of `job.precision` stands; its table if it is not given.
    fn place(&self, key: &str) -> Place {
        let (table, key) = key.split_once('.').unwrap_or((key, ""));
        let table = match table {
            "compute" => self.compute,
            "network" => self.network,
            _ => self.job,
        };
        table.entries.get(key).map_or(table.place, |entry| entry.node.place)
    }

    /// Whether what `job` lacks was given wrongly: that was reported where it stands.
    fn is_reported(&self, job: &Job) -> bool {
        let given = |key: &str| self.job.entries.contains_key(key);
        let batch = given("batch_per_gpu") || given("global_batch");
        (job.model.is_none() && given("model")) || (job.global_batch.is_none() && batch)
    }
}

/// Whole steps of a job, and the step; problems are reported at the keys of `tables`.
pub(super) fn resolve_work(
    throughput: &Throughput,
    tables: &StepTables<'_>,
) -> Option<(Work, Option<Anatomy>)> {
    let steps = match throughput.job.work {
        JobWork::Steps(steps) => steps,
        JobWork::IdealTime(span) => {
            if throughput.compute.given.is_some() {
                let title = "[compute] has no effect where `work` is an ideal time";
                let help = "give `work` in steps or samples";
                tables.refuse(Untold::new(title, help).about("job.work"));
                return None;
            }
            let step = StepParts { computing: Span::from_ns(1), ..StepParts::default() };
            return Some((Work { steps: span.ns(), step, burst: None }, None));
        }
    };
    let told = throughput.step(throughput.machines.nodes).and_then(|anatomy| {
        let step = anatomy.sustained.parts.total();
        match step {
            Span::ZERO => Err(Untold::new("a step takes no time at all", "")),
            Span::MAX => Err(Untold::new("a step takes longer than 584 years", "")),
            _ => Ok(anatomy),
        }
    });
    let anatomy = match told {
        Ok(anatomy) => anatomy,
        Err(_) if tables.is_reported(&throughput.job) => return None,
        Err(untold) => {
            tables.refuse(untold);
            return None;
        }
    };
    let burst = anatomy.burst.as_ref().zip(anatomy.burst_lasts);
    let burst = burst.map(|(pace, full)| Burst { step: pace.parts, full, earn: anatomy.burst_earn });
    Some((Work { steps, step: anatomy.sustained.parts, burst }, Some(anatomy)))
}
