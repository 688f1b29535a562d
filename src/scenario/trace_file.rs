//! Recorded capacity as text, in the two formats that a scenario can name.

use crate::capacity::recorded::{Stretch, level_of};
use crate::units::{Decimal, Span};
use serde::Deserialize;

/// Why a text is no trace.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TraceError {
    /// A 0/1 series without word of what 1 means.
    #[error("does not say what 1 means")]
    MeaningMissing,
    /// Nothing in it.
    #[error("holds no samples")]
    Empty,
    /// Neither format.
    #[error("is neither a JSON series nor a spotsim CSV: {0}")]
    Syntax(String),
    /// A line of the CSV.
    #[error("has a fault in line {line}: {fault}")]
    Line {
        /// Counted from 1, comments included.
        line: u64,
        /// What is wrong.
        fault: String,
    },
    /// A key that does not fit the file.
    #[error("{0}")]
    Mismatch(String),
}

/// Reads a trace: the JSON series of sky_spot (`{"metadata": {"gap_seconds": 600}, "data": [0, 1]}`,
/// sample k holds on [k·gap, (k+1)·gap)) or the project's own CSV of intervals (`start,duration_s,nodes`
/// under `#` lines, see `data/traces/README.md`).
///
/// `one_available` says what 1 means in a 0/1 series: never guessed. `gang` reads a count as all or
/// nothing: available where at least that many nodes are.
pub fn parse(text: &str, one_available: Option<bool>, gang: Option<u32>) -> Result<Vec<Stretch>, TraceError> {
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Err(TraceError::Empty);
    }
    if text.starts_with('{') {
        parse_json(text, one_available, gang)
    } else {
        parse_csv(text, one_available, gang)
    }
}

#[derive(Deserialize)]
struct Series {
    metadata: Metadata,
    data: Vec<u32>,
}

#[derive(Deserialize)]
struct Metadata {
    gap_seconds: serde_json::Number,
}

fn parse_json(
    text: &str,
    one_available: Option<bool>,
    gang: Option<u32>,
) -> Result<Vec<Stretch>, TraceError> {
    let series: Series = serde_json::from_str(text).map_err(|error| TraceError::Syntax(error.to_string()))?;
    let gap = series.metadata.gap_seconds.to_string().parse::<Decimal>().ok();
    let span = gap
        .and_then(|gap| gap.times(1_000_000_000))
        .and_then(|ns| u64::try_from(ns).ok())
        .filter(|&ns| ns > 0);
    let Some(span) = span.map(Span::from_ns) else {
        return Err(TraceError::Mismatch("has a `gap_seconds` that is not above 0".into()));
    };
    if series.data.is_empty() {
        return Err(TraceError::Empty);
    }
    let counts = series.data.iter().any(|&sample| sample > 1);
    let level = |sample: u32| -> Result<u32, TraceError> {
        match (gang, one_available) {
            (Some(gang), _) => Ok(level_of(sample >= gang)),
            (None, _) if counts => Ok(sample),
            (None, Some(available)) => Ok(level_of((sample == 1) == available)),
            (None, None) => Err(TraceError::MeaningMissing),
        }
    };
    if counts && one_available.is_some() {
        return Err(TraceError::Mismatch(
            "holds counts above 1, so `one_means` has no meaning; drop it".into(),
        ));
    }
    series.data.iter().map(|&sample| Ok(Stretch { span, nodes: level(sample)? })).collect()
}

fn parse_csv(text: &str, one_available: Option<bool>, gang: Option<u32>) -> Result<Vec<Stretch>, TraceError> {
    if one_available == Some(false) {
        let why = "is a spotsim CSV, where `nodes` counts what can be had; drop `one_means`";
        return Err(TraceError::Mismatch(why.into()));
    }
    let header = |name: &str| {
        text.lines().take_while(|line| line.starts_with('#')).find_map(|line| {
            line.trim_start_matches('#').trim().strip_prefix(name)?.strip_prefix(':').map(str::trim)
        })
    };
    let counts = header("kind") == Some("count");
    let mut reader =
        csv::ReaderBuilder::new().comment(Some(b'#')).trim(csv::Trim::All).from_reader(text.as_bytes());
    let columns = reader.headers().map_err(|error| TraceError::Syntax(error.to_string()))?.clone();
    if !columns.iter().eq(["start", "duration_s", "nodes"]) {
        let found: Vec<_> = columns.iter().take(8).collect();
        return Err(TraceError::Syntax(format!(
            "columns start, duration_s, nodes wanted, found {}",
            found.join(", ")
        )));
    }
    let mut stretches = Vec::new();
    let mut next_start: Option<i64> = None;
    for record in reader.records() {
        let record = record.map_err(|error| TraceError::Syntax(error.to_string()))?;
        let line = record.position().map_or(0, csv::Position::line);
        let fault = |fault: &str| TraceError::Line { line, fault: fault.to_owned() };
        let duration = record[1].parse::<Decimal>().ok().and_then(|s| s.times(1_000_000_000));
        let duration = duration.and_then(|ns| u64::try_from(ns).ok()).filter(|&ns| ns > 0);
        let span = Span::from_ns(duration.ok_or_else(|| fault("`duration_s` must be a number above 0"))?);
        let start =
            unix_s(&record[0]).ok_or_else(|| fault("`start` must be a time like 2023-02-15T22:08:16Z"))?;
        // Starts are whole seconds, durations need not be.
        if next_start.is_some_and(|next| (start - next).abs() > 1) {
            return Err(fault("`start` must be where the interval before ends"));
        }
        next_start = Some(start.saturating_add_unsigned(span.ns() / 1_000_000_000));
        let nodes: u32 = record[2].parse().map_err(|_| fault("`nodes` must be a whole number from 0"))?;
        let nodes = match gang {
            Some(gang) => level_of(nodes >= gang),
            None if counts => nodes,
            None if nodes > 1 => return Err(fault("`nodes` is 0 or 1 where `# kind` is availability")),
            None => level_of(nodes == 1),
        };
        stretches.push(Stretch { span, nodes });
    }
    if stretches.is_empty() {
        return Err(TraceError::Empty);
    }
    Ok(stretches)
}

/// Seconds since 1970 of an RFC 3339 time in UTC with whole seconds: `2023-02-15T22:08:16Z`.
fn unix_s(text: &str) -> Option<i64> {
    let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
    let fields = |text: &str, separator: char| -> Option<[i64; 3]> {
        let parts: Vec<i64> = text.split(separator).map(|part| part.parse().ok()).collect::<Option<_>>()?;
        parts.try_into().ok()
    };
    let ([year, month, day], [hour, minute, second]) = (fields(date, '-')?, fields(time, ':')?);
    let valid = (0..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && (0..24).contains(&hour)
        && (0..60).contains(&minute)
        && (0..=60).contains(&second);
    // Days from civil: years begin in March, so that a leap day is a year's last.
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days =
        365 * y + y.div_euclid(4) - y.div_euclid(100) + y.div_euclid(400) + (153 * m + 2) / 5 + day - 719_469;
    valid.then_some(86_400 * days + 3_600 * hour + 60 * minute + second)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capacity::path::ANY;

    const TWO: &str = r#"{"metadata": {"gap_seconds": 600}, "data": [1, 0]}"#;

    fn levels(text: &str, one: Option<bool>, gang: Option<u32>) -> Result<Vec<u32>, TraceError> {
        parse(text, one, gang).map(|stretches| stretches.iter().map(|s| s.nodes).collect())
    }

    #[test]
    fn polarity_is_given_never_guessed() {
        assert_eq!(levels(TWO, Some(true), None), Ok(vec![ANY, 0]));
        assert_eq!(levels(TWO, Some(false), None), Ok(vec![0, ANY]));
        assert_eq!(levels(TWO, None, None), Err(TraceError::MeaningMissing));
    }

    #[test]
    fn counts_are_levels_or_a_gang_threshold() {
        let counts = r#"{"metadata": {"gap_seconds": 195.5}, "data": [4, 2, 0]}"#;
        assert_eq!(levels(counts, None, None), Ok(vec![4, 2, 0]));
        assert_eq!(levels(counts, None, Some(3)), Ok(vec![ANY, 0, 0]));
        assert_eq!(parse(counts, None, None).unwrap()[0].span, Span::from_ns(195_500_000_000));
        assert!(matches!(levels(counts, Some(true), None), Err(TraceError::Mismatch(_))));
    }

    #[test]
    fn our_csv_says_itself_what_it_means() {
        let own = "# kind: availability\nstart,duration_s,nodes\n2023-02-15T22:08:16Z,390,1\n2023-02-15T22:14:46Z,195,0\n";
        assert_eq!(levels(own, None, None), Ok(vec![ANY, 0]));
        assert_eq!(levels(&own.replace("availability", "count"), None, None), Ok(vec![1, 0]));
        let bad = own.replace("390", "-3");
        assert!(matches!(levels(&bad, None, None), Err(TraceError::Line { line: 3, .. })));
    }

    /// `date -u -d … +%s`.
    #[test]
    fn times_are_seconds_since_1970() {
        assert_eq!(unix_s("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(unix_s("2000-02-29T12:00:00Z"), Some(951_825_600));
        assert_eq!(unix_s("2023-02-15T22:08:16Z"), Some(1_676_498_896));
        for text in ["banana", "2023-02-15 22:08:16", "2023-13-01T00:00:00Z", "2023-02-15T22:08:16+01:00"] {
            assert_eq!(unix_s(text), None, "{text}");
        }
    }

    #[test]
    fn an_interval_begins_where_the_one_before_ends() {
        let rows = |second: &str| {
            format!(
                "# kind: availability\nstart,duration_s,nodes\n2023-02-15T22:08:16Z,390,1\n{second},195,0\n"
            )
        };
        assert!(parse(&rows("2023-02-15T22:14:46Z"), None, None).is_ok());
        for second in ["2023-02-15T22:15:46Z", "2023-02-15T22:08:16Z", "banana"] {
            assert!(
                matches!(parse(&rows(second), None, None), Err(TraceError::Line { line: 4, .. })),
                "{second}"
            );
        }
    }

    #[test]
    fn what_is_no_trace_is_refused() {
        for text in
            ["", "  \n", "{}", "[1]", "a,b\n1,2\n", r#"{"metadata": {"gap_seconds": 0}, "data": [1]}"#]
        {
            assert!(parse(text, Some(true), None).is_err(), "{text:?}");
        }
        assert_eq!(
            parse(r#"{"metadata": {"gap_seconds": 1}, "data": []}"#, Some(true), None),
            Err(TraceError::Empty)
        );
    }
}
