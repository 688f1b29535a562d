//! `spotsim policies`.

use super::files::Folder;
use super::input::{read, warn};
use super::simulate::{thread_pool, write_plots};
use super::terminal::{answer, stdout_has_colour};
use super::{Exit, Failure};
use crate::cli::{Format, PoliciesArgs, ScenarioArgs};
use crate::experiment::curves::{Asked, Curves, NoCurves, World, of_scenario, one_world, published};
use crate::report::{curves, json, plot};
use crate::units::Span;
use std::path::Path;

/// Worlds at each deadline, unless told otherwise.
const REPLICATIONS: u64 = 1_000;
/// The folder and the picture.
const NAME: &str = "policies";

/// Compares policies at several deadlines, writes the folder, prints the table.
pub fn policies(args: &PoliciesArgs) -> Result<Exit, Failure> {
    let pool = thread_pool(args.threads)?;
    let Found { curves: found, world, seed, name, warnings } = match &args.file {
        None => Found {
            curves: published().map_err(Failure::Other)?,
            world: None,
            seed: 0,
            name: NAME.to_owned(),
            warnings: String::new(),
        },
        Some(file) => of_file(file, args, &pool)?,
    };
    let mut folder = Folder::of(&args.output, &name)?;
    let document = json::to_bytes(&curves::json(&found, seed));
    folder.write("policies.json", &document)?;
    folder.write("policies.csv", &curves::csv(&found))?;
    let mut pictures = vec![("policy-vs-deadline", plot::policy_vs_deadline(&found, seed))];
    pictures.extend(world.map(|world| ("policy-runs", plot::policy_runs(&world, seed))));
    write_plots(&args.output.plots, &pictures, &mut folder)?;
    answer(&match args.output.format {
        Format::Json => String::from_utf8_lossy(&document).into_owned(),
        Format::Csv => String::from_utf8_lossy(&curves::csv(&found)).into_owned(),
        Format::Table => curves::table(&curves::CurvesView {
            curves: &found,
            colour: stdout_has_colour(),
            seed,
            out: &folder.path().display().to_string(),
            written: &folder.listing(),
        }),
    })?;
    warn(&warnings);
    Ok(Exit::Done)
}

/// What there is to tell.
struct Found {
    curves: Curves,
    /// One world at the middle deadline.
    world: Option<World>,
    seed: u64,
    /// The folder's name.
    name: String,
    warnings: String,
}

fn of_file(file: &Path, args: &PoliciesArgs, pool: &rayon::ThreadPool) -> Result<Found, Failure> {
    let input = read(&ScenarioArgs {
        file: file.to_owned(),
        set: args.set.clone(),
        seed: args.seed.clone(),
        replications: Some(args.replications.unwrap_or(REPLICATIONS)),
    })?;
    let deadlines: Result<Vec<Span>, Failure> = args
        .deadlines
        .iter()
        .map(|text| {
            text.trim().parse().map_err(|why| Failure::Input(format!("error: `--deadlines {text}`: {why}")))
        })
        .collect();
    let asked = Asked { cluster: args.cluster.clone(), deadlines: deadlines? };
    let scenario = &input.scenario;
    let none = |why: NoCurves| Failure::Input(format!("error: {why}"));
    let curves = of_scenario(scenario, &asked, pool).map_err(none)?;
    let middle = curves.deadlines[curves.deadlines.len() / 2].deadline_h;
    let middle = Span::from_secs_saturating(middle * 3_600.0);
    let world = one_world(scenario, &asked, middle, args.world).map_err(none)?;
    let (seed, name) = (scenario.seed, scenario.name.clone());
    Ok(Found { curves, world: Some(world), seed, name, warnings: input.warnings })
}
