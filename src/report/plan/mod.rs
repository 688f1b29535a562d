//! What `spotsim plan` says: the choice, its rivals, what more certainty costs, and where the answer flips.

mod data;
mod flips;
mod verdict;

pub use data::{csv, json, verdict_word};
pub use verdict::sentences;

use super::number;
use super::text::{self, Column, Kind, Paint, hints, shell_file};
use crate::experiment::plan::{Chosen, Judged, Level, Verdict};
use crate::scenario::load::Scenario;

/// Rows of the table of candidates; the file has all.
const ROWS_MAX: usize = 20;
/// Columns of a candidate's name, which says all that it differs in.
const NAME_MAX: usize = 60;

/// What the text for people shows.
#[derive(Debug, Clone, Copy)]
pub struct PlanView<'a> {
    /// The question.
    pub scenario: &'a Scenario,
    /// The answer.
    pub chosen: &'a Chosen,
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
pub fn table(view: &PlanView<'_>) -> String {
    let paint = Paint { colour: view.colour };
    let (scenario, chosen) = (view.scenario, view.chosen);
    let lines = |lines: Vec<String>| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let title = lines(text::wrapped(&text::inert(&scenario.title), text::columns()));
    let verdict = text::wrapped(&sentences(scenario, chosen).join(" "), text::columns() - 2);
    let verdict = lines(verdict.iter().map(|line| format!("  {}", paint.bold(line))).collect());
    let mut sections = vec![title, verdict, candidates(view, paint)];
    if chosen.spent > 0 {
        sections.push(levels(view, paint));
        sections.push(text::beside("Flips", &flips::sentences(scenario, chosen)));
    }
    sections.push(text::beside("Notes", &notes(view)));
    let run = (format!("spotsim run {}", shell_file(view.file)), "each cluster of the file in detail");
    sections.push(hints(&[run], paint) + &text::written(view.out, view.written));
    sections.retain(|section| !section.is_empty());
    sections.join("\n")
}

/// A candidate's name as sentences and tables have it.
fn name(scenario: &Scenario, index: usize) -> String {
    text::shortened(&scenario.clusters[index].name, NAME_MAX)
}

/// A share in per cent with no more decimals than it needs: `95`, `99.9`.
fn per_cent(share: f64) -> String {
    let exact = |decimals: &usize| {
        number::fixed(share * 100.0, *decimals)
            .parse()
            .is_ok_and(|text: f64| (text - share * 100.0).abs() < 1e-9)
    };
    number::fixed(share * 100.0, (0..4).find(exact).unwrap_or(4))
}

/// Places of the candidates, the choice first, then what may be as good, then by cost or by what is missing.
fn ranked(chosen: &Chosen) -> Vec<usize> {
    let mut places: Vec<usize> = (0..chosen.candidates.len()).collect();
    let rank = |judged: &Judged| match judged.verdict {
        Verdict::Best => 0,
        Verdict::Tie | Verdict::Open => 1,
        Verdict::Dearer => 2,
        Verdict::Misses => 3,
        Verdict::Impossible => 4,
    };
    let cost = |judged: &Judged| judged.cost_usd.map_or(f64::INFINITY, |interval| interval.value);
    places.sort_by(|&a, &b| {
        let (a, b) = (&chosen.candidates[a], &chosen.candidates[b]);
        rank(a).cmp(&rank(b)).then(cost(a).total_cmp(&cost(b)))
    });
    places
}

/// Whether a candidate has a row: one that was not simulated has no figures.
fn told(chosen: &Chosen, index: usize) -> bool {
    chosen.spent == 0 || chosen.candidates[index].verdict != Verdict::Impossible
}

fn candidates(view: &PlanView<'_>, paint: Paint) -> String {
    let (scenario, chosen) = (view.scenario, view.chosen);
    let all: Vec<usize> = ranked(chosen).into_iter().filter(|&index| told(chosen, index)).collect();
    let shown = &all[..all.len().min(ROWS_MAX)];
    let judged = || shown.iter().map(|&index| &chosen.candidates[index]);
    let cells = |cell: &dyn Fn(&Judged) -> Option<String>| {
        judged().map(|judged| cell(judged).unwrap_or_else(|| number::MISSING.to_owned())).collect::<Vec<_>>()
    };
    let decimals = number::decimals(judged().filter_map(|judged| judged.cost_usd).map(|usd| usd.value));
    let names = Column {
        head: "candidate".to_owned(),
        cells: shown.iter().map(|&index| name(scenario, index)).collect(),
        kind: Kind::Names(shown.iter().map(|&index| scenario.clusters[index].market).collect()),
    };
    let columns = vec![
        Column::words("", cells(&|judged| Some(verdict_word(judged.verdict).to_owned()))),
        Column::figures(
            "on time, %",
            cells(&|judged| Some(number::share(&judged.deadline_probability?, judged.replications))),
        ),
        Column::figures("cost, $", cells(&|judged| Some(number::with_interval(&judged.cost_usd?, decimals)))),
        Column::figures(
            "dearer by, $",
            cells(&|judged| Some(number::with_interval(&judged.more_usd?, decimals))),
        ),
        Column::figures("replications", cells(&|judged| Some(number::count(judged.replications)))),
    ];
    let table = text::table(&names, &columns, paint);
    match all.len() - shown.len() {
        0 => table,
        more => format!("{table}… {more} more in candidates.csv\n"),
    }
}

/// The cheapest candidate for each probability.
fn levels(view: &PlanView<'_>, paint: Paint) -> String {
    let levels = &view.chosen.levels;
    let reached = |level: &&Level| level.candidate.is_some();
    let decimals = number::decimals(levels.iter().filter(reached).map(|level| level.cost_usd));
    let cells = |cell: &dyn Fn(&Level) -> String| levels.iter().map(cell).collect::<Vec<_>>();
    let first = Column::figures("on time in at least, %", cells(&|level| per_cent(level.probability)));
    let missing = || number::MISSING.to_owned();
    let columns = vec![
        Column::words(
            "cheapest",
            cells(&|level| {
                level.candidate.map_or("not reached".to_owned(), |index| name(view.scenario, index))
            }),
        ),
        Column::words(
            "",
            cells(&|level| match level.candidate {
                Some(_) if !level.is_sure() => "not sure".to_owned(),
                _ => String::new(),
            }),
        ),
        Column::figures("cost, $", cells(&|level| number::fixed(level.cost_usd, decimals))),
        Column::figures(
            "on time, %",
            cells(&|level| {
                let share = level.share.filter(|_| level.candidate.is_some());
                share.map_or_else(missing, |share| number::share(&share, level.replications))
            }),
        ),
    ];
    text::table(&first, &columns, paint)
}

fn notes(view: &PlanView<'_>) -> Vec<String> {
    let (scenario, chosen) = (view.scenario, view.chosen);
    let simulated = chosen.candidates.iter().filter(|judged| judged.replications > 0).count();
    let mut notes = Vec::new();
    let untold: Vec<usize> = (0..chosen.candidates.len()).filter(|&index| !told(chosen, index)).collect();
    let ideal_h = |&index: &usize| scenario.clusters[index].ideal.least.as_hours();
    if let Some(fastest) = untold.iter().min_by(|a, b| ideal_h(a).total_cmp(&ideal_h(b))) {
        let plural = if untold.len() == 1 { "" } else { "s" };
        notes.push(format!(
            "{} candidate{plural} cannot be in time even without an interruption; the fastest, {}, takes {}",
            untold.len(),
            name(scenario, *fastest),
            number::hours(ideal_h(fastest))
        ));
    }
    if simulated > 0 {
        let equal = chosen.replications * simulated as u64;
        let share = if equal > 0 { chosen.spent as f64 / equal as f64 } else { 0.0 };
        let spared = match share {
            share if share < 1.0 => {
                format!(", {} % of as many for each", number::fixed(share * 100.0, 0))
            }
            _ => String::new(),
        };
        notes.push(format!(
            "all candidates meet the same worlds (seed {}); what surely misses the deadline or is surely dearer \
             gets no more of them: {} replications{spared}",
            scenario.seed,
            number::count(chosen.spent),
        ));
        notes.push(
            "brackets are 95 % intervals, those of differences in pairs; the confidence of the choice holds \
             for all candidates and all looks together"
                .to_owned(),
        );
    }
    if scenario.merged > 0 {
        let (are, come) =
            if scenario.merged == 1 { ("combination", "comes") } else { ("combinations", "come") };
        notes.push(format!("{} {are} {come} to the same as another one and are left out", scenario.merged));
    }
    if chosen.stopped {
        notes.push("interrupted: this is what is complete".to_owned());
    }
    notes
}
