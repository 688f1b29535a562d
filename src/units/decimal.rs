//! Exact decimal numbers, as people write them.

use std::str::FromStr;

/// `mantissa × 10^-scale`, exact. Used while reading quantities, so that `"0.1 s"` is 100,000,000 ns
/// and not the nearest binary fraction of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decimal {
    mantissa: i128,
    scale: u32,
}

/// More digits than this cannot be meant.
const DIGITS_MAX: u32 = 30;

impl Decimal {
    /// The decimal that the shortest text of a binary number spells: `0.6_f64` is exactly 6/10 here.
    /// `None` for infinities, NaN and more digits than a person writes.
    pub fn from_f64(value: f64) -> Option<Self> {
        if !value.is_finite() {
            return None;
        }
        format!("{value}").parse().ok()
    }

    /// The decimal one minus this one.
    pub fn one_minus(self) -> Self {
        Self { mantissa: 10_i128.pow(self.scale) - self.mantissa, scale: self.scale }
    }

    /// Whether it is below zero.
    pub fn is_negative(self) -> bool {
        self.mantissa < 0
    }

    /// `self × per_unit`, rounded once to a whole number, halves up. `None` when it does not fit.
    pub fn times(self, per_unit: u128) -> Option<i128> {
        let product = self.mantissa.checked_mul(i128::try_from(per_unit).ok()?)?;
        let divisor = 10_i128.checked_pow(self.scale)?;
        Some((product.checked_add(divisor / 2)?).div_euclid(divisor))
    }

    /// The nearest binary number.
    pub fn to_f64(self) -> f64 {
        // Reading the exact text back rounds once; dividing would round twice.
        format!("{}e-{}", self.mantissa, self.scale).parse().expect("an integer with an exponent is a number")
    }
}

impl FromStr for Decimal {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (number, exponent) = match text.find(['e', 'E']) {
            Some(at) => (&text[..at], text[at + 1..].parse::<i32>().map_err(|_| ())?),
            None => (text, 0),
        };
        let (negative, digits) = match number.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, number.strip_prefix('+').unwrap_or(number)),
        };
        let (mut mantissa, mut scale, mut seen, mut count, mut dot) = (0_i128, 0_i32, false, 0, false);
        for c in digits.chars() {
            match c {
                '0'..='9' => {
                    seen = true;
                    count += u32::from(mantissa != 0 || c != '0');
                    if count > DIGITS_MAX {
                        return Err(());
                    }
                    mantissa = mantissa * 10 + i128::from(c as u8 - b'0');
                    scale += i32::from(dot);
                }
                '.' if !dot => dot = true,
                '_' if seen => {}
                _ => return Err(()),
            }
        }
        if !seen {
            return Err(());
        }
        // Beyond this nothing is left of any mantissa, and none fits.
        let mut scale = if exponent.unsigned_abs() <= 100 { scale - exponent } else { return Err(()) };
        while scale < 0 {
            mantissa = mantissa.checked_mul(10).ok_or(())?;
            scale += 1;
        }
        let scale = u32::try_from(scale).map_err(|_| ())?;
        if scale > DIGITS_MAX {
            return Err(());
        }
        Ok(Self { mantissa: if negative { -mantissa } else { mantissa }, scale })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenth_is_exact() {
        assert_eq!("0.1".parse::<Decimal>().unwrap().times(1_000_000_000), Some(100_000_000));
        assert_eq!(Decimal::from_f64(0.6).unwrap().one_minus().times(10), Some(4));
    }

    #[test]
    fn halves_round_up() {
        assert_eq!("2.5".parse::<Decimal>().unwrap().times(1), Some(3));
        assert_eq!("2.4999".parse::<Decimal>().unwrap().times(1), Some(2));
        assert_eq!("1e3".parse::<Decimal>().unwrap().times(1), Some(1000));
        assert_eq!("1.5e-2".parse::<Decimal>().unwrap().times(1000), Some(15));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in
            ["", ".", "-", "1..2", "_1", "1e", "0x10", "1,5", "nan", "1e99", "1e-2147483648", "0e2147483647"]
        {
            assert!(text.parse::<Decimal>().is_err(), "{text:?}");
        }
    }
}
