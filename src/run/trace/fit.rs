//! `spotsim trace fit`.

use super::source::{ReadFile, asked, quantity, read, remark};
use crate::cli::Format;
use crate::cli::trace::FitArgs;
use crate::records::{Content, Recording};
use crate::report::text::Paint;
use crate::report::trace::fit::{csv, json, paste, table};
use crate::run::terminal::{answer, stdout_has_colour};
use crate::run::{Exit, Failure};
use crate::trace::fit::Study;
use crate::trace::stays::stays;
use crate::units::Span;
use std::fs;

/// Fits laws to each zone of each file, and to all zones together.
pub fn fit(args: &FitArgs) -> Result<Exit, Failure> {
    let resolution = quantity("--resolution", args.resolution.as_deref())?;
    let asked = asked(&args.record)?;
    let mut studies = Vec::new();
    let mut remarks = Vec::new();
    for path in &args.files {
        let ReadFile { name, recording } = read(path, &asked)?;
        remarks.push((name.clone(), recording.remarks.clone()));
        studies.extend(of_recording(&name, recording, args.gang, resolution)?);
    }
    if studies.len() > 1 {
        studies.extend(Study::pooled(&studies));
    }
    if let Some(out) = &args.out {
        let text = to_paste(&studies);
        let what = format!("cannot write {}", out.display());
        fs::write(out, text).map_err(|source| Failure::Write { what, source })?;
    }
    answer(&match args.format {
        Format::Json => String::from_utf8_lossy(&json(&studies)).into_owned(),
        Format::Csv => String::from_utf8_lossy(&csv(&studies)).into_owned(),
        Format::Table => table(&studies, Paint { colour: stdout_has_colour() }),
    })?;
    remarks.iter().for_each(|(name, remarks)| remark(name, remarks));
    Ok(Exit::Done)
}

/// The table of the last study, which is that of all where there are several; the others as comments, since
/// a file can hold one.
fn to_paste(studies: &[Study]) -> String {
    let (last, others) = studies.split_last().map_or((None, studies), |(last, rest)| (Some(last), rest));
    let quiet = |text: String| -> String {
        let line =
            |line: &str| if line.starts_with('#') { format!("{line}\n") } else { format!("# {line}\n") };
        text.lines().map(line).collect()
    };
    let quiet: String = others.iter().map(|study| quiet(paste(study)) + "\n").collect();
    quiet + &last.map(paste).unwrap_or_default()
}

fn of_recording(
    name: &str,
    recording: Recording,
    gang: Option<u32>,
    resolution: Option<Span>,
) -> Result<Vec<Study>, Failure> {
    let half_s = 0.5 * resolution.or(recording.about.sample).map_or(0.0, Span::as_secs);
    match recording.content {
        Content::Capacity(series) => Ok(series
            .iter()
            .map(|one| {
                let zone = &one.label.zone;
                let mut title =
                    if zone.is_empty() { name.to_owned() } else { format!("{name}, zone {zone}") };
                if let Some(gang) = gang.filter(|_| one.counts) {
                    title += &format!(", at least {gang} nodes");
                }
                let has_hours = !recording.about.start_assumed;
                Study::of_capacity(title, one, gang.unwrap_or(1), half_s, has_hours)
            })
            .collect()),
        content => match stays(&content) {
            Some(stays) => Ok(vec![Study::of_stays(name.to_owned(), &stays)]),
            None => Err(Failure::Input(format!(
                "error: \"{name}\" holds neither capacity nor stays of nodes, to which laws are fitted"
            ))),
        },
    }
}
