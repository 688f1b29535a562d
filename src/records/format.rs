//! Which format a text is in, by what it begins with.

use super::ReadError;
use super::faults::Faults;
use super::own;
use super::read::{availability, count_series, node_events, pool_log};
use super::rows::Rows;

/// A format of recorded capacity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// The project's own.
    Own,
    /// JSON of sky_spot: 0 and 1, or counts that show by a value above 1.
    SkySpot,
    /// JSON of sky_spot that holds counts, whatever its values.
    SkySpotCounts,
    /// Rounds of probes, JSON.
    ProbeRounds,
    /// `date,availability`.
    AvailabilityCsv,
    /// `scheduled_at,status,ZONE…`.
    CountTable,
    /// A time, `add` or `remove`, and a node.
    NodeEvents,
    /// `date, time, count`.
    PoolLog,
    /// A time and a count.
    CountSeries,
    /// JSON arrays of Parcae, one a line.
    ParcaeReplay,
}

impl Format {
    /// All, with the names that they are given by, and what they are in words.
    pub const ALL: [(&'static str, Self, &'static str); 10] = [
        ("own", Self::Own, "spotsim's own format"),
        ("sky-spot", Self::SkySpot, "a JSON series (metadata and data)"),
        ("sky-spot-counts", Self::SkySpotCounts, "a JSON series of counts"),
        ("probe-rounds", Self::ProbeRounds, "rounds of probes in JSON"),
        ("availability-csv", Self::AvailabilityCsv, "samples of 0 and 1 with their times"),
        ("count-table", Self::CountTable, "a table of counts by zone"),
        ("node-events", Self::NodeEvents, "nodes that come and go"),
        ("pool-log", Self::PoolLog, "a log of a pool's size"),
        ("count-series", Self::CountSeries, "counts of nodes over time"),
        ("parcae-replay", Self::ParcaeReplay, "a replay of Parcae"),
    ];

    /// The format of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(word, _, _)| *word == name).map(|&(_, format, _)| format)
    }

    /// What it is, in words.
    pub fn words(self) -> &'static str {
        Self::ALL.iter().find(|(_, format, _)| *format == self).map_or("", |(_, _, words)| words)
    }
}

/// The format of a text that begins with `head`; some thousand bytes are enough.
pub fn detect(head: &[u8]) -> Result<Format, ReadError> {
    if head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]) {
        return Err(ReadError::Syntax("is UTF-16 text; save it as UTF-8".to_owned()));
    }
    match head.iter().find(|byte| !byte.is_ascii_whitespace()) {
        None => Err(ReadError::Empty("samples")),
        Some(b'{') => of_object(head),
        Some(b'[') => Ok(Format::ParcaeReplay),
        Some(_) => of_table(head),
    }
}

fn of_object(head: &[u8]) -> Result<Format, ReadError> {
    let keys = keys(head);
    let has = |key: &str| keys.iter().any(|found| found == key);
    if has("metadata") || has("data") {
        return Ok(Format::SkySpot);
    }
    if has("zone_results") || has("scheduled_at") {
        return Ok(Format::ProbeRounds);
    }
    let found: Vec<&str> = keys.iter().take(8).map(String::as_str).collect();
    let found = if found.is_empty() { "none".to_owned() } else { found.join(", ") };
    Err(unknown(&format!("JSON with the keys {found}")))
}

fn of_table(head: &[u8]) -> Result<Format, ReadError> {
    let (mut rows, mut faults) = (Rows::new(head), Faults::default());
    let Some(first) = rows.next(&mut faults)? else {
        // Nothing but comments.
        faults.refuse()?;
        return Err(ReadError::Empty("samples"));
    };
    let names = first.names();
    let is = |name: &str| names.iter().any(|found| found == name);
    let format = if own::is_header(&names) {
        Format::Own
    } else if is("scheduled_at") {
        Format::CountTable
    } else if availability::is_header(&names) {
        Format::AvailabilityCsv
    } else if node_events::is_event(first) {
        Format::NodeEvents
    } else if pool_log::is_row(first) {
        Format::PoolLog
    } else if count_series::is_row(first) || count_series::is_header(&names) {
        Format::CountSeries
    } else if node_events::is_header(&names) {
        Format::NodeEvents
    } else if rows.comments.iter().any(|(key, _)| key == "kind") {
        Format::Own
    } else {
        let found: String = names.join(", ").chars().take(80).collect();
        return Err(unknown(&format!("a table that begins with {found}")));
    };
    Ok(format)
}

fn unknown(what: &str) -> ReadError {
    let known: Vec<&str> = Format::ALL.iter().map(|(name, _, _)| *name).collect();
    ReadError::Syntax(format!("is in no format that is known ({what}); known are {}", known.join(", ")))
}

/// Keys of the outermost object, as far as the text goes.
fn keys(text: &[u8]) -> Vec<String> {
    let (mut keys, mut depth, mut string, mut last) = (Vec::new(), 0_u32, None, None);
    let mut escaped = false;
    for (at, &byte) in text.iter().enumerate() {
        match (string, byte) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), b'\\') => escaped = true,
            (Some(from), b'"') => {
                last = Some(&text[from..at]);
                string = None;
            }
            (Some(_), _) => {}
            (None, b'"') => string = Some(at + 1),
            (None, b'{' | b'[') => depth = depth.saturating_add(1),
            (None, b'}' | b']') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    break;
                }
            }
            (None, b':') if depth == 1 => {
                keys.extend(last.take().map(|key| String::from_utf8_lossy(key).into_owned()));
            }
            _ => {}
        }
        if keys.len() == 64 {
            break;
        }
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_those_of_the_outermost_object() {
        let text = br#" {"a": {"b": 1}, "c\"d": [":", {"e": 2}], "f": "g", "data": [1"#;
        assert_eq!(keys(text), ["a", "c\\\"d", "f", "data"]);
    }

    #[test]
    fn each_format_is_known_by_its_begin() {
        for (text, format) in [
            ("# kind: count\nstart,duration_s,nodes\n", Format::Own),
            ("# kind: stays\nnode,zone,start,duration_s,ended\n", Format::Own),
            ("{\"metadata\": {\"gap_seconds\": 1}, \"data\": [", Format::SkySpot),
            ("{\"run_id\": \"x\", \"scheduled_at\": \"2025-10-03T17:10:00-07:00\"", Format::ProbeRounds),
            ("date,availability\n", Format::AvailabilityCsv),
            ("scheduled_at,status,us-east-1a\n", Format::CountTable),
            ("0,add,node1\n", Format::NodeEvents),
            ("\u{feff}node,event,t_ms\r\n", Format::NodeEvents),
            ("node,kind,when\n", Format::NodeEvents),
            ("2021-12-11, 11:11:30, 55\n", Format::PoolLog),
            ("0.030,9\n", Format::CountSeries),
            ("t_ms,count\n", Format::CountSeries),
            ("[0, \"add\", {\"nodes\": []}]\n", Format::ParcaeReplay),
        ] {
            assert_eq!(detect(text.as_bytes()), Ok(format), "{text}");
        }
        assert_eq!(detect(b"\n  \n"), Err(ReadError::Empty("samples")));
        for text in [&b"\xff\xfex"[..], b"{\"a\": 1}", b"hello", b"a,b\n1,2\n"] {
            assert!(matches!(detect(text), Err(ReadError::Syntax(_))), "{text:?}");
        }
    }
}
