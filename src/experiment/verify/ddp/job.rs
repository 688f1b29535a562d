//! The step of a published job: computing from its one-node point, and the exchange on top.

use super::reduce::AllReduce;
use super::row::{Batch, Row, in_series};
use super::tables::{Code, Layers, Machine, Tables};
use crate::facts::{Catalogue, DdpCosts};
use crate::network::{Accumulation, Bucket, BucketLimits, Ddp, buckets, straggler_s};
use crate::stats::rising_root;
use crate::units::Bytes;

/// Share of forward and backward pass that is backward: two products for one.
const BACKWARD_SHARE: f64 = 2.0 / 3.0;
/// Bytes that an optimizer with two moments reads and writes in device memory for each parameter in fp32:
/// parameter, gradient and moments read, all but the gradient written.
const OPTIMIZER_BYTES: f64 = 28.0;

/// What a row says about its job, and the tables about its model, code and machine.
struct Job<'a> {
    row: &'a Row,
    batch: Batch,
    layers: &'a Layers,
    buckets: &'a [Bucket],
    overlap: bool,
    machine: &'a Machine,
    costs: &'a DdpCosts,
    all_reduce: AllReduce,
}

/// The efficiency that a row should have: that of its one-node point, times how much less of a step is
/// computing.
pub(super) fn predicted_efficiency(row: &Row, known: &[Row], tables: &Tables) -> Result<f64, String> {
    if !(row.strategy.starts_with("DDP") || ["data parallel", "Horovod"].contains(&row.strategy.as_str())) {
        return Err(format!("strategy {} not covered", row.strategy));
    }
    let (base, base_throughput, base_efficiency) = one_node_point(row, known)?;
    let layers = tables.layers(&row.model)?;
    let machine = tables.machine(&row.instance)?;
    let code = tables.code(row);
    let gradients = layers.gradients(code.gradient_bytes(&row.precision));
    let buckets = buckets(&gradients, bucket_limits(&code));
    let job = |row| {
        let all_reduce = AllReduce::new(row, machine)?;
        let (costs, overlap) = (Catalogue::builtin().ddp(), code.overlaps());
        let (layers, buckets) = (&layers, buckets.as_slice());
        Ok::<_, String>(Job {
            row,
            batch: row.batch()?,
            layers,
            buckets,
            overlap,
            machine,
            costs,
            all_reduce,
        })
    };
    let (base, job) = (job(base)?, job(row)?);

    let gpu_samples_per_s = base_throughput / layers.units_per_sample / f64::from(base.row.gpus);
    let base_step_s = base.samples_per_step() / gpu_samples_per_s;
    let computing_s = base.computing_s(base_step_s);
    let predicted = job.samples_per_step() / job.step_s(computing_s);
    Ok(base_efficiency * predicted / gpu_samples_per_s)
}

/// The row from which computing is taken, with its throughput and efficiency: for several nodes the whole
/// node, for a node the fewest of its GPUs.
fn one_node_point<'a>(row: &Row, known: &'a [Row]) -> Result<(&'a Row, f64, f64), String> {
    let mut found: Option<(&Row, f64, f64)> = None;
    for other in known.iter().filter(|other| other.nodes == 1 && in_series(row, other)) {
        let (Some(throughput), Some(efficiency)) = (other.throughput, other.efficiency) else { continue };
        let better = found.is_none_or(|(best, ..)| match row.nodes {
            1 => other.gpus < best.gpus,
            _ => other.gpus > best.gpus,
        });
        if throughput > 0.0 && better {
            found = Some((other, throughput, efficiency));
        }
    }
    found.ok_or_else(|| "no one-node point to take computing from".to_owned())
}

fn bucket_limits(code: &Code) -> BucketLimits {
    let all_alike = |mib: u64| BucketLimits { first: Bytes::new(mib << 20), others: Bytes::new(mib << 20) };
    match code.fusion_mib {
        _ if !code.overlaps() => BucketLimits::ONE_BUCKET,
        Some(mib) => all_alike(mib),
        None => BucketLimits::default(),
    }
}

impl Job<'_> {
    /// Samples of one GPU in a step.
    fn samples_per_step(&self) -> f64 {
        self.batch.samples * f64::from(self.batch.micro_batches)
    }

    /// Seconds of one step, if a micro-batch takes `computing_s` alone.
    fn step_s(&self, computing_s: f64) -> f64 {
        let micro_batches = self.batch.micro_batches;
        let one_node = self.row.nodes == 1;
        let contention =
            if one_node { &self.costs.contention_inside_node } else { &self.costs.contention_between_nodes };
        let memory = 1e9 * self.machine.memory_gb_per_s;
        let ddp = Ddp {
            forward_s: (1.0 - BACKWARD_SHARE) * computing_s,
            backward_s: BACKWARD_SHARE * computing_s,
            overlap: self.overlap,
            wire: 1.0,
            // Times calibrated on nccl-tests include the launch.
            launch_s: 0.0,
            // Gradients are divided by the ranks: read and written once.
            copy_s_per_byte: 2.0 / memory,
            contention: contention.value,
            accumulation: Accumulation { micro_batches, exchange_each: false },
        };
        let exchange = ddp.exchange(self.buckets, |bytes| self.all_reduce.time_s(bytes));
        let optimizer_s = OPTIMIZER_BYTES * self.layers.parameters() as f64 / memory;
        // Micro-batches of a rank are early and late by turns.
        let varying_s = computing_s * f64::from(micro_batches).sqrt();
        let waiting_s = straggler_s(varying_s, self.costs.straggler_sigma.value, self.row.gpus);
        ddp.step_s(&exchange) + optimizer_s + waiting_s
    }

    /// Seconds that a micro-batch takes alone, if a step takes `step_s`.
    fn computing_s(&self, step_s: f64) -> f64 {
        let micro_batches = f64::from(self.batch.micro_batches);
        let too_long = |computing_s: f64| (self.step_s(computing_s) - step_s, micro_batches);
        rising_root(0.0, step_s / micro_batches, step_s / micro_batches, too_long)
    }
}
