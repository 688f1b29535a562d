//! Prices of what is not rented by the hour: storage, requests, traffic.

use super::{Decimal, Money, UnitError, split_number};
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

/// What a price is for.
pub trait Per: Copy {
    /// As it is written: `GB-month`.
    const UNIT: &'static str;
    /// So many of what is counted are one of it.
    const WHOLE: u128;
}

/// A month as storage prices count it: 30 days, in ns. Source: Amazon EBS pricing, gp3 example.
const MONTH_NS: u128 = 30 * 86_400 * 1_000_000_000;
const GB: u128 = 1_000_000_000;

/// Declares what prices may be for.
macro_rules! per {
    ($($(#[$doc:meta])* $name:ident: $unit:literal, $whole:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name {}

        impl Per for $name {
            const UNIT: &'static str = $unit;
            const WHOLE: u128 = $whole;
        }
    )*};
}

per! {
    /// 10^9 bytes for 30 days; byte-nanoseconds are counted.
    GbMonth: "GB-month", GB * MONTH_NS;
    /// 10^9 bytes; bytes are counted.
    Gb: "GB", GB;
    /// A thousand requests; requests are counted.
    ThousandRequests: "1000 requests", 1_000;
    /// An I/O operation per second for 30 days; their nanoseconds are counted.
    IopsMonth: "IOPS-month", MONTH_NS;
    /// A megabyte per second for 30 days; their nanoseconds are counted.
    MbPerSMonth: "MB/s-month", MONTH_NS;
}

/// US dollars per `P`, exact to a nano-dollar, at most 100,000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnitPrice<P> {
    nusd: u64,
    per: PhantomData<P>,
}

/// Nano-dollars in a dollar.
const NANO: u128 = 1_000_000_000;
/// With this and the largest [`Per::WHOLE`] no product overflows.
const NUSD_MAX: u64 = 100_000 * 1_000_000_000;

impl<P: Per> UnitPrice<P> {
    /// From a decimal number of dollars; `None` if negative or above 100,000.
    pub fn from_usd(usd: Decimal) -> Option<Self> {
        let nusd = u64::try_from(usd.times(NANO)?).ok().filter(|nusd| *nusd <= NUSD_MAX)?;
        Some(Self { nusd, per: PhantomData })
    }

    /// Price × `amount`, in the unit that is counted, rounded once to whole nano-dollars, halves up. What
    /// is more than 9.2 billion dollars is that much.
    pub fn cost(self, amount: u128) -> Money {
        let (whole, rest, nusd) = (amount / P::WHOLE, amount % P::WHOLE, u128::from(self.nusd));
        let cost = whole.saturating_mul(nusd).saturating_add((rest * nusd + P::WHOLE / 2) / P::WHOLE);
        Money::from_nusd(i64::try_from(cost).unwrap_or(i64::MAX))
    }
}

impl<P: Per> FromStr for UnitPrice<P> {
    type Err = UnitError;

    /// Accepts `"0.023 USD/GB-month"`, `"$0.023/GB-month"`.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let trimmed = text.trim();
        let (sign, number_text) = trimmed.strip_prefix('$').map_or(("USD", trimmed), |rest| ("", rest));
        let help = || format!("write \"0.02 USD/{}\"", P::UNIT);
        let (number, unit) =
            split_number(number_text).ok_or_else(|| UnitError::new("is not a price", help()))?;
        let plain = |text: &str| text.replace([' ', ',', '_'], "");
        if plain(unit) != plain(&format!("{sign}/{}", P::UNIT)) {
            let problem = if unit.is_empty() { "needs a unit" } else { "has another unit" };
            return Err(UnitError::new(problem, help()));
        }
        Self::from_usd(number).ok_or_else(|| UnitError::new("is negative, or more than 100,000 USD", help()))
    }
}

impl<P: Per> fmt::Display for UnitPrice<P> {
    /// The exact decimal with its unit: `0.023 USD/GB-month`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = (u128::from(self.nusd) / NANO, u128::from(self.nusd) % NANO);
        let digits = format!("{part:09}");
        let decimals = digits.trim_end_matches('0');
        let dot = if decimals.is_empty() { "" } else { "." };
        write!(f, "{whole}{dot}{decimals} USD/{}", P::UNIT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn price<P: Per>(text: &str) -> UnitPrice<P> {
        text.parse().unwrap()
    }

    /// 10 GB for 30 days at 0.023 are 0.23 USD; 1.5 nano-dollars round up, once.
    #[test]
    fn an_amount_costs_price_times_amount_rounded_once() {
        let storage: UnitPrice<GbMonth> = price("0.023 USD/GB-month");
        assert_eq!(storage.cost(10 * GB * MONTH_NS).nusd(), 230_000_000);
        assert_eq!(storage.cost(0).nusd(), 0);
        let puts: UnitPrice<ThousandRequests> = price("0.005 USD/1000 requests");
        assert_eq!(puts.cost(13_000).nusd(), 65_000_000);
        let moved: UnitPrice<Gb> = price("0.000000001 USD/GB");
        assert_eq!(moved.cost(1_499_999_999).nusd(), 1);
        assert_eq!(moved.cost(1_500_000_000).nusd(), 2);
        assert_eq!(price::<Gb>("100000 USD/GB").cost(u128::MAX).nusd(), i64::MAX);
    }

    #[test]
    fn a_price_names_what_it_is_for() {
        assert_eq!(price::<GbMonth>("$0.023/GB-month"), price("0.023 USD / GB-month"));
        assert_eq!(
            price::<ThousandRequests>("0.0004 USD/1,000 requests").to_string(),
            "0.0004 USD/1000 requests"
        );
        assert_eq!(price::<Gb>("2 USD/GB").to_string(), "2 USD/GB");
        for text in ["0.023", "0.023 USD/GB", "0.023 USD/h", "-1 USD/GB-month", "1e6 USD/GB-month", ""] {
            assert!(text.parse::<UnitPrice<GbMonth>>().is_err(), "{text:?}");
        }
    }
}
