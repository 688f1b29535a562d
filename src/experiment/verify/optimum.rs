//! Intervals between saves, and what they come to, under losses at a constant rate.

use super::relative::{Compared, Figure, entry};
use super::{SuiteResult, VerifyError, rows};
use crate::analytic::{
    Memoryless, best_segments, daly_first_order_interval_s, daly_interval_s, young_interval_s,
};
use crate::checkpoint::exact_interval_s;
use serde::Deserialize;

/// Rows computed at 40 digits for this project, 2026-12; columns explained in the file.
const ROWS: &str = include_str!("../../../data/verify/optimum_vectors.csv");

/// Columns without which a file is not this suite's.
pub(super) const COLUMNS: [&str; 5] =
    ["id", "mtbi_s", "young_interval_s", "daly_high_interval_s", "best_segments"];

#[derive(Debug, Deserialize)]
struct Row {
    id: String,
    save_s: f64,
    mtbi_s: f64,
    restart_s: f64,
    downtime_s: f64,
    work_s: f64,
    young_interval_s: f64,
    young_overhead_ratio: f64,
    young_e_makespan_s: f64,
    daly_first_interval_s: f64,
    daly_first_overhead_ratio: f64,
    daly_first_e_makespan_s: f64,
    daly_high_interval_s: f64,
    daly_high_overhead_ratio: f64,
    daly_high_e_makespan_s: f64,
    exact_interval_s: f64,
    exact_overhead_ratio: f64,
    exact_e_makespan_s: f64,
    best_segments: f64,
    best_segments_e_makespan_s: f64,
    no_save_e_makespan_s: f64,
}

/// Entry `optimum`; `data` replaces the built-in rows.
pub(super) fn optimum(data: Option<&str>) -> Result<Vec<SuiteResult>, VerifyError> {
    let rows: Vec<Row> = rows::read(data.unwrap_or(ROWS))?;
    Ok(vec![entry("optimum", rows.iter().map(|row| (row.id.as_str(), compared(row))))])
}

/// The row's figures beside ours: interval, overhead ratio and makespan of each rule, the best whole number
/// of segments, and no save at all.
fn compared(row: &Row) -> Compared {
    let (save_s, mean_uptime_s) = (row.save_s, row.mtbi_s);
    let losses = Memoryless { mean_uptime_s, restart_s: row.restart_s, downtime_s: row.downtime_s };
    let rule = |ours_s: f64, interval_s: f64, ratio: f64, makespan_s: f64| {
        let overhead = losses.overhead_ratio(ours_s, save_s);
        [
            Figure::new(ours_s, interval_s),
            Figure::new(overhead, ratio),
            Figure::new(row.work_s * overhead, makespan_s),
        ]
    };
    let (segments, segments_s) = best_segments(&losses, row.work_s, save_s);
    let rules = [
        rule(
            young_interval_s(save_s, mean_uptime_s),
            row.young_interval_s,
            row.young_overhead_ratio,
            row.young_e_makespan_s,
        ),
        rule(
            daly_first_order_interval_s(save_s, mean_uptime_s, row.restart_s),
            row.daly_first_interval_s,
            row.daly_first_overhead_ratio,
            row.daly_first_e_makespan_s,
        ),
        rule(
            daly_interval_s(save_s, mean_uptime_s),
            row.daly_high_interval_s,
            row.daly_high_overhead_ratio,
            row.daly_high_e_makespan_s,
        ),
        rule(
            exact_interval_s(save_s, mean_uptime_s),
            row.exact_interval_s,
            row.exact_overhead_ratio,
            row.exact_e_makespan_s,
        ),
    ];
    let whole = [
        Figure::new(segments as f64, row.best_segments),
        Figure::new(segments_s, row.best_segments_e_makespan_s),
        Figure::new(losses.stretch_s(row.work_s), row.no_save_e_makespan_s),
    ];
    Ok(rules.into_iter().flatten().chain(whole).collect())
}
