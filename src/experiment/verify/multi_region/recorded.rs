//! Zones as they were recorded: capacity by ticks, and prices.

use super::super::Find;
use super::super::prices::{Own, own};
use super::super::recorded::{InTicks, Recorded};
use super::super::regions::Region;
use std::collections::BTreeMap;

/// Zones and their prices, each read once.
pub(super) struct Zones<'a> {
    beside: Find<'a>,
    recorded: Recorded<'a>,
    prices: BTreeMap<String, Own>,
}

/// A zone from the begin of its recording.
pub(super) struct Zone<'a> {
    in_ticks: &'a InTicks,
    prices: &'a Own,
}

impl<'a> Zones<'a> {
    /// None read yet; `beside` finds those that are not shipped.
    pub fn new(beside: Find<'a>) -> Self {
        Self { beside, recorded: Recorded::new(beside), prices: BTreeMap::new() }
    }

    /// The zone of a recording.
    pub fn zone(&mut self, set: &str, zone: &str) -> Result<Zone<'_>, String> {
        let name = format!("{set}/{zone}");
        let in_ticks = self.recorded.of(&name)?;
        if !self.prices.contains_key(&name) {
            let prices = own(&name, in_ticks.tick, self.beside)?;
            prices.pair.ok_or("no prices of that zone are known")?;
            self.prices.insert(name.clone(), prices);
        }
        Ok(Zone { in_ticks, prices: &self.prices[&name] })
    }
}

impl Zone<'_> {
    pub fn tick_s(&self) -> f64 {
        self.in_ticks.tick.as_secs()
    }

    /// Whether its prices are a series that was rebuilt.
    pub fn is_rebuilt(&self) -> bool {
        self.prices.changes()
    }

    /// Hours that are whole ticks but for their last digit, as that number of ticks in hours: what the artifact rounded up
    /// to ticks before one of its files lost a digit.
    fn start_h(&self, hours: f64) -> f64 {
        let ticks = hours * 3_600.0 / self.tick_s();
        if (ticks - ticks.round()).abs() < 1e-6 { ticks.round() * self.tick_s() / 3_600.0 } else { hours }
    }

    /// What a job sees that is submitted `start_h` after the begin: no Spot after its deadline.
    pub fn from(&self, start_h: f64, deadline_h: f64, group: usize) -> Region {
        let ticks = |hours: f64| (hours * 3_600.0 / self.tick_s()).ceil() as u64;
        let from = ticks(self.start_h(start_h)).min(self.in_ticks.len());
        let to = (from + ticks(deadline_h)).min(self.in_ticks.len());
        let pair = self.prices.pair.unwrap_or_default();
        let runs = self.in_ticks.window(from, to - from);
        Region {
            spot: runs.iter().flat_map(|&(ticks, up)| (0..ticks).map(move |_| up)).collect(),
            spot_usd_per_h: (from..=to).map(|tick| self.prices.at(tick).unwrap_or(pair.spot)).collect(),
            on_demand_usd_per_h: pair.on_demand,
            group,
        }
    }
}
