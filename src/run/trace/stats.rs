//! `spotsim trace stats`.

use crate::cli::trace::StatsArgs;
use crate::run::{Exit, Failure};

/// Not there yet.
pub fn stats(_args: &StatsArgs) -> Result<Exit, Failure> {
    Err(Failure::Other("`spotsim trace stats` is not there yet".to_owned()))
}
