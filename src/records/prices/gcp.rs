//! The GCP price cache of sky_spot: what the billing catalogue said on one day.

use super::collect::{Collector, Found};
use super::json::Scalar;

/// `{"region", "machine_type", "currency": "USD", "price", "price_unit": "h", "effective_time",
/// "fetched_at", …}`: one price of the whole machine, for a region.
#[derive(Default)]
pub(super) struct Cached {
    pub price: Scalar,
    pub region: Scalar,
    pub machine_type: Scalar,
    pub currency: Scalar,
    pub unit: Scalar,
    pub effective: Scalar,
    pub fetched: Scalar,
}

impl Cached {
    /// Whether an object is in this format.
    pub fn is_any(&self) -> bool {
        self.price.is_given() && (self.machine_type.is_given() || self.region.is_given())
    }
}

/// Takes its one price, from the time at which it came into effect, or else was looked up.
pub(super) fn read(cached: &Cached, line: u64, out: &mut Collector<'_>) {
    let is = |found: &Scalar, wanted: &str| !found.is_given() || found.text() == wanted;
    if !is(&cached.currency, "USD") || !is(&cached.unit, "h") {
        let (currency, unit) = (cached.currency.text(), cached.unit.text());
        out.fault(line, format!("a price in USD an hour (\"h\") wanted, found {currency:?} per {unit:?}"));
        return;
    }
    let time = if cached.effective.is_given() { &cached.effective } else { &cached.fetched };
    out.record(
        line,
        &Found {
            zone: cached.region.text(),
            instance: cached.machine_type.text(),
            product: "",
            price: cached.price.text(),
            time: time.text(),
        },
    );
}
