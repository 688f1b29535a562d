//! `spotsim explain`, `schema`, `completions` and `man`.

use super::files::Folder;
use super::terminal::{answer, columns, stdout_has_colour};
use super::{Exit, Failure};
use crate::cli::Cli;
use crate::cli::reference::{CompletionsArgs, ExplainArgs, ManArgs, Shell};
use crate::report::json;
use crate::report::reference;
use crate::report::text::{Paint, inert};
use clap::{Command, CommandFactory};

/// Says what a word is, or what words there are.
pub fn explain(args: &ExplainArgs) -> Result<Exit, Failure> {
    let paint = Paint { colour: stdout_has_colour() };
    let word = args.words.join(" ");
    if word.trim().is_empty() {
        answer(&reference::overview(columns(), paint))?;
        return Ok(Exit::Done);
    }
    match reference::explain(&word, columns(), paint) {
        Some(text) => {
            answer(&text)?;
            Ok(Exit::Done)
        }
        None => {
            let near = reference::nearest_names(&word);
            let help = match near.is_empty() {
                true => "`spotsim explain` lists what there is".to_owned(),
                false => format!("did you mean {}?", near.join(", ")),
            };
            Err(Failure::Input(format!("error: nothing is called `{}`\n  = help: {help}", inert(&word))))
        }
    }
}

/// Prints the JSON Schema of scenarios.
pub fn schema() -> Result<Exit, Failure> {
    answer(&String::from_utf8_lossy(&json::to_bytes(&reference::schema())))?;
    Ok(Exit::Done)
}

/// Prints what completes commands in a shell.
pub fn completions(args: &CompletionsArgs) -> Result<Exit, Failure> {
    let shell = match args.shell {
        Shell::Bash => clap_complete::Shell::Bash,
        Shell::Zsh => clap_complete::Shell::Zsh,
        Shell::Fish => clap_complete::Shell::Fish,
        Shell::PowerShell => clap_complete::Shell::PowerShell,
        Shell::Elvish => clap_complete::Shell::Elvish,
    };
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "spotsim", &mut text);
    answer(&String::from_utf8_lossy(&text))?;
    Ok(Exit::Done)
}

/// Prints the manual page of spotsim, or writes one of each command.
pub fn man(args: &ManArgs) -> Result<Exit, Failure> {
    let mut root = Cli::command();
    root.build();
    let Some(out) = &args.out else {
        answer(&String::from_utf8_lossy(&page(root, "spotsim")?))?;
        return Ok(Exit::Done);
    };
    let mut folder = Folder::create(out)?;
    for (name, command) in all(root, "spotsim") {
        let bytes = page(command, &name)?;
        folder.write(&format!("{name}.1"), &bytes)?;
    }
    answer(&crate::report::text::written(&out.display().to_string(), &folder.listing()))?;
    Ok(Exit::Done)
}

/// A command and those below it, each with the name of its page.
fn all(command: Command, name: &str) -> Vec<(String, Command)> {
    let below: Vec<(String, Command)> = command
        .get_subcommands()
        .flat_map(|one| all(one.clone(), &format!("{name}-{}", one.get_name())))
        .collect();
    [(name.to_owned(), command)].into_iter().chain(below).collect()
}

fn page(command: Command, name: &str) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let rendered = clap_mangen::Man::new(command).title(name.to_uppercase()).render(&mut bytes);
    rendered.map_err(|source| Failure::Write { what: format!("cannot make the page {name}.1"), source })?;
    Ok(bytes)
}
