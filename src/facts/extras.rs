//! What clouds charge beside instances.

use serde::Deserialize;

/// `data/extras.toml`. A gigabyte is 10^9 bytes, a month 30 days.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Extras {
    /// gp3 volumes.
    pub volumes: VolumePrices,
    /// Objects.
    pub objects: ObjectPrices,
    /// Bytes on their way.
    pub traffic: TrafficPrices,
}

/// Prices of gp3 volumes, USD.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VolumePrices {
    /// A gigabyte for a month.
    pub usd_per_gb_month: f64,
    /// An I/O operation per second above 3,000 for a month.
    pub usd_per_iops_month: f64,
    /// A megabyte per second above 125 for a month.
    pub usd_per_mb_per_s_month: f64,
    /// When they were read.
    pub date: String,
    /// How far to trust them.
    pub confidence: String,
    /// Where they come from.
    pub source: String,
}

/// Prices of objects, USD.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObjectPrices {
    /// A gigabyte for a month.
    pub usd_per_gb_month: f64,
    /// A thousand requests that write or list.
    pub usd_per_1000_puts: f64,
    /// A thousand requests that read.
    pub usd_per_1000_gets: f64,
    /// When they were read.
    pub date: String,
    /// How far to trust them.
    pub confidence: String,
    /// Where they come from.
    pub source: String,
}

/// Prices of traffic, USD a gigabyte.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrafficPrices {
    /// From one zone to another, charged at both ends.
    pub between_zones_usd_per_gb: f64,
    /// Out of a region to another; the way in is free.
    pub between_regions_usd_per_gb: f64,
    /// To the Internet, after the free tier.
    pub internet_usd_per_gb: f64,
    /// When they were read.
    pub date: String,
    /// How far to trust them.
    pub confidence: String,
    /// Where they come from.
    pub source: String,
}
