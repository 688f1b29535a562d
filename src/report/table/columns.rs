//! The clusters side by side.

use super::{Chance, Clusters, Column, Row, names, number, text};
use crate::experiment::Estimate;
use crate::stats::Interval;

/// What stands in the first figure of a cluster that cannot meet its deadline.
const INFEASIBLE: &str = "infeasible";
const NOT_REACHED: &str = "not reached";

/// The tables, as wide as the text may be.
pub(super) fn comparison(clusters: &Clusters<'_>) -> String {
    text::table(&names("cluster", clusters.rows.iter(), ""), &all(clusters), clusters.paint)
}

/// Cost, time, deadline, savings. A column is there only where it means something.
pub(super) fn all(clusters: &Clusters<'_>) -> Vec<Column> {
    let all = [cost(clusters), time(clusters), ends(clusters), savings(clusters)].into_iter().flatten();
    let told = |column: &Column| column.cells.iter().any(|cell| cell != number::MISSING);
    all.filter(told).collect()
}

/// A column of figures; a row without one has a dash.
fn figures(
    clusters: &Clusters<'_>,
    head: impl Into<String>,
    cell: impl Fn(&Row<'_>) -> Option<String>,
) -> Column {
    let cells = clusters.rows.iter().map(|row| cell(row).unwrap_or_else(|| number::MISSING.to_owned()));
    Column::figures(head, cells.collect())
}

/// Decimals for a figure of all clusters.
fn decimals(clusters: &Clusters<'_>, value: impl Fn(&Row<'_>) -> Option<f64>) -> usize {
    number::decimals(clusters.rows.iter().filter_map(value))
}

/// A figure of all clusters, with its interval where there is one to tell.
fn with_intervals(
    clusters: &Clusters<'_>,
    head: impl Into<String>,
    of: impl Fn(&Row<'_>) -> Option<Interval>,
) -> Column {
    let decimals = decimals(clusters, |row| of(row).map(|of| of.value));
    figures(clusters, head, |row| {
        let of = of(row)?;
        let bracketed = clusters.has_spread() && of.low.is_finite() && of.high.is_finite();
        Some(if bracketed { number::with_interval(&of, decimals) } else { number::fixed(of.value, decimals) })
    })
}

/// Mean and interval of an estimate; without an interval the mean alone.
fn mean(of: &Estimate) -> Option<Interval> {
    let mean = of.mean?;
    Some(of.interval.unwrap_or(Interval { value: mean, low: f64::NAN, high: f64::NAN }))
}

fn cost(clusters: &Clusters<'_>) -> Vec<Column> {
    let head = if clusters.all_finished() { "cost, $ per run" } else { "cost, $ / finished run" };
    let mut cost = with_intervals(clusters, head, |row| row.result.cost_per_finished_usd);
    for (cell, row) in cost.cells.iter_mut().zip(&clusters.rows) {
        if !row.simulated() {
            INFEASIBLE.clone_into(cell);
        }
    }
    let mut columns = vec![cost];
    if clusters.has_spread() {
        let of = |row: &Row<'_>| row.result.cost_usd.p05.zip(row.result.cost_usd.p95);
        let decimals = decimals(clusters, |row| of(row).map(|(low, _)| low));
        columns.push(figures(clusters, "9 of 10 runs", |row| {
            let (low, high) = of(row)?;
            Some(format!("{}–{}", number::fixed(low, decimals), number::fixed(high, decimals)))
        }));
    }
    columns
}

fn time(clusters: &Clusters<'_>) -> Vec<Column> {
    let mut columns = vec![with_intervals(clusters, "makespan, h", |row| mean(&row.result.makespan_h))];
    if clusters.has_spread() {
        let decimals = decimals(clusters, |row| row.result.makespan_h.p95);
        columns.push(figures(clusters, "p95, h", |row| {
            let p95 = row.result.makespan_h.p95.map(|p95| number::fixed(p95, decimals));
            p95.or_else(|| (row.result.finished > 0).then(|| NOT_REACHED.to_owned()))
        }));
    }
    columns
}

fn ends(clusters: &Clusters<'_>) -> Vec<Column> {
    let preempted = |row: &Row<'_>| row.result.preemptions.mean;
    let whole = clusters.rows.iter().filter_map(preempted).all(|mean| mean.fract() == 0.0);
    let places = if whole { 0 } else { decimals(clusters, preempted) };
    let mut columns = vec![figures(clusters, "preempted", |row| {
        preempted(row).map(|mean| number::fixed(mean, if mean == 0.0 { 0 } else { places }))
    })];
    let failed = |row: &Row<'_>| row.result.failures.mean;
    if clusters.rows.iter().filter_map(failed).any(|mean| mean > 0.0) {
        let places = decimals(clusters, failed);
        columns.push(figures(clusters, "failed", |row| failed(row).map(|mean| number::fixed(mean, places))));
    }
    if !clusters.all_finished() {
        columns.push(share(clusters, "finished", |row| row.result.finish_probability));
        let decimals = decimals(clusters, |row| row.result.cost_usd.mean);
        columns.push(figures(clusters, "all runs, $", |row| {
            row.result.cost_usd.mean.map(|mean| number::fixed(mean, decimals))
        }));
    }
    if clusters.rows.iter().any(|row| row.result.deadline_probability.is_some()) {
        let by =
            clusters.deadline().map_or("done in time".to_owned(), |deadline| format!("done by {deadline}"));
        columns.push(share(clusters, &by, |row| row.result.deadline_probability));
    }
    columns
}

/// A share of replications: in per cent, or `yes` and `no` where all of them are alike.
fn share(clusters: &Clusters<'_>, head: &str, of: impl Fn(&Row<'_>) -> Option<Interval>) -> Column {
    if clusters.has_spread() {
        return figures(clusters, format!("{head}, %"), |row| {
            of(row).map(|share| number::share(&share, row.result.replications))
        });
    }
    figures(clusters, head, |row| {
        of(row).map(|share| if share.value > 0.0 { "yes" } else { "no" }.to_owned())
    })
}

/// Savings are those of replications in the same worlds, so they need a baseline that was simulated.
fn savings(clusters: &Clusters<'_>) -> Vec<Column> {
    let given = |of: &dyn Fn(&Row<'_>) -> bool| clusters.rows.iter().any(of);
    let mut columns = Vec::new();
    if given(&|row| row.result.saved_usd.is_some()) {
        let mut saved = with_intervals(clusters, "saves, $ per run", |row| row.result.saved_usd);
        name_baseline(clusters, &mut saved, "baseline");
        columns.push(saved);
    }
    if given(&|row| row.result.savings_vs_baseline.is_some()) {
        let mut share = figures(clusters, "saves, %", |row| {
            row.result.savings_vs_baseline.map(|saved| number::fixed(saved.value * 100.0, 1))
        });
        name_baseline(clusters, &mut share, if columns.is_empty() { "baseline" } else { "" });
        columns.push(share);
    }
    if clusters.chance == Chance::Seen && given(&|row| row.result.cheaper_probability.is_some()) {
        let mut cheaper = figures(clusters, "cheaper, %", |row| {
            row.result.cheaper_probability.map(|share| number::share_value(&share, row.result.replications))
        });
        name_baseline(clusters, &mut cheaper, "");
        columns.push(cheaper);
    }
    if given(&|row| row.result.longer_h.is_some()) {
        let longer = |row: &Row<'_>| row.result.longer_h.map(|longer| longer.value);
        let decimals = decimals(clusters, longer);
        let mut column =
            figures(clusters, "longer, h", |row| longer(row).map(|longer| number::fixed(longer, decimals)));
        name_baseline(clusters, &mut column, "");
        columns.push(column);
    }
    columns
}

fn name_baseline(clusters: &Clusters<'_>, column: &mut Column, text: &str) {
    for (cell, row) in column.cells.iter_mut().zip(&clusters.rows) {
        if clusters.is_baseline(row) {
            text.clone_into(cell);
        }
    }
}
