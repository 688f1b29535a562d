//! Rules of what is billed beside instances: disks, objects, traffic.

use crate::units::{Bytes, Gb, GbMonth, IopsMonth, MbPerSMonth, Money, Span, UnitPrice};

/// A volume that exists at all is billed for at least this long. Source: Amazon EBS pricing.
const VOLUME_MINIMUM: Span = Span::from_s(60);
/// What a gp3 volume performs without surcharge. Source: Amazon EBS pricing.
const GP3_IOPS: u64 = 3_000;
const GP3_MB_PER_S: u64 = 125;

/// Prices of gp3 volumes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VolumeRates {
    /// A gigabyte for a month.
    pub storage: UnitPrice<GbMonth>,
    /// An I/O operation per second above 3,000 for a month.
    pub iops: UnitPrice<IopsMonth>,
    /// A megabyte per second above 125 for a month.
    pub throughput: UnitPrice<MbPerSMonth>,
}

/// A gp3 volume and how long it exists, attached to a running node or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Volume {
    /// Its size.
    pub size: Bytes,
    /// I/O operations per second.
    pub iops: u64,
    /// Throughput, MB/s.
    pub mb_per_s: u64,
    /// Existence.
    pub span: Span,
}

impl VolumeRates {
    /// What such a volume costs: a line each for its size, its operations and its throughput.
    pub fn lines(&self, volume: &Volume) -> [Money; 3] {
        let ns = u128::from(volume_billed(volume.span).ns());
        let above = |performance: u64, free: u64| u128::from(performance.saturating_sub(free)) * ns;
        [
            self.storage.cost(u128::from(volume.size.get()) * ns),
            self.iops.cost(above(volume.iops, GP3_IOPS)),
            self.throughput.cost(above(volume.mb_per_s, GP3_MB_PER_S)),
        ]
    }
}

/// How long a volume that exists for `span` is billed: at least a minute, one that never was not at all.
pub fn volume_billed(span: Span) -> Span {
    if span.is_zero() { span } else { span.max(VOLUME_MINIMUM) }
}

/// Requests that write one object of `size` in parts of `part`, and the `calls` that begin and end an
/// upload in parts. A smaller object is one request; one of more than `parts_max` parts takes larger ones.
pub fn upload_requests(size: Bytes, part: Bytes, parts_max: u64, calls: u64) -> u64 {
    let parts = parts(size, part, parts_max);
    if size < part { parts } else { parts + calls }
}

/// Requests that read one object of `size`: a range each.
pub fn parts(size: Bytes, part: Bytes, parts_max: u64) -> u64 {
    let mut part = part.get();
    while size.get().div_ceil(part) > parts_max {
        part *= 2;
    }
    size.get().div_ceil(part).max(1)
}

/// What `bytes` from one zone to another cost at `price`, which is charged at both ends.
pub fn between_zones(bytes: u128, price: UnitPrice<Gb>) -> Money {
    price.cost(bytes.saturating_mul(2))
}

/// Bytes that cross zones in `steps` ring all-reduces of `bytes` among `nodes`, of whose links
/// `crossing` cross: each link carries `2(n−1)/n` of the bytes. `None` without nodes, and beyond 2^128.
pub fn ring_bytes_between_zones(nodes: u64, bytes: Bytes, steps: u64, crossing: u64) -> Option<u128> {
    let mut over = 2 * u128::from(nodes.checked_sub(1)?);
    for factor in [bytes.get(), steps, crossing] {
        over = over.checked_mul(u128::from(factor))?;
    }
    Some(over.checked_add(u128::from(nodes) / 2)? / u128::from(nodes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &str) -> Bytes {
        text.parse().unwrap()
    }

    /// 1.04 GB are 123.98 parts of 8 MiB. 100 GB would be 11,921; with parts of 16 MiB they are 5,961.
    #[test]
    fn an_object_is_cut_into_parts() {
        let check = |size: &str, puts: u64, gets: u64| {
            let part = bytes("8 MiB");
            assert_eq!(upload_requests(bytes(size), part, 10_000, 2), puts, "{size}");
            assert_eq!(parts(bytes(size), part, 10_000), gets, "{size}");
        };
        check("1.04 GB", 126, 124);
        check("1 B", 1, 1);
        check("8388607 B", 1, 1);
        check("8 MiB", 3, 1);
        check("8388609 B", 4, 2);
        check("100 GB", 5_963, 5_961);
    }

    #[test]
    fn a_volume_is_billed_for_a_minute_at_least() {
        let check = |span: u64, billed: u64| {
            assert_eq!(volume_billed(Span::from_s(span)), Span::from_s(billed));
        };
        check(0, 0);
        check(1, 60);
        check(61, 61);
    }
}
