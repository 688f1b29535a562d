//! The replays of JF-D/Parcae: a JSON array on each line, `[ms, "add" | "remove" | "no-op", {"nodes": [NAME…],
//! "duration": ms, …}]`. The last line ends after its duration.

use super::super::faults::Faults;
use super::super::nodes::Nodes;
use super::super::sink::Sink;
use super::super::{How, ReadError, Remark};
use crate::units::Timestamp;
use serde::Deserialize;
use std::io::{BufRead, Read};

/// A longer line is not held.
const LINE_MAX: u64 = 1 << 24;

#[derive(Deserialize)]
struct Step(u64, String, Change);

#[derive(Deserialize)]
struct Change {
    #[serde(default)]
    nodes: Vec<String>,
    duration: Option<u64>,
}

/// Reads a replay into `sink`.
pub fn read(mut source: impl BufRead, how: &How, sink: &mut dyn Sink) -> Result<Vec<Remark>, ReadError> {
    let failed = |error: std::io::Error| ReadError::Unreadable(error.to_string());
    let (mut faults, mut nodes) = (Faults::default(), Nodes::new(how, sink));
    let (mut text, mut line, mut end) = (Vec::new(), 0_u64, None);
    loop {
        text.clear();
        let length = source.by_ref().take(LINE_MAX).read_until(b'\n', &mut text).map_err(failed)?;
        if length == 0 {
            break;
        }
        line += 1;
        if length as u64 == LINE_MAX && text.last() != Some(&b'\n') {
            faults.add(line, format!("is longer than {LINE_MAX} bytes"));
            source.skip_until(b'\n').map_err(failed)?;
            continue;
        }
        if text.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let step: Step = match serde_json::from_slice(&text) {
            Ok(step) => step,
            Err(error) => {
                faults.add(line, format!("is no step of a replay: {error}"));
                continue;
            }
        };
        match take(&step, &mut nodes)? {
            Ok(until) => end = Some(until),
            Err(fault) => faults.add(line, fault),
        }
    }
    faults.refuse()?;
    nodes.end(end)
}

/// Carries out a step; when it ends.
fn take(step: &Step, nodes: &mut Nodes<'_>) -> Result<Result<Timestamp, String>, ReadError> {
    let Step(ms, event, change) = step;
    let ns = |ms: u64| i64::try_from(ms).ok().and_then(|ms| ms.checked_mul(1_000_000));
    let (Some(at), Some(end)) = (ns(*ms), ns(ms.saturating_add(change.duration.unwrap_or(0)))) else {
        return Ok(Err("its time is too late to be told".to_owned()));
    };
    let (at, end) = (Timestamp::from_unix_ns(at), Timestamp::from_unix_ns(end));
    match nodes.pass(at)? {
        Ok(true) => {}
        Ok(false) => return Ok(Ok(end)),
        Err(fault) => return Ok(Err(fault)),
    }
    for node in &change.nodes {
        let done = match event.as_str() {
            "add" => nodes.add(at, node.as_bytes()),
            "remove" => nodes.remove(at, node.as_bytes())?,
            "no-op" => Ok(()),
            other => {
                let found: String = other.chars().take(40).collect();
                Err(format!("`add`, `remove` or `no-op` wanted, found `{found}`"))
            }
        };
        if let Err(fault) = done {
            return Ok(Err(fault));
        }
    }
    Ok(Ok(end))
}
