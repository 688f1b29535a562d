//! The project's own format, for capacity: CSV under `#` lines, see `data/traces/README.md`.

use super::{About, Capacity, Content, Label, ReadError, Recording, Stretch};
use crate::units::{Decimal, Span, Timestamp};

/// Reads a recording in the project's own format.
pub fn read(text: &str) -> Result<Recording, ReadError> {
    let text = text.trim_start_matches('\u{feff}');
    let comments: Vec<(&str, &str)> = text
        .lines()
        .take_while(|line| line.starts_with('#'))
        .filter_map(|line| line.trim_start_matches('#').trim().split_once(':'))
        .map(|(key, value)| (key, value.trim()))
        .collect();
    let comment = |name: &str| comments.iter().find(|(key, _)| *key == name).map(|&(_, value)| value);
    let counts = comment("kind") == Some("count");
    let about = About {
        title: comment("title").map(str::to_owned),
        source: comment("source").map(str::to_owned),
        licence: comment("licence").map(str::to_owned),
        sample: comment("sample_s").and_then(span_of),
        start_assumed: comment("start") == Some("assumed"),
        notes: comments.iter().filter(|(key, _)| *key == "note").map(|&(_, v)| v.to_owned()).collect(),
    };
    let mut reader =
        csv::ReaderBuilder::new().comment(Some(b'#')).trim(csv::Trim::All).from_reader(text.as_bytes());
    let columns = reader.headers().map_err(|error| ReadError::Syntax(error.to_string()))?.clone();
    let zoned = columns.iter().eq(["zone", "start", "duration_s", "nodes"]);
    if !zoned && !columns.iter().eq(["start", "duration_s", "nodes"]) {
        let found: Vec<_> = columns.iter().take(8).collect();
        let text = format!("columns start, duration_s, nodes wanted, found {}", found.join(", "));
        return Err(ReadError::Syntax(text));
    }
    let mut series: Vec<Capacity> = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| ReadError::Syntax(error.to_string()))?;
        let line = record.position().map_or(0, csv::Position::line);
        let fault = |fault: &str| ReadError::Lines { faults: vec![(line, fault.to_owned())] };
        let cell = |index: usize| &record[index + usize::from(zoned)];
        let zone = if zoned { &record[0] } else { "" };
        let span = span_of(cell(1)).ok_or_else(|| fault("`duration_s` must be a number above 0"))?;
        let start: Timestamp =
            cell(0).parse().map_err(|_| fault("`start` must be a time like 2023-02-15T22:08:16Z"))?;
        let nodes = match cell(2) {
            "" => None,
            text => Some(text.parse().map_err(|_| fault("`nodes` must be a whole number from 0"))?),
        };
        if !counts && nodes.is_some_and(|nodes: u32| nodes > 1) {
            return Err(fault("`nodes` is 0 or 1 where `# kind` is availability"));
        }
        let stretch = Stretch { span, nodes };
        let at = series.iter().rposition(|one| one.label.zone == zone);
        match at.map(|at| &mut series[at]) {
            None => series.push(Capacity {
                label: Label { zone: zone.to_owned(), ..Label::default() },
                start,
                counts,
                stretches: vec![stretch],
            }),
            Some(one) => {
                // Starts are whole seconds, durations need not be.
                let ends = one.start + one.length();
                if (start.unix_ns() - ends.unix_ns()).abs() > 1_000_000_000 {
                    return Err(fault("`start` must be where the interval before ends"));
                }
                match one.stretches.last_mut() {
                    Some(last) if last.nodes == nodes => last.span = last.span + span,
                    _ => one.stretches.push(stretch),
                }
            }
        }
    }
    if series.is_empty() {
        return Err(ReadError::Empty("samples"));
    }
    Ok(Recording { about, content: Content::Capacity(series), remarks: Vec::new() })
}

/// Seconds above 0.
fn span_of(text: &str) -> Option<Span> {
    let ns = text.parse::<Decimal>().ok()?.times(1_000_000_000)?;
    u64::try_from(ns).ok().filter(|&ns| ns > 0).map(Span::from_ns)
}
