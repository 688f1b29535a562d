//! `--shard I/N`: one of N parts of a run, which may each run on a machine of its own.

use super::files::Folder;
use super::fingerprint::{Contents, fingerprint};
use super::input::{read, warn, with_draw};
use super::simulate::{Done, ROWS, replications, stop_on_ctrl_c, thread_pool};
use super::terminal::{answer, complain};
use super::{Exit, Failure};
use crate::cli::{RunArgs, ScenarioArgs};
use crate::report::{json, number};
use crate::scenario::load::Scenario;
use crate::scenario::sampling::Sampling;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// What a complete shard says of itself; written last, so that a shard that was killed has none.
pub const HEAD: &str = "shard.json";
/// The sums of a run's shard: a list with one `Replicated` a cluster.
pub const SUMS: &str = "sums.json";
/// Of the files of a shard; another number is another format.
pub const FORMAT: u32 = 2;
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
    /// `run`, `sweep` or `sensitivity`.
    pub command: String,
    /// Its number, from 1.
    pub shard: u64,
    /// How many there are.
    pub shards: u64,
    /// The scenario as typed.
    pub scenario: PathBuf,
    /// Where that was typed.
    pub working_folder: PathBuf,
    /// The options behind it that decide what is told.
    pub options: Vec<String>,
    /// The seed.
    pub seed: u64,
    /// Replications of all shards together.
    pub replications: u64,
    /// Of all that decides the answer.
    pub fingerprint: String,
    /// Its other files.
    pub files: BTreeMap<String, Contents>,
}

impl Shard {
    /// All in one.
    pub const WHOLE: Self = Self { number: 1, of: 1 };

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

    /// How many of `count` configurations are its own.
    pub fn share(self, count: u64) -> u64 {
        let whole = count / self.of;
        whole + u64::from(self.nth(whole) < count)
    }

    /// The number of its `nth` configuration, `nth` from 0. Of each N configurations that follow one another it has one,
    /// and each time another one: neighbours, which take like times, go to different parts, even where a key has N values.
    pub fn nth(self, nth: u64) -> u64 {
        nth * self.of + (self.number - 1 + nth) % self.of
    }

    /// What is said at its end; it holds `what`.
    pub fn told(self, what: &str, folder: &Path) -> String {
        let (Self { number, of }, folder) = (self, folder.display());
        let then = "`spotsim merge` puts the folders of all shards together.";
        format!("Shard {number} of {of}: {what}, in {folder}.\n{then}\n")
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
    /// Of a shard of `command`, with its options beside those that name the scenario.
    pub fn new(
        command: &str,
        shard: Shard,
        args: &ScenarioArgs,
        more: Vec<String>,
        scenario: &Scenario,
    ) -> Result<Self, Failure> {
        if args.seed.as_deref() == Some("random") {
            let why = "error: `--seed random` would be another seed in every shard\n  = help: give all the same number";
            return Err(Failure::Input(why.into()));
        }
        let set = args.set.iter().map(|set| format!("--set={set}"));
        let seed = args.seed.iter().map(|seed| format!("--seed={seed}"));
        let replications = args.replications.iter().map(|n| format!("--replications={n}"));
        let options: Vec<String> = set.chain(seed).chain(replications).chain(more).collect();
        let working_folder = std::env::current_dir()
            .map_err(|error| Failure::Other(format!("cannot tell the working folder: {error}")))?;
        Ok(Self {
            format: FORMAT,
            spotsim: env!("CARGO_PKG_VERSION").into(),
            command: command.into(),
            shard: shard.number,
            shards: shard.of,
            scenario: args.file.clone(),
            working_folder,
            fingerprint: fingerprint(command, &options, scenario),
            options,
            seed: scenario.seed,
            replications: scenario.replications,
            files: BTreeMap::new(),
        })
    }

    /// Its place among the others.
    pub fn shard(&self) -> Shard {
        Shard { number: self.shard, of: self.shards }
    }

    /// Writes it, with what is in the files that `folder` holds: from now on the shard is complete.
    pub fn write(mut self, names: &[&str], folder: &mut Folder) -> Result<(), Failure> {
        for &name in names {
            let path = folder.path().join(name);
            let what = || format!("cannot read {}", path.display());
            let contents = Contents::of(&path).map_err(|source| Failure::Write { what: what(), source })?;
            self.files.insert(name.to_owned(), contents);
        }
        folder.write(HEAD, &json::to_bytes(&self))
    }
}

/// The folder of a shard, without the head of an earlier one: what is written now is not complete yet.
pub fn begin(out: Option<&Path>, name: &str, shard: Shard) -> Result<Folder, Failure> {
    let default = || Path::new("output").join(name).join("shards").join(shard.folder_name());
    let folder = Folder::create(&out.map_or_else(default, Path::to_owned))?.alone()?;
    folder.remove(HEAD)?;
    Ok(folder)
}

/// `spotsim run --shard`: runs its replications and writes what `merge` needs of them.
pub fn run(args: &RunArgs, asked: &str) -> Result<Exit, Failure> {
    let shard = Shard::read(asked)?;
    let input = read(&args.scenario)?;
    let scenario = &input.scenario;
    if scenario.until.is_some() {
        let why = "error: `[simulation] until` looks at all replications together, so such a run cannot be split\n  \
                   = help: give a number of replications instead, or run it whole: it is made to be short";
        return Err(Failure::Input(why.into()));
    }
    if scenario.draws && scenario.sampling != Sampling::Random {
        let word = scenario.sampling.name();
        let why =
            format!("error: `--shard` of a run with `sampling = \"{word}\"`: its batches are not kept apart");
        return Err(Failure::Input(format!("{why}\n  = help: shards go with `sampling = \"random\"`")));
    }
    let head = Head::new("run", shard, &args.scenario, Vec::new(), scenario)?;
    warn(&input.warnings);
    let pool = thread_pool(args.threads)?;
    let mut folder = begin(args.output.out.as_deref(), &scenario.name, shard)?;
    stop_on_ctrl_c()?;

    let numbers = shard.part(scenario.replications);
    let Done { mut replicated, count: done, .. } = with_draw(&args.scenario, &input, |draw| {
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
    answer(&shard.told(&which(&numbers, scenario.replications), folder.path()))?;
    Ok(Exit::Done)
}

fn which(numbers: &Range<u64>, whole: u64) -> String {
    if numbers.is_empty() {
        return "no replications".to_owned();
    }
    let (first, last) = (number::count(numbers.start), number::count(numbers.end - 1));
    format!("replications {first} to {last} of {}", number::count(whole))
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

    /// Of six configurations the second of three parts has 1 of 0..3 and 5 of 3..6, so of a last key with three values
    /// not always the same.
    #[test]
    fn configurations_go_round() {
        let second = Shard { number: 2, of: 3 };
        assert_eq!([second.nth(0), second.nth(1), second.nth(2)], [1, 5, 6]);
        for (count, of) in [(0, 1), (1, 3), (7, 3), (9, 3), (64, 64), (100, 64), (10, 64)] {
            let parts = (1..=of).map(|number| Shard { number, of });
            let mut all: Vec<u64> =
                parts.flat_map(|part| (0..part.share(count)).map(move |nth| part.nth(nth))).collect();
            all.sort_unstable();
            assert!(all.iter().copied().eq(0..count), "{count} in {of}: {all:?}");
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
