//! One line of the text.

use super::Timing;
use super::ranks::Rank;
use crate::scenario::problem::Problem;

/// What a line is.
#[derive(Debug)]
pub enum Line<'a> {
    /// The first line of a run.
    Begin,
    /// A rank.
    Rank(Rank),
    /// A rank that cannot be read.
    BadRank,
    /// The names of the columns.
    Header(Result<Header, Problem>),
    /// The units of the columns, one of which is not known.
    BadUnit(&'a str),
    /// The version of NCCL.
    Library(String),
    /// A size and its times, in fields.
    Row(Vec<&'a str>),
    /// Logs, and what is of no use.
    Other,
}

/// Which column is where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    size: usize,
    /// Out-of-place, then in-place where there is one.
    halves: Vec<Columns>,
    /// Columns in all.
    count: usize,
}

/// The columns of one half of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Columns {
    time: usize,
    algbw: usize,
    busbw: usize,
    /// Values that came out wrong; older versions print the largest error instead.
    wrong: Option<usize>,
}

/// A row as numbers.
#[derive(Debug, PartialEq)]
pub struct Row {
    /// Bytes reduced.
    pub bytes: u64,
    /// Out-of-place and in-place.
    pub halves: [Option<Timing>; 2],
    /// Values that came out wrong, of both.
    pub wrong: u64,
}

/// Why a row cannot be used.
#[derive(Debug, PartialEq, Eq)]
pub struct Damage {
    /// The field that shows it; `None`: the row as a whole.
    pub field: Option<usize>,
    /// In words.
    pub why: String,
}

/// Stands where nothing was measured.
const NOT_MEASURED: &str = "N/A";
/// Printed with two decimals: half of the last one, and a little for times printed with five digits.
const ROUNDING_GB_PER_S: f64 = 0.006;
const ROUNDING_RELATIVE: f64 = 0.005;
/// From here on rounding moves bus bandwidth over algorithm bandwidth by less than 1 %.
const FACTOR_FROM_GB_PER_S: f64 = 1.0;

/// Reads a line.
pub fn read(line: &str) -> Line<'_> {
    let line = without_prefix(line.trim());
    let (comment, content) = match line.strip_prefix('#') {
        Some(content) => (true, content),
        None => (false, line),
    };
    let fields: Vec<&str> = content.split_whitespace().collect();
    if let Some(header) = read_header(&fields) {
        return Line::Header(header);
    }
    if let Some(version) = library(line) {
        return Line::Library(version);
    }
    match fields.as_slice() {
        ["nThread", ..] if comment => Line::Begin,
        ["Rank", rest @ ..] if comment => rank(rest).map_or(Line::BadRank, Line::Rank),
        [first, ..] if comment && is_unit(first) => {
            let known = |unit: &&str| matches!(*unit, "(B)" | "(elements)" | "(us)" | "(GB/s)");
            let unknown = fields.iter().find(|field| is_unit(field) && !known(field));
            unknown.map_or(Line::Other, |unit| Line::BadUnit(unit))
        }
        [first, ..] if !comment && first.bytes().all(|byte| byte.is_ascii_digit()) => Line::Row(fields),
        _ => Line::Other,
    }
}

/// A line without the label that `mpirun --tag-output` (`[1,0]<stdout>:`) or `srun --label` (`0: `) puts before it.
fn without_prefix(line: &str) -> &str {
    if line.starts_with('[')
        && let Some((_, rest)) = line.split_once("<stdout>:")
    {
        return rest.trim_start();
    }
    match line.split_once(": ") {
        Some((label, rest)) if !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_digit()) => {
            rest.trim_start()
        }
        _ => line,
    }
}

fn is_unit(field: &str) -> bool {
    field.starts_with('(') && field.ends_with(')')
}

/// `Rank`, then: `0 Group 0 Pid 4100 on host-0 device 0 [0x10] Tesla V100`. Older versions have no group.
fn rank(fields: &[&str]) -> Option<Rank> {
    let after = |word: &str| {
        let index = fields.iter().position(|field| *field == word)?;
        fields.get(index + 1).copied()
    };
    let name = fields.iter().skip_while(|field| !field.ends_with(']')).skip(1).copied();
    Some(Rank {
        number: fields.first()?.parse().ok()?,
        group: after("Group").map_or(Some(0), |group| group.parse().ok())?,
        host: after("on")?.to_owned(),
        device: after("device")?.parse().ok()?,
        name: name.collect::<Vec<_>>().join(" "),
    })
}

/// `NCCL version 2.11.4+cuda11.4` of NCCL's log, or `nccl-library=22304` of nccl-tests itself.
fn library(line: &str) -> Option<String> {
    if let Some((_, rest)) = line.split_once("NCCL version ") {
        let version = rest.split([' ', '+', '\t']).next()?;
        return version.starts_with(|c: char| c.is_ascii_digit()).then(|| version.to_owned());
    }
    let (_, rest) = line.split_once("nccl-library=")?;
    let code: u32 = rest.split_whitespace().next()?.parse().ok()?;
    // From 2.9 on the code is major x 10000 + minor x 100 + patch, before that major x 1000 (nccl.h).
    let major_unit = if code >= 10_000 { 10_000 } else { 1_000 };
    Some(format!("{}.{}.{}", code / major_unit, code % major_unit / 100, code % 100))
}

/// The header, if these are the names of columns.
fn read_header(names: &[&str]) -> Option<Result<Header, Problem>> {
    let all = |name: &str| {
        names.iter().enumerate().filter(|(_, n)| **n == name).map(|(index, _)| index).collect::<Vec<_>>()
    };
    let size = names.iter().position(|name| *name == "size" || *name == "bytes")?;
    let (times, algbws, busbws) = (all("time"), all("algbw"), all("busbw"));
    if algbws.is_empty() && busbws.is_empty() {
        return None;
    }
    if names.contains(&"cputime") {
        return Some(Err(Problem::error("these are times of the CPU, not of the all-reduce")
            .help("run nccl-tests without `-C`, `--report_cputime`")));
    }
    let halves = busbws.len();
    if times.len() != halves || algbws.len() != halves || !(1..=2).contains(&halves) {
        return Some(Err(Problem::error("the names of the columns are not understood")
            .note("needed: size, then time, algbw and busbw once or twice")));
    }
    let columns = (0..halves).map(|half| {
        let end = times.get(half + 1).copied().unwrap_or(names.len());
        let wrong = (busbws[half]..end).find(|&index| names[index] == "#wrong");
        Columns { time: times[half], algbw: algbws[half], busbw: busbws[half], wrong }
    });
    Some(Ok(Header { size, halves: columns.collect(), count: names.len() }))
}

impl Header {
    /// Reads a row. What was printed three times over must agree: a row into which another line was written often
    /// still consists of numbers.
    pub fn read(&self, fields: &[&str]) -> Result<Row, Damage> {
        if fields.len() < self.count {
            return Err(Damage {
                field: None,
                why: format!("{} of {} columns are there", fields.len(), self.count),
            });
        }
        let bytes = fields[self.size]
            .parse()
            .map_err(|_| Damage { field: Some(self.size), why: "is no number of bytes".to_owned() })?;
        let mut row = Row { bytes, halves: [None, None], wrong: 0 };
        for (half, columns) in row.halves.iter_mut().zip(&self.halves) {
            *half = columns.read(fields, bytes)?;
            let wrong = columns.wrong.map_or(Ok(0), |index| fields[index].parse());
            row.wrong = row.wrong.saturating_add(wrong.unwrap_or(0));
        }
        if row.halves == [None, None] && bytes > 0 {
            return Err(Damage { field: None, why: "no time is given".to_owned() });
        }
        Ok(row)
    }
}

impl Columns {
    fn read(self, fields: &[&str], bytes: u64) -> Result<Option<Timing>, Damage> {
        if [self.time, self.algbw, self.busbw].iter().all(|&index| fields[index] == NOT_MEASURED) {
            return Ok(None);
        }
        let number = |index: usize| {
            let value = fields[index].parse().ok().filter(|value: &f64| value.is_finite() && *value >= 0.0);
            value.ok_or_else(|| Damage { field: Some(index), why: "is no number".to_owned() })
        };
        let (time_us, algbw, busbw) = (number(self.time)?, number(self.algbw)?, number(self.busbw)?);
        if bytes == 0 {
            return Ok(None);
        }
        if time_us <= 0.0 {
            return Err(Damage { field: Some(self.time), why: "takes no time".to_owned() });
        }
        let rate = bytes as f64 / time_us / 1e3;
        if (rate - algbw).abs() > ROUNDING_GB_PER_S + ROUNDING_RELATIVE * rate {
            let why = format!("{bytes} B in this time are {rate:.2} GB/s, not {algbw}");
            return Err(Damage { field: Some(self.time), why });
        }
        let bus_factor = (algbw >= FACTOR_FROM_GB_PER_S).then(|| busbw / algbw);
        Ok(Some(Timing { seconds: time_us / 1e6, bus_factor }))
    }
}
