//! Training steps that others measured, as this room's models take them.

use super::coefficients::Factors;
use super::named_vit::plain_vit;
use super::{
    ActivationKind, Chip, Coefficients, Launches, LightModel, Optimizer, Precision, Recipe, VitShape,
    light_step, vit_step,
};
use serde::Deserialize;

/// One row of `vit_throughput.csv`: columns by name, others are ignored.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct MeasuredRow {
    /// Number of the row.
    pub row_id: String,
    /// As its source calls it; timm's names say the shape.
    pub model: String,
    /// `vit-plain`, `deit`, `resnet` and so on.
    pub family: String,
    /// 1 for transformers over image patches; empty is 0.
    pub is_vit: Option<u8>,
    /// Side of the image, pixels; empty for text.
    pub img_size: Option<u32>,
    /// Parameters, 10^6.
    pub params_m: Option<f64>,
    /// Multiply-accumulates of a sample's forward, 10^9.
    pub fwd_gmacs: Option<f64>,
    /// Activations of a sample's forward, 10^6.
    pub fwd_macts: Option<f64>,
    /// As `data/gpus.toml` names it.
    pub gpu: String,
    /// How many.
    pub gpus: u32,
    /// `amp-fp16`, `tf32` and so on.
    pub precision: String,
    /// Samples per GPU and step, where stated.
    pub batch_per_gpu: Option<u32>,
    /// `nchw`, `nhwc`, or anything else if not known.
    pub layout: String,
    /// 1 if a compiler joined operations.
    pub compile: Option<u8>,
    /// `unfused`, `flash`, `sdpa` or `na`.
    pub attention: String,
    /// Rule of the update.
    pub optimizer: String,
    /// With version where known: `pytorch-1.12`.
    pub framework: String,
    /// Where samples came from.
    pub data: String,
    /// Measured.
    pub samples_per_s_per_gpu: Option<f64>,
}

/// A measured step on a chip.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// The row.
    pub row: MeasuredRow,
    /// Measured samples/s of one GPU.
    pub measured: f64,
    /// The accelerator.
    pub chip: Chip,
    /// What is known of the model.
    pub model: CaseModel,
    counts: Counts,
    recipe: Recipe,
    with_update: bool,
}

/// Counts of a sample's forward, and parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Counts {
    macs: f64,
    activations: f64,
    params: f64,
}

/// What is known of a model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CaseModel {
    /// A plain ViT, and bytes for each of its additional operations: of a step over a token and number of
    /// the width, and over a score of attention.
    Plain {
        /// Its shape.
        shape: VitShape,
        /// Additional bytes for each token and number of the width, in each block.
        token_bytes: f64,
        /// Additional bytes for each score of attention.
        score_bytes: f64,
    },
    /// Counts alone: of what its halves are made.
    Counts([ActivationKind; 2]),
}

/// A compiled graph's traffic over an eager one's in the lighter form: 114 bytes against the 198 of the
/// per-operation form.
const COMPILED: f64 = 114.0 / 198.0;
/// Fused attention's, as in the lighter form's own count.
const FUSED: f64 = 0.62;
/// Layer scale (DeiT-III, BEiT), bytes for each token and number of the width: two products of a branch with
/// a vector. Forward reads 2 and writes 4; backward reads gradient and branch, writes the gradient and sums
/// over tokens, 4 + 2 + 4 + 4.
const LAYER_SCALE_BYTES: f64 = 2.0 * (6.0 + 14.0);
/// Relative position bias (BEiT), bytes for each score: the sum is fp32, so 2 read and 4 written, 2 more read
/// by softmax, and 4 to sum the gradient over samples. Adds and sums run as other elementwise kernels do.
const POSITION_BIAS_BYTES: f64 = 12.0;

impl Case {
    /// The row on its chip, or why it cannot be compared.
    pub fn new(row: &MeasuredRow, chip: Option<Chip>) -> Result<Self, String> {
        if row.data.contains("end-to-end") {
            return Err("end to end: may be bound by its data loader".into());
        }
        let batch = row.batch_per_gpu.ok_or("states no batch")?;
        let chip = chip.ok_or_else(|| format!("{} is not in the catalogue", row.gpu))?;
        let (precision, half_residuals) = precision(&row.precision)?;
        if chip.peak_flop_per_s(precision).is_none() {
            return Err(format!("{} has no {}", row.gpu, precision.name()));
        }
        let above_0 = |count: Option<f64>| {
            count
                .filter(|count| batch > 0 && count.is_finite() && *count > 0.0)
                .ok_or("states no rate or count")
        };
        let measured = above_0(row.samples_per_s_per_gpu)?;
        let counts = Counts {
            macs: above_0(row.fwd_gmacs)? * 1e9,
            activations: above_0(row.fwd_macts)? * 1e6,
            params: above_0(row.params_m)? * 1e6,
        };
        let (optimizer, fused_optimizer, with_update) = optimizer(&row.optimizer);
        let recipe = Recipe {
            batch,
            precision,
            optimizer,
            fused_optimizer,
            fused_attention: matches!(row.attention.as_str(), "flash" | "sdpa"),
            half_residuals,
            compiled: row.compile == Some(1),
            // Benchmarks use batches that hide launches.
            launches: Launches { per_block: 0.0, other: 0.0 },
        };
        let model = match plain_vit(&row.model, &row.family, row.img_size) {
            Some(shape) => {
                let (token_bytes, score_bytes) = match row.family.as_str() {
                    "deit3" => (LAYER_SCALE_BYTES, 0.0),
                    "beit" | "beitv2" => (LAYER_SCALE_BYTES, POSITION_BIAS_BYTES),
                    _ => (0.0, 0.0),
                };
                CaseModel::Plain { shape, token_bytes, score_bytes }
            }
            None => CaseModel::Counts(kinds(row, precision)),
        };
        Ok(Self { row: row.clone(), measured, chip, model, counts, recipe, with_update })
    }

    /// Whether it is a plain ViT, whose time is made operation by operation.
    pub fn is_plain(&self) -> bool {
        matches!(self.model, CaseModel::Plain { .. })
    }

    /// Whether it is made of attention and MLPs over tokens.
    pub fn is_transformer(&self) -> bool {
        match self.model {
            CaseModel::Plain { .. } => true,
            CaseModel::Counts(kinds) => kinds == [ActivationKind::Attention; 2],
        }
    }

    /// Whether products take operands of 16 bits.
    pub fn is_half(&self) -> bool {
        self.recipe.precision.operand_bytes() <= 2.0
    }

    /// Whether it multiplies in tf32.
    pub fn is_tf32(&self) -> bool {
        self.recipe.precision == Precision::Tf32
    }

    /// Samples/s of one GPU by the models of this room, communication and input aside.
    pub fn samples_per_s(&self, coefficients: &Coefficients) -> f64 {
        let kinds = match self.model {
            CaseModel::Plain { .. } => [ActivationKind::Attention; 2],
            CaseModel::Counts(kinds) => kinds,
        };
        self.samples_per_s_with(&coefficients.factors(&self.row.gpu, &self.chip, &self.row.framework, kinds))
    }

    /// The same by those coefficients alone on which it depends.
    pub(super) fn samples_per_s_with(&self, factors: &Factors) -> f64 {
        let precision = self.recipe.precision;
        let device =
            factors.device(&self.chip, precision).expect("`new` refuses chips without the precision");
        let (step, additional_s) = match self.model {
            CaseModel::Plain { shape, token_bytes, score_bytes } => {
                let tokens = f64::from(self.recipe.batch) * shape.tokens() as f64 * f64::from(shape.depth);
                let scores_per_token = match self.recipe.fused_attention {
                    true => 0.0,
                    false => shape.tokens() as f64 * f64::from(shape.heads),
                };
                let bytes = token_bytes * f64::from(shape.width) + score_bytes * scores_per_token;
                (vit_step(&shape, &self.recipe, &device, None), device.traffic_s(bytes * tokens))
            }
            CaseModel::Counts(kinds) => {
                let fused = if self.recipe.fused_attention { FUSED } else { 1.0 };
                let compiled = if self.recipe.compiled { COMPILED } else { 1.0 };
                let bytes = factors.bytes_per_activation(kinds, precision);
                let model = LightModel {
                    forward_macs: self.counts.macs,
                    forward_activations: self.counts.activations,
                    params: self.counts.params,
                    blocks: 0.0,
                    bytes_per_activation: bytes * fused * compiled,
                };
                (light_step(&model, &self.recipe, &device), 0.0)
            }
        };
        let update_s = if self.with_update { step.optimizer_s } else { 0.0 };
        f64::from(self.recipe.batch) / (step.forward_s + step.backward_s + update_s + additional_s)
    }
}

/// Precision, and whether residuals are half as wide. Rows call a training script's flag `fp16` or `bf16`,
/// and that is mixed precision; O2 of Apex and Paddle keeps residuals in 16 bits.
fn precision(text: &str) -> Result<(Precision, bool), String> {
    Ok(match text {
        "amp-fp16" | "fp16" | "fp16-o1" => (Precision::AmpFp16, false),
        "amp-bf16" | "bf16" | "bf16-o1" => (Precision::AmpBf16, false),
        "fp16-o2" => (Precision::AmpFp16, true),
        "bf16-o2" => (Precision::AmpBf16, true),
        "tf32" => (Precision::Tf32, false),
        "fp32" => (Precision::Fp32, false),
        _ => return Err(format!("precision {text} is not known")),
    })
}

/// Rule, whether it is one kernel, and whether the measured step has an update at all. What is called plain
/// SGD has momentum in the benchmarks that rows come from; LAMB moves what Adam moves.
fn optimizer(text: &str) -> (Optimizer, bool, bool) {
    match text {
        "none" => (Optimizer::Sgd, true, false),
        "fused-adam" | "fused-lamb" => (Optimizer::Adam, true, true),
        "adam" | "adamw" | "lamb" => (Optimizer::Adam, false, true),
        _ => (Optimizer::SgdMomentum, false, true),
    }
}

/// Of what a model known by its counts is made. A rate without layout in half precision is taken as
/// channels last, which who tunes for speed uses.
fn kinds(row: &MeasuredRow, precision: Precision) -> [ActivationKind; 2] {
    let convolution = match row.layout.as_str() {
        _ if precision.operand_bytes() > 2.0 => ActivationKind::WideConvolution,
        "nchw" => ActivationKind::ChannelsFirst,
        _ => ActivationKind::ChannelsLast,
    };
    let name = row.model.as_str();
    let standardized = ["_r_s", "_r26_s", "_r50_s", "_gn"].iter().any(|part| name.contains(part));
    match row.family.as_str() {
        _ if standardized => [ActivationKind::GroupNorm; 2],
        _ if name.starts_with("vit5") => [ActivationKind::WrittenOut; 2],
        "vit-variant" if name.contains("resnet") => [ActivationKind::Attention, convolution],
        "swin" | "convnext" => [ActivationKind::FeatureMap; 2],
        "xcit" => [ActivationKind::CrossCovariance; 2],
        "cait" => [ActivationKind::TalkingHeads; 2],
        family if row.is_vit == Some(1) || family.starts_with("bert") || family == "mixer" => {
            [ActivationKind::Attention; 2]
        }
        _ => [convolution; 2],
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// An RTX 3090 by its data sheet.
    pub(in crate::compute) const RTX_3090: Chip = Chip {
        bf16_flop_per_s: Some(71e12),
        fp16_flop_per_s: 71e12,
        tf32_flop_per_s: Some(35.6e12),
        fp32_flop_per_s: 35.6e12,
        bandwidth_bytes_per_s: 936e9,
        tdp_w: 350.0,
    };

    /// `huggingface/pytorch-image-models:results/benchmark-train-amp-nchw-pt112-cu113-rtx3090.csv`, 2022.
    pub(in crate::compute) fn row() -> MeasuredRow {
        MeasuredRow {
            row_id: "1".into(),
            model: "vit_base_patch16_224".into(),
            family: "vit-plain".into(),
            is_vit: Some(1),
            img_size: Some(224),
            params_m: Some(86.57),
            fwd_gmacs: Some(17.58),
            fwd_macts: Some(23.9),
            gpu: "RTX-3090".into(),
            gpus: 1,
            precision: "amp-fp16".into(),
            batch_per_gpu: Some(192),
            layout: "nchw".into(),
            compile: Some(0),
            attention: "unfused".into(),
            optimizer: "sgd-momentum".into(),
            framework: "pytorch-1.12".into(),
            data: "synthetic-on-gpu".into(),
            samples_per_s_per_gpu: Some(390.86),
        }
    }

    fn kinds_of(row: &MeasuredRow) -> CaseModel {
        Case::new(row, Some(RTX_3090)).unwrap().model
    }

    #[test]
    fn a_plain_vit_is_told_by_its_name() {
        assert!(Case::new(&row(), Some(RTX_3090)).unwrap().is_plain());
        let variant = MeasuredRow { family: "vit-variant".into(), ..row() };
        assert_eq!(kinds_of(&variant), CaseModel::Counts([ActivationKind::Attention; 2]));
    }

    #[test]
    fn convolutions_gain_from_channels_last_in_half_precision_alone() {
        let resnet =
            MeasuredRow { model: "resnet50".into(), family: "resnet".into(), is_vit: Some(0), ..row() };
        let of = |layout: &str, precision: &str| {
            kinds_of(&MeasuredRow { layout: layout.into(), precision: precision.into(), ..resnet.clone() })
        };
        assert_eq!(of("nchw", "amp-fp16"), CaseModel::Counts([ActivationKind::ChannelsFirst; 2]));
        assert_eq!(of("nhwc", "amp-fp16"), CaseModel::Counts([ActivationKind::ChannelsLast; 2]));
        assert_eq!(of("nhwc", "tf32"), of("nchw", "tf32"));
    }

    #[test]
    fn rows_that_cannot_be_compared_say_why() {
        let reason = |row: &MeasuredRow, chip| Case::new(row, chip).unwrap_err();
        let loader = MeasuredRow { data: "real (end-to-end, may be loader-bound)".into(), ..row() };
        assert!(reason(&loader, Some(RTX_3090)).starts_with("end to end"));
        assert_eq!(reason(&MeasuredRow { batch_per_gpu: None, ..row() }, None), "states no batch");
        assert_eq!(reason(&row(), None), "RTX-3090 is not in the catalogue");
        let old = Chip { bf16_flop_per_s: None, ..RTX_3090 };
        let bf16 = MeasuredRow { precision: "bf16".into(), ..row() };
        assert_eq!(reason(&bf16, Some(old)), "RTX-3090 has no amp-bf16");
        assert_eq!(
            reason(&MeasuredRow { fwd_macts: None, ..row() }, Some(RTX_3090)),
            "states no rate or count"
        );
    }
}
