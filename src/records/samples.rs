//! Samples: somebody looked every so often, and what was seen holds until the next look.

use super::series::Series;
use super::sink::{Head, Kind, Sink};
use super::{About, Label, ReadError, Remark};
use crate::units::{Span, Timestamp};

/// The usual step is the median of so many first ones.
const STEPS: usize = 64;
/// A look that comes later than so many usual steps after the one before was missed: what was seen holds for
/// one step, and then nobody looked.
const MISSED: u64 = 2;

/// Samples on their way from a reader to a sink.
pub struct Samples<'s> {
    sink: &'s mut dyn Sink,
    about: About,
    kind: Kind,
    series: Vec<Series>,
    /// Samples that wait for the usual step to be known.
    first: Vec<(Timestamp, Vec<Option<u32>>)>,
    step: Option<Span>,
    last: Option<Timestamp>,
    repeated: u64,
    missed: u64,
}

impl<'s> Samples<'s> {
    /// Of series with these labels; `about.sample` is the step, where the file says it.
    pub fn new(about: About, kind: Kind, labels: Vec<Label>, sink: &'s mut dyn Sink) -> Self {
        let series =
            labels.into_iter().enumerate().map(|(number, label)| Series::new(number, label)).collect();
        let (first, last) = (Vec::new(), None);
        Self { sink, about, kind, series, first, step: None, last, repeated: 0, missed: 0 }
    }

    /// Number of the series of a zone, which is made if it is new.
    pub fn zone(&mut self, zone: &str) -> usize {
        match self.series.iter().position(|series| series.label().zone == zone) {
            Some(at) => at,
            None => {
                let label = Label { zone: zone.to_owned(), ..Label::default() };
                self.series.push(Series::new(self.series.len(), label));
                self.series.len() - 1
            }
        }
    }

    /// What was seen at `at`, for each series; a series without a value was not looked at. The fault is that
    /// the sample is earlier than the one before.
    pub fn sample(&mut self, at: Timestamp, seen: &[Option<u32>]) -> Result<Result<(), String>, ReadError> {
        let last = self.first.last().map(|&(at, _)| at).or(self.last);
        if last.is_some_and(|last| at < last) {
            return Ok(Err("is earlier than the one before; put the file in order of time".to_owned()));
        }
        self.repeated += u64::from(last == Some(at));
        if self.step.is_some() {
            self.put(at, seen)?;
        } else {
            self.first.push((at, seen.to_vec()));
            if self.first.len() > STEPS || self.about.sample.is_some() {
                self.begin()?;
            }
        }
        Ok(Ok(()))
    }

    /// The samples end: the last holds for one step. Gives what there is to say.
    pub fn end(mut self) -> Result<Vec<Remark>, ReadError> {
        if self.step.is_none() {
            self.begin()?;
        }
        let (Some(last), Some(step)) = (self.last, self.step) else {
            return Err(ReadError::Empty("samples"));
        };
        let end = last + step;
        for series in &mut self.series {
            series.end(end, self.sink)?;
        }
        let start = self.first.first().map_or(last, |&(at, _)| at);
        self.sink.end(start, end)?;
        Ok(self.remarks())
    }

    fn remarks(&self) -> Vec<Remark> {
        let mut remarks = Vec::new();
        if self.repeated > 0 {
            let text =
                format!("{} samples repeat the time of the one before; the last counts", self.repeated);
            remarks.push(Remark::note(None, text));
        }
        if self.missed > 0 {
            let text = format!(
                "looks were missed {} times: after more than {MISSED} usual steps ({}) without one the \
                 capacity is taken as not known",
                self.missed,
                self.step.unwrap_or_default()
            );
            remarks.push(Remark::warning(None, text));
        }
        remarks
    }

    fn begin(&mut self) -> Result<(), ReadError> {
        let mut steps: Vec<Span> = self
            .first
            .windows(2)
            .filter_map(|pair| pair[1].0.since(pair[0].0))
            .filter(|s| !s.is_zero())
            .collect();
        steps.sort_unstable();
        let usual = self.about.sample.or_else(|| steps.get(steps.len() / 2).copied());
        if self.first.is_empty() {
            return Err(ReadError::Empty("samples"));
        }
        let Some(step) = usual else {
            let why = "holds samples of one instant only: how long they hold is not known";
            return Err(ReadError::Syntax(why.to_owned()));
        };
        self.step = Some(step);
        self.about.sample = Some(step);
        let zoned = self.series.iter().any(|series| !series.label().zone.is_empty());
        self.sink.begin(&Head { about: self.about.clone(), kind: self.kind, zoned })?;
        let mut first = std::mem::take(&mut self.first);
        for (at, seen) in &first {
            self.put(*at, seen)?;
        }
        first.truncate(1);
        self.first = first;
        Ok(())
    }

    fn put(&mut self, at: Timestamp, seen: &[Option<u32>]) -> Result<(), ReadError> {
        let step = self.step.unwrap_or_default();
        let missed = self.last.filter(|&last| {
            at.since(last).is_some_and(|since| since.ns() > step.ns().saturating_mul(MISSED))
        });
        self.missed += u64::from(missed.is_some());
        for (index, series) in self.series.iter_mut().enumerate() {
            if let (Some(last), Some(_)) = (missed, series.at()) {
                series.level(last + step, None, self.sink)?;
            }
            series.level(at, seen.get(index).copied().flatten(), self.sink)?;
        }
        self.last = Some(at);
        Ok(())
    }
}
