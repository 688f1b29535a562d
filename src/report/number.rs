//! Numbers as people read them: thousands with commas, a true minus, no more digits than they deserve.

use crate::stats::Interval;
use crate::units::Span;

/// Stands where there is no figure.
pub const MISSING: &str = "–";
/// Beyond this, digits are counted and not read.
const PLAIN_MAX: f64 = 1e12;
/// Decimals of the smallest figures.
const DECIMALS_MAX: usize = 4;
/// Decimals that a share near 0 % or 100 % gets at most.
const SHARE_DECIMALS_MAX: usize = 9;

/// `1240` as `1,240`.
pub fn count(n: u64) -> String {
    grouped(&n.to_string())
}

/// `value` with so many decimals: `−1,240.50`. What is neither finite nor a number is [`MISSING`].
pub fn fixed(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return MISSING.to_owned();
    }
    if value.abs() >= PLAIN_MAX {
        return format!("{value:.2e}").replace('-', "−");
    }
    let digits = format!("{:.decimals$}", value.abs());
    let is_zero = digits.chars().all(|c| matches!(c, '0' | '.'));
    let sign = if value < 0.0 && !is_zero { "−" } else { "" };
    let (whole, part) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    format!("{sign}{}{part}", grouped(whole))
}

fn grouped(digits: &str) -> String {
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Decimals that tell figures of one column apart, by the smallest of them that is not 0.
pub fn decimals(values: impl IntoIterator<Item = f64>) -> usize {
    let nonzero = values.into_iter().map(f64::abs).filter(|value| value.is_finite() && *value > 0.0);
    match nonzero.fold(f64::INFINITY, f64::min) {
        f64::INFINITY => 2,
        least if least >= 1_000.0 => 0,
        least if least >= 0.1 => 2,
        least if least >= 0.01 => 3,
        _ => DECIMALS_MAX,
    }
}

/// Dollars in a sentence: `$18.35`, `$1,240`.
pub fn usd(value: f64) -> String {
    match fixed(value, decimals([value])) {
        text if text == MISSING => text,
        text => match text.strip_prefix('−') {
            Some(size) => format!("−${size}"),
            None => format!("${text}"),
        },
    }
}

/// A time of so many hours in a sentence: `7.25 h`, `15.0 min`, `3.20 s`.
pub fn hours(value: f64) -> String {
    match value.abs() {
        size if !size.is_finite() => MISSING.to_owned(),
        size if size >= 1.0 || size == 0.0 => format!("{} h", fixed(value, decimals([value]))),
        size if size >= 1.0 / 60.0 => format!("{} min", fixed(value * 60.0, 1)),
        _ => format!("{} s", fixed(value * 3_600.0, 2)),
    }
}

/// Hours that somebody chose, without needless zeros: `24 h`, `22.63 h`.
pub fn chosen_hours(hours: f64) -> String {
    let text = fixed(hours, 2);
    format!("{} h", text.trim_end_matches('0').trim_end_matches('.'))
}

/// A deadline in hours where two decimals say it exactly: `6.8 h`, `24 h`; else in its own unit.
pub fn deadline(span: Span) -> String {
    let hundredth = Span::from_s(36);
    match span >= Span::from_s(3_600) && span.ns().is_multiple_of(hundredth.ns()) {
        true => chosen_hours(span.as_hours()),
        false => span.to_string(),
    }
}

/// A figure with its interval: `18.35 [18.33, 18.36]`.
pub fn with_interval(of: &Interval, decimals: usize) -> String {
    let text = |value| fixed(value, decimals);
    format!("{} [{}, {}]", text(of.value), text(of.low), text(of.high))
}

/// A share from 0 to 1 in per cent, without the sign: `96.7`. Only 0 and 1 themselves are `0.0` and
/// `100.0`; what is near gets more decimals.
pub fn percent(share: f64) -> String {
    let whole = |decimals: usize| {
        let rounded = fixed(share * 100.0, decimals).parse();
        (rounded == Ok(100.0) && share < 1.0) || (rounded == Ok(0.0) && share > 0.0)
    };
    let decimals = (1..SHARE_DECIMALS_MAX).find(|&decimals| !whole(decimals)).unwrap_or(SHARE_DECIMALS_MAX);
    fixed(share * 100.0, decimals)
}

/// The share of `n` replications in which something happened, in per cent, without the sign and with
/// its interval: `96.7 [96.3, 97.0]`. Of none and of all it is the open end of the interval: `< 0.04`,
/// `> 99.96`.
pub fn share(of: &Interval, n: u64) -> String {
    match bound(of, n) {
        Some(bound) => bound,
        None => format!("{} [{}, {}]", percent(of.value), percent(of.low), percent(of.high)),
    }
}

/// [`share`] without the interval.
pub fn share_value(of: &Interval, n: u64) -> String {
    bound(of, n).unwrap_or_else(|| percent(of.value))
}

fn bound(of: &Interval, n: u64) -> Option<String> {
    let all = of.value >= 1.0;
    if !all && of.value > 0.0 {
        return None;
    }
    if n == 0 {
        return None;
    }
    let missed = 100.0 * if all { 1.0 - of.low } else { of.high };
    let places = (-libm::log10(missed)).ceil().clamp(1.0, SHARE_DECIMALS_MAX as f64);
    // Rounded away from the share, so that the bound stays true.
    let unit = libm::pow(10.0, -places);
    let missed = (missed / unit).ceil() * unit;
    let places = places as usize;
    Some(if all {
        format!("> {}", fixed(100.0 - missed, places))
    } else {
        format!("< {}", fixed(missed, places))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::wilson;

    #[test]
    fn numbers_are_grouped_and_have_a_true_minus() {
        for (value, decimals, text) in [
            (1_240.5, 2, "1,240.50"),
            (-1_234_567.0, 0, "−1,234,567"),
            (999.0, 0, "999"),
            (-0.001, 2, "0.00"),
            (1e300, 2, "1.00e300"),
        ] {
            assert_eq!(fixed(value, decimals), text);
        }
        assert_eq!(count(10_000), "10,000");
    }

    #[test]
    fn what_is_no_number_is_never_printed() {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for text in [fixed(value, 2), usd(value), hours(value), percent(value)] {
                assert_eq!(text, MISSING);
            }
        }
    }

    /// The spellings of `look.md`, "Words and numbers".
    #[test]
    fn money_and_time_have_their_unit() {
        assert_eq!(usd(18.35), "$18.35");
        assert_eq!(usd(1_240.2), "$1,240");
        assert_eq!(usd(-0.5), "−$0.50");
        assert_eq!(hours(7.25), "7.25 h");
        assert_eq!(hours(0.25), "15.0 min");
        assert_eq!(hours(0.001), "3.60 s");
    }

    #[test]
    fn a_deadline_is_told_in_hours_where_that_is_exact() {
        let told = ["1 d", "6.8 h", "90 min", "100 s", "3601 s"].map(|text| deadline(text.parse().unwrap()));
        assert_eq!(told, ["24 h", "6.8 h", "1.5 h", "100 s", "3601 s"]);
    }

    #[test]
    fn a_share_near_all_is_not_all() {
        assert_eq!(percent(0.967), "96.7");
        assert_eq!(percent(0.999_96), "99.996");
        assert_eq!(percent(0.000_01), "0.001");
        assert_eq!(percent(1.0), "100.0");
    }

    /// Wilson's end for n of n is n/(n + z²): 10000/10003.8415 = 0.999616, 59/62.84 = 0.9389, 1/4.8415 = 0.2065.
    #[test]
    fn none_and_all_are_bounds() {
        let of = |successes, n| share(&wilson(successes, n, 0.95).unwrap(), n);
        assert_eq!(of(10_000, 10_000), "> 99.96");
        assert_eq!(of(0, 10_000), "< 0.04");
        assert_eq!(of(59, 59), "> 93.8");
        assert_eq!(of(1, 1), "> 20.6");
        assert_eq!(of(5, 10), "50.0 [23.7, 76.3]");
    }
}
