//! All-reduces that were measured on one fabric.

use crate::units::{Bandwidth, Bytes};
use serde::{Deserialize, Serialize};

/// A fabric as `spotsim calibrate network` writes it to a file: `MeasuredFabric` as TOML. It holds for this many
/// nodes and GPUs; two nodes overstate what more get.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasuredFabric {
    /// Name of the GPUs; empty: the measurement does not say.
    pub device: String,
    /// `"cuda"`: what was measured ran on GPUs through the vendor's library.
    pub class: String,
    /// What carried the bytes: `"NCCL 2.11.4"`.
    pub library: String,
    /// When it was measured, or read from the benchmark's text: `"2026-12-02"`.
    pub date: String,
    /// Nodes.
    pub nodes: u32,
    /// GPUs that take part, on each node.
    pub gpus_per_node: u32,
    /// Largest bus bandwidth of any size, 10^9 bytes per second.
    pub bus_bandwidth_gb_per_s: f64,
    /// A straight line through all times.
    pub fit: MeasuredLine,
    /// A row for each measurement, in rising order of bytes.
    #[serde(rename = "size")]
    pub sizes: Vec<MeasuredSize>,
}

/// `time = latency + 2(n−1)/n × bytes / bus bandwidth`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasuredLine {
    /// Time of no bytes, microseconds.
    pub latency_us: f64,
    /// Bus bandwidth of endlessly many bytes, 10^9 bytes per second.
    pub bus_bandwidth_gb_per_s: f64,
    /// Root mean square of (line − measured) / measured.
    pub spread: f64,
    /// The largest of |line − measured| / measured.
    pub spread_max: f64,
}

/// `[[size]]`: one size.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasuredSize {
    /// Bytes reduced, the same on every rank.
    pub bytes: u64,
    /// With a receive buffer of its own, microseconds.
    pub out_of_place_us: Option<f64>,
    /// Into the buffer that was sent, microseconds.
    pub in_place_us: Option<f64>,
}

/// Why a file of a measured fabric is refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MeasuredError {
    /// Not the keys and tables that such a file has; the text says where.
    #[error("{0}")]
    Form(#[from] toml::de::Error),
    /// No time at all.
    #[error("no [[size]] has a time")]
    NoTime,
    /// A size that takes no time, or none that is a number.
    #[error("{bytes} bytes in {time_us} µs: the time must be above 0")]
    Time {
        /// The size.
        bytes: u64,
        /// Its time.
        time_us: f64,
    },
}

/// Bus bandwidth of an all-reduce of `ranks` over its algorithm bandwidth (bytes over time): 2(n−1)/n, what each
/// rank of a ring sends of each byte. Source: nccl-tests `doc/PERFORMANCE.md`.
pub fn bus_factor(ranks: u32) -> f64 {
    let n = f64::from(ranks);
    2.0 * (n - 1.0) / n
}

impl MeasuredFabric {
    /// Reads a file of this kind.
    pub fn from_toml(text: &str) -> Result<Self, MeasuredError> {
        let mut fabric: Self = toml::from_str(text)?;
        for size in &fabric.sizes {
            for time_us in [size.out_of_place_us, size.in_place_us].into_iter().flatten() {
                if !(time_us.is_finite() && time_us > 0.0) {
                    return Err(MeasuredError::Time { bytes: size.bytes, time_us });
                }
            }
        }
        if !fabric.sizes.iter().any(|size| size.bytes > 0 && size.mean_us().is_some()) {
            return Err(MeasuredError::NoTime);
        }
        fabric.sizes.sort_by_key(|size| size.bytes);
        Ok(fabric)
    }

    /// Ranks that took part.
    pub const fn ranks(&self) -> u32 {
        self.nodes * self.gpus_per_node
    }

    /// Bus bandwidth of `bytes` in `seconds`, 10^9 bytes per second.
    pub fn bus_gb_per_s(&self, bytes: u64, seconds: f64) -> f64 {
        bus_factor(self.ranks()) * bytes as f64 / seconds / 1e9
    }

    /// Seconds that `bytes` take at `bandwidth` on the bus, as if there were no latency.
    pub fn secs_at(&self, bandwidth: Bandwidth, bytes: Bytes) -> f64 {
        bus_factor(self.ranks()) * bandwidth.secs_for(bytes)
    }

    /// Seconds that `bytes` take by the measured sizes around them, on a straight line between the two; `None`
    /// below the smallest size and above the largest.
    pub fn secs_between_sizes(&self, bytes: Bytes) -> Option<f64> {
        let times: Vec<_> = self.times().collect();
        let wanted = bytes.as_f64();
        if let Some((_, seconds)) = times.iter().find(|(size, _)| *size == wanted) {
            return Some(*seconds);
        }
        let pair = times.windows(2).find(|pair| pair[0].0 < wanted && wanted < pair[1].0)?;
        let share = (wanted - pair[0].0) / (pair[1].0 - pair[0].0);
        Some(pair[0].1 + share * (pair[1].1 - pair[0].1))
    }

    /// Seconds that `bytes` take, as measured or between two measured sizes. Beyond them an upper bound: less than the
    /// smallest takes as long as that, more than the largest goes no faster. Infinite if nothing was measured.
    pub fn secs(&self, bytes: Bytes) -> f64 {
        self.secs_between_sizes(bytes).unwrap_or_else(|| {
            let smallest = self.times().next().filter(|(size, _)| bytes.as_f64() < *size);
            let largest = self.times().last().map(|(size, seconds)| seconds * bytes.as_f64() / size);
            smallest.map(|(_, seconds)| seconds).or(largest).unwrap_or(f64::INFINITY)
        })
    }

    /// Bytes above 0 and mean seconds of each size that was measured.
    fn times(&self) -> impl Iterator<Item = (f64, f64)> {
        let measured = self.sizes.iter().filter(|size| size.bytes > 0);
        measured.filter_map(|size| Some((size.bytes as f64, size.mean_us()? / 1e6)))
    }
}

impl MeasuredSize {
    /// Mean of the two ways, microseconds; `None` if neither was measured.
    pub fn mean_us(&self) -> Option<f64> {
        match (self.out_of_place_us, self.in_place_us) {
            (Some(out), Some(own)) => Some(f64::midpoint(out, own)),
            (one, other) => one.or(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_sizes() -> MeasuredFabric {
        let size = |bytes, us| MeasuredSize { bytes, out_of_place_us: Some(us), in_place_us: Some(us + 2.0) };
        MeasuredFabric {
            device: "Tesla V100-SXM2-32GB".into(),
            class: "cuda".into(),
            library: "NCCL 2.11.4".into(),
            date: "2026-12-02".into(),
            nodes: 4,
            gpus_per_node: 8,
            bus_bandwidth_gb_per_s: 53.62,
            fit: MeasuredLine { latency_us: 1.0, bus_bandwidth_gb_per_s: 2.0, spread: 0.1, spread_max: 0.2 },
            sizes: vec![size(1_000, 99.0), size(3_000, 199.0)],
        }
    }

    /// Case 12: 2 × 31/32 × 0.4 GB / 53.62 GB/s = 14.45 ms.
    #[test]
    fn a_bandwidth_gives_the_time_of_a_ring() {
        let seconds = two_sizes().secs_at("53.62 GB/s".parse().unwrap(), Bytes::new(400_000_000));
        assert!((seconds * 1e3 - 14.453).abs() < 1e-3, "{seconds}");
    }

    /// Means 100 µs and 200 µs: half way 150 µs.
    #[test]
    fn between_two_sizes_lies_a_straight_line() {
        let seconds = |bytes| two_sizes().secs_between_sizes(Bytes::new(bytes));
        assert!((seconds(2_000).unwrap() - 150e-6).abs() < 1e-12);
        assert_eq!(seconds(3_000), Some(200e-6));
        assert_eq!((seconds(999), seconds(3_001)), (None, None));
    }

    /// 1 kB took 100 µs; 3 kB took 200 µs, so 6 kB at that rate take 400 µs.
    #[test]
    fn beyond_the_sizes_time_is_bounded_by_the_nearest() {
        for (bytes, us) in [(0, 100.0), (1, 100.0), (999, 100.0), (2_000, 150.0), (6_000, 400.0)] {
            let seconds = two_sizes().secs(Bytes::new(bytes));
            assert!((seconds * 1e6 - us).abs() < 1e-9, "{bytes} B: {seconds}");
        }
    }

    #[test]
    fn a_file_without_times_is_refused() {
        let read = |change: &dyn Fn(&mut MeasuredFabric)| {
            let mut fabric = two_sizes();
            change(&mut fabric);
            MeasuredFabric::from_toml(&toml::to_string(&fabric).unwrap())
        };
        let nothing = read(&|fabric| fabric.sizes.clear());
        assert_eq!(nothing, Err(MeasuredError::NoTime));
        let negative = read(&|fabric| fabric.sizes[1].in_place_us = Some(-1.0));
        assert_eq!(negative, Err(MeasuredError::Time { bytes: 3_000, time_us: -1.0 }));
    }

    #[test]
    fn a_file_reads_back() {
        let fabric = two_sizes();
        assert_eq!(MeasuredFabric::from_toml(&toml::to_string(&fabric).unwrap()), Ok(fabric));
    }
}
