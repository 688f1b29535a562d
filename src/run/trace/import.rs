//! `spotsim trace import`.

use super::source::{Source, asked, refused, remark};
use super::target::{Target, failed};
use crate::cli::trace::ImportArgs;
use crate::records::own::{self, Writer};
use crate::records::{Opened, ReadError, Remark, open, stream_zone};
use crate::run::{Exit, Failure};

/// Reads a file of recorded data in any format and writes it in the project's own; capacity row by row.
pub fn import(args: &ImportArgs) -> Result<Exit, Failure> {
    let asked = asked(&args.record)?;
    let Source { name, bytes } = Source::open(&args.file)?;
    let mut target = Target::new(args.out.as_deref())?;
    let refused = |error: ReadError| refused(&name, &error);
    let remarks: Vec<Remark> = match open(bytes, asked.format, &asked.how).map_err(refused)? {
        Opened::Capacity(source) => {
            let mut writer = Writer::new(&mut target);
            let remarks = match stream_zone(source, &asked.how, asked.zone.as_deref(), &mut writer) {
                // The writer knows why.
                Err(ReadError::Stopped) => Vec::new(),
                read => read.map_err(refused)?,
            };
            writer.finish().map_err(failed)?;
            remarks
        }
        Opened::Other(recording) => {
            let recording = recording.of_zone(asked.zone.as_deref()).map_err(refused)?;
            own::write(&recording, &mut target).map_err(failed)?;
            recording.remarks
        }
    };
    target.finish()?;
    remark(&name, &remarks);
    Ok(Exit::Done)
}
