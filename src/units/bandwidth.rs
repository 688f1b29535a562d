//! Bytes per second.

use super::{Bytes, Span, UnitError, split_number};
use std::fmt;
use std::str::FromStr;

/// Bytes per second, above 0 and finite. Read from bits or bytes: `"25 Gbit/s"` is 3.125 × 10^9.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Bandwidth(f64);

const PREFIXES: [(&str, f64); 8] = [
    ("Ki", 1024.0),
    ("Mi", 1_048_576.0),
    ("Gi", 1_073_741_824.0),
    ("Ti", 1_099_511_627_776.0),
    ("k", 1e3),
    ("M", 1e6),
    ("G", 1e9),
    ("T", 1e12),
];

impl Bandwidth {
    /// From bytes per second; `None` unless above 0 and finite.
    pub fn from_bytes_per_s(rate: f64) -> Option<Self> {
        (rate > 0.0 && rate.is_finite()).then_some(Self(rate))
    }

    /// Bytes per second.
    pub const fn bytes_per_s(self) -> f64 {
        self.0
    }

    /// Time for `bytes` at this rate, in seconds.
    pub fn secs_for(self, bytes: Bytes) -> f64 {
        bytes.as_f64() / self.0
    }

    /// Time for `bytes` at this rate, rounded to whole nanoseconds.
    pub fn time_for(self, bytes: Bytes) -> Span {
        Span::from_secs_saturating(self.secs_for(bytes))
    }
}

impl FromStr for Bandwidth {
    type Err = UnitError;

    /// Accepts `"25 Gbit/s"`, `"25 Gbps"`, `"3.125 GB/s"`, `"25 GBps"`, `"25 Gib/s"`. A lower-case
    /// `gb/s` could mean either and is refused.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let help = |n: &str| format!("write \"{n} Gbit/s\" for bits or \"{n} GB/s\" for bytes, per second");
        let (number, unit) =
            split_number(text).ok_or_else(|| UnitError::new("is not a bandwidth", help("25")))?;
        let digits = text.trim().trim_end_matches(unit).trim();
        if unit.is_empty() {
            return Err(UnitError::new("needs a unit", help(digits)));
        }
        let unknown = || {
            let problem = if unit.to_lowercase().starts_with("gb") || unit.to_lowercase().starts_with("mb") {
                format!("has the ambiguous unit `{unit}`: bits or bytes?")
            } else {
                format!("has the unknown unit `{unit}`")
            };
            UnitError::new(problem, help(digits))
        };
        let stem = unit.strip_suffix("/s").or_else(|| unit.strip_suffix("ps")).ok_or_else(unknown)?;
        let (prefix, base) = PREFIXES
            .iter()
            .find_map(|(p, factor)| stem.strip_prefix(p).map(|base| (*factor, base)))
            .unwrap_or((1.0, stem));
        let per_byte = match (base, unit.ends_with("ps")) {
            ("B", _) => 1.0,
            ("bit", false) | ("b", true) => 8.0,
            // `Gib/s` is bits by the standard's letters; `Gb/s` is written for both, so it is refused.
            ("b", false) if stem.len() == 3 => 8.0,
            _ => return Err(unknown()),
        };
        Self::from_bytes_per_s(number.to_f64() * prefix / per_byte)
            .ok_or_else(|| UnitError::new("must be above 0", help("25")))
    }
}

impl fmt::Display for Bandwidth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, unit) = [("GB/s", 1e9), ("MB/s", 1e6), ("kB/s", 1e3)]
            .into_iter()
            .find(|(_, unit)| self.0 >= *unit)
            .unwrap_or(("B/s", 1.0));
        write!(f, "{} {name}", self.0 / unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The project's case 18: ring all-reduce of 1 GB among 8 ranks takes 1.75 GB / B.
    #[test]
    fn bits_and_bytes_differ_by_eight() {
        for (text, gb, ring_s) in [
            ("25 Gbps", 3.125, 0.560),
            ("25 Gbit/s", 3.125, 0.560),
            ("3.125 GB/s", 3.125, 0.560),
            ("25 GB/s", 25.0, 0.070),
            ("25 GBps", 25.0, 0.070),
            ("25 Gib/s", 3.355_443_2, 0.5215),
        ] {
            let rate: Bandwidth = text.parse().unwrap();
            assert!((rate.bytes_per_s() / 1e9 - gb).abs() < 1e-9, "{text}");
            assert!((1.75e9 / rate.bytes_per_s() - ring_s).abs() < 1e-3, "{text}");
        }
        let gib: Bytes = "1 GiB".parse().unwrap();
        assert!(("25 Gbps".parse::<Bandwidth>().unwrap().secs_for(gib) * 1.75 - 0.6013).abs() < 1e-4);
    }

    #[test]
    fn what_could_mean_two_things_is_refused() {
        for text in
            ["25", "25 gb/s", "25 Gb/s", "25 gbps", "25 G", "25 mbit/s", "0 GB/s", "-1 GB/s", "25 GB", "fast"]
        {
            assert!(text.parse::<Bandwidth>().is_err(), "{text:?}");
        }
    }
}
