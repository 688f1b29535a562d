//! Nodes that come and go: a time, `add` or `remove`, and a name on each row. uclasystem/bamboo writes
//! milliseconds since the begin, without a header; spreadsheets any order of columns, under one.

use super::super::cells::{TimeUnit, Times, is_number, shown};
use super::super::faults::Faults;
use super::super::nodes::Nodes;
use super::super::rows::{Row, Rows};
use super::super::sink::Sink;
use super::super::{How, ReadError, Remark};
use std::io::BufRead;

/// Names of columns of numbers, by their unit.
pub(in super::super) const TIME_NAMES: [(TimeUnit, &[&str]); 3] = [
    (TimeUnit::Milliseconds, &["t_ms", "ms", "time_ms", "timestamp_ms", "milliseconds"]),
    (TimeUnit::Seconds, &["t_s", "time_s", "timestamp_s", "seconds"]),
    (TimeUnit::Hours, &["t_h", "time_h", "hours"]),
];
/// Names of a column of times whose unit they do not say.
pub(in super::super) const PLAIN_TIME_NAMES: [&str; 5] = ["time", "timestamp", "t", "at", "date"];
const EVENT_NAMES: [&str; 3] = ["event", "action", "op"];
const NODE_NAMES: [&str; 5] = ["node", "node_id", "name", "instance", "instance_id"];

/// Where the columns stand.
#[derive(Clone, Copy)]
struct Columns {
    time: usize,
    times: Option<Times>,
    event: usize,
    node: usize,
}

/// Reads node events into `sink`.
pub fn read(source: impl BufRead, how: &How, sink: &mut dyn Sink) -> Result<Vec<Remark>, ReadError> {
    let (mut rows, mut faults) = (Rows::new(source), Faults::default());
    let Some(first) = rows.next(&mut faults)? else {
        faults.refuse()?;
        return Err(ReadError::Empty("events"));
    };
    let (mut columns, headed) = columns(first, how)?;
    let mut nodes = Nodes::new(how, sink);
    if !headed && let Err(fault) = take(first, &mut columns, how, &mut nodes)? {
        faults.add(first.line, fault);
    }
    while let Some(row) = rows.next(&mut faults)? {
        if let Err(fault) = take(row, &mut columns, how, &mut nodes)? {
            faults.add(row.line, fault);
        }
    }
    faults.refuse()?;
    nodes.end(None)
}

fn take(
    row: Row<'_>,
    columns: &mut Columns,
    how: &How,
    nodes: &mut Nodes<'_>,
) -> Result<Result<(), String>, ReadError> {
    let most = columns.time.max(columns.event).max(columns.node);
    if row.len() <= most {
        return Ok(Err(format!("has {} cells, {} are needed", row.len(), most + 1)));
    }
    let add = match row.bytes(columns.event) {
        b"add" => true,
        b"remove" => false,
        _ => {
            return Ok(Err(format!("`add` or `remove` wanted, found `{}`", shown(&row.text(columns.event)))));
        }
    };
    let node = row.bytes(columns.node);
    if node.is_empty() {
        return Ok(Err("names no node".to_owned()));
    }
    let times = match columns.times {
        Some(times) => times,
        None if is_number(row.bytes(columns.time)) && row.bytes(columns.time).len() < 10 => {
            return Err(ReadError::UnitMissing);
        }
        None => *columns.times.insert(Times::Civil),
    };
    let at = match times.read(row, columns.time, how) {
        Ok(at) => at,
        Err(fault) => return Ok(Err(fault)),
    };
    match nodes.pass(at)? {
        Err(fault) => Ok(Err(fault)),
        Ok(false) => Ok(Ok(())),
        Ok(true) if add => Ok(nodes.add(at, node)),
        Ok(true) => nodes.remove(at, node),
    }
}

/// Whether a row is one of events without a header.
pub(in super::super) fn is_event(row: Row<'_>) -> bool {
    row.len() == 3 && matches!(row.bytes(1), b"add" | b"remove")
}

/// Whether a header seems to be one of events, if perhaps a wrong one.
pub(in super::super) fn is_header(names: &[String]) -> bool {
    let has = |wanted: &[&str]| names.iter().any(|name| wanted.contains(&name.as_str()));
    has(&EVENT_NAMES) || has(&NODE_NAMES)
}

/// Where the columns stand, and whether the row is a header.
fn columns(first: Row<'_>, how: &How) -> Result<(Columns, bool), ReadError> {
    let given = how.time_unit.map(Times::Numbers);
    if is_event(first) {
        let numbers = is_number(first.bytes(0)).then_some(Times::Numbers(TimeUnit::Milliseconds));
        let times = given.or(numbers).unwrap_or(Times::Civil);
        return Ok((Columns { time: 0, times: Some(times), event: 1, node: 2 }, false));
    }
    let names = first.names();
    let find = |wanted: &[&str]| names.iter().position(|name| wanted.contains(&name.as_str()));
    let told =
        TIME_NAMES.iter().find_map(|&(unit, wanted)| Some((find(wanted)?, Some(Times::Numbers(unit)))));
    let time = told.or_else(|| Some((find(&PLAIN_TIME_NAMES)?, given)));
    match (time, find(&EVENT_NAMES), find(&NODE_NAMES)) {
        (Some((time, times)), Some(event), Some(node)) => Ok((Columns { time, times, event, node }, true)),
        (time, event, node) => {
            let wanted = [("t_ms", time.is_none()), ("event", event.is_none()), ("node", node.is_none())];
            Err(missing_columns(&wanted, &names))
        }
    }
}

/// Names the columns that are wanted, missing and found.
pub(in super::super) fn missing_columns(wanted: &[(&str, bool)], found: &[String]) -> ReadError {
    let list = |names: Vec<&str>| names.join(", ");
    let all = list(wanted.iter().map(|&(name, _)| name).collect());
    let missing = list(wanted.iter().filter(|&&(_, missing)| missing).map(|&(name, _)| name).collect());
    let found = list(found.iter().take(12).map(String::as_str).collect());
    ReadError::Syntax(format!("has not the columns {all}: missing {missing}; found {}", shown_list(&found)))
}

fn shown_list(text: &str) -> String {
    text.chars().take(200).collect()
}
