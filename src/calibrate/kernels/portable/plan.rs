//! Which kernels a task is, on which buffers, in which order.

use super::super::{ADAM, Heads, NORM_EPSILON, Pass, Rows, Task, Values, Work};
use super::kernel::{Constant, Kernel};
use crate::compute::Product;
use Constant::{Flag, Real, Whole};

const MATMUL: &str = include_str!("wgsl/matmul.wgsl");
const ATTENTION: &str = include_str!("wgsl/attention.wgsl");
const ALONE: &str = include_str!("wgsl/alone.wgsl");
const TOGETHER: &str = include_str!("wgsl/together.wgsl");
const ROWS: &str = include_str!("wgsl/rows.wgsl");
const COLUMNS: &str = include_str!("wgsl/columns.wgsl");
const ELEMENTWISE: &str = include_str!("wgsl/elementwise.wgsl");
const ADAM_UPDATE: &str = include_str!("wgsl/adam.wgsl");
const FILL: &str = include_str!("wgsl/fill.wgsl");

/// Four numbers to an invocation, so many of these in a workgroup of the elementwise kernels.
const FOURS_OF_GROUP: u64 = 256;
/// Columns or rows of a workgroup where an invocation has one.
const OF_GROUP: u64 = 64;
/// Parts that rows are split into for the sums of columns.
const PARTS: u64 = 256;

const VECTOR_LANE: &str = "alias Lane = vec4<f32>;
fn inner(a: Lane, b: Lane) -> f32 { return dot(a, b); }";
const SCALAR_LANE: &str = "alias Lane = f32;
fn inner(a: Lane, b: Lane) -> f32 { return a * b; }";

/// How invocations work together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gang {
    /// Each by itself: where a processor plays the device, barriers are slow.
    Alone,
    /// By shared memory and barriers.
    Together,
}

/// What is dispatched for a task.
#[derive(Debug, Clone, Default)]
pub(super) struct Plan {
    /// Numbers of scratch buffers; their places follow the task's.
    pub scratch: Vec<u64>,
    /// For a backward pass: what its forward pass leaves behind. May leave garbage in output buffers.
    pub forward: Vec<Kernel>,
    /// The task.
    pub kernels: Vec<Kernel>,
}

impl Plan {
    /// Copies have no kernels.
    pub(super) fn new(task: &Task, gang: Gang) -> Self {
        let kernels = |kernels| Self { kernels, ..Self::default() };
        match &task.work {
            Work::Gemm(pass, product) | Work::BatchedGemm(pass, product) => {
                kernels(vec![matmul(*pass, product, gang)])
            }
            Work::Attention(heads) => kernels(vec![attention("forward", heads, &[0, 1, 2, 3, 4])]),
            Work::AttentionBackward(heads) => Self {
                scratch: vec![heads.rows()],
                forward: vec![attention("forward", heads, &[0, 1, 2, 3, 4])],
                kernels: attention_backward(heads),
            },
            Work::Softmax(rows) => kernels(vec![of_rows("softmax", rows, gang, &[0, 1])]),
            Work::LayerNorm(rows) => kernels(vec![of_rows("layer_norm", rows, gang, &[0, 1, 2, 3, 4, 5])]),
            Work::LayerNormBackward(rows) => Self {
                scratch: vec![PARTS * rows.width, PARTS * rows.width],
                // The weight serves as bias and the gradient of x takes y: neither is of use here.
                forward: vec![of_rows("layer_norm", rows, gang, &[0, 1, 1, 5, 2, 3])],
                kernels: layer_norm_backward(rows, gang),
            },
            Work::Gelu(rows) => kernels(vec![elementwise("gelu", rows.numbers(), &[0, 1])]),
            Work::GeluBackward(rows) => {
                kernels(vec![elementwise("gelu_backward", rows.numbers(), &[0, 1, 2])])
            }
            Work::ResidualAdd(rows) => kernels(vec![elementwise("residual_add", rows.numbers(), &[0, 1, 2])]),
            Work::ColumnSum(rows) => Self {
                scratch: vec![PARTS * rows.width],
                kernels: vec![parts("parts", rows, &[(0, 0), (1, 2)]), gather(rows, 2, 1)],
                ..Self::default()
            },
            Work::Adam(params) => kernels(vec![adam("fused", *params, &[0, 1, 2, 3])]),
            Work::AdamForEach(params) => {
                Self { scratch: vec![*params], kernels: adam_for_each(*params), ..Self::default() }
            }
            Work::Launch => kernels(vec![elementwise("launch", 1, &[])]),
            Work::Memcpy(_) | Work::HostCopy(_) | Work::HostCopyPinned(_) => Self::default(),
        }
    }
}

/// Writes pseudo-random numbers to a buffer.
pub(super) fn values(place: usize, numbers: u64, values: Values) -> Kernel {
    fill("values", place, numbers, values)
}

/// Writes not-a-number throughout.
pub(super) fn poison(place: usize, numbers: u64) -> Kernel {
    fill("poison", place, numbers, Values { seed: 0, scale: 1.0, positive: true })
}

fn fill(entry: &'static str, place: usize, numbers: u64, values: Values) -> Kernel {
    Kernel {
        sources: vec![FILL],
        entry,
        constants: vec![
            ("NUMBERS", Whole(numbers)),
            ("SEED", Whole(u64::from(values.seed.wrapping_mul(0x9e37_79b9)))),
            ("FACTOR", Real(values.scale / (1_u32 << 24) as f32)),
            ("POSITIVE", Flag(values.positive)),
        ],
        bindings: vec![(0, place)],
        groups: numbers.div_ceil(256),
    }
}

fn matmul(pass: Pass, product: &Product, gang: Gang) -> Kernel {
    let Product { m, n, k, batch } = *product;
    let (entry, side, tile) = match gang {
        Gang::Alone => ("blocks", 8, 32),
        Gang::Together => ("tiles", 16, 128),
    };
    let (a_row, a_k) = if pass.left_transposed() { (1, m) } else { (k, 1) };
    let (b_k, b_column) = if pass.right_transposed() { (1, k) } else { (n, 1) };
    let (tiles_m, tiles_n) = (m.div_ceil(tile), n.div_ceil(tile));
    Kernel {
        sources: vec![MATMUL],
        entry,
        constants: vec![
            ("M", Whole(m)),
            ("N", Whole(n)),
            ("K", Whole(k)),
            ("BATCH", Whole(batch)),
            ("A_ROW", Whole(a_row)),
            ("A_K", Whole(a_k)),
            ("B_K", Whole(b_k)),
            ("B_COLUMN", Whole(b_column)),
            ("TILE", Whole(tile)),
            ("TILES_M", Whole(tiles_m)),
            ("TILES_N", Whole(tiles_n)),
            ("SIDE", Whole(side)),
        ],
        bindings: in_order(&[0, 1, 2]),
        groups: batch * tiles_m * tiles_n,
    }
}

fn attention(entry: &'static str, heads: &Heads, places: &[usize]) -> Kernel {
    let numbers = (0..).zip(places.iter().copied()).collect();
    attention_of(entry, heads, numbers)
}

fn attention_of(entry: &'static str, heads: &Heads, bindings: Vec<(u32, usize)>) -> Kernel {
    let (lane, lanes) = if heads.width.is_multiple_of(4) {
        (VECTOR_LANE, heads.width / 4)
    } else {
        (SCALAR_LANE, heads.width)
    };
    Kernel {
        sources: vec![lane, ATTENTION],
        entry,
        constants: vec![
            ("ROWS", Whole(heads.rows())),
            ("TOKENS", Whole(heads.tokens)),
            ("LANES", Whole(lanes)),
            ("SCALE", Real((1.0 / (heads.width as f64).sqrt()) as f32)),
        ],
        bindings,
        groups: heads.rows().div_ceil(OF_GROUP),
    }
}

/// Buffers: q 0, k 1, v 2, output 3, log of sums 4, its gradient 5, gradients of q 6, k 7, v 8; scratch 9.
fn attention_backward(heads: &Heads) -> Vec<Kernel> {
    vec![
        attention_of("delta", heads, vec![(3, 3), (5, 5), (7, 9)]),
        attention_of("queries", heads, vec![(0, 0), (1, 1), (2, 2), (4, 4), (5, 5), (6, 6), (7, 9)]),
        attention_of("keys", heads, vec![(0, 0), (1, 1), (2, 2), (4, 4), (5, 5), (6, 7), (7, 9)]),
        attention_of("values", heads, vec![(0, 0), (1, 1), (4, 4), (5, 5), (6, 8)]),
    ]
}

fn of_rows(entry: &'static str, rows: &Rows, gang: Gang, places: &[usize]) -> Kernel {
    let (gather, lanes, shares) = match gang {
        Gang::Alone => (ALONE, 1, 8),
        Gang::Together => (TOGETHER, 128, 1),
    };
    Kernel {
        sources: vec![gather, ROWS],
        entry,
        constants: vec![
            ("ROWS", Whole(rows.rows)),
            ("WIDTH", Whole(rows.width)),
            ("LANES", Whole(lanes)),
            ("SHARES", Whole(shares)),
            ("EPSILON", Real(NORM_EPSILON)),
        ],
        bindings: in_order(places),
        groups: rows.rows.div_ceil(shares),
    }
}

/// Buffers: x 0, weight 1, means 2, reciprocals 3, gradient of y 4, gradients of x 5, weight 6, bias 7; scratch 8, 9.
fn layer_norm_backward(rows: &Rows, gang: Gang) -> Vec<Kernel> {
    vec![
        of_rows("layer_norm_backward", rows, gang, &[0, 1, 2, 3, 4, 5]),
        parts("norm_parts", rows, &[(0, 0), (1, 2), (2, 3), (3, 4), (4, 8), (5, 9)]),
        gather(rows, 8, 6),
        gather(rows, 9, 7),
    ]
}

/// Rows of a part, and how many parts have any.
fn split(rows: &Rows) -> (u64, u64) {
    let part = rows.rows.div_ceil(PARTS).max(1);
    (part, rows.rows.div_ceil(part))
}

fn parts(entry: &'static str, rows: &Rows, bindings: &[(u32, usize)]) -> Kernel {
    let (_, parts) = split(rows);
    columns(entry, rows, bindings.to_vec(), rows.width.div_ceil(OF_GROUP) * parts)
}

fn gather(rows: &Rows, from: usize, into: usize) -> Kernel {
    columns("gather", rows, in_order(&[from, into]), rows.width.div_ceil(OF_GROUP))
}

fn columns(entry: &'static str, rows: &Rows, bindings: Vec<(u32, usize)>, groups: u64) -> Kernel {
    let (part, parts) = split(rows);
    let constants = vec![
        ("ROWS", Whole(rows.rows)),
        ("WIDTH", Whole(rows.width)),
        ("PARTS", Whole(parts)),
        ("PART", Whole(part)),
    ];
    Kernel { sources: vec![COLUMNS], entry, constants, bindings, groups }
}

fn elementwise(entry: &'static str, numbers: u64, places: &[usize]) -> Kernel {
    let fours = numbers.div_ceil(4);
    Kernel {
        sources: vec![ELEMENTWISE],
        entry,
        constants: vec![("FOURS", Whole(fours))],
        bindings: in_order(places),
        groups: fours.div_ceil(FOURS_OF_GROUP),
    }
}

fn adam(entry: &'static str, params: u64, bindings: &[usize]) -> Kernel {
    let correction = |beta: f32| 1.0 - f64::from(beta).powi(ADAM.update);
    let fours = params.div_ceil(4);
    Kernel {
        sources: vec![ADAM_UPDATE],
        entry,
        constants: vec![
            ("FOURS", Whole(fours)),
            ("BETA1", Real(ADAM.beta1)),
            ("BETA2", Real(ADAM.beta2)),
            ("EPSILON", Real(ADAM.epsilon)),
            ("STEP", Real((f64::from(ADAM.rate) / correction(ADAM.beta1)) as f32)),
            ("ROOT", Real(correction(ADAM.beta2).sqrt() as f32)),
        ],
        // Here a binding's number is its buffer's place.
        bindings: (0..).zip(0..5).filter(|(_, place)| bindings.contains(place)).collect(),
        groups: fours.div_ceil(FOURS_OF_GROUP),
    }
}

fn adam_for_each(params: u64) -> Vec<Kernel> {
    [
        ("lerp", &[1, 2][..]),
        ("mul", &[3]),
        ("addcmul", &[1, 3]),
        ("root", &[3, 4]),
        ("div", &[4]),
        ("add", &[4]),
        ("addcdiv", &[0, 2, 4]),
    ]
    .map(|(entry, bindings)| adam(entry, params, bindings))
    .to_vec()
}

/// Bindings from 0 for these buffers.
fn in_order(places: &[usize]) -> Vec<(u32, usize)> {
    (0..).zip(places.iter().copied()).collect()
}
