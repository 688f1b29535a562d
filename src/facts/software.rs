//! What training software moves and reaches, fitted to measured steps.

use serde::Deserialize;

/// `data/software.toml`: the numbers of the compute model that measured training steps determined, besides
/// each GPU's efficiencies.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Software {
    /// When they were fitted.
    pub date: String,
    /// How far to trust them.
    pub confidence: String,
    /// How they were made.
    pub source: String,
    /// Time of the softmax of unfused attention over what its counted bytes take.
    pub score_traffic: f64,
    /// Traffic of a transformer's activations in fp32 and tf32 over that under autocast, lighter form.
    pub wide_traffic: f64,
    /// Share of a GPU's compute efficiency that tf32 reaches.
    pub tf32_share: f64,
    /// Compute efficiency of a GPU that was not measured and has 1.5 W for each 10^12 FLOP/s of fp16.
    pub typical_compute_efficiency: f64,
    /// Memory efficiency of a GPU that was not measured.
    pub typical_memory_efficiency: f64,
    /// Exponent of the power for each FLOP/s in the compute efficiency of a GPU that was not measured.
    pub power_exponent: f64,
    /// Versions whose memory traffic differs from PyTorch 1.12's.
    pub framework: Vec<FrameworkTraffic>,
    /// Bytes moved for each activation, by kind of model; lighter form.
    pub activation: Vec<ActivationTraffic>,
}

/// One `[[framework]]`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrameworkTraffic {
    /// With version: `"pytorch-1.10"`.
    pub name: String,
    /// Memory traffic over PyTorch 1.12's.
    pub traffic: f64,
    /// Measured rows.
    pub rows: u32,
    /// Mean absolute error of samples/s over them, as a fraction; `None` without rows.
    pub spread: Option<f64>,
}

/// One `[[activation]]`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActivationTraffic {
    /// Kind of model: `"attention"`.
    pub kind: String,
    /// Bytes for each activation of forward, forward and backward together.
    pub bytes: f64,
    /// Measured rows.
    pub rows: u32,
    /// Mean absolute error of samples/s over them, as a fraction; `None` without rows.
    pub spread: Option<f64>,
}
