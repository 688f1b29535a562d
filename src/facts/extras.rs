//! What clouds charge beside instances.

use super::quantity::{usd_per, whole_bytes};
use crate::units::{Bytes, Gb, GbMonth, IopsMonth, MbPerSMonth, ThousandRequests, UnitPrice};
use serde::Deserialize;

/// `data/extras.toml`: prices of Amazon Web Services in us-east-1. A gigabyte is 10^9 bytes, a month 30 days.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Extras {
    /// gp3 volumes.
    pub volumes: VolumePrices,
    /// Objects.
    pub objects: ObjectPrices,
    /// How objects are cut into requests.
    pub multipart: Multipart,
    /// Bytes on their way.
    pub traffic: TrafficPrices,
}

/// Prices of gp3 volumes.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VolumePrices {
    /// A gigabyte for a month.
    #[serde(rename = "usd_per_gb_month", deserialize_with = "usd_per")]
    pub storage: UnitPrice<GbMonth>,
    /// An I/O operation per second above 3,000 for a month.
    #[serde(rename = "usd_per_iops_month", deserialize_with = "usd_per")]
    pub iops: UnitPrice<IopsMonth>,
    /// A megabyte per second above 125 for a month.
    #[serde(rename = "usd_per_mb_per_s_month", deserialize_with = "usd_per")]
    pub throughput: UnitPrice<MbPerSMonth>,
    /// When they were read.
    pub date: String,
    /// How far to trust them.
    pub confidence: String,
    /// Where they come from.
    pub source: String,
}

/// Prices of objects.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObjectPrices {
    /// A gigabyte for a month.
    #[serde(rename = "usd_per_gb_month", deserialize_with = "usd_per")]
    pub storage: UnitPrice<GbMonth>,
    /// Requests that write or list.
    #[serde(rename = "usd_per_1000_puts", deserialize_with = "usd_per")]
    pub puts: UnitPrice<ThousandRequests>,
    /// Requests that read.
    #[serde(rename = "usd_per_1000_gets", deserialize_with = "usd_per")]
    pub gets: UnitPrice<ThousandRequests>,
    /// When they were read.
    pub date: String,
    /// How far to trust them.
    pub confidence: String,
    /// Where they come from.
    pub source: String,
}

/// How a client cuts an object into the parts of a multipart transfer.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Multipart {
    /// Bytes of a part, but for the last. A smaller object is a single request.
    #[serde(rename = "part_bytes", deserialize_with = "whole_bytes")]
    pub part: Bytes,
    /// Parts that an object may have; longer ones take parts of twice the size, four times and so on.
    pub parts_max: u64,
    /// Requests that an upload in parts needs beside them.
    pub calls: u64,
    /// When it was read.
    pub date: String,
    /// How far to trust it.
    pub confidence: String,
    /// Where it comes from.
    pub source: String,
}

/// Prices of traffic.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrafficPrices {
    /// From one zone to another, charged at both ends.
    #[serde(rename = "between_zones_usd_per_gb", deserialize_with = "usd_per")]
    pub between_zones: UnitPrice<Gb>,
    /// Out of a region to another; the way in is free.
    #[serde(rename = "between_regions_usd_per_gb", deserialize_with = "usd_per")]
    pub between_regions: UnitPrice<Gb>,
    /// To the Internet, after the free tier.
    #[serde(rename = "internet_usd_per_gb", deserialize_with = "usd_per")]
    pub internet: UnitPrice<Gb>,
    /// When they were read.
    pub date: String,
    /// How far to trust them.
    pub confidence: String,
    /// Where they come from.
    pub source: String,
}

#[cfg(test)]
mod tests {
    use super::super::Catalogue;

    /// The list prices of us-east-1 that the rows of `verify billing` were made with.
    #[test]
    fn prices_are_those_of_the_list() {
        let extras = Catalogue::builtin().extras();
        let prices = [
            extras.volumes.storage.to_string(),
            extras.objects.storage.to_string(),
            extras.objects.puts.to_string(),
            extras.objects.gets.to_string(),
            extras.traffic.between_zones.to_string(),
            extras.traffic.between_regions.to_string(),
        ];
        let right = [
            "0.08 USD/GB-month",
            "0.023 USD/GB-month",
            "0.005 USD/1000 requests",
            "0.0004 USD/1000 requests",
            "0.01 USD/GB",
            "0.02 USD/GB",
        ];
        assert_eq!(prices, right);
    }
}
