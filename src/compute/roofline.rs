//! Time of a ViT training step, operation by operation.

use super::elementwise::{BlockTraffic, Traffic, fused_traffic, score_traffic};
use super::timer::{Kernel, Timer};
use super::update::update;
use super::{Calibration, ComputeStep, Device, Form, Group, Operation, Product, Recipe, VitShape, kernel};

/// Arithmetic of fused attention's backward over its forward: five products against two.
/// This and the next: section 2 of the reference's roofline model.
const FUSED_BACKWARD: f64 = 2.5;
/// Share of the peak that fused attention reaches.
const FUSED_SHARE: f64 = 0.55;

/// One training step of a plain ViT on one device: a roofline for each operation (source: section 2 of the
/// reference's roofline model). A kernel that `measured` has replaces its model, and no efficiency
/// applies to it.
pub fn vit_step(
    shape: &VitShape,
    recipe: &Recipe,
    device: &Device,
    measured: Option<&Calibration>,
) -> ComputeStep {
    let timer = Timer { device, precision: recipe.precision, measured };
    let step = VitStep {
        shape,
        recipe,
        timer,
        batch: u64::from(recipe.batch),
        rows: u64::from(recipe.batch) * shape.tokens(),
        width: u64::from(shape.width),
    };
    let mut operations = step.linear_layers();
    operations.push(step.attention());
    operations.extend(step.elementwise());
    operations.extend(step.ends());
    operations.extend(update(shape.params() as f64, recipe, &timer));
    let launches = recipe.launches.total(f64::from(shape.depth));
    let flop = shape.train_flop() * f64::from(recipe.batch);
    ComputeStep::new(Form::PerOperation, operations, launches, device, flop)
}

/// What the operations of one step share.
struct VitStep<'a> {
    shape: &'a VitShape,
    recipe: &'a Recipe,
    timer: Timer<'a>,
    batch: u64,
    /// Tokens of the whole batch.
    rows: u64,
    width: u64,
}

impl VitStep<'_> {
    /// The four linear layers of a block, each with its products for input and weights in backward.
    fn linear_layers(&self) -> Vec<Operation> {
        let (d, hidden) = (self.width, self.shape.hidden());
        [("qkv", 3 * d, d), ("proj", d, d), ("fc1", hidden, d), ("fc2", d, hidden)]
            .map(|(name, out, input)| {
                let forward = self.forward(self.rows, out, input);
                let to_input = self.dgrad(self.rows, input, out);
                let to_weight = self.wgrad(out, input, self.rows);
                Operation::of(Group::Products, name, self.shape.depth, &[forward], &[to_input, to_weight])
            })
            .into()
    }

    fn attention(&self) -> Operation {
        let (forward, backward) =
            if self.recipe.fused_attention { self.fused_attention() } else { self.unfused_attention() };
        Operation::of(Group::Attention, "attention", self.shape.depth, &forward, &backward)
    }

    /// One kernel each way.
    fn fused_attention(&self) -> (Vec<Kernel>, Vec<Kernel>) {
        let (n, heads) = (self.shape.tokens(), u64::from(self.shape.heads));
        let shape = format!("{}x{heads}x{n}x{}", self.batch, self.width / heads);
        let flop = 4.0 * n as f64 * self.numbers();
        let one = |name, flop, bytes| {
            vec![self.timer.mixed(name, &shape, flop, FUSED_SHARE, bytes * self.numbers())]
        };
        let [forward, backward] = fused_traffic(self.recipe);
        (
            one(kernel::ATTENTION, flop, forward),
            one(kernel::ATTENTION_BACKWARD, flop * FUSED_BACKWARD, backward),
        )
    }

    /// Two batched products forward and four backward, and the traffic of the scores between them.
    fn unfused_attention(&self) -> (Vec<Kernel>, Vec<Kernel>) {
        let (n, heads) = (self.shape.tokens(), u64::from(self.shape.heads));
        let batch = self.batch * heads;
        let head = self.width / heads;
        let product = |product| self.timer.product(kernel::BATCHED_GEMM, product);
        let scores = || product(Product { m: n, n, k: head, batch });
        let values = || product(Product { m: n, n: head, k: n, batch });
        let pairs = heads as f64 * n as f64 * self.rows as f64;
        let [forward, backward] = score_traffic(self.recipe).map(|bytes| self.timer.scores(bytes * pairs));
        (vec![scores(), values(), forward], vec![values(), values(), scores(), values(), backward])
    }

    /// What each block does besides products and attention, and the last norm.
    fn elementwise(&self) -> Vec<Operation> {
        let depth = self.shape.depth;
        let traffic = BlockTraffic::of(self.recipe, self.shape.hidden() as f64 / self.width as f64);
        let operand = self.recipe.precision.stored_name();
        let residual = self.recipe.residual_name();
        let (token, hidden) = (self.rows_of(self.width), self.rows_of(self.shape.hidden()));
        // A compiler joins kernels: none is then the one that was measured.
        let measured = self.timer.measured.filter(|_| !self.recipe.compiled);
        let timer = Timer { measured, ..self.timer };
        let named = |name, shape: &str, format: &str, bytes: f64| {
            timer.named_traffic(name, shape, format, bytes * self.numbers())
        };

        let [norm, norm_backward] = traffic.norms.map(|both| both / 2.0);
        let norms = Operation::of(
            Group::Normalization,
            "layer norm",
            2 * depth + 1,
            &[named(kernel::LAYER_NORM, &token, residual, norm)],
            &[named(kernel::LAYER_NORM_BACKWARD, &token, residual, norm_backward)],
        );
        let gelu = Operation::of(
            Group::Activation,
            "gelu",
            depth,
            &[named(kernel::GELU, &hidden, operand, traffic.gelu[0])],
            &[named(kernel::GELU_BACKWARD, &hidden, operand, traffic.gelu[1])],
        );
        let [add, add_backward] = traffic.adds.map(|both| both / 2.0);
        let adds = Operation::of(
            Group::Residual,
            "residual add",
            2 * depth,
            &[named(kernel::RESIDUAL_ADD, &token, &format!("{operand}+{residual}"), add)],
            &[timer.traffic(add_backward * self.numbers())],
        );
        let column_sum = |shape: &str, [_, bytes]: Traffic| named(kernel::COLUMN_SUM, shape, operand, bytes);
        let biases = [
            column_sum(&self.rows_of(3 * self.width), traffic.qkv_bias),
            column_sum(&hidden, traffic.hidden_bias),
        ];
        let biases = Operation::of(Group::Residual, "bias gradients", depth, &[], &biases);
        let casts = self.unnamed("casts", traffic.casts);
        let scale = self.unnamed("query scale", traffic.query_scale);
        vec![norms, gelu, adds, biases, casts, scale]
    }

    /// Patch embedding, whose input needs no gradient, and the head, which sees one token of a sample.
    fn ends(&self) -> [Operation; 2] {
        let (d, classes) = (self.width, u64::from(self.shape.classes));
        let (patches, numbers) = (self.batch * self.shape.patches(), self.shape.patch_numbers());
        let forward = self.forward(patches, d, numbers);
        let to_weight = self.wgrad(d, numbers, patches);
        let embedding = Operation::of(Group::PatchEmbedding, "patch embedding", 1, &[forward], &[to_weight]);
        let forward = self.forward(self.batch, classes, d);
        let to_input = self.dgrad(self.batch, d, classes);
        let to_weight = self.wgrad(classes, d, self.batch);
        [embedding, Operation::of(Group::Head, "head", 1, &[forward], &[to_input, to_weight])]
    }

    /// An operation of each block that no calibration file has.
    fn unnamed(&self, name: &'static str, traffic: Traffic) -> Operation {
        let [forward, backward] = traffic.map(|bytes| self.timer.traffic(bytes * self.numbers()));
        Operation::of(Group::Residual, name, self.shape.depth, &[forward], &[backward])
    }

    /// Numbers of the residual stream: tokens of the batch times width.
    fn numbers(&self) -> f64 {
        self.rows as f64 * self.width as f64
    }

    /// A shape of a calibration file: all tokens, each so wide.
    fn rows_of(&self, width: u64) -> String {
        format!("{}x{width}", self.rows)
    }

    fn forward(&self, m: u64, n: u64, k: u64) -> Kernel {
        self.timer.product(kernel::GEMM, Product::one(m, n, k))
    }

    /// A product for the gradient of a layer's input.
    fn dgrad(&self, m: u64, n: u64, k: u64) -> Kernel {
        self.timer.product(kernel::GEMM_DGRAD, Product::one(m, n, k))
    }

    /// A product for the gradient of a layer's weight.
    fn wgrad(&self, m: u64, n: u64, k: u64) -> Kernel {
        self.timer.product(kernel::GEMM_WGRAD, Product::one(m, n, k))
    }
}

#[cfg(test)]
#[path = "roofline_tests.rs"]
mod tests;
