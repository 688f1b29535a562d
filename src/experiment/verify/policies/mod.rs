//! Policies tick by tick against the engine of their authors.

mod cells;
mod first_engine;
mod single;

pub use cells::{Cells, cells};

use super::multi_region::multi_region;
use super::optimum_policy::Cell;
use super::shipped::Find;
use super::{SuiteResult, VerifyError, rows};

/// Made with the authors' engines, 2026-12; explained in the files.
const ROWS: &str = include_str!("../../../../data/verify/policies.csv");
const ROWS_2023: &str = include_str!("../../../../data/verify/policies_2023.csv");

/// Columns of the rows of one region.
pub(super) const SINGLE: [&str; 8] = [
    "trace",
    "strategy",
    "task_hours",
    "deadline_hours",
    "start_offset_ticks",
    "cost_usd",
    "finished_h",
    "price_model",
];
/// Columns of the rows of the engine of 2023.
pub(super) const FIRST: [&str; 7] =
    ["trace", "strategy", "task_hours", "deadline_hours", "start_offset_ticks", "cost_usd", "engine_ticks"];

/// Costs have six decimals.
const TOLERANCE_USD: f64 = 1e-6;

/// Entries `policies`, `policies/2023` and those over several regions, each over its built-in rows, or those of `data`
/// by its columns.
pub(super) fn policies(data: Option<&str>, beside: Find<'_>) -> Result<Vec<SuiteResult>, VerifyError> {
    let Some(data) = data else {
        let one_region =
            [single::entry(&rows::read(ROWS)?, beside), first_engine::entry(&rows::read(ROWS_2023)?, beside)];
        return Ok(one_region.into_iter().chain(multi_region(None, beside)?).collect());
    };
    let header = rows::header(data)?;
    let has = |columns: &[&'static str]| rows::missing(&header, columns).is_empty();
    if has(&FIRST) {
        return Ok(vec![first_engine::entry(&rows::read(data)?, beside)]);
    }
    match has(&SINGLE) {
        true => Ok(vec![single::entry(&rows::read(data)?, beside)]),
        false => multi_region(Some(data), beside),
    }
}

/// What a row came to, here and there.
struct Compared {
    /// |ours − right|, USD.
    error_usd: f64,
    /// What else differs, for people.
    differs: Option<String>,
}

/// Jobs of more ticks than this are not run.
const TICKS_MAX: f64 = 1e5;

/// Refuses lengths that are not lengths, and jobs without end.
fn check_length(cell: &Cell, tick_s: f64) -> Result<(), String> {
    let lengths = [cell.task_hours, cell.deadline_hours, cell.restart_overhead_h, tick_s];
    let all = lengths.into_iter().all(|x| x.is_finite() && x >= 0.0);
    match all && tick_s > 0.0 && cell.deadline_hours * 3_600.0 / tick_s <= TICKS_MAX {
        true => Ok(()),
        false => Err(format!("hours that are no hours, or more than {TICKS_MAX} ticks")),
    }
}

/// The entry `suite` over rows by name: the largest error, and the rows that differ otherwise.
fn entry(suite: &'static str, rows: impl Iterator<Item = (String, Result<Compared, String>)>) -> SuiteResult {
    let (compared, skipped) = rows::covered(rows.map(|(name, row)| row.map(|row| (name, row))));
    let worst = compared.iter().max_by(|a, b| a.1.error_usd.total_cmp(&b.1.error_usd));
    let (mut notes, mut missed) = (Vec::new(), Vec::new());
    if let Some((name, row)) = worst {
        notes.push(format!("furthest off: {name}, {:.1e} USD", row.error_usd));
    }
    let differing: Vec<_> =
        compared.iter().filter_map(|(name, row)| Some((name, row.differs.as_ref()?))).collect();
    if !differing.is_empty() {
        missed.push(format!("{} rows differ in more than cost", differing.len()));
        notes.extend(differing.iter().take(10).map(|(name, what)| format!("{name}: {what}")));
    }
    SuiteResult {
        suite,
        rows: compared.len(),
        skipped,
        metric: "largest error, USD",
        value: worst.map_or(f64::INFINITY, |(_, row)| row.error_usd),
        tolerance: TOLERANCE_USD,
        missed,
        notes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_both_engines_is_met() {
        let entries = policies(None, &|_, _| None).unwrap();
        let counts: Vec<_> = entries.iter().map(|entry| (entry.rows, entry.skipped_rows())).collect();
        assert_eq!(counts[..2], [(4_727, 0), (570, 0)], "{entries:?}");
        assert!(entries.iter().all(SuiteResult::pass), "{entries:?}");
    }
}
