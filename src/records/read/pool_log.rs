//! Sizes of a pool, logged: `2021-12-11, 11:11:30, 55`, as uclasystem/bamboo has them of Google Cloud. Not
//! always in order of time: sorted, and said, so the rows are held (24 bytes each). A size holds until the
//! next; the last row ends the recording.

use super::super::cells::{count, shown};
use super::super::faults::Faults;
use super::super::levels::Levels;
use super::super::rows::{Row, Rows};
use super::super::sink::Sink;
use super::super::{How, ReadError, Remark};
use crate::units::{Timestamp, UtcOffset};
use std::io::BufRead;

/// Reads a pool's log into `sink`.
pub fn read(source: impl BufRead, how: &How, sink: &mut dyn Sink) -> Result<Vec<Remark>, ReadError> {
    let (mut lines, mut faults) = (Rows::new(source), Faults::default());
    let mut rows: Vec<(Timestamp, Option<u32>)> = Vec::new();
    let (mut back, mut first_back) = (0_u64, 0_u64);
    while let Some(row) = lines.next(&mut faults)? {
        match read_row(row, how) {
            Ok((at, _)) if rows.last().is_some_and(|&(last, _)| at < last) => {
                back += 1;
                if back == 1 {
                    first_back = row.line;
                }
                rows.extend(read_row(row, how).ok());
            }
            Ok(found) => rows.push(found),
            Err(fault) => faults.add(row.line, fault),
        }
    }
    faults.refuse()?;
    let mut remarks = Vec::new();
    if how.local.is_none() {
        let text = "its times have no zone and are taken as UTC, as no offset is given";
        remarks.push(Remark::warning(None, text));
    }
    if back > 0 {
        rows.sort_by_key(|&(at, _)| at);
        let text = format!(
            "time steps back {back} times and the rows were sorted; if several logs were joined, their sizes \
             now take turns: part them"
        );
        remarks.push(Remark::warning(Some(first_back), text));
    }
    let mut levels = Levels::new(how, sink);
    for (at, nodes) in rows {
        // Sorted rows are in order.
        _ = levels.row(at, nodes)?;
    }
    remarks.extend(levels.end()?);
    Ok(remarks)
}

/// Whether a row is one of such a log.
pub(in super::super) fn is_row(row: Row<'_>) -> bool {
    let digits = |bytes: &[u8], separator: u8| {
        bytes.iter().all(|&byte| byte.is_ascii_digit() || byte == separator) && bytes.contains(&separator)
    };
    row.len() == 3 && digits(row.bytes(0), b'-') && digits(row.bytes(1), b':')
}

fn read_row(row: Row<'_>, how: &How) -> Result<(Timestamp, Option<u32>), String> {
    if row.len() != 3 {
        return Err(format!("has {} cells; a date, a time and a count are needed", row.len()));
    }
    let text = format!("{} {}", row.text(0), row.text(1));
    let at = Timestamp::parse(&text, Some(how.local.unwrap_or(UtcOffset::UTC)))
        .map_err(|error| format!("`{}` {}: write it as 2021-12-11, 11:11:30", shown(&text), error.problem))?;
    Ok((at, count(row, 2, "count")?))
}
