//! The lighter form of a step's time: for any model, by its counts.

use super::timer::Timer;
use super::update::update;
use super::{ComputeStep, Device, Form, Group, Operation, Recipe};

/// What the lighter form knows of a model: counts of one sample, as timm publishes them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LightModel {
    /// Multiply-accumulates of forward.
    pub forward_macs: f64,
    /// Activations of forward: outputs of its matrix products and convolutions.
    pub forward_activations: f64,
    /// Trained parameters.
    pub params: f64,
    /// Blocks, each launching about as many kernels as a ViT's; 0 if not known, and then launches never bind.
    pub blocks: f64,
    /// Bytes that a step moves for each activation; see [`bytes_per_activation`].
    pub bytes_per_activation: f64,
}

/// Bytes moved for each activation of a transformer under autocast with unfused attention; and the factors
/// for fused attention and for four-byte operands. Source: end of section 2 of the reference's roofline model.
const BYTES_PER_ACTIVATION: f64 = 28.0;
const FUSED: f64 = 0.62;
const FULL_WIDTH: f64 = 1.45;

/// Bytes that a step moves for each activation of forward, forward and backward together.
pub fn bytes_per_activation(recipe: &Recipe) -> f64 {
    let fused = if recipe.fused_attention { FUSED } else { 1.0 };
    let width = if recipe.precision.operand_bytes() > 2.0 { FULL_WIDTH } else { 1.0 };
    BYTES_PER_ACTIVATION * fused * width
}

/// Share of the peak that tiles and depths leave: the per-operation form counts them one by one, and this is
/// what it comes to for the linear layers of ViT-S to ViT-L (0.80 to 0.91).
const SHAPE_SHARE: f64 = 0.85;

/// One training step by counts alone: arithmetic at its share of the peak, plus activations at the bandwidth,
/// plus the update. Forward is taken as a third of arithmetic and of activations' traffic.
pub fn light_step(model: &LightModel, recipe: &Recipe, device: &Device) -> ComputeStep {
    let timer = Timer { device, precision: recipe.precision, measured: None };
    let batch = f64::from(recipe.batch);
    let flop = 6.0 * model.forward_macs * batch;
    let bytes = model.bytes_per_activation * model.forward_activations * batch;
    let thirds = |group, name, s: f64, flop, bytes| Operation {
        group,
        name,
        count: 1,
        forward_s: s / 3.0,
        backward_s: s * 2.0 / 3.0,
        optimizer_s: 0.0,
        flop,
        bytes,
        measured_s: 0.0,
        between_s: 0.0,
    };
    let mut operations = vec![
        thirds(Group::Products, "all products", device.arithmetic_s(flop, SHAPE_SHARE), flop, 0.0),
        thirds(Group::Activation, "all activations", device.traffic_s(bytes), 0.0, bytes),
    ];
    operations.extend(update(model.params, recipe, &timer));
    let launches = if model.blocks > 0.0 { recipe.launches.total(model.blocks) } else { 0.0 };
    ComputeStep::new(Form::Light, operations, launches, device, flop)
}

#[cfg(test)]
mod tests {
    use super::super::device::tests::A10G;
    use super::super::recipe::tests::SEED;
    use super::*;

    const BASE_16: LightModel = LightModel {
        forward_macs: 17.564e9,
        forward_activations: 23.90e6,
        params: 86_567_656.0,
        blocks: 12.0,
        bytes_per_activation: 28.0,
    };

    /// By hand: 6 × 17.564 G / (70 T × 0.85) = 1.77117 ms, 28 × 23.9 M / 600 G = 1.11533 ms, and
    /// (28 + 12) × 86.57 M / (600 G × 128) = 0.04509 ms a sample.
    #[test]
    fn the_formula_comes_out_as_by_hand() {
        let step = light_step(&BASE_16, &SEED, &A10G);
        let ms = step.total_s() / 128.0 * 1e3;
        assert!((ms - (1.771_17 + 1.115_33 + 0.045_09)).abs() < 1e-4, "{ms} ms a sample");
        assert_eq!(step.form, Form::Light);
    }

    /// 28 B, x 0.62 fused, x 1.45 tf32 and fp32.
    #[test]
    fn an_activation_moves_28_bytes_less_if_fused_and_more_if_wide() {
        let unfused = Recipe { fused_attention: false, ..SEED };
        assert_eq!(bytes_per_activation(&unfused), 28.0);
        assert!((bytes_per_activation(&SEED) - 17.36).abs() < 1e-12);
        let wide = Recipe { precision: super::super::Precision::Tf32, ..unfused };
        assert!((bytes_per_activation(&wide) - 40.6).abs() < 1e-12);
    }
}
