//! The rows as cells: what each strategy costs from the same start of the same trace, run here.

use super::super::rows;
use super::ROWS;
use super::single::{Row, Traces};
use std::collections::BTreeMap;

/// Strategies in one trace, start, overhead and deadline.
#[derive(Debug, Clone, PartialEq)]
pub struct Cells {
    /// Since submit.
    pub deadline_h: f64,
    /// By strategy.
    pub costs_usd: Vec<f64>,
    /// The least that any schedule costs.
    pub bound_usd: Option<f64>,
    /// Of its prices.
    pub on_demand_usd_per_h: f64,
}

/// The cells of the built-in rows with flat prices, so much work, and every one of these strategies.
pub fn cells(task_hours: f64, strategies: &[&str]) -> Result<Vec<Cells>, String> {
    let all: Vec<Row> = rows::read(ROWS).map_err(|error| error.to_string())?;
    let mut found = BTreeMap::<_, BTreeMap<usize, &Row>>::new();
    for row in all.iter().filter(|row| row.is_flat() && row.cell.task_hours == task_hours) {
        let cell = &row.cell;
        let key = (
            &cell.trace,
            cell.start_offset_ticks,
            cell.restart_overhead_h.to_bits(),
            cell.deadline_hours.to_bits(),
        );
        if let Some(at) = strategies.iter().position(|strategy| *strategy == row.strategy) {
            found.entry(key).or_default().insert(at, row);
        }
    }
    let mut traces = Traces::new(&|_, _| None);
    let complete = found.values().filter(|rows| rows.len() == strategies.len());
    complete
        .map(|rows| {
            let first = rows[&0];
            let costs: Result<Vec<f64>, String> =
                rows.values().map(|row| Ok(traces.run(row)?.cost_usd)).collect();
            let (bound_usd, on_demand_usd_per_h) = traces.bound(first)?;
            let deadline_h = first.cell.deadline_hours;
            Ok(Cells { deadline_h, costs_usd: costs?, bound_usd, on_demand_usd_per_h })
        })
        .collect()
}
