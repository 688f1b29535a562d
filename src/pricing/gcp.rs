//! Google Compute Engine, per second.

use super::{Tariff, flat};
use crate::units::{Price, Span};

/// A stay that we end is billed for at least a minute, and one preempted in its first minute is free.
/// Source: Compute Engine, "Spot VMs".
const MINUTE: Span = Span::from_s(60);

/// Legacy preemptible machines are stopped after a day. Source: Compute Engine, "Preemptible VMs".
pub const PREEMPTIBLE_LIMIT: Span = Span::from_s(86_400);

/// Compute Engine's rule at a constant price. `spot` brings the free first minute.
pub fn gcp(price: Price, spot: bool) -> Tariff {
    let free_if_reclaimed_before = if spot { MINUTE } else { Span::ZERO };
    Tariff { minimum: MINUTE, free_if_reclaimed_before, ..flat(price) }
}
