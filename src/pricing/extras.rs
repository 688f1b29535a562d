//! What is billed beside instances: disks, objects, traffic.

use crate::units::Money;

/// A month as the storage prices count it: 30 days. Source: Amazon EBS pricing, gp3 example.
const MONTH_S: f64 = 2_592_000.0;
/// A volume is billed for at least a minute.
const VOLUME_MINIMUM_S: f64 = 60.0;
/// What a gp3 volume performs without surcharge. Source: Amazon EBS pricing.
const GP3_IOPS: f64 = 3_000.0;
const GP3_MB_PER_S: f64 = 125.0;

/// Prices of gp3 volumes, USD.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VolumeRates {
    /// A gigabyte for a month.
    pub usd_per_gb_month: f64,
    /// An I/O operation per second above 3,000 for a month.
    pub usd_per_iops_month: f64,
    /// A megabyte per second above 125 for a month.
    pub usd_per_mb_per_s_month: f64,
}

/// A gp3 volume and how long it exists, attached to a running node or not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Volume {
    /// Size, 10^9 bytes.
    pub gb: f64,
    /// I/O operations per second.
    pub iops: f64,
    /// Throughput, MB/s.
    pub mb_per_s: f64,
    /// Existence, seconds.
    pub seconds: f64,
}

impl VolumeRates {
    /// What such a volume costs.
    pub fn cost(&self, volume: &Volume) -> Money {
        let monthly = self.usd_per_gb_month * volume.gb
            + self.usd_per_iops_month * (volume.iops - GP3_IOPS).max(0.0)
            + self.usd_per_mb_per_s_month * (volume.mb_per_s - GP3_MB_PER_S).max(0.0);
        let charged_s = if volume.seconds > 0.0 { volume.seconds.max(VOLUME_MINIMUM_S) } else { 0.0 };
        usd(monthly * charged_s / MONTH_S)
    }
}

/// Prices of objects, USD.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ObjectRates {
    /// A gigabyte for a month.
    pub usd_per_gb_month: f64,
    /// A thousand PUT, COPY, POST or LIST requests; each part of a multipart upload is one.
    pub usd_per_1000_puts: f64,
    /// A thousand GET requests.
    pub usd_per_1000_gets: f64,
}

impl ObjectRates {
    /// What `gb` for `seconds` and so many requests cost.
    pub fn cost(&self, gb: f64, seconds: f64, puts: f64, gets: f64) -> Money {
        let stored = self.usd_per_gb_month * gb * seconds / MONTH_S;
        usd(stored + self.usd_per_1000_puts * puts / 1e3 + self.usd_per_1000_gets * gets / 1e3)
    }
}

/// What `gb` from one zone to another cost at `usd_per_gb`, which is charged at both ends.
pub fn between_zones(gb: f64, usd_per_gb: f64) -> Money {
    usd(2.0 * usd_per_gb * gb)
}

/// What `gb` out of a region cost at `usd_per_gb`; the way in is free.
pub fn between_regions(gb: f64, usd_per_gb: f64) -> Money {
    usd(usd_per_gb * gb)
}

/// Gigabytes that cross zones in `steps` ring all-reduces of `gb` among `nodes`, of whose links
/// `crossing` cross: each link carries `2(n−1)/n` of the bytes.
pub fn ring_gb_between_zones(nodes: f64, gb: f64, steps: f64, crossing: f64) -> f64 {
    2.0 * (nodes - 1.0) / nodes * gb * steps * crossing
}

/// The nearest whole nano-dollar.
fn usd(amount: f64) -> Money {
    Money::from_nusd((amount * 1e9).round() as i64)
}
