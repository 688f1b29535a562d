//! `spotsim run`.

use super::files::Folder;
use super::input::{Input, read, warn, with_draw};
use super::manifest::manifest;
use super::progress::{Watch, now};
use super::shard;
use super::terminal::{answer, complain, say, stdout_has_colour, tell};
use super::{Exit, Failure};
use crate::cli::{Format, OutputArgs, PlotKind, RunArgs};
use crate::experiment::step::steps;
use crate::experiment::timeline::{OneRun, Which, choose, one_run};
use crate::experiment::{
    ClusterResult, Draw, Options, Replicated, Status, check_expectations, foresight, lost_as_often,
    replicate, replicate_in_batches, statuses, summarise, tell_error_by_batches,
};
use crate::report::plot::{self, Drawing};
use crate::report::table::until;
use crate::report::text::shortened;
use crate::report::{csv, html, json, number, pictures};
use crate::rng::Streams;
use crate::scenario::load::Scenario;
use crate::scenario::plan::Market;
use crate::scenario::sampling::Sampling;
use crate::sim::{Ledger, Outcome, Scratch, simulate};
use std::io::{ErrorKind, Write};
use std::ops::{Range, RangeInclusive};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Replications that are written out one by one: a million of three clusters are half a gigabyte.
pub(super) const ROWS_MAX: u64 = 1_000_000;
/// The file that they are written to.
pub(super) const ROWS: &str = "replications.csv";

/// Columns of a sentence about an expectation: names of clusters are in it.
const SENTENCE_MAX: usize = 300;

/// Set by Ctrl-C.
pub(super) static STOP: AtomicBool = AtomicBool::new(false);

/// Simulates, writes the folder, prints the answer.
pub fn run(args: &RunArgs) -> Result<Exit, Failure> {
    if let Some(asked) = &args.shard {
        return shard::run(args, asked);
    }
    let begin = now();
    let input = read(&args.scenario)?;
    let scenario = &input.scenario;
    if let Some(asked) = args.explain_cost.filter(|&asked| asked >= scenario.replications) {
        let last = scenario.replications - 1;
        let why = format!("error: `--explain-cost {asked}`: must be a replication that is run, 0 to {last}");
        return Err(Failure::Input(why));
    }
    if args.explain_cost.is_some() && scenario.draws {
        let why = "error: `--explain-cost` of a run that draws the keys of [uncertain]";
        let help = "add `--set simulation.uncertain=false` for the ledger at the scenario's own values";
        return Err(Failure::Input(format!("{why}\n  = help: {help}")));
    }
    // Before a long run, not after it: a warning may be a reason to stop.
    warn(&input.warnings);
    let pool = thread_pool(args.threads)?;
    let mut folder = Folder::of(&args.output, &scenario.name)?.alone()?;
    stop_on_ctrl_c()?;

    let numbers = 0..scenario.replications;
    let done =
        with_draw(&args.scenario, &input, |draw| replications(scenario, draw, numbers, &pool, &mut folder))?;
    tell(&format!("simulated after {:.2} s", begin.elapsed().as_secs_f64()));
    let (output, explain_cost) = (&args.output, args.explain_cost);
    conclude(&Telling { input: &input, output, explain_cost, pool: &pool, begin }, done, &mut folder)
}

/// What the replications of a run are told of, and how.
pub(super) struct Telling<'a> {
    /// The scenario.
    pub input: &'a Input,
    /// What to write and print.
    pub output: &'a OutputArgs,
    /// The replication whose ledger follows the table.
    pub explain_cost: Option<u64>,
    /// Threads for the bound of perfect foresight.
    pub pool: &'a rayon::ThreadPool,
    /// When the command began.
    pub begin: Instant,
}

/// From all replications, run here or in shards, to the files, the answer and the exit code.
pub(super) fn conclude(
    telling: &Telling<'_>,
    Done { mut replicated, mut batches, .. }: Done,
    folder: &mut Folder,
) -> Result<Exit, Failure> {
    let Telling { input, output, pool, begin, .. } = telling;
    let scenario = &input.scenario;
    say_left_out(&replicated);
    let mut results: Vec<ClusterResult> = scenario
        .clusters
        .iter()
        .zip(&mut replicated)
        .zip(statuses(scenario))
        .map(|((cluster, replicated), status)| summarise(cluster, replicated, status))
        .collect();
    let in_batches = !batches.is_empty();
    for (cluster, result) in results.iter_mut().enumerate().filter(|_| in_batches) {
        tell_error_by_batches(result, scenario, cluster, &mut batches);
    }
    // Both are of the scenario at its own values, and replications are not.
    if scenario.draws {
        results.iter_mut().for_each(|result| result.theory = None);
    } else {
        for (result, foresight) in results.iter_mut().zip(foresight(scenario, &replicated, pool)) {
            result.foresight = foresight;
        }
    }
    let summary = json::summary(scenario, &results);
    folder.write("summary.json", &json::to_bytes(&summary))?;
    folder.write("clusters.csv", &csv::clusters(&results))?;
    // Without a complete replication there is nothing to draw.
    let any_complete = results.iter().any(|result| result.replications > 0);
    let mut pictures = if any_complete { pictures::all(scenario, &results, &replicated) } else { Vec::new() };
    pictures
        .extend(typical_run(scenario, &results).map(|run| ("timeline", plot::timeline(&run, scenario.seed))));
    write_plots(&output.plots, &pictures, folder)?;
    folder.remove_others("plots", |_| true)?;
    let if_lost = if_lost(scenario, &results, pool);
    let page = html::run(scenario, &results, &steps(scenario), &if_lost, &pictures);
    folder.write("report.html", page.as_bytes())?;
    let manifest = manifest(folder.path(), pool.current_num_threads(), begin.elapsed());
    folder.write("manifest.json", &json::to_bytes(&manifest))?;

    let text = match output.format {
        Format::Json => {
            String::from_utf8_lossy(&json::to_bytes(&json::with_manifest(summary, manifest))).into_owned()
        }
        Format::Csv => String::from_utf8_lossy(&csv::clusters(&results)).into_owned(),
        Format::Table => table(telling, &results, folder),
    };
    let answered = answer(&text);
    finish(scenario, &results).and_then(|exit| answered.map(|()| exit))
}

/// What a run says of itself where Spot is lost more and less often; none where that cannot be told, or after Ctrl-C.
fn if_lost(scenario: &Scenario, results: &[ClusterResult], pool: &rayon::ThreadPool) -> Vec<html::IfLost> {
    /// Fewer say little, more say no more.
    const OF: RangeInclusive<u64> = 101..=2_001;
    let done = results.iter().map(|result| result.replications).max().unwrap_or(0);
    // Beside the run itself it is to cost little.
    let some = (done / 5).clamp(*OF.start(), *OF.end()).min(done);
    let often = [("twice as often", 2.0), ("half as often", 0.5)];
    let with = |(words, factor)| Some((words, lost_as_often(scenario, factor, some, pool, &STOP)?));
    if some == 0 { Vec::new() } else { often.into_iter().filter_map(with).collect() }
}

/// A typical one of the first replications of the cheapest Spot cluster, or of the first one if none finished.
fn typical_run(scenario: &Scenario, results: &[ClusterResult]) -> Option<OneRun> {
    /// So many are enough to tell what is usual, and cost little beside the run itself.
    const OF: u64 = 101;
    let is_there = |result: &ClusterResult| result.market == Market::Spot && result.replications > 0;
    let there = results.iter().enumerate().filter(|(_, result)| is_there(result) && !scenario.draws);
    let cost = |result: &ClusterResult| result.cost_per_finished_usd.map_or(f64::INFINITY, |cost| cost.value);
    let (index, result) = there.min_by(|a, b| cost(a.1).total_cmp(&cost(b.1)))?;
    let (plan, streams) = (&scenario.clusters[index].plan, Streams::new(scenario.seed));
    let number = choose(plan, &streams, Which::Typical, result.replications.min(OF));
    one_run(scenario, index, number)
}

/// Replications that are complete.
pub(super) struct Done {
    /// One a cluster.
    pub replicated: Vec<Replicated>,
    /// The same in independent batches, where replications depend on one another.
    pub batches: Vec<Vec<Replicated>>,
    /// How many.
    pub count: u64,
}

/// Runs the replications `numbers` of the scenario and writes their rows; says how many are complete. `draw` makes the
/// scenario of each.
pub(super) fn replications(
    scenario: &Scenario,
    draw: Option<&Draw<'_>>,
    numbers: Range<u64>,
    pool: &rayon::ThreadPool,
    folder: &mut Folder,
) -> Result<Done, Failure> {
    let mut file = folder.begin(ROWS)?;
    let fail = |source| Failure::Write { what: format!("cannot write {ROWS}"), source };
    file.write_all(csv::REPLICATIONS_HEADER.as_bytes()).map_err(fail)?;
    let names: Vec<&str> = scenario.clusters.iter().map(|cluster| cluster.name.as_str()).collect();
    let fields: Vec<String> = names.iter().map(|name| csv::field(name)).collect();
    let rows = |replication: u64, outcomes: &[Option<Outcome>], bytes: &mut Vec<u8>| {
        if replication >= ROWS_MAX {
            return;
        }
        for (name, outcome) in fields.iter().zip(outcomes) {
            if let Some(outcome) = outcome {
                csv::replication(name, replication, outcome, bytes);
            }
        }
    };
    let simulated: Vec<bool> = statuses(scenario).iter().map(|&status| status == Status::Simulated).collect();
    let mut watch = Watch::new(&mut file, numbers.end - numbers.start);
    let mut options = Options { stop: &STOP, draw, rows: Some(&rows), progress: &mut watch, numbers };
    let done = match draw.is_some() && scenario.sampling != Sampling::Random {
        true => replicate_in_batches(scenario, &simulated, pool, &mut options),
        false => replicate(scenario, &simulated, pool, &mut options).map(|whole| (whole, Vec::new())),
    };
    watch.clear();
    let (replicated, batches) = done.map_err(|error| match error.kind() {
        ErrorKind::InvalidInput => Failure::Input(format!("error: {error}")),
        _ => fail(error),
    })?;
    let count = watch.done;
    folder.finish(ROWS, file)?;
    Ok(Done { replicated, batches, count })
}

/// Says so where the file of replications ends before they do.
fn say_left_out(replicated: &[Replicated]) {
    let done = replicated.iter().map(|one| one.tally.replications).max().unwrap_or(0);
    if done > ROWS_MAX {
        let (rows, all) = (number::count(ROWS_MAX), number::count(done));
        say(&format!("{ROWS} holds the first {rows} of {all} replications; results are of all"));
    }
}

/// Writes every picture in each of the `kinds`; none if one of them is `none`.
pub(super) fn write_plots(
    kinds: &[PlotKind],
    pictures: &[(&str, Drawing)],
    folder: &mut Folder,
) -> Result<(), Failure> {
    if kinds.contains(&PlotKind::None) {
        return Ok(());
    }
    for (name, drawing) in pictures {
        for kind in kinds {
            match kind {
                PlotKind::Svg => folder.write(&format!("plots/{name}.svg"), drawing.to_svg().as_bytes())?,
                _ => folder.write(&format!("plots/{name}.png"), &drawing.to_png())?,
            }
        }
    }
    Ok(())
}

pub(super) fn thread_pool(threads: Option<u16>) -> Result<rayon::ThreadPool, Failure> {
    if threads == Some(0) {
        return Err(Failure::Input("error: `--threads 0`: must be at least 1".into()));
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.map_or(0, usize::from)).build();
    pool.map_err(|error| Failure::Other(format!("cannot start worker threads: {error}")))
}

/// The first Ctrl-C asks the workers to stop, the second ends the process.
pub(super) fn stop_on_ctrl_c() -> Result<(), Failure> {
    let handler = || {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(Exit::Interrupted.number()));
        }
    };
    ctrlc::set_handler(handler).map_err(|error| Failure::Other(format!("cannot handle Ctrl-C: {error}")))
}

/// Whether Ctrl-C asked to stop.
pub(super) fn stopped() -> bool {
    STOP.load(Ordering::Relaxed)
}

fn table(telling: &Telling<'_>, results: &[ClusterResult], folder: &Folder) -> String {
    let input = telling.input;
    let scenario = &input.scenario;
    let out = folder.path().display().to_string();
    let colour = stdout_has_colour();
    let view = crate::report::table::RunView {
        scenario,
        results,
        file: &input.file,
        asked: scenario.replications,
        colour,
        out: Some(&out),
        written: &folder.listing(),
    };
    let mut text = crate::report::table::run_table(&view);
    if let Some(replication) = telling.explain_cost {
        let simulated = scenario.clusters.iter().zip(results).filter(|(_, r)| r.status == Status::Simulated);
        for (cluster, _) in simulated {
            let mut ledger = Ledger::default();
            let streams = Streams::new(scenario.seed);
            let outcome =
                simulate(&cluster.plan, &streams, replication, &mut Scratch::default(), &mut ledger);
            text.push('\n');
            text.push_str(&crate::report::ledger::ledger(cluster, replication, &ledger, &outcome, colour));
        }
    }
    text
}

/// What the exit code says: interrupted, infeasible, an expectation missed, or done.
fn finish(scenario: &Scenario, results: &[ClusterResult]) -> Result<Exit, Failure> {
    let simulated: Vec<&ClusterResult> = results.iter().filter(|r| r.status == Status::Simulated).collect();
    let done = simulated.iter().map(|result| result.replications).max().unwrap_or(0);
    if !simulated.is_empty() && !scenario.is_complete(results) {
        complain(&format!(
            "interrupted after {} of {} replications of each cluster; these are complete and kept",
            number::count(done),
            number::count(scenario.replications)
        ));
        return Ok(Exit::Interrupted);
    }
    if let Some(warning) = until::warning(scenario, results) {
        say(&format!("warning: {warning}"));
    }
    if simulated.iter().all(|result| result.finished == 0) {
        return Ok(Exit::Infeasible);
    }
    let missed: Vec<String> = scenario
        .clusters
        .iter()
        .zip(results)
        .flat_map(|(cluster, result)| check_expectations(result, &cluster.expect))
        .collect();
    for sentence in &missed {
        complain(&format!("expectation missed: {}", shortened(sentence, SENTENCE_MAX)));
    }
    Ok(if missed.is_empty() { Exit::Done } else { Exit::Missed })
}
