//! What values a key takes, as the list writes it.

use serde::Deserialize;

/// Kinds of value, each of which will do.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub struct Takes(pub Vec<Kind>);

/// A kind of value.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// `"15 min"`; whether it must be above 0.
    Time {
        /// Whether 0 is refused.
        positive: bool,
    },
    /// A time, or a table with a law of times.
    Law,
    /// `"3.06 USD/h"`
    Price,
    /// `"0.08 USD/GB-month"`, with what it is per.
    UnitPrice(String),
    /// `"25 Gbit/s"`
    Bandwidth,
    /// `"1.04 GB"`
    Bytes,
    /// `"20 M samples"`, steps or epochs.
    Work,
    /// `"1281167 samples"`
    Samples,
    /// A whole number.
    Whole(Range),
    /// A number without a unit.
    Number(Range),
    /// Any text.
    Text,
    /// A path from the scenario's folder.
    File,
    /// `true` or `false`
    Flag,
    /// A date and time.
    Date,
    /// Just this word.
    Word(String),
    /// A name of a part of the catalogue.
    Name(String),
    /// A format of recordings.
    Format,
    /// A result with an interval.
    Result,
    /// A table: that of the key's own path, or another.
    Table(Option<String>),
    /// A list of tables.
    Tables,
    /// A list of values of one kind.
    List(Box<Kind>),
    /// Whatever another key takes.
    Anything,
}

/// A range of numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Range {
    /// The least, and whether it is itself allowed.
    pub low: Option<(f64, bool)>,
    /// The greatest, likewise; `None` too where it is the value of another key.
    pub high: Option<(f64, bool)>,
    /// The key whose value is the greatest.
    pub below_key: Option<String>,
    /// As written.
    text: String,
}

impl TryFrom<String> for Takes {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.split(" | ").map(Kind::parse).collect::<Result<_, _>>().map(Self)
    }
}

impl Kind {
    fn parse(text: &str) -> Result<Self, String> {
        let tail = |head: &str| text.strip_prefix(head);
        Ok(match text {
            "time" => Self::Time { positive: false },
            "time above 0" => Self::Time { positive: true },
            "law" => Self::Law,
            "price" => Self::Price,
            "bandwidth" => Self::Bandwidth,
            "bytes" => Self::Bytes,
            "work" => Self::Work,
            "samples" => Self::Samples,
            "text" => Self::Text,
            "file" => Self::File,
            "flag" => Self::Flag,
            "date" => Self::Date,
            "table" => Self::Table(None),
            "tables" => Self::Tables,
            "anything" => Self::Anything,
            "format of traces" => Self::Format,
            "result with an interval" => Self::Result,
            _ => {
                if let Some(per) = tail("price per ") {
                    Self::UnitPrice(per.to_owned())
                } else if let Some(range) = tail("whole ") {
                    Self::Whole(Range::parse(range)?)
                } else if let Some(range) = tail("number ") {
                    Self::Number(Range::parse(range)?)
                } else if let Some(part) = tail("name of ") {
                    Self::Name(part.to_owned())
                } else if let Some(path) = tail("table ") {
                    Self::Table(Some(path.to_owned()))
                } else if let Some(kind) = tail("list of ") {
                    Self::List(Box::new(Self::parse(kind)?))
                } else if let Some(word) = tail("\"").and_then(|rest| rest.strip_suffix('"')) {
                    Self::Word(word.to_owned())
                } else {
                    return Err(format!("`{text}` is no kind of value"));
                }
            }
        })
    }

    /// In words: "a time", "a whole number from 1 to 64".
    pub fn words(&self) -> String {
        match self {
            Self::Time { positive: false } => "time".to_owned(),
            Self::Time { positive: true } => "time above 0".to_owned(),
            Self::Law => "law".to_owned(),
            Self::Price => "price".to_owned(),
            Self::UnitPrice(per) => format!("price per {per}"),
            Self::Bandwidth => "bandwidth".to_owned(),
            Self::Bytes => "amount of data".to_owned(),
            Self::Work => "work".to_owned(),
            Self::Samples => "samples".to_owned(),
            Self::Whole(range) => format!("whole number{}", range.words()),
            Self::Number(range) => format!("number{}", range.words()),
            Self::Text => "text".to_owned(),
            Self::File => "file".to_owned(),
            Self::Flag => "`true` or `false`".to_owned(),
            Self::Date => "date".to_owned(),
            Self::Word(word) => format!("`\"{word}\"`"),
            Self::Name(part) => format!("name of `catalog {part}`"),
            Self::Format => "format of traces".to_owned(),
            Self::Result => "result".to_owned(),
            Self::Table(_) => "table".to_owned(),
            Self::Tables => "list of tables".to_owned(),
            Self::List(kind) => format!("list: {}", kind.words()),
            Self::Anything => "list, table or value".to_owned(),
        }
    }
}

impl Takes {
    /// In words: "time, or `"optimum"`".
    pub fn words(&self) -> String {
        let words: Vec<String> = self.0.iter().map(Kind::words).collect();
        match words.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
            None => String::new(),
        }
    }

    /// The words among its kinds.
    pub fn listed_words(&self) -> Vec<&str> {
        let word = |kind: &'_ Kind| matches!(kind, Kind::Word(_));
        self.0.iter().filter(|kind| word(kind)).map(|kind| kind.as_word().unwrap_or_default()).collect()
    }
}

impl Kind {
    fn as_word(&self) -> Option<&str> {
        match self {
            Self::Word(word) => Some(word),
            _ => None,
        }
    }
}

impl Range {
    fn parse(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no range");
        let (inner, closed) = match text.strip_suffix(']') {
            Some(inner) => (inner, true),
            None => (text.strip_suffix(')').ok_or_else(wrong)?, false),
        };
        let (inner, from_closed) = match inner.strip_prefix('[') {
            Some(inner) => (inner, true),
            None => (inner.strip_prefix('(').ok_or_else(wrong)?, false),
        };
        let (low, high) = inner.split_once(',').ok_or_else(wrong)?;
        let (low, high) = (low.trim(), high.trim());
        let end = |text: &str, closed: bool| -> Result<Option<(f64, bool)>, String> {
            if text.is_empty() {
                return Ok(None);
            }
            text.parse().map(|number| Some((number, closed))).map_err(|_| wrong())
        };
        let is_key = high.starts_with(|c: char| c.is_ascii_alphabetic());
        let below_key = is_key.then(|| high.to_owned());
        let high = if is_key { None } else { end(high, closed)? };
        Ok(Self { low: end(low, from_closed)?, high, below_key, text: text.to_owned() })
    }

    /// With a blank before: " from 1 to 64", " above 0"; nothing if all is allowed.
    pub fn words(&self) -> String {
        let key_closed = self.text.ends_with(']');
        let high = match (&self.high, &self.below_key) {
            (Some((high, closed)), _) => Some((grouped(*high), *closed)),
            (None, Some(key)) => Some((format!("`{key}`"), key_closed)),
            (None, None) => None,
        };
        match (self.low.map(|(low, closed)| (grouped(low), closed)), high) {
            (None, None) => String::new(),
            (Some((low, true)), None) => format!(" from {low}"),
            (Some((low, false)), None) => format!(" above {low}"),
            (None, Some((high, true))) => format!(" up to {high}"),
            (None, Some((high, false))) => format!(" below {high}"),
            (Some((low, true)), Some((high, true))) if low == high => format!(", {low}"),
            (Some((low, true)), Some((high, true))) => format!(" from {low} to {high}"),
            (Some((low, true)), Some((high, false))) => format!(" from {low} to below {high}"),
            (Some((low, false)), Some((high, true))) => format!(" above {low}, up to {high}"),
            (Some((low, false)), Some((high, false))) => format!(" above {low} and below {high}"),
        }
    }
}

/// Thousands with commas.
fn grouped(number: f64) -> String {
    if number.fract() != 0.0 || number < 10_000.0 {
        return number.to_string();
    }
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
