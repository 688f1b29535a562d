//! Jobs as JSON and CSV.

use super::super::super::json::number;
use super::billed_usd;
use crate::records::{PhaseKind, StayEnd};
use crate::trace::jobs::{Bill, JobStats, PriceOf, Totals, totals};
use crate::units::{Money, Span};
use serde_json::{Map, Value, json};

/// `{schema, kind, totals, jobs}`; a figure that does not exist is null.
pub fn json(jobs: &[JobStats]) -> Value {
    let Totals { attempts, preemptions, node_failures, node_time, early_node_time } = totals(jobs);
    json!({
        "schema": 1,
        "kind": "jobs",
        "totals": {
            "jobs": jobs.len(),
            "attempts": attempts,
            "preemptions": preemptions,
            "node_failures": node_failures,
            "node_h": number(Some(node_time.as_hours())),
            "early_node_h": number(Some(early_node_time.as_hours())),
        },
        "jobs": jobs.iter().map(job).collect::<Vec<_>>(),
    })
}

fn job(stats: &JobStats) -> Value {
    let mut map = Map::new();
    for (name, value) in words(stats) {
        map.insert(name.to_owned(), value.into());
    }
    for (name, value) in figures(stats) {
        map.insert(name.to_owned(), number(value));
    }
    let seconds = |span: &Span| number(Some(span.as_secs()));
    let time: Map<String, Value> = PhaseKind::ALL
        .iter()
        .map(|&kind| (kind.word().to_owned(), seconds(&stats.time[kind as usize])))
        .collect();
    map.insert("time_s".to_owned(), time.into());
    let uptimes = stats.uptimes.iter().map(|stay| {
        let ended = match stay.ended {
            StayEnd::Lost => "interrupted",
            StayEnd::Released => "released",
            StayEnd::CutOff => "cut_off",
        };
        json!({ "uptime_s": seconds(&stay.span), "ended": ended })
    });
    map.insert("uptimes".to_owned(), uptimes.collect());
    map.into()
}

fn words(stats: &JobStats) -> [(&'static str, String); 6] {
    let price_of = match stats.price {
        Some((_, PriceOf::Given)) => "given",
        Some((_, PriceOf::Catalogue)) => "catalogue",
        None => "",
    };
    let why = match stats.bill {
        Bill::Known(_) => "billable time times nodes times the On-Demand price",
        Bill::NothingRan => "no instance ever ran",
        Bill::NotSaid => "the file does not say what is billable",
        Bill::NoPrice => "no price is known of the instance",
    };
    [
        ("name", stats.job.name.clone()),
        ("instance", stats.job.instance.clone()),
        ("outcome", stats.job.outcome.word().to_owned()),
        ("submitted", stats.job.submitted().to_string()),
        ("cost_basis", why.to_owned()),
        ("price_of", price_of.to_owned()),
    ]
}

fn figures(stats: &JobStats) -> [(&'static str, Option<f64>); 14] {
    let usd = |money: Option<Money>| money.map(Money::as_usd);
    [
        ("attempts", Some(stats.attempts.into())),
        ("preemptions", Some(stats.preemptions.into())),
        ("node_failures", Some(stats.node_failures.into())),
        ("node_h", Some(stats.node_time.as_hours())),
        ("early_node_h", Some(stats.early_node_time.as_hours())),
        ("waits", Some(stats.waits.0.into())),
        ("waited_s", Some(stats.waits.1.as_secs())),
        ("wall_s", Some(stats.wall.as_secs())),
        ("training_time_s", stats.job.training_time.map(Span::as_secs)),
        ("billable_s", stats.job.billable.map(Span::as_secs)),
        ("savings", stats.saving),
        ("cost_usd", usd(billed_usd(stats))),
        ("on_demand_usd", usd(stats.on_demand)),
        ("on_demand_usd_per_h", stats.price.map(|(price, _)| price.as_usd_per_hour())),
    ]
}

/// A line a job; empty where a figure does not exist.
pub fn csv(jobs: &[JobStats]) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut write = |record: Vec<String>| writer.write_record(record).expect("memory takes every write");
    for (index, stats) in jobs.iter().enumerate() {
        let (words, figures) = (words(stats), figures(stats));
        let time = PhaseKind::ALL.map(|kind| (format!("{}_s", kind.word()), stats.time[kind as usize]));
        if index == 0 {
            let names = words.iter().map(|(name, _)| *name).chain(figures.iter().map(|(name, _)| *name));
            write(names.map(str::to_owned).chain(time.iter().map(|(name, _)| name.clone())).collect());
        }
        let text = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
        let cells = words.into_iter().map(|(_, word)| word).chain(figures.into_iter().map(|(_, v)| text(v)));
        write(cells.chain(time.iter().map(|(_, span)| span.as_secs().to_string())).collect());
    }
    writer.into_inner().expect("memory takes every write")
}
