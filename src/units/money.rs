//! Money in whole nano-dollars, and prices per hour.

use super::{Decimal, Span, UnitError, split_number};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::{Add, AddAssign};
use std::str::FromStr;

/// US dollars in whole nano-dollars. Overflow (9.2 billion dollars) is a panic, not a wrong bill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash, Serialize, Deserialize)]
pub struct Money(i64);

/// US dollars per instance-hour, exact to 10^-15 dollars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub struct Price(u64);

/// Femto-dollars an hour × nanoseconds, per nano-dollar: 10^6 × 3.6 × 10^12.
const PER_NANO_DOLLAR: u128 = 3_600_000_000_000_000_000;
/// 2^125 divided by that.
const INVERSE: u64 = ((1 << 125) / PER_NANO_DOLLAR) as u64;
/// `Price` units per dollar.
const FEMTO: u128 = 1_000_000_000_000_000;

impl Money {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// From whole nano-dollars.
    pub const fn from_nusd(nusd: i64) -> Self {
        Self(nusd)
    }

    /// Whole nano-dollars.
    pub const fn nusd(self) -> i64 {
        self.0
    }

    /// Dollars, rounded to the nearest binary number.
    pub fn as_usd(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// The sum, cut off where money ends.
    pub const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Add for Money {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self(self.0.checked_add(other.0).expect("a bill stays below 9.2 billion dollars"))
    }
}

impl AddAssign for Money {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl std::iter::Sum for Money {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Add::add)
    }
}

impl Price {
    /// Free of charge.
    pub const ZERO: Self = Self(0);

    /// The price of `span` at this price: the exact product, rounded once to whole nano-dollars,
    /// halves up. A cost that does not fit saturates at 9.2 billion dollars.
    #[inline]
    pub fn cost(self, span: Span) -> Money {
        let product = u128::from(self.0) * u128::from(span.ns()) + PER_NANO_DOLLAR / 2;
        // This runs once a ledger line, and a 128-bit division would cost ten times as much. What is cut off from
        // the product and from the inverse takes less than 2.7 from the quotient, so two comparisons put it right;
        // as numbers, since a branch would be taken every other time.
        let Ok(top) = u64::try_from(product >> 61) else { return Money(i64::MAX) };
        let least = ((u128::from(top) * u128::from(INVERSE)) >> 64) as u64;
        let rest = (product as u64).wrapping_sub(least.wrapping_mul(PER_NANO_DOLLAR as u64));
        let [once, twice] = [1, 2].map(|times| u64::from(u128::from(rest) >= times * PER_NANO_DOLLAR));
        Money(i64::try_from(least + once + twice).unwrap_or(i64::MAX))
    }

    /// The exact product with `span`, to compare by; its unit is of no meaning.
    pub fn times(self, span: Span) -> u128 {
        u128::from(self.0) * u128::from(span.ns())
    }

    /// This price less a discount (`0.6` is 60 % off), to 10^-15 dollars, halves up. `None` unless
    /// the discount is from 0 to 1.
    pub fn discounted(self, savings: f64) -> Option<Self> {
        let rest = Decimal::from_f64(savings)?.one_minus();
        let price = u64::try_from(rest.times(u128::from(self.0))?).ok()?;
        (price <= self.0).then_some(Self(price))
    }

    /// From a decimal number of dollars per hour; `None` if negative or above 18,446 USD/h.
    pub fn from_usd_per_hour(usd: Decimal) -> Option<Self> {
        u64::try_from(usd.times(FEMTO)?).ok().map(Self)
    }

    /// From whole millionths of a dollar per hour; saturates at 18,446 USD/h.
    pub const fn from_micro_usd_per_hour(micro_usd: u64) -> Self {
        Self(micro_usd.saturating_mul(1_000_000_000))
    }

    /// Dollars per hour, rounded to the nearest binary number.
    pub fn as_usd_per_hour(self) -> f64 {
        self.0 as f64 / FEMTO as f64
    }
}

impl FromStr for Price {
    type Err = UnitError;

    /// Accepts `"3.06 USD/h"`, `"$3.06/h"`, `"3.06 $/h"`.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let trimmed = text.trim();
        let (dollar, number_text) = match trimmed.strip_prefix('$') {
            Some(rest) => (true, rest),
            None => (false, trimmed),
        };
        let help = |n: &str| format!("write \"{n} USD/h\", dollars per instance-hour");
        let (number, unit) =
            split_number(number_text).ok_or_else(|| UnitError::new("is not a price", help("3.06")))?;
        let digits = number_text.trim_end_matches(unit).trim().trim_start_matches('-');
        let known = match unit.replace(' ', "").as_str() {
            "USD/h" | "$/h" | "USD/hour" | "$/hour" => !dollar,
            "/h" | "/hour" => dollar,
            _ => false,
        };
        if !known {
            let problem =
                if unit.is_empty() { "needs a unit" } else { "has no unit that is a price per hour" };
            return Err(UnitError::new(problem, help(digits)));
        }
        if number.is_negative() {
            return Err(UnitError::new("is negative; a price must not be", help(digits)));
        }
        Self::from_usd_per_hour(number)
            .ok_or_else(|| UnitError::new("is more than 18,446 USD/h", help("3.06")))
    }
}

impl fmt::Display for Price {
    /// The exact decimal with its unit: `1.515 USD/h`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = (u128::from(self.0) / FEMTO, u128::from(self.0) % FEMTO);
        if part == 0 {
            return write!(f, "{whole} USD/h");
        }
        let digits = format!("{part:015}");
        write!(f, "{whole}.{} USD/h", digits.trim_end_matches('0'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn price(text: &str) -> Price {
        text.parse().unwrap()
    }

    #[test]
    fn a_price_times_a_time_is_rounded_once_halves_up() {
        // 1 USD/h for 2 h; 1 USD/h for 11,400 s is 3.1666… USD.
        assert_eq!(price("1 USD/h").cost(Span::from_s(7_200)).nusd(), 2_000_000_000);
        assert_eq!(price("1 USD/h").cost(Span::from_s(11_400)).nusd(), 3_166_666_667);
        // 1.8 USD/h for 1 us is exactly half a nano-dollar.
        assert_eq!(price("1.8 USD/h").cost(Span::from_ns(1_000)).nusd(), 1);
        assert_eq!(price("1.8 USD/h").cost(Span::from_ns(999)).nusd(), 0);
    }

    #[test]
    fn cost_agrees_with_plain_integer_division() {
        let mut x = 1_u64;
        for _ in 0..20_000 {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (p, ns) = (Price(x >> (x % 60)), x.rotate_left(17) >> (x % 50));
            let exact = (u128::from(p.0) * u128::from(ns) + PER_NANO_DOLLAR / 2) / PER_NANO_DOLLAR;
            assert_eq!(p.cost(Span::from_ns(ns)).nusd() as u128, exact.min(i64::MAX as u128));
        }
        let longest = Span::from_ns(u64::MAX);
        assert_eq!(Price(u64::MAX).cost(longest).nusd(), i64::MAX);
    }

    #[test]
    fn discounts_are_exact() {
        assert_eq!(price("1.515 USD/h").discounted(0.62), Some(price("0.5757 USD/h")));
        assert_eq!(price("3 USD/h").discounted(1.5), None);
        assert_eq!(price("3 USD/h").discounted(-0.1), None);
    }

    #[test]
    fn prices_need_their_unit() {
        assert_eq!(price("$3.06/h"), price("3.06 USD/h"));
        assert_eq!(price("3.06 $/h").to_string(), "3.06 USD/h");
        for text in
            ["3.06", "$3.06", "3.06/h", "3.06 EUR/h", "-1 USD/h", "", "USD/h", "NaN USD/h", "1e9 USD/h"]
        {
            assert!(text.parse::<Price>().is_err(), "{text:?}");
        }
    }
}
