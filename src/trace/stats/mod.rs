//! What recorded capacity and prices are like: availability, uptimes, gaps, hours of the day, zones, prices.
//!
//! All is weighted by time, so a series of samples and the same written as intervals give the same figures.
//! A zone is up where at least as many nodes as a gang needs could be had. The first run began before the
//! recording and is dropped from lengths; the last went on after it: it counts as cut off in the survival
//! curve, and its length as it was seen only in the longest. A hole in the recording ends both.

mod counts;
mod hours;
mod lengths;
mod nodes;
mod pooled;
mod prices;
mod survival;
#[cfg(test)]
mod tests;
mod zone;
mod zones;

pub use counts::{Counts, Loss};
pub use hours::Hours;
pub use lengths::Lengths;
pub use nodes::{StaysStats, stays_stats};
pub use pooled::{Pooled, pooled};
pub use prices::{PriceStats, price_stats};
pub use survival::{Survival, kaplan_meier};
pub use zone::{ZoneStats, zone_stats};
pub use zones::{Correlation, correlations};

use crate::records::{Capacity, Stretch};
use crate::units::Span;

/// The same from its begin to `length` later: cut there, or its last level taken to hold until then.
pub fn extent(capacity: &Capacity, length: Span) -> Capacity {
    let mut left = length;
    let mut stretches: Vec<Stretch> = Vec::new();
    for stretch in &capacity.stretches {
        let span = stretch.span.min(left);
        if !span.is_zero() {
            stretches.push(Stretch { span, ..*stretch });
        }
        left = left.saturating_sub(span);
    }
    if let Some(last) = stretches.last_mut() {
        last.span += left;
    }
    Capacity { stretches, ..capacity.clone() }
}

/// Nanoseconds in an hour.
const HOUR_NS: u64 = 3_600_000_000_000;

fn hours(ns: u128) -> f64 {
    ns as f64 / HOUR_NS as f64
}

/// `part / whole`; `None` of nothing.
fn share(part: u128, whole: u128) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}
