//! `[capacity.trace]`: a recording, replayed.

use super::capacity::ReadFile;
use super::echo::quoted;
use super::field::Field;
use super::problem::Problem;
use super::reader::Reader;
use super::recorded::replay;
use super::section::Section;
use crate::capacity::path::Path;
use crate::capacity::recorded::{AtEnd, Begin, Recorded};
use crate::records::{self, Format, How, OneMeans, ReadError, Recording, TimeUnit};
use crate::units::Span;

const MEANINGS: [(&str, OneMeans); 2] =
    [("available", OneMeans::Available), ("preempted", OneMeans::Preempted)];
const BEGINS: [(&str, Begin); 2] = [("start", Begin::Start), ("random", Begin::Random)];
const ENDS: [(&str, AtEnd); 2] = [("stop", AtEnd::Stop), ("wrap", AtEnd::Wrap)];

/// The keys of the table beside `file`.
struct Keys {
    how: How,
    gang: Option<u32>,
}

/// Reads the trace of a cluster in `zone`.
pub(super) fn read_trace(
    s: &mut Section<'_, '_>,
    field: &Field<'_>,
    zone: &str,
    read_file: &ReadFile<'_>,
) -> Option<Path> {
    let mut inner = field.table()?;
    let named = Named::read(&mut inner);
    let begin = inner.field("begin").word(&BEGINS).unwrap_or_default();
    let at_end = inner.field("at_end").word(&ENDS).unwrap_or_default();
    inner.finish();
    let (trace, text) = named.recorded(s, field, zone, read_file, (begin, at_end))?;
    let name = |word: Option<&str>| quoted(word.unwrap_or_default());
    let (begin, at_end) = (name(name_of(&BEGINS, begin)), name(name_of(&ENDS, at_end)));
    s.echo(
        "trace",
        format!("{{ {text}, begin = {begin}, at_end = {at_end} }}"),
        format!("{} long", trace.length()),
    );
    Some(Path::Trace(trace))
}

/// A recording that a table names, with what the file itself does not say.
pub(super) struct Named<'a> {
    file: Field<'a>,
    keys: Keys,
    all_read: bool,
}

impl<'a> Named<'a> {
    /// Reads the keys.
    pub fn read(inner: &mut Reader<'a>) -> Self {
        let file = inner.required("file", "file = \"trace.json\"");
        let (keys, all_read) = Keys::read(inner);
        Self { file, keys, all_read }
    }

    /// The recording of `zone`, for the kind at `field`, and the keys that name it as TOML.
    pub fn recorded(
        &self,
        s: &Section<'_, '_>,
        field: &Field<'_>,
        zone: &str,
        read_file: &ReadFile<'_>,
        (begin, at_end): (Begin, AtEnd),
    ) -> Option<(Recorded, String)> {
        let Self { file, keys, all_read } = self;
        let name = file.text()?;
        let text = match read_file(name) {
            Ok(text) => text,
            Err(why) => {
                file.refuse(format!("the trace \"{name}\" cannot be read: {why}"), "");
                return None;
            }
        };
        if !*all_read {
            // What follows from a wrong key would mislead.
            return None;
        }
        let recording = match keys.recording(text.as_bytes()) {
            Ok(recording) => recording,
            Err(error) => {
                refuse(s, field, file, name, &error);
                return None;
            }
        };
        let replay = match replay(&recording, zone, keys.gang) {
            Ok(replay) => replay,
            Err(why) => {
                file.refuse(format!("the trace \"{name}\" {why}"), "");
                return None;
            }
        };
        let Some(trace) = Recorded::new(replay.stretches, begin, at_end) else {
            file.refuse(format!("the trace \"{name}\" holds no samples"), "");
            return None;
        };
        let trace = trace.recorded_from(replay.first_instant);
        warn_of_polarity(s, file, &trace);
        warn_of_holes(s, file, replay.not_known);
        for remark in recording.remarks.iter().filter(|remark| remark.warning) {
            let line = remark.line.map_or(String::new(), |line| format!(" (line {line})"));
            let title = format!("the trace \"{name}\"{line}: {}", remark.text);
            s.reader.report(Problem::warning(title).at(file.place(), ""));
        }
        Some((trace, keys.table(name)))
    }
}

impl Keys {
    /// The keys, and whether those that say how to read the file are right.
    fn read(inner: &mut Reader<'_>) -> (Self, bool) {
        let formats: Vec<(&str, Format)> =
            Format::ALL.iter().map(|&(name, format, _)| (name, format)).collect();
        let [meaning, format, unit, until] =
            ["one_means", "format", "time_unit", "until"].map(|key| inner.field(key));
        let how = How {
            one_means: meaning.word(&MEANINGS),
            format: format.word(&formats),
            time_unit: unit.word(&TimeUnit::ALL),
            until: until.quantity::<Span>(),
            ..How::default()
        };
        let missed = |field: &Field<'_>, read: bool| field.is_given() && !read;
        let all_read = !missed(&meaning, how.one_means.is_some())
            && !missed(&format, how.format.is_some())
            && !missed(&unit, how.time_unit.is_some())
            && !missed(&until, how.until.is_some());
        let gang = inner.field("gang").whole(1..=1_u32 << 20);
        (Self { how, gang }, all_read)
    }

    /// The recording. Who asks for a gang says that the file holds counts.
    fn recording(&self, bytes: &[u8]) -> Result<Recording, ReadError> {
        match records::read(bytes, &self.how) {
            Err(ReadError::MeaningMissing) if self.gang.is_some() => {
                records::read(bytes, &How { format: Some(Format::SkySpotCounts), ..self.how })
            }
            read => read,
        }
    }

    fn table(&self, name: &str) -> String {
        let mut table = format!("file = {}", quoted(name));
        let mut word = |key: &str, word: Option<&str>| {
            if let Some(word) = word {
                table += &format!(", {key} = {}", quoted(word));
            }
        };
        word("one_means", self.how.one_means.and_then(|means| name_of(&MEANINGS, means)));
        let format = self.how.format.and_then(|format| Format::ALL.iter().find(|(_, one, _)| *one == format));
        word("format", format.map(|(name, _, _)| *name));
        word("time_unit", self.how.time_unit.and_then(|unit| name_of(&TimeUnit::ALL, unit)));
        word("until", self.how.until.map(|until| until.to_string()).as_deref());
        if let Some(gang) = self.gang {
            table += &format!(", gang = {gang}");
        }
        table
    }
}

fn name_of<V: PartialEq>(words: &[(&'static str, V)], value: V) -> Option<&'static str> {
    words.iter().find(|(_, is)| *is == value).map(|(word, _)| *word)
}

fn refuse(s: &Section<'_, '_>, table: &Field<'_>, file: &Field<'_>, name: &str, error: &ReadError) {
    let (title, label, help) = match error {
        ReadError::MeaningMissing => (
            format!("what 1 means in the trace \"{name}\" is not said"),
            "add `one_means = \"available\"` or `one_means = \"preempted\"`",
            "projects write both; read the wrong way a good zone looks like a bad one",
        ),
        ReadError::UnitMissing => (
            format!("the unit of times in the trace \"{name}\" is not said"),
            "add `time_unit = \"ms\"`, `time_unit = \"s\"` or `time_unit = \"h\"`",
            "projects write all three",
        ),
        error => return file.refuse(format!("the trace \"{name}\" {error}"), ""),
    };
    s.reader.report(Problem::error(title).at(table.place(), label).help(help));
}

/// Read the wrong way round, a trace shows itself by how seldom capacity is there.
fn warn_of_polarity(s: &Section<'_, '_>, file: &Field<'_>, trace: &Recorded) {
    let share = trace.share_available();
    if share < 0.5 {
        let title = format!("in this trace capacity is there {:.2} % of the time", share * 100.0);
        let problem = Problem::warning(title);
        s.reader
            .report(problem.at(file.place(), "if that seems little, `one_means` may be the wrong way round"));
    }
}

fn warn_of_holes(s: &Section<'_, '_>, file: &Field<'_>, not_known: f64) {
    if not_known > 0.0 {
        let title = format!("in {:.2} % of this trace nobody looked", not_known * 100.0);
        let label = "there the capacity before is taken to go on";
        s.reader.report(Problem::warning(title).at(file.place(), label));
    }
}
