//! A price as a file writes it.

use crate::units::{Decimal, Price};

/// Dollars per instance-hour: a decimal number above 0, with or without a `$` before it. Else what is wrong.
pub(super) fn price_of(text: &str) -> Result<Price, String> {
    let text = text.trim();
    let digits = text.strip_prefix('$').map_or(text, str::trim_start);
    let bare = digits.trim_start_matches(['+', '-']).to_ascii_lowercase();
    match bare.as_str() {
        "" if text.is_empty() => return Err("the price is empty".into()),
        "nan" => return Err(format!("the price is {text}")),
        "inf" | "infinity" => return Err(format!("the price is {text}, not a finite number")),
        _ => {}
    }
    let Ok(number) = digits.parse::<Decimal>() else {
        let shown: String = text.chars().take(40).collect();
        return Err(match digits.replacen(',', ".", 1).parse::<Decimal>() {
            Ok(_) if digits.contains(',') => {
                format!("the price `{shown}` has a decimal comma; write a point")
            }
            _ => format!("the price `{shown}` is no number"),
        });
    };
    if number.is_negative() {
        return Err(format!("the price {text} is negative"));
    }
    match Price::from_usd_per_hour(number) {
        None => Err(format!("the price {text} is more than 18,446 USD/h")),
        Some(Price::ZERO) => Err(format!("the price is {text}: nothing is free")),
        Some(price) => Ok(price),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_a_number_above_0_with_or_without_a_dollar() {
        for text in ["0.4107", "$0.4107", "$ 0.4107", "4107e-4", " +0.4107 "] {
            assert_eq!(price_of(text), Ok("0.4107 USD/h".parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn what_is_no_price_says_why() {
        for (text, why) in [
            ("NaN", "is NaN"),
            ("", "is empty"),
            ("0", "nothing is free"),
            ("-0.41", "is negative"),
            ("N/A", "is no number"),
            ("inf", "not a finite number"),
            ("-Infinity", "not a finite number"),
            ("0,4107", "decimal comma"),
            ("1e9", "more than 18,446"),
            ("1e-2147483648", "is no number"),
            ("0e2147483647", "is no number"),
            ("$", "is no number"),
        ] {
            let said = price_of(text).unwrap_err();
            assert!(said.contains(why), "{text}: {said}");
        }
    }
}
