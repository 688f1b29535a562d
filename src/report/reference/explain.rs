//! What a word is: a key of a scenario, a table, a law, a result, an exit code, an error.

use super::pages::Sheet;
use super::words::words;
use crate::report::text::{Paint, listed, wrapped};
use crate::scenario::reference::{Found, Key, KeyTable, find, paths, tables};
use std::collections::BTreeSet;

/// The pages of `word`; `None` if nothing has that name.
pub fn explain(word: &str, columns: usize, paint: Paint) -> Option<String> {
    let sheet = Sheet { columns: columns.max(40), paint };
    let word = word.trim();
    let mut pages: Vec<String> = Vec::new();
    match find(word) {
        Some(Found::Table(table)) => pages.push(sheet.table(table)),
        Some(Found::Key(table, key)) => pages.push(sheet.key(table, key)),
        None => {}
    }
    let name = word.strip_prefix("clusters.").unwrap_or(word);
    let found = words().iter().filter_map(|one| one.fits(name).map(|statistic| (one, statistic)));
    pages.extend(found.map(|(one, statistic)| sheet.word(one, name, statistic)));
    if pages.is_empty() {
        pages.extend(called(word, sheet));
    }
    (!pages.is_empty()).then(|| pages.join("\n"))
}

/// What the last part of a path is called: its page if there is one, else the paths.
fn called(word: &str, sheet: Sheet) -> Option<String> {
    let tables_so = tables().iter().filter(|table| table.path.rsplit('.').next() == Some(word));
    let keys_so = tables().iter().flat_map(|table| {
        let is_it = move |key: &&Key| key.name == word && !is_table(table, key);
        table.keys.iter().filter(is_it).map(move |key| (table, key))
    });
    let (tables_so, keys_so): (Vec<_>, Vec<_>) = (tables_so.collect(), keys_so.collect());
    match (tables_so.as_slice(), keys_so.as_slice()) {
        ([], []) => None,
        ([table], []) => Some(sheet.table(table)),
        ([], [(table, key)]) => Some(sheet.key(table, key)),
        _ => {
            let mut text = format!("Several are called `{word}`:\n");
            let tables_so = tables_so.iter().map(|table| table.path.clone());
            for path in tables_so.chain(keys_so.iter().map(|(table, key)| table.path_of(key))) {
                text += &format!("  spotsim explain {path}\n");
            }
            Some(text)
        }
    }
}

/// Whether a key's table has a page of its own.
fn is_table(table: &KeyTable, key: &Key) -> bool {
    let path = table.path_of(key);
    tables().iter().any(|table| table.path == path)
}

/// Names like `word`, the nearest first.
pub fn nearest_names(word: &str) -> Vec<String> {
    const TOLD: usize = 5;
    let mut names: BTreeSet<String> = paths().into_iter().collect();
    names.extend(words().iter().map(|word| word.name.clone()));
    let length = word.chars().count();
    let distance = |name: &str| {
        let whole = strsim::osa_distance(word, name);
        let last = name.rsplit('.').next().map_or(whole, |last| strsim::osa_distance(word, last));
        whole.min(last)
    };
    let mut near: Vec<(usize, String)> = names
        .into_iter()
        .map(|name| (if length > 3 && name.contains(word) { 1 } else { distance(&name) }, name))
        .filter(|(distance, _)| *distance <= 3 && 2 * distance <= length.max(2))
        .collect();
    near.sort();
    near.into_iter().take(TOLD).map(|(_, name)| name).collect()
}

/// What there is to explain.
pub fn overview(columns: usize, paint: Paint) -> String {
    let columns = columns.max(40);
    let mut text = String::new();
    let mut section = |title: &str, names: Vec<String>| {
        text += &format!("{}\n", paint.bold(title));
        let list = names.join(", ");
        text.extend(wrapped(&list, columns - 2).iter().map(|line| format!("  {line}\n")));
        text.push('\n');
    };
    let of_law = |path: &str| path == "law" || path.starts_with("law.");
    let is_table = |path: &&str| !path.is_empty() && !of_law(path);
    let all = || tables().iter().map(|table| table.path.as_str());
    section("Tables of a scenario", all().filter(is_table).map(str::to_owned).collect());
    section("Laws of times", all().filter(|path| of_law(path)).map(str::to_owned).collect());
    for (kind, title) in [
        ("result", "Results"),
        ("end of a replication", "Ends of a replication"),
        ("exit code", "Exit codes"),
        ("error", "Errors"),
    ] {
        section(
            title,
            words().iter().filter(|word| word.kind == kind).map(|word| word.name.clone()).collect(),
        );
    }
    let count = tables().iter().map(|table| table.keys.len()).sum::<usize>();
    let last = format!(
        "Also each of the {count} keys of these tables: {}.",
        listed(
            ["checkpoint.every", "capacity.renewal.gap", "law.weibull.shape"]
                .map(|key| format!("spotsim explain {key}"))
                .to_vec(),
            3
        )
    );
    text.extend(wrapped(&last, columns).iter().map(|line| format!("{line}\n")));
    text
}
