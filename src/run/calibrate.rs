//! `spotsim calibrate`.

mod kernels;

use super::files::Folder;
use super::input::{read_all, warn};
use super::manifest::today;
use super::terminal::{answer, stderr_has_colour};
use super::{Exit, Failure};
use crate::calibrate::fabrics::fabrics as calibrate_fabrics;
use crate::calibrate::instance::fit_instance;
use crate::calibrate::nccl_tests::{Benchmark, Parsed, Shape, parse};
use crate::calibrate::network::{Context, calibrate as calibrate_network};
use crate::calibrate::throughput::calibrate as calibrate_throughput;
use crate::cli::Format;
use crate::cli::calibrate::{
    CalibrateArgs, CalibrateCommand, CalibrateFabricsArgs, CalibrateNetworkArgs, CalibrateThroughputArgs,
};
use crate::facts::Catalogue;
use crate::report::calibrate::{Answer, csv, json, table, toml, warnings};
use crate::report::efficiency;
use crate::report::fabrics::toml as fabrics_toml;
use crate::scenario::source::Sources;
use crate::units::{Bandwidth, Bytes, UnitError};
use jiff::civil::Date;
use std::fs::File;
use std::io;
use std::path::Path;
use std::str::FromStr;

/// Turns measurements into numbers for the models.
pub fn calibrate(args: &CalibrateArgs) -> Result<Exit, Failure> {
    match &args.command {
        None => kernels::kernels(&args.kernels),
        Some(CalibrateCommand::Network(args)) => network(args),
        Some(CalibrateCommand::Throughput(args)) => throughput(args),
        Some(CalibrateCommand::Fabrics(args)) => fabrics(args),
    }
}

fn throughput(args: &CalibrateThroughputArgs) -> Result<Exit, Failure> {
    let (name, text) = read(&args.from)?;
    let found = calibrate_throughput(&text, Catalogue::builtin())
        .map_err(|error| Failure::Input(format!("error: \"{name}\": {error}")))?;
    answer(&efficiency::toml(&found))?;
    Ok(Exit::Done)
}

fn network(args: &CalibrateNetworkArgs) -> Result<Exit, Failure> {
    let bytes = quantity::<Bytes>("--bytes", args.bytes.as_deref())?;
    let link = quantity::<Bandwidth>("--link", args.link.as_deref())?;
    let date = date(args.date.as_deref())?;
    let (name, text) = read(&args.from)?;
    let Parsed { benchmark, problems, sources } = parse(&name, &text);
    let said = problems.render(&sources, stderr_has_colour());
    let Some(benchmark) = benchmark else { return Err(Failure::Input(said)) };
    let shape = shape(args, &benchmark, &name)?;
    let calibration = calibrate_network(&benchmark, &Context { shape, date, link })
        .map_err(|error| Failure::Input(format!("{said}error: \"{name}\": {error}")))?;
    let own = match &args.instance {
        Some(name) => Some(fit_instance(&calibration.fabric, name, link).map_err(|error| {
            let help = error.help().map_or(String::new(), |help| format!("\n  = help: {help}"));
            Failure::Input(format!("{said}error: `--instance {name}`: {error}{help}"))
        })?),
        None => None,
    };
    let written = match &args.out {
        Some(path) => Some(write(path, &toml(&calibration))?),
        None => None,
    };
    let all_reduce = bytes.map(|bytes| calibration.all_reduce(bytes));
    let found =
        Answer { calibration: &calibration, own: own.as_ref(), all_reduce, written: written.as_deref() };
    answer(&match args.format {
        Format::Table => table(&found),
        Format::Json => json(&found),
        Format::Csv => csv(&found),
    })?;
    warn(&said);
    warn(&warnings(&calibration).render(&Sources::default(), stderr_has_colour()));
    Ok(Exit::Done)
}

fn fabrics(args: &CalibrateFabricsArgs) -> Result<Exit, Failure> {
    let date = date(args.date.as_deref())?;
    let (name, text) = read(&args.from)?;
    let found =
        calibrate_fabrics(&text).map_err(|error| Failure::Input(format!("error: \"{name}\": {error}")))?;
    let text = fabrics_toml(&found, &date, &name);
    match &args.out {
        Some(path) => answer(&format!("wrote {}\n", write(path, &text)?))?,
        None => answer(&text)?,
    }
    for (why, rows) in &found.skipped {
        warn(&format!("warning: {rows} rows left out: {why}\n"));
    }
    Ok(Exit::Done)
}

fn quantity<T: FromStr<Err = UnitError>>(option: &str, text: Option<&str>) -> Result<Option<T>, Failure> {
    let Some(text) = text else { return Ok(None) };
    match text.parse() {
        Ok(value) => Ok(Some(value)),
        Err(UnitError { problem, help }) => {
            Err(Failure::Input(format!("error: `{option} {text}`: {problem}\n  = help: {help}")))
        }
    }
}

/// The text of a benchmark and what messages call it. Logs hold what programs wrote, not always UTF-8.
fn read(path: &Path) -> Result<(String, String), Failure> {
    let is_stdin = path.as_os_str() == "-";
    let name = if is_stdin { "stdin".to_owned() } else { path.display().to_string() };
    let bytes = match is_stdin {
        true => read_all(Ok(io::stdin().lock())),
        false => read_all(File::open(path)),
    };
    let bytes = bytes
        .map_err(|why| Failure::Input(format!("error: the benchmark \"{name}\" cannot be read: {why}")))?;
    Ok((name, String::from_utf8_lossy(&bytes).into_owned()))
}

/// What the text says of its ranks, or the arguments.
fn shape(args: &CalibrateNetworkArgs, benchmark: &Benchmark, name: &str) -> Result<Shape, Failure> {
    let given = match (args.nodes, args.gpus_per_node) {
        (Some(0), _) => return Err(Failure::Input("error: `--nodes 0`: must be at least 1".into())),
        (_, Some(0)) => return Err(Failure::Input("error: `--gpus-per-node 0`: must be at least 1".into())),
        (Some(nodes), Some(gpus)) => Some(Shape { nodes: nodes.into(), gpus_per_node: gpus.into() }),
        _ => None,
    };
    match (benchmark.shape, given) {
        (Some(listed), Some(given)) if listed != given => Err(Failure::Input(format!(
            "error: \"{name}\" lists {} x {} GPUs, not {} x {}\n  = help: leave out `--nodes` and \
             `--gpus-per-node`",
            listed.nodes, listed.gpus_per_node, given.nodes, given.gpus_per_node
        ))),
        (Some(shape), _) | (None, Some(shape)) => Ok(shape),
        (None, None) => Err(Failure::Input(format!(
            "error: \"{name}\" does not list its ranks\n  = help: give `--nodes` and `--gpus-per-node`"
        ))),
    }
}

/// Writes the file whole or not at all; its path as messages have it.
fn write(path: &Path, text: &str) -> Result<String, Failure> {
    Target::new(path)?.write(text)
}

/// A file that is to be written, in a folder that can be.
struct Target {
    folder: Folder,
    name: String,
    shown: String,
}

impl Target {
    /// Makes its folder, so that what cannot be written is known before anything is measured.
    fn new(path: &Path) -> Result<Self, Failure> {
        let shown = path.display().to_string();
        if path.is_dir() {
            return Err(Failure::Input(format!("error: `--out {shown}`: it is a folder")));
        }
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            return Err(Failure::Input(format!("error: `--out {shown}` names no file")));
        };
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let folder = Folder::create(parent.unwrap_or(Path::new(".")))?;
        Ok(Self { folder, name: name.to_owned(), shown })
    }

    fn write(mut self, text: &str) -> Result<String, Failure> {
        self.folder.write(&self.name, text.as_bytes())?;
        Ok(self.shown)
    }
}

/// The day that was given, or today.
fn date(text: Option<&str>) -> Result<String, Failure> {
    let Some(text) = text else { return Ok(today().to_string()) };
    // jiff reads further forms of a date, which would not read back as they were given.
    match text.parse::<Date>() {
        Ok(date) if date.to_string() == text => Ok(text.to_owned()),
        _ => Err(Failure::Input(format!("error: `--date {text}`: write it as 2026-12-02"))),
    }
}
