//! A scenario that is resolved again and again with other values.

use super::Failure;
use super::input::{overrides, read_text};
use super::terminal::stderr_has_colour;
use crate::cli::ScenarioArgs;
use crate::scenario::capacity::ReadFile;
use crate::scenario::load::{Overrides, Scenario};
use crate::scenario::template::Template;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// A scenario's text and what the command line says about it, read once.
pub struct Reread {
    /// The file, as typed.
    pub file: String,
    text: String,
    folder: PathBuf,
    overrides: Overrides,
    /// Files that it names, with what came of reading them.
    named: Mutex<BTreeMap<String, Result<String, String>>>,
}

/// A scenario with its key changed.
pub struct Resolved {
    /// It.
    pub scenario: Scenario,
    /// Warnings about it.
    pub warnings: String,
    /// What the file itself, with its `--set`s, has under a key.
    pub written: Option<String>,
}

impl Reread {
    /// Reads the scenario file of `args`.
    pub fn new(args: &ScenarioArgs) -> Result<Self, Failure> {
        let file = args.file.display().to_string();
        let text = read_text(&args.file)
            .map_err(|why| Failure::Input(format!("error: the scenario \"{file}\" cannot be read: {why}")))?;
        let folder = args.file.parent().unwrap_or(Path::new("")).to_owned();
        Ok(Self { file, text, folder, overrides: overrides(args)?, named: Mutex::default() })
    }

    /// As many replications as the command line says, else as many as a rule of the scenario asks for, else these.
    pub fn replications_until_or(self, replications: u64) -> Self {
        let has_rule = {
            let read_file = |name: &str| self.named(name);
            self.template(&read_file).own().0.is_some_and(|own| own.until.is_some())
        };
        if has_rule { self } else { self.replications_or(replications) }
    }

    /// As many replications as the command line says, else these.
    pub fn replications_or(mut self, replications: u64) -> Self {
        self.overrides.replications.get_or_insert(replications);
        self
    }

    /// A file that the scenario names, read once.
    pub fn named(&self, name: &str) -> Result<String, String> {
        let read = || read_text(&self.folder.join(name));
        let mut named = self.named.lock().expect("who reads a file does not panic");
        named.entry(name.to_owned()).or_insert_with(read).clone()
    }

    /// The scenario, to be resolved with other values; `read_file` is [`Self::named`].
    pub fn template<'f>(&self, read_file: &'f ReadFile<'f>) -> Template<'f> {
        Template::parse(&self.file, self.text.clone(), &self.overrides, read_file)
    }

    /// The scenario with `set` put over it, and what stands under `key` before.
    pub fn with(&self, set: Option<String>, key: &str) -> Result<Resolved, Failure> {
        let read_file = |name: &str| self.named(name);
        let mut overrides = self.overrides.clone();
        overrides.set.extend(set);
        let template = Template::parse(&self.file, self.text.clone(), &overrides, &read_file);
        let (scenario, problems) = template.own();
        let colour = stderr_has_colour();
        match scenario {
            Some(scenario) => Ok(Resolved {
                scenario,
                warnings: problems.render(template.sources(), colour),
                written: template.written(key),
            }),
            None => Err(Failure::Input(problems.errors().render(template.sources(), colour))),
        }
    }
}
