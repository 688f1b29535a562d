//! `spotsim trace stats`.

use super::others;
use super::source::{asked, read};
use crate::cli::trace::StatsArgs;
use crate::run::{Exit, Failure};

/// Describes recorded data.
pub fn stats(args: &StatsArgs) -> Result<Exit, Failure> {
    let asked = asked(&args.record)?;
    let files = args.files.iter().map(|file| read(file, &asked)).collect::<Result<Vec<_>, _>>()?;
    others::stats(args, files)
}
