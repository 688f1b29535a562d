//! Texts of the kernels, and what each is compiled with.

use crate::calibrate::kernels::{Format, Heads, Rows};

/// A text of kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Source {
    Fill,
    Elementwise,
    Adam,
    Softmax,
    LayerNorm,
    Columns,
    Attention,
    AttentionBackward,
}

/// A text with what is defined for it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Variant {
    pub(super) source: Source,
    pub(super) defines: Vec<String>,
}

/// Rows that a block of `columns.cu` sums.
pub(super) const ROWS_A_PART: u64 = 128;
/// Keys of a tile or block of attention.
pub(super) const KEYS: u64 = 64;
/// Columns of the longest row that one warp takes in softmax.
pub(super) const SHORT_ROW: u64 = 1024;

impl Source {
    /// The whole text that is compiled.
    pub(super) fn text(self) -> String {
        let (tiles, own) = match self {
            Self::Fill => ("", include_str!("source/fill.cu")),
            Self::Elementwise => ("", include_str!("source/elementwise.cu")),
            Self::Adam => ("", include_str!("source/adam.cu")),
            Self::Softmax => ("", include_str!("source/softmax.cu")),
            Self::LayerNorm => ("", include_str!("source/layer_norm.cu")),
            Self::Columns => ("", include_str!("source/columns.cu")),
            Self::Attention => (include_str!("source/tiles.cu"), include_str!("source/attention.cu")),
            Self::AttentionBackward => {
                (include_str!("source/tiles.cu"), include_str!("source/attention_backward.cu"))
            }
        };
        [include_str!("source/ptx.cu"), include_str!("source/numbers.cu"), tiles, own].concat()
    }

    /// With numbers of a format, and more.
    pub(super) fn of(self, format: Format, more: &[String]) -> Variant {
        let name = match format {
            Format::Bf16 => "BF16",
            Format::Fp16 => "FP16",
            Format::Fp32 => "FP32",
        };
        let mut defines = vec![name.to_owned()];
        defines.extend_from_slice(more);
        Variant { source: self, defines }
    }
}

/// Softmax of rows of one width.
pub(super) fn softmax(rows: &Rows) -> Variant {
    let lanes = rows.width.clamp(1, SHORT_ROW).div_ceil(32);
    Source::Softmax.of(Format::Fp32, &[format!("PER_LANE={lanes}")])
}

/// Numbers of a row that are read at once: a row of another width does not begin where they may lie.
pub(super) fn wide(width: u64) -> u64 {
    if width.is_multiple_of(4) { 4 } else { 1 }
}

/// Kernels that read rows of one width.
pub(super) fn by_width(source: Source, format: Format, width: u64) -> Variant {
    source.of(format, &[format!("WIDE={}", wide(width))])
}

/// Queries that a block of attention's forward takes.
pub(super) fn queries_a_block(width: u64) -> u64 {
    if width <= 64 { 128 } else { 64 }
}

/// Attention's forward, and its shared memory in bytes: two stages of keys and values.
pub(super) fn attention(heads: &Heads, format: Format) -> (Variant, u32) {
    let variant = Source::Attention.of(format, &[format!("WIDTH={}", heads.width)]);
    (variant, bytes(2 * 2 * KEYS * (heads.width + 8) * 2))
}

/// Attention's backward, and its shared memory in bytes. `room` is a multiprocessor's: two stages are worth it where
/// two blocks still fit.
pub(super) fn attention_backward(heads: &Heads, format: Format, room: u64) -> (Variant, u32) {
    let queries = if heads.width <= 64 { 64 } else { 32 };
    let row = heads.width + 8;
    let shared = |stages: u64| {
        let numbers = 2 * KEYS * row + KEYS * (queries + 8) + stages * 2 * queries * row;
        2 * numbers + stages * 2 * queries * 4
    };
    // The driver keeps 1 KiB of each block's for itself.
    let stages = if 2 * (shared(2) + 1024) <= room { 2 } else { 1 };
    let defines = [format!("WIDTH={}", heads.width), format!("STAGES={stages}")];
    (Source::AttentionBackward.of(format, &defines), bytes(shared(stages)))
}

fn bytes(count: u64) -> u32 {
    u32::try_from(count).expect("tiles of at most 128 columns are small")
}
