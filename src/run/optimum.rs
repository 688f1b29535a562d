//! `spotsim optimum`.

use super::input::{read, warn};
use super::simulate::thread_pool;
use super::terminal::{answer, stdout_has_colour};
use super::{Exit, Failure};
use crate::cli::{Format, OptimumArgs};
use crate::experiment::optimum::optima;
use crate::report::{json, optimum};

/// Simulations of each interval, unless told otherwise: intervals are compared by theory, and the
/// scenario's own number of replications, meant for one run, would be spent ten times over.
const REPLICATIONS: u64 = 2_000;

/// Finds the best interval between saves of each Spot cluster and prints what others come to.
pub fn optimum(args: &OptimumArgs) -> Result<Exit, Failure> {
    let input = read(&args.scenario)?;
    let scenario = &input.scenario;
    let pool = thread_pool(args.threads)?;
    let replications = args.scenario.replications.unwrap_or(REPLICATIONS);
    let optima = optima(scenario, replications, &pool);
    if optima.found.is_empty() {
        let mut text = format!("error: no Spot cluster of {} has a best interval by theory", input.file);
        for reason in optimum::reasons(&optima.without) {
            text += &format!("\n  = {reason}");
        }
        return Err(Failure::Input(text));
    }
    answer(&match args.format {
        Format::Json => {
            let document = optimum::json(scenario, replications, &optima);
            String::from_utf8_lossy(&json::to_bytes(&document)).into_owned()
        }
        Format::Csv => String::from_utf8_lossy(&optimum::csv(&optima)).into_owned(),
        Format::Table => optimum::table(&optima, replications, stdout_has_colour()),
    })?;
    warn(&input.warnings);
    Ok(Exit::Done)
}
