//! What `spotsim optimum` says: makespan and cost against the interval between saves.

mod data;

pub use data::{csv, json};

use super::number;
use super::text::{self, Column, Paint};
use crate::experiment::optimum::{Basis, FLAT_WITHIN, Least, NoOptimum, Optima, Optimum, Point};
use crate::stats::Interval;

/// Longer by less than this share is as good as the best.
const AS_GOOD: f64 = 0.000_5;

/// What the text for people shows.
#[derive(Debug, Clone, Copy)]
pub struct OptimumView<'a> {
    /// What was found.
    pub optima: &'a Optima,
    /// Simulations of each interval.
    pub replications: u64,
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
pub fn table(view: &OptimumView<'_>) -> String {
    let paint = Paint { colour: view.colour };
    let optima = view.optima;
    let mut sections: Vec<String> =
        optima.found.iter().map(|optimum| cluster(optimum, view.replications, paint)).collect();
    if !optima.without.is_empty() {
        sections.push(text::beside("Left out", &reasons(&optima.without)));
    }
    let own = "what the whole job costs with the interval that it has";
    let next = text::beside("Next", &[format!("spotsim run {}  {own}", view.file)]);
    let written = text::beside("Written", &[format!("{}/ {}", view.out, view.written.join(", "))]);
    sections.push(format!("{next}{written}"));
    sections.join("\n")
}

/// A sentence for each cluster that has no best interval: its name and why.
pub fn reasons(without: &[(String, NoOptimum)]) -> Vec<String> {
    without.iter().map(|(name, why)| format!("{}: {why}", text::name(name))).collect()
}

fn cluster(optimum: &Optimum, replications: u64, paint: Paint) -> String {
    let verdict: String = text::wrapped(&verdict(optimum), text::columns())
        .iter()
        .map(|line| format!("{}\n", paint.bold(line)))
        .collect();
    let runs = number::count(replications);
    let mut notes = vec![match optimum.basis {
        Basis::Theory => format!(
            "`more` is makespan beyond the best one's, by theory; `simulated` is the mean with its 95 % \
             interval, where all replications finished ({runs} of each)"
        ),
        Basis::Simulation(why) => format!(
            "by simulation of each ({runs} replications in the same worlds), as {why}; `more` is {} beyond the \
             best one's; brackets are 95 % intervals",
            what(optimum.least)
        ),
    }];
    if optimum.unlimited {
        notes.push("[limits] are left out".to_owned());
    }
    notes.extend(optimum.formulas.map(|formulas| {
        let [young, daly, exact] =
            [formulas.young_s, formulas.daly_s, formulas.exact_s].map(|s| number::hours(s / 3_600.0));
        format!("for a long job Young's formula gives {young}, Daly's {daly}, the exact one {exact}")
    }));
    format!("{verdict}\n{}\n{}", points(optimum, paint), text::beside("Notes", &notes))
}

/// "Spot: best every 28.1 min; anything from 17.2 min to 45.3 min takes at most 1 % longer; the file's
/// 15.0 min takes 1.4 % longer."
fn verdict(optimum: &Optimum) -> String {
    let best = match optimum.points[optimum.best].interval_s {
        Some(_) => format!("best every {}", interval(&optimum.points[optimum.best])),
        None => "best without a save".to_owned(),
    };
    let [shortest, longest] =
        [optimum.flat.shortest_s, optimum.flat.longest_s].map(|s| number::hours(s / 3_600.0));
    let within = number::fixed(FLAT_WITHIN * 100.0, 0);
    let (takes, longer) = words(optimum.least);
    let flat = if optimum.flat.shortest_s == optimum.flat.longest_s {
        format!("any other {takes} over {within} % {longer}")
    } else {
        format!("anything from {shortest} to {longest} {takes} at most {within} % {longer}")
    };
    format!("{}: {best}; {flat}; {}.", text::name(&optimum.name), own_verdict(optimum))
}

fn own_verdict(optimum: &Optimum) -> String {
    let own = &optimum.points[optimum.own];
    let subject = match own.interval_s {
        Some(_) => format!("the file's {}", interval(own)),
        None => "the file's job without a save".to_owned(),
    };
    let (takes, longer) = words(optimum.least);
    match optimum.more(own) {
        None if optimum.basis == Basis::Theory => format!("{subject} is too short for theory"),
        None => format!("{subject} does not always finish"),
        Some(more) if more.is_infinite() => format!("{subject} may never finish"),
        Some(more) if more < AS_GOOD => format!("{subject} is as good"),
        Some(more) => format!("{subject} {takes} {} % {longer}", number::fixed(more * 100.0, 1)),
    }
}

/// "takes … longer", or "costs … more".
fn words(least: Least) -> (&'static str, &'static str) {
    match least {
        Least::Makespan => ("takes", "longer"),
        Least::Cost => ("costs", "more"),
    }
}

fn what(least: Least) -> &'static str {
    match least {
        Least::Makespan => "makespan",
        Least::Cost => "cost",
    }
}

fn points(optimum: &Optimum, paint: Paint) -> String {
    let points = &optimum.points;
    let of = |cell: &dyn Fn(&Point) -> String| points.iter().map(cell).collect::<Vec<_>>();
    let marks = (0..points.len()).map(|index| mark(optimum, index).to_owned()).collect();
    let mut columns = vec![Column::words("", marks)];
    if optimum.basis == Basis::Theory {
        columns.extend([
            Column::figures(
                "makespan h",
                of(&|p| p.theory.map_or_else(missing, |t| finite(t.makespan_h, 2))),
            ),
            Column::figures(
                if optimum.billed_beside { "instances $" } else { "cost $" },
                of(&|p| p.theory.and_then(|t| t.instances_usd).map_or_else(missing, |usd| finite(usd, 2))),
            ),
        ]);
    }
    let mean = |of: Option<Interval>| of.map_or_else(missing, |i| number::with_interval(&i, 2));
    columns.extend([
        Column::figures("more %", of(&|p| optimum.more(p).map_or_else(missing, more))),
        Column::figures("simulated h", of(&|p| mean(p.simulated.map(|means| means.makespan_h)))),
        Column::figures("simulated $", of(&|p| mean(p.simulated.map(|means| means.cost_usd)))),
    ]);
    text::table(&Column::figures("saves every", of(&interval)), &columns, paint)
}

/// What makes a point stand out.
pub(super) fn mark(optimum: &Optimum, index: usize) -> &'static str {
    match (index == optimum.best, index == optimum.own) {
        (true, true) => "best, the file's",
        (true, false) => "best",
        (false, true) => "the file's",
        (false, false) => "",
    }
}

fn interval(point: &Point) -> String {
    point.interval_s.map_or_else(|| "never".to_owned(), |s| number::hours(s / 3_600.0))
}

fn missing() -> String {
    number::fixed(f64::NAN, 0)
}

/// What never ends has no other number.
fn finite(value: f64, decimals: usize) -> String {
    if value.is_infinite() { "endless".to_owned() } else { number::fixed(value, decimals) }
}

/// A share in per cent; rounding to whole steps may leave a point a hair below the best.
fn more(share: f64) -> String {
    finite(share.max(0.0) * 100.0, 1)
}
