//! What a recording holds, whatever the format it came in.

use super::ReadError;
use super::advice::Advice;
use super::job::Job;
use super::lifetime::Lifetimes;
use super::notice::Notice;
use super::score::Score;
use crate::units::{Price, Span, Timestamp};

/// A file of recorded data, read.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    /// What it says of itself.
    pub about: About,
    /// Its data.
    pub content: Content,
    /// What the reader dropped, assumed or doubts.
    pub remarks: Vec<Remark>,
}

impl Recording {
    /// The same of one zone, where one is named. Only prices tell zones apart here; capacity is chosen from while
    /// it is read.
    pub fn of_zone(mut self, zone: Option<&str>) -> Result<Self, ReadError> {
        if let (Some(zone), Content::Prices(series)) = (zone, &mut self.content) {
            let zones: Vec<String> = series.iter().map(|one| one.label.zone.clone()).collect();
            series.retain(|one| one.label.zone == zone);
            if series.is_empty() {
                let listed = zones.iter().take(32).map(String::as_str).collect::<Vec<_>>().join(", ");
                return Err(ReadError::Syntax(format!("has no zone `{zone}`; there are {listed}")));
            }
        }
        Ok(self)
    }
}

/// What a recording says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct About {
    /// One line for people.
    pub title: Option<String>,
    /// Where it comes from.
    pub source: Option<String>,
    /// Its licence, and what was changed.
    pub licence: Option<String>,
    /// How often the recorder looked: nothing shorter can be seen.
    pub sample: Option<Span>,
    /// Whether the recording has no start of its own: hours of the day mean nothing then.
    pub start_assumed: bool,
    /// What else a reader must know.
    pub notes: Vec<String>,
}

/// The data of a recording.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// How many nodes could be had, a series for each zone.
    Capacity(Vec<Capacity>),
    /// When single nodes came and went.
    Stays(Stays),
    /// Prices, a series for each zone, instance and product.
    Prices(Vec<Prices>),
    /// Interruption notices, by time.
    Notices(Vec<Notice>),
    /// Jobs that ran, in the order of the file.
    Jobs(Vec<Job>),
    /// How often instances are interrupted, by class.
    Advice(Vec<Advice>),
    /// How likely a request for capacity is to be met.
    Scores(Vec<Score>),
    /// How long nodes lived, without when.
    Lifetimes(Lifetimes),
}

/// Where and what a series is of; empty where the file does not say.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Label {
    /// Availability zone: `us-east-1a`, `use1-az1`.
    pub zone: String,
    /// Instance type: `g5.12xlarge`.
    pub instance: String,
    /// Product: `Linux/UNIX`.
    pub product: String,
}

/// How many nodes could be had in one zone over time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capacity {
    /// Where, and of what.
    pub label: Label,
    /// When the first stretch begins.
    pub start: Timestamp,
    /// Whether levels are counts of nodes; else 1 means that any number asked for could be had.
    pub counts: bool,
    /// One after the other without a hole; neighbours differ. The first began before the recording and the
    /// last went on after it.
    pub stretches: Vec<Stretch>,
}

/// A stretch of time in which one level held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch {
    /// How long; not zero.
    pub span: Span,
    /// Nodes that could be had; `None` while nobody looked.
    pub nodes: Option<u32>,
}

impl Capacity {
    /// Length of the recording.
    pub fn length(&self) -> Span {
        self.stretches.iter().fold(Span::ZERO, |sum, stretch| sum + stretch.span)
    }
}

/// When single nodes came and went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stays {
    /// When the observation begins.
    pub start: Timestamp,
    /// When it ends: nodes that are there then are cut off.
    pub end: Timestamp,
    /// By begin, then in the order of the file.
    pub stays: Vec<Stay>,
}

/// One node, from when it came to when it went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stay {
    /// The node's name.
    pub node: String,
    /// Its zone; empty where the file does not say.
    pub zone: String,
    /// When it came.
    pub from: Timestamp,
    /// How long it stayed.
    pub span: Span,
    /// How it ended.
    pub ended: StayEnd,
}

/// How a stay ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StayEnd {
    /// The provider took the node.
    Lost,
    /// Its user gave it back: it would have stayed longer.
    Released,
    /// It was there when the observation ended.
    CutOff,
}

/// The price in one zone over time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prices {
    /// Where, and of what.
    pub label: Label,
    /// From each instant on, per instance; instants rise strictly.
    pub changes: Vec<(Timestamp, Price)>,
}

/// What 1 means in a 0/1 series. Projects write both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OneMeans {
    /// A node could be had.
    Available,
    /// None could.
    Preempted,
}

/// What a reader dropped, assumed or doubts, for people: "3 repeated records were dropped".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// The line it is about, counted from 1; `None`: the whole file.
    pub line: Option<u64>,
    /// A sentence without a full stop.
    pub text: String,
    /// Whether the user should look again; else it is for information.
    pub warning: bool,
}

impl Remark {
    /// For information.
    pub fn note(line: Option<u64>, text: impl Into<String>) -> Self {
        Self { line, text: text.into(), warning: false }
    }

    /// The user should look again.
    pub fn warning(line: Option<u64>, text: impl Into<String>) -> Self {
        Self { line, text: text.into(), warning: true }
    }
}
