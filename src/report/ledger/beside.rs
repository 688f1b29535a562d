//! The lines of a bill beside the instances: what was used, by which rule, and what it costs.

use super::{nano_dollars, text};
use crate::pricing::{Charge, Item, Rate, Usage};
use crate::report::number;
use crate::report::text::{Column, Paint};
use crate::units::Bytes;

const NS_PER_H: f64 = 3.6e12;

/// A table of the lines; nothing where there are none.
pub(super) fn table(charges: &[Charge], usage: &Usage, paint: Paint) -> String {
    if charges.is_empty() {
        return String::new();
    }
    let column = |head: &str, cell: &dyn Fn(&Charge) -> String| {
        Column::figures(head, charges.iter().map(cell).collect())
    };
    let words = |head: &str, cell: &dyn Fn(&Charge) -> String| {
        Column::words(head, charges.iter().map(cell).collect())
    };
    let columns = [
        column("used", &|charge| used(charge, usage)),
        words("rule", &rule),
        column("USD", &|charge| nano_dollars(charge.cost(usage))),
    ];
    let table =
        text::table(&words("beside the instances", &|charge| item(charge.item).to_owned()), &columns, paint);
    format!("\n{table}")
}

fn item(item: Item) -> &'static str {
    match item {
        Item::SavesStored => "saves stored",
        Item::SaveVolumes => "volumes of saves",
        Item::NodeVolumes => "volumes of nodes",
        Item::SaveRequests => "saves written",
        Item::RestoreRequests => "saves read",
        Item::Image => "image pulled",
        Item::Data => "data pulled",
        Item::SaveTraffic => "saves sent",
        Item::RestoreTraffic => "saves fetched",
        Item::MoveTraffic(_) => "saves moved to another region",
    }
}

/// How often, or for how long.
fn used(charge: &Charge, usage: &Usage) -> String {
    let count = charge.item.count(usage);
    match charge.rate {
        Rate::Kept { .. } => format!("{} h", number::fixed(count as f64 / NS_PER_H, 4)),
        Rate::Requested { .. } | Rate::Moved { .. } => {
            number::count(u64::try_from(count).unwrap_or(u64::MAX))
        }
    }
}

/// What one of them is, and its price.
fn rule(charge: &Charge) -> String {
    match charge.rate {
        Rate::Kept { price, size } => format!("x {}, {price} of 30 d", gigabytes(size)),
        Rate::Requested { price, each } => format!("x {} requests, {price}", number::count(each)),
        Rate::Moved { price, size, ends: 1 } => format!("x {} out, {price}", gigabytes(size)),
        Rate::Moved { price, size, .. } => format!("x {} out and in, {price} each", gigabytes(size)),
    }
}

/// Gigabytes, the unit of the prices.
fn gigabytes(size: Bytes) -> String {
    format!("{} GB", size.as_f64() / 1e9)
}
