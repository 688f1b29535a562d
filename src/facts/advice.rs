//! How figures that clouds give about Spot are read as chances.

use super::{Estimate, InterruptionBucket};
use serde::Deserialize;

/// The share of nodes interrupted within a month that a class of the Spot Advisor is read as: `data/advisor.toml`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Advisor {
    #[serde(rename = "<5%")]
    below_5: Estimate,
    #[serde(rename = "5-10%")]
    from_5_to_10: Estimate,
    #[serde(rename = "10-15%")]
    from_10_to_15: Estimate,
    #[serde(rename = "15-20%")]
    from_15_to_20: Estimate,
    #[serde(rename = ">20%")]
    above_20: Estimate,
}

impl Advisor {
    /// Share of nodes interrupted within a month, above 0 and below 1.
    pub const fn share(&self, class: InterruptionBucket) -> &Estimate {
        match class {
            InterruptionBucket::Below5 => &self.below_5,
            InterruptionBucket::From5To10 => &self.from_5_to_10,
            InterruptionBucket::From10To15 => &self.from_10_to_15,
            InterruptionBucket::From15To20 => &self.from_15_to_20,
            InterruptionBucket::Above20 => &self.above_20,
        }
    }
}

/// What a Spot placement score is read as: `data/placement_scores.toml`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlacementScores {
    /// Share of the time in which capacity is there, for the scores 1 to 10.
    pub availability: [f64; 10],
    /// When that was made.
    pub date: String,
    /// How far to trust it.
    pub confidence: String,
    /// Where it comes from.
    pub source: String,
    /// Mean time without capacity, seconds.
    pub gap_s: Estimate,
}

#[cfg(test)]
mod tests {
    use super::super::Catalogue;
    use super::*;

    /// The classes' own ends (spotinfo's embedded spot-advisor-data.json names them so).
    #[test]
    fn each_class_is_read_as_a_share_within_it() {
        for class in InterruptionBucket::ALL {
            let share = Catalogue::builtin().advisor().share(class);
            let (low, high) = class.monthly_share();
            assert!(low <= share.low && share.high <= high, "{class:?}");
            assert!(share.low < share.value && share.value < share.high && share.value > 0.0, "{class:?}");
            assert!(share.date.starts_with("20") && !share.source.is_empty(), "{class:?}");
        }
    }

    #[test]
    fn a_better_score_is_more_often_there() {
        let scores = Catalogue::builtin().placement_scores();
        assert!(scores.availability.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(scores.availability[0] > 0.0 && scores.availability[9] < 1.0);
        assert!(scores.gap_s.low < scores.gap_s.value && scores.gap_s.value < scores.gap_s.high);
        assert!(scores.date.starts_with("20") && !scores.source.is_empty());
    }
}
