//! Policies against the deadline as JSON and CSV.

use super::super::csv::field;
use crate::experiment::curves::{Curves, Deadline, Point};
use crate::stats::Interval;
use serde_json::{Value, json};

/// `{schema, name, on_demand_usd, ideal_h, worlds, deadlines: [{deadline_h, bound_usd…, policies: […]}]}`.
pub fn json(curves: &Curves, seed: u64) -> Value {
    json!({
        "schema": 1,
        "name": curves.name,
        "ideal_h": curves.ideal_h,
        "on_demand_usd": curves.on_demand_usd,
        "worlds": curves.worlds,
        "seed": seed,
        "deadlines": curves.deadlines.iter().map(|deadline| of_deadline(curves, deadline)).collect::<Vec<_>>(),
    })
}

fn of_deadline(curves: &Curves, deadline: &Deadline) -> Value {
    let policies = curves.policies.iter().zip(&deadline.points).map(|(policy, point)| {
        let mut value = serde_json::Map::from_iter([("policy".to_owned(), policy.key.into())]);
        value.extend(figures(point).map(|(name, figure)| (name.to_owned(), json!(figure))));
        Value::Object(value)
    });
    json!({
        "deadline_h": deadline.deadline_h,
        "bound_usd_mean": deadline.bound_usd.map(|bound| bound.value),
        "bound_usd_ci_low": deadline.bound_usd.map(|bound| bound.low),
        "bound_usd_ci_high": deadline.bound_usd.map(|bound| bound.high),
        "policies": policies.collect::<Vec<_>>(),
    })
}

fn figures(point: &Point) -> [(&'static str, Option<f64>); 10] {
    let value = |of: Option<Interval>| of.map(|of| of.value);
    let (low, high) =
        (|of: Option<Interval>| of.map(|of| of.low), |of: Option<Interval>| of.map(|of| of.high));
    let (greedy, bound) = (point.over_greedy_usd, point.over_bound_usd);
    [
        ("cost_usd_mean", Some(point.cost_usd.value)),
        ("cost_usd_ci_low", Some(point.cost_usd.low)),
        ("cost_usd_ci_high", Some(point.cost_usd.high)),
        ("deadline_probability", Some(point.met)),
        ("over_greedy_usd_mean", value(greedy)),
        ("over_greedy_usd_ci_low", low(greedy)),
        ("over_greedy_usd_ci_high", high(greedy)),
        ("over_bound_usd_mean", value(bound)),
        ("over_bound_usd_ci_low", low(bound)),
        ("over_bound_usd_ci_high", high(bound)),
    ]
}

/// A row a deadline and policy.
pub fn csv(curves: &Curves) -> Vec<u8> {
    let mut text = String::from("deadline_h,policy,bound_usd_mean");
    for (name, _) in
        curves.deadlines.first().and_then(|d| d.points.first()).iter().flat_map(|point| figures(point))
    {
        text.push(',');
        text.push_str(name);
    }
    text.push('\n');
    let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    for deadline in &curves.deadlines {
        for (policy, point) in curves.policies.iter().zip(&deadline.points) {
            let bound = number(deadline.bound_usd.map(|bound| bound.value));
            text.push_str(&format!("{},{},{bound}", deadline.deadline_h, field(policy.key)));
            for (_, value) in figures(point) {
                text.push(',');
                text.push_str(&number(value));
            }
            text.push('\n');
        }
    }
    text.into_bytes()
}
