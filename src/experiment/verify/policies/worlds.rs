//! Recorded traces tick by tick, with their prices.

use super::super::shipped::{self, Find};
use crate::records::{self, Capacity, Content, How, Stretch};
use crate::units::Span;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::rc::Rc;

/// A trace cut into ticks.
#[derive(Debug)]
pub struct World {
    /// Whether Spot can be had, by tick of the trace.
    pub spot: Vec<bool>,
    /// The tick at which that is not so any more, by tick.
    until: Vec<u64>,
    /// Its own prices by tick, USD an hour; empty where it has none.
    pub prices: Vec<f64>,
    /// The constant prices that it names for itself.
    pub pair: Option<Pair>,
}

/// Constant prices, USD an hour.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct Pair {
    /// Spot.
    #[serde(rename = "spot_usd_per_h", alias = "price")]
    pub spot: f64,
    /// On-Demand.
    #[serde(rename = "on_demand_usd_per_h", alias = "on_demand_price")]
    pub on_demand: f64,
}

/// Explained in the file.
const PAIRS: &str = include_str!("../../../../data/verify/trace_prices.csv");
/// Prices of the set `aws-2023-02-15-v100`.
const PRICES: &str = include_str!("../../../../data/traces/aws-2023-02-15-v100-prices.csv");
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

/// Traces by name, each read once.
pub struct Worlds<'a> {
    beside: Find<'a>,
    read: BTreeMap<(String, u64), Result<Rc<World>, String>>,
}

impl<'a> Worlds<'a> {
    /// None read yet; `beside` finds those that are not shipped.
    pub fn new(beside: Find<'a>) -> Self {
        Self { beside, read: BTreeMap::new() }
    }

    /// The trace `SET/ZONE` or `SET/ZONE@gangN` in ticks of `gap_s` seconds.
    pub fn of(&mut self, name: &str, gap_s: f64) -> Result<Rc<World>, String> {
        match self.read.entry((name.to_owned(), gap_s.to_bits())) {
            Entry::Occupied(known) => known.get().clone(),
            Entry::Vacant(place) => place.insert(world(name, gap_s, self.beside).map(Rc::new)).clone(),
        }
    }
}

fn world(name: &str, gap_s: f64, beside: Find<'_>) -> Result<World, String> {
    let (set, zone) = name.split_once('/').ok_or("a trace is named SET/ZONE")?;
    let (zone, gang) = match zone.split_once("@gang") {
        None => (zone, None),
        Some((zone, gang)) => (zone, Some(gang.parse::<u32>().map_err(|_| "a gang is a number of nodes")?)),
    };
    let text = shipped::text(set, zone, beside).ok_or("no trace of that name")?;
    let recording = shipped::recording(&text, gang.is_some())?;
    let Content::Capacity(series) = &recording.content else { return Err("not a series of capacity".into()) };
    let series = series.first().ok_or("an empty trace")?;
    if gap_s <= 0.0 || !gap_s.is_finite() {
        return Err("a tick is longer than nothing".into());
    }
    let gap = Span::from_secs_saturating(gap_s);
    let least = gang.unwrap_or(1);
    let spot = by_tick(series.stretches.iter().map(|stretch| (stretch.span, up(stretch, least))), gap);
    let own: Option<Series> =
        text.trim_start().starts_with('{').then(|| serde_json::from_str(&text).ok()).flatten();
    let (prices, pair) = match own {
        Some(series) => (series.prices, series.metadata.price_info),
        None => (shipped_prices(set, zone, series, gap), shipped_pair(&format!("{set}/{zone}"))),
    };
    Ok(World { until: untils(&spot), spot, prices, pair })
}

impl World {
    /// Whether Spot can be had `tick` ticks after that of `offset`, and the first such tick after it in which that may
    /// differ. After the end of the trace it cannot.
    #[inline]
    pub fn from(&self, offset: usize, tick: u64) -> (bool, u64) {
        let found = usize::try_from(tick).ok().and_then(|tick| tick.checked_add(offset));
        match found.and_then(|index| Some((*self.spot.get(index)?, *self.until.get(index)?))) {
            Some((spot, until)) => (spot, until - offset as u64),
            None => (false, u64::MAX),
        }
    }
}

impl World {
    /// So many ticks from that of `offset` on, as runs with and without Spot.
    pub fn window(&self, offset: usize, ticks: u64) -> Vec<(u64, bool)> {
        let (mut at, mut runs) = (0, Vec::new());
        while at < ticks {
            let (spot, until) = self.from(offset, at);
            let end = until.min(ticks);
            runs.push((end - at, spot));
            at = end;
        }
        runs
    }
}

fn untils(spot: &[bool]) -> Vec<u64> {
    let mut until = spot.len() as u64;
    let mut untils = vec![until; spot.len()];
    for index in (1..spot.len()).rev() {
        untils[index] = until;
        if spot[index] != spot[index - 1] {
            until = index as u64;
        }
    }
    if let Some(first) = untils.first_mut() {
        *first = until;
    }
    untils
}

fn up(stretch: &Stretch, least: u32) -> bool {
    stretch.nodes.is_some_and(|nodes| nodes >= least)
}

/// What holds at the begin of each tick.
fn by_tick<T: Copy>(stretches: impl Iterator<Item = (Span, T)>, gap: Span) -> Vec<T> {
    let (mut end, mut ticks) = (Span::ZERO, Vec::new());
    for (span, value) in stretches {
        end += span;
        let until = usize::try_from(end.ns().div_ceil(gap.ns())).unwrap_or(usize::MAX);
        ticks.resize(until, value);
    }
    ticks
}

/// The constant prices of a shipped trace, or those called `flat`.
pub fn shipped_pair(name: &str) -> Option<Pair> {
    let rows: Vec<NamedPair> = super::super::rows::read(PAIRS).ok()?;
    rows.into_iter().find(|row| row.trace == name).map(|row| row.pair)
}

fn shipped_prices(set: &str, zone: &str, series: &Capacity, gap: Span) -> Vec<f64> {
    if set != PRICED_SET {
        return Vec::new();
    }
    let Ok(recording) = records::prices::read(PRICES, &How::default()) else { return Vec::new() };
    let Content::Prices(all) = &recording.content else { return Vec::new() };
    let Some(prices) = all.iter().find(|prices| prices.label.zone == zone) else { return Vec::new() };
    let end = series.start + series.length();
    let ends = prices.changes.iter().skip(1).map(|(at, _)| *at).chain([end]);
    let spans = prices.changes.iter().zip(ends);
    let stretches = spans.filter_map(|((at, price), end)| Some((end.since(*at)?, price.as_usd_per_hour())));
    by_tick(stretches, gap)
}
