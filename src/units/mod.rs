//! Quantities: time, money, price, bytes, bandwidth and work, each a type of its own.
//!
//! Time is whole nanoseconds and money whole nano-dollars, so that sums are exact. Every quantity is
//! read from text with its unit (`"15 min"`, `"25 Gbit/s"`, `"3.06 USD/h"`) in exact decimal
//! arithmetic, rounded once, halves up; a bare number is refused with spellings that would work.

mod bandwidth;
mod bytes;
mod decimal;
mod money;
mod span;
mod timestamp;
mod unit_price;
mod work;

pub use bandwidth::Bandwidth;
pub use bytes::Bytes;
pub use decimal::Decimal;
pub use money::{Money, Price};
pub use span::{SimTime, Span};
pub use timestamp::{Timestamp, UtcOffset};
pub use unit_price::{Gb, GbMonth, IopsMonth, MbPerSMonth, Per, ThousandRequests, UnitPrice};
pub use work::Amount;

/// Why a text is not a quantity.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct UnitError {
    /// What is wrong, without the text itself: "needs a unit".
    pub problem: String,
    /// Spellings that would work, for the help line: `write "15 s", "15 min" or "15 h"`.
    pub help: String,
}

impl UnitError {
    fn new(problem: impl Into<String>, help: impl Into<String>) -> Self {
        Self { problem: problem.into(), help: help.into() }
    }
}

/// Splits `"25 Gbit/s"` into its number and its unit.
fn split_number(text: &str) -> Option<(Decimal, &str)> {
    let text = text.trim();
    let end = text
        .char_indices()
        .find(|&(i, c)| !(c.is_ascii_digit() || c == '.' || c == '_' || (i == 0 && (c == '-' || c == '+'))))
        .map_or(text.len(), |(i, _)| i);
    // An exponent belongs to the number only where a digit or a sign follows ("1e9 B", not "1 eur").
    let rest = &text[end..];
    let exponent = rest
        .strip_prefix(['e', 'E'])
        .map(|r| r.strip_prefix(['+', '-']).unwrap_or(r))
        .map_or(0, |r| r.len() - r.trim_start_matches(|c: char| c.is_ascii_digit()).len());
    let end = if exponent > 0 {
        end + rest.len() - rest[1..].trim_start_matches(['+', '-']).len() + exponent
    } else {
        end
    };
    let number = text[..end].parse().ok()?;
    Some((number, text[end..].trim_start()))
}
