//! Perfect foresight on recorded capacity, in whole ticks, against optima found tick by tick.

use super::recorded::Recorded;
use super::{Find, SuiteResult, VerifyError, rows};
use crate::analytic::{Prices, Task, least_cost};
use crate::units::Span;
use serde::Deserialize;

/// Made by a program of our own, 2026-12; explained in the file.
const ROWS: &str = include_str!("../../../data/verify/optimum_policy.csv");

/// Columns without which a file is not this suite's.
pub(super) const COLUMNS: [&str; 6] =
    ["trace", "task_hours", "deadline_hours", "restart_overhead_h", "start_offset_ticks", "optimum_cost_usd"];

/// The rows are rounded to a millionth of a dollar.
const TOLERANCE_USD: f64 = 1e-6;
const NS_PER_H: f64 = 3.6e12;

#[derive(Debug, Deserialize)]
struct Row {
    #[serde(flatten)]
    cell: Cell,
    optimum_cost_usd: f64,
    price_model: Option<String>,
    on_demand_usd_per_h: Option<f64>,
    spot_usd_per_h: Option<f64>,
}

/// A job on a recording.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Cell {
    /// `SET/ZONE`, or `SET/ZONE@gangT`.
    pub trace: String,
    /// Running time of the work.
    pub task_hours: f64,
    /// Since the begin.
    pub deadline_hours: f64,
    /// Running time that each start needs.
    pub restart_overhead_h: f64,
    /// Where in the recording it begins.
    pub start_offset_ticks: u64,
}

impl Cell {
    /// The job, in ticks.
    pub fn task(&self, tick: Span) -> Task {
        Task { work: ns(self.task_hours), overhead: ns(self.restart_overhead_h), unit: tick.ns() }
    }

    /// Whole ticks until the deadline.
    pub fn ticks(&self, tick: Span) -> u64 {
        ns(self.deadline_hours) / tick.ns()
    }
}

/// Entry `optimum-policy`: the largest error of a cost, USD.
pub(super) fn optimum_policy(data: Option<&str>, beside: Find<'_>) -> Result<Vec<SuiteResult>, VerifyError> {
    let known: Vec<Row> = rows::read(ROWS)?;
    let given: Vec<Row> = rows::read(data.unwrap_or(ROWS))?;
    let mut recorded = Recorded::new(beside);
    let errors = given.iter().map(|row| {
        let usd_per_h = prices(row, &known).ok_or("no prices, and none known of its price model")?;
        let ours = least_usd(&row.cell, usd_per_h, &mut recorded)?;
        Ok((ours.map_or(f64::INFINITY, |ours| (ours - row.optimum_cost_usd).abs()), &row.cell))
    });
    let (compared, skipped) = rows::covered(errors);
    let worst = compared.iter().max_by(|a, b| a.0.total_cmp(&b.0));
    let note = |(error, cell): &(f64, &Cell)| {
        format!(
            "furthest off: {}, {} h by {} h, {error:.1e} USD",
            cell.trace, cell.task_hours, cell.deadline_hours
        )
    };
    Ok(vec![SuiteResult {
        suite: "optimum-policy",
        rows: compared.len(),
        skipped,
        metric: "largest error, USD",
        value: worst.map_or(f64::INFINITY, |(error, _)| *error),
        tolerance: TOLERANCE_USD,
        missed: Vec::new(),
        notes: worst.map(note).into_iter().collect(),
    }])
}

/// A row's own prices, else those of the first of the `known` rows of its price model.
fn prices(row: &Row, known: &[Row]) -> Option<Prices> {
    let own = |row: &Row| row.spot_usd_per_h.zip(row.on_demand_usd_per_h);
    let alike = || known.iter().find(|other| other.price_model == row.price_model).and_then(own);
    let (spot, on_demand) = own(row).or_else(alike)?;
    Some(Prices { spot, on_demand })
}

/// The least cost of a cell, whole ticks billed; `None` where nothing meets the deadline.
pub(super) fn least_usd(
    cell: &Cell,
    usd_per_h: Prices,
    recorded: &mut Recorded<'_>,
) -> Result<Option<f64>, String> {
    let of_zone = recorded.of(&cell.trace)?;
    let tick = of_zone.tick;
    let runs = of_zone.window(cell.start_offset_ticks, cell.ticks(tick));
    let task = cell.task(tick);
    let best = least_cost(&runs, task, usd_per_h);
    Ok(best.map(|best| best.cost(usd_per_h.spot, usd_per_h.on_demand) * tick.as_hours()))
}

fn ns(hours: f64) -> u64 {
    (hours * NS_PER_H).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_optimum_is_found() {
        let entry = optimum_policy(None, &|_, _| None).unwrap().remove(0);
        assert_eq!((entry.rows, entry.skipped_rows()), (368, 0), "{:?}", entry.skipped);
        assert!(entry.pass(), "{entry:?}");
    }
}
