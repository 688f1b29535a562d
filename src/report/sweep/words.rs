//! The sentences that answer the question.

use super::{SweepView, number, text};
use crate::experiment::sweep::{Point, SweepRows};

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

/// What the term of a law belongs to stands before it and the law's kind.
fn said(key: &str) -> String {
    const KINDS: [&str; 7] =
        ["exponential", "weibull", "lognormal", "gamma", "uniform", "bathtub", "constant"];
    let parts: Vec<&str> = key.split('.').collect();
    match parts[..] {
        [.., thing, kind, term] if KINDS.contains(&kind) => format!("{thing} {term}"),
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

/// A value with no more digits than are read: `20.93 h` of `20.934861 h`.
pub(in super::super) fn rounded(value: &str) -> String {
    const DIGITS: i32 = 4;
    let (digits, unit) = value.split_once(' ').unwrap_or((value, ""));
    match digits.parse::<f64>() {
        Ok(exact) if exact.is_finite() && digits.len() > DIGITS as usize + 1 && digits.contains('.') => {
            let exponent = if exact == 0.0 { 0 } else { libm::floor(libm::log10(exact.abs())) as i32 };
            let decimals = (DIGITS - 1 - exponent).clamp(0, 9) as usize;
            let text = format!("{exact:.decimals$}");
            let text = if decimals > 0 { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
            format!("{text} {unit}").trim_end().to_owned()
        }
        _ => value.to_owned(),
    }
}

/// `Spot with nodes = 2, every = 30 min`.
pub(in super::super) fn place(view: &SweepView<'_>, point: &Point) -> String {
    let row = view.row(point);
    let mut pairs: Vec<String> = keys(view.rows)
        .iter()
        .zip(&row.values)
        .map(|(key, value)| format!("{} = {}", text::inert(key), text::name(&rounded(value))))
        .collect();
    let more = pairs.len().saturating_sub(TOLD_MAX);
    if more > 0 {
        pairs.truncate(TOLD_MAX);
        pairs.push(format!("{more} more"));
    }
    let with = if pairs.is_empty() { String::new() } else { format!(" with {}", pairs.join(", ")) };
    format!("{}{with}", text::name(&row.cluster))
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
        1 => all.push("1 other row may be as cheap: their intervals overlap.".to_owned()),
        more => all.push(format!(
            "{} other rows may be as cheap: their intervals overlap.",
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

/// Share of replications that must meet the deadline before a row is called reliable, as `run` has it.
const RELIABLE: f64 = 0.9;

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
