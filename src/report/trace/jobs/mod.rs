//! Jobs that ran on Spot.

use super::super::number::{MISSING, count, fixed};
use super::super::text::{self, Column, Paint};
use super::{ROWS_MAX, counted, rest};
use crate::records::{JobEnd, PhaseKind, StayEnd};
use crate::trace::jobs::{Bill, JobStats, PriceOf, totals};
use crate::units::{Money, Span};

mod data;

pub use data::{csv, json};

/// Up-times of one job that are told.
const UPTIMES_MAX: usize = 12;

/// For people.
pub fn table(jobs: &[JobStats], paint: Paint) -> String {
    let mut told = "What became of these jobs?\n\n".to_owned();
    for line in text::wrapped(&verdict(jobs), text::columns() - 2) {
        told += &format!("  {}\n", paint.bold(&line));
    }
    let shown = &jobs[..jobs.len().min(ROWS_MAX)];
    let mut sections = vec![format!("{}{}", attempts(shown, paint), rest(jobs.len(), "jobs"))];
    sections.extend(phases(shown, paint));
    sections.extend(bills(shown, paint));
    let uptimes: Vec<String> = shown.iter().filter_map(uptimes).collect();
    let mut notes = text::beside("Up-times", &uptimes);
    if shown.iter().any(|job| !job.early_node_time.is_zero()) {
        let early = "node-hours of attempts that did not complete; only what was not saved is lost";
        notes += &text::beside("Early", &[early.to_owned()]);
    }
    notes += &text::beside("Bill", &bill_notes(shown));
    sections.push(notes);
    sections.retain(|section| !section.is_empty());
    format!("{told}\n{}", sections.join("\n"))
}

fn verdict(jobs: &[JobStats]) -> String {
    if let [job] = jobs {
        return verdict_of_one(job);
    }
    let sums = totals(jobs);
    let mut text = format!(
        "{}, {}, {}, {}: {} node-hours",
        counted(jobs.len() as u64, "job", "jobs"),
        counted(sums.attempts, "attempt", "attempts"),
        counted(sums.preemptions, "preemption", "preemptions"),
        counted(sums.node_failures, "node failure", "node failures"),
        hours(sums.node_time),
    );
    if !sums.early_node_time.is_zero() {
        text += &format!(", {} of them in attempts that did not complete", hours(sums.early_node_time));
    }
    text += ".";
    let never = jobs.iter().filter(|job| !job.job.ran()).count() as u64;
    if never > 0 {
        text += &format!(" {} never ran.", counted(never, "job", "jobs"));
    }
    text
}

/// "a: completed 6.0142 h after its submit, with 2 interruptions; 65.00 % saved, $25.39 billed, not $72.55."
fn verdict_of_one(job: &JobStats) -> String {
    let interruptions = u64::from(job.preemptions) + u64::from(job.node_failures);
    let name = text::name(&job.job.name);
    if !job.job.ran() {
        let cost = if job.bill == Bill::NothingRan { ", and cost $0.00" } else { "" };
        return format!("{name}: {}; it waited {} s{cost}.", outcome(job), seconds(job.waits.1));
    }
    let mut text = format!(
        "{name}: {}, {} h after its submit, with {}; {} node-hours",
        outcome(job),
        hours(job.wall),
        counted(interruptions, "interruption", "interruptions"),
        hours(job.node_time)
    );
    if let (Some(saving), Some(paid), Some(on_demand)) = (job.saving, billed_usd(job), job.on_demand) {
        text += &format!(
            "; {} % saved, ${} billed and not ${}",
            fixed(saving * 100.0, 2),
            fixed(paid.as_usd(), 2),
            fixed(on_demand.as_usd(), 2)
        );
    }
    text + "."
}

fn names(jobs: &[JobStats], head: &str) -> Column {
    Column::words(head, jobs.iter().map(|job| text::name(&job.job.name)).collect())
}

fn attempts(jobs: &[JobStats], paint: Paint) -> String {
    let of = |cell: &dyn Fn(&JobStats) -> String| jobs.iter().map(cell).collect::<Vec<_>>();
    let columns = [
        Column::words("outcome", of(&outcome)),
        Column::figures("attempts", of(&|job| job.attempts.to_string())),
        Column::figures("preempted", of(&|job| job.preemptions.to_string())),
        Column::figures("node failed", of(&|job| job.node_failures.to_string())),
        Column::figures("node-h", of(&|job| hours(job.node_time))),
        Column::figures("early, h", of(&|job| hours(job.early_node_time))),
        Column::figures("waits", of(&|job| job.waits.0.to_string())),
        Column::figures("waited, s", of(&|job| seconds(job.waits.1))),
        Column::figures("wall, h", of(&|job| hours(job.wall))),
    ];
    text::table(&names(jobs, "job"), &columns, paint)
}

/// Time by phase, where more than waiting and running is known.
fn phases(jobs: &[JobStats], paint: Paint) -> Option<String> {
    let kinds: Vec<PhaseKind> = PhaseKind::ALL
        .into_iter()
        .filter(|&kind| jobs.iter().any(|job| !job.time[kind as usize].is_zero()))
        .collect();
    let finer = |kind: &PhaseKind| !matches!(kind, PhaseKind::Waiting | PhaseKind::Training);
    if !kinds.iter().any(finer) {
        return None;
    }
    let column = |&kind: &PhaseKind| {
        Column::figures(kind.word(), jobs.iter().map(|job| seconds(job.time[kind as usize])).collect())
    };
    let mut columns: Vec<Column> = kinds.iter().map(column).collect();
    columns.push(Column::figures("wall time", jobs.iter().map(|job| seconds(job.wall)).collect()));
    Some(text::table(&names(jobs, "time, s"), &columns, paint))
}

fn bills(jobs: &[JobStats], paint: Paint) -> Option<String> {
    let billed =
        |job: &&JobStats| job.job.billable.is_some() || job.price.is_some() || job.bill == Bill::NothingRan;
    if !jobs.iter().any(|job| billed(&job)) {
        return None;
    }
    let of = |cell: &dyn Fn(&JobStats) -> String| jobs.iter().map(cell).collect::<Vec<_>>();
    let usd =
        |money: Option<Money>| money.map_or_else(|| MISSING.to_owned(), |money| fixed(money.as_usd(), 2));
    let span = |span: Option<Span>| span.map_or_else(|| MISSING.to_owned(), seconds);
    let columns = [
        Column::figures("training time, s", of(&|job| span(job.job.training_time))),
        Column::figures("billable, s", of(&|job| span(job.job.billable))),
        Column::figures(
            "saved, %",
            of(&|job| job.saving.map_or_else(|| MISSING.to_owned(), |saving| fixed(saving * 100.0, 2))),
        ),
        Column::figures("bill, $", of(&|job| usd(billed_usd(job)))),
        Column::figures("without Spot, $", of(&|job| usd(job.on_demand))),
    ];
    Some(text::table(&names(jobs, "money"), &columns, paint))
}

/// What was paid; `None` where it is not known.
fn billed_usd(job: &JobStats) -> Option<Money> {
    match job.bill {
        Bill::Known(money) => Some(money),
        Bill::NothingRan => Some(Money::ZERO),
        Bill::NotSaid | Bill::NoPrice => None,
    }
}

/// Why a bill is what it is.
fn bill_notes(jobs: &[JobStats]) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    let mut add = |note: String| {
        if !notes.contains(&note) {
            notes.push(note);
        }
    };
    for job in jobs {
        let name = text::name(&job.job.name);
        match job.bill {
            Bill::Known(_) => add(
                "billable seconds × nodes × On-Demand price; the Spot discount is inside the billable seconds"
                    .to_owned(),
            ),
            Bill::NothingRan => add(format!("{name}: $0.00, as no instance ever ran")),
            Bill::NotSaid if job.job.instance.is_empty() => {}
            Bill::NotSaid => add(format!("{name}: not known, as the file does not say what is billable")),
            Bill::NoPrice => {
                let instance = text::name(&job.job.instance);
                add(format!("no price is known of {instance}: give it with --on-demand \"7.09 USD/h\""));
            }
        }
        if let Some((price, of)) = job.price {
            let whose = match of {
                PriceOf::Given => "given".to_owned(),
                PriceOf::Catalogue => format!("of {} in the catalogue", text::name(&job.job.instance)),
            };
            add(format!("On-Demand price {price} for a node, {whose}"));
        }
    }
    notes
}

/// "a: 5,400 s and 4,212 s to an interruption, 8,370 s to its end".
fn uptimes(job: &JobStats) -> Option<String> {
    let ends = [
        ("to an interruption", StayEnd::Lost),
        ("to its end", StayEnd::Released),
        ("so far", StayEnd::CutOff),
    ];
    let told = ends.into_iter().filter_map(|(words, end)| {
        let spans: Vec<String> = job
            .uptimes
            .iter()
            .filter(|stay| stay.ended == end)
            .map(|stay| format!("{} s", seconds(stay.span)))
            .collect();
        (!spans.is_empty()).then(|| format!("{} {words}", text::listed(spans, UPTIMES_MAX)))
    });
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| format!("{}: {}", text::name(&job.job.name), told.join("; ")))
}

/// How a job ended, in words.
fn outcome(job: &JobStats) -> String {
    let words = match job.job.outcome {
        JobEnd::WaitedTooLong if job.job.ran() => "waited too long",
        JobEnd::WaitedTooLong => "waited too long, never ran",
        JobEnd::RanTooLong => "ran too long",
        JobEnd::NodeFailed => "node failed",
        JobEnd::Going => "not ended yet",
        other => other.word(),
    };
    words.to_owned()
}

/// Whole seconds, else to the millisecond.
fn seconds(span: Span) -> String {
    match span.ns() % 1_000_000_000 {
        0 => count(span.ns() / 1_000_000_000),
        _ => fixed(span.as_secs(), 3),
    }
}

fn hours(span: Span) -> String {
    fixed(span.as_hours(), 4)
}
