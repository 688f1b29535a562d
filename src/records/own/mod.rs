//! The project's own format: CSV under `#` lines, see `docs/traces.md`. `# kind:` says what it holds, one file
//! each: a reader, and a writer that takes rows one by one.

pub mod advice;
mod capacity;
mod head;
pub mod jobs;
pub mod lifetimes;
pub mod notices;
pub mod scores;
mod stays;
pub mod table;
mod text;
mod writer;

pub use writer::Writer;

use super::faults::Faults;
use super::rows::Rows;
use super::sink::{Collector, Sink};
use super::{Content, ReadError, Recording, Remark, kinds, prices};
use std::io::{self, BufRead, Write};

/// Reads a recording in the project's own format into memory.
pub fn read(text: &str) -> Result<Recording, ReadError> {
    let mut collector = Collector::default();
    let remarks = stream(text.as_bytes(), &mut collector)?;
    let recording = collector.into_recording().ok_or(ReadError::Empty("samples"))?;
    Ok(Recording { remarks, ..recording })
}

/// Reads a recording of capacity or of stays, row by row.
pub fn stream(source: impl BufRead, sink: &mut dyn Sink) -> Result<Vec<Remark>, ReadError> {
    let (mut rows, mut faults) = (Rows::new(source), Faults::default());
    let Some(header) = rows.next(&mut faults)? else {
        faults.refuse()?;
        return Err(ReadError::Empty("samples"));
    };
    let names = header.names();
    match head::comment(&rows.comments, "kind").unwrap_or("availability") {
        kind @ ("availability" | "count") => {
            let counts = kind == "count";
            capacity::read(rows, &names, counts, sink)
        }
        "stays" => stays::read(rows, &names, sink),
        other => {
            let shown: String = other.chars().take(40).collect();
            let why = format!("has `# kind: {shown}`; known are availability, count and stays");
            Err(ReadError::Syntax(why))
        }
    }
}

/// Whether a header is one of the project's own.
pub fn is_header(names: &[String]) -> bool {
    capacity::is_header(names) || names == stays::COLUMNS
}

/// Writes a recording in the project's own format.
pub fn write(recording: &Recording, mut out: impl Write) -> io::Result<()> {
    let mut writer = Writer::new(&mut out);
    match &recording.content {
        Content::Capacity(series) => writer.capacity(&recording.about, series)?,
        Content::Stays(stays) => writer.stays(&recording.about, stays)?,
        Content::Prices(series) => return prices::write(&recording.about, series, &mut out),
        content => {
            let text = kinds::write(&recording.about, content).unwrap_or_default();
            return out.write_all(text.as_bytes());
        }
    }
    writer.finish()
}
