//! Many configurations: evaluated here, all or a shard's, or merged from shards, to the table of their rows.

use super::command_line::check;
use super::files::Folder;
use super::fingerprint::fingerprint;
use super::gather::Part;
use super::interleave::interleave;
use super::rows::{Filling, fill};
use super::shard::{Head, Shard, begin};
use super::simulate::stop_on_ctrl_c;
use super::terminal::{answer, say};
use super::{Exit, Failure};
use crate::cli::{OutputArgs, ScenarioArgs};
use crate::experiment::Resolve;
use crate::experiment::sweep::SweepRows;
use crate::report::number;
use crate::scenario::load::Scenario;
use std::fs::File;
use std::io::BufReader;

/// How much of the work is to be done here.
pub enum Way<'a> {
    /// All.
    Whole,
    /// This part.
    Shard(Shard),
    /// None: these parts have done it.
    Merged(&'a [Part]),
}

/// Configurations with what a table says of them.
pub struct Points<'a> {
    /// The command that asks.
    pub command: &'static str,
    /// For this scenario.
    pub args: &'a ScenarioArgs,
    /// With these options beside, as far as they decide what is told.
    pub options: Vec<String>,
    /// The scenario as it is written.
    pub own: &'a Scenario,
    /// The table, without ending.
    pub name: &'static str,
    /// What its rows are called in messages: "points".
    pub noun: &'static str,
    /// Whether what an earlier process left is taken over.
    pub resume: bool,
    /// Keys that vary.
    pub keys: &'a [String],
    /// How many there are, in all shards.
    pub count: u64,
    /// Makes the scenario of one.
    pub resolve: &'a Resolve<'a>,
    /// The values of the keys of one.
    pub values: &'a dyn Fn(u64) -> Vec<String>,
}

/// What there is to go on with.
pub enum Rows {
    /// The folder, in which the table of all configurations lies.
    All(Folder),
    /// Less than that, and it is said.
    Less(Exit),
}

/// The file of a table.
pub fn table(name: &str) -> String {
    format!("{name}.csv")
}

impl Way<'_> {
    /// As `--shard` asks.
    pub fn asked(shard: Option<&str>) -> Result<Self, Failure> {
        shard.map_or(Ok(Way::Whole), |text| Shard::read(text).map(Way::Shard))
    }
}

/// The complete table `name` of `folder`.
pub fn read_back(name: &str, folder: &Folder) -> Result<SweepRows, Failure> {
    let wrong = |why: String| Failure::Other(format!("{} cannot be read back: {why}", table(name)));
    let text = File::open(folder.path().join(table(name))).map_err(|error| wrong(error.to_string()))?;
    SweepRows::read(BufReader::new(text)).map_err(|error| wrong(error.to_string()))
}

impl Points<'_> {
    /// Gets the rows on their way.
    pub fn rows(
        &self,
        way: &Way<'_>,
        output: &OutputArgs,
        pool: &rayon::ThreadPool,
    ) -> Result<Rows, Failure> {
        match way {
            Way::Merged(parts) => {
                check(&parts[0].head, &self.args.file.display().to_string(), self.own)?;
                let bytes = interleave(parts, &table(self.name), self.count)?;
                let mut folder = Folder::of(output, &self.own.name)?.alone()?;
                folder.write(&table(self.name), &bytes)?;
                Ok(Rows::All(folder))
            }
            Way::Whole => {
                let mut folder = Folder::of(output, &self.own.name)?.alone()?;
                Ok(match self.evaluate(Shard::WHOLE, pool, &mut folder)? {
                    true => Rows::All(folder),
                    false => Rows::Less(Exit::Interrupted),
                })
            }
            Way::Shard(shard) => {
                let head = Head::new(self.command, *shard, self.args, self.options.clone(), self.own)?;
                let mut folder = begin(output.out.as_deref(), &self.own.name, *shard)?;
                if !self.evaluate(*shard, pool, &mut folder)? {
                    return Ok(Rows::Less(Exit::Interrupted));
                }
                head.write(&[&table(self.name)], &mut folder)?;
                let (share, count) = (number::count(shard.share(self.count)), number::count(self.count));
                answer(&shard.told(&format!("{share} of {count} {}", self.noun), folder.path()))?;
                Ok(Rows::Less(Exit::Done))
            }
        }
    }

    /// Evaluates those of `shard`, writing their rows as they are complete; `false` if interrupted.
    fn evaluate(&self, shard: Shard, pool: &rayon::ThreadPool, folder: &mut Folder) -> Result<bool, Failure> {
        stop_on_ctrl_c()?;
        let filling = Filling {
            name: self.name,
            noun: self.noun,
            keys: self.keys,
            count: shard.share(self.count),
            number: &|nth| shard.nth(nth),
            values: self.values,
            resolve: self.resolve,
            fingerprint: fingerprint(self.command, &self.options, self.own),
        };
        let filled = fill(&filling, self.resume, pool, folder)?;
        if filled.done < filling.count {
            let (done, asked) = (number::count(filled.done), number::count(filling.count));
            let noun = self.noun;
            say(&format!(
                "interrupted after {done} of {asked} {noun}; these are kept, and `--resume` goes on from there"
            ));
            return Ok(false);
        }
        if let Some(why) = filled.invalid {
            let why = why.trim_end();
            say(&format!("some {} are no scenario and are left out, for one:\n{why}", self.noun));
        }
        Ok(true)
    }
}
