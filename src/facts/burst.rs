//! How long burst credits of a network last.

use super::quantity;
use crate::units::Bandwidth;
use serde::Deserialize;

/// `[burst]` of `data/credits.toml`: a card whose credits are full sends at its burst rate for minutes in
/// proportion to its baseline rate, within limits.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BurstTime {
    /// Minutes of full use that empty the credits of a card of [`Self::at_baseline`].
    pub minutes: f64,
    /// The baseline rate at which [`Self::minutes`] were measured.
    #[serde(rename = "at_baseline_gbit_per_s", deserialize_with = "quantity::gbit_per_s")]
    pub at_baseline: Bandwidth,
    /// The least minutes of any card.
    pub minutes_min: f64,
    /// The most minutes of any card.
    pub minutes_max: f64,
    /// The least share of the computed minutes that is likely, no unit.
    pub factor_low: f64,
    /// The greatest share of the computed minutes that is likely, no unit.
    pub factor_high: f64,
    /// When the figures were measured.
    pub date: String,
    /// How far to trust them.
    pub confidence: String,
    /// Where they come from.
    pub source: String,
}

impl BurstTime {
    /// Minutes for which a card of this baseline rate sends at its burst rate, from full credits to empty.
    pub fn minutes(&self, baseline: Bandwidth) -> f64 {
        let minutes = self.minutes * baseline.bytes_per_s() / self.at_baseline.bytes_per_s();
        minutes.clamp(self.minutes_min, self.minutes_max)
    }
}

#[cfg(test)]
mod tests {
    use crate::facts::Catalogue;

    fn minutes(baseline: &str) -> f64 {
        Catalogue::builtin().burst_time().minutes(baseline.parse().unwrap())
    }

    /// The defaults of the project's network model.
    #[test]
    fn burst_minutes_of_g5_sizes_are_those_of_the_network_model() {
        for (name, expected) in [("g5.xlarge", 26.0), ("g5.2xlarge", 52.0), ("g5.4xlarge", 60.0)] {
            let instance = Catalogue::builtin().instance(name).unwrap().instance;
            let found = Catalogue::builtin().burst_time().minutes(instance.network_baseline);
            assert!((found - expected).abs() < 1e-9, "{name}: {found} min");
        }
    }

    /// Published sustained tests, in minutes: c5.large about 7, c5.xlarge 13, c5.2xlarge 26. Baselines as
    /// AWS lists them.
    #[test]
    fn burst_minutes_are_near_those_of_published_tests() {
        for (baseline, measured) in [("0.75 Gbit/s", 7.0), ("1.25 Gbit/s", 13.0), ("2.5 Gbit/s", 26.0)] {
            let found = minutes(baseline);
            assert!((found / measured - 1.0).abs() < 0.15, "{baseline}: {found} min, measured {measured}");
        }
    }

    #[test]
    fn burst_minutes_stay_within_what_the_provider_says() {
        assert_eq!(minutes("0.1 Gbit/s"), 5.0);
        assert_eq!(minutes("40 Gbit/s"), 60.0);
    }
}
