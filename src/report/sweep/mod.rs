//! What `spotsim sweep` says: the cheapest, the fastest, and what nothing else beats in both.

mod data;
#[cfg(test)]
pub mod fixture;
mod words;

pub use data::{json, pareto};
pub(super) use words::{KeyUnit, place, readable, rounded, said, values};
pub use words::{keys, sentences};

use super::number;
use super::text::{self, Column, Kind, Paint, hints, shell_file};
use crate::experiment::CONFIDENCE;
use crate::experiment::sweep::{Found, Point, RELIABLE, SweepAxis, SweepRow, SweepRows, axes};
use crate::scenario::plan::Market;
use crate::stats::wilson;

/// Rows of the table that are told for their cost alone.
const CHEAPEST_MAX: usize = 10;
/// Rows of the table that are told for being on the front.
const FRONT_MAX: usize = 12;
/// Columns that a cluster's name keeps where all else then fits on a line.
const NAME_LEAST: usize = 20;
/// Columns of a value in the table.
const VALUE_MAX: usize = 24;

/// A sweep and what is known of it beside its rows.
#[derive(Debug, Clone, Copy)]
pub struct SweepView<'a> {
    /// The scenario's name.
    pub name: &'a str,
    /// The scenario's question.
    pub title: &'a str,
    /// Of all random streams.
    pub seed: u64,
    /// All that is complete.
    pub rows: &'a SweepRows,
    /// What they say, by [`crate::experiment::sweep::found`].
    pub found: &'a Found,
    /// Market of each cluster by its name; of others it is Spot.
    pub markets: &'a [(String, Market)],
    /// What the measured kernels that it tried are and changed of a step.
    pub calibrations: &'a [String],
}

impl<'a> SweepView<'a> {
    /// The market of a row's cluster.
    pub fn market(&self, row: &SweepRow) -> Market {
        let known = self.markets.iter().find(|(name, _)| *name == row.cluster);
        known.map_or(Market::Spot, |(_, market)| *market)
    }

    /// The row of a point.
    pub fn row(&self, point: &Point) -> &'a SweepRow {
        &self.rows.rows[point.row]
    }
}

/// What the text says beside the sweep.
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
pub fn table(view: &SweepView<'_>, printed: &Printed<'_>) -> String {
    let paint = Paint { colour: printed.colour };
    let lines = |lines: Vec<String>| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let title = lines(text::wrapped(&text::inert(view.title), text::columns()));
    let verdict = text::wrapped(&sentences(view).join(" "), text::columns() - 2);
    let verdict = lines(verdict.iter().map(|line| format!("  {}", paint.bold(line))).collect());
    let next = hints(&next(view, printed), paint) + &text::written(printed.out, printed.written);
    let sections = [
        title,
        verdict,
        best_rows(view, paint),
        text::beside("Kernels", &kernels(view)),
        text::beside("Notes", &notes(view)),
        next,
    ];
    let shown: Vec<String> = sections.into_iter().filter(|section| !section.is_empty()).collect();
    shown.join("\n")
}

/// What the text says, for another layout: nothing is wrapped, coloured or escaped, names are inert.
#[derive(Debug)]
pub(super) struct Told {
    /// The sentences that answer the question.
    pub(super) verdict: Vec<String>,
    /// The best rows: their numbers, and what they are and found; `None` without a finished run.
    pub(super) best: Option<(Column, Vec<Column>)>,
    /// Their clusters, as in the rows.
    pub(super) clusters: Vec<String>,
    /// How many rows are left out.
    pub(super) left_out: Vec<String>,
    /// On measured kernels.
    pub(super) kernels: Vec<String>,
    /// How it is to be read.
    pub(super) notes: Vec<String>,
}

/// The pieces of [`table`] that hold answers.
pub(super) fn told(view: &SweepView<'_>) -> Told {
    let points = best(view.found);
    let best = (!points.is_empty()).then(|| {
        let columns = [names(view, &points, usize::MAX), figures(&points), key_columns(view, &points)];
        (numbers(view, &points), columns.concat())
    });
    Told {
        verdict: sentences(view),
        best,
        clusters: points.iter().map(|point| view.row(point).cluster.clone()).collect(),
        left_out: left_out(view, &points).into_iter().collect(),
        kernels: kernels(view),
        notes: notes(view),
    }
}

fn left_out(view: &SweepView<'_>, points: &[&Point]) -> Option<String> {
    let more = view.rows.rows.len() - points.len();
    (more > 0).then(|| format!("{} more in sweep.csv", number::count(more as u64)))
}

fn numbers(view: &SweepView<'_>, points: &[&Point]) -> Column {
    let numbers = points.iter().map(|point| number::count(view.row(point).configuration));
    Column::figures("no.", numbers.collect())
}

/// The points that the table tells, the cheapest first.
fn best(found: &Found) -> Vec<&Point> {
    let mut front = 0;
    let is_told = |(place, point): &(usize, &Point)| {
        front += usize::from(point.on_front);
        *place < CHEAPEST_MAX || point.on_front && front <= FRONT_MAX
    };
    found.points.iter().enumerate().filter(is_told).map(|(_, point)| point).collect()
}

fn best_rows(view: &SweepView<'_>, paint: Paint) -> String {
    let points = best(view.found);
    if points.is_empty() {
        return String::new();
    }
    let first = numbers(view, &points);
    let (keys, figures) = (key_columns(view, &points), figures(&points));
    let on_one_line = |name_max: usize| {
        let columns = [names(view, &points, name_max), keys.clone(), figures.clone()].concat();
        text::fits(&first, &columns).then_some(columns)
    };
    // Where not all fits on a line the answer comes first, the values beneath.
    let two_tables = || [names(view, &points, text::columns()), figures.clone(), keys.clone()].concat();
    let columns = on_one_line(text::columns()).or_else(|| on_one_line(NAME_LEAST)).unwrap_or_else(two_tables);
    let table = text::table(&first, &columns, paint);
    match left_out(view, &points) {
        None => table,
        Some(more) => format!("{table}… {more}\n"),
    }
}

/// The cluster in at most so many columns, where there are several, and why a row is told.
fn names(view: &SweepView<'_>, points: &[&Point], name_max: usize) -> Vec<Column> {
    let short = |cluster: &str| text::shortened(&text::name(cluster), name_max);
    let all = view.rows.clusters();
    let is_own = |one: &String| all.iter().filter(|other| short(other) == short(one)).count() == 1;
    let name = |cluster: &str| if all.iter().all(is_own) { short(cluster) } else { text::name(cluster) };
    let mut columns = Vec::new();
    if all.len() > 1 {
        columns.push(Column {
            head: "cluster".to_owned(),
            cells: points.iter().map(|point| name(&view.row(point).cluster)).collect(),
            kind: Kind::Names(points.iter().map(|point| view.market(view.row(point))).collect()),
        });
    }
    let marks = points.iter().map(|point| mark(view.found, point).to_owned());
    columns.push(Column::words("", marks.collect()));
    columns
}

/// A column a key: numbers with their unit in the head, or words.
fn key_columns(view: &SweepView<'_>, points: &[&Point]) -> Vec<Column> {
    let column = |(axis, name): (SweepAxis, String)| {
        let name = text::shortened(&name, VALUE_MAX);
        let unit = KeyUnit::of(&axis);
        let cell = |point: &&Point| match &unit {
            Some(unit) => unit.text(axis.at[point.row]),
            None => text::shortened(view.row(point).values[axis.number].trim_matches('"'), VALUE_MAX),
        };
        let cells = points.iter().map(cell).collect();
        let head = unit.as_ref().map_or(name.clone(), |unit| text::shortened(&unit.head(&name), VALUE_MAX));
        Column::figures(head, cells).with_narrow_head()
    };
    axes(view.rows).into_iter().zip(keys(view.rows)).map(column).collect()
}

/// Cost and time, and how often a row finishes and is in time, where that is in question.
fn figures(points: &[&Point]) -> Vec<Column> {
    let cells = |cell: &dyn Fn(&Point) -> String| points.iter().map(|point| cell(point)).collect::<Vec<_>>();
    let decimals = |of: fn(&Point) -> f64| number::decimals(points.iter().map(|point| of(point)));
    let (usd, hours) = (decimals(|point| point.cost_usd.value), decimals(|point| point.time_h.value));
    let all_finish = points.iter().all(|point| point.finishes >= 1.0);
    let head = if all_finish { "cost, $ per run" } else { "$ per finished run" };
    let mut columns = vec![
        Column::figures(head, cells(&|point| number::with_interval(&point.cost_usd, usd))),
        Column::figures("makespan, h", cells(&|point| number::with_interval(&point.time_h, hours))),
    ];
    if !all_finish {
        let unfinished = cells(&|point| share(1.0 - point.finishes, point.replications));
        columns.push(Column::figures("unfin- ished, %", unfinished).with_narrow_head());
    }
    if points.iter().any(|point| point.in_time.is_some()) {
        let in_time = |point: &Point| {
            point.in_time.map_or(number::MISSING.to_owned(), |of| share(of, point.replications))
        };
        columns.push(Column::figures("in time, %", cells(&in_time)).with_narrow_head());
    }
    columns
}

/// A share of so many replications in per cent; of none and of all its bound.
fn share(of: f64, replications: u64) -> String {
    let happened = if of >= 1.0 { replications } else { 0 };
    match wilson(happened, replications, CONFIDENCE).filter(|_| of <= 0.0 || of >= 1.0) {
        Some(bound) => number::share_value(&bound, replications),
        None => number::percent(of),
    }
}

/// Why a row is told.
fn mark(found: &Found, point: &Point) -> &'static str {
    let is = |other: Option<&Point>| other.is_some_and(|other| other.row == point.row);
    match (is(found.cheapest()), is(found.fastest())) {
        (true, true) => "cheapest, fastest",
        (true, false) => "cheapest",
        (false, true) => "fastest",
        _ if point.on_front => "front",
        _ => "",
    }
}

/// Key of a file of measured kernels, of all clusters or of one.
pub const CALIBRATION: &str = "compute.calibration";
/// Sentences on measured kernels; more are counted.
const KERNELS_MAX: usize = 6;

/// What measured kernels changed: of a step, and of the cheapest configuration where with and without are compared.
fn kernels(view: &SweepView<'_>) -> Vec<String> {
    let mut told: Vec<String> = view.calibrations.iter().map(|words| text::inert(words)).collect();
    if told.len() > KERNELS_MAX {
        let more = told.len() - KERNELS_MAX;
        told.truncate(KERNELS_MAX);
        told.push(format!("{more} more, told by --format json"));
    }
    told.extend(cheapest_by_file(view));
    told
}

/// The cheapest row with each file of measured kernels, and without one.
pub(super) fn cheapest_by_file(view: &SweepView<'_>) -> Vec<String> {
    let Some(key) = view.rows.keys.iter().position(|key| key.ends_with(CALIBRATION)) else {
        return Vec::new();
    };
    let mut seen: Vec<&str> = Vec::new();
    let mut told = Vec::new();
    // Points come from the cheapest on.
    for point in &view.found.points {
        let row = view.row(point);
        let file = row.values[key].as_str();
        if seen.contains(&file) {
            continue;
        }
        seen.push(file);
        let others = view.rows.keys.iter().zip(&row.values).enumerate().filter(|(index, _)| *index != key);
        let values: Vec<String> = others.map(|(_, (name, value))| format!("{name} = {value}")).collect();
        let with = match file.trim_matches('"') {
            "none" => "by the roofline alone".to_owned(),
            file => format!("with \"{file}\""),
        };
        told.push(text::inert(&format!(
            "cheapest {with}: {} with {}, ${} and {} h a run",
            row.cluster,
            values.join(", "),
            number::fixed(point.cost_usd.value, 2),
            number::fixed(point.time_h.value, 2),
        )));
    }
    told
}

fn notes(view: &SweepView<'_>) -> Vec<String> {
    let found = view.found;
    let plural = |count: usize, one: &str, more: &str| {
        let word = if count == 1 { one } else { more };
        format!("{} {word}", number::count(count as u64))
    };
    let mut notes = vec![format!(
        "{}, {} each, all in the same worlds (seed {}); brackets are 95 % intervals",
        plural(view.rows.configurations() as usize, "configuration", "configurations"),
        plural(found.replications as usize, "replication", "replications"),
        view.seed
    )];
    notes.push(
        "front: no other row is at most as dear and at most as slow; by dollars per finished run and the mean \
         makespan of finished runs"
            .to_owned(),
    );
    if found.as_cheap() > 0 {
        notes.push(
            "rows are compared by their own intervals, not replication by replication, so a difference may be sure \
             all the same: `spotsim run` both and `spotsim diff` them"
                .to_owned(),
        );
    }
    if found.unreliable() > 0 {
        let least = number::fixed(RELIABLE * 100.0, 0);
        notes.push(format!(
            "{} in fewer than {least} % of replications and {} left out of front and fastest: the few that finish are \
             the lucky ones",
            plural(found.unreliable(), "row finishes", "rows finish"),
            if found.unreliable() == 1 { "is" } else { "are" },
        ));
    }
    if found.endless > 0 {
        notes.push(format!("{} no finished run", plural(found.endless, "row has", "rows have")));
    }
    if found.infeasible > 0 {
        notes.push(format!(
            "{} meet the deadline even without an interruption (infeasible)",
            plural(found.infeasible, "row cannot", "rows cannot")
        ));
    }
    if found.invalid > 0 {
        notes.push(format!(
            "{} by the scenario's own rules (invalid)",
            plural(found.invalid, "configuration is refused", "configurations are refused")
        ));
    }
    notes
}

/// The cheapest row's own scenario, run in detail.
fn next(view: &SweepView<'_>, printed: &Printed<'_>) -> Vec<(String, &'static str)> {
    let Some(best) = view.found.cheapest().map(|point| view.row(point)) else { return Vec::new() };
    let quoted = |value: &str| value.replace('\'', "'\\''");
    let sets: String = view
        .rows
        .keys
        .iter()
        .zip(&best.values)
        .map(|(key, value)| format!(" --set '{}={}'", quoted(key), quoted(value)))
        .collect();
    let command = format!("spotsim run {}{sets}", shell_file(printed.file));
    if text::width(&command) + 10 > text::columns() || text::inert(&command) != command {
        return vec![(format!("spotsim run {}", shell_file(printed.file)), "with --set for each key")];
    }
    vec![(command, "the cheapest in detail")]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::sweep::found;

    #[test]
    fn the_text_answers_first_and_is_narrow() {
        let rows = fixture::grid();
        let found = found(&rows);
        let view = fixture::view(&rows, &found);
        let printed = Printed { colour: false, file: "f.toml", out: "o", written: &["sweep.csv".to_owned()] };
        let text = table(&view, &printed);
        assert!(text.lines().all(|line| text::width(line) <= text::WIDTH), "{text}");
        assert!(
            text.contains("Cheapest is Spot with nodes = 2, checkpoint every = 30 min: $13.00"),
            "{text}"
        );
        assert!(text.contains("--set 'cluster.Spot.nodes=2' --set 'checkpoint.every=30 min'"), "{text}");
        assert!(text.contains("1 configuration is refused"), "{text}");
    }

    #[test]
    fn a_sweep_without_a_finished_run_says_so() {
        let rows = SweepRows::default();
        let found = found(&rows);
        let view = fixture::view(&rows, &found);
        let printed = Printed { colour: false, file: "f.toml", out: "o", written: &[] };
        assert!(table(&view, &printed).contains("No configuration has a finished run."));
    }
}
