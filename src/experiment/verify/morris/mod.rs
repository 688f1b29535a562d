//! Elementary effects of models that are known, over designs written out and over our own.

mod effects;
mod small_runs;

use super::streams::entry;
use super::{SuiteResult, VerifyError, rows};

/// Rows made for this project, 2026-12; the files say how.
const ROWS: &str = include_str!("../../../../data/verify/morris_vectors.csv");
const SMALL_RUNS: &str = include_str!("../../../../data/verify/morris_small_runs.csv");

/// Columns by which a file of each kind is known.
pub(super) const COLUMNS: [&[&str]; 2] = [&effects::COLUMNS, &small_runs::COLUMNS];

/// Entry `morris` over the rows of both files. `data` of other effects is compared over the built-in designs, of
/// other designs with the built-in effects of their models.
pub(super) fn morris(data: Option<&str>) -> Result<Vec<SuiteResult>, VerifyError> {
    let given_designs = match data {
        Some(data) if rows::missing(&rows::header(data)?, &small_runs::COLUMNS).is_empty() => Some(data),
        _ => None,
    };
    let (runs, vectors) = (given_designs.unwrap_or(SMALL_RUNS), data.unwrap_or(ROWS));
    let runs = small_runs::read(runs)?;
    let rows = match (data, given_designs) {
        (_, Some(_)) => {
            let mut rows = small_runs::compared(&runs);
            rows.extend(effects::compared(ROWS, &runs, |row| {
                runs.iter().any(|run| run.model == row.model && row.is_small())
            })?);
            rows
        }
        (None, None) => {
            let mut rows = small_runs::compared(&runs);
            rows.extend(effects::compared(vectors, &runs, |_| true)?);
            rows
        }
        (Some(_), None) => effects::compared(vectors, &runs, |_| true)?,
    };
    Ok(vec![entry("morris", &rows)])
}
