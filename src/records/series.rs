//! One series of levels on its way from a reader to a sink.

use super::sink::Sink;
use super::{Label, ReadError, Stretch};
use crate::units::Timestamp;

/// A series of levels: equal neighbours become one stretch, and of several levels at one instant the last
/// counts.
#[derive(Debug)]
pub struct Series {
    number: usize,
    label: Label,
    /// The stretch that goes on: since when, and its level.
    open: Option<(Timestamp, Option<u32>)>,
    /// The last level told, which another at the same instant replaces.
    last: Option<(Timestamp, Option<u32>)>,
}

impl Series {
    /// The series with this number, see [`Sink::stretch`].
    pub fn new(number: usize, label: Label) -> Self {
        Self { number, label, open: None, last: None }
    }

    /// Its label.
    pub fn label(&self) -> &Label {
        &self.label
    }

    /// When its last level was told.
    pub fn at(&self) -> Option<Timestamp> {
        self.last.map(|(at, _)| at)
    }

    /// From `at` on, which is never before the level told last, the level is `nodes`.
    pub fn level(&mut self, at: Timestamp, nodes: Option<u32>, sink: &mut dyn Sink) -> Result<(), ReadError> {
        if self.last.is_some_and(|(last, _)| last < at) {
            self.settle(sink)?;
        }
        self.last = Some((at, nodes));
        Ok(())
    }

    /// The recording ends here. A level told for this very instant was never held and is not in it.
    pub fn end(&mut self, at: Timestamp, sink: &mut dyn Sink) -> Result<(), ReadError> {
        if self.last.is_some_and(|(last, _)| last < at) {
            self.settle(sink)?;
        }
        self.last = None;
        match self.open.take() {
            Some((start, nodes)) => self.give(start, at, nodes, sink),
            None => Ok(()),
        }
    }

    /// The last level told holds for some time.
    fn settle(&mut self, sink: &mut dyn Sink) -> Result<(), ReadError> {
        let Some((at, nodes)) = self.last else { return Ok(()) };
        match self.open {
            Some((_, same)) if same == nodes => Ok(()),
            Some((start, before)) => {
                self.open = Some((at, nodes));
                self.give(start, at, before, sink)
            }
            None => {
                self.open = Some((at, nodes));
                Ok(())
            }
        }
    }

    fn give(
        &self,
        start: Timestamp,
        end: Timestamp,
        nodes: Option<u32>,
        sink: &mut dyn Sink,
    ) -> Result<(), ReadError> {
        match end.since(start) {
            Some(span) if !span.is_zero() => {
                sink.stretch(self.number, &self.label, start, Stretch { span, nodes })
            }
            _ => Ok(()),
        }
    }
}
