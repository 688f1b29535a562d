//! The project's own format of prices: CSV under `#` lines, see `data/traces/README.md`.

use super::super::{About, Prices, ReadError};
use super::failed;
use std::io::{self, BufRead, Read, Write};

/// Its columns, exactly.
pub(super) const COLUMNS: [&str; 5] = ["zone", "instance", "product", "start", "usd_per_h"];

/// A `#` line longer than this is cut.
const COMMENT_MAX: u64 = 65_536;

/// Reads the `#` lines before the data: what they say, how many they are, and whether they say `kind: prices`.
pub(super) fn comments(source: &mut impl BufRead) -> Result<(About, u64, bool), ReadError> {
    let (mut about, mut lines, mut is_own) = (About::default(), 0, false);
    loop {
        let buffer = source.fill_buf().map_err(|error| failed(&error))?;
        if buffer.first() != Some(&b'#') {
            return Ok((about, lines, is_own));
        }
        let mut line = Vec::new();
        source.by_ref().take(COMMENT_MAX).read_until(b'\n', &mut line).map_err(|error| failed(&error))?;
        if line.last() != Some(&b'\n') {
            source.skip_until(b'\n').map_err(|error| failed(&error))?;
        }
        lines += 1;
        let line = String::from_utf8_lossy(&line);
        let Some((key, value)) = line.trim_start_matches('#').trim().split_once(':') else { continue };
        let value = value.trim().to_owned();
        match key {
            "kind" => is_own = value == "prices",
            "title" => about.title = Some(value),
            "source" => about.source = Some(value),
            "licence" => about.licence = Some(value),
            "note" => about.notes.push(value),
            _ => {}
        }
    }
}

/// Writes prices in the project's own format: `# kind: prices`, what `about` says, then
/// `zone,instance,product,start,usd_per_h`, a line from which each price holds.
pub fn write(about: &About, prices: &[Prices], out: &mut impl Write) -> io::Result<()> {
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    for (key, text) in [("title", &about.title), ("source", &about.source), ("licence", &about.licence)] {
        if let Some(text) = text {
            writeln!(out, "# {key}: {}", one_line(text))?;
        }
    }
    writeln!(out, "# kind: prices")?;
    for note in &about.notes {
        writeln!(out, "# note: {}", one_line(note))?;
    }
    let mut table = csv::WriterBuilder::new().comment(Some(b'#')).from_writer(out);
    table.write_record(COLUMNS)?;
    for one in prices {
        for (at, price) in &one.changes {
            let price = price.to_string();
            let usd = price.trim_end_matches(" USD/h");
            let label = &one.label;
            table.write_record([&label.zone, &label.instance, &label.product, &at.to_string(), usd])?;
        }
    }
    table.flush()
}
