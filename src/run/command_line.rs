//! The command that shards were made by.

use super::Failure;
use super::fingerprint::fingerprint;
use super::gather::{Part, refused};
use super::shard::{Head, Shard};
use crate::cli::{Cli, Command};
use crate::scenario::load::Scenario;
use clap::Parser;
use std::path::{Path, PathBuf};

/// The command as its shards were asked for it, but in one piece. `moved` is where the scenario lies now, if not where they
/// found it.
pub fn command(head: &Head, moved: Option<&Path>) -> Result<Command, Failure> {
    let version = env!("CARGO_PKG_VERSION");
    if head.spotsim != version {
        let why = format!("these shards were made by spotsim {}, and this is {version}", head.spotsim);
        return Err(refused(&why));
    }
    let file = moved.map_or_else(|| located(head), Path::to_owned);
    if moved.is_none() && !file.exists() {
        let (file, folder) = (file.display(), head.working_folder.display());
        return Err(refused(&format!(
            "the scenario \"{file}\" of these shards is neither here nor in {folder}\n  = help: name it with `--scenario FILE`"
        )));
    }
    let words = ["spotsim".into(), head.command.clone().into(), file.into_os_string()];
    let words = words.into_iter().chain(head.options.iter().map(Into::into));
    match Cli::try_parse_from(words) {
        Ok(cli) => Ok(cli.command),
        Err(why) => Err(refused(&format!("these shards were made by no command of spotsim: {why}"))),
    }
}

/// Refuses a scenario that is not what the shards were made from.
pub fn check(head: &Head, file: &str, scenario: &Scenario) -> Result<(), Failure> {
    if fingerprint(&head.command, &head.options, scenario) == head.fingerprint {
        return Ok(());
    }
    Err(refused(&format!(
        "{file} or a file that it names is not as it was for these shards: the fingerprint differs\n  \
         = help: name the right file with `--scenario`, or run all shards anew"
    )))
}

/// The words that run shard `number` of the same result alone, into a folder beside that of `other`.
pub fn alone(other: &Part, number: u64) -> String {
    let head = &other.head;
    let folder = other.folder.parent().unwrap_or(Path::new(""));
    let out = folder.join(Shard { number, ..head.shard() }.folder_name());
    let words = ["spotsim".to_owned(), head.command.clone(), located(head).display().to_string()];
    let last = ["--shard".to_owned(), format!("{number}/{}", head.shards)];
    let last = last.into_iter().chain(["--out".to_owned(), out.display().to_string()]);
    let all = words.into_iter().chain(head.options.iter().cloned()).chain(last);
    all.map(|word| for_shell(&word)).collect::<Vec<_>>().join(" ")
}

/// The scenario seen from here, else from where the shard ran.
fn located(head: &Head) -> PathBuf {
    let there = head.working_folder.join(&head.scenario);
    if !head.scenario.exists() && there.exists() { there } else { head.scenario.clone() }
}

/// A word that a POSIX shell takes as it is.
fn for_shell(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_split_them() {
        assert_eq!(for_shell("--set=job.nodes=2"), "--set=job.nodes=2");
        assert_eq!(for_shell("--set=job.deadline='\"12 h\"'"), r#"'--set=job.deadline='\''"12 h"'\'''"#);
        assert_eq!(for_shell(""), "''");
    }
}
