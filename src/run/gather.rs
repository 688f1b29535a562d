//! The shards that belong together, all of them or none.

use super::Failure;
use super::command_line::alone;
use super::fingerprint::Contents;
use super::shard::{FORMAT, HEAD, Head, Shard};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// A complete shard.
pub struct Part {
    /// Where it is.
    pub folder: PathBuf,
    /// What it says of itself.
    pub head: Head,
}

/// Commands for shards that are missing, at most.
const COMMANDS_MAX: usize = 10;

/// Finds the shards in `folders`, each of which is one or holds some. All shards of one result, in order, or why not.
pub fn gather(folders: &[PathBuf]) -> Result<Vec<Part>, Failure> {
    let (mut parts, mut incomplete): (Vec<Part>, Vec<String>) = (Vec::new(), Vec::new());
    for folder in folders {
        let found = within(folder)?;
        if found.is_empty() {
            incomplete.push(format!("{} holds no complete shard: there is no {HEAD}", folder.display()));
        }
        for folder in found {
            match read_head(&folder)? {
                Ok(head) => parts.push(Part { folder, head }),
                Err(why) => incomplete.push(why),
            }
        }
    }
    let Some(first) = parts.first() else {
        return Err(refused(&format!("there is nothing to merge: {}", incomplete.join("; "))));
    };
    for part in &parts[1..] {
        if let Some(what) = difference(&first.head, &part.head) {
            let (a, b) = (first.folder.display(), part.folder.display());
            return Err(refused(&format!("{a} and {b} are not shards of the same result: {what}")));
        }
    }
    let mut by_number: BTreeMap<u64, Part> = BTreeMap::new();
    for part in parts {
        let number = part.head.shard;
        if let Some(other) = by_number.get(&number) {
            let (a, b) = (other.folder.display(), part.folder.display());
            return Err(refused(&format!("shard {number} is there twice: {a} and {b}")));
        }
        by_number.insert(number, part);
    }
    match missing(&by_number, &incomplete) {
        Some(why) => Err(why),
        None => Ok(by_number.into_values().collect()),
    }
}

pub(super) fn refused(why: &str) -> Failure {
    Failure::Input(format!("error: {why}"))
}

/// The folder itself if it is a shard, else the shards in it, in the order of their names, hidden ones left out.
fn within(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    if folder.join(HEAD).is_file() {
        return Ok(vec![folder.to_owned()]);
    }
    let entries = fs::read_dir(folder)
        .map_err(|error| refused(&format!("the folder {} cannot be read: {error}", folder.display())))?;
    let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    let hidden = |path: &Path| path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    found.retain(|path| !hidden(path) && path.join(HEAD).is_file());
    found.sort();
    Ok(found)
}

/// The head of a shard, or in words what it lacks to be complete.
fn read_head(folder: &Path) -> Result<Result<Head, String>, Failure> {
    let path = folder.join(HEAD);
    let shown = path.display();
    let bytes = fs::read(&path).map_err(|error| refused(&format!("{shown} cannot be read: {error}")))?;
    let wrong = |why: String| refused(&format!("{shown} is not what spotsim writes: {why}"));
    let value: Value = serde_json::from_slice(&bytes).map_err(|error| wrong(error.to_string()))?;
    if value["format"].as_u64().is_some_and(|format| format != u64::from(FORMAT)) {
        let format = &value["format"];
        return Err(refused(&format!(
            "{shown} has format {format}; this version of spotsim reads format {FORMAT}"
        )));
    }
    let head: Head = serde_json::from_value(value).map_err(|error| wrong(error.to_string()))?;
    Shard::read(&format!("{}/{}", head.shard, head.shards))
        .map_err(|_| wrong("there is no such shard".into()))?;
    for (name, right) in &head.files {
        let file = folder.join(name);
        match Contents::of(&file) {
            Err(error) => return Ok(Err(format!("{} cannot be read: {error}", file.display()))),
            Ok(found) if found.bytes != right.bytes => {
                let (file, right, found) = (file.display(), right.bytes, found.bytes);
                return Ok(Err(format!("{file} should have {right} bytes and has {found}")));
            }
            Ok(found) if found != *right => {
                return Ok(Err(format!("{} was changed after its shard was complete", file.display())));
            }
            Ok(_) => {}
        }
    }
    Ok(Ok(head))
}

/// What keeps two shards from being of one result.
fn difference(a: &Head, b: &Head) -> Option<String> {
    let pairs = [
        ("command", a.command.clone(), b.command.clone()),
        ("version of spotsim", a.spotsim.clone(), b.spotsim.clone()),
        ("number of shards", a.shards.to_string(), b.shards.to_string()),
        ("seed", a.seed.to_string(), b.seed.to_string()),
        ("number of replications", a.replications.to_string(), b.replications.to_string()),
        ("list of options", a.options.join(" "), b.options.join(" ")),
        ("fingerprint of the scenario and its files", a.fingerprint.clone(), b.fingerprint.clone()),
    ];
    let (what, a, b) = pairs.into_iter().find(|(_, a, b)| a != b)?;
    Some(format!("their {what} differs, {a} and {b}"))
}

/// The refusal if some shards are missing, with the commands that run them.
fn missing(parts: &BTreeMap<u64, Part>, incomplete: &[String]) -> Option<Failure> {
    let first = parts.values().next()?;
    let lost: Vec<u64> = (1..=first.head.shards).filter(|number| !parts.contains_key(number)).collect();
    if lost.is_empty() {
        return None;
    }
    let mut text = match lost.as_slice() {
        [one] => format!("error: shard {one} of {} is missing", first.head.shards),
        many => format!("error: {} of {} shards are missing", many.len(), first.head.shards),
    };
    incomplete.iter().for_each(|why| _ = write!(text, "\n  {why}"));
    text.push_str("\n  = help: run what is missing, then merge again:");
    for &number in lost.iter().take(COMMANDS_MAX) {
        _ = write!(text, "\n      {}", alone(first, number));
    }
    if lost.len() > COMMANDS_MAX {
        _ = write!(text, "\n      and so on, for {} more", lost.len() - COMMANDS_MAX);
    }
    Some(Failure::Input(text))
}
