//! Amounts of data.

use super::{UnitError, split_number};
use std::fmt;
use std::str::FromStr;

/// Whole bytes. `GB` is 10^9 and `GiB` is 2^30 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub struct Bytes(u64);

const UNITS: [(&str, u64); 9] = [
    ("TiB", 1 << 40),
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("TB", 1_000_000_000_000),
    ("GB", 1_000_000_000),
    ("MB", 1_000_000),
    ("kB", 1_000),
    ("B", 1),
];

impl Bytes {
    /// From whole bytes.
    pub const fn new(bytes: u64) -> Self {
        Self(bytes)
    }

    /// Whole bytes.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// As a number to calculate with.
    pub fn as_f64(self) -> f64 {
        self.0 as f64
    }
}

impl FromStr for Bytes {
    type Err = UnitError;

    /// Accepts `"346 MB"`, `"80 GiB"`, `"1GB"`.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let help = || "write \"346 MB\" (10^6 bytes) or \"80 GiB\" (2^30 bytes)".to_owned();
        let (number, unit) =
            split_number(text).ok_or_else(|| UnitError::new("is not an amount of data", help()))?;
        if unit.is_empty() {
            return Err(UnitError::new("needs a unit", help()));
        }
        let per_unit = UNITS.iter().find(|(name, _)| *name == unit || (unit == "KB" && *name == "kB"));
        let (_, per_unit) = per_unit.ok_or_else(|| {
            UnitError::new(
                format!("has the unknown unit `{unit}`"),
                "units of data are B, kB, MB, GB, TB, KiB, MiB, GiB, TiB",
            )
        })?;
        let bytes = number.times(u128::from(*per_unit)).and_then(|b| u64::try_from(b).ok());
        bytes.map(Self).ok_or_else(|| UnitError::new("is negative or too large", help()))
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let exact = UNITS.iter().find(|(_, unit)| self.0 >= *unit && self.0.is_multiple_of(*unit));
        let (name, unit) = exact.unwrap_or(&("B", 1));
        write!(f, "{} {name}", self.0 / unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_and_binary_units_differ() {
        assert_eq!("1GB".parse(), Ok(Bytes(1_000_000_000)));
        assert_eq!("1 GiB".parse(), Ok(Bytes(1_073_741_824)));
        assert_eq!("1.5 kB".parse(), Ok(Bytes(1_500)));
        for text in ["1", "1 gb", "1 Gb", "-1 B", "GB", "1e30 GB"] {
            assert!(text.parse::<Bytes>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn printing_reads_back() {
        for bytes in [0, 1, 1_000, 1_024, 345_600_001, 80 << 30] {
            assert_eq!(Bytes(bytes).to_string().parse(), Ok(Bytes(bytes)));
        }
    }
}
