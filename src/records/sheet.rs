//! Tables of text: a header, then rows, parted by commas, semicolons, tabs or bars.

use super::faults::Faults;
use super::{How, ReadError};
use crate::units::{Decimal, Span, Timestamp, UtcOffset};
use std::borrow::Cow;

/// A table whose header has been read.
pub struct Sheet<'a> {
    text: &'a str,
    reader: csv::Reader<&'a [u8]>,
    header: Vec<String>,
}

/// A row of it.
pub struct Row<'a> {
    /// Counted from 1, comments and header included.
    pub line: u64,
    record: &'a csv::StringRecord,
}

impl<'a> Sheet<'a> {
    /// Reads the header. Lines that begin with `#` are left out, and so is a byte order mark.
    pub fn open(text: &'a str) -> Result<Self, ReadError> {
        let text = text.trim_start_matches('\u{feff}');
        let mut reader = csv::ReaderBuilder::new()
            .comment(Some(b'#'))
            .delimiter(delimiter(text))
            .trim(csv::Trim::All)
            .flexible(true)
            .from_reader(text.as_bytes());
        let header = reader.headers().map_err(|error| ReadError::Syntax(error.to_string()))?;
        let header = header.iter().map(plain).collect();
        Ok(Self { text, reader, header })
    }

    /// Where the first of the names of a column stands.
    pub fn find(&self, names: &[&str]) -> Option<usize> {
        self.header.iter().position(|column| names.contains(&column.as_str()))
    }

    /// The only column, where there is only one.
    pub fn single(&self) -> Option<usize> {
        (self.header.len() == 1).then_some(0)
    }

    /// Where each of the wanted columns stands; of each, the first name is the one that errors tell.
    pub fn columns<const N: usize>(&self, wanted: [&[&str]; N]) -> Result<[usize; N], ReadError> {
        let missing: Vec<&str> =
            wanted.iter().filter(|names| self.find(names).is_none()).map(|names| names[0]).collect();
        if missing.is_empty() {
            return Ok(wanted.map(|names| self.find(names).expect("none of them is missing")));
        }
        let wanted: Vec<&str> = wanted.iter().map(|names| names[0]).collect();
        let found: Vec<&str> = self.header.iter().map(String::as_str).take(12).collect();
        let (wanted, missing, found) = (wanted.join(", "), missing.join(", "), found.join(", "));
        Err(ReadError::Syntax(format!("columns {wanted} wanted; missing {missing}; found {found}")))
    }

    /// Hands each row to `take`, and collects what it finds wrong. A row with too few or too many cells is
    /// wrong as well.
    pub fn each(&mut self, mut take: impl FnMut(Row<'_>) -> Result<(), String>) -> Faults {
        let mut faults = Faults::default();
        let mut record = csv::StringRecord::new();
        loop {
            let before = self.reader.position().clone();
            match self.reader.read_record(&mut record) {
                Ok(false) => return faults,
                Err(error) => {
                    faults.add(before.line(), error.to_string());
                    return faults;
                }
                Ok(true) => {
                    let line = line_of(self.text, &before);
                    let (cells, wanted) = (record.len(), self.header.len());
                    let result = if cells == wanted {
                        take(Row { line, record: &record })
                    } else {
                        Err(format!("has {cells} cells, the header has {wanted}"))
                    };
                    if let Err(fault) = result {
                        faults.add(line, fault);
                    }
                }
            }
        }
    }
}

impl Row<'_> {
    /// The text of a column, without blanks around it.
    pub fn cell(&self, column: usize) -> &str {
        self.record.get(column).unwrap_or_default()
    }

    /// The text of a column that a file need not have; empty where it does not.
    pub fn optional(&self, column: Option<usize>) -> &str {
        column.map_or("", |column| self.cell(column))
    }

    /// A time.
    pub fn time(&self, column: usize, name: &str, how: &How) -> Result<Timestamp, String> {
        time(self.cell(column), name, how.local)
    }
}

/// A time, or what is wrong with it.
pub fn time(text: &str, name: &str, local: Option<UtcOffset>) -> Result<Timestamp, String> {
    Timestamp::parse(text, local).map_err(|error| {
        // A log that lacks zones lacks them in many rows.
        let zone = if error.problem == "has no zone" {
            ", or give the zone of all: --utc-offset \"+01:00\""
        } else {
            ""
        };
        format!("`{name}` `{}` {}: {}{zone}", shown(text), error.problem, error.help)
    })
}

/// Seconds, whole or with a fraction, from 0.
pub fn seconds(text: &str, name: &str) -> Result<Span, String> {
    let ns = text.parse::<Decimal>().ok().and_then(|seconds| seconds.times(1_000_000_000));
    let span = ns.and_then(|ns| u64::try_from(ns).ok()).map(Span::from_ns);
    span.ok_or_else(|| format!("`{name}` `{}` is no number of seconds from 0", shown(text)))
}

/// A whole number of a range.
pub fn whole(text: &str, name: &str, least: u32, most: u32) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| {
        let wanted =
            if most == u32::MAX { format!("from {least}") } else { format!("from {least} to {most}") };
        format!("`{name}` `{}` is no whole number {wanted}", shown(text))
    })
}

/// A text for a message: not endless.
pub fn shown(text: &str) -> Cow<'_, str> {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// A name of a column as it is compared: `Availability Zone-Id` is `availability_zone_id`.
fn plain(name: &str) -> String {
    name.trim().to_ascii_lowercase().replace([' ', '-'], "_")
}

/// What parts the columns: what the header has most of.
fn delimiter(text: &str) -> u8 {
    let header = text.lines().find(|line| !line.starts_with('#') && !line.trim().is_empty()).unwrap_or("");
    let count = |delimiter: u8| header.bytes().filter(|&byte| byte == delimiter).count();
    let best = [b',', b'|', b'\t', b';'].into_iter().rev().max_by_key(|&delimiter| count(delimiter));
    best.unwrap_or(b',')
}

/// The line of the row that begins at or after `position`: empty lines and comments may come before it.
fn line_of(text: &str, position: &csv::Position) -> u64 {
    let from = usize::try_from(position.byte()).unwrap_or(usize::MAX);
    let rest = text.as_bytes().get(from..).unwrap_or_default();
    let passed = rest.split(|&byte| byte == b'\n').take_while(|line| {
        let text = line.strip_suffix(b"\r").unwrap_or(line);
        text.is_empty() || text.starts_with(b"#")
    });
    position.line() + passed.count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> (Vec<(u64, String)>, Faults) {
        let mut sheet = Sheet::open(text).unwrap();
        let [a] = sheet.columns([&["a"]]).unwrap();
        let mut found = Vec::new();
        let faults = sheet.each(|row| {
            found.push((row.line, row.cell(a).to_owned()));
            Ok(())
        });
        (found, faults)
    }

    #[test]
    fn rows_keep_their_lines_over_comments_empty_lines_and_spreadsheets() {
        let (found, faults) = lines("\u{feff}# x\r\n A ;b\r\n1;2\r\n\r\n# y\r\n\"3\" ; 4\r\n5;6;7\r\n");
        assert_eq!(found, [(3, "1".to_owned()), (6, "3".to_owned())]);
        let told = faults.refuse().unwrap_err().to_string();
        assert_eq!(told, "line 7: has 3 cells, the header has 2");
    }

    #[test]
    fn missing_columns_are_named_with_those_that_are_there() {
        let sheet = Sheet::open("node,when\n").unwrap();
        let error = sheet.columns([&["node"], &["notice"]]).unwrap_err();
        assert_eq!(error.to_string(), "columns node, notice wanted; missing notice; found node, when");
    }

    #[test]
    fn seconds_are_exact_to_the_nanosecond() {
        assert_eq!(seconds("0.000000001", "x"), Ok(Span::from_ns(1)));
        assert_eq!(seconds("86400", "x"), Ok(Span::from_s(86_400)));
        for text in ["", "-1", "nan", "1e30", "1 s"] {
            assert!(seconds(text, "x").is_err(), "{text}");
        }
    }
}
