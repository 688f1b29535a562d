//! Results as JSON.

use crate::experiment::{ClusterResult, Status, Stopped, StoppedBy};
use crate::scenario::load::Scenario;
use crate::scenario::plan::Market;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// `summary.json`: `{schema, scenario, clusters}`.
pub fn summary(scenario: &Scenario, results: &[ClusterResult]) -> Value {
    let mut summary = json!({
        "schema": 1,
        "scenario": {
            "name": scenario.name,
            "title": scenario.title,
            "replications": scenario.replications,
            "seed": scenario.seed,
        },
        "clusters": results.iter().map(cluster).collect::<Vec<_>>(),
    });
    let Some(map) = summary.as_object_mut() else { return summary };
    if let Some(until) = until(scenario, results) {
        map.insert("until".to_owned(), until);
    }
    if scenario.draws {
        let keys: Map<String, Value> =
            scenario.uncertain.iter().map(|one| (one.key.to_string(), one.text.clone().into())).collect();
        map.insert("uncertain".to_owned(), json!({ "sampling": scenario.sampling.name(), "keys": keys }));
    }
    summary
}

/// The rule that may end a run, and how it did; `stopped_by` is null of a run that was interrupted.
fn until(scenario: &Scenario, results: &[ClusterResult]) -> Option<Value> {
    let until = scenario.until.as_ref()?;
    let stopped = scenario.stopped(results);
    let stopped = stopped.as_ref();
    let farthest = stopped.and_then(|stopped| stopped.farthest.as_ref());
    Some(json!({
        "result": until.result,
        "relative": until.relative,
        "absolute": until.absolute,
        "confidence": until.confidence,
        "stopped_by": stopped.map(|stopped| match stopped.by {
            StoppedBy::Precision => "precision",
            StoppedBy::Cap => "cap",
        }),
        "replications": results.iter().map(|result| result.replications).max(),
        "replications_max": scenario.replications,
        "farthest_cluster": farthest.map(|(name, _)| name),
        "half_width": farthest.map(|(_, interval)| interval.half_width()),
        "half_width_over_value": stopped.and_then(Stopped::relative),
        "replications_for_half": stopped.and_then(Stopped::for_half),
    }))
}

/// What `--format json` prints: the summary, and how it was made.
pub fn with_manifest(mut summary: Value, manifest: Value) -> Value {
    if let Some(map) = summary.as_object_mut() {
        map.insert("manifest".to_owned(), manifest);
    }
    summary
}

/// The bytes of a document, with a line break at its end.
pub fn to_bytes(value: &impl Serialize) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(value).expect("what has text as keys can always be written");
    bytes.push(b'\n');
    bytes
}

/// The word for a market.
pub const fn market_word(market: Market) -> &'static str {
    match market {
        Market::Spot => "spot",
        Market::OnDemand => "on-demand",
    }
}

/// The word for a status.
pub const fn status_word(status: Status) -> &'static str {
    match status {
        Status::Simulated => "simulated",
        Status::Infeasible => "infeasible",
    }
}

fn cluster(result: &ClusterResult) -> Value {
    let mut map = Map::new();
    map.insert("name".into(), result.name.clone().into());
    map.insert("status".into(), status_word(result.status).into());
    map.insert("instance".into(), result.instance.clone().into());
    map.insert("nodes".into(), result.nodes.into());
    map.insert("market".into(), market_word(result.market).into());
    if let Some(outcome) = &result.only {
        map.insert("outcome".into(), outcome.end.name().into());
        map.insert("reason".into(), outcome.end.reason().into());
        map.insert("elapsed_h".into(), outcome.elapsed.as_hours().into());
    }
    map.insert("finished".into(), result.finished.into());
    map.insert("censored".into(), result.censored.into());
    let gave_up: Map<String, Value> =
        result.gave_up.iter().map(|&(reason, count)| (reason.to_owned(), count.into())).collect();
    map.insert("gave_up".into(), gave_up.into());
    let simulated = result.status == Status::Simulated;
    let (mut time_h, mut cost_usd_by_part) = (Map::new(), Map::new());
    for figure in result.figures() {
        let known = simulated || matches!(figure.name.as_str(), "ideal_h" | "deadline_h" | "replications");
        let value = number(figure.value.filter(|_| known));
        match figure.name.split_once('.') {
            Some(("time_h", part)) => _ = time_h.insert(part.to_owned(), value),
            Some((_, part)) => _ = cost_usd_by_part.insert(part.to_owned(), value),
            None => _ = map.insert(figure.name, value),
        }
    }
    map.insert("time_h".into(), if simulated { time_h.into() } else { Value::Null });
    let by_part = if simulated { cost_usd_by_part.into() } else { Value::Null };
    map.insert("cost_usd_by_part".into(), by_part);
    let lines = result.cost_lines.iter().map(|(item, usd)| json!({ "item": item, "usd_mean": usd }));
    map.insert("cost_lines".into(), lines.collect());
    if !result.zones.is_empty() {
        let zones = result.zones.iter().map(|zone| {
            let mut map = Map::new();
            map.insert("zone".into(), zone.zone.clone().into());
            if let Some(instance) = &zone.instance {
                map.insert("instance".into(), instance.clone().into());
            }
            for (name, value) in [
                ("attempts_mean", zone.attempts_mean),
                ("node_hours_mean", zone.node_hours_mean),
                ("cost_usd_mean", zone.cost_usd_mean),
            ] {
                map.insert(name.into(), number(Some(value)));
            }
            Value::Object(map)
        });
        map.insert("zones".into(), zones.collect());
    }
    if let Some(error) = result.quantile_error {
        map.insert("quantile_relative_error".into(), error.into());
    }
    map.into()
}

/// Whole numbers without a fraction, what does not exist or is infinite as null.
pub(super) fn number(value: Option<f64>) -> Value {
    match value {
        Some(value) if value.fract() == 0.0 && value.abs() < 1e15 => json!(value as i64),
        Some(value) => json!(value),
        None => Value::Null,
    }
}
