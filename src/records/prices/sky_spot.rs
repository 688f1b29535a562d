//! sky_spot's availability series with its prices.

use super::amount::price_of;
use super::collect::Collector;
use super::json::Scalar;
use crate::units::{Decimal, Price, Span, Timestamp, UnitError, UtcOffset};
use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};
use std::collections::BTreeMap;
use std::fmt;

/// `metadata` of a series: `{"gap_seconds", "start_time", "zone", "price_info"}`.
#[derive(serde::Deserialize)]
pub(super) struct Metadata {
    #[serde(default)]
    gap_seconds: Scalar,
    #[serde(default)]
    start_time: Scalar,
    #[serde(default)]
    zone: Scalar,
    price_info: Option<PriceInfo>,
}

#[derive(serde::Deserialize)]
struct PriceInfo {
    #[serde(default)]
    price: Scalar,
    #[serde(default)]
    zone: Scalar,
    #[serde(default)]
    instance_type: Scalar,
    #[serde(default)]
    machine_type: Scalar,
}

/// `prices`, one a sample, as numbers: as text they would need many times the file's size.
#[derive(Default)]
pub(super) struct Samples {
    /// Zero where it is no price.
    prices: Vec<Price>,
    /// Samples that have none, and why.
    faults: BTreeMap<usize, String>,
}

impl<'de> Deserialize<'de> for Samples {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(SamplesVisitor)
    }
}

struct SamplesVisitor;

impl<'de> Visitor<'de> for SamplesVisitor {
    type Value = Samples;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of prices")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Samples, A::Error> {
        let mut samples = Samples::default();
        while let Some(item) = items.next_element::<Scalar>()? {
            let price = price_of(item.text()).unwrap_or_else(|why| {
                samples.faults.insert(samples.prices.len(), why);
                Price::ZERO
            });
            samples.prices.push(price);
        }
        Ok(samples)
    }
}

/// Takes `prices`, one for each sample; without them the one of `price_info` from the start on.
pub(super) fn read(metadata: &Metadata, samples: Option<&Samples>, line: u64, out: &mut Collector<'_>) {
    let info = metadata.price_info.as_ref();
    let Some(start) = start(metadata, line, out) else { return };
    let text = |of: fn(&PriceInfo) -> &Scalar| info.map_or("", |info| of(info).text());
    let zone = if metadata.zone.is_given() { metadata.zone.text() } else { text(|info| &info.zone) };
    let machine = text(|info| &info.machine_type);
    let instance = if machine.is_empty() { text(|info| &info.instance_type) } else { machine };
    if !machine.is_empty() {
        out.remark(format!("the price is that of a whole {machine}, as `price_info` says"), true);
    }
    let Some(Samples { prices, faults }) = samples else {
        let Some(info) = info.filter(|info| info.price.is_given()) else {
            out.fault(line, "neither `prices` nor `price_info`: the file has no price".into());
            return;
        };
        out.remark("the file has one price for all of its time, from `price_info`", false);
        out.count(1);
        match price_of(info.price.text()) {
            Ok(price) => {
                let series = out.series(zone, instance, "");
                out.push(series, line, start, price);
            }
            Err(why) => out.fault(line, why),
        }
        return;
    };
    let gap = metadata.gap_seconds.text().parse::<Decimal>().ok().and_then(|gap| gap.times(1_000_000_000));
    let Some(gap) = gap.and_then(|ns| u64::try_from(ns).ok()).filter(|&ns| ns > 0) else {
        out.fault(line, "`gap_seconds` must be a number above 0".into());
        return;
    };
    let series = out.series(zone, instance, "");
    out.count(prices.len() as u64);
    out.remark("one price for each sample; only changes are kept", false);
    let mut before = None;
    for (sample, price) in prices.iter().enumerate() {
        let at = gap.checked_mul(sample as u64).and_then(|ns| start.checked_add(Span::from_ns(ns)));
        let Some(at) = at else {
            out.fault(line, format!("sample {sample} lies beyond the year 2262"));
            return;
        };
        match faults.get(&sample) {
            None if before == Some(price) => {}
            None => {
                before = Some(price);
                out.push(series, line, at, *price);
            }
            Some(why) => out.fault(line, format!("sample {sample} ({at}): {why}")),
        }
    }
}

/// When the first sample was taken. AWS's series have no zone and are in UTC.
fn start(metadata: &Metadata, line: u64, out: &mut Collector<'_>) -> Option<Timestamp> {
    let text = metadata.start_time.text();
    if text.is_empty() {
        out.fault(line, "no `start_time`: prices need an instant from which they hold".into());
        return None;
    }
    let parsed = Timestamp::parse(text, out.local()).or_else(|_| {
        let start = Timestamp::parse(text, Some(UtcOffset::UTC))?;
        out.remark("`start_time` has no zone; read as UTC, as its makers write it", false);
        Ok::<_, UnitError>(start)
    });
    parsed.map_err(|error| out.fault(line, format!("`start_time` {}; {}", error.problem, error.help))).ok()
}
