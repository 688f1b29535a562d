//! What a task reads and writes: the same numbers on every backend.

use super::{Number, Pass, Rows, Task, Work};
use crate::compute::Product;

/// How numbers lie in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Two bytes, bfloat16.
    Bf16,
    /// Two bytes, IEEE half precision.
    Fp16,
    /// Four bytes.
    Fp32,
}

impl Format {
    /// Bytes of one number.
    pub fn bytes(self) -> u64 {
        if self == Self::Fp32 { 4 } else { 2 }
    }

    /// Bits of its significand, the leading one counted.
    pub fn significand_bits(self) -> u32 {
        match self {
            Self::Bf16 => 8,
            Self::Fp16 => 11,
            Self::Fp32 => 24,
        }
    }
}

impl From<Number> for Format {
    fn from(number: Number) -> Self {
        match number {
            Number::Bf16 => Self::Bf16,
            Number::Fp16 => Self::Fp16,
            Number::Tf32 | Number::Fp32 => Self::Fp32,
        }
    }
}

/// One buffer of a task.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Buffer {
    /// How many numbers it holds; fewer than 2³².
    pub numbers: u64,
    /// How they lie.
    pub format: Format,
    /// What it holds before the kernel runs.
    pub begin: Begin,
    /// Whether the kernel writes it, so that it is compared with the reference.
    pub output: bool,
}

/// What a buffer holds before the kernel runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Begin {
    /// Pseudo-random numbers.
    Values(Values),
    /// Not-a-number throughout: a number left unwritten is found.
    Poison,
    /// What the forward pass of this kernel writes.
    Forward,
}

/// Pseudo-random numbers, uniform between -1 and 1 times `scale`, by a hash of their place. Each is exact in its
/// format, so that no two backends begin with different numbers. Never 0, and never near it by less than a half of
/// the format's last place at 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Values {
    /// Which sequence.
    pub seed: u32,
    /// A power of two.
    pub scale: f32,
    /// Without their signs.
    pub positive: bool,
}

impl Values {
    fn new(seed: u32) -> Self {
        Self { seed, scale: 1.0, positive: false }
    }

    /// The number at a place.
    ///
    /// The hash is C. Wellons' "lowbias32" (public domain) of place and seed. Its lowest bit is the sign, its
    /// upper ones an odd numerator of as many bits as the format's significand.
    pub fn at(self, place: u32, format: Format) -> f32 {
        let mut hash = place ^ self.seed.wrapping_mul(0x9e37_79b9);
        hash ^= hash >> 16;
        hash = hash.wrapping_mul(0x7feb_352d);
        hash ^= hash >> 15;
        hash = hash.wrapping_mul(0x846c_a68b);
        hash ^= hash >> 16;
        let bits = format.significand_bits();
        let odd = 2 * (hash >> (33 - bits)) + 1;
        // Both factors and the product are exact: the numerator has `bits` bits.
        let magnitude = odd as f32 * self.scale / (1_u32 << bits) as f32;
        if hash & 1 == 1 && !self.positive { -magnitude } else { magnitude }
    }
}

/// Constants of the Adam update that is measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdamRule {
    /// Learning rate.
    pub rate: f32,
    /// Decay of the first moment.
    pub beta1: f32,
    /// Decay of the second moment.
    pub beta2: f32,
    /// Added to the root of the second moment.
    pub epsilon: f32,
    /// Number of the update, from 1, for the corrections of bias.
    pub update: i32,
}

/// Adam as PyTorch has it by default, at its tenth update.
pub const ADAM: AdamRule = AdamRule { rate: 1e-3, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, update: 10 };

/// Added to the variance in a layer norm, as timm's vision transformers have it.
pub const NORM_EPSILON: f32 = 1e-6;

impl Task {
    /// Its buffers; backends and the reference know them by their places in this list.
    ///
    /// | task | buffers |
    /// |---|---|
    /// | products | left, right, result |
    /// | attention | q, k, v, output, log of sums |
    /// | its backward | q, k, v, output, log of sums, gradient of output, gradients of q, k, v |
    /// | layer norm | x, weight, bias, y, means, reciprocal deviations |
    /// | its backward | x, weight, means, reciprocal deviations, gradient of y, gradients of x, weight, bias |
    /// | softmax, GELU | x, y |
    /// | GELU's backward | x, gradient of y, gradient of x |
    /// | residual add | branch, residual, sum |
    /// | column sum | x, sums |
    /// | memcpy | source, destination |
    /// | Adam | parameters, gradients, first moments, second moments; all but the gradients change |
    /// | host copies | destination; the source is host memory with [`Values`] of seed 1 |
    /// | launch | none |
    pub fn buffers(&self) -> Vec<Buffer> {
        let number = Format::from(self.number);
        let wide = Values { scale: 4.0, ..Values::new(1) };
        match &self.work {
            Work::Gemm(_, product) | Work::BatchedGemm(_, product) => {
                let Product { m, n, k, batch } = product;
                vec![
                    input(batch * m * k, number, Values::new(1)),
                    input(batch * k * n, number, Values::new(2)),
                    output(batch * m * n, number),
                ]
            }
            Work::Attention(heads) => {
                let all = heads.rows() * heads.width;
                let [q, k, v] = queries(number, all);
                vec![q, k, v, output(all, number), output(heads.rows(), Format::Fp32)]
            }
            Work::AttentionBackward(heads) => {
                let all = heads.rows() * heads.width;
                let [q, k, v] = queries(number, all);
                let gradient = input(all, number, Values::new(4));
                let written = output(all, number);
                let log_sums = forward(heads.rows(), Format::Fp32);
                vec![q, k, v, forward(all, number), log_sums, gradient, written, written, written]
            }
            Work::Softmax(rows) => {
                vec![input(rows.numbers(), Format::Fp32, wide), output(rows.numbers(), Format::Fp32)]
            }
            Work::LayerNorm(Rows { rows, width }) => vec![
                input(rows * width, Format::Fp32, Values::new(1)),
                input(*width, Format::Fp32, Values::new(2)),
                input(*width, Format::Fp32, Values::new(3)),
                output(rows * width, Format::Fp32),
                output(*rows, Format::Fp32),
                output(*rows, Format::Fp32),
            ],
            Work::LayerNormBackward(Rows { rows, width }) => vec![
                input(rows * width, Format::Fp32, Values::new(1)),
                input(*width, Format::Fp32, Values::new(2)),
                forward(*rows, Format::Fp32),
                forward(*rows, Format::Fp32),
                input(rows * width, Format::Fp32, Values::new(4)),
                output(rows * width, Format::Fp32),
                output(*width, Format::Fp32),
                output(*width, Format::Fp32),
            ],
            Work::Gelu(rows) => vec![input(rows.numbers(), number, wide), output(rows.numbers(), number)],
            Work::GeluBackward(rows) => {
                let all = rows.numbers();
                vec![input(all, number, wide), input(all, number, Values::new(2)), output(all, number)]
            }
            Work::ResidualAdd(rows) => vec![
                input(rows.numbers(), number, Values::new(1)),
                input(rows.numbers(), Format::Fp32, Values::new(2)),
                output(rows.numbers(), Format::Fp32),
            ],
            Work::ColumnSum(rows) => {
                vec![input(rows.numbers(), number, Values::new(1)), output(rows.width, number)]
            }
            Work::Memcpy(bytes) => vec![
                input(bytes / Format::Fp32.bytes(), Format::Fp32, Values::new(1)),
                output(bytes / Format::Fp32.bytes(), Format::Fp32),
            ],
            Work::Adam(params) | Work::AdamForEach(params) => {
                let positive = Values { positive: true, ..Values::new(4) };
                let changed = |values| Buffer { output: true, ..input(*params, Format::Fp32, values) };
                vec![
                    changed(Values::new(1)),
                    input(*params, Format::Fp32, Values::new(2)),
                    changed(Values::new(3)),
                    changed(positive),
                ]
            }
            Work::HostCopy(bytes) | Work::HostCopyPinned(bytes) => {
                vec![output(bytes / Format::Fp32.bytes(), Format::Fp32)]
            }
            Work::Launch => Vec::new(),
        }
    }
}

impl Pass {
    /// Whether the left operand is stored as k × m.
    pub fn left_transposed(self) -> bool {
        self == Self::Wgrad
    }

    /// Whether the right operand is stored as n × k.
    pub fn right_transposed(self) -> bool {
        self == Self::Forward
    }
}

fn input(numbers: u64, format: Format, values: Values) -> Buffer {
    Buffer { numbers, format, begin: Begin::Values(values), output: false }
}

fn output(numbers: u64, format: Format) -> Buffer {
    Buffer { numbers, format, begin: Begin::Poison, output: true }
}

fn forward(numbers: u64, format: Format) -> Buffer {
    Buffer { numbers, format, begin: Begin::Forward, output: false }
}

/// Queries, keys and values. Queries are wide, so that scores differ.
fn queries(number: Format, numbers: u64) -> [Buffer; 3] {
    let wide = Values { scale: 4.0, ..Values::new(1) };
    [wide, Values::new(2), Values::new(3)].map(|values| input(numbers, number, values))
}

#[cfg(test)]
mod tests {
    use super::super::Heads;
    use super::*;

    /// A number is exact in its format if its significand's lower bits are 0.
    #[test]
    fn values_are_exact_in_their_format_and_never_zero() {
        for format in [Format::Bf16, Format::Fp16, Format::Fp32] {
            let lower = (1_u32 << (24 - format.significand_bits())) - 1;
            for place in 0..10_000 {
                let value = Values { scale: 4.0, ..Values::new(7) }.at(place, format);
                assert!(value != 0.0 && value.abs() < 4.0);
                assert_eq!(value.to_bits() & lower, 0, "{value} in {format:?}");
            }
        }
    }

    /// Uniform on (-1, 1): mean 0, variance 1/3. Of 100,000 values the mean is within 4.5 standard errors with a
    /// false-alarm rate of 10⁻⁵.
    #[test]
    fn values_are_spread_over_minus_one_to_one() {
        let n = 100_000_u32;
        let values: Vec<f64> =
            (0..n).map(|place| f64::from(Values::new(3).at(place, Format::Fp32))).collect();
        let mean = values.iter().sum::<f64>() / f64::from(n);
        let square = values.iter().map(|v| v * v).sum::<f64>() / f64::from(n);
        assert!(mean.abs() < 4.5 * (1.0 / 3.0 / f64::from(n)).sqrt(), "{mean}");
        assert!((square - 1.0 / 3.0).abs() < 4.5 * (4.0 / 45.0 / f64::from(n)).sqrt(), "{square}");
    }

    #[test]
    fn every_task_but_a_launch_writes_something() {
        let heads = Heads { batch: 2, heads: 3, tokens: 5, width: 4 };
        for work in [
            Work::Gemm(Pass::Wgrad, Product::one(2, 3, 4)),
            Work::Attention(heads),
            Work::AttentionBackward(heads),
            Work::Adam(5),
            Work::HostCopy(8),
        ] {
            assert!(Task { work, number: Number::Bf16 }.buffers().iter().any(|buffer| buffer.output));
        }
        assert!(Task { work: Work::Launch, number: Number::Fp32 }.buffers().is_empty());
    }
}
