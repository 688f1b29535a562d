//! `spotsim break-even`.

use super::files::Folder;
use super::input::warn;
use super::reread::Reread;
use super::simulate::{STOP, stop_on_ctrl_c, thread_pool, write_plots};
use super::terminal::{answer, stdout_has_colour};
use super::{Exit, Failure};
use crate::cli::{BreakEvenArgs, Format, KeyScale};
use crate::experiment::break_even::{Goal, KeyRange, difference, search};
use crate::experiment::figure_names;
use crate::report::break_even::{BreakEvenView, Printed, csv, json, table};
use crate::report::json::to_bytes;
use crate::report::plot;
use crate::scenario::load::Scenario;
use crate::scenario::plan::Market;
use crate::scenario::reader::nearest;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::Ordering;

/// The name of the picture, without its ending, and of the document.
const PICTURE: &str = "break-even";
/// Replications of each value, unless told otherwise.
const REPLICATIONS: u64 = 10_000;

/// Looks for the values of a key at which a goal is met, writes the folder, prints the answer.
pub fn break_even(args: &BreakEvenArgs) -> Result<Exit, Failure> {
    let is_log = args.scale.map(|scale| scale == KeyScale::Log);
    let range = KeyRange::read(&args.from, &args.to, is_log)
        .map_err(|error| Failure::Input(format!("error: --from and --to: {error}")))?;
    let goal = goal(args.goal.as_deref())?;
    let source = Reread::new(&args.scenario)?;
    let own = source.with(None, &args.key)?;
    let (cluster, against) = clusters(args, &own.scenario, &goal)?;
    warn(&own.warnings);
    let pool = thread_pool(args.threads)?;
    let mut folder = Folder::of(&args.output, &own.scenario.name)?;
    stop_on_ctrl_c()?;

    let replications = args.scenario.replications.unwrap_or(REPLICATIONS);
    let mut looked = Looked::default();
    let found = search(&range, &mut |value| {
        looked.at();
        let set = format!("{}={}", args.key, range.text(value));
        let mut scenario = source.with(Some(set), &args.key)?.scenario;
        scenario.replications = replications;
        let found = difference(&scenario, (cluster, against), &goal, &pool, &STOP);
        if STOP.load(Ordering::Relaxed) { Err(Failure::Interrupted) } else { Ok(found) }
    });
    looked.clear();
    let found = found?;

    let scenario = &own.scenario;
    let view = BreakEvenView {
        name: &scenario.name,
        title: &scenario.title,
        seed: scenario.seed,
        replications,
        key: &args.key,
        range: &range,
        today: own.written.and_then(|text| range.number(&text)),
        cluster: &scenario.clusters[cluster].name,
        against: against.map(|index| scenario.clusters[index].name.as_str()),
        goal: &goal,
        found: &found,
    };
    let document = to_bytes(&json(&view));
    folder.write("break-even.json", &document)?;
    folder.write("break-even.csv", &csv(&view))?;
    write_plots(&args.output.plots, &[(PICTURE, plot::break_even(&view))], &mut folder)?;
    folder.remove_others("plots", |stem| stem == PICTURE)?;
    answer(&match args.output.format {
        Format::Json => String::from_utf8_lossy(&document).into_owned(),
        Format::Csv => String::from_utf8_lossy(&csv(&view)).into_owned(),
        Format::Table => {
            let (out, written) = (folder.path().display().to_string(), folder.listing());
            let (colour, file) = (stdout_has_colour(), source.file.as_str());
            table(&view, &Printed { colour, file, out: &out, written: &written })
        }
    })?;
    Ok(Exit::Done)
}

/// `FIGURE=NUMBER`, or the default.
fn goal(text: Option<&str>) -> Result<Goal, Failure> {
    let Some(text) = text else { return Ok(Goal::SameCost) };
    let refused = |why: &str| Failure::Input(format!("error: `--goal {text}`: {why}"));
    let (name, value) =
        text.split_once('=').ok_or_else(|| refused("write FIGURE=NUMBER, as deadline_probability=0.95"))?;
    let (name, value) = (name.trim(), value.trim());
    let value: f64 = value
        .parse()
        .ok()
        .filter(|value: &f64| value.is_finite())
        .ok_or_else(|| refused(&format!("`{value}` is not a number")))?;
    let names = figure_names();
    if !names.iter().any(|known| known == name) {
        let near = nearest(name, names.iter().map(String::as_str));
        let hint = near.map_or(String::new(), |near| format!(", did you mean `{near}`?"));
        return Err(refused(&format!("there is no result `{name}`{hint}")));
    }
    Ok(Goal::Figure { name: name.to_owned(), value })
}

/// The cluster that is asked about, and the one that it is compared with.
fn clusters(
    args: &BreakEvenArgs,
    scenario: &Scenario,
    goal: &Goal,
) -> Result<(usize, Option<usize>), Failure> {
    let names: Vec<&str> = scenario.clusters.iter().map(|cluster| cluster.name.as_str()).collect();
    let place = |flag: &str, wanted: &str| {
        names.iter().position(|name| *name == wanted).ok_or_else(|| {
            let near = nearest(wanted, names.iter().copied());
            let hint = near.map_or(String::new(), |near| format!("\n  = help: did you mean `{near}`?"));
            let known = names.join("\", \"");
            Failure::Input(format!("error: `{flag} {wanted}`: no such cluster; there is \"{known}\"{hint}"))
        })
    };
    let first_spot = || scenario.clusters.iter().position(|cluster| cluster.market == Market::Spot);
    let cluster = match &args.cluster {
        Some(name) => place("--cluster", name)?,
        None => first_spot().unwrap_or(0),
    };
    let against = match &args.against {
        Some(name) => Some(place("--against", name)?),
        None => scenario.baseline().filter(|&baseline| baseline != cluster),
    };
    if *goal == Goal::SameCost && against.is_none_or(|against| against == cluster) {
        return Err(Failure::Input(format!(
            "error: nothing to compare \"{}\" with\n  = help: name another cluster with --against, or a \
             figure and its number with --goal \"deadline_probability=0.95\"",
            names[cluster]
        )));
    }
    Ok((cluster, against.filter(|&against| against != cluster)))
}

/// Values looked at, told on a terminal.
#[derive(Default)]
struct Looked(u64);

impl Looked {
    fn at(&mut self) {
        self.0 += 1;
        if io::stderr().is_terminal() {
            let mut stderr = io::stderr().lock();
            _ = write!(stderr, "\r\x1b[2Klooking at value {}", self.0);
            _ = stderr.flush();
        }
    }

    fn clear(&self) {
        if io::stderr().is_terminal() {
            _ = write!(io::stderr().lock(), "\r\x1b[2K");
        }
    }
}
