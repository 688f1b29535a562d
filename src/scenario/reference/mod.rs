//! Every table and key of a scenario file, with what it takes and means: the one list that `spotsim explain`, the JSON
//! Schema and docs/scenario.md are made of. The readers do not read it; tests hold it against them.

mod takes;

#[cfg(test)]
mod example;
#[cfg(test)]
mod tests;

pub use takes::{Kind, Range, Takes};

use serde::Deserialize;
use std::sync::LazyLock;

/// One table of a scenario file.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyTable {
    /// Dotted; empty for the top. A part in capitals is a name of the user's own.
    pub path: String,
    /// What it is, in a sentence or two of Markdown.
    pub about: String,
    /// Whether a cluster's table goes over the file's key by key, so that nothing is required in either.
    #[serde(default)]
    pub merges: bool,
    /// Keys of which at most one is given.
    #[serde(default)]
    pub one_of: Vec<Vec<String>>,
    /// Keys of which exactly one is given.
    #[serde(default)]
    pub just_one_of: Vec<Vec<String>>,
    /// Its keys.
    #[serde(default, rename = "key")]
    pub keys: Vec<Key>,
}

/// One key of a table.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Key {
    /// Its name; in capitals if the user chooses it.
    pub name: String,
    /// What values it takes.
    pub takes: Takes,
    /// What holds without it, in Markdown: `never`, `` `"sync"` ``; `required` if it must be given.
    pub default: String,
    /// What it means, in Markdown.
    pub means: String,
    /// Lines of its table; below a heading, lines of a table that it needs.
    pub example: String,
    /// Keys of the table without which the example is not whole.
    #[serde(default)]
    pub with: Vec<String>,
    /// Files that the example names.
    #[serde(default)]
    pub files: Vec<String>,
    /// How many elements its list has.
    pub length: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    #[serde(rename = "table")]
    tables: Vec<KeyTable>,
}

/// All tables, in the order of docs/scenario.md.
pub fn tables() -> &'static [KeyTable] {
    static LIST: LazyLock<List> =
        LazyLock::new(|| toml::from_str(include_str!("keys.toml")).expect("a test reads the built-in list"));
    &LIST.tables
}

/// The table of this path, as the list spells it.
pub fn table(path: &str) -> Option<&'static KeyTable> {
    tables().iter().find(|table| table.path == path)
}

impl KeyTable {
    /// The path of one of its keys.
    pub fn path_of(&self, key: &Key) -> String {
        if self.path.is_empty() { key.name.clone() } else { format!("{}.{}", self.path, key.name) }
    }

    /// The key of this name.
    pub fn key(&self, name: &str) -> Option<&Key> {
        self.keys.iter().find(|key| key.name == name)
    }

    /// Whether it is written `[[…]]`, once for each element of a list.
    pub fn is_listed(&self) -> bool {
        let (above, name) = self.path.rsplit_once('.').unwrap_or(("", &self.path));
        let key = table(above).and_then(|table| table.key(name));
        key.is_some_and(|key| key.takes.0.contains(&Kind::Tables))
    }

    /// As a file has it: `[checkpoint]`, `[[cluster]]`; nothing for the top and for what has no place of its own.
    pub fn heading(&self) -> String {
        match self.path.as_str() {
            "" => String::new(),
            path if path == "law" || path.starts_with("law.") => String::new(),
            path if self.is_listed() => format!("[[{path}]]"),
            path => format!("[{path}]"),
        }
    }
}

impl Key {
    /// Whether it must be given, whatever else is.
    pub fn is_required(&self) -> bool {
        self.default == "required"
    }

    /// Whether the user chooses its name.
    pub fn is_own(&self) -> bool {
        is_own(&self.name)
    }
}

/// Whether a part of a path stands for a name of the user's own.
pub fn is_own(part: &str) -> bool {
    !part.is_empty() && part.chars().all(|c| c.is_ascii_uppercase())
}

/// Whether `path`, as a user writes it, is that of the list: names of one's own match, in quotes or not, and so does the
/// number of a cluster.
fn matches(listed: &str, parts: &[String]) -> bool {
    let listed: Vec<&str> = if listed.is_empty() { Vec::new() } else { listed.split('.').collect() };
    listed.len() == parts.len()
        && listed.iter().zip(parts).all(|(own, part)| is_own(own) || own.eq_ignore_ascii_case(part))
}

/// Parts of a dotted path; those in quotes are whole.
fn parts_of(path: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut quote = None;
    for c in path.chars() {
        match (c, quote) {
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            ('.', None) => parts.push(String::new()),
            (c, _) => parts.last_mut().expect("there is always a part").push(c),
        }
    }
    parts
}

/// What a path of a scenario file is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Found {
    /// A table.
    Table(&'static KeyTable),
    /// A key of a table.
    Key(&'static KeyTable, &'static Key),
}

/// What stands at `path`: `checkpoint.every`, `[capacity.renewal]`, `cluster.0.nodes`,
/// `capacity.renewal.uptime.weibull.shape`. A name of the list goes before one of the user's own.
pub fn find(path: &str) -> Option<Found> {
    let mut parts = parts_of(path.trim_matches(['[', ']']));
    // A number finds one of a list, and a list has no other keys.
    parts.iter_mut().for_each(|part| part.truncate(part.find('[').unwrap_or(part.len())));
    parts.retain(|part| part.is_empty() || !part.chars().all(|c| c.is_ascii_digit()));
    find_parts(&parts)
}

fn find_parts(parts: &[String]) -> Option<Found> {
    let exact = parts.join(".");
    let all =
        || {
            let own = tables().iter().filter(|table| !table.path.is_empty());
            let own = own.map(|table| (table.path.clone(), Found::Table(table)));
            own.chain(tables().iter().flat_map(|table| {
                table.keys.iter().map(move |key| (table.path_of(key), Found::Key(table, key)))
            }))
        };
    let fits =
        all().find(|(path, _)| *path == exact).or_else(|| all().find(|(path, _)| matches(path, parts)));
    fits.map(|(_, found)| found).or_else(|| find_within(parts))
}

/// A path whose first parts are a key with a table that stands elsewhere: `cluster.checkpoint.every`, or with a law.
fn find_within(parts: &[String]) -> Option<Found> {
    (1..parts.len()).rev().find_map(|at| {
        let above = parts[..at].join(".");
        let key = tables()
            .iter()
            .find_map(|table| table.keys.iter().find(|key| matches(&table.path_of(key), &parts[..at])));
        let inner = key?.takes.0.iter().find_map(|kind| match kind {
            Kind::Law => Some("law"),
            Kind::Table(other) => other.as_deref().filter(|other| *other != above),
            _ => None,
        })?;
        let inner = inner.split('.').map(str::to_owned).chain(parts[at..].iter().cloned());
        find_parts(&inner.collect::<Vec<_>>())
    })
}

/// All paths of the list, for near names.
pub fn paths() -> Vec<String> {
    let of = |table: &'static KeyTable| {
        let keys = table.keys.iter().map(|key| table.path_of(key));
        [table.path.clone()].into_iter().filter(|path| !path.is_empty()).chain(keys)
    };
    let mut paths: Vec<String> = tables().iter().flat_map(of).collect();
    paths.sort();
    paths.dedup();
    paths
}
