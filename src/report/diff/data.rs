//! A comparison as JSON and CSV.

use super::super::json::number;
use super::{Basis, Compared, DiffView};
use crate::stats::Interval;
use serde_json::{Map, Value, json};

/// `{schema, a, b, compared}`; a figure that does not exist is null.
pub fn json(view: &DiffView<'_>) -> Value {
    let side = |side: usize| json!({ "folder": view.folders[side], "scenario": view.scenarios[side], "seed": view.seeds[side] });
    let compared = view.compared.iter().map(|one| {
        let mut map = Map::new();
        map.insert("a".into(), one.a.clone().into());
        map.insert("b".into(), one.b.clone().into());
        map.insert("paired".into(), is_paired(one).into());
        if let Basis::Apart { why, .. } = &one.basis {
            map.insert("why_not_paired".into(), (*why).into());
        }
        let [a, b] = replications(one);
        map.insert("replications_a".into(), a.into());
        map.insert("replications_b".into(), b.into());
        for (name, value) in figures(one) {
            map.insert(name, number(value));
        }
        Value::Object(map)
    });
    json!({ "schema": 1, "a": side(0), "b": side(1), "compared": compared.collect::<Vec<_>>() })
}

/// A line for each two clusters; empty where a figure does not exist.
pub fn csv(view: &DiffView<'_>) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut write = |record: Vec<String>| writer.write_record(record).expect("memory takes every write");
    for (index, one) in view.compared.iter().enumerate() {
        let figures = figures(one);
        if index == 0 {
            let head = ["a", "b", "paired", "replications_a", "replications_b"].map(str::to_owned);
            write(head.into_iter().chain(figures.iter().map(|(name, _)| name.clone())).collect());
        }
        let [a, b] = replications(one).map(|n| n.to_string());
        let head = [one.a.clone(), one.b.clone(), is_paired(one).to_string(), a, b];
        let cell =
            |(_, value): &(String, Option<f64>)| value.map_or(String::new(), |value| value.to_string());
        write(head.into_iter().chain(figures.iter().map(cell)).collect());
    }
    writer.into_inner().expect("memory takes every write")
}

fn is_paired(one: &Compared) -> bool {
    matches!(one.basis, Basis::Paired { .. })
}

fn replications(one: &Compared) -> [u64; 2] {
    match one.basis {
        Basis::Paired { replications } => [replications; 2],
        Basis::Apart { replications, .. } => replications,
    }
}

/// Who wins is told of pairs alone, but its columns are always there.
const WINS: [&str; 3] = ["cheaper", "faster", "cheaper_and_faster"];

fn figures(one: &Compared) -> Vec<(String, Option<f64>)> {
    let mut all = Vec::new();
    for figure in &one.comparison.figures {
        let name = figure.name;
        all.push((format!("{name}_a"), figure.a));
        all.push((format!("{name}_b"), figure.b));
        with_interval(&format!("{name}_difference"), figure.difference, &mut all);
    }
    with_interval("saved_share", one.comparison.saved, &mut all);
    for name in WINS {
        let wins = one.comparison.wins.iter().find(|wins| wins.name == name);
        with_interval(&format!("a_{name}_probability"), wins.and_then(|wins| wins.a), &mut all);
        with_interval(&format!("b_{name}_probability"), wins.and_then(|wins| wins.b), &mut all);
    }
    all
}

fn with_interval(name: &str, of: Option<Interval>, all: &mut Vec<(String, Option<f64>)>) {
    all.push((name.to_owned(), of.map(|of| of.value)));
    all.push((format!("{name}_ci_low"), of.map(|of| of.low)));
    all.push((format!("{name}_ci_high"), of.map(|of| of.high)));
}
