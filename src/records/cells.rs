//! What cells say: numbers and times.

use super::How;
use super::rows::Row;
use crate::units::{Decimal, Timestamp, UtcOffset};
use std::str::from_utf8;

/// The unit of times that are plain numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeUnit {
    /// Milliseconds.
    Milliseconds,
    /// Seconds.
    Seconds,
    /// Hours.
    Hours,
}

impl TimeUnit {
    /// All, as they are written.
    pub const ALL: [(&'static str, Self); 3] =
        [("ms", Self::Milliseconds), ("s", Self::Seconds), ("h", Self::Hours)];

    /// Its nanoseconds.
    pub const fn ns(self) -> u64 {
        match self {
            Self::Milliseconds => 1_000_000,
            Self::Seconds => 1_000_000_000,
            Self::Hours => 3_600_000_000_000,
        }
    }
}

/// What a column of times holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Times {
    /// Numbers in a unit, since the recording began or since 1970.
    Numbers(TimeUnit),
    /// Points of civil time; a number is refused.
    Civil,
}

/// Numbers from here on are times since 1970 (later than March 1973), below they count from the recording's
/// own begin (up to three years).
pub const SINCE_1970_NS: i64 = 100_000_000_000 * 1_000_000;

/// A text for a message: not endless.
pub fn shown(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A name on one line: what a table can hold.
pub fn plain(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A whole number from 0; up to 18 digits.
pub fn whole(bytes: &[u8]) -> Option<u64> {
    if bytes.is_empty() || bytes.len() > 18 {
        return None;
    }
    bytes
        .iter()
        .try_fold(0, |number: u64, byte| byte.is_ascii_digit().then(|| number * 10 + u64::from(byte - b'0')))
}

/// A count of nodes; an empty cell means that nobody looked.
pub fn count(row: Row<'_>, index: usize, name: &str) -> Result<Option<u32>, String> {
    let bytes = row.bytes(index);
    if bytes.is_empty() {
        return Ok(None);
    }
    let number = whole(bytes).and_then(|number| u32::try_from(number).ok());
    number.map(Some).ok_or_else(|| {
        format!("`{name}` must be a whole number of nodes from 0, found `{}`", shown(&row.text(index)))
    })
}

impl Times {
    /// The time in a cell.
    pub fn read(self, row: Row<'_>, index: usize, how: &How) -> Result<Timestamp, String> {
        match self {
            Self::Numbers(unit) => number(row.bytes(index), unit).ok_or_else(|| {
                let found = shown(&row.text(index));
                format!("the time must be a number from 0, found `{found}`")
            }),
            Self::Civil => civil(&row.text(index), how.local),
        }
    }
}

/// A number of units since the recording began, or since 1970.
fn number(bytes: &[u8], unit: TimeUnit) -> Option<Timestamp> {
    let ns = match whole(bytes) {
        Some(number) => i64::try_from(u128::from(number) * u128::from(unit.ns())).ok(),
        None => {
            let decimal: Decimal = from_utf8(bytes).ok()?.parse().ok()?;
            i64::try_from(decimal.times(unit.ns().into())?).ok()
        }
    };
    ns.filter(|&ns| ns >= 0).map(Timestamp::from_unix_ns)
}

/// A point of civil time; without a zone, in `local`.
pub fn civil(text: &str, local: Option<UtcOffset>) -> Result<Timestamp, String> {
    Timestamp::parse(text, local)
        .map_err(|error| format!("the time `{}` {}: {}", shown(text), error.problem, error.help))
}

/// Whether a cell is a number without a sign.
pub fn is_number(bytes: &[u8]) -> bool {
    whole(bytes).is_some() || from_utf8(bytes).is_ok_and(|text| text.parse::<Decimal>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_exact_in_every_unit() {
        let ns = |text: &str, unit| number(text.as_bytes(), unit).map(Timestamp::unix_ns);
        assert_eq!(ns("3600000", TimeUnit::Milliseconds), Some(3_600_000_000_000));
        assert_eq!(ns("0.030", TimeUnit::Hours), Some(108_000_000_000));
        assert_eq!(ns("88.695", TimeUnit::Hours), Some(319_302_000_000_000));
        for text in ["", "-1", "x", "99999999999999999999", "1e30", "nan"] {
            assert_eq!(ns(text, TimeUnit::Hours), None, "{text}");
        }
    }
}
