//! `spotsim verify`.

use super::terminal::answer;
use super::{Exit, Failure};
use crate::cli::{Format, VerifyArgs};
use crate::experiment::verify::{SUITES, SuiteResult, verify as run_suites};
use crate::report::verify;
use std::fs;

/// Runs the suites that are asked for and prints a line each.
pub fn verify(args: &VerifyArgs) -> Result<Exit, Failure> {
    if let Some(suite) = &args.suite
        && SUITES.iter().all(|known| known.name != suite)
    {
        let known = SUITES.map(|suite| suite.name).join(", ");
        return Err(Failure::Input(format!(
            "error: unknown suite `{suite}`\n  = suites of this version: {known}"
        )));
    }
    let data = match &args.data {
        None => None,
        Some(path) => Some(fs::read_to_string(path).map_err(|error| {
            Failure::Input(format!("error: the rows \"{}\" cannot be read: {error}", path.display()))
        })?),
    };
    let pool = super::simulate::thread_pool(args.threads)?;
    let beside = |set: &str, zone: &str| {
        let folder = args.data.as_deref()?.parent()?;
        let names = [format!("{set}/{zone}.json"), format!("{set}/{zone}.csv"), format!("{set}-{zone}.csv")];
        names.iter().find_map(|name| fs::read_to_string(folder.join(name)).ok())
    };
    let result = pool.install(|| run_suites(args.suite.as_deref(), data.as_deref(), &beside));
    let results: Vec<SuiteResult> = result.map_err(|error| {
        let file = args.data.as_ref().map_or(String::new(), |path| format!("\"{}\": ", path.display()));
        Failure::Input(format!("error: {file}{error}"))
    })?;
    answer(&match args.format {
        Format::Table => verify::table(&results),
        Format::Json => verify::json(&results),
        Format::Csv => verify::csv(&results),
    })?;
    Ok(if results.iter().all(SuiteResult::pass) { Exit::Done } else { Exit::Missed })
}
