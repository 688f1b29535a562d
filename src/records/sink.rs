//! Where readers put what they find, row by row, so that a file need not fit into memory.

use super::{About, Capacity, Content, Label, ReadError, Recording, Stay, Stays, Stretch};
use crate::units::Timestamp;

/// What a recording is, known before its first row.
#[derive(Debug, Clone, PartialEq)]
pub struct Head {
    /// What the file says of itself.
    pub about: About,
    /// What its rows are.
    pub kind: Kind,
    /// Whether rows say their zone.
    pub zoned: bool,
}

/// What the rows of a recording are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Stretches of 0 or 1: none can be had, or any number.
    Availability,
    /// Stretches of counts of nodes.
    Counts,
    /// Stays of nodes.
    Stays,
}

/// Takes what a reader finds. A sink that can take no more answers [`ReadError::Stopped`].
pub trait Sink {
    /// Before all rows.
    fn begin(&mut self, head: &Head) -> Result<(), ReadError>;

    /// A stretch of a series, which begins where its one before ended. Series are numbered from 0;
    /// stretches of several may take turns.
    fn stretch(
        &mut self,
        series: usize,
        label: &Label,
        start: Timestamp,
        stretch: Stretch,
    ) -> Result<(), ReadError>;

    /// A stay, in the order of their ends; `order` counts them by their begins.
    fn stay(&mut self, order: u64, stay: &Stay) -> Result<(), ReadError>;

    /// After all rows: begin and end of the observation.
    fn end(&mut self, start: Timestamp, end: Timestamp) -> Result<(), ReadError>;
}

/// Keeps all in memory.
#[derive(Debug, Default)]
pub struct Collector {
    head: Option<Head>,
    /// In the order of their numbers, which need not be that in which their first stretches are complete.
    series: Vec<Option<Capacity>>,
    stays: Vec<(u64, Stay)>,
    window: Option<(Timestamp, Timestamp)>,
}

impl Sink for Collector {
    fn begin(&mut self, head: &Head) -> Result<(), ReadError> {
        self.head = Some(head.clone());
        Ok(())
    }

    fn stretch(
        &mut self,
        series: usize,
        label: &Label,
        start: Timestamp,
        stretch: Stretch,
    ) -> Result<(), ReadError> {
        let counts = self.head.as_ref().is_some_and(|head| head.kind == Kind::Counts);
        if series >= self.series.len() {
            self.series.resize(series + 1, None);
        }
        let empty = || Capacity { label: label.clone(), start, counts, stretches: Vec::new() };
        self.series[series].get_or_insert_with(empty).stretches.push(stretch);
        Ok(())
    }

    fn stay(&mut self, order: u64, stay: &Stay) -> Result<(), ReadError> {
        self.stays.push((order, stay.clone()));
        Ok(())
    }

    fn end(&mut self, start: Timestamp, end: Timestamp) -> Result<(), ReadError> {
        self.window = Some((start, end));
        Ok(())
    }
}

impl Collector {
    /// What was collected, if anything was.
    pub fn into_recording(mut self) -> Option<Recording> {
        let (head, (start, end)) = (self.head?, self.window?);
        let content = match head.kind {
            Kind::Stays if self.stays.is_empty() => return None,
            Kind::Stays => {
                self.stays.sort_by_key(|&(order, ref stay)| (stay.from, order));
                let stays = self.stays.into_iter().map(|(_, stay)| stay).collect();
                Content::Stays(Stays { start, end, stays })
            }
            _ => {
                let series: Vec<Capacity> = self.series.into_iter().flatten().collect();
                if series.is_empty() {
                    return None;
                }
                Content::Capacity(series)
            }
        };
        Some(Recording { about: head.about, content, remarks: Vec::new() })
    }
}
