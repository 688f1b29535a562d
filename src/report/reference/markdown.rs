//! Tables of keys in docs/scenario.md, between marks that say of which.

use crate::scenario::reference::{Key, KeyTable, table, tables};

const OF: &str = "<!-- keys of ";
const BELOW: &str = "<!-- keys below ";
const CLOSE: &str = " -->";
const END: &str = "<!-- end of keys -->";
/// Examples longer than this stand in `spotsim explain` alone.
const EXAMPLE_MAX: usize = 60;

/// The page with each block of keys as the list has it now; an error for a table that the list lacks.
pub fn refreshed(page: &str) -> Result<String, String> {
    let mut lines = page.lines();
    let mut text = String::new();
    while let Some(line) = lines.next() {
        text += line;
        text.push('\n');
        let rows = match (path_in(line, OF), path_in(line, BELOW)) {
            (Some(path), _) => keys(table(path).ok_or_else(|| format!("there is no table `{path}`"))?),
            (_, Some(path)) => keys_below(path, page),
            _ => continue,
        };
        text += &format!("\n{HEAD}{rows}\n");
        if !lines.any(|line| line == END) {
            return Err(format!("{line} has no end"));
        }
        text += END;
        text.push('\n');
    }
    Ok(text)
}

/// Tables with keys that are not the user's own and stand nowhere on the page.
pub fn left_out(page: &str) -> Vec<&'static str> {
    let below: Vec<&str> = page.lines().filter_map(|line| path_in(line, BELOW)).collect();
    let is_there = |path: &str| {
        has_block(path, page) || below.iter().any(|above| path.starts_with(&format!("{above}.")))
    };
    let with_keys = tables().iter().filter(|table| table.keys.iter().any(|key| !key.is_own()));
    with_keys.map(|table| table.path.as_str()).filter(|path| !is_there(path)).collect()
}

fn path_in<'a>(line: &'a str, begin: &str) -> Option<&'a str> {
    let path = line.strip_prefix(begin)?.strip_suffix(CLOSE)?;
    Some(if path == "the top" { "" } else { path })
}

fn has_block(path: &str, page: &str) -> bool {
    page.lines().any(|line| path_in(line, OF) == Some(path))
}

const HEAD: &str = "| key | takes | default | meaning |\n|---|---|---|---|\n";

/// The keys of a table, a row each.
fn keys(table: &KeyTable) -> String {
    table.keys.iter().map(|key| row(&key.name, key)).collect()
}

/// The keys of all tables within one that have no block of their own.
fn keys_below(path: &str, page: &str) -> String {
    let start = format!("{path}.");
    let within =
        tables().iter().filter(|table| table.path.starts_with(&start) && !has_block(&table.path, page));
    let rows = within.flat_map(|table| {
        table.keys.iter().map(|key| row(&format!("{}.{}", &table.path[start.len()..], key.name), key))
    });
    rows.collect()
}

fn row(name: &str, key: &Key) -> String {
    let cells = [format!("`{name}`"), key.takes.words(), key.default.clone(), meaning(key)];
    format!("| {} |\n", cells.map(|cell| cell.replace('|', "\\|")).join(" | "))
}

/// What it means, with an example where that is short and says more than the kind does.
fn meaning(key: &Key) -> String {
    let own = key.example.lines().find(|line| !line.is_empty()).unwrap_or_default();
    let says_more = key.takes.listed_words().is_empty() && key.takes.words() != "`true` or `false`";
    match says_more && own.len() <= EXAMPLE_MAX {
        true => format!("{} `{own}`", key.means),
        false => key.means.clone(),
    }
}
