//! Counts of nodes over time: `t_ms,count`, from each time on; the last row ends the recording.

use super::{WriteError, ms_since, series};
use crate::records::Recording;
use std::io::Write;

/// Writes counts. Of a 0/1 series, one node is there where any number could be had.
pub(super) fn write(recording: &Recording, out: &mut impl Write) -> Result<Vec<String>, WriteError> {
    let series = series(recording)?;
    let mut said = Vec::new();
    if !series.counts {
        said.push("the recording has no counts: 1 stands for any number".to_owned());
    }
    if !recording.about.start_assumed {
        said.push(format!("times count from {}, which the format does not say", series.start));
    }
    writeln!(out, "t_ms,count")?;
    let (mut at, mut last) = (series.start, String::new());
    for stretch in &series.stretches {
        last = stretch.nodes.map_or(String::new(), |nodes| nodes.to_string());
        writeln!(out, "{},{last}", ms_since(series.start, at))?;
        at = at + stretch.span;
    }
    writeln!(out, "{},{last}", ms_since(series.start, at))?;
    Ok(said)
}
