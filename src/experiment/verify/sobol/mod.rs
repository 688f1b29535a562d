//! Sobol' indices of models whose indices are known, and of outputs given.

mod estimates;
mod small_runs;

use super::streams::entry;
use super::{SuiteResult, VerifyError, rows};

/// Rows made for this project, 2026-12; the files say how.
const ROWS: &str = include_str!("../../../../data/verify/sobol_vectors.csv");
const SMALL_RUNS: &str = include_str!("../../../../data/verify/sobol_small_runs.csv");

/// Columns by which a file of each kind is known.
pub(super) const COLUMNS: [&[&str]; 2] = [&estimates::COLUMNS, &small_runs::COLUMNS];

/// Entry `sobol` over the rows of both files; `data`, one of the two, replaces them.
pub(super) fn sobol(data: Option<&str>) -> Result<Vec<SuiteResult>, VerifyError> {
    let rows = match data {
        None => {
            let mut rows = estimates::compared(ROWS)?;
            rows.extend(small_runs::compared(SMALL_RUNS)?);
            rows
        }
        Some(data) if rows::missing(&rows::header(data)?, &small_runs::COLUMNS).is_empty() => {
            small_runs::compared(data)?
        }
        Some(data) => estimates::compared(data)?,
    };
    Ok(vec![entry("sobol", &rows)])
}
