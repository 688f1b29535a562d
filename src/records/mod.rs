//! What people recorded of Spot: capacity, stays of nodes, prices. Each format's reader, and the project's own
//! format.
//!
//! A reader takes text and gives a [`Recording`]; it touches no file and guesses nothing: what a format does
//! not say must be said in [`How`], or is an error that says how. What a reader drops, assumes or doubts it
//! says in [`Recording::remarks`].
//!
//! * [`read`] keeps a recording in memory; [`stream`] passes it to a [`Sink`] row by row, so that a
//!   file of any size can be read. One file a format under `read`; [`own`] reads and writes the project's own.
//! * `rows`, `cells`: tables of text; `series`, `samples`, `levels`, `nodes`: what rows come to.

pub mod advice;
mod any;
mod cells;
mod faults;
pub mod format;
pub mod job;
mod json;
pub mod kinds;
mod levels;
pub mod lifetime;
mod model;
mod nodes;
pub mod notice;
pub mod of_zone;
pub mod own;
mod path;
pub mod prices;
mod read;
mod region;
mod rows;
pub mod sagemaker;
mod samples;
pub mod score;
mod series;
mod sheet;
pub mod sink;
pub mod slurm;
pub mod write;

pub use any::{AnyFormat, Opened, open};
pub use cells::TimeUnit;
pub use format::Format;
pub use job::{Job, JobEnd, Phase, PhaseKind};
pub use model::{
    About, Capacity, Content, Label, OneMeans, Prices, Recording, Remark, Stay, StayEnd, Stays, Stretch,
};
pub use path::Held;
pub use region::region;

use crate::units::{Span, UtcOffset};
use of_zone::OfZone;
use sink::{Collector, Sink};
use std::io::{BufRead, BufReader, Cursor, Read};

/// What a file does not say itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct How {
    /// Its format; else it is told by the content.
    pub format: Option<Format>,
    /// What 1 means in a 0/1 series.
    pub one_means: Option<OneMeans>,
    /// The zone of times that have none.
    pub local: Option<UtcOffset>,
    /// The unit of times that are plain numbers.
    pub time_unit: Option<TimeUnit>,
    /// How long after its begin the observation of events or levels ends; else with the last row.
    pub until: Option<Span>,
    /// Whether prices that are none are left out and told, instead of refused.
    pub skip_bad: bool,
    /// The longest that a node may live; lifetimes at or above it are cut off. Default: 24 h.
    pub cap: Option<Span>,
}

/// Why a file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// Nothing in it.
    #[error("holds no {0}")]
    Empty(&'static str),
    /// A 0/1 series without word of what 1 means.
    #[error("does not say what 1 means")]
    MeaningMissing,
    /// Times that are plain numbers, without word of their unit.
    #[error("does not say in what unit its times are")]
    UnitMissing,
    /// Not in the format that it was taken for.
    #[error("{0}")]
    Syntax(String),
    /// Lines that cannot be used, the first of them; lines count from 1, comments and header included.
    #[error("{}", faults.iter().map(|(line, fault)| format!("line {line}: {fault}")).collect::<Vec<_>>().join("; "))]
    Lines {
        /// Line and fault.
        faults: Vec<(u64, String)>,
    },
    /// The source failed.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// Who takes what is read can take no more, and knows why.
    #[error("was not read to its end")]
    Stopped,
}

impl ReadError {
    /// An error of the JSON parser, with its line.
    pub fn from_json(error: &serde_json::Error) -> Self {
        if error.is_io() {
            return Self::Unreadable(error.to_string());
        }
        let text = error.to_string();
        let text = text.rsplit_once(" at line ").map_or(text.as_str(), |(text, _)| text);
        let fault = format!("{text} (column {})", error.column());
        Self::Lines { faults: vec![(error.line() as u64, fault)] }
    }
}

/// The format is told by so much of a file.
const HEAD: u64 = 1 << 16;

/// Reads recorded capacity in any format into memory. The first remark says in which it was read, but for the
/// project's own.
pub fn read(bytes: &[u8], how: &How) -> Result<Recording, ReadError> {
    collect(bytes, how, None)
}

/// As [`read`], from a source; of one zone, where one is named.
pub fn collect(source: impl Read, how: &How, zone: Option<&str>) -> Result<Recording, ReadError> {
    let mut collector = Collector::default();
    let remarks = stream_zone(source, how, zone, &mut collector)?;
    let recording = collector.into_recording().ok_or(ReadError::Empty("samples"))?;
    Ok(Recording { remarks, ..recording })
}

/// As [`stream`]; of one zone, where one is named.
pub fn stream_zone(
    source: impl Read,
    how: &How,
    zone: Option<&str>,
    sink: &mut dyn Sink,
) -> Result<Vec<Remark>, ReadError> {
    let Some(zone) = zone else { return stream(source, how, sink) };
    let mut of_zone = OfZone::new(zone, sink);
    let remarks = stream(source, how, &mut of_zone)?;
    of_zone.finish()?;
    Ok(remarks)
}

/// Reads recorded capacity in any format, row by row, into `sink`. Gives what there is to say; the first
/// remark tells in which format it was read.
pub fn stream(source: impl Read, how: &How, sink: &mut dyn Sink) -> Result<Vec<Remark>, ReadError> {
    let (head, source) = begun(source)?;
    let format = match how.format {
        Some(format) => format,
        None => format::detect(&head)?,
    };
    let source = with_head(head, source);
    let told = if how.format.is_some() { "read as" } else { "taken as" };
    let told = (format != Format::Own).then(|| Remark::note(None, format!("{told} {}", format.words())));
    let mut remarks: Vec<Remark> = told.into_iter().collect();
    remarks.extend(read_as(format, source, how, sink)?);
    Ok(remarks)
}

/// The first bytes of a source, without a byte order mark, and what follows them.
fn begun<R: Read>(mut source: R) -> Result<(Vec<u8>, R), ReadError> {
    let mut head = Vec::new();
    let read = source.by_ref().take(HEAD).read_to_end(&mut head);
    read.map_err(|error| ReadError::Unreadable(error.to_string()))?;
    if head.starts_with("\u{feff}".as_bytes()) {
        head.drain(..3);
    }
    Ok((head, source))
}

/// The two together again.
fn with_head(head: Vec<u8>, rest: impl Read) -> impl BufRead {
    BufReader::with_capacity(1 << 16, Cursor::new(head).chain(rest))
}

fn read_as(
    format: Format,
    source: impl BufRead,
    how: &How,
    sink: &mut dyn Sink,
) -> Result<Vec<Remark>, ReadError> {
    match format {
        Format::Own => own::stream(source, sink),
        Format::SkySpot => read::sky_spot::read(source, false, how, sink),
        Format::SkySpotCounts => read::sky_spot::read(source, true, how, sink),
        Format::ProbeRounds => read::probe_rounds::read(source, how, sink),
        Format::AvailabilityCsv => read::availability::read(source, how, sink),
        Format::CountTable => read::count_table::read(source, how, sink),
        Format::NodeEvents => read::node_events::read(source, how, sink),
        Format::PoolLog => read::pool_log::read(source, how, sink),
        Format::CountSeries => read::count_series::read(source, how, sink),
        Format::ParcaeReplay => read::parcae_replay::read(source, how, sink),
    }
}
