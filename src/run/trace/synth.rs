//! `spotsim trace synth`.

use super::convert::export;
use super::source::{quantity, remark};
use super::target::{Target, failed};
use crate::cli::trace::SynthArgs;
use crate::records::Remark;
use crate::records::write::{Choices, Export, WriteError, write};
use crate::run::input::{read, warn};
use crate::run::{Exit, Failure};
use crate::trace::synth::synth as draw;
use crate::units::Span;

/// Draws a trace from a scenario's `[capacity]` and writes it.
pub fn synth(args: &SynthArgs) -> Result<Exit, Failure> {
    let length: Span = quantity("--length", Some(&args.length))?.unwrap_or_default();
    if length.is_zero() {
        return Err(Failure::Input(format!("error: `--length {}`: must be above 0", args.length)));
    }
    let to = args.to.as_deref().map_or(Ok(Export::Own), export)?;
    let choices = Choices { gap: quantity("--gap", args.gap.as_deref())?, ..Choices::default() };
    let input = read(&args.scenario)?;
    let recording = draw(&input.scenario, args.replication, length)
        .map_err(|error| Failure::Input(format!("error: {error}")))?;
    let mut target = Target::new(args.out.as_deref())?;
    let said = write(&recording, to, &choices, &mut target).map_err(|error| match error {
        WriteError::Failed(error) => failed(error),
        WriteError::NotPossible(why) => {
            let to = args.to.as_deref().unwrap_or("own");
            Failure::Input(format!("error: what is drawn cannot be written as {to}: {why}"))
        }
    })?;
    target.finish()?;
    warn(&input.warnings);
    let said: Vec<Remark> = said.into_iter().map(|text| Remark::note(None, text)).collect();
    remark(&input.scenario.name, &said);
    Ok(Exit::Done)
}
