//! `spotsim trace import`.

use crate::cli::trace::ImportArgs;
use crate::run::{Exit, Failure};

/// Not there yet.
pub fn import(_args: &ImportArgs) -> Result<Exit, Failure> {
    Err(Failure::Other("`spotsim trace import` is not there yet".to_owned()))
}
