//! `spotsim trace synth`.

use crate::cli::trace::SynthArgs;
use crate::run::{Exit, Failure};

/// Not there yet.
pub fn synth(_args: &SynthArgs) -> Result<Exit, Failure> {
    Err(Failure::Other("`spotsim trace synth` is not there yet".to_owned()))
}
