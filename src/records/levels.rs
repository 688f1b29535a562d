//! A level for each row of a log, which holds until the next row, on its way to a sink.

use super::cells::SINCE_1970_NS;
use super::series::Series;
use super::sink::{Head, Kind, Sink};
use super::{About, How, Label, ReadError, Remark};
use crate::units::{Span, Timestamp};

/// Levels of one series.
pub struct Levels<'s> {
    sink: &'s mut dyn Sink,
    series: Series,
    until: Option<Span>,
    window: Option<(Timestamp, Option<Timestamp>)>,
    repeated: u64,
    cut: u64,
}

impl<'s> Levels<'s> {
    /// None yet. What is after `how.until` is left out.
    pub fn new(how: &How, sink: &'s mut dyn Sink) -> Self {
        let series = Series::new(0, Label::default());
        Self { sink, series, until: how.until, window: None, repeated: 0, cut: 0 }
    }

    /// So many nodes from `at` on. A fault if it is earlier than before.
    pub fn row(&mut self, at: Timestamp, nodes: Option<u32>) -> Result<Result<(), String>, ReadError> {
        let until = match self.window {
            Some((_, until)) => until,
            None => self.begin(at)?,
        };
        match self.series.at() {
            Some(last) if at < last => {
                return Ok(Err("is earlier than the row before; put the file in order of time".to_owned()));
            }
            Some(last) if at == last => self.repeated += 1,
            _ => {}
        }
        if until.is_some_and(|until| at >= until) {
            self.cut += u64::from(until.is_some_and(|until| at > until));
            return Ok(Ok(()));
        }
        self.series.level(at, nodes, self.sink)?;
        Ok(Ok(()))
    }

    fn begin(&mut self, at: Timestamp) -> Result<Option<Timestamp>, ReadError> {
        let own_clock = (0..SINCE_1970_NS).contains(&at.unix_ns());
        let about = About { start_assumed: own_clock, ..About::default() };
        self.sink.begin(&Head { about, kind: Kind::Counts, zoned: false })?;
        let until = self.until.map(|until| at + until);
        self.window = Some((at, until));
        Ok(until)
    }

    /// The rows end, and the recording with the last of them or at `how.until`. Gives what there is to say.
    pub fn end(mut self) -> Result<Vec<Remark>, ReadError> {
        let (Some((start, until)), Some(last)) = (self.window, self.series.at()) else {
            return Err(ReadError::Empty("samples"));
        };
        let end = until.unwrap_or(last);
        if end <= start {
            let why = "holds rows of one instant only; say where the observation ends with `until`";
            return Err(ReadError::Syntax(why.to_owned()));
        }
        self.series.end(end, self.sink)?;
        self.sink.end(start, end)?;
        let mut remarks = Vec::new();
        if until.is_none() {
            let length = end.since(start).unwrap_or_default();
            let text =
                format!("the last row ends the recording, {length} after the first; else give `until`");
            remarks.push(Remark::note(None, text));
        }
        if self.repeated > 0 {
            let text = format!("{} rows repeat the time of the one before; the last counts", self.repeated);
            remarks.push(Remark::note(None, text));
        }
        if self.cut > 0 {
            remarks.push(Remark::note(None, format!("{} rows after `until` are left out", self.cut)));
        }
        Ok(remarks)
    }
}
