//! One page for a table, a key or a word.

use super::plain;
use super::words::Word;
use crate::report::text::{Paint, width, wrapped};
use crate::scenario::reference::{Key, KeyTable};

/// Columns before what stands beside a word.
const INDENT: usize = 10;

/// How a page is set.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sheet {
    pub columns: usize,
    pub paint: Paint,
}

impl Sheet {
    fn head(self, name: &str, what: &str) -> String {
        let lines = wrapped(what, self.columns.saturating_sub(width(name) + 3).max(20));
        let rest = lines[1..].iter().map(|line| format!("{}{line}\n", " ".repeat(width(name) + 3)));
        format!("{}   {}\n{}", self.paint.bold(name), lines[0], rest.collect::<String>())
    }

    fn paragraph(self, text: &str) -> String {
        let lines = wrapped(text, self.columns - 2);
        let lines: String = lines.iter().map(|line| format!("  {line}\n")).collect();
        format!("\n{lines}\n")
    }

    fn beside(self, word: &str, text: &str) -> String {
        let mut all = String::new();
        for (at, line) in wrapped(text, self.columns - 2 - INDENT).iter().enumerate() {
            let head = if at == 0 { word } else { "" };
            all += format!("  {head:INDENT$}{line}").trim_end();
            all.push('\n');
        }
        all
    }

    /// Lines that keep their form.
    fn example(self, lines: &[String]) -> String {
        let line = |(at, line): (usize, &String)| {
            let head = if at == 0 { "Example" } else { "" };
            format!("{}\n", format!("  {head:INDENT$}{line}").trim_end())
        };
        lines.iter().enumerate().map(line).collect()
    }

    pub fn key(self, table: &KeyTable, key: &Key) -> String {
        let path = table.path_of(key);
        let mut page = self.head(&path, &plain(&key.takes.words()));
        page += &self.paragraph(&plain(&key.means));
        page += &self.beside("Default", &plain(&key.default));
        for group in table.one_of.iter().chain(&table.just_one_of).filter(|group| group.contains(&key.name)) {
            let others: Vec<&str> =
                group.iter().filter(|name| **name != key.name).map(String::as_str).collect();
            page += &self.beside("Instead", &format!("of {}: one of them is taken", others.join(", ")));
        }
        page += &self.example(&example(table, key));
        page += &self.beside("See also", &see_also(table, key));
        page
    }

    pub fn table(self, table: &KeyTable) -> String {
        let what = match table.path.as_str() {
            "law" => "a law of times",
            path if path.starts_with("law.") => "a kind of law",
            _ if table.is_listed() => "a list of tables",
            _ => "a table",
        };
        let name = if table.heading().is_empty() { table.path.clone() } else { table.heading() };
        let mut page = self.head(&name, what);
        page += &self.paragraph(&plain(&table.about));
        let names = table.keys.iter().map(|key| width(&key.name)).max().unwrap_or(0);
        for key in &table.keys {
            let told = format!("{}. {}.", plain(&key.takes.words()), told_default(key));
            let room = (self.columns - 4).saturating_sub(names).max(20);
            let means = plain(&key.means);
            let lines = wrapped(&format!("{} {}", told_first(&told), means), room);
            for (at, line) in lines.iter().enumerate() {
                let head = if at == 0 { key.name.as_str() } else { "" };
                let blanks = " ".repeat(names - width(head));
                page += format!("  {head}{blanks}  {line}").trim_end();
                page.push('\n');
            }
        }
        if table.keys.is_empty() {
            page += &self.beside("Example", &format!("{} = {{}}", table.path));
        }
        page
    }

    pub fn word(self, word: &Word, name: &str, statistic: &str) -> String {
        let kind = match word.unit.as_str() {
            "" => word.kind.clone(),
            unit => format!("{}, {unit}", word.kind),
        };
        let mut page = self.head(name, &kind);
        page += &self.paragraph(&word.means);
        if !statistic.is_empty() {
            page += &self.beside("This one", &format!("{statistic}, of {}", word.name));
        }
        if !word.statistics.is_empty() && statistic.is_empty() {
            let ends = match word.statistics.as_str() {
                "interval" => "_ci_low and _ci_high at its end are its 95 % interval",
                _ => {
                    "at its end _mean, _sd, _ci_low and _ci_high of the mean; _p05, _p50 and _p95 are quantiles of \
                     replications"
                }
            };
            page += &self.beside("With", ends);
        }
        if !word.more.is_empty() {
            page += &self.beside("More", &word.more);
        }
        page
    }
}

/// "Default never" is not told twice where nothing is the default.
fn told_default(key: &Key) -> String {
    match key.default.as_str() {
        "required" => "Required".to_owned(),
        "none" => String::new(),
        default => format!("Default: {}", plain(default)),
    }
}

/// A kind with a capital, without an empty sentence behind it.
fn told_first(told: &str) -> String {
    let told = told.trim_end_matches(" .").trim_end();
    let mut letters = told.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The lines of an example under the heading of their table; a law stands in the key that has it.
fn example(table: &KeyTable, key: &Key) -> Vec<String> {
    let own = key.example.lines().filter(|line| !line.is_empty()).map(str::to_owned);
    let heading = Some(table.heading()).filter(|heading| !heading.is_empty());
    match table.path.strip_prefix("law") {
        Some("") => own.map(|line| format!("{{ {line} }}")).collect(),
        Some(kind) => own.map(|line| format!("{{ {} = {{ {line} }} }}", &kind[1..])).collect(),
        None => heading.into_iter().chain(own).collect(),
    }
}

fn see_also(table: &KeyTable, key: &Key) -> String {
    use crate::scenario::reference::Kind;
    let mut pages: Vec<String> = Vec::new();
    for kind in &key.takes.0 {
        match kind {
            Kind::Law => pages.push("spotsim explain law".to_owned()),
            Kind::Table(Some(path)) => pages.push(format!("spotsim explain {path}")),
            Kind::Name(part) => pages.push(format!("spotsim catalog {part}")),
            _ => {}
        }
    }
    if !table.path.is_empty() {
        pages.push(format!("spotsim explain {}", table.path));
    }
    pages.push("docs/scenario.md".to_owned());
    pages.join(", ")
}
