//! Tables: by commas, tabs or semicolons, with named columns in any order; and two kinds without names.

use super::super::ReadError;
use super::collect::{Collector, Found};
use super::{failed, own};
use crate::units::{Timestamp, UtcOffset};
use csv::StringRecord;
use std::io::{BufRead, Cursor, Read};

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Zone,
    Instance,
    Product,
    Price,
    Time,
}

/// Names of columns without regard to case, blanks, `_` and `-`: AWS's, SpotLake's, Pauley's, ours. Where a
/// table has several for one thing, the first here is taken.
const NAMES: [(&str, Column); 24] = [
    ("availabilityzone", Column::Zone),
    ("zone", Column::Zone),
    ("az", Column::Zone),
    ("availabilityzoneid", Column::Zone),
    ("zoneid", Column::Zone),
    ("azid", Column::Zone),
    ("region", Column::Zone),
    ("instancetype", Column::Instance),
    ("instance", Column::Instance),
    ("machinetype", Column::Instance),
    ("type", Column::Instance),
    ("productdescription", Column::Product),
    ("product", Column::Product),
    ("os", Column::Product),
    ("spotprice", Column::Price),
    ("usdperh", Column::Price),
    ("usdperhour", Column::Price),
    ("priceusd", Column::Price),
    ("price", Column::Price),
    ("timestamp", Column::Time),
    ("time", Column::Time),
    ("start", Column::Time),
    ("datetime", Column::Time),
    ("date", Column::Time),
];

/// What stands first in each line of `aws ec2 describe-spot-price-history --output text`.
const AWS_TEXT: &str = "SPOTPRICEHISTORY";

/// Longer first lines are no header.
const HEADER_MAX: u64 = 65_536;

/// Where the columns are.
#[derive(Default)]
struct Layout {
    at: [Option<usize>; 5],
    /// Columns of the header, where there is one.
    columns: Option<usize>,
    semicolons: bool,
}

/// Reads a table; `is_own`: it is in the project's own format, whose columns are fixed.
pub(super) fn read(mut source: impl BufRead, is_own: bool, out: &mut Collector<'_>) -> Result<(), ReadError> {
    let mut head = Vec::new();
    source.by_ref().take(HEADER_MAX).read_until(b'\n', &mut head).map_err(|error| failed(&error))?;
    let first = String::from_utf8_lossy(&head).into_owned();
    let delimiter = delimiter(&first);
    let layout = layout(&fields(&first, delimiter), delimiter, is_own)?;
    let has_header = layout.columns.is_some();
    let mut reader = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .delimiter(delimiter)
        .trim(csv::Trim::All)
        .flexible(true)
        .has_headers(has_header)
        .from_reader(Cursor::new(head).chain(source));
    let mut record = StringRecord::new();
    loop {
        match reader.read_record(&mut record) {
            Ok(true) => take(&record, &layout, out),
            Ok(false) => return Ok(()),
            Err(error) => {
                let line = error.position().map_or(0, csv::Position::line) + out.lines_before;
                return Err(ReadError::Lines { faults: vec![(line, "not UTF-8 text".into())] });
            }
        }
    }
}

/// Takes one line.
fn take(record: &StringRecord, layout: &Layout, out: &mut Collector<'_>) {
    let line = record.position().map_or(0, csv::Position::line) + out.lines_before;
    if let Some(columns) = layout.columns.filter(|&columns| columns != record.len()) {
        let comma = if layout.semicolons { "" } else { "; is there a decimal comma?" };
        out.fault(line, format!("{} columns, the header has {columns}{comma}", record.len()));
        return;
    }
    let cell = |column: Column| layout.at[column as usize].map_or("", |at| record.get(at).unwrap_or(""));
    out.record(
        line,
        &Found {
            zone: cell(Column::Zone),
            instance: cell(Column::Instance),
            product: cell(Column::Product),
            price: cell(Column::Price),
            time: cell(Column::Time),
        },
    );
}

/// Whether `first`, the first line of a text, is that of a table of prices.
pub(super) fn has_prices(first: &str) -> bool {
    let delimiter = delimiter(first);
    layout(&fields(first, delimiter), delimiter, false).is_ok()
}

fn delimiter(first: &str) -> u8 {
    let has = |c: char| first.contains(c);
    match (has('\t'), has(';')) {
        (true, _) => b'\t',
        (false, true) => b';',
        (false, false) => b',',
    }
}

fn fields(line: &str, delimiter: u8) -> Vec<String> {
    line.trim_end()
        .split(char::from(delimiter))
        .map(|name| name.trim().trim_matches('"').trim().to_owned())
        .collect()
}

fn layout(first: &[String], delimiter: u8, is_own: bool) -> Result<Layout, ReadError> {
    if is_own && first != own::COLUMNS {
        let title = format!("columns {} wanted, found {}", own::COLUMNS.join(","), shown(first));
        return Err(ReadError::Syntax(title));
    }
    let mut layout = Layout { semicolons: delimiter == b';', ..Layout::default() };
    let plain = |name: &str| -> String {
        name.chars().filter(|c| c.is_ascii_alphanumeric()).map(|c| c.to_ascii_lowercase()).collect()
    };
    let found: Vec<String> = first.iter().map(|name| plain(name)).collect();
    for (name, column) in NAMES {
        let place = &mut layout.at[column as usize];
        *place = place.or_else(|| found.iter().position(|column| column == name));
    }
    let has = |column: Column| layout.at[column as usize].is_some();
    if has(Column::Price) && has(Column::Time) {
        return Ok(Layout { columns: Some(first.len()), ..layout });
    }
    // Zone, type, product, price, time: the archive of Pauley, and with a word before it `aws … --output text`.
    let skip = usize::from(first.first().is_some_and(|word| word == AWS_TEXT));
    let is_time = |text: &String| Timestamp::parse(text, Some(UtcOffset::UTC)).is_ok();
    if first.len() == 5 + skip && first.last().is_some_and(is_time) {
        return Ok(Layout { at: [0, 1, 2, 3, 4].map(|at| Some(at + skip)), columns: None, ..layout });
    }
    let missing = match (has(Column::Price), has(Column::Time)) {
        (false, true) => "a price (`SpotPrice`, `price`)",
        (true, false) => "a time (`Timestamp`, `time`)",
        _ => "a price (`SpotPrice`, `price`) and a time (`Timestamp`, `time`)",
    };
    Err(ReadError::Syntax(format!("a column with {missing} wanted, found {}", shown(first))))
}

/// The first names of a header, cut.
fn shown(names: &[String]) -> String {
    let names: Vec<String> = names.iter().take(8).map(|name| name.chars().take(30).collect()).collect();
    names.join(", ")
}
