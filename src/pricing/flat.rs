//! A flat rate: other clouds, a rate card, machines of one's own.

use super::Tariff;
use crate::units::{Price, Span};

/// Price × exact time, whoever ends the stay.
pub const fn flat(price: Price) -> Tariff {
    Tariff {
        price,
        changing: None,
        minimum: Span::ZERO,
        free_if_reclaimed_before: Span::ZERO,
        whole_hours: false,
    }
}
