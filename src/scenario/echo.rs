//! What a scenario says once every default is filled in.

use std::collections::BTreeMap;
use std::fmt::Write;

/// Keys with their effective values, in the order in which they were read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Echo(Vec<Line>);

/// One effective key.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    /// Dotted path of the table: `checkpoint`, empty at the top.
    table: String,
    key: String,
    /// As TOML.
    value: String,
    /// Where a default or a derived value comes from, or the value in base units.
    note: String,
}

impl Echo {
    /// Records a key of the table `table` with its value as TOML.
    pub fn set(&mut self, table: &str, key: &str, value: impl Into<String>, note: impl Into<String>) {
        let line = Line { table: table.into(), key: key.into(), value: value.into(), note: note.into() };
        self.0.push(line);
    }

    /// Takes the lines of the table `name`, and of zones' tables of that name, from `other` under `prefix`.
    pub(super) fn take_other(&mut self, other: &Self, name: &str, prefix: &str) {
        let is_it = |line: &&Line| {
            line.table == name
                || line.table.strip_prefix("zone.").is_some_and(|rest| rest.ends_with(&format!(".{name}")))
        };
        let under = |line: &Line| Line { table: format!("{prefix}.{}", line.table), ..line.clone() };
        self.0.extend(other.0.iter().filter(is_it).map(under));
    }

    /// The first value of a key in a table whose path begins so, or within the tables of its values, as TOML.
    pub fn value_within(&self, table: &str, key: &str) -> Option<String> {
        let of = |line: &Line| {
            let value: toml::Table = format!("{} = {}", line.key, line.value).parse().ok()?;
            found(&value, key).map(toml::Value::to_string)
        };
        self.0.iter().filter(|line| line.table.starts_with(table)).find_map(of)
    }

    fn value(&self, table: &str, key: &str) -> Option<&Line> {
        self.0.iter().find(|line| line.table == table && line.key == key)
    }
}

/// The first value of a key in a table or in those that it holds.
fn found<'t>(table: &'t toml::Table, key: &str) -> Option<&'t toml::Value> {
    let within = || table.values().filter_map(toml::Value::as_table).find_map(|inner| found(inner, key));
    table.get(key).or_else(within)
}

/// A text as TOML, in which every character is seen: marks that turn the direction of writing or have no width are
/// spelled out.
pub fn quoted(text: &str) -> String {
    let unseen = |c: char| c.is_control() || UNSEEN.iter().any(|range| range.contains(&c));
    if !text.contains(unseen) {
        return toml::Value::String(text.to_owned()).to_string();
    }
    let escaped = text.chars().map(|c| match c {
        '"' | '\\' => format!("\\{c}"),
        c if unseen(c) => format!("\\u{:04X}", u32::from(c)),
        c => c.to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

/// Characters without a shape of their own.
const UNSEEN: [std::ops::RangeInclusive<char>; 5] = [
    '\u{200B}'..='\u{200F}',
    '\u{2028}'..='\u{202E}',
    '\u{2060}'..='\u{2069}',
    '\u{061C}'..='\u{061C}',
    '\u{FEFF}'..='\u{FEFF}',
];

/// A date or a confidence of the catalogue without what it says about itself; `catalog` has it whole.
pub fn first_clause(text: &str) -> &str {
    text.split(';').next().unwrap_or(text)
}

/// Tables that a cluster replaces as a whole: one differing key moves all of them to the clusters.
const WHOLE: [&str; 3] = ["capacity", "zone", "fallback"];

/// Prints a scenario from the effective keys of its top and of each cluster: what all clusters share
/// stands above, what differs stands with each.
pub fn print(top: &Echo, clusters: &[Echo]) -> String {
    let mut shared = Echo::default();
    let mut own: Vec<Echo> = vec![Echo::default(); clusters.len()];
    let split: BTreeMap<&str, bool> = WHOLE.iter().map(|&root| (root, differs(root, clusters))).collect();
    for (index, cluster) in clusters.iter().enumerate() {
        for line in &cluster.0 {
            let root = line.table.split('.').next().unwrap_or("");
            let everywhere = !root.is_empty()
                && !split.get(root).copied().unwrap_or(false)
                && clusters.iter().all(|c| c.value(&line.table, &line.key) == Some(line));
            if !everywhere {
                own[index].0.push(line.clone());
            } else if index == 0 {
                shared.0.push(line.clone());
            }
        }
    }
    let mut text = String::new();
    print_tables(&mut text, top, "", "");
    print_tables(&mut text, &shared, "", "");
    for echo in &own {
        text.push_str("\n[[cluster]]\n");
        print_tables(&mut text, echo, "", "cluster");
    }
    text.trim_start().to_owned()
}

fn differs(root: &str, clusters: &[Echo]) -> bool {
    let lines = |echo: &Echo| -> Vec<Line> {
        echo.0.iter().filter(|line| line.table.split('.').next() == Some(root)).cloned().collect()
    };
    clusters.windows(2).any(|pair| lines(&pair[0]) != lines(&pair[1]))
}

/// Prints lines grouped by table, the tables in the order of their first line; keys without a table
/// come first.
fn print_tables(text: &mut String, echo: &Echo, first: &str, prefix: &str) {
    let mut tables: Vec<&str> = Vec::new();
    for line in &echo.0 {
        if !tables.contains(&line.table.as_str()) {
            tables.push(&line.table);
        }
    }
    tables.sort_by_key(|table| *table != first);
    for table in tables {
        match (prefix, table) {
            (_, "") => {}
            ("", table) => _ = write!(text, "\n[{table}]\n"),
            (prefix, table) => _ = write!(text, "\n[{prefix}.{table}]\n"),
        }
        for line in echo.0.iter().filter(|line| line.table == table) {
            let note = if line.note.is_empty() { String::new() } else { format!("  # {}", line.note) };
            _ = writeln!(text, "{} = {}{note}", line.key, line.value);
        }
    }
}
