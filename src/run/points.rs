//! Many configurations: evaluated here, all or a shard's, or merged from shards, to the table of their rows.

use super::command_line::check;
use super::files::Folder;
use super::gather::Part;
use super::interleave::interleave;
use super::progress::Watch;
use super::shard::{Head, Shard, begin};
use super::simulate::{STOP, stop_on_ctrl_c};
use super::terminal::{answer, complain};
use super::{Exit, Failure};
use crate::cli::{OutputArgs, ScenarioArgs};
use crate::experiment::{Evaluated, Progress, Resolve, evaluate};
use crate::report::{csv, number};
use crate::scenario::load::Scenario;

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
    /// The table.
    pub name: &'static str,
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

impl Way<'_> {
    /// As `--shard` asks.
    pub fn asked(shard: Option<&str>) -> Result<Self, Failure> {
        shard.map_or(Ok(Way::Whole), |text| Shard::read(text).map(Way::Shard))
    }
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
                let bytes = interleave(parts, self.name, self.count)?;
                let mut folder = Folder::of(output, &self.own.name)?;
                folder.write(self.name, &bytes)?;
                Ok(Rows::All(folder))
            }
            Way::Whole => {
                let mut folder = Folder::of(output, &self.own.name)?;
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
                head.write(&[self.name], &mut folder)?;
                let (share, count) = (number::count(shard.share(self.count)), number::count(self.count));
                answer(&shard.told(&format!("{share} of {count} points"), folder.path()))?;
                Ok(Rows::Less(Exit::Done))
            }
        }
    }

    /// Evaluates those of `shard`, writing their rows as they are complete; `false` if interrupted.
    fn evaluate(&self, shard: Shard, pool: &rayon::ThreadPool, folder: &mut Folder) -> Result<bool, Failure> {
        let fail = |source| Failure::Write { what: format!("cannot write {}", self.name), source };
        let (asked, replications) = (shard.share(self.count), self.own.replications);
        stop_on_ctrl_c()?;
        let mut file = folder.begin(self.name)?;
        let mut watch = Watch::new(&mut file, (asked * replications).max(1));
        watch.advance(0, csv::sweep_header(self.keys).as_bytes()).map_err(fail)?;
        let mut done = 0;
        let mut take = |nth: u64, evaluated: Evaluated| {
            let (number, mut row) = (shard.nth(nth), Vec::new());
            let values = (self.values)(number);
            match evaluated {
                Ok(results) => csv::sweep_rows(number, &values, &results, &mut row),
                Err(_) => csv::sweep_invalid(number, &values, &mut row),
            }
            done += 1;
            watch.advance(done * replications, &row)
        };
        let resolve = |nth: u64| (self.resolve)(shard.nth(nth));
        let evaluated = evaluate(0..asked, &resolve, pool, &STOP, &mut take);
        watch.clear();
        evaluated.map_err(fail)?;
        folder.finish(self.name, file)?;
        if done < asked {
            let (done, asked) = (number::count(done), number::count(asked));
            complain(&format!("interrupted after {done} of {asked} points"));
            return Ok(false);
        }
        Ok(true)
    }
}
