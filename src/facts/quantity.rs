//! Numbers whose unit is in their key (`on_demand_usd_per_hour = 1.212`) to quantities.
//!
//! Each function serves a quantity and an optional one: `T` is the quantity or an `Option` of it.

use crate::units::{Bandwidth, Bytes, Decimal, Per, Price, UnitPrice};
use serde::de::{Deserialize, Deserializer, Error};

/// US dollars per instance-hour.
pub(super) fn usd_per_hour<'de, D: Deserializer<'de>, T: From<Price>>(input: D) -> Result<T, D::Error> {
    read(input, |usd| Price::from_usd_per_hour(Decimal::from_f64(usd)?))
}

/// US dollars per `P`.
pub(super) fn usd_per<'de, D: Deserializer<'de>, P: Per>(input: D) -> Result<UnitPrice<P>, D::Error> {
    read(input, |usd| UnitPrice::from_usd(Decimal::from_f64(usd)?))
}

/// Units of 2^30 bytes.
pub(super) fn gib<'de, D: Deserializer<'de>, T: From<Bytes>>(input: D) -> Result<T, D::Error> {
    read(input, |gib| bytes(gib, 1 << 30))
}

/// Units of 10^9 bytes.
pub(super) fn gb<'de, D: Deserializer<'de>, T: From<Bytes>>(input: D) -> Result<T, D::Error> {
    read(input, |gb| bytes(gb, 1_000_000_000))
}

/// Whole bytes.
pub(super) fn whole_bytes<'de, D: Deserializer<'de>, T: From<Bytes>>(input: D) -> Result<T, D::Error> {
    Ok(T::from(Bytes::new(u64::deserialize(input)?)))
}

/// Units of 10^9 bits per second.
pub(super) fn gbit_per_s<'de, D: Deserializer<'de>, T: From<Bandwidth>>(input: D) -> Result<T, D::Error> {
    read(input, |gbit| Bandwidth::from_bytes_per_s(gbit * 1e9 / 8.0))
}

/// Units of 10^9 bytes per second.
pub(super) fn gb_per_s<'de, D: Deserializer<'de>, T: From<Bandwidth>>(input: D) -> Result<T, D::Error> {
    read(input, |gb| Bandwidth::from_bytes_per_s(gb * 1e9))
}

/// Units of 10^6 bytes per second.
pub(super) fn mb_per_s<'de, D: Deserializer<'de>, T: From<Bandwidth>>(input: D) -> Result<T, D::Error> {
    read(input, |mb| Bandwidth::from_bytes_per_s(mb * 1e6))
}

/// Per cent, to a share from 0 to 1.
pub(super) fn percent<'de, D: Deserializer<'de>, T: From<f64>>(input: D) -> Result<T, D::Error> {
    read(input, |percent| (0.0..=100.0).contains(&percent).then_some(percent / 100.0))
}

fn read<'de, D: Deserializer<'de>, Q, T: From<Q>>(
    input: D,
    quantity: impl FnOnce(f64) -> Option<Q>,
) -> Result<T, D::Error> {
    let number = f64::deserialize(input)?;
    quantity(number).map(T::from).ok_or_else(|| D::Error::custom(format!("{number} is out of range")))
}

fn bytes(number: f64, per_unit: u128) -> Option<Bytes> {
    u64::try_from(Decimal::from_f64(number)?.times(per_unit)?).ok().map(Bytes::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    struct Row {
        #[serde(deserialize_with = "usd_per_hour")]
        price: Price,
        #[serde(default, deserialize_with = "gib")]
        memory: Option<Bytes>,
        #[serde(default, deserialize_with = "gbit_per_s")]
        network: Option<Bandwidth>,
        #[serde(default, deserialize_with = "percent")]
        savings: Option<f64>,
    }

    #[test]
    fn numbers_become_exact_quantities_and_missing_ones_none() {
        let row: Row = toml::from_str("price = 0.1\nmemory = 2.5\nsavings = 58").unwrap();
        assert_eq!(row.price, "0.1 USD/h".parse().unwrap());
        assert_eq!(row.memory, Some("2.5 GiB".parse().unwrap()));
        assert_eq!(row.network, None);
        assert_eq!(row.savings, Some(0.58));
    }

    #[test]
    fn impossible_numbers_are_refused() {
        for text in ["price = -1", "price = 1\nnetwork = 0", "price = 1\nsavings = 101", "price = nan"] {
            assert!(toml::from_str::<Row>(text).is_err(), "{text}");
        }
    }
}
