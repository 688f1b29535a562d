//! `--shard I/N`: one of N parts of a run, which may each run on a machine of its own.

use super::files::Folder;
use super::fingerprint::fingerprint;
use super::input::{Input, read, warn, with_draw};
use super::simulate::{Done, ROWS, replications, stop_on_ctrl_c, thread_pool};
use super::terminal::{answer, complain};
use super::{Exit, Failure};
use crate::cli::{RunArgs, ScenarioArgs};
use crate::report::{json, number};
use crate::scenario::sampling::Sampling;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// What a complete shard says of itself; written last, so that a shard that was killed has none.
pub const HEAD: &str = "shard.json";
/// The sums of a run's shard: a list with one `Replicated` a cluster.
pub const SUMS: &str = "sums.json";
/// Of the files of a shard; another number is another format.
pub const FORMAT: u32 = 1;
/// More parts than this are nobody's machines.
const SHARDS_MAX: u64 = 1_000_000;

/// One of several parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// From 1.
    pub number: u64,
    /// How many there are.
    pub of: u64,
}

/// What `merge` must know of a shard.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Head {
    /// [`FORMAT`].
    pub format: u32,
    /// The version that made it.
    pub spotsim: String,
    /// `run`.
    pub command: String,
    /// Its number, from 1.
    pub shard: u64,
    /// How many there are.
    pub of: u64,
    /// The scenario as typed.
    pub scenario: PathBuf,
    /// Where that was typed.
    pub working_folder: PathBuf,
    /// `--set`, in order.
    pub set: Vec<String>,
    /// `--seed`, if given.
    pub seed_given: Option<u64>,
    /// `--replications`, if given.
    pub replications_given: Option<u64>,
    /// The seed.
    pub seed: u64,
    /// Replications of all shards together.
    pub replications: u64,
    /// Of all that decides the answer.
    pub fingerprint: String,
    /// Its other files and their bytes.
    pub files: BTreeMap<String, u64>,
}

impl Shard {
    /// From `2/3`.
    pub fn read(text: &str) -> Result<Self, Failure> {
        let parts = text.split_once('/').and_then(|(number, of)| Some((whole(number)?, whole(of)?)));
        let wrong = |why: &str| {
            let shown = format!("error: `--shard {text}`: {why}");
            Err(Failure::Input(
                shown + "\n  = help: write I/N for the I-th of N parts, I from 1 to N: `--shard 1/3`",
            ))
        };
        match parts {
            None => wrong("must be two whole numbers with a `/` between them"),
            Some((_, 0)) => wrong("there is at least one part"),
            Some((_, of)) if of > SHARDS_MAX => wrong("there are at most 1,000,000 parts"),
            Some((0, _)) => wrong("parts are counted from 1"),
            Some((number, of)) if number > of => wrong("there is no such part"),
            Some((number, of)) => Ok(Self { number, of }),
        }
    }

    /// Its part of `count` things: contiguous, and as long as the others or one longer.
    pub fn part(self, count: u64) -> Range<u64> {
        let begin = |shard: u64| (u128::from(shard) * u128::from(count) / u128::from(self.of)) as u64;
        begin(self.number - 1)..begin(self.number)
    }

    /// The name of its folder.
    pub fn folder_name(self) -> String {
        format!("{}-of-{}", self.number, self.of)
    }
}

fn whole(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

impl Head {
    /// Of a shard of `command`.
    pub fn new(command: &str, shard: Shard, args: &ScenarioArgs, scenario: &Input) -> Result<Self, Failure> {
        let scenario = &scenario.scenario;
        if args.seed.as_deref() == Some("random") {
            let why = "error: `--seed random` would be another seed in every shard\n  = help: give all the same number";
            return Err(Failure::Input(why.into()));
        }
        let working_folder = std::env::current_dir()
            .map_err(|error| Failure::Other(format!("cannot tell the working folder: {error}")))?;
        Ok(Self {
            format: FORMAT,
            spotsim: env!("CARGO_PKG_VERSION").into(),
            command: command.into(),
            shard: shard.number,
            of: shard.of,
            scenario: args.file.clone(),
            working_folder,
            set: args.set.clone(),
            seed_given: args.seed.as_ref().map(|_| scenario.seed),
            replications_given: args.replications,
            seed: scenario.seed,
            replications: scenario.replications,
            fingerprint: fingerprint(command, scenario),
            files: BTreeMap::new(),
        })
    }

    /// Its place among the others.
    pub fn shard(&self) -> Shard {
        Shard { number: self.shard, of: self.of }
    }

    /// Writes it, with the bytes of the files that `folder` holds: from now on the shard is complete.
    pub fn write(mut self, names: &[&str], folder: &mut Folder) -> Result<(), Failure> {
        for &name in names {
            let path = folder.path().join(name);
            let size = fs::metadata(&path).map(|file| file.len());
            let what = || format!("cannot read {}", path.display());
            let size = size.map_err(|source| Failure::Write { what: what(), source })?;
            self.files.insert(name.to_owned(), size);
        }
        folder.write(HEAD, &json::to_bytes(&self))
    }
}

/// The folder of a shard, without the head of an earlier one: what is written now is not complete yet.
pub fn begin(out: Option<&Path>, name: &str, shard: Shard) -> Result<Folder, Failure> {
    let default = || Path::new("output").join(name).join("shards").join(shard.folder_name());
    let folder = Folder::create(&out.map_or_else(default, Path::to_owned))?;
    folder.remove(HEAD)?;
    Ok(folder)
}

/// `spotsim run --shard`: runs its replications and writes what `merge` needs of them.
pub fn run(args: &RunArgs, asked: &str) -> Result<Exit, Failure> {
    let shard = Shard::read(asked)?;
    let input = read(&args.scenario)?;
    let head = Head::new("run", shard, &args.scenario, &input)?;
    let scenario = &input.scenario;
    if scenario.until.is_some() {
        let why =
            "error: `--shard` of a run with `[simulation] until`: no part knows how precise all are together";
        return Err(Failure::Input(format!("{why}\n  = help: drop `until`, and give `--replications`")));
    }
    if scenario.draws && scenario.sampling != Sampling::Random {
        let word = scenario.sampling.name();
        let why =
            format!("error: `--shard` of a run with `sampling = \"{word}\"`: its batches are not kept apart");
        return Err(Failure::Input(format!("{why}\n  = help: shards go with `sampling = \"random\"`")));
    }
    warn(&input.warnings);
    let pool = thread_pool(args.threads)?;
    let mut folder = begin(args.output.out.as_deref(), &scenario.name, shard)?;
    stop_on_ctrl_c()?;

    let numbers = shard.part(scenario.replications);
    let Done { mut replicated, count: done, .. } = with_draw(&args.scenario, scenario, |draw| {
        replications(scenario, draw, numbers.clone(), &pool, &mut folder)
    })?;
    let asked = numbers.end - numbers.start;
    if done < asked {
        let (done, asked) = (number::count(done), number::count(asked));
        complain(&format!("interrupted after {done} of {asked} replications: this shard is not complete"));
        return Ok(Exit::Interrupted);
    }
    replicated.iter_mut().for_each(|one| one.tally.prepare(scenario.replications));
    let mut file = folder.begin(SUMS)?;
    let written = serde_json::to_writer(&mut file, &replicated);
    written.map_err(|error| Failure::Write { what: format!("cannot write {SUMS}"), source: error.into() })?;
    folder.finish(SUMS, file)?;
    head.write(&[SUMS, ROWS], &mut folder)?;
    answer(&told(shard, &numbers, scenario.replications, folder.path()))?;
    Ok(Exit::Done)
}

fn told(shard: Shard, numbers: &Range<u64>, whole: u64, folder: &Path) -> String {
    let Shard { number, of } = shard;
    let which = match numbers.is_empty() {
        true => "no replications".to_owned(),
        false => {
            let (first, last) = (number::count(numbers.start), number::count(numbers.end - 1));
            format!("replications {first} to {last} of {}", number::count(whole))
        }
    };
    let shown = folder.display();
    format!(
        "Shard {number} of {of}: {which}, in {shown}.\n`spotsim merge` puts the folders of all shards together.\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_written_as_a_fraction() {
        assert_eq!(Shard::read("2/3").unwrap(), Shard { number: 2, of: 3 });
        for wrong in
            ["", "2", "2/", "/3", "a/b", "-1/3", "+1/3", "1/3/5", "1 / 3", "0/3", "4/3", "1/0", "1/1000001"]
        {
            let Err(Failure::Input(text)) = Shard::read(wrong) else { panic!("{wrong}") };
            assert!(text.contains("`--shard 1/3`"), "{text}");
        }
    }

    #[test]
    fn parts_follow_one_another_and_differ_by_one_at_most() {
        for count in [0, 1, 5, 64, 1_000, u64::MAX] {
            for of in [1, 3, 64] {
                let parts: Vec<Range<u64>> =
                    (1..=of).map(|number| Shard { number, of }.part(count)).collect();
                assert_eq!((parts[0].start, parts.last().unwrap().end), (0, count));
                assert!(parts.windows(2).all(|pair| pair[0].end == pair[1].start));
                assert!(
                    parts
                        .iter()
                        .all(|part| (count / of..=count.div_ceil(of)).contains(&(part.end - part.start)))
                );
            }
        }
    }
}
