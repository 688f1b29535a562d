//! Writes the project's own format, row by row.

use super::super::sink::{Head, Kind, Sink};
use super::super::{About, Capacity, Label, ReadError, Stay, Stays, Stretch};
use super::text::{Clock, push_cell, push_seconds};
use super::{capacity, head, stays};
use crate::units::Timestamp;
use std::io::{self, Write};

/// Rows are passed on in pieces of this size.
const PIECE: usize = 1 << 16;

/// Writes what a reader finds.
pub struct Writer<W> {
    out: W,
    row: Vec<u8>,
    clock: Clock,
    zoned: bool,
    /// Why it stopped.
    error: Option<io::Error>,
}

impl<W: Write> Writer<W> {
    /// Over `out`, which need not be buffered.
    pub fn new(out: W) -> Self {
        Self { out, row: Vec::with_capacity(2 * PIECE), clock: Clock::default(), zoned: false, error: None }
    }

    /// After all rows, or after [`ReadError::Stopped`]: whether all was written.
    pub fn finish(mut self) -> io::Result<()> {
        match self.error.take() {
            Some(error) => Err(error),
            None => self.out.write_all(&self.row).and_then(|()| self.out.flush()),
        }
    }

    pub(super) fn capacity(&mut self, about: &About, series: &[Capacity]) -> io::Result<()> {
        let counts = series.iter().any(|one| one.counts);
        let kind = if counts { Kind::Counts } else { Kind::Availability };
        let zoned = series.iter().any(|one| !one.label.zone.is_empty());
        let head = Head { about: about.clone(), kind, zoned };
        self.written(|writer| {
            writer.begin(&head)?;
            for (number, one) in series.iter().enumerate() {
                let mut start = one.start;
                for &stretch in &one.stretches {
                    writer.stretch(number, &one.label, start, stretch)?;
                    start = start + stretch.span;
                }
            }
            let first = series.iter().map(|one| one.start).min();
            let last = series.iter().map(|one| one.start + one.length()).max();
            first.zip(last).map_or(Ok(()), |(start, end)| writer.end(start, end))
        })
    }

    pub(super) fn stays(&mut self, about: &About, stays: &Stays) -> io::Result<()> {
        let head = Head { about: about.clone(), kind: Kind::Stays, zoned: true };
        self.written(|writer| {
            writer.begin(&head)?;
            for (order, stay) in stays.stays.iter().enumerate() {
                writer.stay(order as u64, stay)?;
            }
            writer.end(stays.start, stays.end)
        })
    }

    fn written(&mut self, write: impl FnOnce(&mut Self) -> Result<(), ReadError>) -> io::Result<()> {
        match write(self) {
            Ok(()) => Ok(()),
            Err(_) => Err(self.error.take().unwrap_or_else(|| io::Error::other("could not be written"))),
        }
    }

    fn pass(&mut self) -> Result<(), ReadError> {
        if self.row.len() < PIECE {
            return Ok(());
        }
        let written = self.out.write_all(&self.row);
        self.row.clear();
        written.map_err(|error| {
            self.error = Some(error);
            ReadError::Stopped
        })
    }
}

impl<W: Write> Sink for Writer<W> {
    fn begin(&mut self, head: &Head) -> Result<(), ReadError> {
        let kind = match head.kind {
            Kind::Availability => "availability",
            Kind::Counts => "count",
            Kind::Stays => "stays",
        };
        self.zoned = head.zoned;
        // Writing into memory does not fail.
        _ = head::write(&head.about, kind, &mut self.row);
        if head.kind != Kind::Stays && head.zoned {
            self.row.extend_from_slice(b"zone,");
        }
        let columns =
            if head.kind == Kind::Stays { stays::COLUMNS.join(",") } else { capacity::COLUMNS.join(",") };
        self.row.extend_from_slice(columns.as_bytes());
        self.row.push(b'\n');
        self.pass()
    }

    fn stretch(
        &mut self,
        _series: usize,
        label: &Label,
        start: Timestamp,
        stretch: Stretch,
    ) -> Result<(), ReadError> {
        if self.zoned {
            push_cell(&label.zone, &mut self.row);
            self.row.push(b',');
        }
        self.clock.push(start, &mut self.row);
        self.row.push(b',');
        push_seconds(stretch.span, &mut self.row);
        self.row.push(b',');
        if let Some(nodes) = stretch.nodes {
            self.row.extend_from_slice(nodes.to_string().as_bytes());
        }
        self.row.push(b'\n');
        self.pass()
    }

    fn stay(&mut self, _order: u64, stay: &Stay) -> Result<(), ReadError> {
        push_cell(&stay.node, &mut self.row);
        self.row.push(b',');
        push_cell(&stay.zone, &mut self.row);
        self.row.push(b',');
        self.clock.push(stay.from, &mut self.row);
        self.row.push(b',');
        push_seconds(stay.span, &mut self.row);
        self.row.push(b',');
        let word = stays::ENDS.iter().find(|(_, end)| *end == stay.ended).map_or("", |(word, _)| word);
        self.row.extend_from_slice(word.as_bytes());
        self.row.push(b'\n');
        self.pass()
    }

    /// The end of an observation is known only now.
    fn end(&mut self, start: Timestamp, end: Timestamp) -> Result<(), ReadError> {
        self.row.extend_from_slice(format!("# window: {start} to {end}\n").as_bytes());
        self.pass()
    }
}
