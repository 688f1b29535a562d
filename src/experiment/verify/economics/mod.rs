//! Expected makespan and cost under interruptions: the formulas of `analytic`, and the simulation.

mod breakeven;
mod expected;
mod row;
mod scaling;
mod simulated;

use super::relative::{Compared, entry};
use super::{SuiteResult, VerifyError, rows};
use row::Row;

/// Rows computed at 40 digits for this project, 2026-12; columns explained in the files.
const ROWS: &str = include_str!("../../../../data/verify/economics_vectors.csv");
const SCALING_ROWS: &str = include_str!("../../../../data/verify/gang_scaling_vectors.csv");
const BREAKEVEN_ROWS: &str = include_str!("../../../../data/verify/breakeven_vectors.csv");

/// Columns by which a file of each kind is known.
pub(super) const COLUMNS: [&[&str]; 3] =
    [&["id", "kind", "law", "gang_n", "work_s", "e_makespan_s"], &scaling::COLUMNS, &breakeven::COLUMNS];

/// Entries `economics`, over the rows of all three files, and `economics/simulated`, over those of
/// `vectors.csv`; `data`, one of the three, replaces them all.
pub(super) fn economics(data: Option<&str>) -> Result<Vec<SuiteResult>, VerifyError> {
    let Some(data) = data else {
        let (vectors, scaling) = (vectors(ROWS)?, scaling(SCALING_ROWS)?);
        let breakeven = breakeven(BREAKEVEN_ROWS)?;
        let figures = expected(&vectors).chain(scaled(&scaling)).chain(broken_even(&breakeven));
        return Ok(vec![entry("economics", figures), simulated::simulated(&vectors)]);
    };
    let header = rows::header(data)?;
    let has = |columns| rows::missing(&header, columns).is_empty();
    if has(&scaling::COLUMNS) {
        return Ok(vec![entry("economics", scaled(&scaling(data)?))]);
    }
    if has(&breakeven::COLUMNS) {
        return Ok(vec![entry("economics", broken_even(&breakeven(data)?))]);
    }
    let vectors = vectors(data)?;
    Ok(vec![entry("economics", expected(&vectors)), simulated::simulated(&vectors)])
}

fn vectors(text: &str) -> Result<Vec<Row>, VerifyError> {
    let rows: Vec<Row> = rows::read(text)?;
    match rows.iter().find(|row| row.gang_n == 0 || row.e_makespan_s.is_nan()) {
        Some(Row { id, .. }) => {
            let needs = "gang_n must be at least 1 and e_makespan_s a number or inf";
            Err(VerifyError::Row(format!("`{id}`: {needs}")))
        }
        None => Ok(rows),
    }
}

fn scaling(text: &str) -> Result<Vec<scaling::Row>, VerifyError> {
    rows::read(text)
}

fn breakeven(text: &str) -> Result<Vec<breakeven::Row>, VerifyError> {
    rows::read(text)
}

fn expected(rows: &[Row]) -> impl Iterator<Item = (&str, Compared)> {
    rows.iter().map(|row| (row.id.as_str(), expected::compared(row)))
}

fn scaled(rows: &[scaling::Row]) -> impl Iterator<Item = (&str, Compared)> {
    rows.iter().map(|row| (row.id.as_str(), scaling::compared(row)))
}

fn broken_even(rows: &[breakeven::Row]) -> impl Iterator<Item = (&str, Compared)> {
    rows.iter().map(|row| (row.id.as_str(), breakeven::compared(row)))
}
