//! Scenarios from files, and the commands that only look at them.

use super::age;
use super::terminal::{answer, say, stderr_has_colour, tell};
use super::{Exit, Failure};
use crate::cli::ScenarioArgs;
use crate::experiment::{Draw, figure_names};
use crate::report::text::{inert, name};
use crate::rng::random_seed;
use crate::scenario::load::{Loaded, Overrides, Scenario, load};
use crate::scenario::reader::nearest;
use crate::scenario::sampling::Sampling;
use crate::scenario::template::Template;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Mutex;

/// A scenario that can be run.
pub struct Input {
    /// It.
    pub scenario: Scenario,
    /// Its file, as typed.
    pub file: String,
    /// What was read from it.
    text: String,
    /// Warnings about it, to be said after the answer.
    pub warnings: String,
}

/// Reads and checks the scenario of `args`.
pub fn read(args: &ScenarioArgs) -> Result<Input, Failure> {
    read_with(args, &overrides(args)?)
}

/// The same with every combination of its `[plan.candidates]` as a cluster, and keys changed beside those
/// that `--set` changes; before it the scenario with those keys and its clusters as they are written, which may be none
/// that could be run.
pub fn read_candidates(args: &ScenarioArgs, set: Vec<String>) -> Result<(Option<Scenario>, Input), Failure> {
    let mut overrides = overrides(args)?;
    overrides.set.extend(set);
    let own = read_with(args, &overrides).ok().map(|input| input.scenario);
    Ok((own, read_with(args, &Overrides { candidates: true, ..overrides })?))
}

fn read_with(args: &ScenarioArgs, overrides: &Overrides) -> Result<Input, Failure> {
    let file = args.file.display().to_string();
    let text = read_text(&args.file)
        .map_err(|why| Failure::Input(format!("error: the scenario \"{file}\" cannot be read: {why}")))?;
    let folder = args.file.parent().unwrap_or(Path::new("")).to_owned();
    tell(&format!("read {}, {} bytes", inert(&file), text.len()));
    // Each cluster reads the files that it names.
    let told = Mutex::new(BTreeSet::new());
    let read_file = |name: &str| {
        let read = read_text(&folder.join(name));
        if let (Ok(text), Ok(true)) = (&read, told.lock().map(|mut told| told.insert(name.to_owned()))) {
            tell(&format!("read {}, {} bytes", inert(&folder.join(name).display().to_string()), text.len()));
        }
        read
    };
    let Loaded { scenario, problems, sources } = load(&file, text.clone(), overrides, &read_file);
    let colour = stderr_has_colour();
    match scenario {
        Some(scenario) => {
            check_expected_names(&scenario)?;
            for cluster in &scenario.clusters {
                for fact in &cluster.assumed {
                    tell(&format!("{}: {}", name(&cluster.name), inert(&fact.sentence)));
                }
            }
            let warnings = problems.render(&sources, colour) + &age::notes(&scenario);
            Ok(Input { scenario, file, text, warnings })
        }
        None => Err(Failure::Input(problems.errors().render(&sources, colour))),
    }
}

/// Does `work` with what makes the scenario of each replication, if its uncertain keys are drawn.
pub fn with_draw<T>(
    args: &ScenarioArgs,
    Input { scenario, file, text, .. }: &Input,
    work: impl FnOnce(Option<&Draw<'_>>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    if scenario.uncertain.is_empty() && scenario.sampling != Sampling::Random {
        let why = format!("error: `sampling = \"{}\"` has nothing to sample", scenario.sampling.name());
        return Err(Failure::Input(format!("{why}\n  = help: it is for the keys of [uncertain]")));
    }
    if !scenario.draws {
        return work(None);
    }
    let folder = args.file.parent().unwrap_or(Path::new("")).to_owned();
    let read_file = |name: &str| read_text(&folder.join(name));
    let template = Template::parse(file, text.clone(), &overrides(args)?, &read_file);
    let draw = Draw::new(&template, scenario).map_err(|why| Failure::Input(format!("error: {why}")))?;
    work(Some(&draw))
}

/// A misspelt expectation would be missed only after the whole run.
fn check_expected_names(scenario: &Scenario) -> Result<(), Failure> {
    let names = figure_names();
    let expected = scenario.clusters.iter().flat_map(|cluster| &cluster.expect);
    let Some(unknown) = expected.map(|e| &e.result).find(|name| !names.contains(name)) else { return Ok(()) };
    let near = nearest(unknown, names.iter().map(String::as_str));
    let hint = near.map_or(String::new(), |near| format!(", did you mean `{near}`?"));
    Err(Failure::Input(format!("error: [expect] names no result: `{unknown}`{hint}")))
}

/// Names that an option was given, each of which must be one of the `known`.
pub(super) fn check_names(
    option: &str,
    what: &str,
    given: &[String],
    known: &[String],
) -> Result<(), Failure> {
    let Some(unknown) = given.iter().find(|name| !known.contains(name)) else { return Ok(()) };
    let near = nearest(unknown, known.iter().map(String::as_str));
    let hint = near.map_or(String::new(), |near| format!(", did you mean `{near}`?"));
    Err(Failure::Input(format!("error: `{option} {unknown}` names no {what}{hint}")))
}

pub(super) fn overrides(args: &ScenarioArgs) -> Result<Overrides, Failure> {
    let seed = match args.seed.as_deref() {
        None => None,
        Some("random") => Some(random_seed()),
        Some(text) => Some(text.parse().map_err(|_| {
            Failure::Input(format!("error: `--seed {text}`: must be a whole number from 0, or `random`"))
        })?),
    };
    if args.replications == Some(0) {
        return Err(Failure::Input("error: `--replications 0`: must be at least 1".into()));
    }
    Ok(Overrides { set: args.set.clone(), seed, replications: args.replications, candidates: false })
}

/// Nobody writes a scenario or a trace of this size; `/dev/zero` is.
const SIZE_MAX: u64 = 256_000_000;

/// The text of a file, or why it cannot be had in words.
pub(super) fn read_text(path: &Path) -> Result<String, String> {
    let bytes = read_all(File::open(path))?;
    String::from_utf8(bytes).map_err(|error| {
        let line =
            error.as_bytes()[..error.utf8_error().valid_up_to()].iter().filter(|&&b| b == b'\n').count() + 1;
        format!("it is not UTF-8 text (line {line})")
    })
}

/// All bytes of what was opened, or why they cannot be had in words.
pub fn read_all(opened: io::Result<impl Read>) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = opened.and_then(|source| source.take(SIZE_MAX + 1).read_to_end(&mut bytes));
    let size = read.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::IsADirectory => "it is a folder".to_owned(),
        _ => error.to_string(),
    })?;
    if size as u64 > SIZE_MAX {
        return Err(format!("it is larger than {} MB", SIZE_MAX / 1_000_000));
    }
    Ok(bytes)
}

/// `spotsim validate`.
pub fn validate(args: &ScenarioArgs) -> Result<Exit, Failure> {
    let input = read(args)?;
    let scenario = &input.scenario;
    let count = scenario.clusters.len();
    let plural = if count == 1 { "cluster" } else { "clusters" };
    answer(&format!("{}: nothing wrong, {count} {plural}\n", input.file))?;
    for cluster in &scenario.clusters {
        let ideal = cluster.ideal.makespan.as_hours();
        answer(&format!("  {}: ideal time {ideal:.2} h\n", name(&cluster.name)))?;
    }
    warn(&input.warnings);
    Ok(Exit::Done)
}

/// `spotsim show`.
pub fn show(args: &ScenarioArgs) -> Result<Exit, Failure> {
    let input = read(args)?;
    answer(&input.scenario.show())?;
    warn(&input.warnings);
    Ok(Exit::Done)
}

/// Says warnings, if there are any.
pub fn warn(warnings: &str) {
    if !warnings.is_empty() {
        say(warnings.trim_end());
    }
}
