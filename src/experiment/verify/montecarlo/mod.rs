//! Statistics of replications: rows of `mc_vectors.csv`.

mod answers;
mod given;

use super::relative::{Compared, Figure, entry};
use super::{SuiteResult, VerifyError, rows};
use given::Given;
use serde::Deserialize;
use serde_json::Value;

/// Rows computed at 40 digits for this project, 2026-12; columns explained in the file.
const ROWS: &str = include_str!("../../../../data/verify/mc_vectors.csv");

/// Columns by which a file is known.
pub(super) const COLUMNS: [&str; 4] = ["id", "kind", "inputs", "expected"];

/// One row; inputs and expected figures are JSON objects.
#[derive(Debug, Deserialize)]
struct Row {
    id: String,
    kind: String,
    inputs: String,
    expected: String,
}

/// Entry `montecarlo` over the rows of `data`, else over the built-in ones.
pub(super) fn montecarlo(data: Option<&str>) -> Result<Vec<SuiteResult>, VerifyError> {
    let rows: Vec<Row> = rows::read(data.unwrap_or(ROWS))?;
    Ok(vec![entry("montecarlo", rows.iter().map(|row| (row.id.as_str(), compared(row))))])
}

fn compared(row: &Row) -> Compared {
    let json = |text: &str| -> Result<Value, String> {
        serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))
    };
    let ours = answers::answer(&row.kind, &Given::new(json(&row.inputs)?))?;
    figures(&ours, &json(&row.expected)?, "the answer")
}

/// What differs infinitely: one has a figure where the other has none, or a whole number is another one.
const WRONG: Figure = Figure::new(f64::INFINITY, 0.0);
const RIGHT: Figure = Figure::new(0.0, 0.0);

/// Ours beside every figure that is expected. A number in quotes is a real one; one without, a whole one or one of the
/// inputs, and must be equal; null is a figure that does not exist.
fn figures(ours: &Value, right: &Value, name: &str) -> Compared {
    let equal = |equal: bool| vec![if equal { RIGHT } else { WRONG }];
    Ok(match right {
        Value::Object(right) => {
            let mut all = Vec::new();
            for (name, right) in right {
                let ours = ours.get(name).ok_or_else(|| format!("`{name}` is not computed for this kind"))?;
                all.extend(figures(ours, right, name)?);
            }
            all
        }
        Value::Array(right) => match ours.as_array() {
            Some(ours) if ours.len() == right.len() => {
                let mut all = equal(true);
                for (ours, right) in ours.iter().zip(right) {
                    all.extend(figures(ours, right, name)?);
                }
                all
            }
            _ => equal(false),
        },
        Value::Null => equal(ours.is_null()),
        Value::Number(right) => equal(ours.as_f64().is_some_and(|ours| Some(ours) == right.as_f64())),
        Value::String(right) => {
            let right = right.parse().map_err(|_| format!("{name} `{right}`: no number"))?;
            vec![ours.as_f64().map_or(WRONG, |ours| Figure::new(ours, right))]
        }
        Value::Bool(right) => equal(ours.as_bool() == Some(*right)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn whole_numbers_and_absent_figures_must_be_equal() {
        let right = json!({"n": 34, "mean": "2.5", "p90": null, "steps": [[6, "0.5"]]});
        let errors = |ours: Value| {
            let rows = [("a", figures(&ours, &right, ""))];
            entry("e", rows).value
        };
        assert!(errors(json!({"n": 34, "mean": 2.5, "p90": null, "steps": [[6, 0.5]], "more": 1})) == 0.0);
        assert!(errors(json!({"n": 34, "mean": 2.55, "p90": null, "steps": [[6, 0.5]]})) < 0.03);
        for wrong in [
            json!({"n": 35, "mean": 2.5, "p90": null, "steps": [[6, 0.5]]}),
            json!({"n": 34, "mean": null, "p90": null, "steps": [[6, 0.5]]}),
            json!({"n": 34, "mean": 2.5, "p90": 1.0, "steps": [[6, 0.5]]}),
            json!({"n": 34, "mean": 2.5, "p90": null, "steps": [[7, 0.5]]}),
            json!({"n": 34, "mean": 2.5, "p90": null, "steps": []}),
        ] {
            assert_eq!(errors(wrong), f64::INFINITY);
        }
        assert!(figures(&json!({"n": 34}), &right, "").is_err());
    }
}
