//! `[job]`, `[compute]` and `[network]`: what is trained, and what one step of it takes.

use super::echo::quoted;
use super::plan::{StepParts, Work};
use super::range::above;
use super::reader::Reader;
use super::section::Section;
use crate::compute::ByFlops;
use crate::facts::{Catalogue, Gpu, InstanceRef, Model};
use crate::network::{RingAllReduce, exposed_s};
use crate::units::{Amount, Bandwidth, Span};

/// Arithmetic of the matrix products.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// Autocast to bfloat16, fp32 parameters.
    AmpBf16,
    /// Autocast to float16, fp32 parameters.
    AmpFp16,
    /// fp32 storage, TensorFloat-32 products.
    Tf32,
    /// fp32 throughout.
    Fp32,
}

const PRECISIONS: [(&str, Precision); 4] = [
    ("amp-bf16", Precision::AmpBf16),
    ("amp-fp16", Precision::AmpFp16),
    ("tf32", Precision::Tf32),
    ("fp32", Precision::Fp32),
];

impl Precision {
    /// Dense peak of `gpu`, FLOP/s; `None` where it has none.
    fn peak_flop_per_s(self, gpu: &Gpu) -> Option<f64> {
        let tflops = match self {
            Self::AmpBf16 => gpu.bf16_dense_tflops,
            Self::AmpFp16 => Some(gpu.fp16_dense_tflops),
            Self::Tf32 => gpu.tf32_dense_tflops,
            Self::Fp32 => Some(gpu.fp32_tflops),
        };
        tflops.map(|tflops| tflops * 1e12)
    }

    /// Its spelling in a scenario.
    pub fn name(self) -> &'static str {
        PRECISIONS.iter().find(|(_, p)| *p == self).map_or("", |(name, _)| name)
    }
}

/// What is trained on one cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// The catalogue's model, if one is named.
    pub model: Option<&'static Model>,
    /// Arithmetic.
    pub precision: Precision,
    /// Samples per GPU and step.
    pub batch_per_gpu: Option<f64>,
    /// Samples per step over all ranks.
    pub global_batch: Option<u64>,
    /// What is to be done.
    pub work: JobWork,
    /// When it should be done, since submit.
    pub deadline: Option<Span>,
    /// When a replication is cut.
    pub horizon: Span,
}

/// Work as the scenario gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobWork {
    /// So many steps.
    Steps(u64),
    /// So much time of uninterrupted work, without steps.
    IdealTime(Span),
}

/// What one step takes, and where that comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Its parts, as the engine takes them.
    pub parts: StepParts,
    /// All communication, hidden or not, seconds.
    pub communication_s: f64,
    /// Model FLOP/s over the peaks of all GPUs, if the model is known.
    pub mfu: Option<f64>,
}

/// What the cluster is made of, as far as throughput cares.
pub struct Machines<'a> {
    /// The catalogue.
    pub catalogue: &'static Catalogue,
    /// What each node is.
    pub instance: InstanceRef<'a>,
    /// How many there are.
    pub nodes: u32,
}

impl Machines<'_> {
    /// GPUs of the whole cluster.
    pub fn ranks(&self) -> u32 {
        self.nodes.saturating_mul(self.instance.instance.gpus)
    }
}

/// 30 days: what is not done by then would not be waited for.
const HORIZON: Span = Span::from_s(30 * 86_400);

/// Reads `[job]`.
pub fn read_job(mut s: Section<'_, '_>, machines: &Machines<'_>) -> Option<Job> {
    for (key, instead) in [
        ("input", "data loading comes with the throughput model"),
        ("submit", "it comes with price histories"),
    ] {
        s.reader.not_available(key, instead);
    }
    let model = read_model(&mut s, machines.catalogue);
    let precision = s.word_or_first("precision", &PRECISIONS);
    s.word_or_first("optimizer", &[("adam", ()), ("sgd", ())]);
    let (batch_per_gpu, global_batch) = read_batch(&mut s, machines.ranks());
    let work = read_work(&mut s, global_batch);
    let deadline = s.positive_span("deadline");
    let horizon = s.positive_span("horizon").unwrap_or_else(|| {
        if !s.reader.field("horizon").is_given() {
            s.echo("horizon", quoted(&HORIZON.to_string()), "");
        }
        HORIZON
    });
    s.reader.finish();
    Some(Job { model, precision, batch_per_gpu, global_batch, work: work?, deadline, horizon })
}

fn read_model(s: &mut Section<'_, '_>, catalogue: &'static Catalogue) -> Option<&'static Model> {
    let field = s.reader.field("model");
    if matches!(field.value(), Some(super::tree::Value::Table(_))) {
        field.refuse(
            "a model by its shape is not available in this version",
            "name one of `spotsim catalog models`",
        );
        return None;
    }
    let name = field.text()?;
    let Some(model) = catalogue.model(name) else {
        let nearest = catalogue.nearest_model(name);
        let label = nearest.map_or(String::new(), |name| format!("did you mean \"{name}\"?"));
        let problem = super::problem::Problem::error(format!("unknown model `{name}`"));
        s.reader.report(problem.at(field.place(), label).help("`spotsim catalog models` lists them"));
        return None;
    };
    s.echo("model", quoted(&model.name), "");
    Some(model)
}

/// Samples per GPU and over all ranks, from either key.
fn read_batch(s: &mut Section<'_, '_>, ranks: u32) -> (Option<f64>, Option<u64>) {
    match s.reader.one_of("batch size", &["batch_per_gpu", "global_batch"]) {
        Some(("batch_per_gpu", field)) => {
            let Some(batch) = field.whole(1..=1_u32 << 24) else { return (None, None) };
            s.echo("batch_per_gpu", batch.to_string(), "");
            (Some(f64::from(batch)), Some(u64::from(batch) * u64::from(ranks)))
        }
        Some((_, field)) => {
            let Some(batch) = field.whole(1..=1_u64 << 40) else { return (None, None) };
            if batch % u64::from(ranks.max(1)) != 0 {
                field.refuse_value(&format!("must divide evenly over {ranks} GPUs"));
            }
            s.echo("global_batch", batch.to_string(), "");
            (Some(batch as f64 / f64::from(ranks)), Some(batch))
        }
        None => (None, None),
    }
}

fn read_work(s: &mut Section<'_, '_>, global_batch: Option<u64>) -> Option<JobWork> {
    let dataset = s.reader.field("dataset");
    let dataset: Option<Amount> = dataset.quantity();
    if let Some(amount) = dataset {
        s.echo("dataset", quoted(&amount.to_string()), "");
    }
    let field = s.reader.required("work", "work = \"20 M samples\"");
    if let Some(super::tree::Value::Table(_)) = field.value() {
        let mut inner: Reader<'_> = field.table()?;
        let time = inner.required("ideal_time", "ideal_time = \"48 h\"");
        let span: Option<Span> = time.quantity();
        if span == Some(Span::ZERO) {
            time.refuse_value("must be above 0");
        }
        inner.finish();
        let span = span.filter(|span| !span.is_zero())?;
        s.echo("work", format!("{{ ideal_time = {} }}", quoted(&span.to_string())), "");
        return Some(JobWork::IdealTime(span));
    }
    let amount: Amount = field.quantity()?;
    s.echo("work", quoted(&amount.to_string()), "");
    let samples = match (amount, dataset) {
        (Amount::Steps(steps), _) => return Some(JobWork::Steps(steps)),
        (Amount::Samples(samples), _) => u128::from(samples),
        (Amount::MicroEpochs(epochs), Some(Amount::Samples(samples))) => {
            (u128::from(epochs) * u128::from(samples)).div_ceil(1_000_000)
        }
        (Amount::MicroEpochs(_), _) => {
            field.refuse(
                "`work` in epochs needs the size of the data set",
                "add `dataset = \"1281167 samples\"`",
            );
            return None;
        }
    };
    let Some(global_batch) = global_batch else {
        field.refuse("`work` in samples needs the batch size", "add `batch_per_gpu = 128`");
        return None;
    };
    u64::try_from(samples.div_ceil(u128::from(global_batch))).ok().map(JobWork::Steps)
}

/// What `[compute]` says.
pub struct ComputeKeys {
    step_time: Option<Span>,
    samples_per_s: Option<f64>,
    efficiency: Option<f64>,
}

/// Reads `[compute]`.
pub fn read_compute(mut s: Section<'_, '_>) -> ComputeKeys {
    for key in ["calibration", "accept_class"] {
        s.reader.not_available(key, "calibration files come in a later version");
    }
    let mut keys = ComputeKeys { step_time: None, samples_per_s: None, efficiency: None };
    match s.reader.one_of("way to say how fast it is", &["step_time", "samples_per_s", "efficiency"]) {
        Some(("step_time", _)) => keys.step_time = s.positive_span("step_time"),
        Some(("samples_per_s", field)) => {
            keys.samples_per_s = field.number(above(0.0));
            if let Some(rate) = keys.samples_per_s {
                s.echo("samples_per_s", rate.to_string(), "of the whole cluster");
            }
        }
        Some((_, field)) => {
            keys.efficiency = field.number((std::ops::Bound::Excluded(0.0), std::ops::Bound::Included(1.0)));
            if let Some(efficiency) = keys.efficiency {
                s.echo(
                    "efficiency",
                    efficiency.to_string(),
                    "share of the dense peak that a whole step reaches",
                );
            }
        }
        None => {}
    }
    s.reader.finish();
    keys
}

/// What `[network]` says.
pub struct NetworkKeys {
    bandwidth: Option<Bandwidth>,
    overlap: bool,
}

/// Reads `[network]`.
pub fn read_network(mut s: Section<'_, '_>) -> NetworkKeys {
    for key in ["placement", "compression"] {
        s.reader.not_available(key, "it comes with the network model");
    }
    let bandwidth: Option<Bandwidth> = s.reader.field("bandwidth").quantity();
    if let Some(b) = bandwidth {
        s.echo(
            "bandwidth",
            quoted(&b.to_string()),
            format!("{} B/s, as the all-reduce gets it", b.bytes_per_s()),
        );
    }
    let overlap = s.flag_or("overlap", true);
    s.reader.finish();
    NetworkKeys { bandwidth, overlap }
}

/// Joins job, compute and network into whole steps; problems are reported at `job`.
pub fn resolve_work(
    job: &Job,
    compute: &ComputeKeys,
    network: &NetworkKeys,
    machines: &Machines<'_>,
    at: &Reader<'_>,
    assumed: &mut Vec<String>,
) -> Option<(Work, Option<Step>)> {
    let steps = match job.work {
        JobWork::Steps(steps) => steps,
        JobWork::IdealTime(span) => {
            if compute.step_time.is_some() || compute.samples_per_s.is_some() {
                at.refuse(
                    "[compute] has no effect where `work` is an ideal time",
                    "give `work` in steps or samples",
                );
                return None;
            }
            let step = StepParts { computing: Span::from_ns(1), ..StepParts::default() };
            return Some((Work { steps: span.ns(), step }, None));
        }
    };
    let step = match (compute.step_time, compute.samples_per_s) {
        (Some(span), _) => given(span, job, machines),
        (_, Some(rate)) => {
            let Some(batch) = job.global_batch else {
                at.refuse("`samples_per_s` needs the batch size", "add `batch_per_gpu = 128` to [job]");
                return None;
            };
            given(Span::from_secs_saturating(batch as f64 / rate), job, machines)
        }
        _ => modelled(job, compute, network, machines, at, assumed)?,
    };
    if step.parts.total().is_zero() {
        at.refuse("a step takes no time at all", "");
        return None;
    }
    Some((Work { steps, step: step.parts }, Some(step)))
}

fn given(span: Span, job: &Job, machines: &Machines<'_>) -> Step {
    let parts = StepParts { computing: span, ..StepParts::default() };
    Step { parts, communication_s: 0.0, mfu: mfu(span.as_secs(), job, machines) }
}

fn mfu(step_s: f64, job: &Job, machines: &Machines<'_>) -> Option<f64> {
    let gpu = machines.catalogue.gpu_of(machines.instance.instance);
    let flop = job.model?.train_gflop_per_sample * 1e9 * job.batch_per_gpu?;
    Some(flop / (step_s * job.precision.peak_flop_per_s(gpu)?))
}

fn modelled(
    job: &Job,
    compute: &ComputeKeys,
    network: &NetworkKeys,
    machines: &Machines<'_>,
    at: &Reader<'_>,
    assumed: &mut Vec<String>,
) -> Option<Step> {
    let (Some(model), Some(batch_per_gpu)) = (job.model, job.batch_per_gpu) else {
        at.refuse(
            "how long a step takes cannot be told",
            "add `model` and `batch_per_gpu` to [job], or `step_time` to [compute]",
        );
        return None;
    };
    let gpu = machines.catalogue.gpu_of(machines.instance.instance);
    let Some(peak_flop_per_s) = job.precision.peak_flop_per_s(gpu) else {
        at.refuse(
            format!("{} has no {} arithmetic", gpu.name, job.precision.name()),
            "try precision = \"amp-fp16\"",
        );
        return None;
    };
    let efficiency = compute.efficiency.unwrap_or_else(|| {
        assumed.push(format!(
            "a step reaches {:.1} % of the {} peak of {} ({}, confidence {})",
            gpu.training_efficiency * 100.0,
            job.precision.name(),
            gpu.name,
            gpu.training_efficiency_date,
            first_clause(&gpu.training_efficiency_confidence),
        ));
        gpu.training_efficiency
    });
    let train_flop_per_sample = model.train_gflop_per_sample * 1e9;
    let form = ByFlops { train_flop_per_sample, batch_per_gpu, peak_flop_per_s, efficiency };
    let communication_s = all_reduce_s(model, network, machines, at, assumed)?;
    let exposed = exposed_s(communication_s, form.backward_s(), network.overlap);
    let parts = StepParts {
        computing: Span::from_secs_saturating(form.step_s()),
        exposed_comm: Span::from_secs_saturating(exposed),
        data_stall: Span::ZERO,
    };
    Some(Step { parts, communication_s, mfu: mfu(parts.total().as_secs(), job, machines) })
}

/// Seconds of the gradients' ring all-reduce: over the network between nodes, else inside the node.
fn all_reduce_s(
    model: &Model,
    network: &NetworkKeys,
    machines: &Machines<'_>,
    at: &Reader<'_>,
    assumed: &mut Vec<String>,
) -> Option<f64> {
    let ranks = machines.ranks();
    if ranks < 2 {
        return Some(0.0);
    }
    let instance = machines.instance.instance;
    let bandwidth = match network.bandwidth {
        Some(bandwidth) => bandwidth,
        None if machines.nodes > 1 => {
            let fabric = machines.catalogue.fabric_between(instance);
            let achieved = fabric.achieved(instance.network_baseline);
            assumed.push(format!(
                "{} all-reduces at {:.2} GB/s: {} at its baseline rate, burst credits not counted ({}, confidence {})",
                instance.name,
                achieved.bytes_per_s() / 1e9,
                fabric.name,
                fabric.date,
                first_clause(&fabric.confidence),
            ));
            achieved
        }
        None => {
            let Some(link) = machines.catalogue.interconnect_inside(instance) else {
                let title = format!("how the GPUs of {} are joined is not known", instance.name);
                at.refuse(title, "give `bandwidth` in [network]");
                return None;
            };
            assumed.push(format!(
                "{} all-reduces inside the node at {:.1} GB/s ({}, confidence {})",
                instance.name,
                link.bus_rate.bytes_per_s() / 1e9,
                link.date,
                first_clause(&link.confidence),
            ));
            link.bus_rate
        }
    };
    Some(RingAllReduce { bytes: model.grad_bytes_fp32, ranks, bandwidth }.time_s())
}

/// A confidence in a word or two; `catalog` has the reasons.
fn first_clause(confidence: &str) -> &str {
    confidence.split(';').next().unwrap_or(confidence)
}
