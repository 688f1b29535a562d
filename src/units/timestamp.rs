//! Points of civil time: when something was recorded.

use super::{Span, UnitError};
use jiff::SignedDuration;
use jiff::civil::DateTime;
use jiff::tz::Offset;
use std::fmt;
use std::ops::Add;
use std::str::FromStr;

/// A point of civil time, whole nanoseconds since 1970-01-01T00:00:00Z: 1677 to 2262. Prints as RFC 3339 in
/// UTC, with as many digits of a second as it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

/// How far local time is ahead of UTC: `+02:00`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UtcOffset(Offset);

/// One second in nanoseconds.
const NS: i64 = 1_000_000_000;

impl Timestamp {
    /// 1970-01-01T00:00:00Z.
    pub const EPOCH: Self = Self(0);

    /// From nanoseconds since 1970.
    pub const fn from_unix_ns(ns: i64) -> Self {
        Self(ns)
    }

    /// Nanoseconds since 1970.
    pub const fn unix_ns(self) -> i64 {
        self.0
    }

    /// Reads RFC 3339 (`2026-03-02T01:00:00Z`, `2026-03-02 01:00:00.250+01:00`), seconds since 1970 (10
    /// digits) or milliseconds (13 digits). A time without a zone is read in `local`; without that it is
    /// refused, as the zone of the machine that reads says nothing about the one that wrote.
    pub fn parse(text: &str, local: Option<UtcOffset>) -> Result<Self, UnitError> {
        let text = text.trim();
        if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
            let number = text.parse::<i64>().ok();
            let ns = number.and_then(|number| match text.len() {
                10 => number.checked_mul(NS),
                13 => number.checked_mul(1_000_000),
                _ => None,
            });
            return ns.map(Self).ok_or_else(|| {
                UnitError::new("is no time since 1970", "10 digits are seconds, 13 are milliseconds")
            });
        }
        if let Ok(timestamp) = text.parse::<jiff::Timestamp>() {
            return Self::from_jiff(timestamp);
        }
        let help = "write it as 2026-03-02T01:00:00Z or 2026-03-02T01:00:00+01:00";
        let Ok(civil) = text.parse::<DateTime>() else { return Err(UnitError::new("is no time", help)) };
        let Some(UtcOffset(offset)) = local else {
            return Err(UnitError::new("has no zone", help));
        };
        offset
            .to_timestamp(civil)
            .map_err(|_| UnitError::new("is out of range", help))
            .and_then(Self::from_jiff)
    }

    fn from_jiff(timestamp: jiff::Timestamp) -> Result<Self, UnitError> {
        let ns = i64::try_from(timestamp.as_nanosecond());
        ns.map(Self).map_err(|_| UnitError::new("is out of range", "times from 1678 to 2261 can be told"))
    }

    /// Time since `earlier`; `None` where that is later.
    pub fn since(self, earlier: Self) -> Option<Span> {
        let ns = i128::from(self.0) - i128::from(earlier.0);
        u64::try_from(ns).ok().map(Span::from_ns)
    }

    /// `span` later; `None` beyond what can be told.
    pub fn checked_add(self, span: Span) -> Option<Self> {
        i64::try_from(i128::from(self.0) + i128::from(span.ns())).ok().map(Self)
    }

    /// Hour of the day in UTC, 0 to 23.
    pub fn hour_utc(self) -> u8 {
        (self.0.rem_euclid(86_400 * NS) / (3_600 * NS)) as u8
    }

    /// Day of the week in UTC, 0 is Monday. The first of January 1970 was a Thursday.
    pub fn weekday_utc(self) -> u8 {
        (self.0.div_euclid(86_400 * NS) + 3).rem_euclid(7) as u8
    }
}

impl Add<Span> for Timestamp {
    type Output = Self;
    /// Saturates at the end of what can be told.
    fn add(self, span: Span) -> Self {
        self.checked_add(span).unwrap_or(Self(i64::MAX))
    }
}

impl FromStr for Timestamp {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        Self::parse(text, None)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let timestamp = jiff::Timestamp::from_duration(SignedDuration::from_nanos(self.0));
        // 1677 to 2262 lies within what jiff can tell.
        timestamp.map_err(|_| fmt::Error)?.fmt(f)
    }
}

impl UtcOffset {
    /// UTC itself.
    pub const UTC: Self = Self(Offset::UTC);
}

impl FromStr for UtcOffset {
    type Err = UnitError;
    /// `Z`, `+02:00`, `-07:00`.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let error = || UnitError::new("is no offset from UTC", "write \"Z\", \"+02:00\" or \"-07:00\"");
        if text == "Z" {
            return Ok(Self::UTC);
        }
        let (sign, rest) = match text.split_at_checked(1) {
            Some(("+", rest)) => (1, rest),
            Some(("-", rest)) => (-1, rest),
            _ => return Err(error()),
        };
        let (hours, minutes) = rest.split_once(':').ok_or_else(error)?;
        let number = |digits: &str, most: i32| {
            let fits = digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
            digits.parse::<i32>().ok().filter(|&number| fits && number <= most).ok_or_else(error)
        };
        let seconds = sign * (3_600 * number(hours, 23)? + 60 * number(minutes, 59)?);
        Offset::from_seconds(seconds).map(Self).map_err(|_| error())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Right values: `date -u -d … +%s`.
    #[test]
    fn times_are_read_in_every_spelling() {
        let unix_ms = |text: &str| text.parse::<Timestamp>().unwrap().unix_ns() / 1_000_000;
        assert_eq!(unix_ms("1970-01-01T00:00:00Z"), 0);
        assert_eq!(unix_ms("2000-02-29T12:00:00Z"), 951_825_600_000);
        assert_eq!(unix_ms("2026-03-29T03:00:10+02:00"), 1_774_746_010_000);
        assert_eq!(unix_ms("2026-03-29 06:00:00.250Z"), 1_774_764_000_250);
        assert_eq!(unix_ms("1774753200000"), 1_774_753_200_000);
        assert_eq!(unix_ms("1774756800"), 1_774_756_800_000);
    }

    #[test]
    fn a_time_without_a_zone_needs_one() {
        let text = "2026-03-29 03:10:00";
        assert_eq!(text.parse::<Timestamp>().unwrap_err().problem, "has no zone");
        let local = "+02:00".parse().unwrap();
        assert_eq!(Timestamp::parse(text, Some(local)).unwrap().to_string(), "2026-03-29T01:10:00Z");
        for text in
            ["", "banana", "2023-13-01T00:00:00Z", "12345", "99999999999999999999", "9999-01-01T00:00:00Z"]
        {
            assert!(text.parse::<Timestamp>().is_err(), "{text}");
        }
    }

    #[test]
    fn times_print_as_they_are_read() {
        for text in ["2023-02-15T22:08:16Z", "2026-03-29T06:00:00.25Z", "1969-12-31T23:59:59.999999999Z"] {
            assert_eq!(text.parse::<Timestamp>().unwrap().to_string(), text);
        }
    }

    /// The whole range is 584 years, more than an `i64` of nanoseconds holds.
    #[test]
    fn sums_reach_from_end_to_end_of_what_can_be_told() {
        let (first, last) = (Timestamp::from_unix_ns(i64::MIN), Timestamp::from_unix_ns(i64::MAX));
        assert_eq!(last.since(first), Some(Span::MAX));
        assert_eq!(first.checked_add(Span::MAX), Some(last));
        assert_eq!(last.checked_add(Span::from_ns(1)), None);
    }

    /// 2026-12-02 is a Wednesday.
    #[test]
    fn hours_and_weekdays_are_of_utc() {
        let time: Timestamp = "2026-12-02T01:30:00+02:00".parse().unwrap();
        assert_eq!((time.hour_utc(), time.weekday_utc()), (23, 1));
    }

    #[test]
    fn offsets_are_written_as_in_rfc_3339() {
        for text in ["", "2", "+2:00", "+25:00", "02:00", "+02:60", "+02:0x"] {
            assert!(text.parse::<UtcOffset>().is_err(), "{text}");
        }
    }
}
