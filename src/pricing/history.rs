//! A price that changes.

use crate::units::{Price, SimTime};
use std::sync::Arc;

/// A zone's price from submit on: right-continuous steps, so a change at `t` holds from `t` on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceHistory {
    changes: Arc<[(SimTime, Price)]>,
}

/// Why changes are no history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HistoryError {
    /// No price at all, or none at submit.
    #[error("the price at submit is not known")]
    NoBeginning,
    /// Two changes at one instant, or a step back.
    #[error("price changes must be in order of time, no two at one instant")]
    Disorder,
}

impl PriceHistory {
    /// A price that is the first one's from submit until the second's instant, and so on. The first
    /// change must be at submit.
    pub fn new(changes: Vec<(SimTime, Price)>) -> Result<Self, HistoryError> {
        if changes.first().is_none_or(|(at, _)| *at != SimTime::ZERO) {
            return Err(HistoryError::NoBeginning);
        }
        if changes.windows(2).any(|pair| pair[0].0 >= pair[1].0) {
            return Err(HistoryError::Disorder);
        }
        Ok(Self { changes: changes.into() })
    }

    /// The price at `t`, and when it changes next.
    pub fn at(&self, t: SimTime) -> (Price, SimTime) {
        let next = self.changes.partition_point(|(at, _)| *at <= t);
        (self.changes[next - 1].1, self.changes.get(next).map_or(SimTime::NEVER, |(at, _)| *at))
    }

    /// The highest price that it ever has.
    pub fn highest(&self) -> Price {
        self.changes.iter().map(|(_, price)| *price).max().unwrap_or(Price::ZERO)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> SimTime {
        SimTime::from_ns(seconds * 1_000_000_000)
    }

    fn usd(text: &str) -> Price {
        text.parse().unwrap()
    }

    #[test]
    fn a_change_holds_from_its_instant_on() {
        let history = PriceHistory::new(vec![(at(0), usd("1 USD/h")), (at(10), usd("2 USD/h"))]).unwrap();
        assert_eq!(history.at(SimTime::from_ns(9_999_999_999)), (usd("1 USD/h"), at(10)));
        assert_eq!(history.at(at(10)), (usd("2 USD/h"), SimTime::NEVER));
    }

    #[test]
    fn a_history_begins_at_submit_and_goes_forward() {
        let one = (at(1), usd("1 USD/h"));
        assert_eq!(PriceHistory::new(vec![one]), Err(HistoryError::NoBeginning));
        let zero = (at(0), usd("1 USD/h"));
        assert_eq!(PriceHistory::new(vec![zero, zero]), Err(HistoryError::Disorder));
    }
}
