//! Tables of keys in docs/scenario.md, between marks that say of which.

use crate::scenario::reference::{Key, KeyTable, table};

const BEGIN: &str = "<!-- keys of ";
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
        let Some(path) = line.strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix(CLOSE)) else { continue };
        let path = if path == "the top" { "" } else { path };
        let found = table(path).ok_or_else(|| format!("there is no table `{path}`"))?;
        text += "\n";
        text += &keys(found);
        text += "\n";
        if !lines.any(|line| line == END) {
            return Err(format!("the keys of `{path}` have no end"));
        }
        text += END;
        text.push('\n');
    }
    Ok(text)
}

/// The keys of a table as a table.
fn keys(table: &KeyTable) -> String {
    let row = |key: &Key| {
        let cells = [format!("`{}`", key.name), key.takes.words(), key.default.clone(), meaning(key)];
        format!("| {} |\n", cells.map(|cell| cell.replace('|', "\\|")).join(" | "))
    };
    let rows: String = table.keys.iter().map(row).collect();
    format!("| key | takes | default | meaning |\n|---|---|---|---|\n{rows}")
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
