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
use crate::scenario::plan::Market;

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
    let (places, more) = shown(chosen);
    let (first, columns) = candidates(scenario, chosen, &places);
    let more = more.map_or(String::new(), |more| format!("… {more}\n"));
    let mut sections = vec![title, verdict, text::table(&first, &columns, paint) + &more];
    if chosen.spent > 0 {
        let (first, columns) = levels(scenario, chosen);
        sections.push(text::table(&first, &columns, paint));
        sections.push(text::beside("Flips", &flips::sentences(scenario, chosen)));
    }
    sections.push(text::beside("Notes", &notes(scenario, chosen)));
    let run = (format!("spotsim run {}", shell_file(view.file)), "each cluster of the file in detail");
    sections.push(hints(&[run], paint) + &text::written(view.out, view.written));
    sections.retain(|section| !section.is_empty());
    sections.join("\n")
}

/// What the text says, for another layout: nothing is wrapped, coloured or escaped, names are inert.
#[derive(Debug)]
pub(super) struct Told {
    /// The sentences that answer the question.
    pub(super) verdict: Vec<String>,
    /// The best candidates, and what is known of them.
    pub(super) candidates: (Column, Vec<Column>),
    /// Their places among the scenario's clusters.
    pub(super) places: Vec<usize>,
    /// How many are left out.
    pub(super) left_out: Vec<String>,
    /// The cheapest for each probability, where something was simulated.
    pub(super) levels: Option<(Column, Vec<Column>)>,
    /// Where the answer flips.
    pub(super) flips: Vec<String>,
    /// How it is to be read.
    pub(super) notes: Vec<String>,
}

/// The pieces of [`table`] that hold answers.
pub(super) fn told(scenario: &Scenario, chosen: &Chosen) -> Told {
    let (places, more) = shown(chosen);
    let simulated = chosen.spent > 0;
    Told {
        verdict: sentences(scenario, chosen),
        candidates: candidates(scenario, chosen, &places),
        places,
        left_out: more.into_iter().collect(),
        levels: simulated.then(|| levels(scenario, chosen)),
        flips: if simulated { flips::sentences(scenario, chosen) } else { Vec::new() },
        notes: notes(scenario, chosen),
    }
}

/// Candidates that have a row, the choice first, and how many more there are.
fn shown(chosen: &Chosen) -> (Vec<usize>, Option<String>) {
    let mut all: Vec<usize> = ranked(chosen).into_iter().filter(|&index| told_of(chosen, index)).collect();
    let more = all.len().saturating_sub(ROWS_MAX);
    all.truncate(ROWS_MAX);
    (all, (more > 0).then(|| format!("{more} more in candidates.csv")))
}

/// A candidate's name as sentences and tables have it.
fn name(scenario: &Scenario, index: usize) -> String {
    text::shortened(&scenario.clusters[index].name, NAME_MAX)
}

/// The clusters of the file that candidates are made of, by the part of the name that they share.
pub(super) fn clusters(scenario: &Scenario) -> Vec<(String, Market)> {
    let mut all: Vec<(String, Market)> = Vec::new();
    for cluster in &scenario.clusters {
        let base = base(&cluster.name);
        if !all.iter().any(|(name, _)| name == base) {
            all.push((base.to_owned(), cluster.market));
        }
    }
    all
}

/// A candidate's place among [`clusters`].
pub(super) fn cluster_of(scenario: &Scenario, index: usize) -> Option<usize> {
    let own = base(&scenario.clusters.get(index)?.name);
    clusters(scenario).iter().position(|(name, _)| name == own)
}

/// "4x g5.4xlarge Spot" of "4x g5.4xlarge Spot, every 5 min, greedy".
fn base(name: &str) -> &str {
    name.split_once(", ").map_or(name, |(base, _)| base)
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
fn told_of(chosen: &Chosen, index: usize) -> bool {
    chosen.spent == 0 || chosen.candidates[index].verdict != Verdict::Impossible
}

fn candidates(scenario: &Scenario, chosen: &Chosen, shown: &[usize]) -> (Column, Vec<Column>) {
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
    (names, columns)
}

/// The cheapest candidate for each probability.
fn levels(scenario: &Scenario, chosen: &Chosen) -> (Column, Vec<Column>) {
    let levels = &chosen.levels;
    let reached = |level: &&Level| level.candidate.is_some();
    let decimals = number::decimals(levels.iter().filter(reached).map(|level| level.cost_usd));
    let cells = |cell: &dyn Fn(&Level) -> String| levels.iter().map(cell).collect::<Vec<_>>();
    let first = Column::figures("on time in at least, %", cells(&|level| per_cent(level.probability)));
    let missing = || number::MISSING.to_owned();
    let columns = vec![
        Column::words(
            "cheapest",
            cells(&|level| level.candidate.map_or("not reached".to_owned(), |index| name(scenario, index))),
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
    (first, columns)
}

fn notes(scenario: &Scenario, chosen: &Chosen) -> Vec<String> {
    let simulated = chosen.candidates.iter().filter(|judged| judged.replications > 0).count();
    let mut notes = Vec::new();
    let untold: Vec<usize> = (0..chosen.candidates.len()).filter(|&index| !told_of(chosen, index)).collect();
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
