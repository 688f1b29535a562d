//! A folder that `spotsim run` wrote, read again.

use super::Failure;
use super::input::read_all;
use super::shard::HEAD;
use super::simulate::ROWS;
use crate::experiment::Seen;
use crate::experiment::diff::Summary;
use crate::stats::Interval;
use csv::StringRecord;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

const SUMMARY: &str = "summary.json";
/// Of summaries; another number is another format.
const SCHEMA: u64 = 1;
/// Bills beyond 4 thousand million dollars are no bills.
const COST_MAX_NUSD: i64 = 4_000_000_000_000_000_000;

/// What the folder's summary says.
pub struct Found {
    /// The folder, as typed.
    pub folder: PathBuf,
    /// The scenario's name.
    pub scenario: String,
    /// Its seed.
    pub seed: u64,
    /// Its clusters that were simulated, in order, with those that were not as `None`.
    pub clusters: Vec<(String, Option<Summary>)>,
}

impl Found {
    /// Reads the summary of a folder, or of that file.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let folder = match path.is_dir() {
            true => path,
            false if path.file_name().is_some_and(|name| name == SUMMARY) => {
                path.parent().unwrap_or(Path::new(""))
            }
            false if path.exists() => {
                return Err(refused(path, &format!("is neither a folder nor a {SUMMARY}")));
            }
            false => return Err(refused(path, "does not exist")),
        };
        if folder.join(HEAD).is_file() {
            return Err(refused(
                path,
                "is a shard\n  = help: put all shards together by `spotsim merge` first",
            ));
        }
        let file = folder.join(SUMMARY);
        if !file.is_file() {
            let help = "name the folder that `spotsim run` wrote, such as output/NAME";
            return Err(refused(path, &format!("holds no {SUMMARY}\n  = help: {help}")));
        }
        let bytes =
            read_all(File::open(&file)).map_err(|why| refused(&file, &format!("cannot be read: {why}")))?;
        let value: Value = serde_json::from_slice(&bytes)
            .map_err(|error| refused(&file, &format!("is no JSON: {error}")))?;
        match value["schema"].as_u64() {
            Some(SCHEMA) => {}
            Some(other) => {
                let why = format!("has schema {other}; this version of spotsim reads schema {SCHEMA}");
                return Err(refused(&file, &why));
            }
            None => return Err(refused(&file, "is not what `spotsim run` writes: it has no `schema`")),
        }
        Self::from_json(folder, &value).ok_or_else(|| {
            refused(&file, "is not what `spotsim run` writes: seed, names or figures are missing")
        })
    }

    fn from_json(folder: &Path, value: &Value) -> Option<Self> {
        let clusters = value["clusters"].as_array()?.iter().map(|cluster| {
            let name = cluster["name"].as_str()?.to_owned();
            let simulated = cluster["status"].as_str()? == "simulated";
            Some((name, if simulated { Some(summary(cluster)?) } else { None }))
        });
        Some(Self {
            folder: folder.to_owned(),
            scenario: value["scenario"]["name"].as_str()?.to_owned(),
            seed: value["scenario"]["seed"].as_u64()?,
            clusters: clusters.collect::<Option<_>>()?,
        })
    }

    /// A cluster that was simulated.
    pub fn cluster(&self, name: &str) -> Option<&Summary> {
        self.clusters.iter().find(|(known, _)| known == name)?.1.as_ref()
    }

    /// Its replications one by one, of these clusters; `None` if the folder has none.
    pub fn rows(&self, clusters: &[&str]) -> Result<Option<Rows>, Failure> {
        let path = self.folder.join(ROWS);
        match path.is_file() {
            true => Rows::open(path, clusters).map(Some),
            false => Ok(None),
        }
    }
}

fn summary(cluster: &Value) -> Option<Summary> {
    let number = |name: &str| cluster[name].as_f64();
    let per_finished = number("cost_per_finished_usd")
        .zip(number("cost_per_finished_usd_ci_low").zip(number("cost_per_finished_usd_ci_high")));
    Some(Summary {
        replications: cluster["replications"].as_u64()?,
        finished: cluster["finished"].as_u64()?,
        cost_usd: (number("cost_usd_mean"), number("cost_usd_sd")),
        makespan_h: (number("makespan_h_mean"), number("makespan_h_sd")),
        cost_per_finished_usd: per_finished.map(|(value, (low, high))| Interval { value, low, high }),
    })
}

/// Lines of `replications.csv`, a replication at a time, however long the file is.
pub struct Rows {
    path: PathBuf,
    reader: csv::Reader<File>,
    /// Cluster, replication, outcome, elapsed, cost.
    columns: [usize; 5],
    /// Place of each cluster that is wanted.
    wanted: BTreeMap<String, usize>,
    record: StringRecord,
    is_ahead: bool,
}

impl Rows {
    fn open(path: PathBuf, clusters: &[&str]) -> Result<Self, Failure> {
        let unreadable = |error: csv::Error| refused(&path, &format!("cannot be read: {error}"));
        let mut reader = csv::Reader::from_path(&path).map_err(unreadable)?;
        let header = reader.headers().map_err(unreadable)?.clone();
        let column = |name: &str| {
            let found = header.iter().position(|head| head == name);
            found.ok_or_else(|| {
                refused(&path, &format!("is not what `spotsim run` writes: no column `{name}`"))
            })
        };
        let columns = [
            column("cluster")?,
            column("replication")?,
            column("outcome")?,
            column("elapsed_ns")?,
            column("cost_nusd")?,
        ];
        let wanted = clusters.iter().enumerate().map(|(place, name)| ((*name).to_owned(), place)).collect();
        Ok(Self { path, reader, columns, wanted, record: StringRecord::new(), is_ahead: false })
    }

    /// The next replication, `into` its outcomes by the places of the clusters; `None` at the end.
    pub fn next(&mut self, into: &mut [Option<Seen>]) -> Result<Option<u64>, Failure> {
        into.fill(None);
        let mut current = None;
        loop {
            if !self.is_ahead {
                let read = self.reader.read_record(&mut self.record);
                if !read.map_err(|error| refused(&self.path, &format!("cannot be read: {error}")))? {
                    return Ok(current);
                }
            }
            self.is_ahead = true;
            let (place, replication, seen) = self.parse().ok_or_else(|| self.wrong())?;
            if current.is_some_and(|current| current != replication) {
                return Ok(current);
            }
            current = Some(replication);
            if let Some(place) = place {
                into[place] = Some(seen);
            }
            self.is_ahead = false;
        }
    }

    fn parse(&self) -> Option<(Option<usize>, u64, Seen)> {
        let [cluster, replication, outcome, elapsed, cost] =
            self.columns.map(|column| self.record.get(column));
        let elapsed: u64 = elapsed?.parse().ok()?;
        let cost_nusd: i64 = cost?.parse().ok()?;
        let seen = Seen {
            cost_nusd,
            elapsed_ns: i64::try_from(elapsed).unwrap_or(i64::MAX),
            finished: outcome? == "finished",
        };
        let is_bill = (-COST_MAX_NUSD..=COST_MAX_NUSD).contains(&cost_nusd);
        is_bill.then_some((self.wanted.get(cluster?).copied(), replication?.parse().ok()?, seen))
    }

    fn wrong(&self) -> Failure {
        let line = self.record.position().map_or(0, csv::Position::line);
        refused(&self.path, &format!("is not what `spotsim run` writes: line {line}"))
    }
}

/// A refusal that begins with the path.
pub fn refused(path: &Path, why: &str) -> Failure {
    Failure::Input(format!("error: {} {why}", path.display()))
}
