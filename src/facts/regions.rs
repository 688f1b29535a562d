//! What it takes to move bytes from one region to another.

use super::quantity::{gbit_per_s, usd_per};
use crate::units::{Bandwidth, Gb, UnitPrice};
use serde::Deserialize;

/// `data/regions.toml`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Regions {
    /// How fast bytes go.
    pub speeds: Speeds,
    /// What they pay.
    pub traffic: Traffic,
}

/// How fast one client moves objects.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Speeds {
    /// Within a region.
    #[serde(rename = "same_region_gbit_per_s", deserialize_with = "gbit_per_s")]
    pub same_region: Bandwidth,
    /// To another region of the continent.
    #[serde(rename = "same_continent_gbit_per_s", deserialize_with = "gbit_per_s")]
    pub same_continent: Bandwidth,
    /// To another continent.
    #[serde(rename = "other_continent_gbit_per_s", deserialize_with = "gbit_per_s")]
    pub other_continent: Bandwidth,
    /// When they were read.
    pub date: String,
    /// How far to trust them.
    pub confidence: String,
    /// Where they come from.
    pub source: String,
}

/// What leaving a region for another costs.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Traffic {
    /// Unless a pair says otherwise.
    #[serde(rename = "usd_per_gb", deserialize_with = "usd_per")]
    pub price: UnitPrice<Gb>,
    /// The first that fits counts.
    pub pair: Vec<Pair>,
    /// When they were read.
    pub date: String,
    /// How far to trust them.
    pub confidence: String,
    /// Where they come from.
    pub source: String,
}

/// Regions between which another price holds.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    /// How the name of the region begins that is left.
    pub from: String,
    /// How that of the other begins.
    pub to: String,
    /// The price.
    #[serde(rename = "usd_per_gb", deserialize_with = "usd_per")]
    pub price: UnitPrice<Gb>,
}

/// What a region's name begins with: `us` of `us-east-1`.
fn continent(region: &str) -> &str {
    region.split('-').next().unwrap_or(region)
}

impl Regions {
    /// How fast bytes go from one region to another.
    pub fn speed(&self, from: &str, to: &str) -> Bandwidth {
        let speeds = &self.speeds;
        match (from == to, continent(from) == continent(to)) {
            (true, _) => speeds.same_region,
            (false, true) => speeds.same_continent,
            (false, false) => speeds.other_continent,
        }
    }

    /// What they pay; `None` within a region.
    pub fn price(&self, from: &str, to: &str) -> Option<UnitPrice<Gb>> {
        let fits = |pair: &&Pair| from.starts_with(&pair.from) && to.starts_with(&pair.to);
        (from != to)
            .then(|| self.traffic.pair.iter().find(fits).map_or(self.traffic.price, |pair| pair.price))
    }
}

#[cfg(test)]
mod tests {
    use crate::facts::Catalogue;

    /// Speeds of SkyNomad's measurements; $0.01 between the two regions in the east of the US, $0.02 else.
    #[test]
    fn bytes_are_slower_to_another_continent_and_cheaper_to_a_neighbour() {
        let regions = Catalogue::builtin().regions();
        let gbit = |from, to| regions.speed(from, to).bytes_per_s() * 8e-9;
        assert!((gbit("us-east-1", "us-west-2") - 8.2).abs() < 1e-12);
        assert!((gbit("us-east-1", "eu-west-1") - 3.59).abs() < 1e-12);
        let price = |from, to| regions.price(from, to).map(|price| price.to_string());
        assert_eq!(price("us-east-1", "us-east-1"), None);
        assert_eq!(price("us-east-2", "us-east-1").unwrap(), "0.01 USD/GB");
        assert_eq!(price("us-east-1", "us-west-2").unwrap(), "0.02 USD/GB");
        assert_eq!(price("ap-south-1", "ap-northeast-1").unwrap(), "0.08 USD/GB");
    }
}
