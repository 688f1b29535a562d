//! Counts of nodes: a time and a count on each row, from then on. JF-D/Parcae writes milliseconds, and nodes
//! that come one by one as rows of one instant; the step plots of uclasystem/bamboo have each change twice, the
//! old value and then the new, in hours or in seconds. In all, the last row of an instant counts. The unit must
//! be in the header or be given.

use super::super::cells::{Times, count, is_number};
use super::super::faults::Faults;
use super::super::levels::Levels;
use super::super::rows::{Row, Rows};
use super::super::sink::Sink;
use super::super::{How, ReadError, Remark};
use super::node_events::{PLAIN_TIME_NAMES, TIME_NAMES, missing_columns};
use std::io::BufRead;

/// Names of a column of counts.
pub(in super::super) const COUNT_NAMES: [&str; 6] =
    ["count", "nodes", "size", "capacity", "n_nodes", "num_nodes"];

/// Reads counts into `sink`.
pub fn read(source: impl BufRead, how: &How, sink: &mut dyn Sink) -> Result<Vec<Remark>, ReadError> {
    let (mut rows, mut faults) = (Rows::new(source), Faults::default());
    let Some(first) = rows.next(&mut faults)? else {
        faults.refuse()?;
        return Err(ReadError::Empty("samples"));
    };
    let (time, times, nodes, headed) = columns(first, how)?;
    let mut levels = Levels::new(how, sink);
    let mut take = |row: Row<'_>| -> Result<Result<(), String>, ReadError> {
        if row.len() <= time.max(nodes) {
            return Ok(Err(format!("has {} cells, {} are needed", row.len(), time.max(nodes) + 1)));
        }
        match (times.read(row, time, how), count(row, nodes, "count")) {
            (Err(fault), _) | (_, Err(fault)) => Ok(Err(fault)),
            (Ok(at), Ok(count)) => levels.row(at, count),
        }
    };
    if !headed && let Err(fault) = take(first)? {
        faults.add(first.line, fault);
    }
    while let Some(row) = rows.next(&mut faults)? {
        if let Err(fault) = take(row)? {
            faults.add(row.line, fault);
        }
    }
    faults.refuse()?;
    levels.end()
}

/// Whether a row is one of counts without a header.
pub(in super::super) fn is_row(row: Row<'_>) -> bool {
    row.len() == 2 && is_number(row.bytes(0)) && is_number(row.bytes(1))
}

/// Whether a header is one of counts.
pub(in super::super) fn is_header(names: &[String]) -> bool {
    let has = |wanted: &[&str]| names.iter().any(|name| wanted.contains(&name.as_str()));
    let time = TIME_NAMES.iter().any(|(_, names)| has(names)) || has(&PLAIN_TIME_NAMES);
    time && has(&COUNT_NAMES)
}

/// Where the time stands and what it is, where the count stands, and whether the row is a header.
fn columns(first: Row<'_>, how: &How) -> Result<(usize, Times, usize, bool), ReadError> {
    let given = how.time_unit.map(Times::Numbers);
    if is_row(first) {
        return Ok((0, given.ok_or(ReadError::UnitMissing)?, 1, false));
    }
    let names = first.names();
    let find = |wanted: &[&str]| names.iter().position(|name| wanted.contains(&name.as_str()));
    let told = TIME_NAMES.iter().find_map(|&(unit, wanted)| Some((find(wanted)?, Times::Numbers(unit))));
    let time = told.or_else(|| Some((find(&PLAIN_TIME_NAMES)?, given.unwrap_or(Times::Civil))));
    match (time, find(&COUNT_NAMES)) {
        (Some((time, times)), Some(nodes)) => Ok((time, times, nodes, true)),
        (time, nodes) => {
            Err(missing_columns(&[("t_ms", time.is_none()), ("count", nodes.is_none())], &names))
        }
    }
}
