//! `spotsim merge`.

use super::command_line::{check, command};
use super::files::{Folder, Pending};
use super::gather::{Part, gather, refused};
use super::input::{Input, read, warn};
use super::points::Way;
use super::progress::now;
use super::sensitivity::sensitivity;
use super::shard::SUMS;
use super::simulate::{Done, ROWS, Telling, conclude, thread_pool};
use super::sweep::sweep;
use super::{Exit, Failure};
use crate::cli::{Command, MergeArgs, RunArgs, SensitivityArgs, SweepArgs};
use crate::experiment::Replicated;
use crate::report::csv;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};

/// Puts shards together and tells the whole as the command itself would have.
pub fn merge(args: &MergeArgs) -> Result<Exit, Failure> {
    let parts = gather(&args.folders)?;
    let head = &parts[0].head;
    match command(head, args.scenario.as_deref())? {
        Command::Run(run) => of_run(args, &run, &parts),
        Command::Sensitivity(asked) => {
            let (output, threads) = (args.output.clone(), args.threads);
            sensitivity(&SensitivityArgs { output, threads, ..asked }, &Way::Merged(&parts))
        }
        Command::Sweep(asked) => {
            let (output, threads) = (args.output.clone(), args.threads);
            sweep(&SweepArgs { output, threads, ..asked }, &Way::Merged(&parts))
        }
        _ => Err(refused(&format!("`spotsim {}` has no shards", head.command))),
    }
}

fn of_run(args: &MergeArgs, run: &RunArgs, parts: &[Part]) -> Result<Exit, Failure> {
    let begin = now();
    let input = read(&run.scenario)?;
    check(&parts[0].head, &input.file, &input.scenario)?;
    warn(&input.warnings);
    let pool = thread_pool(args.threads)?;
    // Nothing is written before all sums are read.
    let replicated = sums(parts, &input)?;
    let mut folder = Folder::of(&args.output, &input.scenario.name)?.alone()?;
    let mut file = folder.begin(ROWS)?;
    rows(parts, &mut file)?;
    folder.finish(ROWS, file)?;
    let telling = Telling { input: &input, output: &args.output, explain_cost: None, pool: &pool, begin };
    let count = replicated.iter().map(|one| one.tally.replications).max().unwrap_or(0);
    conclude(&telling, Done { replicated, batches: Vec::new(), count }, &mut folder)
}

/// Adds the shards up in their order, one after another, so that memory does not grow with their number.
fn sums(parts: &[Part], input: &Input) -> Result<Vec<Replicated>, Failure> {
    let clusters = input.scenario.clusters.len();
    let mut all = vec![Replicated::default(); clusters];
    for part in parts {
        let path = part.folder.join(SUMS);
        let wrong = |why: String| Failure::Input(format!("error: {} cannot be used: {why}", path.display()));
        let bytes = fs::read(&path).map_err(|error| wrong(error.to_string()))?;
        let sums: Vec<Replicated> =
            serde_json::from_slice(&bytes).map_err(|error| wrong(error.to_string()))?;
        if sums.len() != clusters {
            return Err(wrong(format!("it is of {} clusters, and there are {clusters}", sums.len())));
        }
        all.iter_mut().zip(&sums).for_each(|(all, one)| all.merge(one));
    }
    Ok(all)
}

/// Writes the rows of all shards below one header.
fn rows(parts: &[Part], file: &mut Pending) -> Result<(), Failure> {
    let fail = |source| Failure::Write { what: format!("cannot write {ROWS}"), source };
    file.write_all(csv::REPLICATIONS_HEADER.as_bytes()).map_err(fail)?;
    for part in parts {
        let path = part.folder.join(ROWS);
        let mut copy = || {
            let mut rows = BufReader::with_capacity(1 << 16, File::open(&path)?);
            rows.skip_until(b'\n')?;
            io::copy(&mut rows, file)
        };
        let what = || format!("cannot copy the rows of {}", path.display());
        copy().map_err(|source| Failure::Write { what: what(), source })?;
    }
    Ok(())
}
