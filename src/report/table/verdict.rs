//! The sentence that answers the question.

use super::{Chance, Clusters, Row, lines, number, text};
use crate::scenario::plan::Market;
use crate::stats::Interval;

/// Names told in one sentence.
const TOLD_MAX: usize = 3;

pub(super) fn verdict(clusters: &Clusters<'_>) -> String {
    let sentences = sentences(clusters).join(" ");
    let indent = "  ";
    let wrapped = text::wrapped(&sentences, text::columns() - indent.len());
    let bold = wrapped.iter().map(|line| format!("{indent}{}", clusters.paint.bold(line)));
    lines(&bold.collect::<Vec<_>>())
}

/// A cluster that finishes, and what a finished run of it costs.
#[derive(Clone, Copy)]
struct Candidate<'a> {
    row: Row<'a>,
    cost: Interval,
}

/// The answer, sentence by sentence, the choice first.
pub(super) fn sentences(clusters: &Clusters<'_>) -> Vec<String> {
    let cost = |row: &Row<'_>| row.result.cost_per_finished_usd;
    let mut candidates: Vec<Candidate<'_>> =
        clusters.simulated().filter_map(|row| Some(Candidate { row: *row, cost: cost(row)? })).collect();
    if clusters.replications == 0 {
        return vec!["No replication is complete.".to_owned()];
    }
    // A stable sort: of equal costs the file's first comes first.
    candidates.sort_by(|a, b| a.cost.value.total_cmp(&b.cost.value));
    let Some(&best) = candidates.first() else {
        let of = if clusters.replications == 1 { "the one replication" } else { "any replication" };
        return vec![format!("No cluster finished in {of}.")];
    };
    let rivals: Vec<Candidate<'_>> =
        candidates[1..].iter().filter(|other| !surely_cheaper(clusters, &best, other)).copied().collect();
    if !rivals.is_empty() {
        return vec![undecided(&best, &rivals)];
    }
    let choice = choice(clusters, &best, candidates.len());
    [Some(choice), finish(&best.row), deadline(clusters, &best.row), reliable(&candidates)]
        .into_iter()
        .flatten()
        .collect()
}

/// Share of replications that must meet the deadline before a cluster is called reliable; the pictures
/// choose by it too.
const RELIABLE: f64 = 0.9;

/// Where the cheapest is too often late: the cheapest that is not. `candidates` are sorted by cost.
fn reliable(candidates: &[Candidate<'_>]) -> Option<String> {
    let on_time = |candidate: &&Candidate<'_>| {
        candidate.row.result.deadline_probability.is_none_or(|share| share.value >= RELIABLE)
    };
    let first = candidates.iter().find(on_time)?;
    if on_time(&candidates.first()?) {
        return None;
    }
    let share = first.row.result.deadline_probability?;
    Some(format!(
        "The cheapest that meets it in at least {} % is {}: {} per finished run, in time in {} %.",
        number::fixed(RELIABLE * 100.0, 0),
        first.row.name(),
        number::usd(first.cost.value),
        number::share_value(&share, first.row.result.replications),
    ))
}

/// Whether intervals leave no doubt. Against the baseline the paired interval decides, which is narrower:
/// both met the same worlds.
fn surely_cheaper(clusters: &Clusters<'_>, best: &Candidate<'_>, other: &Candidate<'_>) -> bool {
    let paired = if clusters.is_baseline(&other.row) {
        best.row.result.savings_vs_baseline.map(|saved| saved.low > 0.0)
    } else if clusters.is_baseline(&best.row) {
        other.row.result.savings_vs_baseline.map(|saved| saved.high < 0.0)
    } else {
        None
    };
    paired.unwrap_or(best.cost.high < other.cost.low)
}

fn undecided(best: &Candidate<'_>, rivals: &[Candidate<'_>]) -> String {
    let certain = |candidate: &Candidate<'_>| candidate.cost.low == candidate.cost.high;
    let all: Vec<Candidate<'_>> = [*best].into_iter().chain(rivals.iter().copied()).collect();
    if all.iter().all(certain) {
        let names = text::listed(all.iter().map(|candidate| candidate.row.name()).collect(), TOLD_MAX);
        return format!(
            "No cluster is cheapest: {names} cost {} per finished run.",
            number::usd(best.cost.value)
        );
    }
    let decimals = number::decimals(all.iter().map(|candidate| candidate.cost.value));
    let told = all.iter().map(|candidate| {
        let cost = number::with_interval(&candidate.cost, decimals);
        format!("{} at ${cost}", candidate.row.name())
    });
    format!(
        "No cluster is surely cheapest: the intervals of {} per finished run overlap.",
        text::listed(told.collect(), TOLD_MAX)
    )
}

fn choice(clusters: &Clusters<'_>, best: &Candidate<'_>, finishing: usize) -> String {
    let (name, cost) = (best.row.name(), number::usd(best.cost.value));
    let lead = if clusters.rows.len() == 1 {
        format!("{name} costs {cost} per finished run")
    } else if clusters.simulated().count() == 1 {
        let deadline = clusters.the_deadline();
        format!("{name} is the only cluster that can meet {deadline}: {cost} per finished run")
    } else if finishing == 1 {
        format!("{name} is the only cluster that finishes: {cost} per finished run")
    } else {
        format!("{name} is the cheapest: {cost} per finished run")
    };
    let lead = match clusters.chance {
        Chance::OneReplication => format!("In the one replication {lead}"),
        _ => lead,
    };
    format!("{lead}{}{}.", saved(clusters, &best.row), took(&best.row))
}

fn saved(clusters: &Clusters<'_>, best: &Row<'_>) -> String {
    let told = |saved: Interval, than: &str| {
        let word = if saved.value < 0.0 { "more" } else { "less" };
        format!(", {} % {word} than {than}", number::percent(saved.value.abs()))
    };
    let baseline = clusters.baseline().filter(|_| !clusters.is_baseline(best));
    match (baseline, best.result.savings_vs_baseline, best.result.savings_vs_on_demand) {
        (Some(baseline), Some(saved), _) => told(saved, &baseline.name()),
        (None, _, Some(saved)) if best.result.market == Market::Spot => {
            told(saved, "the same machines On-Demand without an interruption")
        }
        _ => String::new(),
    }
}

fn took(best: &Row<'_>) -> String {
    let Some(mean) = best.result.makespan_h.mean else { return String::new() };
    let longer = match best.result.longer_h.map(|longer| longer.value) {
        Some(longer) if longer != 0.0 => {
            let word = if longer < 0.0 { "shorter" } else { "longer" };
            format!(" ({} {word})", number::hours(longer.abs()))
        }
        _ => String::new(),
    };
    format!(", in {}{longer}", number::hours(mean))
}

fn finish(best: &Row<'_>) -> Option<String> {
    let share = best.result.finish_probability.filter(|_| !best.all_finished())?;
    Some(format!(
        "It finishes in {} % of replications.",
        number::share_value(&share, best.result.replications)
    ))
}

fn deadline(clusters: &Clusters<'_>, best: &Row<'_>) -> Option<String> {
    let share = best.result.deadline_probability?;
    let deadline = format!("the {} deadline", best.cluster.plan.deadline?);
    let never = share.value <= 0.0;
    let verb = if never { "misses" } else { "meets" };
    if !clusters.has_spread() {
        return Some(format!("It {verb} {deadline}."));
    }
    // None is told as all of the opposite: "misses in > 99.96 %".
    let told = if never { Interval { value: 1.0, low: 1.0 - share.high, high: 1.0 } } else { share };
    let told = number::share_value(&told, best.result.replications);
    Some(format!("It {verb} {deadline} in {told} % of replications."))
}
