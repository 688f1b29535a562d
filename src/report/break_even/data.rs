//! The answer as JSON and CSV.

use super::super::json::number;
use super::{BreakEvenView, verdict};
use crate::experiment::break_even::{Goal, Point, Root};
use serde_json::{Value, json};

/// `break-even.json`; values of the key are texts as a scenario has them, beside numbers in seconds or in the
/// range's own unit.
pub fn json(view: &BreakEvenView<'_>) -> Value {
    let range = view.range;
    let root = |root: &Root| {
        json!({
            "value": range.text(root.value(range)),
            "number": number(Some(root.value(range))),
            "before": number(Some(root.before)),
            "behind": number(Some(root.behind)),
            "ci_low": number(Some(root.low)),
            "ci_high": number(Some(root.high)),
            "ci_low_is_end_of_range": root.low_is_end,
            "ci_high_is_end_of_range": root.high_is_end,
            "rises": root.rises,
            "changes": root.changes,
        })
    };
    let goal = match view.goal {
        Goal::SameCost => json!({ "figure": "cost_per_finished_usd", "of": view.against }),
        Goal::Figure { name, value } => json!({ "figure": name, "value": number(Some(*value)) }),
    };
    json!({
        "schema": 1,
        "scenario": {
            "name": view.name,
            "title": view.title,
            "replications": view.replications,
            "seed": view.seed,
        },
        "key": view.key,
        "from": range.text(range.from),
        "to": range.text(range.to),
        "today": view.today.map(|value| range.text(value)),
        "cluster": view.cluster,
        "goal": goal,
        "verdict": verdict(view).join(" "),
        "roots": view.found.roots.iter().map(root).collect::<Vec<_>>(),
        "points": view.found.points.iter().map(|p| point(view, p)).collect::<Vec<_>>(),
    })
}

fn point(view: &BreakEvenView<'_>, point: &Point) -> Value {
    let difference = point.difference;
    json!({
        "value": view.range.text(point.value),
        "difference": number(difference.map(|d| d.value)),
        "difference_ci_low": number(difference.map(|d| d.low)),
        "difference_ci_high": number(difference.map(|d| d.high)),
    })
}

/// Every value that was looked at.
pub fn csv(view: &BreakEvenView<'_>) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut write = |record: Vec<String>| writer.write_record(record).expect("memory takes every write");
    let names = ["difference", "difference_ci_low", "difference_ci_high"].map(str::to_owned);
    write([vec![view.key.to_owned()], names.to_vec()].concat());
    for point in &view.found.points {
        let cells = point.difference.map_or([const { String::new() }; 3], |d| {
            [d.value, d.low, d.high].map(|value| value.to_string())
        });
        write([vec![view.range.text(point.value)], cells.to_vec()].concat());
    }
    writer.into_inner().expect("memory takes every write")
}
