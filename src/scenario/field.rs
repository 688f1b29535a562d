//! One key of a table, read as what its section wants.

use super::problem::{Problem, Sink};
use super::range::described;
use super::reader::{Reader, nearest};
use super::source::Place;
use super::tree::{Node, Value};
use crate::units::UnitError;
use std::fmt::Display;
use std::ops::RangeBounds;
use std::str::FromStr;

/// Lists of accepted words longer than this are left out of messages.
const LISTED_MAX: usize = 16;

/// A key, given or absent. Reading an absent one gives `None`; reading a wrong one reports the
/// problem at the value and gives `None`.
#[derive(Debug, Clone)]
pub struct Field<'a> {
    key: String,
    key_place: Place,
    node: Option<&'a Node>,
    sink: &'a Sink,
}

impl<'a> Field<'a> {
    pub(super) fn given(key: &str, key_place: Place, node: &'a Node, sink: &'a Sink) -> Self {
        Self { key: key.to_owned(), key_place, node: Some(node), sink }
    }

    pub(super) fn absent(key: &str, table: Place, sink: &'a Sink) -> Self {
        Self { key: key.to_owned(), key_place: table, node: None, sink }
    }

    /// Whether the file has the key.
    pub fn is_given(&self) -> bool {
        self.node.is_some()
    }

    /// Where the value stands; the table's heading if absent.
    pub fn place(&self) -> Place {
        self.node.map_or(self.key_place, |node| node.place)
    }

    /// Where the key stands; the table's heading if absent.
    pub fn key_place(&self) -> Place {
        self.key_place
    }

    /// The value as it is in the tree, to decide how to read it.
    pub fn value(&self) -> Option<&'a Value> {
        self.node.map(|node| &node.value)
    }

    /// Whether it is exactly this text.
    pub fn is_word(&self, word: &str) -> bool {
        matches!(self.value(), Some(Value::Text(text)) if text == word)
    }

    /// Reports an error at the value.
    pub fn refuse(&self, title: impl Into<String>, label: impl Into<String>) {
        self.sink.report(Problem::error(title).at(self.place(), label));
    }

    /// Reports a problem of any shape.
    pub fn report(&self, problem: Problem) {
        self.sink.report(problem);
    }

    /// Reports an error about what the value is: "`shape = -0.7`: must be above 0".
    pub fn refuse_value(&self, why: &str) {
        self.refuse(format!("`{}`: {why}", self.assignment()), "");
    }

    /// A quantity with its unit: `"15 min"`.
    pub fn quantity<T: FromStr<Err = UnitError> + Clone>(&self) -> Option<T> {
        self.quantity_or(&[], |quantity| quantity)
    }

    /// A quantity within `range`; see [`above`](super::range::above) for ranges without their start.
    pub fn quantity_in<T>(&self, range: impl RangeBounds<T>) -> Option<T>
    where
        T: FromStr<Err = UnitError> + Clone + PartialOrd + Display,
    {
        self.within(self.quantity()?, &range)
    }

    /// A word, or a quantity turned into what the words mean:
    /// `quantity_or(&[("unlimited", Span::MAX)], |span| span)`.
    pub fn quantity_or<T, V>(&self, words: &[(&str, V)], meaning: impl Fn(T) -> V) -> Option<V>
    where
        T: FromStr<Err = UnitError>,
        V: Clone,
    {
        let text = match self.value()? {
            Value::Text(text) => text.clone(),
            Value::Integer(number) => number.to_string(),
            Value::Float(number) => number.to_string(),
            other => {
                let help = T::from_str("1").err().map_or(String::new(), |error| error.help);
                self.refuse_kind("a quantity with its unit, in quotes", other, &help);
                return None;
            }
        };
        if let Some((_, value)) = words.iter().find(|(word, _)| *word == text) {
            return Some(value.clone());
        }
        match text.parse() {
            Ok(quantity) => Some(meaning(quantity)),
            Err(error) => {
                let mut help = error.help;
                for (word, _) in words {
                    help.push_str(&format!(", or \"{word}\""));
                }
                if let Some(word) = nearest(&text, words.iter().map(|(word, _)| *word)) {
                    help = format!("did you mean \"{word}\"?");
                }
                self.refuse(format!("`{}` {}", self.key, error.problem), help);
                None
            }
        }
    }

    /// Any text.
    pub fn text(&self) -> Option<&'a str> {
        match self.value()? {
            Value::Text(text) => Some(text),
            other => {
                self.refuse_kind("text", other, "");
                None
            }
        }
    }

    /// A date and time, as TOML's own type or in quotes; the caller reads it.
    pub fn datetime(&self) -> Option<&'a str> {
        match self.value()? {
            Value::Datetime(text) | Value::Text(text) => Some(text),
            other => {
                self.refuse_kind("a date and time", other, "write 2025-06-28T00:00:00Z");
                None
            }
        }
    }

    /// `true` or `false`.
    pub fn boolean(&self) -> Option<bool> {
        match self.value()? {
            Value::Bool(truth) => Some(*truth),
            other => {
                self.refuse_kind("true or false", other, "");
                None
            }
        }
    }

    /// A whole number within `range`: `whole(1..=64_u32)`.
    pub fn whole<T>(&self, range: impl RangeBounds<T>) -> Option<T>
    where
        T: TryFrom<i128> + PartialOrd + Display,
    {
        let wanted = format!("a whole number{}", described(&range, " from"));
        let found = match self.value()? {
            Value::Integer(number) => T::try_from(*number).ok().filter(|number| range.contains(number)),
            Value::Float(_) => None,
            other => {
                self.refuse_kind(&wanted, other, "");
                return None;
            }
        };
        if found.is_none() {
            self.refuse_value(&format!("must be {wanted}"));
        }
        found
    }

    /// A finite number without a unit within `range`: `number(0.0..=1.0)`, `number(above(0.0))`.
    pub fn number(&self, range: impl RangeBounds<f64>) -> Option<f64> {
        let number = match self.value()? {
            Value::Float(number) => *number,
            Value::Integer(number) => *number as f64,
            other => {
                self.refuse_kind(&format!("a number{}", described(&range, " from")), other, "");
                return None;
            }
        };
        if !number.is_finite() {
            self.refuse_value("must be a finite number");
            return None;
        }
        self.within(number, &range)
    }

    /// One of a few words, as what it means: `word(&[("sync", Mode::Sync), ("async", Mode::Async)])`.
    pub fn word<V: Clone>(&self, words: &[(&str, V)]) -> Option<V> {
        let names: Vec<_> = words.iter().map(|(word, _)| *word).collect();
        let found = self.name_among("value", &names)?;
        words.iter().find(|(word, _)| *word == found).map(|(_, value)| value.clone())
    }

    /// One of the names that are known, as a model's or an instance's; `noun` says what they name.
    pub fn name_among(&self, noun: &str, names: &[&str]) -> Option<&'a str> {
        let text = self.text()?;
        if names.contains(&text) {
            return Some(text);
        }
        let nearest = nearest(text, names.iter().copied());
        let label = nearest.map_or(String::new(), |name| format!("did you mean \"{name}\"?"));
        let mut problem =
            Problem::error(format!("`{}`: unknown {noun}", self.assignment())).at(self.place(), label);
        if names.len() <= LISTED_MAX {
            problem = problem.note(format!("accepted: {}", names.join(", ")));
        }
        self.sink.report(problem);
        None
    }

    /// The elements of a list, each a field of its own.
    pub fn list(&self) -> Option<Vec<Field<'a>>> {
        match self.value()? {
            Value::Array(items) => {
                let field = |(i, node): (usize, &'a Node)| {
                    Field::given(&format!("{}[{i}]", self.key), node.place, node, self.sink)
                };
                Some(items.iter().enumerate().map(field).collect())
            }
            other => {
                self.refuse_kind("a list", other, "");
                None
            }
        }
    }

    /// Every element of a list, read alike: `list_of(|item| item.quantity::<Span>())`. `None` if any
    /// was refused; all that are wrong are reported.
    pub fn list_of<T>(&self, read: impl Fn(&Field<'a>) -> Option<T>) -> Option<Vec<T>> {
        let items: Vec<_> = self.list()?.iter().map(read).collect();
        items.into_iter().collect()
    }

    /// A reader of a table.
    pub fn table(&self) -> Option<Reader<'a>> {
        match self.value()? {
            Value::Table(table) => Some(Reader::new(table, self.sink)),
            other => {
                self.refuse_kind("a table", other, "");
                None
            }
        }
    }

    /// A reader of each table of `[[key]]`; none if absent.
    pub fn tables(&self) -> Vec<Reader<'a>> {
        if let Some(Value::Table(table)) = self.value() {
            let title = format!("`{}` must be a list of tables", self.key);
            let label = format!("write [[{}]] instead of [{0}]", self.key);
            self.sink.report(Problem::error(title).at(table.place, label));
            return Vec::new();
        }
        self.list().unwrap_or_default().iter().filter_map(Field::table).collect()
    }

    fn within<T: PartialOrd + Display>(&self, value: T, range: &impl RangeBounds<T>) -> Option<T> {
        if range.contains(&value) {
            return Some(value);
        }
        self.refuse_value(&format!("must be{}", described(range, " at least")));
        None
    }

    fn refuse_kind(&self, wanted: &str, found: &Value, help: &str) {
        let mut problem = Problem::error(format!("`{}` must be {wanted}", self.key))
            .at(self.place(), format!("found {}", found.kind()));
        if !help.is_empty() {
            problem = problem.help(help);
        }
        self.sink.report(problem);
    }

    /// `shape = -0.7`, as far as a value fits into a line.
    fn assignment(&self) -> String {
        match self.value() {
            Some(Value::Text(text)) => format!("{} = \"{text}\"", self.key),
            Some(Value::Integer(number)) => format!("{} = {number}", self.key),
            Some(Value::Float(number)) if number.abs() >= 1e15 => format!("{} = {number:e}", self.key),
            Some(Value::Float(number)) => format!("{} = {number}", self.key),
            Some(Value::Bool(truth)) => format!("{} = {truth}", self.key),
            Some(Value::Datetime(date)) => format!("{} = {date}", self.key),
            Some(Value::Array(_) | Value::Table(_)) | None => self.key.clone(),
        }
    }
}

#[cfg(test)]
#[path = "field_tests.rs"]
mod tests;
