//! `# kind: availability` and `# kind: count`: stretches of constant capacity, of one zone or of several.

use super::super::cells::{civil, count};
use super::super::faults::Faults;
use super::super::rows::{Row, Rows};
use super::super::series::Series;
use super::super::sink::{Head, Kind, Sink};
use super::super::{Label, ReadError, Remark};
use super::head;
use crate::units::{Span, Timestamp};
use std::collections::BTreeMap;
use std::io::BufRead;

/// Columns of a file of one zone; `zone` may stand before them.
pub(super) const COLUMNS: [&str; 3] = ["start", "duration_s", "nodes"];

/// Starts are whole seconds in files that were written so, durations need not be.
const SLACK_NS: i64 = 1_000_000_000;

/// Whether a header is one of capacity.
pub(super) fn is_header(names: &[String]) -> bool {
    names == COLUMNS || names.first().is_some_and(|name| name == "zone") && names[1..] == COLUMNS
}

/// A series so far, and where it ends.
struct Open {
    series: Series,
    end: Timestamp,
}

/// Reads the rows after the header.
pub(super) fn read(
    mut rows: Rows<impl BufRead>,
    names: &[String],
    counts: bool,
    sink: &mut dyn Sink,
) -> Result<Vec<Remark>, ReadError> {
    if !is_header(names) {
        let found: Vec<_> = names.iter().take(8).map(String::as_str).collect();
        let found: String = found.join(", ").chars().take(200).collect();
        return Err(ReadError::Syntax(format!("columns start, duration_s, nodes wanted, found {found}")));
    }
    let zoned = names.len() == 4;
    let kind = if counts { Kind::Counts } else { Kind::Availability };
    sink.begin(&Head { about: head::about(&rows.comments), kind, zoned })?;
    let (mut faults, mut open) = (Faults::default(), Vec::<Open>::new());
    let mut numbers = BTreeMap::<Vec<u8>, usize>::new();
    let mut first: Option<Timestamp> = None;
    while let Some(row) = rows.next(&mut faults)? {
        let (start, span, nodes) = match stretch(row, usize::from(zoned), counts) {
            Ok(found) => found,
            Err(fault) => {
                faults.add(row.line, fault);
                continue;
            }
        };
        let zone = if zoned { row.bytes(0) } else { b"" };
        let known = numbers.get(zone).copied();
        let at = known.unwrap_or(open.len());
        if known.is_none() {
            numbers.insert(zone.to_vec(), at);
            let label = Label { zone: row_zone(row, zoned), ..Label::default() };
            open.push(Open { series: Series::new(at, label), end: start });
            first = Some(first.map_or(start, |first| first.min(start)));
        }
        let one = &mut open[at];
        if (start.unix_ns().saturating_sub(one.end.unix_ns())).abs() > SLACK_NS {
            faults.add(row.line, "`start` must be where the interval before ends".to_owned());
            continue;
        }
        one.series.level(one.end, nodes, sink)?;
        one.end = one.end + span;
    }
    faults.refuse()?;
    let (Some(start), Some(end)) = (first, open.iter().map(|one| one.end).max()) else {
        return Err(ReadError::Empty("samples"));
    };
    for one in &mut open {
        one.series.end(one.end, sink)?;
    }
    sink.end(start, end)?;
    Ok(Vec::new())
}

fn row_zone(row: Row<'_>, zoned: bool) -> String {
    if zoned { row.text(0).into_owned() } else { String::new() }
}

fn stretch(row: Row<'_>, from: usize, counts: bool) -> Result<(Timestamp, Span, Option<u32>), String> {
    if row.len() != from + COLUMNS.len() {
        return Err(format!("has {} cells, the header has {}", row.len(), from + COLUMNS.len()));
    }
    let start = civil(&row.text(from), None)
        .map_err(|_| "`start` must be a time like 2023-02-15T22:08:16Z".to_owned())?;
    let span = head::span_of(&row.text(from + 1)).ok_or("`duration_s` must be a number above 0")?;
    let nodes = count(row, from + 2, "nodes")?;
    if !counts && nodes.is_some_and(|nodes| nodes > 1) {
        return Err("`nodes` is 0 or 1 where `# kind` is availability".to_owned());
    }
    if start.checked_add(span).is_none() {
        return Err("ends too late to be told".to_owned());
    }
    Ok((start, span, nodes))
}
