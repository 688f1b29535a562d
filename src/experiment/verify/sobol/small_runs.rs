//! One design written out with its outputs, and their indices in its comments: rows of `sobol_small_runs.csv`.

use super::super::relative::Figure;
use super::super::streams::Held;
use super::super::test_function::TestFunction;
use super::super::{VerifyError, rows};
use crate::experiment::sensitivity::{Estimate, Indices, SobolDesign, pairs};
use std::collections::BTreeMap;

/// Columns without which a file is not of this kind.
pub(super) const COLUMNS: [&str; 3] = ["run", "x1", "y"];

type Rows = Vec<(String, Result<Held, String>)>;

/// A row for each output, where the comments name the model, and one for each index that they give.
pub(super) fn compared(text: &str) -> Result<Rows, VerifyError> {
    let runs: Vec<BTreeMap<String, String>> = rows::read(text)?;
    let comments: Vec<&str> = text.lines().filter(|line| line.starts_with('#')).collect();
    let inputs = rows::header(text)?.iter().filter(|name| name.starts_with('x')).count();
    let number = |run: &BTreeMap<String, String>, column: &str| -> Result<f64, String> {
        let text = run.get(column).map_or("", String::as_str);
        text.parse().map_err(|_| format!("{column} `{text}`: no number"))
    };
    let outputs: Result<Vec<f64>, String> = runs.iter().map(|run| number(run, "y")).collect();
    let mut all = Vec::new();
    let function = TestFunction::named_in(&comments.join("\n"));
    if let Some(function) = function.filter(|function| function.inputs() == inputs) {
        for run in &runs {
            let point: Result<Vec<f64>, String> =
                (1..=inputs).map(|input| number(run, &format!("x{input}"))).collect();
            let figure = point.and_then(|point| Ok(Figure::new(function.at(&point), number(run, "y")?)));
            let id = format!("run {}", run.get("run").map_or("", String::as_str));
            all.push((id, figure.map(exact)));
        }
    }
    let design = SobolDesign { inputs, base: runs.len() / (2 * inputs + 2), second_order: true };
    let indices = outputs.and_then(|outputs| {
        design.indices(&outputs, 0).ok_or_else(|| "the runs are no whole number of blocks of 2 D + 2".into())
    });
    all.extend(given(&comments, inputs).into_iter().map(|(id, right)| {
        let held = right.and_then(|right| Ok(exact(Figure::new(of(&indices.clone()?, &id)?, right))));
        (id, held)
    }));
    Ok(all)
}

fn exact(figure: Figure) -> Held {
    Held { exact: vec![figure], by_chance: Vec::new() }
}

/// The indices in the comments by name, `S1 2` for the second input: lines such as `# S1=0.26 0.03 -0.09`.
fn given(comments: &[&str], inputs: usize) -> Vec<(String, Result<f64, String>)> {
    let named = |index: &str| -> Vec<String> {
        match index {
            "S2" => pairs(inputs).map(|(one, other)| format!("S2 {one} {other}")).collect(),
            _ => (0..inputs).map(|input| format!("{index} {input}")).collect(),
        }
    };
    let mut all = Vec::new();
    for index in ["S1", "ST", "S2"] {
        let line = comments.iter().find_map(|line| line.trim_start_matches('#').trim().strip_prefix(index));
        let values = line.and_then(|rest| rest.split_once('='));
        let mut values = values.map_or("", |(_, values)| values).split_whitespace();
        for name in named(index) {
            let value = values.next().and_then(|value| value.parse().ok());
            all.push((name, value.ok_or_else(|| format!("the comments give no {index}"))));
        }
    }
    all
}

/// The index of that name.
fn of(indices: &Indices, name: &str) -> Result<f64, String> {
    let inputs = indices.first.len();
    let first = indices.first.iter().enumerate().map(|(input, e)| (format!("S1 {input}"), e));
    let total = indices.total.iter().enumerate().map(|(input, e)| (format!("ST {input}"), e));
    let second = pairs(inputs).zip(&indices.second).map(|((j, k), e)| (format!("S2 {j} {k}"), e));
    let mut all = first.chain(total).chain(second);
    let found = all.find(|(known, _)| known == name);
    found.map(|(_, Estimate { value, .. })| *value).ok_or_else(|| format!("no index {name}"))
}
