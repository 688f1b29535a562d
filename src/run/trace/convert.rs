//! `spotsim trace convert`.

use super::source::{asked, quantity, read, remark, unknown};
use super::target::{Target, failed};
use crate::cli::trace::{ConvertArgs, OneMeansArg};
use crate::records::write::{Choices, Export, WriteError, write};
use crate::records::{OneMeans, Remark};
use crate::run::{Exit, Failure};
use crate::units::Span;

/// Reads a file of recorded data in any format, into memory, and writes it in another.
pub fn convert(args: &ConvertArgs) -> Result<Exit, Failure> {
    let asked = asked(&args.import.record)?;
    let export = export(&args.to)?;
    let choices = Choices {
        one_means: args.write_one_means.map(|means| match means {
            OneMeansArg::Available => OneMeans::Available,
            OneMeansArg::Preempted => OneMeans::Preempted,
        }),
        gap: quantity::<Span>("--gap", args.gap.as_deref())?,
        gang: args.gang,
    };
    let source = read(&args.import.file, &asked)?;
    let mut target = Target::new(args.import.out.as_deref())?;
    let said = match write(&source.recording, export, &choices, &mut target) {
        Ok(said) => said,
        Err(WriteError::Failed(error)) => return Err(failed(error)),
        Err(WriteError::NotPossible(why)) => {
            return Err(Failure::Input(format!(
                "error: \"{}\" cannot be written as {}: {why}",
                source.name, args.to
            )));
        }
    };
    target.finish()?;
    remark(&source.name, &source.recording.remarks);
    let said: Vec<Remark> = said.into_iter().map(|text| Remark::note(None, text)).collect();
    remark(&source.name, &said);
    Ok(Exit::Done)
}

/// The format of this name.
pub fn export(name: &str) -> Result<Export, Failure> {
    Export::of_name(name).ok_or_else(|| unknown("--to", name, Export::ALL.iter().map(|(name, _)| *name)))
}
