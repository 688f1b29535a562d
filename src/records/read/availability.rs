//! Samples of 0 and 1 with their times, `date,availability`, as the collectors of skynomad wrote them. The name
//! of the column says what 1 means; `one_means` overrules it. An empty cell was not looked at.

use super::super::cells::shown;
use super::super::faults::Faults;
use super::super::rows::{Row, Rows};
use super::super::samples::Samples;
use super::super::sink::{Kind, Sink};
use super::super::{About, How, Label, OneMeans, ReadError, Remark};
use super::node_events::{PLAIN_TIME_NAMES, missing_columns};
use crate::units::{Timestamp, UtcOffset};
use std::io::BufRead;

const VALUE_NAMES: [(&[&str], OneMeans); 2] = [
    (&["availability", "available"], OneMeans::Available),
    (&["preempted", "preemption", "unavailable"], OneMeans::Preempted),
];

/// Reads samples into `sink`.
pub fn read(source: impl BufRead, how: &How, sink: &mut dyn Sink) -> Result<Vec<Remark>, ReadError> {
    let (mut rows, mut faults) = (Rows::new(source), Faults::default());
    let Some(header) = rows.next(&mut faults)? else {
        faults.refuse()?;
        return Err(ReadError::Empty("samples"));
    };
    let names = header.names();
    let (time, value, by_name) = columns(&names)?;
    let meaning = how.one_means.unwrap_or(by_name);
    let local = Some(how.local.unwrap_or(UtcOffset::UTC));
    let mut samples = Samples::new(About::default(), Kind::Availability, vec![Label::default()], sink);
    let mut zoneless = false;
    while let Some(row) = rows.next(&mut faults)? {
        let found = match sample(row, time, value, meaning, local) {
            Ok((at, nodes)) => samples.sample(at, &[nodes])?,
            Err(fault) => Err(fault),
        };
        zoneless = zoneless || how.local.is_none() && row.bytes(time).len() <= 19;
        if let Err(fault) = found {
            faults.add(row.line, fault);
        }
    }
    faults.refuse()?;
    let mut remarks = samples.end()?;
    if how.one_means.is_none() {
        let means = if meaning == OneMeans::Available { "available" } else { "preempted" };
        let text = format!("1 is taken as {means}, as the column `{}` says", shown(&names[value]));
        remarks.push(Remark::note(None, text));
    }
    if zoneless {
        let text = "its times have no zone and are taken as UTC, as no offset is given";
        remarks.push(Remark::warning(None, text));
    }
    Ok(remarks)
}

/// Whether a header is one of such samples.
pub(in super::super) fn is_header(names: &[String]) -> bool {
    VALUE_NAMES.iter().any(|(wanted, _)| names.iter().any(|name| wanted.contains(&name.as_str())))
}

fn columns(names: &[String]) -> Result<(usize, usize, OneMeans), ReadError> {
    let find = |wanted: &[&str]| names.iter().position(|name| wanted.contains(&name.as_str()));
    let value = VALUE_NAMES.iter().find_map(|&(wanted, means)| Some((find(wanted)?, means)));
    match (find(&PLAIN_TIME_NAMES), value) {
        (Some(time), Some((value, means))) => Ok((time, value, means)),
        (time, value) => {
            Err(missing_columns(&[("date", time.is_none()), ("availability", value.is_none())], names))
        }
    }
}

fn sample(
    row: Row<'_>,
    time: usize,
    value: usize,
    meaning: OneMeans,
    local: Option<UtcOffset>,
) -> Result<(Timestamp, Option<u32>), String> {
    if row.len() <= time.max(value) {
        return Err(format!("has {} cells, {} are needed", row.len(), time.max(value) + 1));
    }
    let at = super::super::cells::civil(&row.text(time), local)?;
    let one = match row.bytes(value) {
        b"" => return Ok((at, None)),
        b"0" => false,
        b"1" => true,
        _ => return Err(format!("0 or 1 wanted, found `{}`", shown(&row.text(value)))),
    };
    Ok((at, Some(u32::from(one == (meaning == OneMeans::Available)))))
}
