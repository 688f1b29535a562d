//! Steps for tests. The figures of [`three`] are those of the mock-up `terminal.txt`, not results.

use crate::experiment::step::{ScalePoint, StepResult};
use crate::network::Transfer;
use crate::scenario::anatomy::{Anatomy, Form, GpuTime, Group, Loader, Pace};
use crate::scenario::plan::{Market, StepParts};
use crate::units::{Bandwidth, Bytes, Span};

/// What tells clusters apart in these tests; times in milliseconds.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// The cluster's name.
    pub name: &'static str,
    /// Where it rents.
    pub market: Market,
    /// Nodes, and GPUs of each.
    pub nodes: (u32, u32),
    /// Host copy, forward, backward, optimizer.
    pub gpu_ms: [f64; 4],
    /// All collectives together; 0 for none.
    pub all_reduce_ms: f64,
    /// How many there are.
    pub buckets: u32,
    /// Until a node's next batch is ready.
    pub batch_ms: f64,
}

/// The mock-up's On-Demand machine.
pub const ON_DEMAND: Kind = Kind {
    name: "1x g5.12xlarge On-Demand",
    market: Market::OnDemand,
    nodes: (1, 4),
    gpu_ms: [15.0, 120.0, 240.0, 10.0],
    all_reduce_ms: 72.0,
    buckets: 6,
    batch_ms: 41.0,
};

/// The mock-up's larger Spot machines.
pub const LARGER: Kind = Kind {
    name: "4x g5.4xlarge Spot",
    market: Market::Spot,
    nodes: (4, 1),
    all_reduce_ms: 347.0,
    buckets: 13,
    batch_ms: 31.0,
    ..ON_DEMAND
};

/// The mock-up's smaller Spot machines.
pub const SMALLER: Kind = Kind { name: "4x g5.2xlarge Spot", all_reduce_ms: 623.0, batch_ms: 62.0, ..LARGER };

/// The clusters of the mock-up.
pub fn three() -> Vec<StepResult> {
    [ON_DEMAND, LARGER, SMALLER].iter().map(step).collect()
}

fn span(ms: f64) -> Span {
    Span::from_secs_saturating(ms / 1e3)
}

/// Buckets become ready evenly from a twelfth of the backward pass, the last at its end, and run one
/// after the other.
fn transfers(kind: &Kind) -> Vec<Transfer> {
    if kind.all_reduce_ms == 0.0 {
        return Vec::new();
    }
    let [copy, forward, backward, _] = kind.gpu_ms;
    let (first, last) = (copy + forward + backward / 12.0, copy + forward + backward);
    let each = kind.all_reduce_ms / f64::from(kind.buckets);
    let mut free: f64 = 0.0;
    let transfer = |index: u32| {
        let share = f64::from(index) / f64::from(kind.buckets.max(2) - 1);
        let ready = first + (last - first) * share;
        let start = ready.max(free);
        free = start + each;
        let bytes = Bytes::new(346_000_000 / u64::from(kind.buckets));
        Transfer { bytes, ready_s: ready / 1e3, start_s: start / 1e3, end_s: free / 1e3 }
    };
    (0..kind.buckets).map(transfer).collect()
}

/// The pace of `kind`, whose GPU waits for the last bucket and then for its next batch.
pub fn pace(kind: &Kind) -> Pace {
    let [copy, forward, backward, optimizer] = kind.gpu_ms;
    let transfers = transfers(kind);
    let sent_ms = transfers.last().map_or(0.0, |last| last.end_s * 1e3);
    let exposed = (sent_ms - copy - forward - backward).max(0.0);
    let computing = copy + forward + backward + optimizer;
    let stall = (kind.batch_ms - computing - exposed).max(0.0);
    let bus = 1.5 * 346e6 / (kind.all_reduce_ms / 1e3);
    Pace {
        parts: StepParts { computing: span(computing), exposed_comm: span(exposed), data_stall: span(stall) },
        nic: (kind.nodes.0 > 1).then(|| Bandwidth::from_bytes_per_s(bus * 1.1)).flatten(),
        choice: (!transfers.is_empty()).then_some(("Ring", "Simple")),
        fabric: None,
        slowed_s: 0.0,
        bus_bandwidth: Bandwidth::from_bytes_per_s(bus),
        transfers,
    }
}

/// A step with the figures of `kind`, 128 samples a GPU.
pub fn step(kind: &Kind) -> StepResult {
    let [copy, forward, backward, optimizer] = kind.gpu_ms.map(|ms| ms / 1e3);
    let (nodes, ranks) = (kind.nodes.0, kind.nodes.0 * kind.nodes.1);
    let sustained = pace(kind);
    let step_s = sustained.parts.total().as_secs();
    let node_samples = 128.0 * f64::from(kind.nodes.1);
    let anatomy = Anatomy {
        nodes,
        ranks,
        samples: 128.0 * f64::from(ranks),
        form: Form::Roofline,
        gpu: GpuTime {
            host_copy_s: copy,
            forward_s: forward,
            backward_s: backward,
            optimizer_s: optimizer,
            groups: vec![
                Group { name: "matrix products", time_s: 0.7 * (forward + backward) },
                Group { name: "attention", time_s: 0.3 * (forward + backward) },
                Group { name: "optimizer", time_s: optimizer },
            ],
            operations: Vec::new(),
            launch_bound: false,
        },
        memory: Some((Bytes::new(14_200_000_000), Bytes::new(24_000_000_000))),
        loader: (kind.batch_ms > 0.0).then(|| Loader {
            samples_per_s: node_samples / kind.batch_ms * 1e3,
            batch_s: kind.batch_ms / 1e3,
            load: kind.batch_ms / 1e3 / step_s,
            vcpus: 8,
            busy_cores: 1.3,
            startup_s: 0.344,
            shared_memory: Bytes::new(1_233_000_000),
        }),
        gradients: Bytes::new(346_000_000),
        sent: Bytes::new(519_000_000),
        burst: None,
        sustained,
        burst_lasts: None,
        burst_earn: 0.0,
        mfu: Some(0.19 / step_s),
    };
    StepResult {
        name: kind.name.to_owned(),
        instance: kind.name.split(' ').nth(1).unwrap_or_default().to_owned(),
        market: kind.market,
        model: Some("vit_base_patch16_224".to_owned()),
        precision: "amp-bf16",
        batch_per_gpu: Some(128.0),
        anatomy,
        scaling: Vec::new(),
        fixed_global_batch: false,
        number: 0,
        assumed: vec!["A10G reaches 82 % of its roofline (2026-01-15, confidence medium)".to_owned()],
    }
}

/// `kind` with credits that carry its gradients at the pace of `burst` for 24 minutes.
pub fn with_burst(kind: &Kind, burst: &Kind) -> StepResult {
    let mut result = step(kind);
    result.anatomy.burst = Some(pace(burst));
    result.anatomy.burst_lasts = Some(span(24.0 * 60e3));
    result
}

/// The project's case 19: one step takes 0.64 s on one node and divides evenly, then 1.4 GB go through a
/// ring at so many bytes per second; 2.00 USD/h a node, 1,000 samples a step.
pub fn case_19(bytes_per_s: f64) -> Vec<ScalePoint> {
    let samples = 1_000.0;
    let point = |nodes: u32| {
        let n = f64::from(nodes);
        let step_s = 0.64 / n + 2.0 * (n - 1.0) / n * 1.4e9 / bytes_per_s;
        let samples_per_s = samples / step_s;
        ScalePoint {
            nodes,
            step_ms: step_s * 1e3,
            samples_per_s,
            efficiency: samples_per_s / (n * samples / 0.64),
            usd_per_msample: Some(n * 2.0 / 3_600.0 * 1e6 / samples_per_s),
        }
    };
    [1, 2, 4, 8].map(point).to_vec()
}
