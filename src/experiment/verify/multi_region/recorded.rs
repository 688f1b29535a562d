//! Zones as they were recorded: capacity by ticks, and prices.

use super::super::shipped::SHIPPED;
use super::super::{Find, rows};
use crate::records::{self, Content, How, OneMeans};
use crate::sim::regions::Region;
use crate::units::{Span, Timestamp};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Prices of zones, explained in the file.
const PRICES: &str = include_str!("../../../../data/verify/region_prices.csv");
/// Spot prices that changed; the name of the recording is what comes before `-prices`.
const SERIES: [(&str, &str); 1] =
    [("aws-2023-02-15-v100", include_str!("../../../../data/traces/aws-2023-02-15-v100-prices.csv"))];

#[derive(Debug, Deserialize)]
struct PriceRow {
    trace: String,
    zone: String,
    spot_usd_per_h: Option<f64>,
    on_demand_usd_per_h: f64,
}

/// A zone from the begin of its recording.
#[derive(Debug)]
pub(super) struct Zone {
    pub tick_s: f64,
    /// Whether its prices are a series that was rebuilt.
    pub rebuilt: bool,
    spot: Vec<bool>,
    spot_usd_per_h: Vec<f64>,
    on_demand_usd_per_h: f64,
}

impl Zone {
    /// Hours that are whole ticks but for their last digit, as that number of ticks in hours: what the artifact rounded up
    /// to ticks before one of its files lost a digit.
    fn start_h(&self, hours: f64) -> f64 {
        let ticks = hours * 3_600.0 / self.tick_s;
        if (ticks - ticks.round()).abs() < 1e-6 { ticks.round() * self.tick_s / 3_600.0 } else { hours }
    }

    /// What a job sees that is submitted `start_h` after the begin: no Spot after its deadline.
    pub fn from(&self, start_h: f64, deadline_h: f64, group: usize) -> Region {
        let ticks = |hours: f64| (hours * 3_600.0 / self.tick_s).ceil() as usize;
        let from = ticks(self.start_h(start_h)).min(self.spot.len());
        let to = (from + ticks(deadline_h)).min(self.spot.len());
        let last = self.spot_usd_per_h.len() - 1;
        Region {
            spot: self.spot[from..to].to_vec(),
            spot_usd_per_h: self.spot_usd_per_h[from.min(last)..=to.min(last)].to_vec(),
            on_demand_usd_per_h: self.on_demand_usd_per_h,
            group,
        }
    }
}

/// Zones that were asked for.
pub(super) struct Recorded<'a> {
    beside: Find<'a>,
    prices: Vec<PriceRow>,
    zones: BTreeMap<(String, String), Result<Zone, String>>,
}

impl<'a> Recorded<'a> {
    pub fn new(beside: Find<'a>) -> Self {
        Self { beside, prices: rows::read(PRICES).unwrap_or_default(), zones: BTreeMap::new() }
    }

    /// The zone of a recording.
    pub fn zone(&mut self, set: &str, zone: &str) -> Result<&Zone, String> {
        let key = (set.to_owned(), zone.to_owned());
        if !self.zones.contains_key(&key) {
            let read = self.read(set, zone);
            self.zones.insert(key.clone(), read);
        }
        self.zones[&key].as_ref().map_err(String::clone)
    }

    fn read(&self, set: &str, zone: &str) -> Result<Zone, String> {
        let name = format!("{set}-{zone}");
        let shipped = SHIPPED.iter().find(|(known, _)| *known == name).map(|(_, text)| (*text).to_owned());
        let text = shipped.or_else(|| (self.beside)(set, zone)).ok_or("no trace of that name")?;
        let how = How { one_means: Some(OneMeans::Preempted), ..How::default() };
        let recording = records::read(text.as_bytes(), &how).map_err(|error| format!("the trace {error}"))?;
        let sample = recording.about.sample.ok_or("the trace does not say how often it looked")?;
        let Content::Capacity(series) = &recording.content else {
            return Err("the trace is not of capacity".to_owned());
        };
        let series = series.first().ok_or("the trace is empty")?;
        let ticks = series.stretches.iter().flat_map(|stretch| {
            let up = stretch.nodes.is_some_and(|nodes| nodes >= 1);
            std::iter::repeat_n(up, (stretch.span.ns() / sample.ns()) as usize)
        });
        let spot: Vec<bool> = ticks.collect();
        let price = self.prices.iter().find(|row| row.trace == set && row.zone == zone);
        let price = price.ok_or("no prices of that zone are known")?;
        let spot_usd_per_h = match price.spot_usd_per_h {
            Some(usd) => vec![usd; spot.len()],
            None => by_tick(set, zone, series.start, sample, spot.len())?,
        };
        Ok(Zone {
            tick_s: sample.as_secs(),
            rebuilt: price.spot_usd_per_h.is_none(),
            spot,
            spot_usd_per_h,
            on_demand_usd_per_h: price.on_demand_usd_per_h,
        })
    }
}

/// The price that holds at the begin of each tick.
fn by_tick(set: &str, zone: &str, start: Timestamp, sample: Span, ticks: usize) -> Result<Vec<f64>, String> {
    let text = SERIES.iter().find(|(known, _)| *known == set).ok_or("no prices of that trace are known")?.1;
    let recording =
        records::prices::read(text, &How::default()).map_err(|error| format!("the prices: {error}"))?;
    let Content::Prices(series) = &recording.content else { return Err("no prices".to_owned()) };
    let series = series.iter().find(|series| series.label.zone == zone);
    let changes = &series.ok_or("no prices of that zone are known")?.changes;
    let mut next = 0;
    let mut price = changes.first().ok_or("no prices of that zone are known")?.1;
    let at = |tick: usize| start.unix_ns() + (sample.ns() as i64) * tick as i64;
    Ok((0..ticks)
        .map(|tick| {
            while next < changes.len() && changes[next].0.unix_ns() <= at(tick) {
                price = changes[next].1;
                next += 1;
            }
            price.as_usd_per_hour()
        })
        .collect())
}
