//! Where the dollars went, where the bill has more than instances.

use super::{Clusters, Column, Row, names, number, text};

/// Columns, and the parts that each holds.
const DOLLARS: [(&str, &[&str]); 8] = [
    ("computing", &["computing"]),
    ("exposed_comm", &["exposed_comm"]),
    ("data_stall", &["data_stall"]),
    ("lost", &["lost"]),
    ("bring-up", &["starting", "restoring"]),
    ("saving", &["checkpoint_stall"]),
    ("idle", &["idle"]),
    ("beside", &["other"]),
];

/// Mean dollars of each part, under the table of hours; nothing where all of the bill is instances, whose
/// dollars follow the hours.
pub(super) fn dollars(clusters: &Clusters<'_>) -> String {
    if clusters.simulated().all(|row| row.result.cost_by_part.other == 0.0) {
        return String::new();
    }
    let spent = |row: &Row<'_>, parts: &[&str]| -> f64 {
        row.result.cost_by_part.named().filter(|(name, _)| parts.contains(name)).map(|(_, usd)| usd).sum()
    };
    let whole = clusters.simulated().map(|row| row.result.cost_usd.mean.unwrap_or(0.0));
    let decimals = number::decimals(whole).max(2);
    let least = libm::pow(10.0, -(decimals as f64));
    let shown = DOLLARS.iter().filter(|(_, parts)| clusters.simulated().any(|row| spent(row, parts) > 0.0));
    let columns: Vec<Column> = shown
        .map(|(head, parts)| {
            let cell = |row: &Row<'_>| match spent(row, parts) {
                0.0 => number::MISSING.to_owned(),
                usd if usd < least / 2.0 => format!("< {}", number::fixed(least, decimals)),
                usd => number::fixed(usd, decimals),
            };
            Column::figures(*head, clusters.simulated().map(cell).collect())
        })
        .collect();
    let head = if clusters.has_spread() { "mean dollars" } else { "dollars" };
    text::table(&names(head, clusters.simulated(), "  "), &columns, clusters.paint)
}
