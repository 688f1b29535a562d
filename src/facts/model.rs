//! Models to train.

use super::quantity;
use crate::units::Bytes;
use serde::Deserialize;

/// One `[[model]]` of `data/models.toml`: counts for one sample and one copy of the parameters.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// As timm writes it: `"vit_base_patch16_224"`.
    pub name: String,
    /// `"vit"`, `"deit"`, `"resnet"` and so on.
    pub family: String,
    /// Side of the square image, pixels.
    pub img_size: u32,
    /// Trained parameters.
    pub params: u64,
    /// Multiply-adds of a forward pass, 10^9.
    pub fwd_gmacs: f64,
    /// Activations that a forward pass writes, 10^6 numbers.
    pub fwd_macts: f64,
    /// Blocks, of a plain ViT.
    pub depth: Option<u32>,
    /// Numbers per token, of a plain ViT.
    pub width: Option<u32>,
    /// Attention heads, of a plain ViT.
    pub heads: Option<u32>,
    /// Side of a patch, pixels, of a plain ViT.
    pub patch: Option<u32>,
    /// Hidden width of the MLP over [`Self::width`], of a plain ViT.
    pub mlp_ratio: Option<f64>,
    /// Tokens of an image, class tokens included, of a plain ViT.
    pub tokens: Option<u32>,
    /// [`Self::fwd_gmacs`] as timm's table has it.
    pub timm_gmacs: Option<f64>,
    /// [`Self::fwd_macts`] as timm's table has it.
    pub timm_macts: Option<f64>,
    /// Parameters as timm's table has them, 10^6.
    pub timm_params_m: Option<f64>,
    /// How the counts were made: by formula, or from timm's table.
    pub origin: String,
    /// Arithmetic of a training step for one sample, 10^9 FLOP: 6 × [`Self::fwd_gmacs`] (2 FLOP a
    /// multiply-add; a backward pass is twice the forward).
    pub train_gflop_per_sample: f64,
    /// One set of gradients in fp32.
    #[serde(deserialize_with = "quantity::whole_bytes")]
    pub grad_bytes_fp32: Bytes,
    /// One set of gradients in bf16.
    #[serde(deserialize_with = "quantity::whole_bytes")]
    pub grad_bytes_bf16: Bytes,
    /// Checkpoint of the fp32 weights alone.
    #[serde(deserialize_with = "quantity::whole_bytes")]
    pub ckpt_bytes_weights_fp32: Bytes,
    /// Checkpoint of weights and momentum.
    #[serde(deserialize_with = "quantity::whole_bytes")]
    pub ckpt_bytes_sgd_momentum: Bytes,
    /// Checkpoint of weights and the two moments of Adam.
    #[serde(deserialize_with = "quantity::whole_bytes")]
    pub ckpt_bytes_adam: Bytes,
    /// When the counts were made or read.
    pub date: String,
    /// `"high"` where the counts agree with the published table, else `"medium"`.
    pub confidence: String,
    /// Where the counts come from.
    pub source: String,
}
