//! `[compute]` and `[network]`, and what they make of a job: how long one step takes.

use super::echo::{first_clause, quoted};
use super::job::{Job, JobWork};
use super::plan::{StepParts, Work};
use super::range::above;
use super::reader::Reader;
use super::section::Section;
use crate::compute::ByFlops;
use crate::facts::{Catalogue, InstanceRef, Model};
use crate::network::{RingAllReduce, exposed_s};
use crate::units::{Bandwidth, Span};

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
