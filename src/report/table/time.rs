//! Where the time went.

use super::{Clusters, Column, Row, names, number, text};
use crate::sim::Part;

/// Longest bar, in columns.
const BAR_MAX: usize = 60;
/// Parts of every cluster below this share of its time are told together.
const SHARE_MIN: f64 = 0.01;

/// Bars by what a second was spent on, in the order in which they stand.
const BARS: [(char, &str, &[Part]); 4] = [
    ('█', "computing", &[Part::Computing]),
    ('▓', "waiting in a step", &[Part::ExposedComm, Part::DataStall]),
    (
        '▒',
        "start, save, lost",
        &[Part::Provisioning, Part::Starting, Part::Restoring, Part::CheckpointStall, Part::Lost, Part::Idle],
    ),
    ('░', "no capacity", &[Part::Queued, Part::Acquiring]),
];

/// Columns of the hours table.
const HOURS: [(&str, &[Part]); 9] = [
    ("computing", &[Part::Computing]),
    ("exposed_comm", &[Part::ExposedComm]),
    ("data_stall", &[Part::DataStall]),
    ("queued", &[Part::Queued]),
    ("lost", &[Part::Lost]),
    ("bring-up", &[Part::Provisioning, Part::Starting, Part::Restoring]),
    ("saving", &[Part::CheckpointStall]),
    ("acquiring", &[Part::Acquiring]),
    ("idle", &[Part::Idle]),
];

fn spent(row: &Row<'_>, parts: &[Part]) -> f64 {
    let hours = parts.iter().map(|&part| row.result.time_h[part as usize]);
    hours.filter(|&hours| hours > 0.0 && hours.is_finite()).sum()
}

fn total(row: &Row<'_>) -> f64 {
    HOURS.iter().map(|(_, parts)| spent(row, parts)).sum()
}

fn of_mean(clusters: &Clusters<'_>) -> &'static str {
    if clusters.has_spread() { ", mean" } else { "" }
}

/// One bar a cluster, all on one scale.
pub(super) fn bars(clusters: &Clusters<'_>) -> String {
    let longest = clusters.simulated().map(total).fold(0.0, f64::max);
    if longest <= 0.0 || !longest.is_finite() {
        return String::new();
    }
    let names = names("", clusters.simulated(), "  ");
    let decimals = number::decimals(clusters.simulated().map(total));
    let labels: Vec<String> =
        clusters.simulated().map(|row| format!("  {} h", number::fixed(total(row), decimals))).collect();
    let widest = labels.iter().map(|label| text::width(label)).max().unwrap_or(0);
    let room = text::columns().saturating_sub(names.width() + 1 + widest).min(BAR_MAX);
    let legend: Vec<String> = BARS.iter().map(|(mark, words, _)| format!("{mark} {words}")).collect();
    let title = format!("Where the time went{}", of_mean(clusters));
    let legend = legend.join("  ");
    let mut text = match 32 + text::width(&legend) <= text::columns() {
        true => format!("{title:32}{legend}\n"),
        false => format!("{title}\n  {legend}\n"),
    };
    for ((row, name), label) in clusters.simulated().zip(&names.cells).zip(labels) {
        let blanks = " ".repeat(names.width() - text::width(name) + 1);
        let name = clusters.paint.market(row.result.market, name);
        text += &format!("{name}{blanks}{}{label}\n", bar(row, longest, room));
    }
    text
}

/// The ends of the parts are rounded, not their lengths, so that the bar is as long as the whole.
fn bar(row: &Row<'_>, longest_h: f64, room: usize) -> String {
    let (mut text, mut hours, mut drawn) = (String::new(), 0.0, 0);
    for (mark, _, parts) in BARS {
        hours += spent(row, parts);
        let end = ((hours / longest_h).min(1.0) * room as f64).round() as usize;
        text.extend(std::iter::repeat_n(mark, end.saturating_sub(drawn)));
        drawn = end.max(drawn);
    }
    text
}

/// Mean hours of each part that is 1 % of some cluster's time; the rest together.
pub(super) fn hours(clusters: &Clusters<'_>) -> String {
    let counts = |parts: &[Part]| {
        clusters.simulated().any(|row| spent(row, parts) >= SHARE_MIN * total(row) && spent(row, parts) > 0.0)
    };
    let shown: Vec<_> = HOURS.iter().filter(|(_, parts)| counts(parts)).collect();
    if shown.is_empty() {
        return String::new();
    }
    let rest: Vec<Part> = HOURS
        .iter()
        .filter(|(_, parts)| !counts(parts))
        .flat_map(|(_, parts)| parts.iter().copied())
        .collect();
    let decimals = number::decimals(clusters.simulated().map(total));
    let column = |head: &str, parts: &[Part]| {
        let cell = |row: &Row<'_>| match spent(row, parts) {
            0.0 => number::MISSING.to_owned(),
            hours => number::fixed(hours, decimals.max(2)),
        };
        Column::figures(head, clusters.simulated().map(cell).collect())
    };
    let mut columns: Vec<Column> = shown.iter().map(|(head, parts)| column(head, parts)).collect();
    if clusters.simulated().any(|row| spent(row, &rest) > 0.0) {
        columns.push(column("other", &rest));
    }
    let head = if clusters.has_spread() { "mean hours" } else { "hours" };
    text::table(&names(head, clusters.simulated(), "  "), &columns, clusters.paint)
}
