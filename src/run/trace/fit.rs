//! `spotsim trace fit`.

use crate::cli::trace::FitArgs;
use crate::run::{Exit, Failure};

/// Not there yet.
pub fn fit(_args: &FitArgs) -> Result<Exit, Failure> {
    Err(Failure::Other("`spotsim trace fit` is not there yet".to_owned()))
}
