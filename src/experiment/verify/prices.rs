//! Prices of recorded traces.

use super::rows;
use super::shipped::{self, Find};
use crate::records::{self, Content, How};
use crate::units::{Span, Timestamp};
use serde::Deserialize;

/// Constant prices, USD an hour.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
pub struct Pair {
    /// Spot.
    #[serde(rename = "spot_usd_per_h", alias = "price")]
    pub spot: f64,
    /// On-Demand.
    #[serde(rename = "on_demand_usd_per_h", alias = "on_demand_price")]
    pub on_demand: f64,
}

/// Prices that a trace names for itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Own {
    /// Constants.
    pub pair: Option<Pair>,
    /// Spot by tick of the trace, USD an hour, up to the last change; empty without.
    by_tick: Vec<f64>,
}

impl Own {
    /// Whether Spot's price changes.
    pub fn changes(&self) -> bool {
        self.by_tick.windows(2).any(|pair| pair[0] != pair[1])
    }

    /// Spot in a tick of the trace; the last price goes on after its end.
    pub fn at(&self, tick: u64) -> Option<f64> {
        let found = usize::try_from(tick).ok().and_then(|tick| self.by_tick.get(tick));
        found.or(self.by_tick.last()).copied()
    }
}

/// Explained in the file.
const PAIRS: &str = include_str!("../../../data/verify/trace_prices.csv");
/// Prices of the set [`PRICED_SET`].
const PRICES: &str = include_str!("../../../data/traces/aws-2023-02-15-v100-prices.csv");
const PRICED_SET: &str = "aws-2023-02-15-v100";

#[derive(Deserialize)]
struct NamedPair {
    trace: String,
    #[serde(flatten)]
    pair: Pair,
}

/// What a series of sky_spot says of its prices.
#[derive(Deserialize)]
struct Series {
    metadata: Metadata,
    #[serde(default)]
    prices: Vec<f64>,
}

#[derive(Deserialize)]
struct Metadata {
    price_info: Option<Pair>,
}

/// The constant prices of a shipped trace, or those called `flat`.
pub fn shipped_pair(name: &str) -> Option<Pair> {
    let rows: Vec<NamedPair> = rows::read(PAIRS).ok()?;
    rows.into_iter().find(|row| row.trace == name).map(|row| row.pair)
}

/// The prices of the trace `SET/ZONE`, `@gang` left aside, in ticks of `tick`.
pub fn own(name: &str, tick: Span, beside: Find<'_>) -> Result<Own, String> {
    let name = name.split_once("@gang").map_or(name, |(name, _)| name);
    let (set, zone) = name.split_once('/').ok_or("a trace is named SET/ZONE")?;
    let text = shipped::text(set, zone, beside)?;
    if text.trim_start().starts_with('{') {
        let series: Series = serde_json::from_str(&text).map_err(|error| format!("the trace: {error}"))?;
        return Ok(Own { pair: series.metadata.price_info, by_tick: series.prices });
    }
    let by_tick = if set == PRICED_SET { shipped_by_tick(zone, tick)? } else { Vec::new() };
    Ok(Own { pair: shipped_pair(name), by_tick })
}

/// The shipped prices of a zone, that of the begin of each tick.
fn shipped_by_tick(zone: &str, tick: Span) -> Result<Vec<f64>, String> {
    let recording = records::prices::read(PRICES, &How::default()).map_err(|error| error.to_string())?;
    let Content::Prices(all) = &recording.content else { return Ok(Vec::new()) };
    let Some(prices) = all.iter().find(|prices| prices.label.zone == zone) else { return Ok(Vec::new()) };
    let Some((start, _)) = prices.changes.first() else { return Ok(Vec::new()) };
    let tick_of = |at: Timestamp| at.since(*start).map_or(0, |since| since.ns().div_ceil(tick.ns()));
    let mut by_tick = Vec::new();
    for ((_, price), (end, _)) in prices.changes.iter().zip(prices.changes.iter().skip(1)) {
        by_tick.resize(usize::try_from(tick_of(*end)).unwrap_or(0), price.as_usd_per_hour());
    }
    by_tick.extend(prices.changes.last().map(|(_, price)| price.as_usd_per_hour()));
    Ok(by_tick)
}
