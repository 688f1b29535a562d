//! The values of a key between two ends, written as in a scenario.

use crate::units::Span;
use thiserror::Error;

/// From this ratio of the ends on, values are spread by ratio.
const LOGARITHMIC_FROM: f64 = 8.0;

/// What stands behind a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unit {
    /// Any unit of time; numbers are seconds.
    Time,
    /// As written, empty for none.
    Named(String),
}

/// All values between two ends.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyRange {
    /// The lower end.
    pub from: f64,
    /// The upper end.
    pub to: f64,
    /// Of both.
    pub unit: Unit,
    /// Whether values are spread by ratio.
    pub is_log: bool,
    /// Whether only whole numbers are meant.
    pub is_whole: bool,
}

/// Why two texts are not the ends of a range.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum RangeError {
    /// Not a number with or without a unit.
    #[error("`{0}` is not a number, with its unit if it has one: `5 min`, `0.5 USD/h`, `8`")]
    NoNumber(String),
    /// Less than no time.
    #[error("`{0}` is negative; a time must not be")]
    Negative(String),
    /// Numbers of different units.
    #[error("`{0}` and `{1}` are of different units")]
    Units(String, String),
    /// No values between.
    #[error("`{0}` must be below `{1}`")]
    Order(String, String),
    /// No ratio of what is not above 0.
    #[error("`{0}` must be above 0 on a scale of logarithms")]
    Logarithm(String),
}

impl KeyRange {
    /// Between the values that `from` and `to` say. Bare numbers without a decimal point mean whole numbers.
    /// `is_log` as asked, else by the ratio of the ends.
    pub fn read(from: &str, to: &str, is_log: Option<bool>) -> Result<Self, RangeError> {
        let (low, high) = (amount(from)?, amount(to)?);
        if low.1 != high.1 {
            return Err(RangeError::Units(from.to_owned(), to.to_owned()));
        }
        if low.0 >= high.0 {
            return Err(RangeError::Order(from.to_owned(), to.to_owned()));
        }
        if is_log == Some(true) && low.0 <= 0.0 {
            return Err(RangeError::Logarithm(from.to_owned()));
        }
        let whole = |text: &str| text.replace('_', "").trim().parse::<i64>().is_ok();
        let is_log = is_log.unwrap_or(low.0 > 0.0 && high.0 / low.0 >= LOGARITHMIC_FROM);
        Ok(Self { from: low.0, to: high.0, unit: low.1, is_log, is_whole: whole(from) && whole(to) })
    }

    /// A value of this range's unit that a scenario has; `None` if it is no such number.
    pub fn number(&self, text: &str) -> Option<f64> {
        amount(text).ok().filter(|(_, unit)| *unit == self.unit).map(|(number, _)| number)
    }

    /// A value as it is written in a scenario, without the quotes.
    pub fn text(&self, number: f64) -> String {
        match &self.unit {
            Unit::Time => Span::from_secs_saturating(number).to_string(),
            Unit::Named(unit) => format!("{number} {unit}").trim_end().to_owned(),
        }
    }

    /// Half-way between two values.
    pub fn middle(&self, low: f64, high: f64) -> f64 {
        match (self.is_whole, self.is_log) {
            (true, _) => libm::floor((low + high) / 2.0),
            (false, true) => (low * high).sqrt(),
            (false, false) => low + 0.5 * (high - low),
        }
    }

    /// Values from end to end, at most so many: evenly, by difference or by ratio.
    pub fn grid(&self, most: usize) -> Vec<f64> {
        let last = most.max(2) - 1;
        let at = |step: usize| match step as f64 / last as f64 {
            share if share >= 1.0 => self.to,
            share if share <= 0.0 => self.from,
            share if self.is_log => self.from * libm::pow(self.to / self.from, share),
            share => self.from + share * (self.to - self.from),
        };
        if !self.is_whole {
            return (0..=last).map(at).collect();
        }
        if self.to - self.from <= last as f64 {
            return (0..=(self.to - self.from) as usize).map(|step| self.from + step as f64).collect();
        }
        let mut grid: Vec<f64> = (0..=last).map(|step| libm::round(at(step))).collect();
        grid.dedup();
        grid
    }
}

fn amount(text: &str) -> Result<(f64, Unit), RangeError> {
    let text = text.trim().trim_matches('"').trim();
    if let Ok(span) = text.parse::<Span>() {
        return Ok((span.as_secs(), Unit::Time));
    }
    if let Ok(number) = text.parse::<f64>() {
        let finite = number.is_finite().then_some((number, Unit::Named(String::new())));
        return finite.ok_or_else(|| RangeError::NoNumber(text.to_owned()));
    }
    let end = text.find(|c: char| !matches!(c, '0'..='9' | '.' | '-' | '+' | '_'));
    let (number, unit) = text.split_at(end.unwrap_or(text.len()));
    if number.starts_with('-') && format!("1 {unit}").parse::<Span>().is_ok() {
        return Err(RangeError::Negative(text.to_owned()));
    }
    let number: Option<f64> = number.replace('_', "").parse().ok().filter(|number: &f64| number.is_finite());
    let number = number.ok_or_else(|| RangeError::NoNumber(text.to_owned()))?;
    Ok((number, Unit::Named(unit.trim().to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(from: &str, to: &str) -> KeyRange {
        KeyRange::read(from, to, None).unwrap()
    }

    #[test]
    fn times_of_any_unit_are_one_range_and_others_must_agree() {
        let times = read("10 min", "24 h");
        assert_eq!((times.from, times.to, times.is_log), (600.0, 86_400.0, true));
        assert_eq!(times.text(90.0), "90 s");
        let price = read("0.5 USD/h", "1 USD/h");
        assert_eq!((price.text(0.75).as_str(), price.is_log, price.is_whole), ("0.75 USD/h", false, false));
        let error = KeyRange::read("1 h", "2 USD/h", None).unwrap_err();
        assert_eq!(error.to_string(), "`1 h` and `2 USD/h` are of different units");
        assert!(KeyRange::read("2", "2", None).is_err() && KeyRange::read("x", "2", None).is_err());
        assert!(KeyRange::read("0.1", "1e999", None).unwrap_err().to_string().contains("not a number"));
        assert!(KeyRange::read("0", "2", Some(true)).is_err());
        assert_eq!(read("1e-3", "0.5").from, 0.001);
        let error = KeyRange::read("-5 min", "5 min", None).unwrap_err();
        assert_eq!(error.to_string(), "`-5 min` is negative; a time must not be");
    }

    #[test]
    fn bare_whole_numbers_stay_whole() {
        assert_eq!(read("1", "8").grid(24), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
        assert!(read("1", "1000").grid(24).iter().all(|value| value.fract() == 0.0));
        assert!(!read("0.0", "1").is_whole);
        assert_eq!(read("1", "8").middle(3.0, 6.0), 4.0);
    }

    #[test]
    fn a_grid_ends_at_its_ends() {
        let grid = read("10 min", "24 h").grid(24);
        assert_eq!((grid.len(), grid[0], grid[23]), (24, 600.0, 86_400.0));
        assert!((grid[1] / grid[0] - grid[23] / grid[22]).abs() < 1e-9);
    }
}
