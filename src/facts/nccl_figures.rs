//! What fabrics make of NCCL's model.

use serde::Deserialize;

/// The measured all-reduces that the figures were fitted to; sources and date in the file.
pub const ALL_REDUCES: &str = include_str!("../../data/verify/nccl_measured.csv");

/// One `[[figures]]` of `data/nccl_figures.toml`: what `spotsim calibrate fabrics` found for a class of fabrics.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NcclFigures {
    /// `"tcp"`, `"efa-gpudirect"` and so on.
    pub class: String,
    /// What NCCL's latency is multiplied by.
    pub latency_factor: f64,
    /// Latency of the network per hop, microseconds; `None` within a node.
    pub hop_us: Option<f64>,
    /// Share of NCCL's bandwidth that is reached.
    pub efficiency: f64,
    /// What a node sends at most, GB/s (10^9 bytes/s); `None`: no limit is known.
    pub rate_max_gb_per_s: Option<f64>,
    /// A tenth of the times of systems that were left out lie below this share of the prediction.
    pub time_low: f64,
    /// A tenth lie above this multiple of it.
    pub time_high: f64,
    /// Systems that were fitted; 0: all is borrowed from neighbours.
    pub systems: u32,
    /// Rows of them.
    pub rows: u32,
    /// How far to trust them.
    pub confidence: String,
}
