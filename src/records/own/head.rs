//! What the `#` lines say.

use super::super::About;
use super::text::{one_line, seconds};
use crate::units::{Decimal, Span};
use std::io::{self, Write};

/// What the last line of this key says.
pub(super) fn comment<'c>(comments: &'c [(String, String)], name: &str) -> Option<&'c str> {
    comments.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
}

/// What a file says of itself.
pub(super) fn about(comments: &[(String, String)]) -> About {
    let text = |name| comment(comments, name).map(str::to_owned);
    About {
        title: text("title"),
        source: text("source"),
        licence: text("licence"),
        sample: comment(comments, "sample_s").and_then(span_of),
        start_assumed: comment(comments, "start") == Some("assumed"),
        notes: comments.iter().filter(|(key, _)| key == "note").map(|(_, text)| text.clone()).collect(),
    }
}

/// Writes it.
pub(super) fn write(about: &About, kind: &str, out: &mut impl Write) -> io::Result<()> {
    for (key, text) in [("title", &about.title), ("source", &about.source), ("licence", &about.licence)] {
        if let Some(text) = text {
            writeln!(out, "# {key}: {}", one_line(text))?;
        }
    }
    writeln!(out, "# kind: {kind}")?;
    if let Some(sample) = about.sample {
        writeln!(out, "# sample_s: {}", seconds(sample))?;
    }
    if about.start_assumed {
        writeln!(out, "# start: assumed")?;
    }
    for note in &about.notes {
        writeln!(out, "# note: {}", one_line(note))?;
    }
    Ok(())
}

/// Seconds above 0.
pub(super) fn span_of(text: &str) -> Option<Span> {
    let ns = text.parse::<Decimal>().ok()?.times(1_000_000_000)?;
    u64::try_from(ns).ok().filter(|&ns| ns > 0).map(Span::from_ns)
}
