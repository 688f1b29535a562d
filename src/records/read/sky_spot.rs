//! The JSON series of sky_spot: `{"metadata": {"gap_seconds": 600, …}, "data": [0, 1, …]}`. Sample k holds from
//! k to k + 1 gaps after the begin. Two meanings share the shell: 0 and 1, where projects differ on what 1
//! means, so it must be given; and counts of nodes, which show by a value above 1 or must be told by the
//! format. `null` was not looked at.

use super::super::cells::plain;
use super::super::series::Series;
use super::super::sink::{Head, Kind, Sink};
use super::super::{About, How, Label, OneMeans, ReadError, Remark};
use crate::units::{Decimal, Span, Timestamp, UtcOffset};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::fmt;
use std::io::BufRead;

/// Runs of equal samples that are held where the metadata stand behind the data.
const RUNS_MAX: usize = 1 << 24;

/// Reads a series into `sink`. `counts`: whether the file was said to hold counts.
pub fn read(
    source: impl BufRead,
    counts: bool,
    how: &How,
    sink: &mut dyn Sink,
) -> Result<Vec<Remark>, ReadError> {
    let mut reader = Reader {
        how: *how,
        counts,
        sink,
        samples: None,
        waiting: Vec::new(),
        seen_data: false,
        prices: false,
        most: 0,
        failed: None,
    };
    let mut json = serde_json::Deserializer::from_reader(source);
    let read = Object(&mut reader).deserialize(&mut json).and_then(|()| json.end());
    match (read, reader.failed.take()) {
        (_, Some(error)) => Err(error),
        (Err(error), None) => Err(ReadError::from_json(&error)),
        (Ok(()), None) => reader.end(),
    }
}

struct Reader<'s> {
    how: How,
    counts: bool,
    sink: &'s mut dyn Sink,
    /// What is known once the metadata are.
    samples: Option<Timeline>,
    /// Runs of equal samples that came before the metadata.
    waiting: Vec<(u64, Option<u32>)>,
    seen_data: bool,
    prices: bool,
    most: u32,
    /// What went wrong beside the syntax.
    failed: Option<ReadError>,
}

/// Where samples lie in time.
struct Timeline {
    start: Timestamp,
    gap: Span,
    passed: u64,
    series: Series,
    remarks: Vec<Remark>,
}

impl Timeline {
    fn now(&self) -> Option<Timestamp> {
        let span = self.gap.ns().checked_mul(self.passed).filter(|&ns| ns < u64::MAX)?;
        self.start.checked_add(Span::from_ns(span))
    }
}

impl Reader<'_> {
    /// So many equal samples come next.
    fn run(&mut self, length: u64, sample: Option<u32>) -> Result<(), ReadError> {
        let Some(timeline) = &mut self.samples else {
            if self.waiting.len() == RUNS_MAX {
                let why = "has its `metadata` behind its `data`; in a file of this size they must come first";
                return Err(ReadError::Syntax(why.to_owned()));
            }
            self.waiting.push((length, sample));
            return Ok(());
        };
        let level = match (self.how.one_means, sample) {
            (Some(_), Some(2..)) => {
                let why = "holds counts above 1, so `one_means` has no meaning; drop it";
                return Err(ReadError::Syntax(why.to_owned()));
            }
            (Some(means), Some(one)) => Some(u32::from((one == 1) == (means == OneMeans::Available))),
            (None, Some(count)) => {
                self.most = self.most.max(count);
                Some(count)
            }
            (_, None) => None,
        };
        let too_long = || ReadError::Syntax("is too long to be told: 292 years end it".to_owned());
        let at = timeline.now().ok_or_else(too_long)?;
        timeline.series.level(at, level, self.sink)?;
        timeline.passed = timeline.passed.checked_add(length).ok_or_else(too_long)?;
        Ok(())
    }

    fn metadata(&mut self, metadata: &Value) -> Result<(), ReadError> {
        let gap = metadata.get("gap_seconds").map(Value::to_string);
        let gap = gap.and_then(|text| text.parse::<Decimal>().ok()?.times(1_000_000_000));
        let Some(gap) = gap.and_then(|ns| u64::try_from(ns).ok()).filter(|&ns| ns > 0).map(Span::from_ns)
        else {
            return Err(ReadError::Syntax("has a `gap_seconds` that is not above 0".to_owned()));
        };
        let mut remarks = Vec::new();
        let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(plain);
        let start = match metadata.get("start_time") {
            None | Some(Value::Null) => None,
            Some(value) => Some(start_of(value, &self.how, &mut remarks)?),
        };
        let price = metadata.get("price_info").unwrap_or(&Value::Null);
        let zone =
            text(metadata, "zone").or_else(|| text(price, "zone")).or_else(|| text(metadata, "region"));
        let instance = text(metadata, "instance_type").or_else(|| text(price, "instance_type"));
        let mut about = About { sample: Some(gap), start_assumed: start.is_none(), ..About::default() };
        if let Some(filled) = metadata.get("gap_filled").filter(|filled| filled.is_object()) {
            let of = |key: &str| filled.get(key).map_or("?".to_owned(), Value::to_string);
            let note = format!(
                "samples {} to {} were not looked at but filled by the recorder with the last state",
                of("gap_start_index"),
                of("gap_end_index")
            );
            about.notes.push(note.clone());
            remarks.push(Remark::warning(None, note));
        }
        let zoned = zone.is_some();
        let kind = if self.how.one_means.is_some() { Kind::Availability } else { Kind::Counts };
        self.sink.begin(&Head { about, kind, zoned })?;
        let label = Label {
            zone: zone.unwrap_or_default(),
            instance: instance.unwrap_or_default(),
            product: String::new(),
        };
        let start = start.unwrap_or(Timestamp::EPOCH);
        self.samples = Some(Timeline { start, gap, passed: 0, series: Series::new(0, label), remarks });
        for (length, sample) in std::mem::take(&mut self.waiting) {
            self.run(length, sample)?;
        }
        Ok(())
    }

    fn end(mut self) -> Result<Vec<Remark>, ReadError> {
        let Some(mut timeline) = self.samples.take() else {
            return Err(ReadError::Syntax("has no `metadata` with `gap_seconds`".to_owned()));
        };
        if !self.seen_data {
            return Err(ReadError::Syntax("has no `data`".to_owned()));
        }
        if timeline.passed == 0 {
            return Err(ReadError::Empty("samples"));
        }
        if self.how.one_means.is_none() && self.most <= 1 && !self.counts {
            return Err(ReadError::MeaningMissing);
        }
        let too_long = || ReadError::Syntax("is too long to be told: 292 years end it".to_owned());
        let end = timeline.now().ok_or_else(too_long)?;
        timeline.series.end(end, self.sink)?;
        self.sink.end(timeline.start, end)?;
        let mut remarks = timeline.remarks;
        if self.how.one_means.is_none() && !self.counts {
            let text = format!("taken as counts of nodes, as the largest value is {}", self.most);
            remarks.push(Remark::note(None, text));
        }
        if self.prices {
            remarks.push(Remark::note(None, "its prices are left out: this is its capacity"));
        }
        Ok(remarks)
    }
}

fn start_of(value: &Value, how: &How, remarks: &mut Vec<Remark>) -> Result<Timestamp, ReadError> {
    let wrong = || {
        let shown: String = value.to_string().chars().take(40).collect();
        ReadError::Syntax(format!("has a `start_time` that is no time: {shown}"))
    };
    let text = value.as_str().ok_or_else(wrong)?;
    if let Ok(start) = Timestamp::parse(text, how.local) {
        return Ok(start);
    }
    let start = Timestamp::parse(text, Some(UtcOffset::UTC)).map_err(|_| wrong())?;
    let text = "its `start_time` has no zone and is taken as UTC, as its makers write it";
    remarks.push(Remark::note(None, text));
    Ok(start)
}

/// The whole file.
struct Object<'r, 's>(&'r mut Reader<'s>);

impl<'de> DeserializeSeed<'de> for Object<'_, '_> {
    type Value = ();
    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Object<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with `metadata` and `data`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "metadata" => {
                    let metadata: Value = map.next_value()?;
                    if self.0.samples.is_some() {
                        return Err(A::Error::custom("`metadata` is there twice"));
                    }
                    keep(self.0, |reader| reader.metadata(&metadata))?;
                }
                "data" if self.0.seen_data => return Err(A::Error::custom("`data` is there twice")),
                "data" => {
                    self.0.seen_data = true;
                    map.next_value_seed(Data(self.0))?;
                }
                other => {
                    self.0.prices |= other == "prices";
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

/// Keeps an error that is none of JSON aside, and stops the parser.
fn keep<E: serde::de::Error>(
    reader: &mut Reader<'_>,
    act: impl FnOnce(&mut Reader<'_>) -> Result<(), ReadError>,
) -> Result<(), E> {
    act(reader).map_err(|error| {
        let stopped = E::custom("stopped");
        reader.failed = Some(error);
        stopped
    })
}

/// The samples, which are not held.
struct Data<'r, 's>(&'r mut Reader<'s>);

impl<'de> DeserializeSeed<'de> for Data<'_, '_> {
    type Value = ();
    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Data<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of samples")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let mut run: Option<(u64, Option<u32>)> = None;
        while let Some(Sample(sample)) = list.next_element()? {
            match &mut run {
                Some((length, same)) if *same == sample => *length += 1,
                _ => {
                    if let Some((length, before)) = run.replace((1, sample)) {
                        keep(self.0, |reader| reader.run(length, before))?;
                    }
                }
            }
        }
        match run {
            Some((length, last)) => keep(self.0, |reader| reader.run(length, last)),
            None => Ok(()),
        }
    }
}

/// A count of nodes, or `null`.
struct Sample(Option<u32>);

impl<'de> Deserialize<'de> for Sample {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SampleVisitor)
    }
}

struct SampleVisitor;

impl Visitor<'_> for SampleVisitor {
    type Value = Sample;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number of nodes from 0, or null")
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Sample, E> {
        let count = u32::try_from(value);
        count
            .map(|count| Sample(Some(count)))
            .map_err(|_| E::invalid_value(serde::de::Unexpected::Unsigned(value), &self))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Sample, E> {
        let whole = value >= 0.0 && value <= f64::from(u32::MAX) && value.fract() == 0.0;
        if whole {
            Ok(Sample(Some(value as u32)))
        } else {
            Err(E::invalid_value(serde::de::Unexpected::Float(value), &self))
        }
    }

    fn visit_unit<E>(self) -> Result<Sample, E> {
        Ok(Sample(None))
    }
}
