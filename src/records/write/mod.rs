//! Recordings in the formats of others, one file each.

mod counts;
mod events;
mod samples;

use super::{Capacity, Content, OneMeans, Recording, own};
use crate::units::{Span, Timestamp};
use std::io::{self, Write};

/// A format that can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Export {
    /// The project's own.
    Own,
    /// JSON of sky_spot.
    SkySpot,
    /// `date,availability`.
    AvailabilityCsv,
    /// `t_ms,count`.
    CountSeries,
    /// `t_ms,event,node`.
    NodeEvents,
}

impl Export {
    /// All, with the names that they are given by: those of [`Format`](super::Format).
    pub const ALL: [(&'static str, Self); 5] = [
        ("own", Self::Own),
        ("sky-spot", Self::SkySpot),
        ("availability-csv", Self::AvailabilityCsv),
        ("count-series", Self::CountSeries),
        ("node-events", Self::NodeEvents),
    ];

    /// The format of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(word, _)| *word == name).map(|&(_, export)| export)
    }
}

/// What a format needs that a recording does not say.
#[derive(Debug, Clone, Copy, Default)]
pub struct Choices {
    /// What 1 shall mean in a 0/1 series; else as the format's makers have it.
    pub one_means: Option<OneMeans>,
    /// How far apart samples are; else as the recording's own.
    pub gap: Option<Span>,
    /// So many nodes make 1 where counts become 0 and 1; else one.
    pub gang: Option<u32>,
}

/// Why a recording cannot be written in a format.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// It does not go into the format.
    #[error("{0}")]
    NotPossible(String),
    /// The output failed.
    #[error(transparent)]
    Failed(#[from] io::Error),
}

/// Writes a recording of capacity or stays. Gives what was lost or chosen, to be said.
pub fn write(
    recording: &Recording,
    export: Export,
    choices: &Choices,
    out: &mut impl Write,
) -> Result<Vec<String>, WriteError> {
    match export {
        Export::Own => {
            own::write(recording, out)?;
            Ok(Vec::new())
        }
        Export::SkySpot => samples::sky_spot(recording, choices, out),
        Export::AvailabilityCsv => samples::availability(recording, choices, out),
        Export::CountSeries => counts::write(recording, out),
        Export::NodeEvents => events::write(recording, out),
    }
}

/// The one series of a recording; that of stays is how many there were.
fn series(recording: &Recording) -> Result<Capacity, WriteError> {
    match &recording.content {
        Content::Capacity(all) => match &all[..] {
            [single] => Ok(single.clone()),
            _ => {
                let zones: Vec<&str> = all.iter().take(32).map(|one| one.label.zone.as_str()).collect();
                let zones = zones.join(", ");
                Err(WriteError::NotPossible(format!("the format holds one zone; choose one of {zones}")))
            }
        },
        Content::Stays(stays) => {
            let stretches = stays.sizes(|_| true).into_iter().map(|held| held.stretch).collect();
            Ok(Capacity { label: super::Label::default(), start: stays.start, counts: true, stretches })
        }
        _ => Err(WriteError::NotPossible("the format holds capacity, which this recording does not".into())),
    }
}

/// Milliseconds since `start`, which is the clock of formats without dates. What is finer is cut off.
fn ms_since(start: Timestamp, at: Timestamp) -> u64 {
    at.since(start).unwrap_or_default().ns() / 1_000_000
}

/// What one must give to read a file back whose end the format does not say.
fn say_until(start: Timestamp, end: Timestamp) -> String {
    format!(
        "to read it back, give `until` as \"{} ms\": the format does not say when it ends",
        ms_since(start, end)
    )
}
