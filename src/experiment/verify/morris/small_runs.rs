//! Designs of four trajectories over four levels, written out with their outputs: rows of `morris_small_runs.csv`.

use super::super::relative::Figure;
use super::super::streams::Held;
use super::super::test_function::TestFunction;
use super::super::{VerifyError, rows};
use crate::stats::points::Trajectory;
use std::collections::BTreeMap;

/// Columns without which a file is not of this kind.
pub(super) const COLUMNS: [&str; 4] = ["model", "row", "x1", "y"];

/// One point of a design.
#[derive(Debug)]
pub(super) struct Run {
    pub model: String,
    row: String,
    /// Where the model was run, in its own domain.
    x: Vec<f64>,
    y: f64,
}

/// Every point in the file's order.
pub(super) fn read(text: &str) -> Result<Vec<Run>, VerifyError> {
    let inputs = rows::header(text)?.iter().filter(|name| name.starts_with('x')).count();
    let rows: Vec<BTreeMap<String, String>> = rows::read(text)?;
    let cell = |row: &BTreeMap<String, String>, name: &str| row.get(name).cloned().unwrap_or_default();
    rows.iter()
        .map(|row| {
            let number = |name: &str| {
                cell(row, name).parse::<f64>().map_err(|_| {
                    VerifyError::Row(format!(
                        "{} {}: {name} is no number",
                        cell(row, "model"),
                        cell(row, "row")
                    ))
                })
            };
            let given =
                (1..=inputs).map(|input| format!("x{input}")).filter(|name| !cell(row, name).is_empty());
            let x = given.map(|name| number(&name)).collect::<Result<_, _>>()?;
            Ok(Run { model: cell(row, "model"), row: cell(row, "row"), x, y: number("y")? })
        })
        .collect()
}

/// Every output beside that of our model at the same point.
pub(super) fn compared(runs: &[Run]) -> Vec<(String, Result<Held, String>)> {
    let rows = runs.iter().map(|run| {
        let held = match TestFunction::named(&run.model) {
            None => Err(format!("model {}: not known", run.model)),
            Some(function) if function.inputs() != run.x.len() => {
                Err(format!("{} parameters are not those of {}", run.x.len(), run.model))
            }
            Some(function) => {
                Ok(Held { exact: vec![Figure::new(function.at(&run.x), run.y)], by_chance: Vec::new() })
            }
        };
        (format!("{} {}", run.model, run.row), held)
    });
    rows.collect()
}

/// The trajectories of a model and their outputs; `None` where the rows make no whole trajectories.
pub(super) fn design(runs: &[Run], model: &str) -> Option<(Vec<Trajectory>, Vec<f64>)> {
    let runs: Vec<&Run> = runs.iter().filter(|run| run.model == model).collect();
    let points = runs.first()?.x.len() + 1;
    if !runs.len().is_multiple_of(points) {
        return None;
    }
    let walks = runs.chunks(points).map(|walk| {
        let points: Vec<Vec<f64>> = walk.iter().map(|run| run.x.clone()).collect();
        let moves = points.windows(2).map(|two| moved(&two[0], &two[1])).collect::<Option<_>>()?;
        Some(Trajectory { points, moves })
    });
    Some((walks.collect::<Option<_>>()?, runs.iter().map(|run| run.y).collect()))
}

/// The one coordinate in which two points differ.
fn moved(from: &[f64], to: &[f64]) -> Option<usize> {
    let mut moved = (0..from.len()).filter(|&input| from.get(input) != to.get(input));
    moved.next().filter(|_| moved.next().is_none())
}
