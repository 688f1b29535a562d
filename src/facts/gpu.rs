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
    /// As the vendor's driver calls it: `"NVIDIA A10G"`; `None` where that is not known.
    pub driver_name: Option<String>,
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
    /// Share of the peak that arithmetic reaches beyond the losses that the compute model counts, above 0;
    /// above 1 where clocks exceed the data sheet's. Fitted with [`Self::memory_efficiency`].
    pub compute_efficiency: f64,
    /// Share of the memory bandwidth that kernels reach for the traffic that the compute model counts.
    pub memory_efficiency: f64,
    /// Measured rows behind both; 0 where they are those of a typical GPU.
    pub efficiency_rows: u32,
    /// Mean absolute error of samples/s over those rows, as a fraction of what was measured.
    pub efficiency_spread: Option<f64>,
    /// When they were fitted.
    pub efficiency_date: String,
    /// How far to trust them.
    pub efficiency_confidence: String,
    /// How they were made.
    pub efficiency_source: String,
    /// What else is known.
    pub notes: Option<String>,
    /// When the data sheet was read.
    pub date: String,
    /// How far to trust the data sheet's figures.
    pub confidence: String,
    /// The data sheet.
    pub source: String,
}
