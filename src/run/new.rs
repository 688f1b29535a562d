//! `spotsim new`.

use super::terminal::{answer, say};
use super::{Exit, Failure};
use crate::cli::reference::{NewArgs, Start};
use crate::report::json;
use crate::report::reference::schema;
use crate::report::text::{self, shell_file};
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;

/// The schema that a new scenario points to, beside it.
const SCHEMA: &str = "spotsim.schema.json";
/// The recording of [`Start::Trace`].
const TRACE: &str = "recording.csv";

/// A template: the name of its file, its text, and the files that it needs.
fn template(start: Start) -> (&'static str, &'static str, Option<(&'static str, &'static str)>) {
    match start {
        Start::SpotVsOnDemand => ("spot-vs-on-demand", include_str!("new/spot-vs-on-demand.toml"), None),
        Start::Smallest => ("smallest", include_str!("new/smallest.toml"), None),
        Start::Trace => (
            "trace",
            include_str!("new/trace.toml"),
            Some((TRACE, include_str!("../../data/traces/aws-2023-02-15-v100-us-west-2b.csv"))),
        ),
    }
}

/// Writes a scenario to start from, and beside it the schema that lets an editor help; prints it for `-`.
pub fn new(args: &NewArgs) -> Result<Exit, Failure> {
    let (name, text, beside) = template(args.template);
    let path = args.file.clone().unwrap_or_else(|| format!("{name}.toml").into());
    if path.as_os_str() == "-" {
        answer(text)?;
        if let Some((file, _)) = beside {
            say(&format!("it names {file}, which `spotsim new FILE --template {name}` writes beside it"));
        }
        return Ok(Exit::Done);
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    // What is there already is somebody's; the schema alone may be of an older version.
    create(&path, format!("#:schema {SCHEMA}\n{text}").as_bytes())?;
    let mut files = vec![path.display().to_string()];
    if let Some((file, contents)) = beside {
        let file = folder.join(file);
        if !file.exists() {
            create(&file, contents.as_bytes())?;
            files.push(file.display().to_string());
        }
    }
    let schema_file = folder.join(SCHEMA);
    std::fs::write(&schema_file, json::to_bytes(&schema())).map_err(|source| Failure::Write {
        what: format!("cannot write {}", text::inert(&schema_file.display().to_string())),
        source,
    })?;
    files.push(schema_file.display().to_string());
    let files: Vec<String> = files.iter().map(|file| text::inert(file)).collect();
    let typed = shell_file(&path.display().to_string());
    let next = format!("spotsim run {typed}");
    answer(&format!(
        "{}{}",
        text::beside("Written", &[files.join(", ")]),
        text::beside("Next", &[next, "spotsim explain checkpoint.every says what a key means".to_owned()])
    ))?;
    Ok(Exit::Done)
}

/// Writes a file that must not be there.
fn create(path: &Path, contents: &[u8]) -> Result<(), Failure> {
    let shown = text::inert(&path.display().to_string());
    let opened = OpenOptions::new().write(true).create_new(true).open(path);
    let mut file = opened.map_err(|source| match source.kind() {
        ErrorKind::AlreadyExists => Failure::Input(format!(
            "error: {shown} is there already, and nothing is written over\n  = help: name another file, or `-` to print"
        )),
        _ => Failure::Write { what: format!("cannot write {shown}"), source },
    })?;
    file.write_all(contents)
        .map_err(|source| Failure::Write { what: format!("cannot write {shown}"), source })
}
