//! Reads a table and echoes every effective value, defaults included.

use super::echo::{Echo, quoted};
use super::field::Field;
use super::law::read_law;
use super::reader::Reader;
use crate::capacity::Law;
use crate::units::{Span, UnitError};
use std::fmt::Display;
use std::str::FromStr;

/// One table of a scenario being read. Methods with a default echo it where the key is absent;
/// optional keys are echoed only if given.
pub struct Section<'a, 'e> {
    /// The reader beneath, for what is read in a way of its own.
    pub reader: Reader<'a>,
    pub(super) echo: &'e mut Echo,
    pub(super) table: String,
}

impl<'a, 'e> Section<'a, 'e> {
    /// Reads `reader`, echoing under the dotted name `table`.
    pub fn new(reader: Reader<'a>, echo: &'e mut Echo, table: &str) -> Self {
        Self { reader, echo, table: table.to_owned() }
    }

    /// Echoes a value that was read or derived elsewhere.
    pub fn echo(&mut self, key: &str, value: impl Into<String>, note: impl Into<String>) {
        self.echo.set(&self.table, key, value, note);
    }

    /// A quantity that may be absent.
    pub fn quantity<T>(&mut self, key: &'static str) -> Option<T>
    where
        T: FromStr<Err = UnitError> + Clone + Display,
    {
        let value: T = self.reader.field(key).quantity()?;
        self.echo(key, quoted(&value.to_string()), "");
        Some(value)
    }

    /// A quantity or its default.
    pub fn quantity_or<T>(&mut self, key: &'static str, default: T) -> T
    where
        T: FromStr<Err = UnitError> + Clone + Display,
    {
        let given = self.reader.field(key).quantity();
        let value: T = given.unwrap_or(default);
        self.echo(key, quoted(&value.to_string()), "");
        value
    }

    /// A time above zero that may be absent.
    pub fn positive_span(&mut self, key: &'static str) -> Option<Span> {
        let field = self.reader.field(key);
        let span: Span = field.quantity()?;
        if span.is_zero() {
            field.refuse_value("must be above 0");
            return None;
        }
        self.echo(key, quoted(&span.to_string()), "");
        Some(span)
    }

    /// A limit: a time, or `"unlimited"`, the default.
    pub fn limit(&mut self, key: &'static str) -> Option<Span> {
        let field = self.reader.field(key);
        let limit = field.quantity_or(&[("unlimited", None)], Some).flatten();
        self.echo(key, quoted(&limit.map_or("unlimited".to_owned(), |span: Span| span.to_string())), "");
        limit
    }

    /// A limit: a count, or `"unlimited"`, the default.
    pub fn count_limit(&mut self, key: &'static str) -> Option<u64> {
        let field = self.reader.field(key);
        let limit = if field.is_word("unlimited") { None } else { field.whole(0..) };
        self.echo(key, limit.map_or(quoted("unlimited"), |k: u64| k.to_string()), "");
        limit
    }

    /// `true`, `false` or the default.
    pub fn flag_or(&mut self, key: &'static str, default: bool) -> bool {
        let value = self.reader.field(key).boolean().unwrap_or(default);
        self.echo(key, value.to_string(), "");
        value
    }

    /// One of a few words, or the default, the first of them.
    pub fn word_or_first<V: Clone + PartialEq>(&mut self, key: &'static str, words: &[(&str, V)]) -> V {
        let value = self.reader.field(key).word(words).unwrap_or_else(|| words[0].1.clone());
        let word = words.iter().find(|(_, v)| *v == value).map_or(words[0].0, |(word, _)| word);
        self.echo(key, quoted(word), "");
        value
    }

    /// A law, a plain time, or the default.
    pub fn law_or(&mut self, key: &'static str, default: &Law) -> Law {
        let field = self.reader.field(key);
        let law = self.read_law(key, &field);
        law.unwrap_or_else(|| {
            // A random default is that of another key, which says it.
            if !field.is_given()
                && let Some(span) = default.is_constant()
            {
                self.echo(key, quoted(&span.to_string()), "");
            }
            default.clone()
        })
    }

    /// A law or a plain time that may be absent.
    pub fn law(&mut self, key: &'static str) -> Option<Law> {
        let field = self.reader.field(key);
        self.read_law(key, &field)
    }

    /// A law that must be given; `example` is a line that would do.
    pub fn required_law(&mut self, key: &'static str, example: &str) -> Option<Law> {
        let field = self.reader.required(key, example);
        self.read_law(key, &field)
    }

    fn read_law(&mut self, key: &str, field: &Field<'a>) -> Option<Law> {
        let (law, text) = read_law(field)?;
        self.echo(key, text, "");
        Some(law)
    }
}
