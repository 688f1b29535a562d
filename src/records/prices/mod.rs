//! Recorded Spot prices, one file a format.
//!
//! A record says: from this instant on, an instance of this type in this zone costs so much, until the next
//! record of the same zone, type and product. A stretch without records is one without change. What holds for
//! every format:
//!
//! * Records may come in any order; they are sorted.
//! * Records that say the same twice (pages that overlap) are dropped and counted.
//! * Two prices of one zone, type and product at one instant are refused, both named: which of them held
//!   cannot be known, and the order in a file says nothing.
//! * A price is a decimal number of US dollars an instance-hour, above 0; a `$` before it is taken. Anything
//!   else (NaN, inf, N/A, nothing, 0, a negative number, a decimal comma) is refused with its line. With
//!   [`How::skip_bad`] it is left out and told, and the last good price goes on.
//! * A time without a zone is refused unless [`How::local`] says which it is; the series of sky_spot is the
//!   one exception, as its makers write UTC.
//!
//! Memory: 24 bytes a record in a list that doubles as it grows, so 72 at the most while it is read, then 16 a
//! change; and the names of each series once. A GB of `describe-spot-price-history` JSON (about 200 bytes a
//! record) so needs up to 360 MB, a GB of the tab-separated archive (about 60 bytes a record) 1.2 GB.

mod amount;
mod aws;
mod collect;
mod gcp;
mod json;
mod own;
mod sky_spot;
mod table;

pub use own::write;

use super::{Content, How, ReadError, Recording};
use collect::Collector;
use std::io::{BufRead, Cursor, Read};

/// Reads recorded prices in any known format: JSON of `aws ec2 describe-spot-price-history` (one page, many,
/// or bare records), of sky_spot and of its GCP price cache; tables by commas, tabs or semicolons with named
/// columns in any order (AWS, SpotLake, the project's own), and the two that have no names: `aws … --output
/// text` and the archive of Pauley.
pub fn read(text: &str, how: &How) -> Result<Recording, ReadError> {
    read_from(text.as_bytes(), how)
}

/// As [`read`], from a source that need not fit into memory.
pub fn read_from(source: impl BufRead, how: &How) -> Result<Recording, ReadError> {
    let mut source = without_bom(source)?;
    let (about, lines, is_own) = own::comments(&mut source)?;
    let mut out = Collector::new(how, lines);
    match first_byte(&mut source, &mut out)? {
        None => return Err(ReadError::Empty("prices")),
        Some(b'{' | b'[') => json::read(source, &mut out)?,
        Some(_) => table::read(source, is_own, &mut out)?,
    }
    let (prices, remarks) = out.finish()?;
    Ok(Recording { about, content: Content::Prices(prices), remarks })
}

/// Whether a text that begins with `head` seems to hold prices in one of the formats above; a few thousand
/// bytes are enough.
pub fn is_prices(head: &str) -> bool {
    let head = head.trim_start_matches('\u{feff}').trim_start();
    if head.starts_with('#') {
        return head.lines().any(|line| line.trim_start_matches('#').trim() == "kind: prices");
    }
    if head.starts_with(['{', '[']) {
        let has = |key: &str| head.contains(&format!("\"{key}\""));
        return has("SpotPriceHistory") || has("SpotPrice") || has("machine_type") && !has("gap_seconds");
    }
    table::has_prices(head.lines().next().unwrap_or(""))
}

/// The source without a byte order mark at its begin.
fn without_bom(mut source: impl BufRead) -> Result<impl BufRead, ReadError> {
    let mut head = Vec::new();
    source.by_ref().take(3).read_to_end(&mut head).map_err(|error| failed(&error))?;
    if head == "\u{feff}".as_bytes() {
        head.clear();
    }
    Ok(Cursor::new(head).chain(source))
}

/// The first byte that is no white space, left in the source; lines before it are counted.
fn first_byte(source: &mut impl BufRead, out: &mut Collector<'_>) -> Result<Option<u8>, ReadError> {
    loop {
        let buffer = source.fill_buf().map_err(|error| failed(&error))?;
        match buffer.first() {
            Some(byte) if byte.is_ascii_whitespace() => {
                out.lines_before += u64::from(*byte == b'\n');
                source.consume(1);
            }
            first => return Ok(first.copied()),
        }
    }
}

/// A source that cannot be read to its end.
fn failed(error: &std::io::Error) -> ReadError {
    ReadError::Syntax(error.to_string())
}

#[cfg(test)]
mod tests;
