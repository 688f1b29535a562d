//! What a ring all-reduce gets out of a fabric.

use super::quantity;
use crate::units::Bandwidth;
use serde::Deserialize;

/// One `[[fabric]]` of `data/networks.toml`: between nodes. `_low` and `_high` bound what was measured or is
/// believed possible.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fabric {
    /// `"tcp"`, `"efa-gpudirect"` and so on.
    pub name: String,
    /// Beginnings of the names of the instances that have it; empty: all that no other fabric names.
    #[serde(default)]
    pub instances: Vec<String>,
    /// Achieved rate over the instance's nominal rate, above 0 and at most 1.
    pub efficiency: f64,
    /// The least that is likely.
    pub efficiency_low: f64,
    /// The most that is likely.
    pub efficiency_high: f64,
    /// Achieved at most, however fast the link; `None`: no such limit is known.
    #[serde(rename = "rate_max_gb_per_s", default, deserialize_with = "quantity::gb_per_s")]
    pub rate_max: Option<Bandwidth>,
    /// The least that is likely.
    #[serde(rename = "rate_max_low_gb_per_s", default, deserialize_with = "quantity::gb_per_s")]
    pub rate_max_low: Option<Bandwidth>,
    /// The most that is likely.
    #[serde(rename = "rate_max_high_gb_per_s", default, deserialize_with = "quantity::gb_per_s")]
    pub rate_max_high: Option<Bandwidth>,
    /// When the figures were measured or made.
    pub date: String,
    /// How far to trust them; "assumed" where they are not measured.
    pub confidence: String,
    /// Where they come from.
    pub source: String,
}

impl Fabric {
    /// Bytes per second in each direction that a ring achieves on a link of `nominal` rate.
    pub fn achieved(&self, nominal: Bandwidth) -> Bandwidth {
        let share = Bandwidth::from_bytes_per_s(self.efficiency * nominal.bytes_per_s())
            .expect("a share above 0 of a rate above 0 is above 0");
        match self.rate_max {
            Some(limit) if limit < share => limit,
            _ => share,
        }
    }
}

/// One `[[interconnect]]` of `data/networks.toml`: between the GPUs of one node. Rates are bus bandwidths: the
/// bytes that each rank sends, over the time.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interconnect {
    /// `"pcie-host-staged"`, `"nvlink3-nvswitch"` and so on.
    pub name: String,
    /// The values of [`super::Instance::intra_node_interconnect`] that it stands for.
    pub interconnects: Vec<String>,
    /// What a ring over the GPUs of a node moves.
    #[serde(rename = "bus_rate_gb_per_s", deserialize_with = "quantity::gb_per_s")]
    pub bus_rate: Bandwidth,
    /// The least that is likely.
    #[serde(rename = "bus_rate_low_gb_per_s", deserialize_with = "quantity::gb_per_s")]
    pub bus_rate_low: Bandwidth,
    /// The most that is likely.
    #[serde(rename = "bus_rate_high_gb_per_s", deserialize_with = "quantity::gb_per_s")]
    pub bus_rate_high: Bandwidth,
    /// When the figures were measured or made.
    pub date: String,
    /// How far to trust them; "assumed" where they are not measured.
    pub confidence: String,
    /// Where they come from.
    pub source: String,
}
