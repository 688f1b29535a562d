//! What recorded prices are like.

use crate::records::{Label, Prices};
use crate::units::{Price, Span, Timestamp};

/// What the price in one zone is like.
#[derive(Debug, Clone, PartialEq)]
pub struct PriceStats {
    /// Where, and of what.
    pub label: Label,
    /// When it is first known.
    pub start: Timestamp,
    /// Until when it is looked at: the last change of any series of the recording.
    pub end: Timestamp,
    /// Its first record.
    pub first: Price,
    /// The least.
    pub min: Price,
    /// The most.
    pub max: Price,
    /// Weighted by time, dollars an hour; of one record that price.
    pub mean_usd_per_h: f64,
    /// Records at which it changed.
    pub changes: u64,
    /// The longest time without a change.
    pub steadiest: Span,
    /// Share of the time from the first record of any series on in which it is known.
    pub coverage: Option<f64>,
}

/// Of each series that has a record, in their order. A record holds until the next, and the last until the
/// last record of any series.
pub fn price_stats(series: &[Prices]) -> Vec<PriceStats> {
    let all = || series.iter().flat_map(|one| one.changes.iter().map(|change| change.0));
    let (Some(first), Some(end)) = (all().min(), all().max()) else { return Vec::new() };
    series.iter().filter_map(|one| of_one(one, first, end)).collect()
}

fn of_one(prices: &Prices, begin: Timestamp, end: Timestamp) -> Option<PriceStats> {
    let (start, first) = *prices.changes.first()?;
    let ends = prices.changes.iter().skip(1).map(|change| change.0).chain([end]);
    let (mut total, mut weighted, mut steadiest, mut last) = (0.0, 0.0, Span::ZERO, start);
    let mut before = first;
    let mut changes = 0;
    for (&(from, price), to) in prices.changes.iter().zip(ends) {
        if price != before {
            (changes, before, last) = (changes + 1, price, from);
        }
        let span = to.since(from).unwrap_or(Span::ZERO);
        total += span.as_hours();
        weighted += span.as_hours() * price.as_usd_per_hour();
        steadiest = steadiest.max(to.since(last).unwrap_or(Span::ZERO));
    }
    let values = || prices.changes.iter().map(|change| change.1);
    let whole = end.since(begin).map_or(0.0, Span::as_hours);
    Some(PriceStats {
        label: prices.label.clone(),
        start,
        end,
        first,
        min: values().min().unwrap_or(first),
        max: values().max().unwrap_or(first),
        mean_usd_per_h: if total > 0.0 { weighted / total } else { first.as_usd_per_hour() },
        changes,
        steadiest,
        coverage: (whole > 0.0).then(|| total / whole),
    })
}
