//! Amounts of training work.

use super::{UnitError, split_number};
use std::fmt;
use std::str::FromStr;

/// How much is to be trained, in a unit that the job resolves to whole steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// Training samples, over all ranks.
    Samples(u64),
    /// Optimizer steps of the whole gang.
    Steps(u64),
    /// Passes over a data set, in millionths: `"20 epochs"` is 20,000,000.
    MicroEpochs(u64),
}

impl FromStr for Amount {
    type Err = UnitError;

    /// Accepts `"20 M samples"`, `"500 k steps"`, `"20 epochs"`; `k`, `M`, `G` or none.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let help = "write \"20 M samples\", \"500 k steps\" or \"20 epochs\", or { ideal_time = \"48 h\" }";
        let (number, unit) =
            split_number(text).ok_or_else(|| UnitError::new("is not an amount of work", help))?;
        let (factor, name) = match unit.split_once(' ') {
            Some(("k", name)) => (1_000, name.trim_start()),
            Some(("M", name)) => (1_000_000, name.trim_start()),
            Some(("G" | "B", name)) => (1_000_000_000, name.trim_start()),
            _ => (1, unit),
        };
        let count = |per_unit: u128| {
            let n = number.times(factor * per_unit).and_then(|n| u64::try_from(n).ok());
            n.filter(|&n| n > 0).ok_or_else(|| UnitError::new("must be above 0 and fit 64 bits", help))
        };
        match name {
            "samples" | "sample" => count(1).map(Self::Samples),
            "steps" | "step" => count(1).map(Self::Steps),
            "epochs" | "epoch" => count(1_000_000).map(Self::MicroEpochs),
            "" => Err(UnitError::new("needs a unit", help)),
            _ => Err(UnitError::new(format!("has the unknown unit `{name}`"), help)),
        }
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Samples(n) => write!(f, "{} samples", thousands(n)),
            Self::Steps(n) => write!(f, "{} steps", thousands(n)),
            Self::MicroEpochs(n) => write!(f, "{} epochs", n as f64 / 1e6),
        }
    }
}

/// `20000000` as `20 M`, `256000` as `256 k`, `1234` as it is.
fn thousands(n: u64) -> String {
    match n {
        n if n.is_multiple_of(1_000_000) && n > 0 => format!("{} M", n / 1_000_000),
        n if n.is_multiple_of(1_000) && n > 0 => format!("{} k", n / 1_000),
        n => n.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_read_with_its_unit() {
        assert_eq!("20 M samples".parse(), Ok(Amount::Samples(20_000_000)));
        assert_eq!("500 k steps".parse(), Ok(Amount::Steps(500_000)));
        assert_eq!("1.5 epochs".parse(), Ok(Amount::MicroEpochs(1_500_000)));
        assert_eq!("36000 steps".parse(), Ok(Amount::Steps(36_000)));
        for text in ["20 M", "20", "-3 steps", "0 steps", "steps", "3 miles"] {
            assert!(text.parse::<Amount>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn printing_reads_back() {
        for amount in [Amount::Samples(20_000_000), Amount::Steps(1_234), Amount::MicroEpochs(1_500_000)] {
            assert_eq!(amount.to_string().parse(), Ok(amount));
        }
    }
}
