//! What must be said beneath the comparison: who did not finish, what brackets mean, who is dominated.

use super::{Chance, Clusters, Row, infeasible, lines, number, text};
use crate::experiment::CONFIDENCE;
use crate::pricing::Rule;
use crate::stats::Interval;

/// Sentences of one kind; more are counted.
const SENTENCES_MAX: usize = 8;

pub(super) fn notes(clusters: &Clusters<'_>) -> String {
    let paragraphs = paragraphs(clusters);
    let wrapped = paragraphs.iter().flat_map(|paragraph| text::wrapped(paragraph, text::columns()));
    lines(&wrapped.collect::<Vec<_>>())
}

/// The notes, none of them empty, before they are wrapped.
pub(super) fn paragraphs(clusters: &Clusters<'_>) -> Vec<String> {
    let all = [
        ends(clusters).join(" "),
        capped(infeasible::sentences(clusters)).join(" "),
        comparisons(clusters).join(" "),
        capped(clusters.simulated().filter_map(foresight).collect()).join(" "),
        reported_savings(clusters).unwrap_or_default(),
        beside(clusters).join(" "),
        capped(clusters.simulated().filter_map(theory).collect()).join(" "),
    ];
    all.into_iter().filter(|paragraph| !paragraph.is_empty()).collect()
}

fn capped(mut sentences: Vec<String>) -> Vec<String> {
    let more = sentences.len().saturating_sub(SENTENCES_MAX);
    if more > 0 {
        sentences.truncate(SENTENCES_MAX);
        sentences.push(format!("The same holds for {} more.", number::count(more as u64)));
    }
    sentences
}

/// How replications ended, and what the intervals are of.
fn ends(clusters: &Clusters<'_>) -> Vec<String> {
    let n = number::count(clusters.replications);
    let mut told = Vec::new();
    let all_simulated = clusters.rows.iter().all(Row::simulated);
    if clusters.all_finished() {
        let which = if all_simulated { "every cluster" } else { "every simulated cluster" };
        told.push(match clusters.chance {
            Chance::OneReplication => "Every replication finished.".to_owned(),
            _ => format!("All {n} replications of {which} finished."),
        });
    }
    told.extend(capped(clusters.simulated().filter(|row| !row.all_finished()).map(unfinished).collect()));
    told.extend(not_reached(clusters));
    told.push(match clusters.chance {
        Chance::Seen => {
            format!("Brackets: {:.0} % intervals, simulation error only.", CONFIDENCE * 100.0)
        }
        Chance::OneReplication => {
            "One replication has no intervals, and another may end otherwise.".to_owned()
        }
        Chance::Absent if all_simulated => {
            "All replications are equal: nothing in this scenario is random.".to_owned()
        }
        Chance::Absent => "All replications are equal: nothing that was simulated is random.".to_owned(),
        Chance::NeverCameUp => {
            "All replications are equal: what is random never made a difference.".to_owned()
        }
    });
    let error = clusters.simulated().filter_map(|row| row.result.quantile_error).fold(0.0, f64::max);
    if error > 0.0 {
        told.push(format!("Quantiles are within {} % of exact ones.", number::percent(error)));
    }
    told
}

/// What the mean run pays beside its instances: "4x g5.xlarge Spot pays $0.42 beside its instances: storage
/// $0.40, requests $0.02."
fn beside(clusters: &Clusters<'_>) -> Vec<String> {
    let told = |row: &Row<'_>| {
        let other = row.result.cost_by_part.other;
        let lines = row.result.cost_lines.iter().filter(|(item, _)| !item.ends_with("instances"));
        let lines: Vec<String> = lines.map(|(item, mean)| format!("{item} {}", number::usd(*mean))).collect();
        (other > 0.0).then(|| {
            format!("{} pays {} beside its instances: {}.", row.name(), number::usd(other), lines.join(", "))
        })
    };
    capped(clusters.simulated().filter_map(told).collect())
}

/// What a formula expects beside what was simulated: the second opinion.
fn theory(row: &Row<'_>) -> Option<String> {
    let theory = row.result.theory?;
    let simulated = row.result.makespan_h.interval.as_ref()?;
    let half = (simulated.high - simulated.low) / 2.0;
    let mean = row.result.makespan_h.mean?;
    let [expected, mean, half] = [theory.makespan_h, mean, half].map(|hours| number::fixed(hours, 2));
    let makespan = format!("{}: theory {expected} h, simulated {mean} ± {half} h", row.name());
    // Theory knows instances only; where there is more, only they are compared.
    let beside = row.result.cost_by_part.other != 0.0;
    let simulated = match beside {
        true => Some(row.result.cost_by_part.instances_usd()),
        false => row.result.cost_usd.mean,
    };
    let cost = theory.instances_usd.zip(simulated).map(|(expected, mean)| {
        let of = if beside { "instances: " } else { "" };
        format!("; {of}theory ${}, simulated ${}", number::fixed(expected, 2), number::fixed(mean, 2))
    });
    Some(format!("{makespan}{}.", cost.unwrap_or_default()))
}

fn unfinished(row: &Row<'_>) -> String {
    let result = row.result;
    let horizon = format!("cut by the {} horizon", row.cluster.plan.horizon);
    let causes = [(horizon, result.censored)].into_iter();
    let causes = causes.chain(result.gave_up.iter().map(|(reason, count)| ((*reason).to_owned(), *count)));
    let causes: Vec<(String, u64)> = causes.filter(|(_, count)| *count > 0).collect();
    if result.replications == 1 {
        let cause = causes.first().map_or("", |(cause, _)| cause);
        return format!("{} did not finish: {cause}.", row.name());
    }
    let share = |count: u64| number::percent(count as f64 / result.replications as f64);
    let lead = match result.finished {
        0 => format!("No replication of {} finished", row.name()),
        finished => {
            let missing = share(result.replications - finished);
            format!("{missing} % of replications of {} did not finish", row.name())
        }
    };
    match causes.as_slice() {
        [] => format!("{lead}."),
        [(cause, _)] => format!("{lead}: {cause}."),
        _ => {
            let told = causes.iter().map(|(cause, count)| format!("{} % {cause}", share(*count)));
            format!("{lead}: {}.", told.collect::<Vec<_>>().join(", "))
        }
    }
}

/// A p95 that too few replications reach.
fn not_reached(clusters: &Clusters<'_>) -> Vec<String> {
    let without = |row: &&Row<'_>| row.result.makespan_h.p95.is_none() && row.result.finished > 0;
    let sentence =
        |row: &Row<'_>| format!("The p95 of {} is not reached by {}.", row.name(), row.cluster.plan.horizon);
    let told = clusters.simulated().filter(without).map(sentence).collect();
    if clusters.has_spread() { capped(told) } else { Vec::new() }
}

fn comparisons(clusters: &Clusters<'_>) -> Vec<String> {
    let mut told = Vec::new();
    if clusters.rows.iter().any(|row| row.result.saved_usd.is_some()) && clusters.chance == Chance::Seen {
        told.push("Savings are paired: the same worlds for all.".to_owned());
    }
    told.extend(capped(clusters.simulated().filter_map(|row| dominated(clusters, row)).collect()));
    told
}

/// Whether another cluster is surely both cheaper and faster, where both always finish.
fn dominated(clusters: &Clusters<'_>, row: &Row<'_>) -> Option<String> {
    let certain = |value| Interval { value, low: value, high: value };
    let figures = |row: &Row<'_>| {
        let time = &row.result.makespan_h;
        let time = time.interval.or(time.mean.map(certain))?;
        row.result.cost_per_finished_usd.filter(|_| row.all_finished()).map(|cost| (cost, time))
    };
    let (cost, time) = figures(row)?;
    let better = |other: &&Row<'_>| {
        figures(other)
            .is_some_and(|(its_cost, its_time)| its_cost.high < cost.low && its_time.high < time.low)
    };
    let other = clusters.simulated().find(better)?;
    Some(format!("{} is dominated by {}: dearer and slower.", row.name(), other.name()))
}

/// How far above perfect foresight a cluster is, where it meets its deadline: each world beside its own bound.
fn foresight(row: &Row<'_>) -> Option<String> {
    let foresight = row.result.foresight.filter(|foresight| !foresight.free_stays)?;
    let above = foresight.above_bound?;
    let margin = match above.half_width() {
        0.0 => String::new(),
        half => format!(" ± {}", number::percent(half)),
    };
    let beside = if row.result.cost_by_part.other > 0.0 { " for instances" } else { "" };
    Some(format!(
        "Where {} meets the deadline, it pays at most {}{margin} % more than perfect foresight, which in the mean of all worlds pays {}{beside}.",
        row.name(),
        number::percent(above.value),
        number::usd(foresight.bound_usd.value),
    ))
}

/// SageMaker shows savings as a share of training seconds, which is not what a run saves in the end.
fn reported_savings(clusters: &Clusters<'_>) -> Option<String> {
    let reported = |row: &Row<'_>| {
        let savings = row.cluster.prices.savings.filter(|_| row.cluster.prices.rule == Rule::SageMaker)?;
        Some(format!("{} % for {}", number::percent(savings), row.name()))
    };
    let told: Vec<String> = clusters.simulated().filter_map(reported).collect();
    (!told.is_empty())
        .then(|| format!("SageMaker will report savings of {}.", text::listed(told, SENTENCES_MAX)))
}
