//! Nodes that come and go: `t_ms,event,node`.

use super::{WriteError, ms_since, say_until, series};
use crate::records::{Content, Recording, StayEnd, Stays};
use crate::units::Timestamp;
use std::io::Write;

/// A node that comes or goes: the time, who goes before who comes, and its name.
type Event<'n> = (u64, bool, &'n str);

/// Writes events. Counts become nodes with made-up names, of which the newest goes first.
pub(super) fn write(recording: &Recording, out: &mut impl Write) -> Result<Vec<String>, WriteError> {
    writeln!(out, "t_ms,event,node")?;
    match &recording.content {
        Content::Stays(stays) => of_stays(stays, recording.about.start_assumed, out),
        _ => of_counts(recording, out),
    }
}

fn of_stays(stays: &Stays, assumed: bool, out: &mut impl Write) -> Result<Vec<String>, WriteError> {
    let mut events: Vec<Event<'_>> = Vec::with_capacity(2 * stays.stays.len());
    let mut brief = 0;
    for stay in &stays.stays {
        let (from, to) = (ms_since(stays.start, stay.from), ms_since(stays.start, stay.from + stay.span));
        if from == to {
            brief += 1;
            continue;
        }
        events.push((from, true, &stay.node));
        if stay.ended != StayEnd::CutOff {
            events.push((to, false, &stay.node));
        }
    }
    events.sort_by_key(|&(at, add, _)| (at, add));
    let mut table = csv::Writer::from_writer(out);
    for (at, add, node) in events {
        let word = if add { "add" } else { "remove" };
        table.write_record([&at.to_string(), word, node]).map_err(std::io::Error::other)?;
    }
    table.flush()?;
    let mut said = vec![say_until(stays.start, stays.end)];
    if stays.stays.iter().any(|stay| stay.ended == StayEnd::Released) {
        said.push("the format does not tell nodes that were given back from nodes that were lost".to_owned());
    }
    if brief > 0 {
        said.push(format!("{brief} nodes were there for less than 1 ms and are left out"));
    }
    said.extend(say_start(stays.start, assumed));
    Ok(said)
}

fn of_counts(recording: &Recording, out: &mut impl Write) -> Result<Vec<String>, WriteError> {
    let series = series(recording)?;
    let mut said =
        vec!["which node went is not known: names are made up, and the newest goes first".to_owned()];
    if !series.counts {
        said.push("the recording has no counts: one node stands for any number".to_owned());
    }
    if series.stretches.iter().any(|stretch| stretch.nodes.is_none()) {
        said.push("where nobody looked, the count before goes on".to_owned());
    }
    let (mut here, mut next, mut at) = (Vec::<u64>::new(), 1_u64, series.start);
    for stretch in &series.stretches {
        let ms = ms_since(series.start, at);
        let nodes = stretch.nodes.map_or(here.len(), |nodes| nodes as usize);
        while here.len() > nodes {
            let node = here.pop().unwrap_or_default();
            writeln!(out, "{ms},remove,node{node}")?;
        }
        while here.len() < nodes {
            here.push(next);
            writeln!(out, "{ms},add,node{next}")?;
            next += 1;
        }
        at = at + stretch.span;
    }
    said.push(say_until(series.start, at));
    said.extend(say_start(series.start, recording.about.start_assumed));
    Ok(said)
}

fn say_start(start: Timestamp, assumed: bool) -> Option<String> {
    (!assumed).then(|| format!("times count from {start}, which the format does not say"))
}
