//! `spotsim trace convert`.

use super::source::{Source, how, quantity, refused, remark, unknown};
use super::target::{Target, failed};
use crate::cli::trace::{ConvertArgs, OneMeansArg};
use crate::records::write::{Choices, Export, WriteError, write};
use crate::records::{OneMeans, Remark, collect};
use crate::run::{Exit, Failure};
use crate::units::Span;

/// Reads a file of recorded capacity in any format, into memory, and writes it in another.
pub fn convert(args: &ConvertArgs) -> Result<Exit, Failure> {
    let how = how(&args.import.record)?;
    let export = export(&args.to)?;
    let choices = Choices {
        one_means: args.write_one_means.map(|means| match means {
            OneMeansArg::Available => OneMeans::Available,
            OneMeansArg::Preempted => OneMeans::Preempted,
        }),
        gap: quantity::<Span>("--gap", args.gap.as_deref())?,
        gang: args.gang,
    };
    let source = Source::open(&args.import.file)?;
    let recording = collect(source.bytes, &how, args.import.record.zone.as_deref())
        .map_err(|error| refused(&source.name, &error))?;
    let mut target = Target::new(args.import.out.as_deref())?;
    let said = match write(&recording, export, &choices, &mut target) {
        Ok(said) => said,
        Err(WriteError::Failed(error)) => return Err(failed(error)),
        Err(WriteError::NotPossible(why)) => {
            return Err(Failure::Input(format!("error: \"{}\" cannot be written as {}: {why}", source.name, args.to)));
        }
    };
    target.finish()?;
    remark(&source.name, &recording.remarks);
    let said: Vec<Remark> = said.into_iter().map(|text| Remark::note(None, text)).collect();
    remark(&source.name, &said);
    Ok(Exit::Done)
}

/// The format of this name.
pub fn export(name: &str) -> Result<Export, Failure> {
    Export::of_name(name).ok_or_else(|| unknown("--to", name, Export::ALL.iter().map(|(name, _)| *name)))
}
