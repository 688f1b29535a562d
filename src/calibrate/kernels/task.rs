//! What is measured: one kernel in one shape and number format.

use crate::compute::{Product, kernel};

/// Format of the numbers that a kernel computes with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Number {
    /// bfloat16.
    Bf16,
    /// IEEE half precision.
    Fp16,
    /// fp32 in memory, rounded to TensorFloat-32 by matrix products.
    Tf32,
    /// IEEE single precision.
    Fp32,
}

impl Number {
    /// Every one.
    pub const ALL: [Self; 4] = [Self::Bf16, Self::Fp16, Self::Tf32, Self::Fp32];

    /// Its name in calibration files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bf16 => "bf16",
            Self::Fp16 => "fp16",
            Self::Tf32 => "tf32",
            Self::Fp32 => "fp32",
        }
    }

    /// Name of the format in memory.
    pub fn stored_name(self) -> &'static str {
        if self == Self::Tf32 { "fp32" } else { self.name() }
    }

    /// Bytes of one number in memory.
    pub fn bytes(self) -> u64 {
        match self {
            Self::Bf16 | Self::Fp16 => 2,
            Self::Tf32 | Self::Fp32 => 4,
        }
    }
}

/// Which product of a linear layer; it decides how the operands lie in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pass {
    /// `x · Wᵀ`: the left operand is m × k, the right one stored as n × k. Also attention's scores.
    Forward,
    /// `dy · W`: m × k by k × n, both stored so. Also attention's values.
    Dgrad,
    /// `dyᵀ · x`: the left operand is stored as k × m, the right one as k × n.
    Wgrad,
}

/// Queries, keys and values of attention: samples, heads, tokens of a sample, numbers of a head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Heads {
    /// Samples.
    pub batch: u64,
    /// Heads of a sample.
    pub heads: u64,
    /// Tokens of a sample.
    pub tokens: u64,
    /// Numbers of a token in one head.
    pub width: u64,
}

impl Heads {
    /// Tokens of all heads and samples.
    pub fn rows(&self) -> u64 {
        self.batch * self.heads * self.tokens
    }
}

/// A matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rows {
    /// How many.
    pub rows: u64,
    /// Numbers of each.
    pub width: u64,
}

impl Rows {
    /// Numbers in all.
    pub fn numbers(&self) -> u64 {
        self.rows * self.width
    }
}

/// A kernel and its sizes. All matrices are row-major.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Work {
    /// One matrix product.
    Gemm(Pass, Product),
    /// Many of one shape, one after the other in memory.
    BatchedGemm(Pass, Product),
    /// `softmax(q · kᵀ / √width) · v` for every sample and head, scores never written; the logarithm of each row's
    /// sum of exponentials beside it.
    Attention(Heads),
    /// Gradients of queries, keys and values.
    AttentionBackward(Heads),
    /// Softmax of each row.
    Softmax(Rows),
    /// Layer norm of each row with weight and bias; means and reciprocal standard deviations beside it.
    LayerNorm(Rows),
    /// Gradients of its input, weight and bias.
    LayerNormBackward(Rows),
    /// GELU by the error function.
    Gelu(Rows),
    /// Its gradient.
    GeluBackward(Rows),
    /// A branch added to the fp32 residual.
    ResidualAdd(Rows),
    /// Sum of each column.
    ColumnSum(Rows),
    /// Copy of so many bytes inside the device's memory.
    Memcpy(u64),
    /// Adam's update of so many parameters in one pass.
    Adam(u64),
    /// The same in seven passes, as lists of tensors are updated operation by operation.
    AdamForEach(u64),
    /// Copy of so many bytes from pageable host memory.
    HostCopy(u64),
    /// The same from pinned host memory.
    HostCopyPinned(u64),
    /// An empty kernel.
    Launch,
}

/// One kernel in one number format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Task {
    /// The kernel.
    pub work: Work,
    /// What it computes with. Softmax, layer norm and Adam read and write fp32 always.
    pub number: Number,
}

impl Task {
    /// Its name in calibration files, one of [`kernel`].
    pub fn name(&self) -> &'static str {
        match self.work {
            Work::Gemm(Pass::Forward, _) => kernel::GEMM,
            Work::Gemm(Pass::Dgrad, _) => kernel::GEMM_DGRAD,
            Work::Gemm(Pass::Wgrad, _) => kernel::GEMM_WGRAD,
            Work::BatchedGemm(..) => kernel::BATCHED_GEMM,
            Work::Attention(_) => kernel::ATTENTION,
            Work::AttentionBackward(_) => kernel::ATTENTION_BACKWARD,
            Work::Softmax(_) => kernel::SOFTMAX,
            Work::LayerNorm(_) => kernel::LAYER_NORM,
            Work::LayerNormBackward(_) => kernel::LAYER_NORM_BACKWARD,
            Work::Gelu(_) => kernel::GELU,
            Work::GeluBackward(_) => kernel::GELU_BACKWARD,
            Work::ResidualAdd(_) => kernel::RESIDUAL_ADD,
            Work::ColumnSum(_) => kernel::COLUMN_SUM,
            Work::Memcpy(_) => kernel::MEMCPY,
            Work::Adam(_) => kernel::ADAM,
            Work::AdamForEach(_) => kernel::ADAM_FOR_EACH,
            Work::HostCopy(_) => kernel::HOST_COPY,
            Work::HostCopyPinned(_) => kernel::HOST_COPY_PINNED,
            Work::Launch => kernel::LAUNCH,
        }
    }

    /// Its sizes as calibration files write them: `"25216x2304x768"`.
    pub fn shape(&self) -> String {
        match self.work {
            Work::Gemm(_, product) | Work::BatchedGemm(_, product) => product.shape(),
            Work::Attention(Heads { batch, heads, tokens, width })
            | Work::AttentionBackward(Heads { batch, heads, tokens, width }) => {
                format!("{batch}x{heads}x{tokens}x{width}")
            }
            Work::Softmax(Rows { rows, width })
            | Work::LayerNorm(Rows { rows, width })
            | Work::LayerNormBackward(Rows { rows, width })
            | Work::Gelu(Rows { rows, width })
            | Work::GeluBackward(Rows { rows, width })
            | Work::ResidualAdd(Rows { rows, width })
            | Work::ColumnSum(Rows { rows, width }) => format!("{rows}x{width}"),
            Work::Memcpy(bytes) | Work::HostCopy(bytes) | Work::HostCopyPinned(bytes) => bytes.to_string(),
            Work::Adam(params) | Work::AdamForEach(params) => params.to_string(),
            Work::Launch => "1".to_owned(),
        }
    }

    /// Its number format as calibration files write it: `"bf16"`, `"bf16+fp32"`, `"bytes"`, `"none"`.
    pub fn precision(&self) -> String {
        match self.work {
            Work::Gemm(..) | Work::BatchedGemm(..) | Work::Attention(_) | Work::AttentionBackward(_) => {
                self.number.name().to_owned()
            }
            Work::Gelu(_) | Work::GeluBackward(_) | Work::ColumnSum(_) => {
                self.number.stored_name().to_owned()
            }
            Work::ResidualAdd(_) => format!("{}+fp32", self.number.stored_name()),
            Work::Softmax(_)
            | Work::LayerNorm(_)
            | Work::LayerNormBackward(_)
            | Work::Adam(_)
            | Work::AdamForEach(_) => "fp32".to_owned(),
            Work::Memcpy(_) | Work::HostCopy(_) | Work::HostCopyPinned(_) => "bytes".to_owned(),
            Work::Launch => "none".to_owned(),
        }
    }

    /// Arithmetic of its matrix products, FLOP.
    pub fn flop(&self) -> f64 {
        // Scores or values: a product of tokens × tokens × width for each head.
        let half = |heads: &Heads| 2.0 * heads.rows() as f64 * heads.tokens as f64 * heads.width as f64;
        match &self.work {
            Work::Gemm(_, product) | Work::BatchedGemm(_, product) => product.flop(),
            Work::Attention(heads) => 2.0 * half(heads),
            Work::AttentionBackward(heads) => 5.0 * half(heads),
            _ => 0.0,
        }
    }

    /// Bytes that it must read and write.
    pub fn bytes(&self) -> f64 {
        let number = self.number.bytes() as f64;
        match &self.work {
            Work::Gemm(_, product) | Work::BatchedGemm(_, product) => number * product.numbers(),
            Work::Attention(heads) => 4.0 * number * heads.rows() as f64 * heads.width as f64,
            Work::AttentionBackward(heads) => 8.0 * number * heads.rows() as f64 * heads.width as f64,
            Work::Softmax(rows) | Work::LayerNorm(rows) => 8.0 * rows.numbers() as f64,
            Work::LayerNormBackward(rows) => 12.0 * rows.numbers() as f64,
            Work::Gelu(rows) => 2.0 * number * rows.numbers() as f64,
            Work::GeluBackward(rows) => 3.0 * number * rows.numbers() as f64,
            Work::ResidualAdd(rows) => (number + 8.0) * rows.numbers() as f64,
            Work::ColumnSum(rows) => number * rows.numbers() as f64,
            Work::Memcpy(bytes) => 2.0 * *bytes as f64,
            Work::Adam(params) => 28.0 * *params as f64,
            // Each pass reads and writes: lerp 12, mul 8, addcmul 12, sqrt 8, div 8, add 8, addcdiv 16.
            Work::AdamForEach(params) => 72.0 * *params as f64,
            Work::HostCopy(bytes) | Work::HostCopyPinned(bytes) => *bytes as f64,
            Work::Launch => 0.0,
        }
    }
}
