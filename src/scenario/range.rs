//! Ranges of accepted values, as Rust checks them and as messages say them.

use std::fmt::Display;
use std::ops::{Bound, RangeBounds};

/// All that exceeds `low`, which Rust has no short way to write.
pub fn above<T>(low: T) -> (Bound<T>, Bound<T>) {
    (Bound::Excluded(low), Bound::Unbounded)
}

/// A range in words, with a space before them: " above 0", " from 1 to 64"; nothing if all is allowed.
/// `from` is how a start without an end is said.
pub(super) fn described<T: Display>(range: &impl RangeBounds<T>, from: &str) -> String {
    use Bound::{Excluded, Included, Unbounded};
    match (range.start_bound(), range.end_bound()) {
        (Unbounded, Unbounded) => String::new(),
        (Included(low), Unbounded) => format!("{from} {low}"),
        (Excluded(low), Unbounded) => format!(" above {low}"),
        (Unbounded, Included(high)) => format!(" at most {high}"),
        (Unbounded, Excluded(high)) => format!(" below {high}"),
        (Included(low), Included(high)) => format!(" from {low} to {high}"),
        (Included(low), Excluded(high)) => format!(" from {low} to below {high}"),
        (Excluded(low), Included(high)) => format!(" above {low} and at most {high}"),
        (Excluded(low), Excluded(high)) => format!(" above {low} and below {high}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_said_as_it_is_checked() {
        assert_eq!(described::<f64>(&(..), " from"), "");
        assert_eq!(described(&(1..=64), " from"), " from 1 to 64");
        assert_eq!(described(&(0..), " at least"), " at least 0");
        assert_eq!(described(&above(0.5), " from"), " above 0.5");
        assert_eq!(described(&(0.0..1.0), " from"), " from 0 to below 1");
        assert_eq!(described(&(..=9), " from"), " at most 9");
        assert_eq!(described(&(Bound::Excluded(0), Bound::Included(1)), " from"), " above 0 and at most 1");
    }
}
