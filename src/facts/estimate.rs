//! A figure that is not known exactly.

use serde::Deserialize;

/// A figure with the range in which it is to be varied, in the unit that its key ends with.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Estimate {
    /// Used where nothing else is said.
    pub value: f64,
    /// The least that is likely.
    pub low: f64,
    /// The most that is likely.
    pub high: f64,
    /// When it was measured or made.
    pub date: String,
    /// How far to trust it; "assumed" where it is not measured.
    pub confidence: String,
    /// Where it comes from.
    pub source: String,
}
