//! Two results compared, for people.

mod data;
#[cfg(test)]
mod tests;

pub use data::{csv, json};

use super::number;
use super::text::{self, Column, Paint};
use crate::experiment::CONFIDENCE;
use crate::experiment::diff::{self, Comparison, Wins};
use crate::stats::{Interval, wilson};

/// Everything that the answer is made from.
#[derive(Debug, Clone, Copy)]
pub struct DiffView<'a> {
    /// The folders of A and B, as typed.
    pub folders: &'a [String; 2],
    /// The names of their scenarios.
    pub scenarios: [&'a str; 2],
    /// Their seeds.
    pub seeds: [u64; 2],
    /// Clusters of A beside clusters of B.
    pub compared: &'a [Compared],
    /// Whether escape sequences for colour are wanted.
    pub colour: bool,
}

/// A cluster of A beside one of B.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// The cluster of A.
    pub a: String,
    /// The cluster of B.
    pub b: String,
    /// What the intervals rest on.
    pub basis: Basis,
    /// B against A.
    pub comparison: Comparison,
}

/// Whether replications belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Basis {
    /// They do: both met the same worlds.
    Paired {
        /// How many.
        replications: u64,
    },
    /// They do not.
    Apart {
        /// Of A and of B.
        replications: [u64; 2],
        /// Why.
        why: &'static str,
    },
}

/// The text, at most 100 columns wide: a sentence and a table for each two clusters.
pub fn table(view: &DiffView<'_>) -> String {
    let paint = Paint { colour: view.colour };
    let verdicts = view.compared.iter().flat_map(|one| {
        let lines = text::wrapped(&verdict(one, view.compared.len() > 1), text::columns());
        lines.into_iter().map(|line| format!("{}\n", paint.bold(&line))).collect::<Vec<_>>()
    });
    let mut sections = vec![verdicts.collect::<String>(), sides(view)];
    for (at, one) in view.compared.iter().enumerate() {
        sections.push(figures(one, paint));
        // What holds of several tables is said beneath the last of them.
        let said = basis(one);
        if view.compared.get(at + 1).is_none_or(|next| basis(next) != said) {
            sections
                .push(text::wrapped(&said, text::columns()).iter().map(|line| format!("{line}\n")).collect());
        }
    }
    sections.join("\n")
}

/// "B saves $61.30 [60.20, 62.40] per finished run (29.0 %); cheaper in 97.8 % of replications; 6.20 h slower."
fn verdict(one: &Compared, is_one_of_several: bool) -> String {
    let of = match is_one_of_several {
        true if one.a == one.b => format!(" ({})", text::name(&one.b)),
        true => format!(" ({} for {})", text::name(&one.b), text::name(&one.a)),
        false => String::new(),
    };
    let mut parts = vec![format!("B{of} {}", cost(&one.comparison))];
    if let Some(Wins { b: Some(won), .. }) = one.comparison.wins.first() {
        parts.push(format!("cheaper in {} % of replications", number::share_value(won, replications(one))));
    }
    parts.extend(time(&one.comparison));
    format!("{}.", parts.join("; "))
}

/// Replications of A and of B.
fn sample_sizes(one: &Compared) -> [u64; 2] {
    match one.basis {
        Basis::Paired { replications } => [replications; 2],
        Basis::Apart { replications, .. } => replications,
    }
}

fn replications(one: &Compared) -> u64 {
    let [a, b] = sample_sizes(one);
    a.min(b)
}

fn cost(comparison: &Comparison) -> String {
    let figure = comparison.figure("cost_per_finished_usd");
    let Some(figure) = figure else { return "has no cost".to_owned() };
    let Some(difference) = figure.difference else {
        return match (figure.a, figure.b) {
            (_, None) => "never finishes".to_owned(),
            (None, _) => "finishes where A never does".to_owned(),
            _ => "has too few replications to be compared".to_owned(),
        };
    };
    let size = Interval {
        value: difference.value.abs(),
        low: difference.low.abs().min(difference.high.abs()),
        high: difference.low.abs().max(difference.high.abs()),
    };
    if difference.value == 0.0 && difference.half_width() == 0.0 {
        return "costs the same per finished run".to_owned();
    }
    if difference.low <= 0.0 && difference.high >= 0.0 {
        let bounds = number::with_interval(&difference, decimals(&difference));
        return format!("costs neither surely more nor surely less, ${bounds} per finished run");
    }
    let share = comparison
        .saved
        .map_or(String::new(), |saved| format!(" ({} %)", number::percent(saved.value.abs())));
    let dollars = number::with_interval(&size, decimals(&size));
    match difference.value < 0.0 {
        true => format!("saves ${dollars} per finished run{share}"),
        false => format!("costs ${dollars} more per finished run{share}"),
    }
}

fn time(comparison: &Comparison) -> Option<String> {
    let longer = comparison.figure("makespan_h")?.difference?;
    let told = number::hours(longer.value.abs());
    Some(match longer.value {
        0.0 => "as fast".to_owned(),
        _ if longer.low <= 0.0 && longer.high >= 0.0 => "neither surely slower nor surely faster".to_owned(),
        value if value > 0.0 => format!("{told} slower"),
        _ => format!("{told} faster"),
    })
}

/// Decimals that show an interval's width, two at least below a thousand.
fn decimals(of: &Interval) -> usize {
    let values = [of.value.abs(), of.half_width()];
    number::decimals(values.into_iter().filter(|value| *value >= 1e-3))
}

/// Which folder is which.
fn sides(view: &DiffView<'_>) -> String {
    let [a, b] = [0, 1].map(|side| {
        let (folder, scenario) = (text::inert(&view.folders[side]), text::inert(view.scenarios[side]));
        format!("{folder} ({scenario}, seed {})", view.seeds[side])
    });
    format!("{}{}", text::beside("A", &[a]), text::beside("B", &[b]))
}

fn figures(one: &Compared, paint: Paint) -> String {
    let names = [text::name(&one.a), text::name(&one.b)];
    let title = if one.a == one.b { names[0].clone() } else { format!("{} (A), {} (B)", names[0], names[1]) };
    let n = sample_sizes(one);
    let rows: Vec<Row> = one.comparison.figures.iter().map(|figure| Row::of(figure, n)).collect();
    let column = |head: &str, cell: fn(&Row) -> &String| {
        Column::figures(head, rows.iter().map(|row| cell(row).clone()).collect())
    };
    let first = Column::words(title, rows.iter().map(|row| row.name.to_owned()).collect());
    let columns =
        [column("A", |row| &row.a), column("B", |row| &row.b), column("B - A", |row| &row.difference)];
    let mut text = text::table(&first, &columns, paint);
    if !one.comparison.wins.is_empty() {
        text.push('\n');
        text += &wins(one, paint);
    }
    text
}

fn wins(one: &Compared, paint: Paint) -> String {
    let n = replications(one);
    let all = &one.comparison.wins;
    let words = |wins: &Wins| wins.name.replace('_', " ") + ", %";
    let share = |of: Option<Interval>| of.map_or(number::MISSING.to_owned(), |of| number::share(&of, n));
    let first = Column::words("replications in which it is", all.iter().map(words).collect());
    let columns = [
        Column::figures("A", all.iter().map(|wins| share(wins.a)).collect()),
        Column::figures("B", all.iter().map(|wins| share(wins.b)).collect()),
    ];
    text::table(&first, &columns, paint)
}

fn basis(one: &Compared) -> String {
    match &one.basis {
        Basis::Paired { replications } => format!(
            "{} replications in the same worlds, compared one by one. Makespans are of those that both finished; \
             cheaper and faster is who finishes and costs or takes less. Brackets: 95 % intervals, simulation error \
             only.",
            number::count(*replications)
        ),
        Basis::Apart { replications: [a, b], why } => format!(
            "Not compared one by one, as {why}: {} replications of A beside {} of B, as if independent, so the \
             intervals are wider than they might be. Makespans are of those that finished. Brackets: 95 % \
             intervals, simulation error only.",
            number::count(*a),
            number::count(*b)
        ),
    }
}

/// The line that tells how many replications finish.
const FINISHED: &str = "finished, %";

/// A line of the table.
struct Row {
    name: &'static str,
    a: String,
    b: String,
    difference: String,
}

impl Row {
    /// `n`: replications of A and of B.
    fn of(figure: &diff::Compared, n: [u64; 2]) -> Self {
        let (name, unit) = match figure.name {
            "cost_per_finished_usd" => ("cost per finished run, $", 1.0),
            "cost_usd" => ("cost of a replication, $", 1.0),
            "makespan_h" => ("makespan, h", 1.0),
            _ => (FINISHED, 100.0),
        };
        let difference = figure.difference.map(|of| Interval {
            value: of.value * unit,
            low: of.low * unit,
            high: of.high * unit,
        });
        let values = [figure.a, figure.b].into_iter().flatten().map(|value| value * unit);
        let places = values.chain(difference.map(|of| of.half_width())).filter(|value| value.abs() >= 1e-3);
        let places = number::decimals(places);
        let cell = |value: Option<f64>, n: u64| match value {
            None => number::MISSING.to_owned(),
            // None and all of the replications are told by their bound.
            Some(share @ (0.0 | 1.0)) if name == FINISHED => {
                let happened = if share > 0.0 { n } else { 0 };
                wilson(happened, n, CONFIDENCE).map_or(number::MISSING.to_owned(), |of| number::share(&of, n))
            }
            Some(value) => number::fixed(value * unit, places),
        };
        Self {
            name,
            a: cell(figure.a, n[0]),
            b: cell(figure.b, n[1]),
            difference: difference
                .map_or(number::MISSING.to_owned(), |of| number::with_interval(&of, places)),
        }
    }
}
