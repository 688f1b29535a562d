//! How a model is trained, as far as the time of a step depends on it.

use super::Precision;

/// What one step computes with, besides the model and the device.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recipe {
    /// Samples per GPU and step.
    pub batch: u32,
    /// Number formats.
    pub precision: Precision,
    /// Rule of the update.
    pub optimizer: Optimizer,
    /// Whether one kernel updates all parameters; else kernels go over lists of tensors ("for-each").
    pub fused_optimizer: bool,
    /// Whether attention is one kernel that never writes its scores (flash, scaled dot product).
    pub fused_attention: bool,
    /// Whether residuals are half as wide as fp32 under autocast, which by itself keeps them in fp32.
    pub half_residuals: bool,
    /// Whether a compiler joins neighbouring elementwise operations.
    pub compiled: bool,
    /// Kernels that the host launches.
    pub launches: Launches,
}

impl Recipe {
    /// Bytes of one number of the residual stream.
    pub fn residual_bytes(&self) -> f64 {
        if self.halves_residuals() { self.precision.operand_bytes() } else { self.precision.weight_bytes() }
    }

    /// Format of the residual stream, as calibration files write it.
    pub fn residual_name(&self) -> &'static str {
        if self.halves_residuals() { self.precision.operand_name() } else { self.precision.weight_name() }
    }

    fn halves_residuals(&self) -> bool {
        self.half_residuals && self.precision.is_autocast()
    }
}

/// Kernels launched in one step: forward, backward and update together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Launches {
    /// By each block of the model.
    pub per_block: f64,
    /// By the rest of the step.
    pub other: f64,
}

impl Launches {
    /// Kernels of a step of a model of so many blocks.
    pub fn total(&self, blocks: f64) -> f64 {
        self.per_block * blocks + self.other
    }
}

/// Memory traffic of an update in many kernels over that in one.
/// Source: roofline model of the project's reference, "unfused for-each about 1.8 x".
const FOR_EACH: f64 = 1.8;

/// Rule by which gradients change parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Optimizer {
    /// Stochastic gradient descent: no state.
    Sgd,
    /// With momentum: one number of state a parameter.
    SgdMomentum,
    /// Adam or AdamW: two moments a parameter.
    Adam,
}

impl Optimizer {
    /// Numbers of state kept for each parameter.
    pub fn state_numbers(self) -> f64 {
        match self {
            Self::Sgd => 0.0,
            Self::SgdMomentum => 1.0,
            Self::Adam => 2.0,
        }
    }

    /// Numbers that one update reads and writes for each parameter: the gradient once, the parameter and
    /// its state twice. With four bytes each, 20 for momentum and 28 for Adam.
    pub fn numbers_moved(self, fused: bool) -> f64 {
        let once = 3.0 + 2.0 * self.state_numbers();
        if fused { once } else { once * FOR_EACH }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The training that the project was born from: PyTorch 2.1, ViT-B/16 at batch 128.
    pub(in crate::compute) const SEED: Recipe = Recipe {
        batch: 128,
        precision: Precision::AmpBf16,
        optimizer: Optimizer::Adam,
        fused_optimizer: true,
        fused_attention: true,
        half_residuals: false,
        compiled: false,
        launches: Launches { per_block: 120.0, other: 160.0 },
    };

    /// Bytes per parameter in section 2 of the reference's roofline model: 20 and 28.
    #[test]
    fn updates_move_the_bytes_of_the_reference() {
        assert_eq!(Optimizer::SgdMomentum.numbers_moved(true) * 4.0, 20.0);
        assert_eq!(Optimizer::Adam.numbers_moved(true) * 4.0, 28.0);
        assert!((Optimizer::Adam.numbers_moved(false) * 4.0 - 50.4).abs() < 1e-12);
    }

    /// "About 120 kernels per block per step, 1500 to 1700 with the optimizer" for twelve blocks.
    #[test]
    fn a_base_vit_launches_1600_kernels() {
        assert_eq!(Launches { per_block: 120.0, other: 160.0 }.total(12.0), 1600.0);
    }
}
