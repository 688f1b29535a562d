//! The operations that a training step is made of.

use super::timer::Kernel;

/// What an operation belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Linear layers of the blocks.
    Products,
    /// Attention: its products, softmax and traffic.
    Attention,
    /// Layer norms.
    Normalization,
    /// Activation functions; in the lighter form all that is bound by memory.
    Activation,
    /// Residual adds, casts, scaling and bias gradients.
    Residual,
    /// From pixels to tokens.
    PatchEmbedding,
    /// The classifier.
    Head,
    /// Parameters cast for the products, and their gradients cast back.
    WeightCasts,
    /// The update.
    Optimizer,
}

impl Group {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Products => "matrix products",
            Self::Attention => "attention",
            Self::Normalization => "normalization",
            Self::Activation => "activation",
            Self::Residual => "residuals and casts",
            Self::PatchEmbedding => "patch embedding",
            Self::Head => "head",
            Self::WeightCasts => "weight casts",
            Self::Optimizer => "optimizer",
        }
    }
}

/// One kind of operation of a step. Times, arithmetic and traffic are of all `count` together, and what the
/// device needs for them: before launches bind.
#[derive(Debug, Clone, PartialEq)]
pub struct Operation {
    /// What it belongs to.
    pub group: Group,
    /// Which one it is.
    pub name: &'static str,
    /// How often it is done.
    pub count: u32,
    /// Seconds in forward.
    pub forward_s: f64,
    /// Seconds in backward.
    pub backward_s: f64,
    /// Seconds in the update.
    pub optimizer_s: f64,
    /// Arithmetic of its matrix products, FLOP.
    pub flop: f64,
    /// Bytes that it reads and writes.
    pub bytes: f64,
    /// Seconds of it that were measured, in the shapes that it has.
    pub measured_s: f64,
    /// Seconds of it that lie between measured shapes.
    pub between_s: f64,
}

impl Operation {
    /// `count` times the kernels of forward and of backward.
    pub(super) fn of(
        group: Group,
        name: &'static str,
        count: u32,
        forward: &[Kernel],
        backward: &[Kernel],
    ) -> Self {
        let times = f64::from(count);
        let both = || forward.iter().chain(backward);
        Self {
            group,
            name,
            count,
            forward_s: times * forward.iter().map(|k| k.s).sum::<f64>(),
            backward_s: times * backward.iter().map(|k| k.s).sum::<f64>(),
            optimizer_s: 0.0,
            flop: times * both().map(|k| k.flop).sum::<f64>(),
            bytes: times * both().map(|k| k.bytes).sum::<f64>(),
            measured_s: times * both().map(|k| k.measured_s).sum::<f64>(),
            between_s: times * both().map(|k| k.between_s).sum::<f64>(),
        }
    }

    /// Seconds of all its parts.
    pub fn total_s(&self) -> f64 {
        self.forward_s + self.backward_s + self.optimizer_s
    }
}
