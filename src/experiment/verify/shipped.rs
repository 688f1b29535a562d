//! Recordings that come with the program, and those beside a file of rows.

use crate::records::{self, Format, How, OneMeans, Recording};

/// A recording by the names of its set and its zone.
pub type Find<'a> = &'a dyn Fn(&str, &str) -> Option<String>;

/// The recording of a zone, shipped or `beside` the rows. `counts`: whether a series of numbers counts nodes; else 1
/// means preempted, as in the files of sky_spot.
pub(super) fn recording(set: &str, zone: &str, counts: bool, beside: Find<'_>) -> Result<Recording, String> {
    let text = text(set, zone, beside)?;
    let how = match text.trim_start().starts_with('{') && counts {
        true => How { format: Some(Format::SkySpotCounts), ..How::default() },
        false => How { one_means: Some(OneMeans::Preempted), ..How::default() },
    };
    records::read(text.as_bytes(), &how).map_err(|error| format!("the trace {error}"))
}

/// Recordings by their names under `data/traces`.
macro_rules! shipped {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../../data/traces/", $name, ".csv")))),*]
    };
}

/// Those that the rows of `verify traces` and `verify node-hours` are about.
pub(super) const SHIPPED: [(&str, &str); 40] = shipped![
    "aws-2023-02-15-v100-us-east-1a",
    "aws-2023-02-15-v100-us-east-1c",
    "aws-2023-02-15-v100-us-east-1d",
    "aws-2023-02-15-v100-us-east-1f",
    "aws-2023-02-15-v100-us-east-2a",
    "aws-2023-02-15-v100-us-east-2b",
    "aws-2023-02-15-v100-us-west-2a",
    "aws-2023-02-15-v100-us-west-2b",
    "aws-2023-02-15-v100-us-west-2c",
    "aws-2023-08-03-v100-4node-preemption-us-east-1f",
    "aws-2023-08-03-v100-4node-preemption-us-east-2a",
    "aws-2023-08-03-v100-4node-preemption-us-west-2c",
    "aws-2023-08-07-v100-4node-600s-us-east-1f",
    "aws-2023-08-07-v100-4node-600s-us-east-2a",
    "aws-2023-08-07-v100-4node-600s-us-west-2c",
    "aws-2023-08-07-v100-4node-us-east-1f",
    "aws-2023-08-07-v100-4node-us-east-2a",
    "aws-2023-08-07-v100-4node-us-west-2c",
    "aws-2023-08-27-v100-16node-us-east-2b",
    "aws-2023-08-27-v100-16node-us-west-2a",
    "aws-2023-08-27-v100-16node-us-west-2c",
    "bamboo-g4dn-trace",
    "bamboo-p3-trace",
    "gcp-2025-10-04-h100-asia-south2-b",
    "gcp-2025-10-04-h100-asia-southeast1-b",
    "gcp-2025-10-04-h100-asia-southeast1-c",
    "gcp-2025-10-04-h100-europe-west1-c",
    "gcp-2025-10-04-h100-europe-west3-c",
    "gcp-2025-10-04-h100-us-central1-a",
    "gcp-2025-10-04-h100-us-central1-b",
    "gcp-2025-10-04-h100-us-central1-c",
    "gcp-2025-10-04-h100-us-east4-a",
    "gcp-2025-10-04-h100-us-east4-b",
    "gcp-2025-10-04-h100-us-east5-a",
    "gcp-2025-10-04-h100-us-west1-a",
    "gcp-2025-10-04-h100-us-west1-b",
    "parcae-gpt-1.5b-hh",
    "parcae-gpt-1.5b-hl",
    "parcae-gpt-1.5b-lh",
    "parcae-gpt-1.5b-ll",
];

/// The text of a recording, shipped or beside the rows.
pub(super) fn text(set: &str, zone: &str, beside: Find<'_>) -> Result<String, String> {
    let name = format!("{set}-{zone}");
    let shipped = SHIPPED.iter().find(|(known, _)| *known == name).map(|(_, text)| (*text).to_owned());
    shipped.or_else(|| beside(set, zone)).ok_or_else(|| "no trace of that name".to_owned())
}
