//! What `spotsim optimum` says: makespan and cost against the interval between saves.

mod data;

pub use data::{csv, json};

use super::number;
use super::text::{self, Column, Paint};
use crate::experiment::optimum::{FLAT_WITHIN, NoOptimum, Optima, Optimum, Point};

/// Longer by less than this share is as good as the best.
const AS_GOOD: f64 = 0.000_5;

/// The text for people, at most 100 columns wide.
pub fn table(optima: &Optima, replications: u64, colour: bool) -> String {
    let paint = Paint { colour };
    let mut sections: Vec<String> =
        optima.found.iter().map(|optimum| cluster(optimum, replications, paint)).collect();
    if !optima.without.is_empty() {
        sections.push(text::beside("Left out", &reasons(&optima.without)));
    }
    sections.join("\n")
}

/// A sentence for each cluster that has no best interval: its name and why.
pub fn reasons(without: &[(String, NoOptimum)]) -> Vec<String> {
    without.iter().map(|(name, why)| format!("{}: {why}", text::name(name))).collect()
}

fn cluster(optimum: &Optimum, replications: u64, paint: Paint) -> String {
    let verdict: String = text::wrapped(&verdict(optimum), text::WIDTH)
        .iter()
        .map(|line| format!("{}\n", paint.bold(line)))
        .collect();
    let runs = number::count(replications);
    let mut notes = vec![format!(
        "`more` is makespan beyond the best one's, by theory; `simulated` is the mean with its 95 % interval, \
         where all replications finished ({runs} of each)"
    )];
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
    let flat = if optimum.flat.shortest_s == optimum.flat.longest_s {
        format!("any other takes over {within} % longer")
    } else {
        format!("anything from {shortest} to {longest} takes at most {within} % longer")
    };
    format!("{}: {best}; {flat}; {}.", text::name(&optimum.name), own_verdict(optimum))
}

fn own_verdict(optimum: &Optimum) -> String {
    let own = &optimum.points[optimum.own];
    let subject = match own.interval_s {
        Some(_) => format!("the file's {}", interval(own)),
        None => "the file's job without a save".to_owned(),
    };
    match optimum.longer(own) {
        None => format!("{subject} is too short for theory"),
        Some(longer) if longer.is_infinite() => format!("{subject} may never finish"),
        Some(longer) if longer < AS_GOOD => format!("{subject} is as good"),
        Some(longer) => format!("{subject} takes {} % longer", number::fixed(longer * 100.0, 1)),
    }
}

fn points(optimum: &Optimum, paint: Paint) -> String {
    let points = &optimum.points;
    let of = |cell: &dyn Fn(&Point) -> String| points.iter().map(cell).collect::<Vec<_>>();
    let marks = (0..points.len()).map(|index| mark(optimum, index).to_owned()).collect();
    let columns = [
        Column::words("", marks),
        Column::figures("makespan h", of(&|p| p.theory.map_or_else(missing, |t| finite(t.makespan_h, 2)))),
        Column::figures("more %", of(&|p| optimum.longer(p).map_or_else(missing, more))),
        Column::figures(
            if optimum.billed_beside { "instances $" } else { "cost $" },
            of(&|p| p.theory.and_then(|t| t.instances_usd).map_or_else(missing, |usd| finite(usd, 2))),
        ),
        Column::figures(
            "simulated h",
            of(&|p| p.simulated_h.map_or_else(missing, |h| number::with_interval(&h, 2))),
        ),
    ];
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
