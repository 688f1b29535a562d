//! The sentences that answer the question.

use super::{SweepView, number, text};
use crate::experiment::sweep::{Point, RELIABLE, Scale, SweepAxis, SweepRows};

/// Keys told in one sentence.
const TOLD_MAX: usize = 5;

/// Keys as people say them: `uptime mean` of `capacity.renewal.uptime.weibull.mean`, else the end of the key. Where that
/// does not tell two apart, as much of the end of both keys as does.
pub fn keys(rows: &SweepRows) -> Vec<String> {
    let said: Vec<String> = rows.keys.iter().map(|key| said(key)).collect();
    let is_own = |name: &String| said.iter().filter(|other| *other == name).count() == 1;
    let names = said.iter().zip(&rows.keys);
    names.map(|(name, key)| if is_own(name) { name.clone() } else { longer(key, rows) }).collect()
}

/// What the term of a law belongs to stands before it and the law's kind; `every` alone would say nothing.
pub(in super::super) fn said(key: &str) -> String {
    const KINDS: [&str; 7] =
        ["exponential", "weibull", "lognormal", "gamma", "uniform", "bathtub", "constant"];
    let parts: Vec<&str> = key.split('.').collect();
    match parts[..] {
        [.., thing, kind, term] if KINDS.contains(&kind) => format!("{thing} {term}"),
        [.., table, "every"] => format!("{table} every"),
        _ => parts.last().map_or_else(String::new, |last| (*last).to_owned()),
    }
}

/// As much of the end of a key as tells it from the others.
fn longer(key: &str, rows: &SweepRows) -> String {
    let end = |key: &str, parts: usize| {
        let all: Vec<&str> = key.split('.').collect();
        all[all.len().saturating_sub(parts)..].join(".")
    };
    let parts = key.split('.').count();
    let is_own = |parts: &usize| {
        let own = end(key, *parts);
        rows.keys.iter().filter(|other| end(other, *parts) == own).count() == 1
    };
    end(key, (1..parts).find(is_own).unwrap_or(parts))
}

/// Significant digits of a value that was sampled.
const DIGITS: i32 = 4;

/// A number with no more digits than are read: `20.93`.
fn short(number: f64) -> String {
    let exponent = if number == 0.0 { 0 } else { libm::floor(libm::log10(number.abs())) as i32 };
    let decimals = (DIGITS - 1 - exponent).clamp(0, 9) as usize;
    let text = number::fixed(number, decimals);
    if decimals > 0 { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A value with no more digits than are read: `20.93 h` of `20.934861 h`.
pub(in super::super) fn rounded(value: &str) -> String {
    let (digits, unit) = value.split_once(' ').unwrap_or((value, ""));
    match digits.parse::<f64>() {
        Ok(exact) if exact.is_finite() && digits.len() > DIGITS as usize + 1 && digits.contains('.') => {
            format!("{} {unit}", short(exact)).trim_end().to_owned()
        }
        _ => value.to_owned(),
    }
}

/// [`rounded`], a time in another unit where that is no longer: `2 h` of `120 min`, `5.182 min` of `310.92 s`.
pub(in super::super) fn readable(value: &str) -> String {
    const UNITS: [(&str, f64); 4] = [("d", 86_400.0), ("h", 3_600.0), ("min", 60.0), ("s", 1.0)];
    let own = rounded(value);
    let (Some((digits, unit)), Some((shown, _))) = (value.split_once(' '), own.split_once(' ')) else {
        return own;
    };
    let place = UNITS.iter().position(|(name, _)| *name == unit);
    let (Ok(number), Some(place)) = (digits.parse::<f64>(), place) else { return own };
    let other = match number {
        large if large >= 100.0 => place.checked_sub(1),
        small if small > 0.0 && small < 1.0 => Some(place + 1),
        _ => None,
    };
    let Some((name, seconds)) = other.and_then(|other| UNITS.get(other)) else { return own };
    let text = short(number * UNITS[place].1 / seconds);
    if text.len() <= shown.len() { readable(&format!("{text} {name}")) } else { own }
}

/// Values of a key as a column or an axis has them: in one unit, which stands in its head.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) struct KeyUnit {
    /// Values of the sweep in one of these.
    pub(in super::super) per: f64,
    /// Empty for none.
    pub(in super::super) sign: String,
}

impl KeyUnit {
    /// Times in the unit that suits their middle; `None` where values are words.
    pub(in super::super) fn of(axis: &SweepAxis) -> Option<Self> {
        const UNITS: [(f64, &str, f64); 3] =
            [(1.0 / 30.0, "s", 1.0 / 3_600.0), (2.0, "min", 1.0 / 60.0), (500.0, "h", 1.0)];
        let Scale::Numbers { unit, is_geometric } = &axis.scale else { return None };
        if unit != "h" {
            return Some(Self { per: 1.0, sign: unit.clone() });
        }
        let (low, high) = (axis.values.first()?.0, axis.values.last()?.0);
        let middle = if *is_geometric { (low * high).sqrt() } else { high };
        let known = UNITS.into_iter().find(|(below, _, _)| middle < *below);
        let (_, sign, per) = known.unwrap_or((f64::INFINITY, "d", 24.0));
        Some(Self { per, sign: sign.to_owned() })
    }

    /// A value without its unit.
    pub(in super::super) fn text(&self, value: f64) -> String {
        short(value / self.per)
    }

    /// `uptime mean, h`.
    pub(in super::super) fn head(&self, key: &str) -> String {
        if self.sign.is_empty() { key.to_owned() } else { format!("{key}, {}", self.sign) }
    }
}

/// `Spot with nodes = 2, checkpoint every = 30 min`.
pub(in super::super) fn place(view: &SweepView<'_>, point: &Point) -> String {
    let values = values(view, point);
    let with = if values.is_empty() { String::new() } else { format!(" with {values}") };
    format!("{}{with}", text::name(&view.row(point).cluster))
}

/// `nodes = 2, checkpoint every = 30 min`.
pub(in super::super) fn values(view: &SweepView<'_>, point: &Point) -> String {
    let row = view.row(point);
    let mut pairs: Vec<String> = keys(view.rows)
        .iter()
        .zip(&row.values)
        .map(|(key, value)| format!("{} = {}", text::inert(key), text::name(&readable(value))))
        .collect();
    let more = pairs.len().saturating_sub(TOLD_MAX);
    if more > 0 {
        pairs.truncate(TOLD_MAX);
        pairs.push(format!("{more} more"));
    }
    pairs.join(", ")
}

/// The cheapest with its interval and rivals, the fastest, and how long the front is.
pub fn sentences(view: &SweepView<'_>) -> Vec<String> {
    let found = view.found;
    let (Some(best), Some(fastest)) = (found.cheapest(), found.fastest()) else {
        return vec!["No configuration has a finished run.".to_owned()];
    };
    let decimals = number::decimals([best.cost_usd.value]);
    let interval = match best.cost_usd.low < best.cost_usd.high {
        true => {
            let [low, high] = [best.cost_usd.low, best.cost_usd.high].map(|end| number::fixed(end, decimals));
            format!(" [{low}, {high}]")
        }
        false => String::new(),
    };
    let mut all = vec![format!(
        "Cheapest is {}: {}{interval} per finished run, in {}{}.",
        place(view, best),
        number::usd(best.cost_usd.value),
        number::hours(best.time_h.value),
        unfinished(best),
    )];
    all.extend(reliable(view, best));
    match found.as_cheap() {
        0 => {}
        1 => all.push("1 other row may be as cheap: its interval reaches into this one.".to_owned()),
        more => all.push(format!(
            "{} other rows may be as cheap: their intervals reach into this one.",
            number::count(more as u64)
        )),
    }
    if fastest.row == best.row {
        all.push("It is the fastest too.".to_owned());
        return all;
    }
    all.push(format!(
        "Fastest is {}: {}, for {}{}.",
        place(view, fastest),
        number::hours(fastest.time_h.value),
        number::usd(fastest.cost_usd.value),
        unfinished(fastest),
    ));
    let (front, rows) = (found.front().count() as u64, found.points.len() as u64);
    all.push(format!(
        "{} of {} rows are on the front: none other is both cheaper and faster.",
        number::count(front),
        number::count(rows)
    ));
    all
}

/// Where the cheapest is too often late: the cheapest that is not.
fn reliable(view: &SweepView<'_>, best: &Point) -> Option<String> {
    let share = best.in_time.filter(|share| *share < RELIABLE)?;
    let late = format!("It is in time in {} % of replications", number::percent(share));
    let least = number::fixed(RELIABLE * 100.0, 0);
    let on_time = |point: &&Point| point.in_time.is_none_or(|share| share >= RELIABLE);
    Some(match view.found.points.iter().find(on_time) {
        Some(other) => format!(
            "{late}; the cheapest that is in at least {least} % is {}: {}, in {}.",
            place(view, other),
            number::usd(other.cost_usd.value),
            number::hours(other.time_h.value),
        ),
        None => format!("{late}, and no row is in at least {least} %."),
    })
}

fn unfinished(point: &Point) -> String {
    match 1.0 - point.finishes {
        share if share > 0.0 => format!(" (unfinished: {} %)", number::percent(share)),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sampled_values_are_rounded_and_chosen_ones_stay() {
        let told = ["20.934861 h", "15 min", "0.000123456", "123456 steps", "2.0 x y", "a"].map(rounded);
        assert_eq!(told, ["20.93 h", "15 min", "0.0001235", "123456 steps", "2.0 x y", "a"]);
    }

    #[test]
    fn a_time_is_said_in_the_unit_in_which_it_is_short() {
        let told =
            ["120 min", "90 min", "200 s", "310.921875 s", "0.811236 h", "1440 min", "336 h", "0.25 x"];
        let right = ["2 h", "90 min", "200 s", "5.182 min", "48.67 min", "24 h", "14 d", "0.25 x"];
        assert_eq!(told.map(readable), right);
    }

    /// The middle of 20 min and 24 h, by ratio, is 2.8 h.
    #[test]
    fn a_column_of_times_has_the_unit_of_their_middle() {
        let text =
            "configuration,k,cluster,status\n0,20 min,c,simulated\n1,3 h,c,simulated\n2,24 h,c,simulated\n";
        let rows = SweepRows::read(text.as_bytes()).unwrap();
        let axis = &crate::experiment::sweep::axes(&rows)[0];
        let unit = KeyUnit::of(axis).unwrap();
        let told: Vec<String> = axis.values.iter().map(|(value, _)| unit.text(*value)).collect();
        assert_eq!(
            (unit.head("k").as_str(), told),
            ("k, h", ["0.3333", "3", "24"].map(str::to_owned).to_vec())
        );
    }

    #[test]
    fn keys_are_said_by_what_they_belong_to() {
        let of = [
            "capacity.renewal.uptime.weibull.mean",
            "start.restore",
            "cluster.0.pricing.spot",
            "pricing.spot",
        ];
        let rows = SweepRows { keys: of.map(str::to_owned).to_vec(), ..SweepRows::default() };
        assert_eq!(keys(&rows), ["uptime mean", "restore", "0.pricing.spot", "pricing.spot"]);
    }

    #[test]
    fn keys_are_as_short_as_tells_them_apart() {
        let of = ["job.deadline", "cluster.a.nodes", "cluster.b.nodes", "seed"].map(str::to_owned).to_vec();
        let rows = SweepRows { keys: of, ..SweepRows::default() };
        assert_eq!(keys(&rows), ["deadline", "a.nodes", "b.nodes", "seed"]);
    }
}
