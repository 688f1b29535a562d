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
mod tests {
    use super::*;
    use crate::scenario::range::above;
    use crate::scenario::source::Sources;
    use crate::scenario::tree::Table;
    use crate::units::{Amount, Bandwidth, Price, Span};

    /// Reads `key = value` and gives what was read with the lines of the message that hold words.
    fn read<T>(line: &str, read: impl Fn(Field<'_>) -> T) -> (T, String) {
        let (mut sources, sink) = (Sources::default(), Sink::default());
        let source = sources.add("a.toml", line);
        let table = Table::parse(source, &sources, &sink);
        let value = read(Reader::new(&table, &sink).field("key"));
        let text = sink.into_problems().render(&sources, false);
        let frame = |line: &&str| !(line.contains("-->") || line.starts_with("1 |") || line.trim() == "|");
        (value, text.lines().filter(frame).map(str::trim).collect::<Vec<_>>().join("\n"))
    }

    fn check_refused<T: PartialEq + std::fmt::Debug>(
        line: &str,
        how: impl Fn(Field<'_>) -> Option<T>,
        expected: &str,
    ) {
        assert_eq!(read(line, how), (None, expected.to_owned()), "{line}");
    }

    #[test]
    fn quantities_without_a_unit_are_refused_with_spellings() {
        check_refused(
            "key = 15",
            |f| f.quantity::<Span>(),
            "error: `key` needs a unit\n|       ^^ write \"15 s\", \"15 min\" or \"15 h\"",
        );
        check_refused(
            "key = \"2.5\"",
            |f| f.quantity::<Span>(),
            "error: `key` needs a unit\n|       ^^^^^ write \"2.5 s\", \"2.5 min\" or \"2.5 h\"",
        );
        for line in ["key = 3.06", "key = 20", "key = inf", "key = nan", "key = -5"] {
            assert_eq!(read(line, |f| f.quantity::<Price>()).0, None, "{line}");
            assert_eq!(read(line, |f| f.quantity::<Amount>()).0, None, "{line}");
            assert_eq!(read(line, |f| f.quantity::<Bandwidth>()).0, None, "{line}");
        }
    }

    /// The project's case 18: 25 Gbit/s is 3.125 GB/s; `gb/s` could be either.
    #[test]
    fn bits_and_bytes_are_told_apart() {
        let rate = read("key = \"25 Gbps\"", |f| f.quantity::<Bandwidth>()).0.unwrap();
        assert_eq!(rate.bytes_per_s(), 3.125e9);
        check_refused(
            "key = \"25 gb/s\"",
            |f| f.quantity::<Bandwidth>(),
            "error: `key` has the ambiguous unit `gb/s`: bits or bytes?\n\
             |       ^^^^^^^^^ write \"25 Gbit/s\" for bits or \"25 GB/s\" for bytes, per second",
        );
    }

    #[test]
    fn a_word_can_stand_for_a_quantity() {
        let limit = |f: Field<'_>| f.quantity_or(&[("unlimited", Span::MAX)], |span| span);
        assert_eq!(read("key = \"unlimited\"", limit).0, Some(Span::MAX));
        assert_eq!(read("key = \"2 h\"", limit).0, Some(Span::from_s(7_200)));
        assert_eq!(read("other = 1", limit), (None, String::new()));
        check_refused(
            "key = \"unlimitd\"",
            limit,
            "error: `key` is not a time\n|       ^^^^^^^^^^ did you mean \"unlimited\"?",
        );
        check_refused(
            "key = 2",
            limit,
            "error: `key` needs a unit\n|       ^ write \"2 s\", \"2 min\" or \"2 h\", or \"unlimited\"",
        );
    }

    #[test]
    fn a_wrong_type_says_what_was_found_and_wanted() {
        check_refused(
            "key = 1",
            |f| f.text().map(str::len),
            "error: `key` must be text\n|       ^ found a whole number",
        );
        check_refused(
            "key = \"true\"",
            |f| f.boolean(),
            "error: `key` must be true or false\n|       ^^^^^^ found text",
        );
        check_refused(
            "key = \"4\"",
            |f| f.whole(1..=8_u32),
            "error: `key` must be a whole number from 1 to 8\n|       ^^^ found text",
        );
        check_refused(
            "key = [1]",
            |f| f.quantity::<Span>(),
            "error: `key` must be a quantity with its unit, in quotes\n|       ^^^ found a list\n\
             = help: write \"1 s\", \"1 min\" or \"1 h\"",
        );
        check_refused(
            "key = 1",
            |f| f.table().map(|_| ()),
            "error: `key` must be a table\n|       ^ found a whole number",
        );
    }

    #[test]
    fn whole_numbers_are_whole_and_in_range() {
        assert_eq!(read("key = 18446744073709551615", |f| f.whole(0_u64..)).0, Some(u64::MAX));
        assert_eq!(read("key = 0x10", |f| f.whole(1..=64_u8)).0, Some(16));
        for (line, value) in [("key = -1", "-1"), ("key = 2.5", "2.5")] {
            let (found, text) = read(line, |f| f.whole(0_u64..));
            assert_eq!(found, None);
            assert!(
                text.starts_with(&format!("error: `key = {value}`: must be a whole number from 0\n")),
                "{text}"
            );
        }
        assert_eq!(read("key = 300", |f| f.whole(0_u8..)).0, None);
    }

    #[test]
    fn numbers_are_finite_and_in_range() {
        assert_eq!(read("key = 1", |f| f.number(0.0..=1.0)).0, Some(1.0));
        for (line, expected) in [
            ("key = -0.7", "error: `key = -0.7`: must be above 0\n|       ^^^^"),
            ("key = nan", "error: `key = NaN`: must be a finite number\n|       ^^^"),
            ("key = 1e999", "error: `key = inf`: must be a finite number\n|       ^^^^^"),
        ] {
            check_refused(line, |f| f.number(above(0.0)), expected);
        }
        check_refused(
            "key = 1.5",
            |f| f.number(0.0..1.0),
            "error: `key = 1.5`: must be from 0 to below 1\n|       ^^^",
        );
    }

    #[test]
    fn quantities_can_have_a_range() {
        check_refused(
            "key = \"0 s\"",
            |f| f.quantity_in(above(Span::ZERO)),
            "error: `key = \"0 s\"`: must be above 0 s\n|       ^^^^^",
        );
    }

    #[test]
    fn words_suggest_the_nearest() {
        let market = |f: Field<'_>| f.word(&[("spot", 1), ("on-demand", 2)]);
        assert_eq!(read("key = \"on-demand\"", market).0, Some(2));
        check_refused(
            "key = \"on_demand\"",
            market,
            "error: `key = \"on_demand\"`: unknown value\n|       ^^^^^^^^^^^ did you mean \"on-demand\"?\n\
             = accepted: spot, on-demand",
        );
    }

    #[test]
    fn every_wrong_element_of_a_list_is_reported() {
        let spans = |f: Field<'_>| f.list_of(|item| item.quantity::<Span>());
        assert_eq!(read("key = [\"1 s\", \"1 min\"]", spans).0.map(|spans| spans.len()), Some(2));
        let (found, text) = read("key = [\"1 s\", 2, true]", spans);
        assert_eq!(found, None);
        assert!(text.contains("`key[1]` needs a unit") && text.contains("`key[2]` must be"), "{text}");
    }

    #[test]
    fn one_table_where_several_belong_is_said_so() {
        let (count, text) = read("[key]\nnodes = 1", |f| f.tables().len());
        assert_eq!(count, 0);
        assert!(text.contains("write [[key]] instead of [key]"), "{text}");
        assert_eq!(read("[[key]]\n[[key]]", |f| f.tables().len()).0, 2);
    }

    #[test]
    fn dates_are_taken_as_written() {
        let text = "2025-06-28T00:00:00Z";
        for line in [format!("key = {text}"), format!("key = \"{text}\"")] {
            assert_eq!(read(&line, |f| f.datetime().map(str::to_owned)).0.as_deref(), Some(text));
        }
    }
}
