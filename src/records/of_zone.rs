//! One zone of a recording.

use super::sink::{Head, Sink};
use super::{Label, ReadError, Stay, Stretch};
use crate::units::Timestamp;

/// Zones that are told where none is the one.
const ZONES_TOLD: usize = 32;

/// Passes on one zone of several, and gives its name to what has none.
pub struct OfZone<'s> {
    zone: &'s str,
    inner: &'s mut dyn Sink,
    found: bool,
    others: Vec<String>,
}

impl<'s> OfZone<'s> {
    /// Of this zone, into `inner`.
    pub fn new(zone: &'s str, inner: &'s mut dyn Sink) -> Self {
        Self { zone, inner, found: false, others: Vec::new() }
    }

    /// After all rows: an error if the zone was not there.
    pub fn finish(self) -> Result<(), ReadError> {
        if self.found || self.others.is_empty() {
            return Ok(());
        }
        let (zone, others) = (self.zone, self.others.join(", "));
        Err(ReadError::Syntax(format!("has no zone `{zone}`; there are {others}")))
    }

    /// Whether something of this zone goes through.
    fn takes(&mut self, zone: &str) -> bool {
        if zone.is_empty() || zone == self.zone {
            self.found = true;
            return true;
        }
        if self.others.len() < ZONES_TOLD && !self.others.iter().any(|other| other == zone) {
            self.others.push(zone.to_owned());
        }
        false
    }
}

impl Sink for OfZone<'_> {
    fn begin(&mut self, head: &Head) -> Result<(), ReadError> {
        self.inner.begin(&Head { zoned: true, ..head.clone() })
    }

    fn stretch(
        &mut self,
        _series: usize,
        label: &Label,
        start: Timestamp,
        stretch: Stretch,
    ) -> Result<(), ReadError> {
        if !self.takes(&label.zone) {
            return Ok(());
        }
        let label = Label { zone: self.zone.to_owned(), ..label.clone() };
        self.inner.stretch(0, &label, start, stretch)
    }

    fn stay(&mut self, order: u64, stay: &Stay) -> Result<(), ReadError> {
        if !self.takes(&stay.zone) {
            return Ok(());
        }
        self.inner.stay(order, &Stay { zone: self.zone.to_owned(), ..stay.clone() })
    }

    fn end(&mut self, start: Timestamp, end: Timestamp) -> Result<(), ReadError> {
        self.inner.end(start, end)
    }
}
