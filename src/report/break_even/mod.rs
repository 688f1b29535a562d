//! What `spotsim break-even` says: the value at which the goal is met, how sure that is, and what lies about it.

mod data;
mod words;

pub use data::{csv, json};
pub use words::verdict;
pub(super) use words::{Scale, everywhere};

use super::number;
use super::text::{self, Column, Paint, hints, shell_file};
use crate::experiment::break_even::{BreakEven, Goal, KeyRange, Point};
use crate::stats::Interval;

/// Everything that is told.
#[derive(Debug, Clone, Copy)]
pub struct BreakEvenView<'a> {
    /// The scenario's name.
    pub name: &'a str,
    /// The scenario's question.
    pub title: &'a str,
    /// Of all random streams.
    pub seed: u64,
    /// At each value.
    pub replications: u64,
    /// The key as it was typed.
    pub key: &'a str,
    /// Its values.
    pub range: &'a KeyRange,
    /// Its value in the file, in the unit of the range.
    pub today: Option<f64>,
    /// The cluster.
    pub cluster: &'a str,
    /// The one that it is compared with.
    pub against: Option<&'a str>,
    /// What is to be met.
    pub goal: &'a Goal,
    /// What was found.
    pub found: &'a BreakEven,
}

/// What the text says beside it.
#[derive(Debug, Clone, Copy)]
pub struct Printed<'a> {
    /// Whether the terminal has colour.
    pub colour: bool,
    /// The scenario file, as it was named.
    pub file: &'a str,
    /// The folder, and what was written there.
    pub out: &'a str,
    /// Names of files in it.
    pub written: &'a [String],
}

/// The text for people, at most 100 columns wide.
pub fn table(view: &BreakEvenView<'_>, printed: &Printed<'_>) -> String {
    let paint = Paint { colour: printed.colour };
    let lines = |lines: Vec<String>| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let title = lines(text::wrapped(&text::inert(view.title), text::columns()));
    let verdict = text::wrapped(&verdict(view).join(" "), text::columns() - 2);
    let verdict = lines(verdict.iter().map(|line| format!("  {}", paint.bold(line))).collect());
    let notes = text::beside("Notes", &notes(view));
    let run = format!("spotsim run {}", shell_file(printed.file));
    let next = hints(&[(run, "the clusters with the file's value, in detail")], paint);
    let written = text::written(printed.out, printed.written);
    [title, verdict, grid(view, paint), notes, format!("{next}{written}")].join("\n")
}

/// The difference along the key, at most about a dozen values of it.
fn grid(view: &BreakEvenView<'_>, paint: Paint) -> String {
    const ROWS_MAX: usize = 13;
    let all: Vec<&Point> = view.found.grid().collect();
    let every = all.len().div_ceil(ROWS_MAX).max(1);
    let beside_root = |at: usize| {
        let holds = |from: usize| {
            from + 1 < all.len()
                && view
                    .found
                    .roots
                    .iter()
                    .any(|root| all[from].value <= root.behind && root.before <= all[from + 1].value)
        };
        holds(at) || at > 0 && holds(at - 1)
    };
    let shown = (0..all.len()).filter(|&at| at % every == 0 || at + 1 == all.len() || beside_root(at));
    let points: Vec<&Point> = shown.map(|at| all[at]).collect();
    let scale = Scale::of(view.range);
    let first =
        Column::figures(scale.head(view.key), points.iter().map(|point| scale.number(point.value)).collect());
    let known = || points.iter().filter_map(|point| point.difference).map(|d| d.value);
    // Beside hundreds nobody reads thousandths.
    let most = if known().any(|value| value.abs() >= 100.0) { 2 } else { usize::MAX };
    let decimals = number::decimals(known()).min(most);
    let cell = |point: &&Point| match point.difference {
        Some(difference) => number::with_interval(&difference, decimals),
        None => number::MISSING.to_owned(),
    };
    let head = match view.goal {
        Goal::SameCost => "costs more by, $ per finished run".to_owned(),
        Goal::Figure { name, value } => format!("{name} less {value}"),
    };
    let side = |point: &&Point| {
        point.difference.map_or("", |difference| words::side(view.goal, difference)).to_owned()
    };
    let columns = [
        Column::figures(head, points.iter().map(cell).collect()),
        Column::words("", points.iter().map(side).collect()),
    ];
    text::table(&first, &columns, paint)
}

fn notes(view: &BreakEvenView<'_>) -> Vec<String> {
    let mut notes = vec![format!(
        "{} values of {} were looked at, {} replications each, all in the same worlds (seed {}): what differs is \
         due to the value alone",
        number::count(view.found.points.len() as u64),
        text::name(view.key),
        number::count(view.replications),
        view.seed
    )];
    let of = match view.goal {
        Goal::SameCost => "of the paired difference",
        Goal::Figure { .. } => "of the figure",
    };
    notes.push(format!(
        "brackets about a value of the key hold all values at which the 95 % interval {of} holds the goal; more \
         replications make them narrower"
    ));
    let without = view.found.points.iter().filter(|point| point.difference.is_none()).count();
    if without > 0 {
        let value = if without == 1 { "value" } else { "values" };
        notes.push(format!("at {without} {value} no run finishes, or the figure does not exist"));
    }
    let unsure = view.found.grid().filter(|point| {
        let in_bracket =
            view.found.roots.iter().any(|root| root.low <= point.value && point.value <= root.high);
        !in_bracket && point.difference.is_some_and(|difference| !is_sure(difference))
    });
    match unsure.count() {
        0 => {}
        1 => notes.push("1 value of the table's grid outside of brackets is not sure either".to_owned()),
        more => {
            notes.push(format!("{more} values of the table's grid outside of brackets are not sure either"))
        }
    }
    notes
}

/// Whether a difference leaves no doubt of its sign.
pub(super) fn is_sure(difference: Interval) -> bool {
    difference.low > 0.0 || difference.high < 0.0
}
