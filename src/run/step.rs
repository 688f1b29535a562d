//! `spotsim step`.

use super::files::Folder;
use super::input::{read, warn};
use super::simulate::write_plots;
use super::terminal::{answer, stdout_has_colour};
use super::{Exit, Failure};
use crate::cli::{Format, StepArgs};
use crate::experiment::step::steps;
use crate::report::{json, plot, step};

/// The picture's name, without an ending.
const PICTURE: &str = "step-lanes";

/// Takes one step of each cluster apart, writes the folder, prints the answer.
pub fn step(args: &StepArgs) -> Result<Exit, Failure> {
    let input = read(&args.scenario)?;
    let scenario = &input.scenario;
    let results = steps(scenario);
    if results.is_empty() {
        let why = format!("error: no cluster of {} has a step: its work is an ideal time", input.file);
        return Err(Failure::Input(format!("{why}\n  = give `work` in steps, samples or epochs")));
    }
    let mut folder = Folder::of(&args.output, &scenario.name)?;
    let document = json::to_bytes(&step::json(scenario, &results));
    folder.write("step.json", &document)?;
    write_plots(&args.output.plots, &[(PICTURE, plot::step_lanes(&results))], &mut folder)?;
    folder.remove_others("plots", |stem| stem == PICTURE)?;
    answer(&match args.output.format {
        Format::Json => String::from_utf8_lossy(&document).into_owned(),
        Format::Csv => String::from_utf8_lossy(&step::csv(&results)).into_owned(),
        Format::Table => step::table(&step::StepView {
            results: &results,
            file: &input.file,
            colour: stdout_has_colour(),
            out: Some(&folder.path().display().to_string()),
            written: &folder.listing(),
        }),
    })?;
    warn(&input.warnings);
    Ok(Exit::Done)
}
