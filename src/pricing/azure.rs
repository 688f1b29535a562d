//! Azure, per second.

use super::{Tariff, flat};
use crate::units::Price;

/// Azure's rule at a constant price: running time, whoever ends it; no minimum and no free window are
/// documented. Source: Microsoft Learn, "Azure Spot Virtual Machines".
pub const fn azure(price: Price) -> Tariff {
    flat(price)
}
