//! Average sizes of recorded groups of nodes, and their cost, against those of papers.

use super::relative::{Compared, Figure, entry};
use super::shipped::{Find, recording};
use super::{SuiteResult, VerifyError, rows};
use crate::records::Content;
use crate::trace::stats::{stays_stats, zone_stats};
use serde::Deserialize;

/// Made from the papers' programs, 2026-12-02; explained in the file.
const ROWS: &str = include_str!("../../../data/verify/node_hours.csv");

/// Columns without which a file is not this suite's.
pub(super) const COLUMNS: [&str; 5] = ["row", "trace", "average_s", "usd_per_node_h", "nodes"];

/// The rows have six digits.
const TOLERANCE: f64 = 5e-6;

#[derive(Debug, Deserialize)]
struct Row {
    row: String,
    trace: String,
    /// What the time of all nodes is divided by.
    average_s: f64,
    usd_per_node_h: Option<f64>,
    nodes: f64,
    usd_per_h: Option<f64>,
}

/// Entry `node-hours`; `data` replaces the built-in rows, and `beside` gives recordings that are not shipped.
pub(super) fn node_hours(data: Option<&str>, beside: Find<'_>) -> Result<Vec<SuiteResult>, VerifyError> {
    let rows: Vec<Row> = rows::read(data.unwrap_or(ROWS))?;
    let entry = entry("node-hours", rows.iter().map(|row| (row.row.as_str(), compared(row, beside))));
    Ok(vec![SuiteResult { tolerance: TOLERANCE, ..entry }])
}

fn compared(row: &Row, beside: Find<'_>) -> Compared {
    let (set, zone) = row.trace.rsplit_once('-').unwrap_or(("", &row.trace));
    let recording = recording(set, zone, false, beside)?;
    let nodes = average(&recording.content, row.average_s / 3_600.0).ok_or("the trace has no nodes")?;
    let cost = row.usd_per_node_h.unwrap_or(0.0) * nodes;
    Ok(vec![Figure::new(nodes, row.nodes), Figure::if_given(cost, row.usd_per_h)])
}

/// Node-hours over `hours`. As Bamboo's simulator has it, the first nodes count from the start, and the last
/// size from the last change to the end of `hours`: backwards where `hours` end before that change.
fn average(content: &Content, hours: f64) -> Option<f64> {
    let (node_h, recorded_h, last) = match content {
        Content::Stays(stays) => {
            let stats = stays_stats(stays, None, None);
            let first = stays.stays.iter().map(|stay| stay.from).min()?;
            let at_first = stays.stays.iter().filter(|stay| stay.from == first).count() as f64;
            let before_h = first.since(stays.start)?.as_hours();
            (stats.up_h + before_h * at_first, stats.duration_h, stats.cut_off as f64)
        }
        Content::Capacity(series) => {
            let series = series.first()?;
            let stats = zone_stats(series, None, false, 1);
            let last = series.stretches.last()?.nodes?;
            (stats.counts?.node_h, stats.duration_h, f64::from(last))
        }
        _ => return None,
    };
    Some((node_h + (hours - recorded_h) * last) / hours)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::{How, read};

    #[test]
    fn averages_of_papers_are_found_in_their_traces() {
        let entry = node_hours(None, &|_, _| None).unwrap().remove(0);
        assert_eq!((entry.rows, entry.skipped_rows()), (11, 0), "{:?}", entry.skipped);
        assert!(entry.pass(), "{entry:?}");
    }

    /// Two come after 1 h, one goes after 0.5 h and the other is there at 2 h: (2 + 1 + 0.5) node-hours over 2 h,
    /// 1 less over 1 h, 2 more over 4 h.
    #[test]
    fn the_first_and_last_sizes_count_to_the_ends() {
        let text = "# window: 1970-01-01T00:00:00Z to 1970-01-01T02:00:00Z\n# kind: stays\nnode,zone,start,duration_s,ended\n\
                    a,,1970-01-01T01:00:00Z,1800,lost\nb,,1970-01-01T01:00:00Z,3600,cut_off\n";
        let recording = read(text.as_bytes(), &How::default()).unwrap();
        let average = |hours: f64| average(&recording.content, hours).unwrap();
        assert_eq!([1.0, 2.0, 4.0].map(average), [2.5, 1.75, 1.375]);
    }
}
