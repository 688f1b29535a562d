//! Samples at even steps: the JSON of sky_spot, and `date,availability`.

use super::{Choices, WriteError, series};
use crate::records::{Capacity, OneMeans, Recording};
use crate::units::{Span, Timestamp};
use serde_json::{Map, Value, json};
use std::io::Write;

/// A recording as samples would be too many to write beyond this.
const SAMPLES_MAX: u64 = 1 << 32;

/// Writes JSON of sky_spot: 0 and 1 where 1 means preempted, if not chosen otherwise, or counts.
pub(super) fn sky_spot(
    recording: &Recording,
    choices: &Choices,
    out: &mut impl Write,
) -> Result<Vec<String>, WriteError> {
    let series = series(recording)?;
    let grid = Grid::new(recording, &series, choices)?;
    let mut said = grid.said();
    let means = choices.one_means.unwrap_or(OneMeans::Preempted);
    if series.counts {
        let most = series.stretches.iter().filter_map(|stretch| stretch.nodes).max();
        if most.unwrap_or(0) <= 1 {
            said.push(
                "no count is above 1: to read it back, say that it holds counts (sky-spot-counts)".into(),
            );
        }
    } else {
        let word = if means == OneMeans::Available { "available" } else { "preempted" };
        said.push(format!("in `data`, 1 means {word}"));
    }
    let mut metadata = Map::new();
    metadata.insert("gap_seconds".into(), gap_of(grid.gap));
    if !recording.about.start_assumed {
        metadata.insert("start_time".into(), json!(series.start.to_string()));
    }
    if !series.label.zone.is_empty() {
        metadata.insert("zone".into(), json!(series.label.zone));
    }
    write!(out, "{{\"metadata\": {}, \"data\": [", Value::Object(metadata))?;
    let mut separator = "";
    grid.each(&series, |_, nodes| {
        match nodes {
            None => write!(out, "{separator}null")?,
            Some(count) if series.counts => write!(out, "{separator}{count}")?,
            Some(level) => {
                let one = (level >= 1) == (means == OneMeans::Available);
                write!(out, "{separator}{}", u32::from(one))?;
            }
        }
        separator = ", ";
        Ok(())
    })?;
    writeln!(out, "]}}")?;
    Ok(said)
}

/// Writes `date,availability`, where 1 means available if not chosen otherwise; then the column says so.
pub(super) fn availability(
    recording: &Recording,
    choices: &Choices,
    out: &mut impl Write,
) -> Result<Vec<String>, WriteError> {
    let series = series(recording)?;
    let grid = Grid::new(recording, &series, choices)?;
    let mut said = grid.said();
    let gang = choices.gang.unwrap_or(1);
    if series.counts {
        let plural = if gang == 1 { "node is" } else { "nodes are" };
        said.push(format!("available means that at least {gang} {plural} there"));
    }
    let preempted = choices.one_means == Some(OneMeans::Preempted);
    writeln!(out, "date,{}", if preempted { "preempted" } else { "availability" })?;
    grid.each(&series, |at, nodes| match nodes {
        None => writeln!(out, "{at},"),
        Some(nodes) => {
            let available = nodes >= if series.counts { gang } else { 1 };
            writeln!(out, "{at},{}", u32::from(available != preempted))
        }
    })?;
    Ok(said)
}

/// Seconds, as a whole number if they are one.
fn gap_of(gap: Span) -> Value {
    match gap.ns() % 1_000_000_000 {
        0 => json!(gap.ns() / 1_000_000_000),
        _ => json!(gap.as_secs()),
    }
}

/// Where samples lie.
struct Grid {
    gap: Span,
    count: u64,
    /// Stretches that do not begin at a sample.
    moved: usize,
}

impl Grid {
    fn new(recording: &Recording, series: &Capacity, choices: &Choices) -> Result<Self, WriteError> {
        let gap = choices.gap.or(recording.about.sample).filter(|gap| !gap.is_zero());
        let Some(gap) = gap else {
            let why =
                "the format holds samples, and the recording does not say how far apart they are: give a gap";
            return Err(WriteError::NotPossible(why.to_owned()));
        };
        let length = series.length();
        let count = length.ns().div_ceil(gap.ns());
        if count > SAMPLES_MAX {
            let why = format!("{count} samples of {gap} are too many; give a longer gap");
            return Err(WriteError::NotPossible(why));
        }
        let mut end = Span::ZERO;
        let ends = series.stretches.iter().map(|stretch| {
            end += stretch.span;
            end
        });
        let moved = ends.filter(|end| end.ns() % gap.ns() != 0).count();
        Ok(Self { gap, count, moved })
    }

    fn said(&self) -> Vec<String> {
        if self.moved == 0 {
            return Vec::new();
        }
        let (moved, gap) = (self.moved, self.gap);
        vec![format!(
            "{moved} changes lie between samples of {gap}; they show at the next, if they last so long"
        )]
    }

    /// What each sample finds.
    fn each(
        &self,
        series: &Capacity,
        mut give: impl FnMut(Timestamp, Option<u32>) -> std::io::Result<()>,
    ) -> std::io::Result<()> {
        let mut stretches = series.stretches.iter();
        let (mut end, mut nodes) = (0_u64, None);
        for sample in 0..self.count {
            let since = sample.saturating_mul(self.gap.ns());
            while end <= since {
                let Some(stretch) = stretches.next() else { break };
                end = end.saturating_add(stretch.span.ns());
                nodes = stretch.nodes;
            }
            give(series.start + Span::from_ns(since), nodes)?;
        }
        Ok(())
    }
}
