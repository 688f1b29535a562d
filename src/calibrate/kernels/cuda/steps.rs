//! What a task does on the device, in order.

use super::BackendError;
use super::cublas::Operands;
use super::driver::Address;
use super::source::{self, ROWS_A_PART, SHORT_ROW, Source, Variant};
use super::stream::{Argument, Kernel, Shape};
use crate::calibrate::kernels::{ADAM, Format, Heads, NORM_EPSILON, Number, Pass, Rows, Task, Work};
use crate::compute::Product;

/// One thing put on the stream.
pub(super) enum Step {
    Launch {
        kernel: Kernel,
        shape: Shape,
        arguments: Vec<Argument>,
    },
    Multiply {
        product: Product,
        pass: Pass,
        number: Number,
        operands: Operands,
    },
    /// From the first buffer to the second.
    Copy,
    /// From the host to the first buffer.
    CopyFromHost,
}

/// Where kernels come from.
pub(super) trait Kernels {
    /// A kernel of a text, to be launched with so much shared memory beyond its own.
    fn kernel(&mut self, variant: &Variant, name: &'static str, shared: u32) -> Result<Kernel, BackendError>;
    /// Bytes of shared memory of a multiprocessor.
    fn shared_room(&self) -> u64;
}

/// Bytes of memory that a task needs beside its buffers.
pub(super) fn scratch(task: &Task) -> Vec<u64> {
    let parts = |rows: &Rows| 4 * rows.rows.div_ceil(ROWS_A_PART) * rows.width;
    match &task.work {
        Work::LayerNormBackward(rows) => vec![parts(rows), parts(rows)],
        Work::ColumnSum(rows) => vec![parts(rows)],
        Work::AdamForEach(params) => vec![4 * params],
        Work::AttentionBackward(heads) => vec![4 * heads.rows(), 4 * heads.rows() * heads.width],
        _ => Vec::new(),
    }
}

/// Builds steps from the addresses of buffers and scratch.
pub(super) struct Builder<'a> {
    pub(super) kernels: &'a mut dyn Kernels,
    pub(super) buffers: &'a [Address],
    pub(super) scratch: &'a [Address],
    pub(super) steps: Vec<Step>,
}

use Argument::{Count, Float, Pointer};

impl Builder<'_> {
    /// The steps of a task.
    pub(super) fn task(&mut self, task: &Task) -> Result<(), BackendError> {
        let format = Format::from(task.number);
        let all: Vec<Argument> = self.buffers.iter().map(|address| Pointer(*address)).collect();
        let with = |more: &[Argument]| [all.as_slice(), more].concat();
        match &task.work {
            Work::Gemm(pass, product) | Work::BatchedGemm(pass, product) => {
                let [left, right, result] = [self.buffers[0], self.buffers[1], self.buffers[2]];
                let operands = Operands { left, right, result };
                let (product, pass, number) = (*product, *pass, task.number);
                self.steps.push(Step::Multiply { product, pass, number, operands });
                Ok(())
            }
            Work::Attention(heads) => self.attention(heads, format, &all),
            Work::AttentionBackward(heads) => self.attention_backward(heads, format),
            Work::Softmax(rows) if rows.width <= SHORT_ROW => {
                let arguments = with(&[Count(rows.rows), Count(rows.width)]);
                self.launch(&source::softmax(rows), "softmax", rows.rows.div_ceil(4), 128, arguments)
            }
            Work::Softmax(rows) => {
                let arguments = with(&[Count(rows.rows), Count(rows.width)]);
                self.launch(&source::softmax(rows), "softmax_long", rows.rows, 256, arguments)
            }
            Work::LayerNorm(rows) => {
                let variant = source::by_width(Source::LayerNorm, Format::Fp32, rows.width);
                let arguments = with(&[Count(rows.width), Float(NORM_EPSILON)]);
                self.launch(&variant, "layer_norm", rows.rows, 128, arguments)
            }
            Work::LayerNormBackward(rows) => self.layer_norm_backward(rows),
            Work::Gelu(rows) => self.elementwise("gelu", format, rows, with(&[Count(rows.numbers())])),
            Work::GeluBackward(rows) => {
                self.elementwise("gelu_backward", format, rows, with(&[Count(rows.numbers())]))
            }
            Work::ResidualAdd(rows) => {
                let blocks = rows.numbers().div_ceil(4 * 256);
                let arguments = with(&[Count(rows.numbers())]);
                self.launch(&Source::Elementwise.of(format, &[]), "residual_add", blocks, 256, arguments)
            }
            Work::ColumnSum(rows) => self.column_sum(rows, format),
            Work::Adam(params) => self.adam(*params, all),
            Work::AdamForEach(params) => self.adam_for_each(*params),
            Work::Memcpy(_) => {
                self.steps.push(Step::Copy);
                Ok(())
            }
            Work::HostCopy(_) | Work::HostCopyPinned(_) => {
                self.steps.push(Step::CopyFromHost);
                Ok(())
            }
            Work::Launch => self.launch(&Source::Fill.of(Format::Fp32, &[]), "empty", 1, 32, Vec::new()),
        }
    }

    /// What the forward pass leaves for a backward one.
    pub(super) fn forward(&mut self, task: &Task) -> Result<(), BackendError> {
        let at = |buffer: usize| Pointer(self.buffers[buffer]);
        match &task.work {
            Work::AttentionBackward(heads) => {
                let arguments = [at(0), at(1), at(2), at(3), at(4)];
                self.attention(heads, Format::from(task.number), &arguments)
            }
            Work::LayerNormBackward(rows) => {
                let variant = source::by_width(Source::LayerNorm, Format::Fp32, rows.width);
                let none = Pointer(0);
                let moments = [at(2), at(3), Count(rows.width), Float(NORM_EPSILON)];
                let arguments = [&[at(0), at(1), none, none], moments.as_slice()].concat();
                self.launch(&variant, "layer_norm", rows.rows, 128, arguments)
            }
            _ => Ok(()),
        }
    }

    /// A kernel of so many blocks in a row.
    pub(super) fn launch(
        &mut self,
        variant: &Variant,
        name: &'static str,
        blocks: u64,
        threads: u32,
        arguments: Vec<Argument>,
    ) -> Result<(), BackendError> {
        self.shaped(variant, name, Shape { blocks: [blocks, 1], threads, shared: 0 }, arguments)
    }

    fn shaped(
        &mut self,
        variant: &Variant,
        name: &'static str,
        shape: Shape,
        arguments: Vec<Argument>,
    ) -> Result<(), BackendError> {
        let kernel = self.kernels.kernel(variant, name, shape.shared)?;
        // No block may be asked for; a task without numbers launches one that finds nothing to do.
        let shape = Shape { blocks: shape.blocks.map(|blocks| blocks.max(1)), ..shape };
        self.steps.push(Step::Launch { kernel, shape, arguments });
        Ok(())
    }

    fn elementwise(
        &mut self,
        name: &'static str,
        format: Format,
        rows: &Rows,
        arguments: Vec<Argument>,
    ) -> Result<(), BackendError> {
        let blocks = (rows.numbers() * format.bytes()).div_ceil(16 * 256);
        self.launch(&Source::Elementwise.of(format, &[]), name, blocks, 256, arguments)
    }

    fn attention(&mut self, heads: &Heads, format: Format, buffers: &[Argument]) -> Result<(), BackendError> {
        let (variant, shared) = source::attention(heads, format);
        let blocks = heads.tokens.div_ceil(source::queries_a_block(heads.width));
        let arguments = [buffers, &[Count(heads.tokens), Count(blocks), Float(score_scale(heads))]].concat();
        let shape = Shape { blocks: [heads.batch * heads.heads * blocks, 1], threads: 128, shared };
        self.shaped(&variant, "attention", shape, arguments)
    }

    fn attention_backward(&mut self, heads: &Heads, format: Format) -> Result<(), BackendError> {
        let room = self.kernels.shared_room();
        let (variant, shared) = source::attention_backward(heads, format, room);
        let at = |buffer: usize| Pointer(self.buffers[buffer]);
        let [q, k, v, output, log_sums] = [at(0), at(1), at(2), at(3), at(4)];
        let [gradient, dq, dk, dv] = [at(5), at(6), at(7), at(8)];
        let [dots, sums] = [Pointer(self.scratch[0]), Pointer(self.scratch[1])];
        let rows = heads.rows();
        let prepared = vec![output, gradient, dots, sums, Count(rows)];
        self.launch(&variant, "attention_dots", rows.div_ceil(4), 128, prepared)?;
        let blocks = heads.tokens.div_ceil(source::KEYS);
        let shape = Shape { blocks: [heads.batch * heads.heads * blocks, 1], threads: 128, shared };
        let mut arguments = vec![q, k, v, gradient, log_sums, dots, sums, dk, dv];
        arguments.extend([Count(heads.tokens), Count(blocks), Float(score_scale(heads))]);
        self.shaped(&variant, "attention_backward", shape, arguments)?;
        let numbers = rows * heads.width;
        let rounded = vec![sums, dq, Count(numbers)];
        self.launch(&variant, "attention_round", numbers.div_ceil(8 * 256), 256, rounded)
    }

    fn layer_norm_backward(&mut self, rows: &Rows) -> Result<(), BackendError> {
        let at = |buffer: usize| Pointer(self.buffers[buffer]);
        let [x, weight, means, reciprocals, dy] = [at(0), at(1), at(2), at(3), at(4)];
        let [dx, weight_slopes, bias_slopes] = [at(5), at(6), at(7)];
        let [weights, biases] = [Pointer(self.scratch[0]), Pointer(self.scratch[1])];
        let norm = source::by_width(Source::LayerNorm, Format::Fp32, rows.width);
        let arguments = vec![x, weight, means, reciprocals, dy, dx, Count(rows.width)];
        self.launch(&norm, "layer_norm_backward", rows.rows, 128, arguments)?;
        let columns = source::by_width(Source::Columns, Format::Fp32, rows.width);
        let arguments = vec![x, dy, means, reciprocals, weights, biases, Count(rows.rows), Count(rows.width)];
        self.shaped(&columns, "norm_parts", parts_shape(rows), arguments)?;
        self.column_total(&columns, rows, weights, weight_slopes)?;
        self.column_total(&columns, rows, biases, bias_slopes)
    }

    fn column_sum(&mut self, rows: &Rows, format: Format) -> Result<(), BackendError> {
        let variant = source::by_width(Source::Columns, format, rows.width);
        let [x, sums] = [Pointer(self.buffers[0]), Pointer(self.buffers[1])];
        let parts = Pointer(self.scratch[0]);
        let arguments = vec![x, parts, Count(rows.rows), Count(rows.width)];
        self.shaped(&variant, "column_parts", parts_shape(rows), arguments)?;
        self.column_total(&variant, rows, parts, sums)
    }

    fn column_total(
        &mut self,
        variant: &Variant,
        rows: &Rows,
        parts: Argument,
        sums: Argument,
    ) -> Result<(), BackendError> {
        let [columns, count] = parts_shape(rows).blocks;
        let arguments = vec![parts, sums, Count(count), Count(rows.width)];
        self.launch(variant, "column_total", columns, 256, arguments)
    }

    fn adam(&mut self, params: u64, buffers: Vec<Argument>) -> Result<(), BackendError> {
        let rule = Corrected::new();
        let mut arguments = buffers;
        arguments.push(Count(params));
        arguments.extend([ADAM.beta2, rule.add1, rule.add2, rule.step, rule.root, ADAM.epsilon].map(Float));
        self.four_each("adam", params, arguments)
    }

    fn adam_for_each(&mut self, params: u64) -> Result<(), BackendError> {
        let rule = Corrected::new();
        let at = |buffer: usize| Pointer(self.buffers[buffer]);
        let [parameters, gradients, first, second] = [at(0), at(1), at(2), at(3)];
        let roots = Pointer(self.scratch[0]);
        let n = Count(params);
        self.four_each("lerp", params, vec![first, gradients, n, Float(rule.add1)])?;
        self.four_each("multiply", params, vec![second, n, Float(ADAM.beta2)])?;
        self.four_each("add_square", params, vec![second, gradients, n, Float(rule.add2)])?;
        self.four_each("root", params, vec![roots, second, n])?;
        self.four_each("divide", params, vec![roots, n, Float(rule.root)])?;
        self.four_each("add", params, vec![roots, n, Float(ADAM.epsilon)])?;
        self.four_each("add_quotient", params, vec![parameters, first, roots, n, Float(-rule.step)])
    }

    fn four_each(
        &mut self,
        name: &'static str,
        numbers: u64,
        arguments: Vec<Argument>,
    ) -> Result<(), BackendError> {
        let variant = Source::Adam.of(Format::Fp32, &[]);
        self.launch(&variant, name, numbers.div_ceil(4 * 256), 256, arguments)
    }
}

fn score_scale(heads: &Heads) -> f32 {
    (1.0 / (heads.width as f64).sqrt()) as f32
}

/// Blocks of partial sums: groups of columns by parts of the rows.
fn parts_shape(rows: &Rows) -> Shape {
    let columns = rows.width.div_ceil(32 * source::wide(rows.width));
    Shape { blocks: [columns, rows.rows.div_ceil(ROWS_A_PART)], threads: 256, shared: 0 }
}

/// Adam's constants as PyTorch computes them on the host, in double precision.
struct Corrected {
    add1: f32,
    add2: f32,
    step: f32,
    root: f32,
}

impl Corrected {
    fn new() -> Self {
        let [beta1, beta2] = [ADAM.beta1, ADAM.beta2].map(f64::from);
        let update = f64::from(ADAM.update);
        Self {
            add1: (1.0 - beta1) as f32,
            add2: (1.0 - beta2) as f32,
            step: (f64::from(ADAM.rate) / (1.0 - libm::pow(beta1, update))) as f32,
            root: (1.0 - libm::pow(beta2, update)).sqrt() as f32,
        }
    }
}
