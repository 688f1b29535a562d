//! What one step takes of a GPU: its time, its memory, and when gradients are ready.

use super::anatomy::{Calibrated, Form, GpuTime, Group, OperationTime};
use super::calibration::KernelFile;
use super::compute::{ComputeKeys, Given, ShardingKey};
use super::job::Job;
use super::model::Model;
use super::speed::chip;
use super::throughput::Untold;
use crate::compute::{
    self, ActivationKind, Calibration, Coefficients, ComputeStep, Device, Launches, LightModel, MemoryNeed,
    Operation, Precision, Recipe, Sharding, light_memory, light_step, vit_memory, vit_step,
};
use crate::facts::{Gpu, Training};
use crate::network::Gradient;
use crate::units::Bytes;

/// What one GPU does in one step, all micro-batches together.
pub(super) struct GpuStep {
    /// How its time was found.
    pub form: Form,
    /// Its time.
    pub time: GpuTime,
    /// Gradients in the order in which they become ready, `ready` as a share of backward.
    pub gradients: Vec<Gradient>,
    /// Sizes of the same tensors, as rows and columns.
    pub matrices: Vec<(u64, u64)>,
    /// Bytes of one number of a gradient: it has its parameter's type, which autocast leaves fp32.
    pub gradient_bytes: u32,
}

/// What is computed, with what and how.
pub(super) struct GpuWork<'a> {
    pub job: &'a Job,
    pub model: &'a Model,
    pub keys: &'a ComputeKeys,
    pub calibration: Option<&'a KernelFile>,
    pub gpu: &'a Gpu,
    pub coefficients: &'a Coefficients,
    pub training: &'a Training,
    /// Memory of each GPU.
    pub memory: Bytes,
    /// Samples per GPU and micro-batch.
    pub batch: f64,
}

/// The software that a scenario trains with, by whose traffic the fit counts: PyTorch 1.12 and later.
const FRAMEWORK: &str = "pytorch";
/// Traffic of activations with fused attention over that without. Source: end of section 2 of the
/// reference's roofline model.
const FUSED_ATTENTION: f64 = 0.62;
/// Share of a step's computing that backward takes where only the whole is known: twice the forward.
const BACKWARD_SHARE: f64 = 2.0 / 3.0;
/// Parameters of a tensor where the shape of the model is not known, so that buckets fill one by one.
const TENSOR_PARAMS: u64 = 1_000_000;
/// Such tensors are larger where there would be more than this: it takes time to tell when each travels.
const TENSORS_MAX: u64 = 20_000;

impl GpuWork<'_> {
    /// The step, or why it cannot be told.
    pub fn step(&self) -> Result<GpuStep, Untold> {
        if let Some(Given::TimePerSample(span)) = self.keys.given {
            return Ok(self.given(span.as_secs() * self.batch));
        }
        let roofline = self.computed(None)?;
        let kernels = self.calibration.map(|file| &file.kernels);
        let step = match kernels {
            Some(_) => self.computed(kernels)?,
            None => roofline.clone(),
        };
        let times = f64::from(self.keys.accumulate);
        let host_copy_s = self.host_copy_s();
        let of_step = |o: &Operation| times * (o.forward_s + o.backward_s) + o.optimizer_s;
        let mut groups: Vec<Group> = Vec::new();
        for operation in &step.operations {
            let (name, time_s) = (operation.group.name(), of_step(operation));
            match groups.iter_mut().find(|group| group.name == name) {
                Some(group) => group.time_s += time_s,
                None => groups.push(Group { name, time_s }),
            }
        }
        let operation = |o: &Operation| {
            let modelled =
                roofline.operations.iter().find(|other| (other.group, other.name) == (o.group, o.name));
            // Measured parts are of one micro-batch, as the operation's own times are.
            let of_all =
                |part_s: f64| if o.total_s() > 0.0 { part_s / o.total_s() * of_step(o) } else { 0.0 };
            OperationTime {
                name: o.name,
                group: o.group.name(),
                count: o.count,
                time_s: of_step(o),
                roofline_s: modelled.map_or(0.0, of_step),
                measured_s: of_all(o.measured_s),
                between_s: of_all(o.between_s),
            }
        };
        let of_passes = |s: &ComputeStep| times * (s.forward_s + s.backward_s) + s.optimizer_s;
        let form = match (step.form, self.calibration) {
            (_, Some(file)) => Form::Calibrated(Calibrated {
                file: file.name.clone(),
                device: file.kernels.device.clone(),
                class: file.kernels.class.name(),
                date: file.kernels.date.clone(),
                accepted: file.accepted,
                measured: step.measured_share(),
                between: step.between_share(),
                roofline_s: of_passes(&roofline),
            }),
            (compute::Form::PerOperation, None) => Form::Roofline,
            (compute::Form::Light, None) => Form::Light,
        };
        let time = GpuTime {
            host_copy_s: times * host_copy_s,
            forward_s: times * step.forward_s,
            backward_s: times * step.backward_s,
            optimizer_s: step.optimizer_s,
            groups,
            operations: step.operations.iter().map(operation).collect(),
            launch_bound: step.launch_bound,
        };
        Ok(self.with_gradients(form, time))
    }

    /// Memory of the step, and what the GPU has.
    pub fn memory_need(&self, ranks: u32, gpus_per_node: u32) -> (MemoryNeed, Bytes) {
        let sharding = match self.keys.sharding {
            _ if ranks < 2 => Sharding::Single,
            ShardingKey::Ddp => Sharding::Replicated { bucket_views: false },
            ShardingKey::Zero1 => Sharding::OptimizerState { ranks },
            ShardingKey::Zero2 => Sharding::Gradients { ranks },
            ShardingKey::Fsdp => Sharding::Full { ranks, unit_params: self.unit_params() },
            ShardingKey::Hybrid => Sharding::Full { ranks: gpus_per_node, unit_params: self.unit_params() },
        };
        let reserved = self.training.device_reserved_bytes.value;
        let need = match &self.model.shape {
            Some(shape) => vit_memory(shape, &self.recipe(), sharding, reserved),
            None => light_memory(&self.light(), &self.recipe(), sharding, reserved),
        };
        (need, self.memory)
    }

    /// With measured kernels, or by the roofline alone.
    fn computed(&self, kernels: Option<&Calibration>) -> Result<ComputeStep, Untold> {
        let device = self.device(kernels)?;
        let recipe = self.recipe();
        match &self.model.shape {
            Some(shape) => Ok(vit_step(shape, &recipe, &device, kernels)),
            None if self.model.forward_macs > 0.0 => Ok(light_step(&self.light(), &recipe, &device)),
            None => {
                let title = "the model has parameters only: its computing cannot be told";
                let help = "add `gmacs` and `mactivations`, or `time_per_sample` to [compute]";
                Err(Untold::new(title, help).about("job.model"))
            }
        }
    }

    fn device(&self, kernels: Option<&Calibration>) -> Result<Device, Untold> {
        let precision = self.job.precision;
        let chip = chip(self.gpu);
        let Some(device) = self.coefficients.device(&self.gpu.name, &chip, precision, FRAMEWORK) else {
            let has = Precision::NAMES.iter().filter(|(_, p)| chip.peak_flop_per_s(*p).is_some());
            let help = format!("it has {}", has.map(|(name, _)| *name).collect::<Vec<_>>().join(", "));
            let title = format!("{} has no {} arithmetic", self.gpu.name, precision.name());
            return Err(Untold::new(title, help).about("job.precision"));
        };
        let device = Device { launch_s: self.training.kernel_launch_s.value, ..device };
        let device = match kernels {
            Some(kernels) => kernels.applied_to(device, precision),
            None => device,
        };
        Ok(match self.keys.given {
            Some(Given::Efficiency(given)) => device.with_efficiency(given),
            _ => device,
        })
    }

    fn recipe(&self) -> Recipe {
        let training = self.training;
        let per_block = if self.keys.compiled {
            &training.kernels_per_block_compiled
        } else {
            &training.kernels_per_block
        };
        Recipe {
            // A global batch may leave a GPU a broken number of samples; shapes take whole ones.
            batch: self.batch.round().max(1.0) as u32,
            precision: self.job.precision,
            optimizer: self.job.optimizer,
            fused_optimizer: false,
            fused_attention: self.keys.fused_attention,
            half_residuals: false,
            compiled: self.keys.compiled,
            launches: Launches { per_block: per_block.value, other: training.kernels_other.value },
        }
    }

    fn light(&self) -> LightModel {
        LightModel {
            forward_macs: self.model.forward_macs,
            forward_activations: self.model.activations,
            params: self.model.params as f64,
            blocks: 0.0,
            bytes_per_activation: self.bytes_per_activation(),
        }
    }

    /// Bytes moved for each activation, by what the model is made of.
    fn bytes_per_activation(&self) -> f64 {
        let kind = self.model.activation_kind;
        let eager = self.coefficients.bytes_per_activation([kind; 2], self.job.precision);
        let attention = matches!(kind, ActivationKind::Attention | ActivationKind::TalkingHeads);
        if attention && self.keys.fused_attention { eager * FUSED_ATTENTION } else { eager }
    }

    fn host_copy_s(&self) -> f64 {
        let input = self.job.input.as_ref();
        let given = input.and_then(|input| input.bytes_per_sample).map(Bytes::as_f64);
        let bytes = given.or(self.model.sample_bytes).unwrap_or(0.0) * self.batch;
        let pinned = input.is_some_and(|input| input.pinned);
        let catalogue = match pinned {
            true => self.training.host_copy_pinned_bytes_per_s.value,
            false => self.training.host_copy_pageable_bytes_per_s.value,
        };
        let measured = self.calibration.and_then(|file| file.kernels.host_copy_bytes_per_s(pinned));
        bytes / measured.unwrap_or(catalogue)
    }

    fn given(&self, compute_s: f64) -> GpuStep {
        let compute_s = compute_s * f64::from(self.keys.accumulate);
        let backward_s = compute_s * BACKWARD_SHARE;
        let time = GpuTime { forward_s: compute_s - backward_s, backward_s, ..GpuTime::default() };
        self.with_gradients(Form::Given, time)
    }

    fn with_gradients(&self, form: Form, time: GpuTime) -> GpuStep {
        let mut tensors: Vec<(u64, u64, f64)> = match &self.model.shape {
            Some(shape) => shape.tensors().iter().map(|t| (t.rows, t.columns, t.ready)).collect(),
            None => even_tensors(self.model.params),
        };
        tensors.reverse();
        let gradient_bytes = self.job.precision.weight_bytes() as u32;
        let gradients = tensors
            .iter()
            .map(|&(rows, columns, ready)| Gradient {
                bytes: Bytes::new(rows * columns * u64::from(gradient_bytes)),
                ready,
            })
            .collect();
        let matrices = tensors.iter().map(|&(rows, columns, _)| (rows, columns)).collect();
        GpuStep { form, time, gradients, matrices, gradient_bytes }
    }

    /// Parameters of one unit of sharding: a block.
    fn unit_params(&self) -> u64 {
        let blocks = self.model.shape.map_or(UNITS, |shape| u64::from(shape.depth));
        self.model.params.div_ceil(blocks.max(1))
    }
}

/// Units of sharding where the shape of the model is not known.
pub(super) const UNITS: u64 = 12;

/// Tensors of one size, the share of parameters standing in for the share of backward.
fn even_tensors(params: u64) -> Vec<(u64, u64, f64)> {
    let each = params.div_ceil(TENSORS_MAX).max(TENSOR_PARAMS);
    let count = params.div_ceil(each).max(1);
    (0..count)
        .map(|i| {
            let size = each.min(params - i * each);
            // Backward goes from the last tensor to the first.
            (size, 1, (count - i) as f64 / count as f64)
        })
        .collect()
}
