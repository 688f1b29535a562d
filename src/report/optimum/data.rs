//! Intervals between saves as JSON and CSV.

use super::super::json::number;
use super::Optima;
use crate::experiment::optimum::{Basis, Least, Optimum, Point};
use crate::scenario::load::Scenario;
use serde_json::{Value, json};

/// `{schema, scenario, clusters, left_out}`; a figure that does not exist or has no end is null.
pub fn json(scenario: &Scenario, replications: u64, optima: &Optima) -> Value {
    let left_out = optima.without.iter().map(|(name, why)| json!({ "name": name, "why": why.to_string() }));
    json!({
        "schema": 1,
        "scenario": {
            "name": scenario.name,
            "title": scenario.title,
            "replications": replications,
            "seed": scenario.seed,
        },
        "clusters": optima.found.iter().map(cluster).collect::<Vec<_>>(),
        "left_out": left_out.collect::<Vec<_>>(),
    })
}

fn cluster(optimum: &Optimum) -> Value {
    let own = &optimum.points[optimum.own];
    let formula = optimum.formulas.as_ref();
    json!({
        "name": optimum.name,
        "best_interval_s": number(optimum.points[optimum.best].interval_s),
        "own_interval_s": number(own.interval_s),
        "own_more": number(optimum.more(own)),
        "basis": match optimum.basis {
            Basis::Theory => "theory",
            Basis::Simulation(_) => "simulation",
        },
        "least": match optimum.least {
            Least::Makespan => "makespan",
            Least::Cost => "cost",
        },
        "limits_left_out": optimum.unlimited,
        "flat_shortest_s": number(Some(optimum.flat.shortest_s)),
        "flat_longest_s": number(Some(optimum.flat.longest_s)),
        "young_interval_s": number(formula.map(|of| of.young_s)),
        "daly_interval_s": number(formula.map(|of| of.daly_s)),
        "exact_interval_s": number(formula.map(|of| of.exact_s)),
        "points": (0..optimum.points.len()).map(|index| point(optimum, index)).collect::<Vec<_>>(),
    })
}

fn point(optimum: &Optimum, index: usize) -> Value {
    let mut map = serde_json::Map::new();
    map.insert("best".into(), (index == optimum.best).into());
    map.insert("own".into(), (index == optimum.own).into());
    map.extend(
        figures(optimum, &optimum.points[index]).map(|(name, value)| (name.to_owned(), number(value))),
    );
    map.into()
}

/// A line a cluster and interval; empty where a figure does not exist.
pub fn csv(optima: &Optima) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut write = |record: Vec<String>| writer.write_record(record).expect("memory takes every write");
    let mut header_due = true;
    for optimum in &optima.found {
        for (index, point) in optimum.points.iter().enumerate() {
            let figures = figures(optimum, point);
            if std::mem::take(&mut header_due) {
                let words = ["name", "best", "own"];
                write(words.into_iter().chain(figures.map(|(name, _)| name)).map(str::to_owned).collect());
            }
            let is = |other: usize| (index == other).to_string();
            let mut record = vec![optimum.name.clone(), is(optimum.best), is(optimum.own)];
            let text = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
            record.extend(figures.map(|(_, value)| text(value.filter(|value| value.is_finite()))));
            write(record);
        }
    }
    writer.into_inner().expect("memory takes every write")
}

fn figures(optimum: &Optimum, point: &Point) -> [(&'static str, Option<f64>); 11] {
    let simulated_h = point.simulated.map(|means| means.makespan_h);
    let simulated_usd = point.simulated.map(|means| means.cost_usd);
    let instances_usd = point.theory.and_then(|theory| theory.instances_usd);
    [
        ("interval_s", point.interval_s),
        ("makespan_h", point.theory.map(|theory| theory.makespan_h)),
        ("cost_usd", instances_usd.filter(|_| !optimum.billed_beside)),
        ("instances_usd", instances_usd),
        ("more", optimum.more(point)),
        ("simulated_makespan_h", simulated_h.map(|h| h.value)),
        ("simulated_makespan_h_low", simulated_h.map(|h| h.low)),
        ("simulated_makespan_h_high", simulated_h.map(|h| h.high)),
        ("simulated_cost_usd", simulated_usd.map(|usd| usd.value)),
        ("simulated_cost_usd_low", simulated_usd.map(|usd| usd.low)),
        ("simulated_cost_usd_high", simulated_usd.map(|usd| usd.high)),
    ]
}
