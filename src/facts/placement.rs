//! What placement leaves of a path between nodes.

use super::quantity;
use crate::units::Bandwidth;
use serde::Deserialize;

/// One `[[placement]]` of `data/placements.toml`. `_low` and `_high` bound what was measured or is believed
/// possible.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Placement {
    /// `"cluster-group"`, `"same-zone"` or `"across-zones"`.
    pub name: String,
    /// The most that one TCP connection moves, one direction.
    #[serde(rename = "single_flow_gbit_per_s", deserialize_with = "quantity::gbit_per_s")]
    pub single_flow: Bandwidth,
    /// The least that is likely.
    #[serde(rename = "single_flow_low_gbit_per_s", deserialize_with = "quantity::gbit_per_s")]
    pub single_flow_low: Bandwidth,
    /// The most that is likely.
    #[serde(rename = "single_flow_high_gbit_per_s", deserialize_with = "quantity::gbit_per_s")]
    pub single_flow_high: Bandwidth,
    /// Latency of a hop beyond that inside a placement group, microseconds.
    pub hop_latency_us: f64,
    /// The least that is likely.
    pub hop_latency_low_us: f64,
    /// The most that is likely.
    pub hop_latency_high_us: f64,
    /// When the figures were measured or made.
    pub date: String,
    /// How far to trust them; "assumed" where they are not measured.
    pub confidence: String,
    /// Where they come from.
    pub source: String,
}

/// `[sockets]` of `data/placements.toml`: TCP connections that NCCL opens to a peer.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SocketDefaults {
    /// Helper threads.
    pub threads: u32,
    /// Connections of each thread.
    pub per_thread: u32,
    /// When the figures were read.
    pub date: String,
    /// How far to trust them.
    pub confidence: String,
    /// Where they come from.
    pub source: String,
}
