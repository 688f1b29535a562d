//! Accelerator memory that a training step needs.
//!
//! Activations are kept for backward, none recomputed. A compiler may keep fewer; that is not counted.

use super::{LightModel, Recipe, VitShape};

/// How parameters and what belongs to them are spread over ranks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Sharding {
    /// One process: nothing to exchange.
    Single,
    /// `DistributedDataParallel`: a copy on each rank. Its buckets are copies of the gradients, unless
    /// gradients are views of them.
    Replicated {
        /// Whether gradients are views of the buckets.
        bucket_views: bool,
    },
    /// ZeRO-1: optimizer state in parts.
    OptimizerState {
        /// How many parts.
        ranks: u32,
    },
    /// ZeRO-2: gradients too.
    Gradients {
        /// How many parts.
        ranks: u32,
    },
    /// ZeRO-3, FSDP: parameters too, gathered unit by unit.
    Full {
        /// How many parts.
        ranks: u32,
        /// Parameters of the largest unit; two units are gathered at a time, one in use and one ahead.
        unit_params: u64,
    },
}

/// Bytes of one accelerator's memory that a step needs at its peak, early in backward.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MemoryNeed {
    /// Parameters, and under autocast their casts for the products.
    pub weights_bytes: f64,
    /// Gradients.
    pub gradients_bytes: f64,
    /// Optimizer state, and the fp32 parameters where half-precision ones are computed with.
    pub optimizer_bytes: f64,
    /// Buckets of the all-reduce.
    pub buckets_bytes: f64,
    /// What forward keeps for backward.
    pub activations_bytes: f64,
    /// Gradients of activations in flight.
    pub in_flight_bytes: f64,
    /// CUDA context, libraries' workspace and the like.
    pub reserved_bytes: f64,
}

impl MemoryNeed {
    /// All of it.
    pub fn total_bytes(&self) -> f64 {
        self.weights_bytes
            + self.gradients_bytes
            + self.optimizer_bytes
            + self.buckets_bytes
            + self.activations_bytes
            + self.in_flight_bytes
            + self.reserved_bytes
    }
}

/// Memory that a step of a plain ViT needs. `reserved_bytes` is what the context takes before training.
pub fn vit_memory(shape: &VitShape, recipe: &Recipe, sharding: Sharding, reserved_bytes: f64) -> MemoryNeed {
    let tokens = shape.tokens() as f64 * f64::from(recipe.batch);
    let kept = KeptPerToken::of(shape, recipe);
    let width = f64::from(shape.width);
    let last_norm = recipe.residual_bytes() * width;
    // Images come in fp32 and are cast for the first product.
    let image = 4.0 + if recipe.precision.is_autocast() { recipe.precision.operand_bytes() } else { 0.0 };
    let images = image * shape.image_numbers() as f64 * f64::from(recipe.batch);
    let activations = tokens * (f64::from(shape.depth) * kept.block + last_norm) + images;
    state(shape.params() as f64, recipe, sharding).with(activations, tokens * kept.in_flight, reserved_bytes)
}

/// Bytes kept of each activation over the bytes of an operand: it is the output of one layer and, changed,
/// the input of the next. All rows of the reference's throughput table that were measured then fit.
const COPIES: f64 = 2.0;
/// The same with fused attention, which keeps no scores: by ViT-B/16's own counts.
const COPIES_FUSED: f64 = 1.4;

/// Memory that a step of any model needs, by its counts alone; residuals are taken as in [`vit_memory`] on
/// average.
pub fn light_memory(
    model: &LightModel,
    recipe: &Recipe,
    sharding: Sharding,
    reserved_bytes: f64,
) -> MemoryNeed {
    let copies = if recipe.fused_attention { COPIES_FUSED } else { COPIES };
    let each = copies * recipe.precision.operand_bytes() * f64::from(recipe.batch);
    state(model.params, recipe, sharding).with(each * model.forward_activations, 0.0, reserved_bytes)
}

/// Bytes of one token.
struct KeptPerToken {
    /// Kept for backward by a block.
    block: f64,
    /// Gradients alive at once where they are most.
    in_flight: f64,
}

impl KeptPerToken {
    /// By what PyTorch's autograd saves of timm's block: the inputs of both norms, their outputs cast for
    /// the products, queries, keys and values, attention's output, and the hidden layer before and after
    /// its activation function. Unfused attention also keeps the scaled queries and the weights of
    /// attention, under autocast in fp32 for softmax and cast for the product.
    fn of(shape: &VitShape, recipe: &Recipe) -> Self {
        let operand = recipe.precision.operand_bytes();
        let residual = recipe.residual_bytes();
        let (width, hidden) = (f64::from(shape.width), shape.hidden() as f64);
        let layers = (2.0 * residual + 6.0 * operand) * width + 2.0 * operand * hidden;
        let mlp_in_flight = 2.0 * operand * hidden;
        if recipe.fused_attention {
            return Self { block: layers, in_flight: residual * width + mlp_in_flight };
        }
        let score = operand + if recipe.precision.is_autocast() { 4.0 } else { 0.0 };
        let scores = score * f64::from(shape.heads) * shape.tokens() as f64;
        Self {
            block: layers + operand * width + scores,
            in_flight: residual * width + mlp_in_flight.max(2.0 * scores),
        }
    }
}

/// What is kept for each parameter, whatever the batch.
struct State {
    weights: f64,
    gradients: f64,
    optimizer: f64,
    buckets: f64,
}

impl State {
    fn with(self, activations_bytes: f64, in_flight_bytes: f64, reserved_bytes: f64) -> MemoryNeed {
        MemoryNeed {
            weights_bytes: self.weights,
            gradients_bytes: self.gradients,
            optimizer_bytes: self.optimizer,
            buckets_bytes: self.buckets,
            activations_bytes,
            in_flight_bytes,
            reserved_bytes,
        }
    }
}

/// Sharded, half-precision training computes with half-precision parameters and gradients and keeps fp32
/// parameters with the optimizer's state: 16 bytes a parameter with Adam (source: section 5 of the
/// reference's model of data-parallel training).
fn state(params: f64, recipe: &Recipe, sharding: Sharding) -> State {
    let precision = recipe.precision;
    let moments = recipe.optimizer.state_numbers();
    let unsharded = |buckets: f64| {
        let cast = if precision.is_autocast() { precision.operand_bytes() } else { 0.0 };
        State {
            weights: params * (precision.weight_bytes() + cast),
            gradients: params * precision.weight_bytes(),
            optimizer: params * precision.weight_bytes() * moments,
            buckets: params * buckets,
        }
    };
    let operand = precision.operand_bytes();
    let master = if operand < 4.0 { 4.0 } else { 0.0 };
    let sharded = |weights: f64, gradients: f64, ranks: u32| State {
        weights: weights * operand,
        gradients: gradients * operand,
        optimizer: params * (master + 4.0 * moments) / f64::from(ranks),
        buckets: 0.0,
    };
    match sharding {
        Sharding::Single | Sharding::Replicated { bucket_views: true } => unsharded(0.0),
        Sharding::Replicated { bucket_views: false } => unsharded(precision.weight_bytes()),
        Sharding::OptimizerState { ranks } => sharded(params, params, ranks),
        Sharding::Gradients { ranks } => sharded(params, params / f64::from(ranks), ranks),
        Sharding::Full { ranks, unit_params } => {
            let part = params / f64::from(ranks);
            sharded(part + 2.0 * unit_params as f64, part, ranks)
        }
    }
}

#[cfg(test)]
#[path = "memory_tests.rs"]
mod tests;
