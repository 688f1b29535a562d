//! Numbers with a unit whose meaning only the key that takes them knows.

use super::field::Field;
use super::tree::Value;
use crate::units::{Bandwidth, Bytes, Span};

/// A number and what follows it: "20 M samples" is 20 and "M samples".
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Amount {
    pub number: f64,
    /// Empty for a bare number.
    pub unit: String,
}

impl Amount {
    /// What a value says; `None` if it does not begin with a finite number.
    pub fn of(value: &Value) -> Option<Self> {
        let bare = |number: f64| Self { number, unit: String::new() };
        let amount = match value {
            Value::Integer(number) => bare(*number as f64),
            Value::Float(number) => bare(*number),
            Value::Text(text) => {
                let text = text.trim();
                let end = text.find(|c: char| !matches!(c, '0'..='9' | '.' | '-' | '+' | '_'));
                let (number, unit) = text.split_at(end.unwrap_or(text.len()));
                let number = number.replace('_', "").parse().ok()?;
                Self { number, unit: unit.trim().to_owned() }
            }
            _ => return None,
        };
        amount.number.is_finite().then_some(amount)
    }

    /// Reads a field; reports what is no amount.
    pub fn read(field: &Field<'_>) -> Option<Self> {
        let amount = Self::of(field.value()?);
        if amount.is_none() {
            field.refuse_value("must be a number, with its unit in quotes if it has one");
        }
        amount
    }

    /// Reads a field that must be a quantity as `self` is, in the unit of `self`.
    pub fn read_alike(&self, field: &Field<'_>) -> Option<f64> {
        let other = Self::read(field)?;
        if let Some(factor) = factor(&other.unit, &self.unit) {
            return Some(other.number * factor);
        }
        let wanted =
            if self.unit.is_empty() { "no unit".to_owned() } else { format!("the unit `{}`", self.unit) };
        field.refuse_value(&format!("must have {wanted}, as the number beside it has"));
        None
    }
}

/// How many of the unit `to` are one of the unit `from`; `None` if they measure different things.
fn factor(from: &str, to: &str) -> Option<f64> {
    if from == to {
        return Some(1.0);
    }
    let one = |unit: &str| -> [Option<f64>; 3] {
        let text = format!("1 {unit}");
        [
            text.parse().ok().map(|span: Span| span.as_secs()),
            text.parse().ok().map(|bytes: Bytes| bytes.as_f64()),
            text.parse().ok().map(|rate: Bandwidth| rate.bytes_per_s()),
        ]
    };
    one(from).into_iter().zip(one(to)).find_map(|(from, to)| Some(from? / to?))
}

/// `number` as a value: with its unit as text, else as a number.
pub(super) fn value_of(number: f64, unit: &str) -> Value {
    // A whole number in any case, so that keys that want one can have it.
    const WHOLE_MAX: f64 = 9.0e15;
    match unit.is_empty() {
        true if number.fract() == 0.0 && number.abs() < WHOLE_MAX => Value::Integer(number as i128),
        true => Value::Float(number),
        false => Value::Text(format!("{number} {unit}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_one_kind_go_into_each_other() {
        assert_eq!(factor("h", "min"), Some(60.0));
        assert_eq!(factor("GB", "MB"), Some(1_000.0));
        assert_eq!(factor("Gbit/s", "GB/s"), Some(0.125));
        assert_eq!((factor("h", "GB"), factor("h", ""), factor("USD/h", "USD/h")), (None, None, Some(1.0)));
    }

    #[test]
    fn a_number_is_told_from_what_follows_it() {
        let of = |text: &str| Amount::of(&Value::Text(text.to_owned())).map(|a| (a.number, a.unit));
        let is = |number: f64, unit: &str| Some((number, unit.to_owned()));
        assert_eq!(of("20 M samples"), is(20.0, "M samples"));
        assert_eq!(of("5.5h"), is(5.5, "h"));
        assert_eq!(of("1_000"), is(1_000.0, ""));
        assert_eq!(of("spot"), None);
        assert_eq!(value_of(3.0, ""), Value::Integer(3));
        assert_eq!(value_of(2.5, "min"), Value::Text("2.5 min".to_owned()));
    }
}
