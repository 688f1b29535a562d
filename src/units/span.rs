//! Simulated time in whole nanoseconds.

use super::{Decimal, UnitError, split_number};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::{Add, AddAssign, Sub};
use std::str::FromStr;

/// A length of simulated time, whole nanoseconds. [`Span::MAX`] (584 years) means "never ends";
/// sums saturate there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash, Serialize, Deserialize)]
pub struct Span(u64);

/// A point of simulated time: nanoseconds since the job was submitted. [`SimTime::NEVER`] is later
/// than any other; sums saturate there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub struct SimTime(u64);

const NS: u64 = 1_000_000_000;
/// Unit names and their nanoseconds, longest first; the first name of each length is the one printed.
const UNITS: [(&[&str], u64); 8] = [
    (&["w", "week", "weeks"], 7 * 86_400 * NS),
    (&["d", "day", "days"], 86_400 * NS),
    (&["h", "hr", "hour", "hours"], 3_600 * NS),
    (&["min", "m", "minute", "minutes"], 60 * NS),
    (&["s", "sec", "second", "seconds"], NS),
    (&["ms", "millisecond", "milliseconds"], 1_000_000),
    (&["us", "µs", "μs", "microsecond", "microseconds"], 1_000),
    (&["ns", "nanosecond", "nanoseconds"], 1),
];

/// Apart, or both casts would be made each time.
#[cold]
fn large(ns: f64) -> u64 {
    ns as u64
}

impl Span {
    /// No time.
    pub const ZERO: Self = Self(0);
    /// Never ends.
    pub const MAX: Self = Self(u64::MAX);

    /// From whole nanoseconds.
    pub const fn from_ns(ns: u64) -> Self {
        Self(ns)
    }

    /// From whole seconds; saturates.
    pub const fn from_s(s: u64) -> Self {
        Self(s.saturating_mul(NS))
    }

    /// From seconds, rounded to whole nanoseconds, halves up. Negative and NaN give zero, what is too
    /// long gives [`Span::MAX`].
    #[inline]
    pub fn from_secs_saturating(seconds: f64) -> Self {
        // A float-to-integer cast saturates and maps NaN to 0. Adding 0.5 above 2^52 could round away
        // from the value, but there the value is whole already. Below, a cast to a signed number is cheaper.
        let ns = seconds * 1e9;
        match ns < 4_503_599_627_370_496.0 {
            true => Self(((ns + 0.5) as i64).max(0) as u64),
            false => Self(large(ns)),
        }
    }

    /// Whole nanoseconds.
    pub const fn ns(self) -> u64 {
        self.0
    }

    /// Seconds, rounded to the nearest binary number.
    pub fn as_secs(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// Hours, rounded to the nearest binary number.
    pub fn as_hours(self) -> f64 {
        self.0 as f64 / 3.6e12
    }

    /// Whether it is no time at all.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// `self - other`, or zero where `other` is longer.
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// `n` times this length; saturates.
    pub const fn times(self, n: u64) -> Self {
        Self(self.0.saturating_mul(n))
    }
}

impl SimTime {
    /// When the job is submitted.
    pub const ZERO: Self = Self(0);
    /// Later than any other time.
    pub const NEVER: Self = Self(u64::MAX);

    /// From nanoseconds since submit.
    pub const fn from_ns(ns: u64) -> Self {
        Self(ns)
    }

    /// Nanoseconds since submit.
    pub const fn ns(self) -> u64 {
        self.0
    }

    /// Time since submit.
    pub const fn since_submit(self) -> Span {
        Span(self.0)
    }

    /// Time since `earlier`, which must not be later than `self`.
    #[inline]
    pub fn since(self, earlier: Self) -> Span {
        debug_assert!(earlier <= self, "time went back: {} ns after {} ns", self.0, earlier.0);
        Span(self.0.wrapping_sub(earlier.0))
    }
}

impl Add for Span {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Span {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Span {
    type Output = Self;
    /// The shorter from the longer only: the other way round is a mistake of ours.
    fn sub(self, other: Self) -> Self {
        debug_assert!(other <= self, "negative span: {} ns - {} ns", self.0, other.0);
        Self(self.0.wrapping_sub(other.0))
    }
}

impl std::iter::Sum for Span {
    fn sum<I: Iterator<Item = Self>>(spans: I) -> Self {
        spans.fold(Self::ZERO, Add::add)
    }
}

impl Add<Span> for SimTime {
    type Output = Self;
    fn add(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

/// What is accepted, for help lines.
fn spellings(number: &str) -> String {
    format!("write \"{number} s\", \"{number} min\" or \"{number} h\"")
}

impl FromStr for Span {
    type Err = UnitError;

    /// Accepts `"2 h"`, `"2h"`, `"1.5 min"`, `"1h30m"`; units from ns to weeks; `m` is minutes.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let mut rest = text.trim();
        let mut total = 0_u64;
        if rest.is_empty() {
            return Err(UnitError::new("is empty where a time belongs", spellings("15")));
        }
        while !rest.is_empty() {
            let (number, after) = split_number(rest).ok_or_else(|| not_a_time(text))?;
            if number.is_negative() {
                return Err(UnitError::new(
                    "is negative; a time must not be",
                    spellings(rest.trim_start_matches('-').trim_end_matches(|c: char| !c.is_ascii_digit())),
                ));
            }
            let name_end =
                after.find(|c: char| c.is_ascii_digit() || c.is_whitespace()).unwrap_or(after.len());
            let (name, tail) = after.split_at(name_end);
            if name.is_empty() {
                return Err(UnitError::new("needs a unit", spellings(rest.trim())));
            }
            let (_, unit_ns) = UNITS.iter().find(|(names, _)| names.contains(&name)).ok_or_else(|| {
                UnitError::new(
                    format!("has the unknown unit `{name}`"),
                    "units of time are ns, us, ms, s, min, h, d, w".to_owned(),
                )
            })?;
            let ns = number.times(u128::from(*unit_ns)).and_then(|ns| u64::try_from(ns).ok());
            let too_long = || {
                UnitError::new(
                    "is longer than 584 years",
                    "\"unlimited\" is a word where a limit may be absent",
                )
            };
            total = ns.and_then(|ns| total.checked_add(ns)).ok_or_else(too_long)?;
            rest = tail.trim_start();
        }
        Ok(Self(total))
    }
}

fn not_a_time(text: &str) -> UnitError {
    let digits: String = text.chars().filter(|c| c.is_ascii_digit() || *c == '.').collect();
    let example = if digits.parse::<Decimal>().is_ok() { digits } else { "15".to_owned() };
    UnitError::new("is not a time", spellings(&example))
}

impl fmt::Display for Span {
    /// The shortest exact text that [`Span::from_str`] reads back: `15 min`, `1.4 ms`, `0 s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0 {
            return f.write_str("0 s");
        }
        if *self == Self::MAX {
            return f.write_str("unlimited");
        }
        // Weeks are read, but days are clearer to print. From a second up a unit must divide the span,
        // down to plain seconds; below a second the largest unit takes decimals.
        let (names, unit) = UNITS
            .iter()
            .skip(1)
            .find(|(_, unit)| self.0 >= *unit && (*unit <= NS || self.0.is_multiple_of(*unit)))
            .expect("a span of at least 1 ns has a unit");
        let (whole, part) = (self.0 / unit, self.0 % unit);
        if part == 0 {
            return write!(f, "{whole} {}", names[0]);
        }
        let width = unit.ilog10() as usize;
        let digits = format!("{part:0width$}");
        write!(f, "{whole}.{} {}", digits.trim_end_matches('0'), names[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, ns: u64) {
        assert_eq!(text.parse::<Span>().map(Span::ns), Ok(ns), "{text:?}");
    }

    #[test]
    fn times_are_read_as_people_write_them() {
        for text in ["2h", "2 h", "120m", "120min", "7200s", "2hours", " 2 h ", "7_200 s"] {
            check(text, 7_200 * NS);
        }
        check("2.5h", 9_000 * NS);
        check("1h30m", 5_400 * NS);
        check("1.4 ms", 1_400_000);
        check("0.1 s", 100_000_000);
        check("1e3 s", 1_000 * NS);
        check("0.5 ns", 1);
    }

    #[test]
    fn bare_negative_and_odd_times_are_refused() {
        for text in ["2", "90", "-5m", "", "h", "5 parsecs", "5 M", "2 h 3", "1.5.2 s", "1e30 s"] {
            assert!(text.parse::<Span>().is_err(), "{text:?}");
        }
        assert_eq!("15".parse::<Span>().unwrap_err().help, "write \"15 s\", \"15 min\" or \"15 h\"");
    }

    #[test]
    fn printing_reads_back() {
        for text in
            ["15 min", "1.4 ms", "0 s", "90 s", "7 d", "48 h", "1.000000001 s", "3 ns", "2.5 us", "36 h"]
        {
            let span: Span = text.parse().unwrap();
            assert_eq!(span.to_string().parse::<Span>(), Ok(span), "{text}");
        }
        assert_eq!("900 s".parse::<Span>().unwrap().to_string(), "15 min");
        assert_eq!("1400 us".parse::<Span>().unwrap().to_string(), "1.4 ms");
        assert_eq!("5400.5 s".parse::<Span>().unwrap().to_string(), "5400.5 s");
    }

    #[test]
    fn seconds_round_half_up_and_saturate() {
        assert_eq!(Span::from_secs_saturating(1.5e-9).ns(), 2);
        assert_eq!(Span::from_secs_saturating(2.4e12), Span::MAX);
        assert_eq!(Span::from_secs_saturating(-1.0), Span::ZERO);
        assert_eq!(Span::from_secs_saturating(f64::NAN), Span::ZERO);
    }
}
