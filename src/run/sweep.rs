//! `spotsim sweep`.

use super::age;
use super::files::Folder;
use super::input::warn;
use super::manifest::manifest;
use super::points::{Points, Rows, Way, read_back};
use super::progress::now;
use super::reread::Reread;
use super::simulate::{thread_pool, write_plots};
use super::terminal::{answer, stderr_has_colour, stdout_has_colour};
use super::{Exit, Failure};
use crate::cli::{Format, SweepArgs};
use crate::experiment::sweep::{INVALID, SweepRow, found};
use crate::report::sweep::{Printed, SweepView};
use crate::report::{html, json, parquet, plot, sweep as told};
use crate::rng::{Source, Streams};
use crate::scenario::load::Scenario;
use crate::scenario::plan::Market;
use crate::scenario::sweep::{Design, Sweep};
use crate::scenario::template::{Change, Template};
use crate::stats::points::{SobolSequence, latin_hypercube};
use std::time::Instant;

/// Replications of each configuration, unless told otherwise: there may be thousands of them.
const REPLICATIONS: u64 = 1_000;
/// The table, without ending.
const TABLE: &str = "sweep";

/// Simulates every configuration, writes the folder, prints what is cheapest and fastest.
pub fn sweep(args: &SweepArgs, way: &Way<'_>) -> Result<Exit, Failure> {
    let begin = now();
    if args.parquet && !parquet::IS_BUILT_IN {
        return Err(Failure::Input(format!("error: `--parquet`: {}", parquet::HOW_TO_BUILD)));
    }
    let reread = Reread::new(&args.scenario)?.replications_until_or(REPLICATIONS);
    let read_file = |name: &str| reread.named(name);
    let template = reread.template(&read_file);
    let swept = Swept::new(&reread.file, &template)?;
    let pool = thread_pool(args.threads)?;
    let points = Points {
        command: "sweep",
        args: &args.scenario,
        options: if args.parquet { vec!["--parquet".to_owned()] } else { Vec::new() },
        own: &swept.own,
        name: TABLE,
        noun: "configurations",
        resume: args.resume,
        keys: &swept.sweep.keys(),
        count: swept.sweep.count(),
        resolve: &|number| swept.resolve(&template, number),
        values: &|number| swept.values(number),
    };
    match points.rows(way, &args.output, &pool)? {
        Rows::All(mut folder) => {
            let telling = Telling { file: &reread.file, args, threads: pool.current_num_threads(), begin };
            swept.conclude(&telling, &mut folder)
        }
        Rows::Less(exit) => Ok(exit),
    }
}

/// What is swept.
struct Swept {
    /// The scenario as it is written.
    own: Scenario,
    /// Its configurations.
    sweep: Sweep,
    sample: Sample,
    /// What the measured kernels that it tries are and changed, each once.
    calibrations: Vec<String>,
    warnings: String,
}

/// Where the points of a sampled design lie.
enum Sample {
    None,
    All(Vec<Vec<f64>>),
    Sobol(SobolSequence, u64),
}

impl Swept {
    /// Reads what `template` sweeps. A misspelt key or a missing unit is told at once: each key is tried at each end
    /// of its values.
    pub fn new(file: &str, template: &Template<'_>) -> Result<Self, Failure> {
        let (own, problems) = template.own();
        let colour = stderr_has_colour();
        let Some(own) = own else {
            return Err(Failure::Input(problems.errors().render(template.sources(), colour)));
        };
        let Some(sweep) = own.sweep.clone() else {
            return Err(Failure::Input(format!(
                "error: {file} has no [sweep]: nothing to try\n  = help: add keys with values, such as \
                 \"checkpoint.every\" = [\"5 min\", \"15 min\", \"1 h\"]"
            )));
        };
        for changes in sweep.ends() {
            let (scenario, problems) = template.resolve(&changes);
            if scenario.is_none() {
                return Err(Failure::Input(problems.errors().render(template.sources(), colour)));
            }
        }
        let sample = sample(&sweep, own.seed)?;
        let mut warnings = problems.render(template.sources(), colour);
        for key in sweep.idle(&|changes| template.resolve(changes).0) {
            warnings += &format!(
                "warning: `{key}` of [sweep] changes nothing\n  = help: what a cluster says itself, another key of \
                 [sweep] or an option such as `--replications` takes its place\n"
            );
        }
        let tried: Vec<Scenario> = sweep
            .listed(told::CALIBRATION)
            .iter()
            .filter_map(|changes| template.resolve(changes).0)
            .collect();
        let mut calibrations: Vec<String> = Vec::new();
        for scenario in tried.iter().chain([&own]) {
            let told = scenario.clusters.iter().filter_map(|cluster| cluster.calibrated());
            for (_, words) in told {
                if !calibrations.contains(&words) {
                    calibrations.push(words);
                }
            }
            for note in age::notes(scenario).split_inclusive('\n') {
                if !warnings.contains(note) {
                    warnings += note;
                }
            }
        }
        Ok(Self { own, sweep, sample, calibrations, warnings })
    }

    /// The values of a configuration.
    fn changes(&self, number: u64) -> Vec<Change> {
        match &self.sample {
            Sample::None => self.sweep.of_grid(number),
            Sample::All(points) => self.sweep.at(&points[number as usize]),
            Sample::Sobol(sequence, key) => self.sweep.at(&sequence.scrambled(number, *key)),
        }
    }

    /// The same as cells of the table.
    pub fn values(&self, number: u64) -> Vec<String> {
        self.changes(number).iter().map(|change| change.value.value.as_cell()).collect()
    }

    /// Its scenario.
    pub fn resolve(&self, template: &Template<'_>, number: u64) -> Result<Scenario, String> {
        let (scenario, problems) = template.resolve(&self.changes(number));
        scenario.ok_or_else(|| problems.errors().render(template.sources(), stderr_has_colour()))
    }
}

fn sample(sweep: &Sweep, seed: u64) -> Result<Sample, Failure> {
    let mut stream = Streams::new(seed).stream(Source::Points, 0, 0, 0);
    match sweep.design {
        Design::Grid => Ok(Sample::None),
        Design::LatinHypercube(count) => {
            Ok(Sample::All(latin_hypercube(count as usize, sweep.dimensions(), &mut || stream.bits())))
        }
        Design::Sobol(_) => {
            let key = Streams::new(seed).stream(Source::Scramble, 0, 0, 0).bits();
            let sequence = SobolSequence::new(sweep.dimensions());
            let many = || {
                Failure::Input(format!("error: {} keys are too many for Sobol' points", sweep.dimensions()))
            };
            sequence.map(|sequence| Sample::Sobol(sequence, key)).ok_or_else(many)
        }
    }
}

/// How a sweep is told.
struct Telling<'a> {
    /// The scenario file, as typed.
    file: &'a str,
    args: &'a SweepArgs,
    threads: usize,
    begin: Instant,
}

impl Swept {
    /// From the complete table in `folder` to the other files, the answer and the exit code.
    fn conclude(&self, telling: &Telling<'_>, folder: &mut Folder) -> Result<Exit, Failure> {
        let rows = read_back(TABLE, folder)?;
        let found = found(&rows);
        let markets: Vec<(String, Market)> =
            self.own.clusters.iter().map(|cluster| (cluster.name.clone(), cluster.market)).collect();
        let own = &self.own;
        let view = SweepView {
            name: &own.name,
            title: &own.title,
            seed: own.seed,
            rows: &rows,
            found: &found,
            markets: &markets,
            calibrations: &self.calibrations,
        };
        let summary = json::to_bytes(&told::json(&view));
        folder.write("summary.json", &summary)?;
        folder.write("pareto.csv", &told::pareto(&view))?;
        if telling.args.parquet {
            folder.write("sweep.parquet", &parquet::sweep(&rows))?;
        }
        let pictures = plot::sweep(&view);
        let named: Vec<(&str, plot::Drawing)> =
            pictures.iter().map(|(name, drawing)| (name.as_str(), drawing.clone())).collect();
        write_plots(&telling.args.output.plots, &named, folder)?;
        folder.write("report.html", html::sweep(own, &view, &named).as_bytes())?;
        folder.remove_others("plots", |stem| stem.starts_with("sweep") || stem.starts_with("pareto"))?;
        let manifest = manifest(folder.path(), telling.threads, telling.begin.elapsed());
        folder.write("manifest.json", &json::to_bytes(&manifest))?;
        answer(&match telling.args.output.format {
            Format::Json => String::from_utf8_lossy(&summary).into_owned(),
            Format::Csv => String::from_utf8_lossy(&told::pareto(&view)).into_owned(),
            Format::Table => told::table(
                &view,
                &Printed {
                    colour: stdout_has_colour(),
                    file: telling.file,
                    out: &folder.path().display().to_string(),
                    written: &folder.listing(),
                },
            ),
        })?;
        warn(&self.warnings);
        let is_invalid = |row: &SweepRow| row.status == INVALID;
        Ok(match found.points.is_empty() {
            true if rows.rows.iter().all(is_invalid) => Exit::BadInput,
            true => Exit::Infeasible,
            false => Exit::Done,
        })
    }
}
