//! `spotsim sweep`.

use super::files::Folder;
use super::fingerprint::fingerprint;
use super::manifest::manifest;
use super::progress::now;
use super::reread::Reread;
use super::rows::{Filling, fill};
use super::simulate::{stop_on_ctrl_c, thread_pool, write_plots};
use super::terminal::{answer, complain, stderr_has_colour, stdout_has_colour};
use super::{Exit, Failure};
use crate::cli::{Format, OutputArgs, SweepArgs};
use crate::experiment::sweep::{INVALID, SweepRows, found};
use crate::report::sweep::{Printed, SweepView};
use crate::report::{json, number, parquet, plot, sweep as told};
use crate::rng::{Source, Streams};
use crate::scenario::load::Scenario;
use crate::scenario::plan::Market;
use crate::scenario::sweep::{Design, Sweep};
use crate::scenario::template::{Change, Template};
use crate::stats::points::{SobolSequence, latin_hypercube};
use std::fs::File;
use std::time::Instant;

/// Replications of each configuration, unless told otherwise: there may be thousands of them.
pub const REPLICATIONS: u64 = 1_000;
/// The table, without ending.
pub const TABLE: &str = "sweep";

/// Simulates every configuration, writes the folder, prints what is cheapest and fastest.
pub fn sweep(args: &SweepArgs) -> Result<Exit, Failure> {
    let begin = now();
    if args.parquet && !parquet::IS_BUILT_IN {
        return Err(Failure::Input(format!("error: `--parquet`: {}", parquet::HOW_TO_BUILD)));
    }
    let reread = Reread::new(&args.scenario)?.replications_or(REPLICATIONS);
    let read_file = |name: &str| reread.named(name);
    let template = reread.template(&read_file);
    let swept = Swept::new(&reread.file, &template)?;
    let pool = thread_pool(args.threads)?;
    let mut folder = Folder::of(&args.output, &swept.own.name)?;
    stop_on_ctrl_c()?;

    let filling = Filling {
        name: TABLE,
        noun: "configurations",
        keys: &swept.sweep.keys(),
        count: swept.sweep.count(),
        number: &|nth| nth,
        values: &|number| swept.values(number),
        resolve: &|number| swept.resolve(&template, number),
        fingerprint: fingerprint("sweep", &[], &swept.own),
    };
    let filled = fill(&filling, args.resume, &pool, &mut folder)?;
    if filled.done < filling.count {
        let (done, count) = (number::count(filled.done), number::count(filling.count));
        complain(&format!(
            "interrupted after {done} of {count} configurations; these are kept, and `--resume` goes on from there"
        ));
        return Ok(Exit::Interrupted);
    }
    if let Some(why) = filled.invalid {
        complain(&format!("a configuration that is no scenario is left out, for one:\n{}", why.trim_end()));
    }
    let telling = Telling { file: &reread.file, output: &args.output, parquet: args.parquet, begin };
    conclude(&telling, &swept, pool.current_num_threads(), &mut folder)
}

/// What is swept.
pub struct Swept {
    /// The scenario as it is written.
    pub own: Scenario,
    /// Its configurations.
    pub sweep: Sweep,
    points: Points,
    warnings: String,
}

/// Where the points of a sampled design lie.
enum Points {
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
        let points = points(&sweep, own.seed)?;
        Ok(Self { own, sweep, points, warnings: problems.render(template.sources(), colour) })
    }

    /// The values of a configuration.
    fn changes(&self, number: u64) -> Vec<Change> {
        match &self.points {
            Points::None => self.sweep.of_grid(number),
            Points::All(points) => self.sweep.at(&points[number as usize]),
            Points::Sobol(sequence, key) => self.sweep.at(&sequence.scrambled(number, *key)),
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

fn points(sweep: &Sweep, seed: u64) -> Result<Points, Failure> {
    let mut stream = Streams::new(seed).stream(Source::Points, 0, 0, 0);
    match sweep.design {
        Design::Grid => Ok(Points::None),
        Design::LatinHypercube(count) => {
            Ok(Points::All(latin_hypercube(count as usize, sweep.dimensions(), &mut || stream.bits())))
        }
        Design::Sobol(_) => {
            let key = Streams::new(seed).stream(Source::Scramble, 0, 0, 0).bits();
            let sequence = SobolSequence::new(sweep.dimensions());
            let many = || {
                Failure::Input(format!("error: {} keys are too many for Sobol' points", sweep.dimensions()))
            };
            sequence.map(|sequence| Points::Sobol(sequence, key)).ok_or_else(many)
        }
    }
}

/// How a sweep is told.
pub struct Telling<'a> {
    /// The scenario file, as typed.
    pub file: &'a str,
    /// What to write and print.
    pub output: &'a OutputArgs,
    /// Whether as Parquet too.
    pub parquet: bool,
    /// When the command began.
    pub begin: Instant,
}

/// From the complete table in `folder` to the other files, the answer and the exit code.
pub fn conclude(
    telling: &Telling<'_>,
    swept: &Swept,
    threads: usize,
    folder: &mut Folder,
) -> Result<Exit, Failure> {
    let name = format!("{TABLE}.csv");
    let wrong = |why: String| Failure::Other(format!("{name} cannot be read back: {why}"));
    let text = File::open(folder.path().join(&name)).map_err(|error| wrong(error.to_string()))?;
    let rows = SweepRows::read(text).map_err(|error| wrong(error.to_string()))?;
    let found = found(&rows);
    let markets: Vec<(String, Market)> =
        swept.own.clusters.iter().map(|cluster| (cluster.name.clone(), cluster.market)).collect();
    let own = &swept.own;
    let view = SweepView {
        name: &own.name,
        title: &own.title,
        seed: own.seed,
        rows: &rows,
        found: &found,
        markets: &markets,
    };
    let summary = json::to_bytes(&told::json(&view));
    folder.write("summary.json", &summary)?;
    folder.write("pareto.csv", &told::pareto(&view))?;
    if telling.parquet {
        folder.write("sweep.parquet", &parquet::sweep(&rows))?;
    }
    let pictures = plot::sweep(&view);
    let named: Vec<(&str, plot::Drawing)> =
        pictures.iter().map(|(name, drawing)| (name.as_str(), drawing.clone())).collect();
    write_plots(&telling.output.plots, &named, folder)?;
    folder.remove_others("plots", |stem| stem.starts_with("sweep") || stem.starts_with("pareto"))?;
    let manifest = manifest(folder.path(), threads, telling.begin.elapsed());
    folder.write("manifest.json", &json::to_bytes(&manifest))?;
    answer(&match telling.output.format {
        Format::Json => String::from_utf8_lossy(&summary).into_owned(),
        Format::Csv => {
            std::fs::read_to_string(folder.path().join(&name)).map_err(|error| wrong(error.to_string()))?
        }
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
    super::input::warn(&swept.warnings);
    let is_invalid = |row: &crate::experiment::sweep::SweepRow| row.status == INVALID;
    Ok(match found.points.is_empty() {
        true if rows.rows.iter().all(is_invalid) => Exit::BadInput,
        true => Exit::Infeasible,
        false => Exit::Done,
    })
}
