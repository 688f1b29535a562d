//! `spotsim timeline`.

use super::files::Folder;
use super::input::{check_names, read, warn};
use super::simulate::write_plots;
use super::terminal::{answer, complain, stdout_has_colour};
use super::{Exit, Failure};
use crate::cli::Format;
use crate::cli::timeline::TimelineArgs;
use crate::experiment::timeline::{EVENTS_MAX, Which, choose, one_run};
use crate::experiment::{Status, statuses};
use crate::report::{json, number, plot, text, timeline};
use crate::rng::Streams;
use crate::scenario::load::Scenario;
use crate::scenario::plan::Market;

/// What the names of the pictures begin with; a number follows where there are several.
const PICTURE: &str = "timeline";
/// The trace events.
const TRACE: &str = "timeline.json";
/// A replication is chosen among so many at most: more would change nothing that can be seen.
const CHOSEN_FROM: u64 = 100_000;

/// Shows one replication: a picture of each cluster, the trace events of all, a table.
pub fn timeline(args: &TimelineArgs) -> Result<Exit, Failure> {
    let which = which(&args.replication)?;
    let input = read(&args.scenario)?;
    let scenario = &input.scenario;
    if scenario.draws {
        let why = "error: `spotsim timeline` of a scenario that draws the keys of [uncertain]";
        let help = "add `--set simulation.uncertain=false` for a run at the scenario's own values";
        return Err(Failure::Input(format!("{why}\n  = help: {help}")));
    }
    let clusters = shown(scenario, &args.clusters)?;
    warn(&input.warnings);
    if clusters.is_empty() {
        let which = if args.clusters.is_empty() { "No cluster" } else { "None of these clusters" };
        complain(&format!(
            "{which} can meet the deadline, even without an interruption: nothing is simulated"
        ));
        return Ok(Exit::Infeasible);
    }
    let mut folder = Folder::of(&args.output, &scenario.name)?;

    let cluster = |&index: &usize| &scenario.clusters[index];
    let first = clusters.iter().map(cluster).find(|cluster| cluster.market == Market::Spot);
    let first = first.unwrap_or(&scenario.clusters[clusters[0]]);
    let of = scenario.replications.min(CHOSEN_FROM);
    let replication = choose(&first.plan, &Streams::new(scenario.seed), which, of);
    let runs = clusters.iter().map(|&index| {
        one_run(scenario, index, replication).ok_or_else(|| {
            let (name, most) = (text::name(&scenario.clusters[index].name), number::count(EVENTS_MAX.into()));
            let why =
                format!("replication {replication} of {name} has more than {most} attempts and lost nodes");
            Failure::Other(format!("{why}: too many to show"))
        })
    });
    let runs: Vec<_> = runs.collect::<Result<_, _>>()?;

    let document = json::to_bytes(&timeline::trace(scenario, &runs));
    folder.write(TRACE, &document)?;
    let name =
        |index: usize| if runs.len() == 1 { PICTURE.into() } else { format!("{PICTURE}-{}", index + 1) };
    let names: Vec<String> = (0..runs.len()).map(name).collect();
    let pictures: Vec<_> = names
        .iter()
        .map(String::as_str)
        .zip(runs.iter().map(|run| plot::timeline(run, scenario.seed)))
        .collect();
    write_plots(&args.output.plots, &pictures, &mut folder)?;
    folder.remove_others("plots", |stem| stem.starts_with(PICTURE))?;
    answer(&match args.output.format {
        Format::Json => String::from_utf8_lossy(&document).into_owned(),
        Format::Csv => String::from_utf8_lossy(&timeline::rows(&runs)).into_owned(),
        Format::Table => timeline::table(&timeline::TimelineView {
            scenario,
            runs: &runs,
            which,
            of,
            chosen_by: &first.name,
            file: &input.file,
            colour: stdout_has_colour(),
            out: &folder.path().display().to_string(),
            written: &folder.listing(),
        }),
    })?;
    Ok(Exit::Done)
}

fn which(text: &str) -> Result<Which, Failure> {
    match text {
        "median" => Ok(Which::Median),
        "typical" => Ok(Which::Typical),
        "best" => Ok(Which::Best),
        "worst" => Ok(Which::Worst),
        number => number.parse().map(Which::Number).map_err(|_| {
            let why = format!("error: `--replication {number}`: must be a whole number from 0");
            Failure::Input(format!("{why}, or `median`, `typical`, `best` or `worst`"))
        }),
    }
}

/// The clusters that are asked for, else all; those that are not simulated have no replication.
fn shown(scenario: &Scenario, asked: &[String]) -> Result<Vec<usize>, Failure> {
    let known: Vec<String> = scenario.clusters.iter().map(|cluster| cluster.name.clone()).collect();
    check_names("--cluster", "cluster", asked, &known)?;
    let statuses = statuses(scenario);
    let is_shown = |index: &usize| {
        statuses[*index] == Status::Simulated && (asked.is_empty() || asked.contains(&known[*index]))
    };
    Ok((0..known.len()).filter(is_shown).collect())
}
