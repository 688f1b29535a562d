//! Rounds of probes as JSON, one object each, one after the other: `scheduled_at`, `interval_sec`, `status`, and in
//! `zone_results` how many `instances_created` each zone gave. Instances are deleted after the probe: a lower
//! count is a launch that failed, not a node that was lost.

use super::super::cells::{civil, plain};
use super::super::samples::Samples;
use super::super::sink::{Kind, Sink};
use super::super::{About, How, ReadError, Remark};
use crate::units::Span;
use serde::Deserialize;
use serde_json::Deserializer;
use std::collections::BTreeMap;
use std::io::BufRead;

#[derive(Deserialize)]
struct Round {
    scheduled_at: String,
    interval_sec: Option<u32>,
    status: Option<String>,
    zone_results: BTreeMap<String, Zone>,
}

#[derive(Deserialize)]
struct Zone {
    instances_created: Option<u32>,
}

/// Reads rounds into `sink`.
pub fn read(source: impl BufRead, how: &How, sink: &mut dyn Sink) -> Result<Vec<Remark>, ReadError> {
    let mut rounds = Deserializer::from_reader(source).into_iter::<Round>().peekable();
    let sample = match rounds.peek() {
        Some(Ok(round)) => round.interval_sec.filter(|&s| s > 0).map(|s| Span::from_s(s.into())),
        _ => None,
    };
    let about = About { sample, ..About::default() };
    let zones: Vec<String> = match rounds.peek() {
        Some(Ok(round)) => round.zone_results.keys().map(|zone| plain(zone)).collect(),
        _ => Vec::new(),
    };
    let mut samples = Samples::new(about, Kind::Counts, Vec::new(), sink);
    for zone in &zones {
        samples.zone(zone);
    }
    let (mut seen, mut failed) = (Vec::new(), 0_u64);
    for (number, round) in rounds.enumerate() {
        let round = round.map_err(|error| ReadError::from_json(&error))?;
        let fault =
            |fault: String| ReadError::Syntax(format!("has a fault in round {}: {fault}", number + 1));
        let at = civil(&round.scheduled_at, how.local).map_err(fault)?;
        let looked = round.status.as_deref().is_none_or(|status| status == "success");
        failed += u64::from(!looked);
        seen.iter_mut().for_each(|level| *level = None);
        for (zone, result) in &round.zone_results {
            let index = samples.zone(&plain(zone));
            if seen.len() <= index {
                seen.resize(index + 1, None);
            }
            seen[index] = result.instances_created.filter(|_| looked);
        }
        samples.sample(at, &seen)?.map_err(fault)?;
    }
    let mut remarks = samples.end()?;
    remarks.push(Remark::note(None, "counts are of launches that were tried, not of nodes that were held"));
    if failed > 0 {
        let text = format!("{failed} rounds did not end with `success`: nothing is taken from them");
        remarks.push(Remark::warning(None, text));
    }
    Ok(remarks)
}
