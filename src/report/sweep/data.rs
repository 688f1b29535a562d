//! What a sweep found as JSON and CSV.

use super::super::json::number;
use super::{SweepView, sentences};
use crate::experiment::sweep::Point;
use serde_json::{Map, Value, json};

/// `summary.json`; what does not exist is null.
pub fn json(view: &SweepView<'_>) -> Value {
    let found = view.found;
    let of = |point: Option<&Point>| point.map_or(Value::Null, |point| self::point(view, point));
    json!({
        "schema": 1,
        "scenario": {
            "name": view.name,
            "title": view.title,
            "replications": found.replications,
            "seed": view.seed,
        },
        "keys": view.rows.keys,
        "calibrations": view.calibrations,
        "clusters": view.rows.clusters(),
        "configurations": view.rows.configurations(),
        "rows": view.rows.rows.len(),
        "invalid": found.invalid,
        "infeasible": found.infeasible,
        "without_a_finished_run": found.endless,
        "verdict": sentences(view).join(" "),
        "best": of(found.cheapest()),
        "maybe_as_cheap": found.as_cheap(),
        "fastest": of(found.fastest()),
        "front": found.front().map(|point| self::point(view, point)).collect::<Vec<_>>(),
    })
}

fn point(view: &SweepView<'_>, point: &Point) -> Value {
    let row = view.row(point);
    let values: Map<String, Value> =
        view.rows.keys.iter().cloned().zip(row.values.iter().cloned().map(Value::from)).collect();
    let mut map = Map::new();
    map.insert("configuration".into(), row.configuration.into());
    map.insert("values".into(), values.into());
    map.insert("cluster".into(), row.cluster.clone().into());
    map.extend(FIGURES.iter().zip(figures(point)).map(|(name, value)| ((*name).to_owned(), number(value))));
    map.into()
}

/// `pareto.csv`: the front, the cheapest first.
pub fn pareto(view: &SweepView<'_>) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut write = |record: Vec<String>| writer.write_record(record).expect("memory takes every write");
    let names = FIGURES.map(str::to_owned);
    let header = ["configuration".to_owned()].into_iter().chain(view.rows.keys.iter().cloned());
    write(header.chain(["cluster".to_owned()]).chain(names).collect());
    for point in view.found.front() {
        let row = view.row(point);
        let start = [row.configuration.to_string()].into_iter().chain(row.values.iter().cloned());
        let text = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
        write(start.chain([row.cluster.clone()]).chain(figures(point).map(text)).collect());
    }
    writer.into_inner().expect("memory takes every write")
}

/// Names of a point's figures.
const FIGURES: [&str; 8] = [
    "cost_per_finished_usd",
    "cost_per_finished_usd_ci_low",
    "cost_per_finished_usd_ci_high",
    "makespan_h_mean",
    "makespan_h_ci_low",
    "makespan_h_ci_high",
    "finish_probability",
    "deadline_probability",
];

fn figures(point: &Point) -> [Option<f64>; FIGURES.len()] {
    let (cost, time) = (point.cost_usd, point.time_h);
    let known = [cost.value, cost.low, cost.high, time.value, time.low, time.high, point.finishes].map(Some);
    let [a, b, c, d, e, f, g] = known;
    [a, b, c, d, e, f, g, point.in_time]
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use crate::experiment::sweep::found;

    #[test]
    fn the_front_is_in_both_from_the_cheapest_to_the_fastest() {
        let rows = fixture::grid();
        let found = found(&rows);
        let view = fixture::view(&rows, &found);
        let document = json(&view);
        let costs: Vec<f64> = document["front"]
            .as_array()
            .unwrap()
            .iter()
            .map(|p| p["cost_per_finished_usd"].as_f64().unwrap())
            .collect();
        assert!(costs.windows(2).all(|pair| pair[0] <= pair[1]) && costs.len() > 2, "{costs:?}");
        let csv = String::from_utf8(pareto(&view)).unwrap();
        assert_eq!(csv.lines().count(), costs.len() + 1);
        assert!(
            csv.starts_with(
                "configuration,cluster.Spot.nodes,checkpoint.every,cluster,cost_per_finished_usd,"
            )
        );
        assert_eq!(document["best"]["values"]["checkpoint.every"], "30 min");
    }
}
