//! `spotsim trace`.

mod convert;
mod fit;
mod import;
mod others;
mod source;
mod stats;
mod synth;
mod target;

use super::{Exit, Failure};
use crate::cli::trace::{TraceArgs, TraceCommand};

/// Reads, describes, fits or draws recorded data.
pub fn trace(args: &TraceArgs) -> Result<Exit, Failure> {
    match &args.command {
        TraceCommand::Import(args) => import::import(args),
        TraceCommand::Convert(args) => convert::convert(args),
        TraceCommand::Stats(args) => stats::stats(args),
        TraceCommand::Fit(args) => fit::fit(args),
        TraceCommand::Synth(args) => synth::synth(args),
    }
}
