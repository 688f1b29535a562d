//! Gangs of growing size: rows of `gang_scaling_vectors.csv`.

use super::super::relative::{Compared, Figure};
use crate::analytic::Scaling;
use serde::Deserialize;

/// Columns without which a file is not of this kind.
pub(super) const COLUMNS: [&str; 5] = ["id", "nodes", "node_rate_per_s", "work_node_s", "efficiency"];

/// One row; the file explains its columns.
#[derive(Debug, Deserialize)]
pub(super) struct Row {
    pub id: String,
    nodes: u32,
    node_rate_per_s: f64,
    work_node_s: f64,
    efficiency: f64,
    save_s: f64,
    restart_s: f64,
    downtime_s: f64,
    price_usd_per_node_h: f64,
    gang_rate_per_s: f64,
    exact_interval_s: f64,
    e_makespan_s: f64,
    e_billed_node_s: f64,
    e_cost_usd: f64,
}

/// The row's figures beside ours.
pub(super) fn compared(row: &Row) -> Compared {
    let scaling = Scaling {
        nodes: row.nodes,
        node_rate_per_s: row.node_rate_per_s,
        work_node_s: row.work_node_s,
        efficiency: row.efficiency,
        save_s: row.save_s,
        restart_s: row.restart_s,
        downtime_s: row.downtime_s,
    };
    let scaled = scaling.scaled();
    Ok(vec![
        Figure::new(scaled.gang_rate_per_s, row.gang_rate_per_s),
        Figure::new(scaled.interval_s, row.exact_interval_s),
        Figure::new(scaled.makespan_s, row.e_makespan_s),
        Figure::new(scaled.billed_node_s, row.e_billed_node_s),
        Figure::new(scaled.billed_node_s / 3_600.0 * row.price_usd_per_node_h, row.e_cost_usd),
    ])
}
