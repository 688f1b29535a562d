//! `spotsim trace convert`.

use crate::cli::trace::ConvertArgs;
use crate::run::{Exit, Failure};

/// Not there yet.
pub fn convert(_args: &ConvertArgs) -> Result<Exit, Failure> {
    Err(Failure::Other("`spotsim trace convert` is not there yet".to_owned()))
}
