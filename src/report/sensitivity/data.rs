//! Findings as JSON and CSV.

use super::super::json::number;
use super::{SensitivityView, sentence};
use crate::experiment::sensitivity::{Estimate, Finding, Found, Method, pairs};
use serde_json::{Value, json};

/// One number of a finding: its index, the inputs that it is about, and its interval where it has one.
struct Line {
    index: &'static str,
    inputs: Vec<usize>,
    value: f64,
    ends: Option<(f64, f64)>,
}

impl Line {
    fn of(index: &'static str, inputs: &[usize], estimate: Estimate) -> Self {
        let interval = estimate.interval();
        Self {
            index,
            inputs: inputs.to_vec(),
            value: estimate.value,
            ends: Some((interval.low, interval.high)),
        }
    }

    const fn bare(index: &'static str, inputs: Vec<usize>, value: f64) -> Self {
        Self { index, inputs, value, ends: None }
    }
}

/// Every number of a finding, in the order of the inputs.
fn all_of(finding: &Finding, inputs: usize) -> Vec<Line> {
    let mut all: Vec<Line> = Vec::new();
    match &finding.found {
        Found::Sobol(indices) => {
            for (input, (first, total)) in indices.first.iter().zip(&indices.total).enumerate() {
                all.push(Line::of("S1", &[input], *first));
                all.push(Line::of("ST", &[input], *total));
            }
            let second = pairs(inputs).zip(&indices.second);
            all.extend(second.map(|((one, other), index)| Line::of("S2", &[one, other], *index)));
        }
        Found::Morris(effects) => {
            for (input, effect) in effects.iter().enumerate() {
                all.push(Line::bare("mu", vec![input], effect.mean));
                all.push(Line::of("mu_star", &[input], effect.mean_size));
                all.push(Line::bare("sigma", vec![input], effect.sd));
            }
        }
        Found::OneAtATime { base, bars } => {
            all.push(Line::bare("base", Vec::new(), *base));
            let mut bars = bars.clone();
            bars.sort_by_key(|bar| bar.input);
            for bar in bars {
                all.push(Line::bare("low", vec![bar.input], bar.at_low));
                all.push(Line::bare("high", vec![bar.input], bar.at_high));
            }
        }
        Found::Lacking { .. } => {}
    }
    all.extend(finding.noise.map(|noise| Line::bare("noise", Vec::new(), noise)));
    all
}

fn keys(view: &SensitivityView<'_>, line: &Line) -> Vec<String> {
    line.inputs.iter().map(|&input| view.inputs[input].key.clone()).collect()
}

/// `sensitivity.csv`: a line a number; `noise` is the share of the variance that chance makes at most.
pub fn csv(view: &SensitivityView<'_>) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut write = |record: Vec<String>| writer.write_record(record).expect("memory takes every write");
    let header = ["cluster", "result", "index", "key", "other_key", "value", "ci_low", "ci_high"];
    write(header.map(str::to_owned).to_vec());
    for finding in view.findings {
        for line in all_of(finding, view.inputs.len()) {
            let mut keys = keys(view, &line);
            keys.resize(2, String::new());
            let (low, high) =
                line.ends.map_or_else(Default::default, |(l, h)| (l.to_string(), h.to_string()));
            let start = [finding.cluster.clone(), finding.result.clone(), line.index.to_owned()];
            write(start.into_iter().chain(keys).chain([line.value.to_string(), low, high]).collect());
        }
    }
    writer.into_inner().expect("memory takes every write")
}

/// `summary.json`; what does not exist is null.
pub fn json(view: &SensitivityView<'_>) -> Value {
    let (name, levels) = match view.method {
        Method::Sobol { .. } => ("sobol", None),
        Method::Morris { levels, .. } => ("morris", Some(levels)),
        Method::OneAtATime => ("one-at-a-time", None),
    };
    let input = |input: &super::Input| json!({ "key": input.key, "law": input.law, "low": input.low, "high": input.high });
    json!({
        "schema": 1,
        "scenario": {
            "name": view.name,
            "title": view.title,
            "replications": view.replications,
            "seed": view.seed,
        },
        "method": name,
        "levels": levels,
        "points": view.points(),
        "inputs": view.inputs.iter().map(input).collect::<Vec<_>>(),
        "findings": view.findings.iter().map(|finding| self::finding(view, finding)).collect::<Vec<_>>(),
    })
}

fn finding(view: &SensitivityView<'_>, finding: &Finding) -> Value {
    let lines = all_of(finding, view.inputs.len());
    let indices = lines.iter().filter(|line| line.index != "noise").map(|line| {
        json!({
            "index": line.index,
            "keys": keys(view, line),
            "value": number(Some(line.value)),
            "ci_low": number(line.ends.map(|ends| ends.0)),
            "ci_high": number(line.ends.map(|ends| ends.1)),
        })
    });
    let lacking = match finding.found {
        Found::Lacking { points, .. } => points,
        _ => 0,
    };
    json!({
        "cluster": finding.cluster,
        "result": finding.result,
        "verdict": sentence(view, finding),
        "noise": number(finding.noise),
        "points_without_it": lacking,
        "indices": indices.collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn every_number_has_its_line() {
        for method in fixture::METHODS {
            fixture::with_view(method, |view| {
                let csv = String::from_utf8(csv(view)).unwrap();
                let lines = match method {
                    Method::Sobol { .. } => 3 + 3 + 3 + 1,
                    Method::Morris { .. } => 9 + 1,
                    Method::OneAtATime => 1 + 6 + 1,
                };
                assert_eq!(csv.lines().count(), 1 + lines * view.findings.len(), "{csv}");
                assert_eq!(json(view)["findings"][0]["result"], "cost_per_finished_usd");
            });
        }
    }
}
