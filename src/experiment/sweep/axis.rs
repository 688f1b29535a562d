//! The keys of a sweep as axes: numbers with a unit, or words.

use super::SweepRows;
use crate::units::Span;

/// Neighbours whose ratios differ by less than this share are steps of one ratio.
const ALIKE: f64 = 0.35;
/// From this ratio of the largest to the smallest value on, steps may be read as ratios.
const GEOMETRIC_FROM: f64 = 4.0;

/// One key, and what its values are.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepAxis {
    /// Dotted.
    pub key: String,
    /// Its place among the keys.
    pub number: usize,
    /// How its values are laid out.
    pub scale: Scale,
    /// Place of each row's value on the axis: its number, or that of its word.
    pub at: Vec<f64>,
    /// Different values in order, with their texts.
    pub values: Vec<(f64, String)>,
}

/// What values of a key are.
#[derive(Debug, Clone, PartialEq)]
pub enum Scale {
    /// Numbers of one unit; times in hours.
    Numbers {
        /// As written behind the number, empty for a plain one.
        unit: String,
        /// Whether steps are ratios rather than differences.
        is_geometric: bool,
    },
    /// Words in the order in which they first occur.
    Words,
}

impl SweepAxis {
    /// Whether its values are numbers.
    pub fn is_numeric(&self) -> bool {
        matches!(self.scale, Scale::Numbers { .. })
    }

    /// Place of a value among the different ones.
    pub fn rank(&self, row: usize) -> usize {
        self.values.partition_point(|(value, _)| *value < self.at[row])
    }
}

/// The axes of all keys, those with a single value too.
pub fn axes(rows: &SweepRows) -> Vec<SweepAxis> {
    (0..rows.keys.len()).map(|key| axis(rows, key)).collect()
}

/// Whether every combination of the axes' values occurs once: then neighbours can be drawn as such.
pub fn is_grid(rows: &SweepRows, axes: &[SweepAxis]) -> bool {
    let cells = axes.iter().try_fold(1_usize, |cells, axis| cells.checked_mul(axis.values.len()));
    let mut places: Vec<Vec<usize>> =
        (0..rows.rows.len()).map(|row| axes.iter().map(|axis| axis.rank(row)).collect()).collect();
    places.sort_unstable();
    places.dedup();
    cells == Some(places.len()) && places.len() as u64 == rows.configurations()
}

fn axis(rows: &SweepRows, key: usize) -> SweepAxis {
    let texts: Vec<&str> = rows.rows.iter().map(|row| row.values[key].trim_matches('"')).collect();
    let numbers = numbers(&texts);
    let (at, unit) = match numbers {
        Some((at, unit)) => (at, Some(unit)),
        None => (words(&texts), None),
    };
    let mut values: Vec<(f64, String)> =
        at.iter().copied().zip(texts.iter().map(|text| (*text).to_owned())).collect();
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    values.dedup_by(|a, b| a.0 == b.0);
    let scale = match unit {
        Some(unit) => Scale::Numbers { unit, is_geometric: is_geometric(&values) },
        None => Scale::Words,
    };
    SweepAxis { key: rows.keys[key].clone(), number: key, scale, at, values }
}

/// Numbers and their unit, if all have the same; times of any unit in hours.
fn numbers(texts: &[&str]) -> Option<(Vec<f64>, String)> {
    let spans: Option<Vec<f64>> =
        texts.iter().map(|text| text.parse::<Span>().ok().map(Span::as_hours)).collect();
    if let Some(hours) = spans.filter(|hours| !hours.is_empty()) {
        return Some((hours, "h".to_owned()));
    }
    let split = |text: &str| {
        let (number, unit) = text.split_once(' ').unwrap_or((text, ""));
        let number: f64 = number.replace('_', "").parse().ok().filter(|number: &f64| number.is_finite())?;
        // What is no unit of one word is a text that begins with a number: "4 x g5".
        (!unit.contains(' ')).then(|| (number, unit.to_owned()))
    };
    let split: Option<Vec<(f64, String)>> = texts.iter().map(|text| split(text)).collect();
    let split = split?;
    let unit = split.first()?.1.clone();
    let alike = split.iter().all(|(_, other)| *other == unit);
    alike.then(|| (split.into_iter().map(|(number, _)| number).collect(), unit))
}

fn words(texts: &[&str]) -> Vec<f64> {
    let mut seen: Vec<&str> = Vec::new();
    for text in texts {
        if !seen.contains(text) {
            seen.push(text);
        }
    }
    let place = |text: &&str| seen.iter().position(|other| other == text).unwrap_or_default() as f64;
    texts.iter().map(place).collect()
}

/// Whether steps are nearer to one ratio than to one difference.
fn is_geometric(values: &[(f64, String)]) -> bool {
    let numbers: Vec<f64> = values.iter().map(|(number, _)| *number).collect();
    let [first, .., last] = numbers[..] else { return false };
    if first <= 0.0 || last / first < GEOMETRIC_FROM {
        return false;
    }
    let spread = |steps: Vec<f64>| {
        let (least, most) = steps.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), s| (a.min(*s), b.max(*s)));
        most / least - 1.0
    };
    let ratios = spread(numbers.windows(2).map(|pair| libm::log(pair[1] / pair[0])).collect());
    let differences = spread(numbers.windows(2).map(|pair| pair[1] - pair[0]).collect());
    ratios < ALIKE || ratios < differences
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(texts: &[&str]) -> SweepAxis {
        let keys = "configuration,k,cluster,status\n".to_owned();
        let table =
            texts.iter().enumerate().fold(keys, |all, (n, text)| all + &format!("{n},{text},c,simulated\n"));
        axes(&SweepRows::read(table.as_bytes()).unwrap()).remove(0)
    }

    fn unit(axis: &SweepAxis) -> (&str, bool) {
        match &axis.scale {
            Scale::Numbers { unit, is_geometric } => (unit, *is_geometric),
            Scale::Words => ("words", false),
        }
    }

    #[test]
    fn values_are_numbers_where_they_have_one_unit() {
        let times = of(&["90 min", "1 h", "2 h"]);
        assert_eq!((unit(&times), &times.at[..]), (("h", false), &[1.5, 1.0, 2.0][..]));
        assert_eq!(unit(&of(&["1", "2", "4", "8"])), ("", true));
        assert_eq!(unit(&of(&["1 USD/h", "2 USD/h", "3 USD/h"])), ("USD/h", false));
        let words = of(&["spot", "on-demand", "spot"]);
        assert_eq!((unit(&words), &words.at[..]), (("words", false), &[0.0, 1.0, 0.0][..]));
        assert_eq!(unit(&of(&["1 GB", "1 GiB"])).0, "words");
    }

    #[test]
    fn a_grid_has_each_combination_once() {
        let grid = |body: &str| {
            let text = format!("configuration,a,b,cluster,status\n{body}");
            let rows = SweepRows::read(text.as_bytes()).unwrap();
            is_grid(&rows, &axes(&rows))
        };
        assert!(grid("0,1,x,c,simulated\n1,1,y,c,simulated\n2,2,x,,invalid\n3,2,y,c,simulated\n"));
        assert!(!grid("0,1,x,c,simulated\n1,2,y,c,simulated\n"));
    }
}
