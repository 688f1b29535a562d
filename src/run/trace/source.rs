//! Recorded data from files: what the arguments say of them, and what is said about them.

use crate::cli::trace::{OneMeansArg, RecordArgs, TimeUnitArg};
use crate::records::{
    AnyFormat, How, OneMeans, Opened, ReadError, Recording, Remark, TimeUnit, collect, open,
};
use crate::report::text::inert;
use crate::run::Failure;
use crate::run::input::warn;
use crate::scenario::reader::nearest;
use crate::units::{Span, UnitError};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::str::FromStr;

/// What the arguments say that a file does not.
pub struct Asked {
    /// The format, if it is given.
    pub format: Option<AnyFormat>,
    /// What else is said.
    pub how: How,
    /// The zone that is meant.
    pub zone: Option<String>,
}

/// Reads the arguments.
pub fn asked(args: &RecordArgs) -> Result<Asked, Failure> {
    let format = args.from.as_deref().map(format).transpose()?;
    let how = How {
        format: match format {
            Some(AnyFormat::Capacity(format)) => Some(format),
            _ => None,
        },
        one_means: args.one_means.map(|means| match means {
            OneMeansArg::Available => OneMeans::Available,
            OneMeansArg::Preempted => OneMeans::Preempted,
        }),
        local: quantity("--utc-offset", args.utc_offset.as_deref())?,
        time_unit: args.time_unit.map(|unit| match unit {
            TimeUnitArg::Ms => TimeUnit::Milliseconds,
            TimeUnitArg::S => TimeUnit::Seconds,
            TimeUnitArg::H => TimeUnit::Hours,
        }),
        until: quantity::<Span>("--until", args.until.as_deref())?,
        skip_bad: args.skip_bad,
        cap: quantity::<Span>("--cap", args.cap.as_deref())?,
    };
    Ok(Asked { format, how, zone: args.zone.clone() })
}

fn format(name: &str) -> Result<AnyFormat, Failure> {
    AnyFormat::of_name(name).ok_or_else(|| unknown("--from", name, AnyFormat::names()))
}

/// A file of recorded data, in memory.
pub struct ReadFile {
    /// What messages call it.
    pub name: String,
    /// What it holds.
    pub recording: Recording,
}

/// Reads a file of recorded data of any kind into memory.
pub fn read(path: &Path, asked: &Asked) -> Result<ReadFile, Failure> {
    let Source { name, bytes } = Source::open(path)?;
    let recording = open(bytes, asked.format, &asked.how).and_then(|opened| match opened {
        Opened::Capacity(source) => collect(source, &asked.how, asked.zone.as_deref()),
        Opened::Other(recording) => recording.of_zone(asked.zone.as_deref()),
    });
    let recording = recording.map_err(|error| refused(&name, &error))?;
    Ok(ReadFile { name, recording })
}

/// A name that is none of those that are known.
pub fn unknown<'n>(option: &str, name: &str, known: impl Iterator<Item = &'n str> + Clone) -> Failure {
    let near = nearest(name, known.clone());
    let near = near.map_or(String::new(), |near| format!("\n  = help: did you mean `{near}`?"));
    let known: Vec<&str> = known.collect();
    Failure::Input(format!("error: `{option} {name}`: known are {}{near}", known.join(", ")))
}

/// A quantity of the command line.
pub fn quantity<T: FromStr<Err = UnitError>>(option: &str, text: Option<&str>) -> Result<Option<T>, Failure> {
    let Some(text) = text else { return Ok(None) };
    match text.parse() {
        Ok(value) => Ok(Some(value)),
        Err(UnitError { problem, help }) => {
            Err(Failure::Input(format!("error: `{option} {text}`: {problem}\n  = help: {help}")))
        }
    }
}

/// A file of recorded data, or stdin.
pub struct Source {
    /// What messages call it.
    pub name: String,
    /// Its bytes.
    pub bytes: Box<dyn Read>,
}

impl Source {
    /// Opens it.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        if path.as_os_str() == "-" {
            return Ok(Self { name: "stdin".to_owned(), bytes: Box::new(io::stdin().lock()) });
        }
        let name = path.display().to_string();
        let file = File::open(path).and_then(|file| match file.metadata()?.is_dir() {
            true => Err(io::ErrorKind::IsADirectory.into()),
            false => Ok(file),
        });
        let file = file.map_err(|error| {
            let why = match error.kind() {
                io::ErrorKind::NotFound => "there is no such file".to_owned(),
                io::ErrorKind::IsADirectory => "it is a folder".to_owned(),
                _ => error.to_string(),
            };
            Failure::Input(format!("error: \"{name}\" cannot be read: {why}"))
        })?;
        Ok(Self { name, bytes: Box::new(file) })
    }
}

/// Why a file is refused, in words that say what to do.
pub fn refused(name: &str, error: &ReadError) -> Failure {
    let help = match error {
        ReadError::MeaningMissing => {
            "\n  = help: give `--one-means available` or `--one-means preempted`: projects write both; of \
             counts of nodes, give `--from sky-spot-counts`"
        }
        ReadError::UnitMissing => "\n  = help: give `--time-unit ms`, `--time-unit s` or `--time-unit h`",
        _ => "",
    };
    Failure::Input(match error {
        ReadError::Lines { faults } => {
            let lines = faults
                .iter()
                .map(|(line, fault)| format!("error: \"{name}\", line {line}: {}", inert(fault)));
            lines.collect::<Vec<_>>().join("\n")
        }
        _ => format!("error: \"{name}\" {}{help}", inert(&error.to_string())),
    })
}

/// Says what a reader dropped, assumed or doubts.
pub fn remark(name: &str, remarks: &[Remark]) {
    for Remark { line, text, warning } in remarks {
        let word = if *warning { "warning" } else { "note" };
        let line = line.map_or(String::new(), |line| format!(", line {line}"));
        warn(&format!("{word}: \"{name}\"{line}: {}", inert(text)));
    }
}
