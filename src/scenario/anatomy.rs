//! One training step taken apart: what `spotsim step` shows and the plan is made of.

use super::plan::StepParts;
use crate::network::Transfer;
use crate::units::{Bandwidth, Bytes, Span};

/// One training step of a cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct Anatomy {
    /// Nodes that take part.
    pub nodes: u32,
    /// GPUs of all nodes.
    pub ranks: u32,
    /// Samples of one step over all ranks.
    pub samples: f64,
    /// How the GPU's time was found.
    pub form: Form,
    /// The GPU's time.
    pub gpu: GpuTime,
    /// Memory that a step needs on each GPU, and what the GPU has; `None` where the model is not known.
    pub memory: Option<(Bytes, Bytes)>,
    /// Input, where `[job.input]` describes it.
    pub loader: Option<Loader>,
    /// One set of gradients; zero where the model is not known.
    pub gradients: Bytes,
    /// Bytes that a rank sends in one step.
    pub sent: Bytes,
    /// The paces at which the cluster trains: with burst credits, if it has them, and without.
    pub burst: Option<Pace>,
    /// Without credits; the only pace of clusters that need none.
    pub sustained: Pace,
    /// How long a full bucket of credits lasts in training; `None` where there is no [`Self::burst`].
    pub burst_lasts: Option<Span>,
    /// Such training that a node earns in a time of no training, no unit; 0 where there is no [`Self::burst`].
    pub burst_earn: f64,
    /// Model FLOP/s over the dense peaks of all GPUs, at the sustained pace.
    pub mfu: Option<f64>,
}

/// How the GPU's time was found.
#[derive(Debug, Clone, PartialEq)]
pub enum Form {
    /// Operation by operation.
    Roofline,
    /// From counts of arithmetic, activations and parameters.
    Light,
    /// From kernels measured on a device, and the roofline for the rest.
    Calibrated(Calibrated),
    /// Given in the scenario.
    Given,
}

/// Which measured kernels a step's time comes from, and what they changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibrated {
    /// The file, as the scenario names it.
    pub file: String,
    /// The device that they were measured on.
    pub device: String,
    /// Kind of the kernels: `"cuda"`, `"portable"`, `"cpu"`.
    pub class: &'static str,
    /// Day of the measurement.
    pub date: String,
    /// Whether device or class are others than the cluster's, and the scenario accepts that.
    pub accepted: bool,
    /// Share of the GPU's time that was measured in the step's own shapes.
    pub measured: f64,
    /// Share of it that lies between measured shapes.
    pub between: f64,
    /// Computing of a step by the roofline alone, with the catalogue's efficiencies, seconds.
    pub roofline_s: f64,
}

impl Calibrated {
    /// A sentence: which kernels, and what they changed of a step that computes for `compute_s`.
    pub fn words(&self, compute_s: f64) -> String {
        let Self { file, device, class, date, .. } = self;
        let accepted = if self.accepted { ", accepted though of another device or class" } else { "" };
        // What is not all must not look so.
        let share = |of: f64| {
            let decimals = usize::from(of < 1.0 && of > 0.99);
            format!("{:.decimals$}", (of * 1000.0).floor() / 10.0)
        };
        let (measured, between) = (share(self.measured), share(self.between));
        let change = match compute_s / self.roofline_s {
            times if (times - 1.0).abs() < 5e-4 => "no change".to_owned(),
            times if times < 4.0 => format!("{:+.1} %", 100.0 * (times - 1.0)),
            times => format!("{times:.0} times as long"),
        };
        let ms = |s: f64| if s < 1.0 { format!("{:.1} ms", s * 1e3) } else { format!("{s:.2} s") };
        format!(
            "kernels as measured on {device} (class {class}, {date}, \"{file}\"{accepted}): {measured} % of the \
             GPU's time in the step's own shapes, {between} % between measured ones, the roofline for the rest; a \
             step computes for {}, by the roofline alone for {} ({change})",
            ms(compute_s),
            ms(self.roofline_s),
        )
    }
}

/// The GPU's time in one step, seconds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GpuTime {
    /// Copying the batch from the host, not overlapped.
    pub host_copy_s: f64,
    /// Forward.
    pub forward_s: f64,
    /// Backward, undisturbed by communication beside it.
    pub backward_s: f64,
    /// Optimizer.
    pub optimizer_s: f64,
    /// The same by kind of operation.
    pub groups: Vec<Group>,
    /// The same operation by operation; empty where it was given.
    pub operations: Vec<OperationTime>,
    /// Whether starting kernels takes the host longer than running them takes the GPU.
    pub launch_bound: bool,
}

impl GpuTime {
    /// All of it, without the copy.
    pub fn compute_s(&self) -> f64 {
        self.forward_s + self.backward_s + self.optimizer_s
    }
}

/// Operations of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// "matrix products", "attention" and so on.
    pub name: &'static str,
    /// Seconds in one step.
    pub time_s: f64,
}

/// One operation, all micro-batches of a step together.
#[derive(Debug, Clone, PartialEq)]
pub struct OperationTime {
    /// Which one it is.
    pub name: &'static str,
    /// Its [`Group`].
    pub group: &'static str,
    /// How often it is done in a micro-batch.
    pub count: u32,
    /// Seconds in one step.
    pub time_s: f64,
    /// By the roofline alone, with the catalogue's efficiencies; the same where nothing was measured.
    pub roofline_s: f64,
    /// Seconds that were measured in its own shapes.
    pub measured_s: f64,
    /// Seconds that lie between measured shapes.
    pub between_s: f64,
}

/// Making the batches of one node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Loader {
    /// Samples per second that a node's workers can make.
    pub samples_per_s: f64,
    /// Seconds until a node's next batches are ready.
    pub batch_s: f64,
    /// Share of the node's usable cores that this takes at the pace of the step.
    pub load: f64,
    /// vCPUs of a node.
    pub vcpus: u32,
    /// Cores of a node that are busy at the pace of the step, with main processes and sockets.
    pub busy_cores: f64,
    /// Seconds until the first batches are ready.
    pub startup_s: f64,
    /// Shared memory for the batches that workers hold ready.
    pub shared_memory: Bytes,
}

/// A step at one network rate.
#[derive(Debug, Clone, PartialEq)]
pub struct Pace {
    /// Where its time goes.
    pub parts: StepParts,
    /// What a node's network card gives the gradients, one direction; `None` inside one node.
    pub nic: Option<Bandwidth>,
    /// By how much communication beside it slows backward, seconds; part of the computing.
    pub slowed_s: f64,
    /// Collectives in the order in which they run, since the step began.
    pub transfers: Vec<Transfer>,
    /// Algorithm and protocol of the largest, as NCCL names them; `None` where a bandwidth was given.
    pub choice: Option<(&'static str, &'static str)>,
    /// Class of the fabric whose measured figures these are; `None` where a bandwidth was given.
    pub fabric: Option<&'static str>,
    /// Bus bandwidth of the largest: `2(n−1)/n` of its bytes over its time.
    pub bus_bandwidth: Option<Bandwidth>,
}

impl Pace {
    /// Seconds of communication, hidden or not.
    pub fn communication_s(&self) -> f64 {
        self.transfers.iter().fold(0.0, |sum, transfer| sum + (transfer.end_s - transfer.start_s))
    }
}

/// What a step waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bound {
    /// The GPU's arithmetic and memory.
    Compute,
    /// The host, which starts kernels too slowly.
    Launch,
    /// Gradients on the network, or between the GPUs of one node.
    Network,
    /// The input.
    Loader,
}

impl Anatomy {
    /// Seconds for which each resource is needed in one step at `pace`, the longest first: what bounds
    /// the step, then what would bound it next.
    pub fn bounds(&self, pace: &Pace) -> Vec<(Bound, f64)> {
        let gpu = if self.gpu.launch_bound { Bound::Launch } else { Bound::Compute };
        let gpu_s = self.gpu.host_copy_s + self.gpu.compute_s();
        let mut bounds = vec![(gpu, gpu_s)];
        if let (Some(first), Some(last)) = (pace.transfers.first(), pace.transfers.last())
            && last.end_s > first.start_s
        {
            // Nothing can be sent before the first gradients are there, and the optimizer waits for the last.
            let network_s = first.ready_s + pace.communication_s() + self.gpu.optimizer_s;
            bounds.push((Bound::Network, network_s));
        }
        if let Some(loader) = &self.loader {
            bounds.push((Bound::Loader, loader.batch_s));
        }
        bounds.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        bounds
    }

    /// Samples per second over all ranks at `pace`.
    pub fn samples_per_s(&self, pace: &Pace) -> f64 {
        self.samples / pace.parts.total().as_secs()
    }
}
