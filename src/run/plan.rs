//! `spotsim plan`.

use super::files::Folder;
use super::input::{Input, read_candidates, warn};
use super::simulate::{STOP, stop_on_ctrl_c, thread_pool, write_plots};
use super::terminal::{answer, stdout_has_colour};
use super::{Exit, Failure};
use crate::cli::{Format, PlanArgs};
use crate::experiment::plan::{Chosen, choose};
use crate::report::{html, json, number, plan, plot};
use std::io::{self, IsTerminal, Write};

/// The name of the picture, without its ending.
const PICTURE: &str = "cost-vs-probability";

/// Chooses a candidate, writes the folder, prints the answer with what speaks for it.
pub fn plan(args: &PlanArgs) -> Result<Exit, Failure> {
    let set = [("job.deadline", &args.deadline), ("plan.probability", &args.probability)];
    let set = set.iter().filter_map(|(key, value)| Some(format!("{key}={}", value.as_ref()?))).collect();
    let (own, input) = read_candidates(&args.scenario, set)?;
    let scenario = &input.scenario;
    check_deadlines(&input)?;
    warn(&input.warnings);
    let pool = thread_pool(args.threads)?;
    let mut folder = Folder::of(&args.output, &scenario.name)?;
    stop_on_ctrl_c()?;

    let show = io::stderr().is_terminal();
    let mut seen = |kept: usize, replications: u64| {
        if show {
            let (kept, n) = (number::count(kept as u64), number::count(replications));
            let mut stderr = io::stderr().lock();
            _ = write!(stderr, "\r\x1b[2K{n} replications, {kept} candidates left");
            _ = stderr.flush();
        }
    };
    let chosen = choose(scenario, &pool, &STOP, &mut seen);
    if show {
        _ = write!(io::stderr().lock(), "\r\x1b[2K");
    }

    let document = json::to_bytes(&plan::json(scenario, &chosen));
    let rows = plan::csv(scenario, &chosen);
    folder.write("plan.json", &document)?;
    folder.write("candidates.csv", &rows)?;
    let pictures = pictures(&input, &chosen);
    write_plots(&args.output.plots, &pictures, &mut folder)?;
    folder.write(
        "report.html",
        html::plan(own.as_ref().unwrap_or(scenario), scenario, &chosen, &pictures).as_bytes(),
    )?;
    folder.remove_others("plots", |stem| stem == PICTURE)?;
    answer(&match args.output.format {
        Format::Json => String::from_utf8_lossy(&document).into_owned(),
        Format::Csv => String::from_utf8_lossy(&rows).into_owned(),
        Format::Table => plan::table(&plan::PlanView {
            scenario,
            chosen: &chosen,
            colour: stdout_has_colour(),
            file: &input.file,
            out: &folder.path().display().to_string(),
            written: &folder.listing(),
        }),
    })?;
    Ok(match (chosen.stopped, chosen.best) {
        (true, _) => Exit::Interrupted,
        (false, None) => Exit::Infeasible,
        (false, Some(_)) => Exit::Done,
    })
}

/// Without a deadline the cheapest may take for ever.
fn check_deadlines(input: &Input) -> Result<(), Failure> {
    let without = input.scenario.clusters.iter().find(|cluster| cluster.plan.deadline.is_none());
    let Some(cluster) = without else { return Ok(()) };
    let name = &cluster.name;
    Err(Failure::Input(format!(
        "error: `spotsim plan` needs a deadline, and \"{name}\" has none\n  \
         = help: add `deadline = \"24 h\"` to [job] of {}, or --deadline \"24 h\"",
        input.file
    )))
}

/// Nothing to draw where nothing was simulated.
fn pictures(input: &Input, chosen: &Chosen) -> Vec<(&'static str, plot::Drawing)> {
    if chosen.spent == 0 {
        return Vec::new();
    }
    vec![(PICTURE, plot::cost_vs_probability(&input.scenario, chosen))]
}
