//! AWS `describe-spot-price-history`, as JSON: pages of records, or records alone.

use super::collect::{Collector, Found};
use super::json::Scalar;

/// A page, or one record: `{"SpotPriceHistory": [{"AvailabilityZone", "InstanceType", "ProductDescription",
/// "SpotPrice", "Timestamp"}], "NextToken": ""}`. Newest first; the price is a text.
#[derive(Default)]
pub(super) struct Page {
    pub is_page: bool,
    pub zone: Scalar,
    /// Newer answers have it beside the name, which is what people write.
    pub zone_id: Scalar,
    pub instance: Scalar,
    pub product: Scalar,
    pub price: Scalar,
    pub time: Scalar,
    pub next: Scalar,
}

impl Page {
    /// Whether it is in this format.
    pub fn is_any(&self) -> bool {
        self.is_page || self.price.is_given() || self.time.is_given()
    }

    /// Takes the record; those of a page were taken one by one.
    pub fn read(&self, line: u64, out: &mut Collector<'_>) {
        if self.is_page {
            if !self.next.text().is_empty() {
                out.remark("a page has a `NextToken`: if it is the last one, later pages are missing", false);
            }
            return;
        }
        let zone = if self.zone.is_given() { &self.zone } else { &self.zone_id };
        out.record(
            line,
            &Found {
                zone: zone.text(),
                instance: self.instance.text(),
                product: self.product.text(),
                price: self.price.text(),
                time: self.time.text(),
            },
        );
    }
}
