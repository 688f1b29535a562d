//! What `spotsim catalog` prints: facts with dates, confidence and sources, as a table, CSV or JSON.

mod facts;
#[cfg(test)]
mod tests;

use super::number;
use super::text::{self, Column, Paint};
use crate::facts::Catalogue;
use serde_json::{Map, Value};

/// A part of the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// What clouds rent.
    Instances,
    /// Accelerators.
    Gpus,
    /// Models to train.
    Models,
    /// What joins nodes, and the GPUs of a node.
    Networks,
    /// What fabrics make of NCCL's model of an all-reduce.
    AllReduce,
    /// Files of measured kernels.
    Calibrations,
}

impl Part {
    /// Its name on the command line and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Instances => "instances",
            Self::Gpus => "gpus",
            Self::Models => "models",
            Self::Networks => "networks",
            Self::AllReduce => "all-reduce",
            Self::Calibrations => "calibrations",
        }
    }

    /// What the columns of its table are.
    const fn caption(self) -> &'static str {
        match self {
            Self::Instances => {
                "$ per instance-hour: On-Demand, SageMaker training, EC2 Spot or its like (30-day average)."
            }
            Self::Gpus => {
                "Dense peaks in TFLOP/s by data sheet; shares of peak and memory bandwidth: docs/throughput.md."
            }
            Self::Models => "GMAC: multiply-adds of a forward pass; GFLOP: arithmetic of a training step.",
            Self::Networks => {
                "What joins nodes and GPUs; `spotsim catalog all-reduce` has the figures of each class."
            }
            Self::AllReduce => {
                "Factors on NCCL's latency and bandwidth; 8 of 10 unseen systems take `from` to `to` x the time."
            }
            Self::Calibrations => {
                "Measured kernels that are built in: [compute] calibration = the name. Your own: `spotsim calibrate`."
            }
        }
    }
}

/// Longest words that stand in a column themselves; longer ones are told beneath it.
const WORDS_MAX: usize = 24;
/// Decimals of a number in the table; CSV and JSON have all.
const DECIMALS_MAX: usize = 4;

/// Facts of one part, those whose name was asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Listing {
    part: Part,
    find: Option<String>,
    fields: Vec<Field>,
    /// One value a field.
    rows: Vec<Vec<Value>>,
    /// A name that may have been meant, where none was found.
    nearest: Option<String>,
}

/// What is listed of every row.
#[derive(Debug, Clone, PartialEq)]
struct Field {
    /// Its name in CSV and JSON, with its unit.
    key: &'static str,
    in_table: InTable,
}

/// Whether a field stands in the table, under which head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum InTable {
    Always(&'static str),
    /// Only where there is room; the last of them goes first.
    IfRoom(&'static str),
    No,
}

/// The rows of `part` whose name contains `find`, in any case; all if that is `None`.
pub fn listing(part: Part, find: Option<&str>) -> Listing {
    let catalogue = Catalogue::builtin();
    let (fields, all) = facts::rows(catalogue, part);
    let wanted = find.map(str::to_lowercase);
    let name = |row: &Vec<Value>| row.first().and_then(Value::as_str).unwrap_or_default().to_lowercase();
    let found = |row: &Vec<Value>| wanted.as_ref().is_none_or(|wanted| name(row).contains(wanted));
    let rows: Vec<Vec<Value>> = all.into_iter().filter(found).collect();
    let nearest = find.filter(|_| rows.is_empty()).and_then(|find| facts::nearest(catalogue, part, find));
    Listing { part, find: find.map(str::to_owned), fields, rows, nearest }
}

impl Listing {
    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// One object: the part's name, and an object a row. Numbers are unrounded; `null` is not known.
    pub fn json(&self) -> Value {
        let object = |row: &Vec<Value>| {
            let pairs = self.fields.iter().zip(row);
            Value::Object(pairs.map(|(field, value)| (field.key.to_owned(), value.clone())).collect())
        };
        let rows = self.rows.iter().map(object).collect();
        Value::Object(Map::from_iter([(self.part.name().to_owned(), Value::Array(rows))]))
    }

    /// A header and a line a row; empty where nothing is known.
    pub fn csv(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let header: Vec<&str> = self.fields.iter().map(|field| field.key).collect();
        let cells = |row: &Vec<Value>| row.iter().map(plain).collect::<Vec<_>>();
        let records = std::iter::once(header.into_iter().map(str::to_owned).collect());
        for record in records.chain(self.rows.iter().map(cells)) {
            writer.write_record(record).expect("memory takes every record, and all have one length");
        }
        let bytes = writer.into_inner().expect("memory can be flushed");
        String::from_utf8(bytes).expect("all that was written is text")
    }

    /// For people, at most 100 columns wide, with what is too long for a column and the sources beneath.
    pub fn table(&self) -> String {
        if self.rows.is_empty() {
            return self.nothing_found();
        }
        let mut notes = Notes::default();
        let columns: Vec<(bool, Column)> = (0..self.fields.len())
            .filter_map(|index| {
                let (spare, head) = match self.fields[index].in_table {
                    InTable::Always(head) => (false, head),
                    InTable::IfRoom(head) => (true, head),
                    InTable::No => return None,
                };
                Some((spare, self.column(index, head, &mut notes)))
            })
            .collect();
        let columns = fitting(columns);
        let Some((first, others)) = columns.split_first() else { return String::new() };
        let caption = text::wrapped(self.part.caption(), text::columns()).join("\n");
        let mut table = format!("{caption}\n\n{}", text::table(first, others, Paint { colour: false }));
        if !notes.0.is_empty() {
            let told = notes.0.iter().enumerate().map(|(index, note)| format!("{} {note}", mark(index)));
            table += &format!("\n{}", text::beside("Notes", &told.collect::<Vec<_>>()));
        }
        table + &format!("\n{}", text::beside("Sources", &self.sources()))
    }

    fn nothing_found(&self) -> String {
        let find = text::shortened(self.find.as_deref().unwrap_or_default(), 40);
        let help = match &self.nearest {
            Some(nearest) => format!("did you mean {nearest}?"),
            None => format!("`spotsim catalog {}` lists all.", self.part.name()),
        };
        format!("None of the {} has a name that contains \"{find}\"; {help}\n", self.part.name())
    }

    fn column(&self, index: usize, head: &str, notes: &mut Notes) -> Column {
        let values = || self.rows.iter().map(|row| &row[index]);
        let numbers = values().all(|value| value.is_number() || value.is_null());
        let decimals = values().map(decimals).max().unwrap_or(0);
        let long =
            values().filter_map(Value::as_str).any(|words| text::width(words) > WORDS_MAX && index > 0);
        let cell = |value: &Value| match value {
            Value::Null => number::MISSING.to_owned(),
            Value::Number(n) => number::fixed(n.as_f64().unwrap_or(f64::NAN), decimals),
            Value::String(words) if long => notes.mark(words),
            other => text::inert(&plain(other)),
        };
        let cells = values().map(cell).collect();
        if numbers { Column::figures(head, cells) } else { Column::words(head, cells) }
    }

    /// The places that the rows come from, each once.
    fn sources(&self) -> Vec<String> {
        let index = self.fields.iter().position(|field| field.key == "source");
        let mut places: Vec<String> = Vec::new();
        for source in self.rows.iter().filter_map(|row| row[index?].as_str()) {
            for place in split_sources(source) {
                let place = text::inert(place);
                if !places.contains(&place) {
                    places.push(place);
                }
            }
        }
        places
    }
}

/// The places of one source, which stand between semicolons; those in parentheses belong to the place.
fn split_sources(source: &str) -> Vec<&str> {
    let (mut places, mut start, mut depth) = (Vec::new(), 0, 0_i32);
    for (index, c) in source.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ';' if depth <= 0 => {
                places.push(source[start..index].trim());
                start = index + 1;
            }
            _ => {}
        }
    }
    places.push(source[start..].trim());
    places
}

/// Leaves out columns that need not be there, the last first, until the rest fits.
fn fitting(mut columns: Vec<(bool, Column)>) -> Vec<Column> {
    let total = |columns: &[(bool, Column)]| {
        columns.iter().map(|(_, column)| column.width() + 1).sum::<usize>().saturating_sub(1)
    };
    while total(&columns) > text::columns() {
        let Some(last) = columns.iter().rposition(|(spare, _)| *spare) else { break };
        columns.remove(last);
    }
    columns.into_iter().map(|(_, column)| column).collect()
}

/// Words too long for a column, in the order of their marks.
#[derive(Debug, Default)]
struct Notes(Vec<String>);

impl Notes {
    fn mark(&mut self, words: &str) -> String {
        let words = text::inert(words);
        let index = self.0.iter().position(|note| *note == words).unwrap_or_else(|| {
            self.0.push(words);
            self.0.len() - 1
        });
        mark(index)
    }
}

/// `a`, `b` … `z`, then `27` and so on.
fn mark(index: usize) -> String {
    match u8::try_from(index) {
        Ok(index @ 0..26) => char::from(b'a' + index).to_string(),
        _ => (index + 1).to_string(),
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(words) => words.clone(),
        other => other.to_string(),
    }
}

fn decimals(value: &Value) -> usize {
    let digits = if value.is_number() { value.to_string() } else { return 0 };
    digits.split_once('.').map_or(0, |(_, part)| part.len()).min(DECIMALS_MAX)
}
