//! The table of many configurations, filled as they become complete, in a file with which a run that was
//! killed can go on.

use super::Failure;
use super::files::Folder;
use super::progress::Bar;
use super::simulate::STOP;
use super::terminal::complain;
use crate::experiment::{Evaluated, Resolve, evaluate};
use crate::report::{csv, json, number};
use rayon::ThreadPool;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

/// A table that is to be filled.
pub struct Filling<'a> {
    /// Its name without ending: "sweep".
    pub name: &'a str,
    /// What is counted in messages: "configurations".
    pub noun: &'static str,
    /// Keys, in the order of the columns.
    pub keys: &'a [String],
    /// How many configurations.
    pub count: u64,
    /// The number of the nth of them: all, or those of a shard.
    pub number: &'a (dyn Fn(u64) -> u64 + Sync),
    /// The cells of a configuration, a key.
    pub values: &'a dyn Fn(u64) -> Vec<String>,
    /// Its scenario.
    pub resolve: &'a Resolve<'a>,
    /// Of all that decides what the rows are.
    pub fingerprint: String,
}

/// What became of it.
pub struct Filled {
    /// How many configurations are complete.
    pub done: u64,
    /// What is wrong with the first that is no scenario, of those that this process tried.
    pub invalid: Option<String>,
}

/// What stands beside a table that is not complete.
#[derive(Serialize, Deserialize, PartialEq)]
struct Begun {
    fingerprint: String,
    count: u64,
}

/// The table while it is not complete.
struct Journal<'a> {
    filling: &'a Filling<'a>,
    begun: Begun,
    rows: PathBuf,
    beside: PathBuf,
    header: String,
}

/// Fills the table, and gives it its name when it is complete. With `resume` what an earlier process left of the same
/// table is taken over. Whatever ends it early, what is complete stays, to be resumed.
pub fn fill(
    filling: &Filling<'_>,
    resume: bool,
    pool: &ThreadPool,
    folder: &mut Folder,
) -> Result<Filled, Failure> {
    let journal = Journal::new(filling, folder);
    let before = if resume { journal.complete()? } else { 0 };
    let mut file = if before == 0 { journal.begin()? } else { journal.go_on()? };
    let mut bar = Bar::new(filling.count, before, filling.noun);
    let (mut done, mut invalid) = (before, None);
    let mut take = |nth: u64, evaluated: Evaluated| {
        let (number, mut bytes) = ((filling.number)(nth), Vec::new());
        let values = (filling.values)(number);
        match evaluated {
            Ok(results) => csv::sweep_rows(number, &values, &results, &mut bytes),
            Err(why) => {
                csv::sweep_invalid(number, &values, &mut bytes);
                invalid.get_or_insert(why);
            }
        }
        // In one go, so that other programs see whole configurations.
        file.write_all(&bytes)?;
        done = nth + 1;
        bar.show(done);
        Ok(())
    };
    let resolve = |nth: u64| (filling.resolve)((filling.number)(nth));
    let ended = evaluate(before..filling.count, &resolve, pool, &STOP, &mut take);
    bar.clear();
    if let Err(source) = ended {
        let (done, count) = (number::count(done), number::count(filling.count));
        complain(&format!(
            "{done} of {count} {} are complete and kept; `--resume` goes on from there",
            filling.noun
        ));
        return Err(journal.failure(source));
    }
    if done == filling.count {
        drop(file);
        journal.end(folder)?;
    }
    Ok(Filled { done, invalid })
}

impl<'a> Journal<'a> {
    fn new(filling: &'a Filling<'a>, folder: &Folder) -> Self {
        let path = |ending: &str| folder.path().join(format!("{}.partial.{ending}", filling.name));
        let begun = Begun { fingerprint: filling.fingerprint.clone(), count: filling.count };
        let header = csv::sweep_header(filling.keys);
        Self { filling, begun, rows: path("csv"), beside: path("json"), header }
    }

    /// An empty table. What it is of is written first: rows without that are not taken over.
    fn begin(&self) -> Result<File, Failure> {
        _ = fs::remove_file(&self.rows);
        let beside = fs::write(&self.beside, json::to_bytes(&self.begun));
        let file = beside.and_then(|()| File::create(&self.rows));
        file.and_then(|mut file| file.write_all(self.header.as_bytes()).map(|()| file))
            .map_err(|source| self.failure(source))
    }

    fn go_on(&self) -> Result<File, Failure> {
        OpenOptions::new().append(true).open(&self.rows).map_err(|source| self.failure(source))
    }

    /// How many configurations an earlier process left complete; what follows them is cut off.
    fn complete(&self) -> Result<u64, Failure> {
        let text = fs::read(&self.beside).unwrap_or_default();
        // Nothing was begun, or it was killed while it wrote that.
        let Ok(begun) = serde_json::from_slice::<Begun>(&text) else { return Ok(0) };
        if begun != self.begun {
            return Err(Failure::Input(format!(
                "error: {} is of another scenario, other options or another version\n  = help: without `--resume` it \
                 begins anew, and what is there is lost",
                self.rows.display()
            )));
        }
        let Ok(mut file) = OpenOptions::new().read(true).write(true).open(&self.rows) else { return Ok(0) };
        let (count, length) = self.whole(&mut file).map_err(|source| self.failure(source))?;
        file.set_len(length).map_err(|source| self.failure(source))?;
        Ok(count)
    }

    /// How many configurations are surely whole, and where they end. The last that has a row may lack others or the
    /// end of one: it is simulated again.
    fn whole(&self, file: &mut File) -> io::Result<(u64, u64)> {
        let mut head = vec![0; self.header.len()];
        if file.read_exact(&mut head).is_err() || head != self.header.as_bytes() {
            return Ok((0, 0));
        }
        let begin = self.header.len() as u64;
        file.seek(SeekFrom::Start(0))?;
        let mut reader = ::csv::ReaderBuilder::new().has_headers(false).from_reader(io::BufReader::new(file));
        let mut record = ::csv::ByteRecord::new();
        let (mut nth, mut begins) = (0_u64, begin);
        let mut last: Option<u64> = None;
        let mut values = Vec::new();
        let mut at = 0;
        // A row that was cut off has too few cells.
        while let Ok(true) = reader.read_byte_record(&mut record) {
            let number = std::str::from_utf8(&record[0]).ok().and_then(|text| text.parse::<u64>().ok());
            if at >= begin {
                let is_next = number != last;
                let expected = if last.is_none() { 0 } else { nth + 1 };
                if is_next {
                    match number.filter(|&number| number == (self.filling.number)(expected)) {
                        Some(number) => values = (self.filling.values)(number),
                        None => break,
                    }
                }
                if !is_sound(&record, &values) {
                    break;
                }
                if is_next {
                    (nth, begins, last) = (expected, at, number);
                }
            }
            at = reader.position().byte();
        }
        Ok((nth, begins))
    }

    /// The table is complete: it gets its name.
    fn end(&self, folder: &mut Folder) -> Result<(), Failure> {
        folder.adopt(&self.rows, &format!("{}.csv", self.filling.name))?;
        fs::remove_file(&self.beside).map_err(|source| self.failure(source))
    }

    fn failure(&self, source: io::Error) -> Failure {
        Failure::Write { what: format!("cannot write {}", self.rows.display()), source }
    }
}

/// Whether a row has these values, and figures that are numbers: one that was edited or damaged may not.
fn is_sound(row: &::csv::ByteRecord, values: &[String]) -> bool {
    let cell = |at: usize| row.get(at).and_then(|cell| std::str::from_utf8(cell).ok());
    let is_number = |at: usize| cell(at).is_some_and(|text| text.is_empty() || text.parse::<f64>().is_ok());
    // The number of the configuration, the values, the cluster and the status, then the figures.
    let figures = values.len() + 3;
    values.iter().enumerate().all(|(nth, value)| cell(nth + 1) == Some(value.as_str()))
        && cell(figures - 2).is_some()
        && (figures..row.len()).all(is_number)
}
