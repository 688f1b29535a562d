//! A price that changes as it was recorded.

use crate::units::{Price, SimTime, Span};
use std::sync::Arc;

/// A zone's price: right-continuous steps, so a change at `t` holds from `t` on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceHistory {
    changes: Arc<[(SimTime, Price)]>,
    clock: Clock,
}

/// From when the times of a history count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Clock {
    /// From submit.
    #[default]
    Submit,
    /// From the first sample of the capacity trace: a replication that begins somewhere in the trace begins
    /// there in the history too.
    Trace {
        /// How long the trace is, if it begins anew at its end; so does the history then.
        lap: Option<Span>,
    },
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
    /// change must be at submit. What changes nothing is dropped.
    pub fn new(changes: Vec<(SimTime, Price)>) -> Result<Self, HistoryError> {
        if changes.first().is_none_or(|(at, _)| *at != SimTime::ZERO) {
            return Err(HistoryError::NoBeginning);
        }
        if changes.windows(2).any(|pair| pair[0].0 >= pair[1].0) {
            return Err(HistoryError::Disorder);
        }
        let mut changes = changes;
        changes.dedup_by_key(|(_, price)| *price);
        Ok(Self { changes: changes.into(), clock: Clock::Submit })
    }

    /// The same steps by another clock. A lap of nothing is none.
    pub fn by(self, clock: Clock) -> Self {
        let clock = match clock {
            Clock::Trace { lap: Some(Span::ZERO) } => Clock::Trace { lap: None },
            clock => clock,
        };
        Self { clock, ..self }
    }

    /// The price at `t` since submit, and when it may change next, in a replication that begins `began_at`
    /// into the capacity trace.
    pub fn at(&self, t: SimTime, began_at: Span) -> (Price, SimTime) {
        let (on_clock, lap) = match self.clock {
            Clock::Submit => (t, None),
            Clock::Trace { lap } => (t + began_at, lap),
        };
        let in_lap = lap.map_or(on_clock, |lap| SimTime::from_ns(on_clock.ns() % lap.ns()));
        let next = self.changes.partition_point(|(at, _)| *at <= in_lap);
        let price = self.changes[next - 1].1;
        let changes_at = self.changes.get(next).map_or(SimTime::NEVER, |(at, _)| *at);
        let ends_at = lap.map_or(SimTime::NEVER, |lap| SimTime::ZERO + lap);
        match changes_at.min(ends_at) {
            SimTime::NEVER => (price, SimTime::NEVER),
            next => (price, t + next.since(in_lap)),
        }
    }

    /// The first price that it has.
    pub fn first(&self) -> Price {
        self.changes[0].1
    }

    /// The highest price that it ever has.
    pub fn highest(&self) -> Price {
        self.changes.iter().map(|(_, price)| *price).max().unwrap_or(Price::ZERO)
    }

    /// The lowest price that it ever has.
    pub fn lowest(&self) -> Price {
        self.changes.iter().map(|(_, price)| *price).min().unwrap_or(Price::ZERO)
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

    fn one_then_two() -> PriceHistory {
        PriceHistory::new(vec![(at(0), usd("1 USD/h")), (at(10), usd("2 USD/h"))]).unwrap()
    }

    #[test]
    fn a_change_holds_from_its_instant_on() {
        let history = one_then_two();
        assert_eq!(history.at(SimTime::from_ns(9_999_999_999), Span::ZERO), (usd("1 USD/h"), at(10)));
        assert_eq!(history.at(at(10), Span::ZERO), (usd("2 USD/h"), SimTime::NEVER));
    }

    #[test]
    fn a_history_begins_at_submit_and_goes_forward() {
        let one = (at(1), usd("1 USD/h"));
        assert_eq!(PriceHistory::new(vec![one]), Err(HistoryError::NoBeginning));
        let zero = (at(0), usd("1 USD/h"));
        assert_eq!(PriceHistory::new(vec![zero, zero]), Err(HistoryError::Disorder));
    }

    #[test]
    fn what_changes_nothing_is_no_change() {
        let same = vec![(at(0), usd("1 USD/h")), (at(5), usd("1 USD/h")), (at(10), usd("2 USD/h"))];
        assert_eq!(PriceHistory::new(same), Ok(one_then_two()));
    }

    /// A trace of 15 s that begins anew; the replication begins 8 s into it. So 2 s after submit the price
    /// is 2, 7 s after it 1 again, and 17 s after it 2.
    #[test]
    fn a_history_by_the_clock_of_a_trace_begins_and_wraps_with_it() {
        let history = one_then_two().by(Clock::Trace { lap: Some(Span::from_s(15)) });
        let price = |t| history.at(at(t), Span::from_s(8));
        assert_eq!(price(0), (usd("1 USD/h"), at(2)));
        assert_eq!(price(2), (usd("2 USD/h"), at(7)));
        assert_eq!(price(7), (usd("1 USD/h"), at(17)));
        assert_eq!(price(18), (usd("2 USD/h"), at(22)));
        let once = one_then_two().by(Clock::Trace { lap: None });
        assert_eq!(once.at(at(2), Span::from_s(8)), (usd("2 USD/h"), SimTime::NEVER));
    }
}
