//! `spotsim optimum`.

use super::files::Folder;
use super::input::{read, warn};
use super::simulate::{thread_pool, write_plots};
use super::terminal::{answer, stdout_has_colour};
use super::{Exit, Failure};
use crate::cli::{Format, OptimumArgs};
use crate::experiment::optimum::{Optima, optima};
use crate::report::plot::{self, Drawing};
use crate::report::{json, optimum};

/// Simulations of each interval, unless told otherwise: intervals are compared by theory, and the
/// scenario's own number of replications, meant for one run, would be spent ten times over.
const REPLICATIONS: u64 = 2_000;
/// The name of a picture, without number and ending.
const PICTURE: &str = "optimum";

/// Finds the best interval between saves of each Spot cluster, writes the folder, prints what others come to.
pub fn optimum(args: &OptimumArgs) -> Result<Exit, Failure> {
    let input = read(&args.scenario)?;
    let scenario = &input.scenario;
    let pool = thread_pool(args.threads)?;
    let mut folder = Folder::of(&args.output, &scenario.name)?;
    let replications = args.scenario.replications.unwrap_or(REPLICATIONS);
    let optima = optima(scenario, replications, &pool);
    if optima.found.is_empty() {
        let mut text = format!("error: no Spot cluster of {} has a best interval", input.file);
        for reason in optimum::reasons(&optima.without) {
            text += &format!("\n  = {reason}");
        }
        return Err(Failure::Input(text));
    }
    let document = json::to_bytes(&optimum::json(scenario, replications, &optima));
    folder.write("optimum.json", &document)?;
    let pictures = pictures(&optima, replications, scenario.seed);
    let named: Vec<(&str, Drawing)> =
        pictures.iter().map(|(name, drawing)| (name.as_str(), drawing.clone())).collect();
    write_plots(&args.output.plots, &named, &mut folder)?;
    folder.remove_others("plots", |stem| stem.starts_with(PICTURE))?;
    answer(&match args.output.format {
        Format::Json => String::from_utf8_lossy(&document).into_owned(),
        Format::Csv => String::from_utf8_lossy(&optimum::csv(&optima)).into_owned(),
        Format::Table => optimum::table(&optimum::OptimumView {
            optima: &optima,
            replications,
            colour: stdout_has_colour(),
            file: &input.file,
            out: &folder.path().display().to_string(),
            written: &folder.listing(),
        }),
    })?;
    warn(&input.warnings);
    Ok(Exit::Done)
}

/// A picture a cluster; of several they are numbered from 1.
fn pictures(optima: &Optima, replications: u64, seed: u64) -> Vec<(String, Drawing)> {
    let single = optima.found.len() == 1;
    let name = |index: usize| if single { PICTURE.to_owned() } else { format!("{PICTURE}-{}", index + 1) };
    let drawing = |found| plot::save_intervals(found, replications, seed);
    optima.found.iter().enumerate().map(|(index, found)| (name(index), drawing(found))).collect()
}
