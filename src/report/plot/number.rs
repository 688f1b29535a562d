//! Numbers as text: fixed decimals, thousands with a comma, a space before a unit.

use super::Interval;

/// `value` with `decimals` decimals, thousands with a comma and a true minus.
pub(super) fn fixed(value: f64, decimals: usize) -> String {
    let digits = format!("{:.decimals$}", value.abs());
    let (whole, part) = digits.split_once('.').map_or((digits.as_str(), ""), |(whole, part)| (whole, part));
    let mut text = String::new();
    if value < 0.0 && digits.bytes().any(|digit| (b'1'..=b'9').contains(&digit)) {
        text.push('−');
    }
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if !part.is_empty() {
        text.push('.');
        text.push_str(part);
    }
    text
}

/// Decimals that show at least `digits` significant digits of `value`, and no more than six.
pub(super) fn decimals_for(value: f64, digits: i32) -> usize {
    if value == 0.0 || !value.is_finite() {
        return 0;
    }
    let exponent = libm::floor(libm::log10(value.abs())) as i32;
    (digits - 1 - exponent).clamp(0, 6) as usize
}

/// Dollars: `$1,240`, `$18.35`, `$0.0042`.
pub(super) fn usd(value: f64) -> String {
    let decimals = match value.abs() {
        0.0 => 0,
        size if size >= 999.995 => 0,
        size if size >= 0.1 => 2,
        _ => decimals_for(value, 2),
    };
    let digits = fixed(value.abs(), decimals);
    if value < 0.0 { format!("−${digits}") } else { format!("${digits}") }
}

/// The unit of time that suits the largest of some times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TimeUnit {
    /// Its sign: "h".
    pub(super) sign: &'static str,
    /// In hours.
    pub(super) hours: f64,
}

impl TimeUnit {
    pub(super) const HOURS: Self = Self { sign: "h", hours: 1.0 };

    /// The unit for an axis that ends at `hours`.
    pub(super) fn for_axis(hours: f64) -> Self {
        let (sign, unit) = match hours {
            h if h < 1.0 / 30.0 => ("s", 1.0 / 3600.0),
            h if h < 2.0 => ("min", 1.0 / 60.0),
            h if h < 500.0 => ("h", 1.0),
            _ => ("d", 24.0),
        };
        Self { sign, hours: unit }
    }

    /// `hours` in this unit: `7.25 h`, `123.4 h`.
    pub(super) fn text(self, hours: f64) -> String {
        let value = hours / self.hours;
        let decimals = match value.abs() {
            0.0 => 0,
            size if size >= 99.995 => 1,
            _ => decimals_for(value, 2).clamp(2, 4),
        };
        format!("{} {}", fixed(value, decimals), self.sign)
    }
}

/// A time that was chosen, in the shortest text: `24 h`, `7 d`, `90 min`, `1.5 h`.
pub(super) fn chosen_time(hours: f64) -> String {
    let units = [("d", 24.0, 2.0), ("h", 1.0, 1.0), ("min", 1.0 / 60.0, 1.0), ("s", 1.0 / 3600.0, 1.0)];
    for (sign, unit, least) in units {
        let value = hours / unit;
        if value >= least && (value - value.round()).abs() < 1e-6 {
            return format!("{} {sign}", fixed(value, 0));
        }
    }
    let unit = TimeUnit::for_axis(hours);
    let value = hours / unit.hours;
    format!("{} {}", fixed(value, decimals_for(value, 3)).trim_end_matches('0'), unit.sign)
}

/// A share: `41 %`, `2.4 %`, `99.7 %`; what is there but rounds to nothing is `< 0.1 %`.
pub(super) fn share(value: f64) -> String {
    let percent = value * 100.0;
    if percent > 0.0 && percent < 0.05 {
        return "< 0.1 %".to_owned();
    }
    // Rounding must not make a whole of what is not.
    if (99.95..100.0).contains(&percent) {
        return "> 99.9 %".to_owned();
    }
    let decimals = if percent < 9.95 || (99.5..100.0).contains(&percent) { 1 } else { 0 };
    format!("{} %", fixed(percent, decimals))
}

/// A probability with the digits that its interval supports; all or none of the replications give the
/// one-sided bound: `> 99.96 %`.
pub(super) fn probability(p: Interval) -> String {
    if p.value >= 1.0 {
        return format!("> {} %", fixed(libm::floor((p.low * 1e4).min(9999.0)) / 1e2, 2));
    }
    if p.value <= 0.0 {
        return format!("< {} %", fixed(libm::ceil((p.high * 1e4).max(1.0)) / 1e2, 2));
    }
    // Rounding must not make a certainty of what is none.
    let percent = (p.value * 100.0).clamp(0.01, 99.99);
    format!("{} %", fixed(percent, probability_decimals(p)))
}

/// The interval of a probability, `[96.3, 97.0]`; nothing where [`probability`] gives a bound.
pub(super) fn probability_interval(p: Interval) -> String {
    if p.value >= 1.0 || p.value <= 0.0 {
        return String::new();
    }
    let decimals = probability_decimals(p);
    format!("[{}, {}]", fixed(p.low * 100.0, decimals), fixed(p.high * 100.0, decimals))
}

/// Two decimals near 0 and 1, none where the interval is wider than ten points.
fn probability_decimals(p: Interval) -> usize {
    match p.high - p.low {
        _ if p.value.min(1.0 - p.value) < 0.005 => 2,
        width if width > 0.1 => 0,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dollars_read_as_bills_do() {
        let expected = [
            (18.349, "$18.35"),
            (1240.4, "$1,240"),
            (999.999, "$1,000"),
            (12_345_678.0, "$12,345,678"),
            (0.0, "$0"),
            (0.5, "$0.50"),
            (0.00421, "$0.0042"),
            (-2.5, "−$2.50"),
        ];
        for (value, text) in expected {
            assert_eq!(usd(value), text);
        }
    }

    #[test]
    fn one_axis_has_one_unit_of_time() {
        assert_eq!(TimeUnit::for_axis(24.0).text(7.251), "7.25 h");
        assert_eq!(TimeUnit::for_axis(1.0).text(0.25), "15.00 min");
        assert_eq!(TimeUnit::for_axis(0.001).text(0.001), "3.60 s");
        assert_eq!(TimeUnit::for_axis(10_000.0).text(10_000.0), "416.7 d");
        assert_eq!(TimeUnit::for_axis(24.0).text(0.004), "0.0040 h");
    }

    #[test]
    fn chosen_times_are_as_short_as_they_were_given() {
        let expected = [(24.0, "24 h"), (168.0, "7 d"), (1.5, "90 min"), (0.25, "15 min"), (48.0, "2 d")];
        for (hours, text) in expected {
            assert_eq!(chosen_time(hours), text);
        }
    }

    /// Wilson's lower bound of 10,000 of 10,000 is n / (n + 1.96²) = 99.9616 %.
    #[test]
    fn all_of_the_replications_is_a_bound_not_a_certainty() {
        let all = Interval { value: 1.0, low: 0.999_616, high: 1.0 };
        assert_eq!((probability(all).as_str(), probability_interval(all).as_str()), ("> 99.96 %", ""));
        let none = Interval { value: 0.0, low: 0.0, high: 0.000_384 };
        assert_eq!(probability(none), "< 0.04 %");
        let most = Interval { value: 0.967, low: 0.9633, high: 0.9704 };
        assert_eq!(probability(most), "96.7 %");
        assert_eq!(probability_interval(most), "[96.3, 97.0]");
        let nearly = Interval { value: 0.99999, low: 0.9999, high: 1.0 };
        assert_eq!(probability(nearly), "99.99 %");
    }

    #[test]
    fn shares_keep_one_decimal_near_nothing_and_near_the_whole() {
        let shares = [0.41, 0.024, 0.0001, 0.0, 0.9971, 0.9999, 1.0].map(share);
        assert_eq!(shares, ["41 %", "2.4 %", "< 0.1 %", "0.0 %", "99.7 %", "> 99.9 %", "100 %"]);
    }
}
