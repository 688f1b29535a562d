//! `spotsim trace import`.

use super::source::{Source, how, refused, remark};
use super::target::{Target, failed};
use crate::cli::trace::ImportArgs;
use crate::records::own::Writer;
use crate::records::{ReadError, stream_zone};
use crate::run::{Exit, Failure};

/// Reads a file of recorded capacity in any format and writes it in the project's own, row by row.
pub fn import(args: &ImportArgs) -> Result<Exit, Failure> {
    let how = how(&args.record)?;
    let source = Source::open(&args.file)?;
    let mut target = Target::new(args.out.as_deref())?;
    let mut writer = Writer::new(&mut target);
    let read = stream_zone(source.bytes, &how, args.record.zone.as_deref(), &mut writer);
    let remarks = match read {
        Ok(remarks) => remarks,
        Err(ReadError::Stopped) => Vec::new(),
        Err(error) => return Err(refused(&source.name, &error)),
    };
    writer.finish().map_err(failed)?;
    target.finish()?;
    remark(&source.name, &remarks);
    Ok(Exit::Done)
}
