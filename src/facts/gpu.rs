//! Accelerators.

use super::quantity;
use crate::units::{Bandwidth, Bytes};
use serde::Deserialize;

/// One `[[gpu]]` of `data/gpus.toml`. Rates of arithmetic are dense, in 10^12 FLOP/s, by data sheet.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gpu {
    /// With form and memory where they differ: `"A100-SXM4-40GB"`.
    pub name: String,
    /// NVIDIA's compute capability, times 10.
    pub compute_capability: u32,
    /// Peak in bf16; `None` where the chip has none.
    pub bf16_dense_tflops: Option<f64>,
    /// Peak in fp16, sums in fp32.
    pub fp16_dense_tflops: f64,
    /// Peak in tf32; `None` where the chip has none.
    pub tf32_dense_tflops: Option<f64>,
    /// Peak in fp32, outside tensor cores.
    pub fp32_tflops: f64,
    /// Memory, as sold.
    #[serde(rename = "memory_gb", deserialize_with = "quantity::gb")]
    pub memory: Bytes,
    /// Bandwidth of its memory, by data sheet.
    #[serde(rename = "bandwidth_gb_per_s", deserialize_with = "quantity::gb_per_s")]
    pub bandwidth: Bandwidth,
    /// Generation and width of the link to the host: `"4.0 x16"`.
    pub pcie: String,
    /// NVLink bandwidth, all links and both directions together; `None` without NVLink.
    #[serde(rename = "nvlink_gb_per_s_total", default, deserialize_with = "quantity::gb_per_s")]
    pub nvlink_total: Option<Bandwidth>,
    /// Power limit, watts.
    pub tdp_w: f64,
    /// Month in which it came out.
    pub launch: String,
    /// Best matrix product measured, 10^12 FLOP/s.
    pub measured_matmul_tflops: Option<f64>,
    /// Number format of that product.
    pub measured_matmul_dtype: Option<String>,
    /// Shape of that product.
    pub measured_matmul_shape: Option<String>,
    /// Who measured it.
    pub measured_matmul_source: Option<String>,
    /// Memory bandwidth measured.
    #[serde(rename = "measured_bandwidth_gb_per_s", default, deserialize_with = "quantity::gb_per_s")]
    pub measured_bandwidth: Option<Bandwidth>,
    /// What was run to measure it.
    pub measured_bandwidth_kind: Option<String>,
    /// Who measured it.
    pub measured_bandwidth_source: Option<String>,
    /// Share of the fp16 and bf16 dense peak that a whole ViT training step reaches, the copy from the
    /// host excluded: samples/s × FLOP per sample / peak, above 0 and below 1. A first figure.
    pub training_efficiency: f64,
    /// Rows or reasoning behind [`Self::training_efficiency`].
    pub training_efficiency_source: String,
    /// When they were measured or made.
    pub training_efficiency_date: String,
    /// How far to trust it; "assumed" where nothing was measured.
    pub training_efficiency_confidence: String,
    /// What else is known.
    pub notes: Option<String>,
    /// When the data sheet was read.
    pub date: String,
    /// How far to trust the data sheet's figures.
    pub confidence: String,
    /// The data sheet.
    pub source: String,
}

impl Gpu {
    /// TEMPORARY
    pub fn efficiencies(&self, _precision: crate::compute::Precision) -> (f64, f64) {
        (0.82, 0.82)
    }
    /// TEMPORARY
    pub fn efficiency_origin(&self) -> String {
        String::new()
    }
}
