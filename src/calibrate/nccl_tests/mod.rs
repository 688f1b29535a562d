//! The text that `all_reduce_perf` of nccl-tests prints, as it stands in logs.
//!
//! Columns are found by the header, because they differ between versions: older ones have no `root`, and `error`
//! where newer ones have `#wrong`. Log lines between the rows are passed over. Format: `src/common.cu` of
//! NVIDIA/nccl-tests, all versions from 2.0.

mod line;
mod ranks;
#[cfg(test)]
mod tests;

use crate::scenario::problem::{Problem, Problems};
use crate::scenario::source::{Place, SourceId, Sources};
use crate::units::Bytes;
use line::{Header, Line, Row};
use ranks::Ranks;

/// One run of `all_reduce_perf`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Benchmark {
    /// Nodes and GPUs, where the text lists its ranks.
    pub shape: Option<Shape>,
    /// Names of the GPUs: `"NVIDIA A100-SXM4-40GB"`; several kinds are joined by "and".
    pub device: Option<String>,
    /// Version of NCCL: `"2.11.4"`.
    pub library: Option<String>,
    /// A row for each size, in the order of the text.
    pub rows: Vec<BenchmarkRow>,
}

/// Nodes of equally many GPUs, one rank a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Nodes.
    pub nodes: u32,
    /// GPUs that take part, on each node.
    pub gpus_per_node: u32,
}

/// How long one size took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BenchmarkRow {
    /// Bytes reduced, the same on every rank; above 0.
    pub bytes: Bytes,
    /// With a receive buffer of its own.
    pub out_of_place: Option<Timing>,
    /// Into the buffer that was sent.
    pub in_place: Option<Timing>,
}

/// One measurement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Timing {
    /// Seconds of one all-reduce, above 0.
    pub seconds: f64,
    /// Bus bandwidth over algorithm bandwidth, as printed; `None` where rounding hides it.
    pub bus_factor: Option<f64>,
}

/// What came of a text.
#[derive(Debug)]
pub struct Parsed {
    /// The first run of the text that has rows; `None` if any problem is an error.
    pub benchmark: Option<Benchmark>,
    /// What is wrong with the text.
    pub problems: Problems,
    /// The text under its name.
    pub sources: Sources,
}

impl Shape {
    /// Ranks that take part.
    pub const fn ranks(self) -> u32 {
        self.nodes * self.gpus_per_node
    }
}

impl BenchmarkRow {
    /// The measurements that there are.
    pub fn timings(&self) -> impl Iterator<Item = Timing> {
        self.out_of_place.into_iter().chain(self.in_place)
    }
}

/// Reads `text`, which messages call `name`.
pub fn parse(name: &str, text: &str) -> Parsed {
    let mut sources = Sources::default();
    let source = sources.add(name, text.trim_start_matches('\u{feff}'));
    let mut reader = Reader::new(source);
    let mut start = 0;
    for line in sources.text(source).split_inclusive('\n') {
        reader.start = start;
        if reader.take(line).is_none() {
            break;
        }
        start += line.len();
    }
    let (benchmark, problems) = reader.finish();
    let benchmark = (!problems.has_errors()).then_some(benchmark);
    Parsed { benchmark, problems, sources }
}

/// What has been read so far.
struct Reader {
    source: SourceId,
    /// First byte of the line that is being read.
    start: usize,
    header: Option<(Header, Place)>,
    ranks: Ranks,
    benchmark: Benchmark,
    problems: Vec<Problem>,
}

impl Reader {
    fn new(source: SourceId) -> Self {
        Self {
            source,
            start: 0,
            header: None,
            ranks: Ranks::default(),
            benchmark: Benchmark::default(),
            problems: Vec::new(),
        }
    }

    /// Takes one line; `None` if the rest of the text is of no use.
    fn take(&mut self, text: &str) -> Option<()> {
        let here = self.place(text, text.trim());
        match line::read(text) {
            Line::Begin => self.begin_run(here)?,
            Line::Rank(rank) => {
                if self.ranks.has(rank.number) {
                    self.begin_run(here)?;
                }
                self.ranks.add(rank, here);
            }
            Line::BadRank => self.ranks.miss(here),
            Line::Header(Ok(header)) => {
                if self.header.is_some() {
                    self.begin_run(here)?;
                }
                self.header = Some((header, here));
            }
            Line::Header(Err(problem)) => {
                self.problems.push(problem.at(here, ""));
                return None;
            }
            Line::BadUnit(unit) => {
                let problem = Problem::error(format!("unknown unit `{unit}`"))
                    .at(self.place(text, unit), "")
                    .note("nccl-tests prints (B), (us) and (GB/s)");
                self.problems.push(problem);
                return None;
            }
            Line::Library(version) => _ = self.benchmark.library.get_or_insert(version),
            Line::Row(fields) => self.take_row(text, &fields, here),
            Line::Other => {}
        }
        Some(())
    }

    /// Another run begins. The first that has rows is the one that is read.
    fn begin_run(&mut self, here: Place) -> Option<()> {
        if !self.benchmark.rows.is_empty() {
            self.problems.push(
                Problem::warning("only the first run of this text is used")
                    .at(here, "another one begins here")
                    .help("give each run a file of its own"),
            );
            return None;
        }
        if self.header.is_some() {
            self.problems.push(
                Problem::warning("the first run of this text has no result rows")
                    .at(here, "the one that begins here is read instead"),
            );
            let problems = std::mem::take(&mut self.problems);
            *self = Self { start: self.start, problems, ..Self::new(self.source) };
        } else if !self.ranks.is_empty() {
            self.problems.push(
                Problem::error("the ranks of several runs stand side by side")
                    .at(here, "this rank was listed before")
                    .help("nccl-tests built without MPI=1 runs once on every node: build it with MPI=1"),
            );
            return None;
        }
        Some(())
    }

    fn take_row(&mut self, text: &str, fields: &[&str], here: Place) {
        let Some((header, _)) = &self.header else { return };
        match header.read(fields) {
            Ok(Row { bytes: 0, .. }) => {}
            Ok(row) => {
                if row.wrong > 0 {
                    let title = format!("{} wrong values came out of this size", row.wrong);
                    self.problems.push(Problem::warning(title).at(here, "its time is used all the same"));
                }
                let [out_of_place, in_place] = row.halves;
                let bytes = Bytes::new(row.bytes);
                self.benchmark.rows.push(BenchmarkRow { bytes, out_of_place, in_place });
            }
            Err(damage) => {
                let place = damage.field.map_or(here, |index| self.place(text, fields[index]));
                let problem = Problem::warning("a damaged row is left out").at(place, damage.why);
                self.problems.push(problem);
            }
        }
    }

    /// Where `part` of the current line stands; `part` is a slice of `line`.
    fn place(&self, line: &str, part: &str) -> Place {
        // Addresses, because a slice does not know where in its line it stands.
        let start = self.start + (part.as_ptr() as usize - line.as_ptr() as usize);
        Place { source: self.source, start, end: (start + part.len()).max(start + 1) }
    }

    fn finish(mut self) -> (Benchmark, Problems) {
        let has_errors = Problems::new(self.problems.clone()).has_errors();
        if self.benchmark.rows.is_empty() && !has_errors {
            let problem = Problem::error("no result rows");
            self.problems.push(match &self.header {
                Some((_, place)) => problem
                    .at(*place, "rows would follow here")
                    .note("the benchmark was stopped before its first size, or its output was cut"),
                None => problem
                    .at(Place::whole(self.source), "")
                    .note("no line names the columns size, time, algbw and busbw")
                    .help("give the output of `all_reduce_perf` of nccl-tests"),
            });
        }
        self.benchmark.device = self.ranks.device();
        match self.ranks.shape() {
            Ok(shape) => self.benchmark.shape = shape,
            Err(problem) => self.problems.push(*problem),
        }
        (self.benchmark, Problems::new(self.problems))
    }
}
