//! What the answer rests on, and what to do next.

use super::{Clusters, Row, number, text};
use crate::capacity::Law;
use crate::capacity::path::Path;
use crate::pricing::{Changing, PricePath, Rule};
use crate::scenario::plan::{Market, Plan};
use crate::scenario::sampling::Sampling;
use crate::units::Span;

/// Assumptions told one by one; `show` has all.
const ASSUMED_MAX: usize = 16;

/// Facts from the catalogue, laws of the file, seed and replications.
pub(super) fn assumed(clusters: &Clusters<'_>) -> String {
    let mut all = assumptions(clusters);
    let more = all.len().saturating_sub(ASSUMED_MAX);
    if more > 0 {
        all.truncate(ASSUMED_MAX);
        all.push(format!("{} more, told by `spotsim show`", number::count(more as u64)));
    }
    let sampling = text::wrapped(&sampling(clusters), text::columns());
    format!("{}{}", text::beside("Assumed", &all), super::lines(&sampling))
}

/// Every assumption once: laws of the file, facts from the catalogue, rules of billing.
pub(super) fn assumptions(clusters: &Clusters<'_>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let facts = clusters.simulated().flat_map(|row| &row.cluster.assumed);
    let facts = facts.map(|assumed| text::inert(&assumed.sentence));
    for assumption in drawn(clusters).chain(laws(clusters)).chain(facts).chain(clusters.simulated().map(rule))
    {
        if !all.contains(&assumption) {
            all.push(assumption);
        }
    }
    all
}

/// The same as rows of a table: what, how much, from where, of when, how far to trust it. What nobody measured comes
/// first.
pub(super) fn rows(clusters: &Clusters<'_>) -> Vec<[String; 5]> {
    let row = |what: &str, value: String, source: &str| {
        [what.to_owned(), value, source.to_owned(), String::new(), NOT_MEASURED.to_owned()]
    };
    let scenario = clusters.view.scenario;
    let drawn = scenario.uncertain.iter().filter(|_| scenario.draws);
    let drawn = drawn.map(|one| row(&one.key.to_string(), one.text.clone(), "drawn for each replication"));
    let laws = given(clusters).into_iter().map(|name| row(name, values(clusters, name), "this scenario"));
    let worlds = clusters.simulated().filter_map(world);
    let worlds =
        worlds.map(|told| ["Spot capacity".to_owned(), told, String::new(), String::new(), String::new()]);
    let facts = clusters.simulated().flat_map(|row| &row.cluster.assumed).map(|of| {
        [of.what.to_owned(), of.value.clone(), of.source.clone(), of.date.clone(), of.confidence.clone()]
    });
    let rules = clusters.simulated().map(|row| {
        let told = rule(row);
        let (name, how) = told.split_once(": ").unwrap_or(("", &told));
        ["Billing".to_owned(), how.to_owned(), name.to_owned(), String::new(), String::new()]
    });
    let mut all: Vec<([String; 5], Vec<String>)> = Vec::new();
    for cells in drawn.chain(laws).chain(worlds).chain(facts).chain(rules) {
        let mut cells = cells.map(|cell| text::inert(&cell));
        // What differs in the value alone shares a row.
        let value = std::mem::take(&mut cells[1]);
        match all.iter_mut().find(|(other, _)| *other == cells) {
            Some((_, values)) if values.contains(&value) => {}
            Some((_, values)) => values.push(value),
            None => all.push((cells, vec![value])),
        }
    }
    let joined = |(mut cells, values): ([String; 5], Vec<String>)| {
        cells[1] = values.join("; ");
        cells
    };
    all.into_iter().map(joined).collect()
}

/// What may well be wrong, and how to learn what follows; `None` where all is known well.
pub(super) fn weakest(clusters: &Clusters<'_>) -> Option<String> {
    let given = given(clusters);
    let of_capacity = |name: &&&str| GIVEN[..OF_SPOT].iter().any(|(other, _)| other == *name);
    let capacity: Vec<String> = given.iter().filter(of_capacity).map(|&name| name.to_owned()).collect();
    if !capacity.is_empty() {
        let are = if capacity.len() == 1 { "is" } else { "are" };
        return Some(format!(
            "Nobody measured when Spot comes and goes: {} {are} this scenario's own, and cost and time of Spot hang on \
             it. `spotsim break-even` says at which value the answer turns, `spotsim trace fit` takes the law from a \
             record.",
            text::listed(capacity, OF_SPOT)
        ));
    }
    let facts = clusters.simulated().flat_map(|row| &row.cluster.assumed);
    let low = facts.clone().find(|assumed| assumed.confidence.starts_with("low"))?;
    Some(text::inert(&format!("The weakest fact is {}: confidence {}.", low.value, low.confidence)))
}

/// How far to trust what a scenario says itself.
const NOT_MEASURED: &str = "not measured";
/// Values of a key that differ from cluster to cluster and are told.
const VALUES_MAX: usize = 3;

/// What the clusters have under a key of the file, in words.
fn values(clusters: &Clusters<'_>, name: &str) -> String {
    let mut all: Vec<String> = Vec::new();
    for row in clusters.simulated() {
        let tables = ["capacity", "start", "pricing", "failures", "elastic"];
        let echo = &row.cluster.echo;
        let value = tables.iter().find_map(|table| echo.value_within(table, name));
        let plain = value.map(|value| value.replace(['{', '}', '"'], "").replace(" = ", " "));
        let plain =
            plain.map(|value| value.split_whitespace().collect::<Vec<_>>().join(" ").replace(" ,", ","));
        if let Some(plain) = plain.filter(|plain| !all.contains(plain)) {
            all.push(plain);
        }
    }
    if all.is_empty() { "as in the scenario below".to_owned() } else { text::listed(all, VALUES_MAX) }
}

/// Uncertain keys with the laws from which each replication draws them.
fn drawn(clusters: &Clusters<'_>) -> impl Iterator<Item = String> {
    let scenario = clusters.view.scenario;
    let keys = scenario.uncertain.iter().filter(|_| scenario.draws);
    keys.map(|one| text::inert(&format!("{} drawn for each replication: {}", one.key, one.text)))
}

/// How uncertain keys are sampled, where not at random.
fn points(clusters: &Clusters<'_>) -> &'static str {
    match clusters.view.scenario.sampling {
        _ if !clusters.view.scenario.draws => "",
        Sampling::Random => "",
        Sampling::Antithetic => " Uncertain keys in pairs of opposite values; intervals from 32 batches.",
        Sampling::Sobol => {
            " Uncertain keys at Sobol' points; intervals from 32 batches, each scrambled anew."
        }
    }
}

/// Seed and replications, a sentence.
pub(super) fn sampling(clusters: &Clusters<'_>) -> String {
    let scenario = clusters.view.scenario;
    let given = if scenario.seed_given { "" } else { " (none given)" };
    let (done, asked) = (clusters.replications, clusters.view.asked);
    let by_rule = super::until::told(clusters.view.scenario, clusters.view.results);
    let replications = match (done, asked) {
        _ if clusters.simulated().next().is_none() => "nothing simulated".to_owned(),
        (1, 1) => "1 replication".to_owned(),
        (done, _) if by_rule.is_some() => {
            format!("{} replications: {}", number::count(done), by_rule.unwrap_or_default())
        }
        (done, asked) if done < asked => {
            format!("{} of {} replications (interrupted)", number::count(done), number::count(asked))
        }
        (done, _) => format!("{} replications", number::count(done)),
    };
    format!("Seed {}{given}, {replications}.{}", scenario.seed, points(clusters))
}

/// A key of the file, and whether a plan has it.
type Given = (&'static str, fn(&Plan) -> bool);

/// What the file itself may say about chance and delay, in the order in which it is told.
const GIVEN: [Given; 15] = [
    ("uptime", |plan| matches!(plan.capacity.path, Path::Renewal(_) | Path::OnOff(_))),
    ("gap", |plan| matches!(plan.capacity.path, Path::Renewal(_) | Path::OnOff(_))),
    ("states", |plan| matches!(plan.capacity.path, Path::Chain(_))),
    ("events", |plan| matches!(plan.capacity.path, Path::Events(_))),
    ("lifetime", |plan| plan.capacity.lifetime.is_some()),
    ("shock", |plan| !plan.capacity.shocks.is_empty()),
    ("acquire", |plan| takes_time(&plan.capacity.acquire) || takes_time(&plan.capacity.acquire_first)),
    ("Spot price", |plan| {
        matches!(&plan.spot.changing, Some(Changing { path: PricePath::MeanReverting(_), .. }))
    }),
    ("provision", |plan| takes_time(&plan.start.provision)),
    ("start", |plan| takes_time(&plan.start.start)),
    ("phases of the start", |plan| !plan.start.phases.is_empty()),
    ("restore", |plan| takes_time(&plan.start.restore)),
    ("detection", |plan| takes_time(&plan.start.detection)),
    ("reshard", |plan| plan.elastic.as_ref().is_some_and(|elastic| takes_time(&elastic.reshard))),
    ("failures", |plan| plan.failures.is_some()),
];
/// So many of them, from the first, concern Spot alone.
const OF_SPOT: usize = 7;

fn takes_time(law: &Law) -> bool {
    law.is_constant() != Some(Span::ZERO)
}

/// Laws that nobody measured, as the file gives them.
fn laws(clusters: &Clusters<'_>) -> Vec<String> {
    let names = given(clusters);
    let laws = (!names.is_empty()).then(|| format!("{}: this file, not measured", names.join(", ")));
    laws.into_iter().chain(clusters.simulated().filter_map(world)).collect()
}

/// Names of these laws.
fn given(clusters: &Clusters<'_>) -> Vec<&'static str> {
    let concerns = |row: &Row<'_>, index: usize| index >= OF_SPOT || row.cluster.market == Market::Spot;
    let given = GIVEN.iter().enumerate().filter(|(index, (_, is_given))| {
        clusters.simulated().any(|row| concerns(row, *index) && is_given(&row.cluster.plan))
    });
    given.map(|(_, (name, _))| *name).collect()
}

/// Where Spot capacity is no law: recorded, or taken for granted.
fn world(row: &Row<'_>) -> Option<String> {
    let capacity = &row.cluster.plan.capacity;
    match &capacity.path {
        _ if row.cluster.market != Market::Spot => None,
        Path::Always if capacity.lifetime.is_none() && capacity.shocks.is_empty() => {
            Some("Spot is always there and never interrupted".to_owned())
        }
        Path::Trace(trace) => Some(format!("Spot capacity as recorded in a trace of {}", trace.length())),
        Path::Bootstrap(bootstrap) => Some(format!(
            "Spot capacity as in a trace of {}, in blocks of {} drawn from it",
            bootstrap.trace.length(),
            bootstrap.block
        )),
        _ => None,
    }
}

fn rule(row: &Row<'_>) -> String {
    match row.cluster.prices.rule {
        Rule::SageMaker => "sagemaker rule: queueing is not billed; no minimum",
        Rule::Ec2 => "ec2 rule: per second, 60 s at least; Spot reclaimed in its first hour is free",
        Rule::Gcp => "gcp rule: per second, 60 s at least; Spot preempted in its first minute is free",
        Rule::Azure => "azure rule: per second, whoever ends it",
        Rule::Flat => "flat rule: price x time",
    }
    .to_owned()
}

/// Commands that say more, and the files that were written.
pub(super) fn next_and_written(clusters: &Clusters<'_>) -> String {
    let file = text::shell_file(clusters.view.file);
    let hints = [
        (format!("spotsim run {file} --explain-cost"), "one replication's bill"),
        (format!("spotsim show {file}"), "every default filled in"),
        ("spotsim catalog instances".to_owned(), "prices, dates, sources"),
    ];
    let mut text = text::hints(&hints, clusters.paint);
    if let Some(out) = clusters.view.out {
        text += &text::written(out, clusters.view.written);
    }
    text
}

/// What to try where no cluster can meet the deadline.
pub(super) fn rescue(clusters: &Clusters<'_>) -> String {
    let file = text::shell_file(clusters.view.file);
    let mut hints = vec![(format!("spotsim show {file}"), "what the ideal times are made of")];
    let least = clusters.rows.iter().map(|row| row.result.ideal_h).fold(f64::INFINITY, f64::min);
    if let Some(enough) = enough(least).filter(|_| clusters.deadline().is_some()) {
        let set = format!("spotsim run {file} --set job.deadline='\"{enough}\"'");
        hints.insert(0, (set, "or more nodes"));
    }
    text::hints(&hints, clusters.paint)
}

/// A round time that is at least so many hours; `None` of more than a century.
fn enough(hours: f64) -> Option<String> {
    match hours {
        hours if hours <= 1.0 => Some(format!("{:.0} min", (hours * 60.0).ceil().max(1.0))),
        hours if hours <= 10.0 => Some(format!("{} h", (hours * 2.0).ceil() / 2.0)),
        hours if hours < 1e6 => Some(format!("{:.0} h", hours.ceil())),
        _ => None,
    }
}
