//! `# kind: stays`: one node a row, from when it came to when it went.

use super::super::cells::{civil, shown};
use super::super::faults::Faults;
use super::super::rows::{Row, Rows};
use super::super::sink::{Head, Kind, Sink};
use super::super::{ReadError, Remark, Stay, StayEnd};
use super::head;
use crate::units::Timestamp;
use std::io::BufRead;

/// Its columns, exactly.
pub(super) const COLUMNS: [&str; 5] = ["node", "zone", "start", "duration_s", "ended"];

/// How a stay ended, as it is written.
pub(super) const ENDS: [(&str, StayEnd); 3] =
    [("lost", StayEnd::Lost), ("released", StayEnd::Released), ("cut_off", StayEnd::CutOff)];

/// Reads the rows after the header. They may have any order; `# window: START to END` may stand before or
/// behind them.
pub(super) fn read(
    mut rows: Rows<impl BufRead>,
    names: &[String],
    sink: &mut dyn Sink,
) -> Result<Vec<Remark>, ReadError> {
    if names != COLUMNS {
        let found: String = names.join(", ").chars().take(200).collect();
        return Err(ReadError::Syntax(format!("columns {} wanted, found {found}", COLUMNS.join(", "))));
    }
    sink.begin(&Head { about: head::about(&rows.comments), kind: Kind::Stays, zoned: true })?;
    let (mut faults, mut order) = (Faults::default(), 0);
    let mut seen: Option<(Timestamp, Timestamp)> = None;
    while let Some(row) = rows.next(&mut faults)? {
        match stay(row) {
            Ok(stay) => {
                let end = stay.from + stay.span;
                let (first, last) = seen.unwrap_or((stay.from, end));
                seen = Some((first.min(stay.from), last.max(end)));
                sink.stay(order, &stay)?;
                order += 1;
            }
            Err(fault) => faults.add(row.line, fault),
        }
    }
    faults.refuse()?;
    let mut remarks = Vec::new();
    let (start, end) = match head::comment(&rows.comments, "window") {
        Some(window) => {
            let wrong = || ReadError::Syntax(format!("has a `# window` that is none: {}", shown(window)));
            let (start, end) = window.split_once(" to ").ok_or_else(wrong)?;
            (civil(start, None).map_err(|_| wrong())?, civil(end, None).map_err(|_| wrong())?)
        }
        None => {
            let Some(seen) = seen else { return Err(ReadError::Empty("stays")) };
            let text = "has no `# window`: the observation is taken to span its stays";
            remarks.push(Remark::note(None, text));
            seen
        }
    };
    if seen.is_some_and(|(first, last)| first < start || last > end) {
        return Err(ReadError::Syntax(format!("has stays outside its `# window` {start} to {end}")));
    }
    sink.end(start, end)?;
    Ok(remarks)
}

fn stay(row: Row<'_>) -> Result<Stay, String> {
    if row.len() != COLUMNS.len() {
        return Err(format!("has {} cells, the header has {}", row.len(), COLUMNS.len()));
    }
    let from = civil(&row.text(2), None)
        .map_err(|_| "`start` must be a time like 2023-02-15T22:08:16Z".to_owned())?;
    let span = head::span_of(&row.text(3)).ok_or("`duration_s` must be a number above 0")?;
    if from.checked_add(span).is_none() {
        return Err("ends too late to be told".to_owned());
    }
    let ended = ENDS.iter().find(|(word, _)| word.as_bytes() == row.bytes(4));
    let Some(&(_, ended)) = ended else {
        return Err(format!("`ended` is lost, released or cut_off, found `{}`", shown(&row.text(4))));
    };
    Ok(Stay { node: row.text(0).into_owned(), zone: row.text(1).into_owned(), from, span, ended })
}
