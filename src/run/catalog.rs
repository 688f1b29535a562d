//! `spotsim catalog`.

use super::terminal::answer;
use super::{Exit, Failure};
use crate::cli::{CatalogArgs, CatalogPart, Format};
use crate::report::catalog::{Part, listing};
use crate::report::json;

/// Prints facts with their sources.
pub fn catalog(args: &CatalogArgs) -> Result<Exit, Failure> {
    let part = match args.part {
        CatalogPart::Instances => Part::Instances,
        CatalogPart::Gpus => Part::Gpus,
        CatalogPart::Models => Part::Models,
        CatalogPart::Networks => Part::Networks,
        CatalogPart::AllReduce => Part::AllReduce,
        CatalogPart::Calibrations => Part::Calibrations,
    };
    let listing = listing(part, args.find.as_deref());
    if listing.is_empty() {
        let find = args.find.as_deref().unwrap_or_default();
        return Err(Failure::Input(format!(
            "error: no name in the catalogue's {} contains \"{find}\"",
            part.name()
        )));
    }
    answer(&match args.format {
        Format::Table => listing.table(),
        Format::Csv => listing.csv(),
        Format::Json => String::from_utf8_lossy(&json::to_bytes(&listing.json())).into_owned(),
    })?;
    Ok(Exit::Done)
}
