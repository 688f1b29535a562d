//! How far a run is: bytes to the file of replications, a line to stderr.

use super::files::Pending;
use super::terminal::is_quiet;
use crate::experiment::Progress;
use crate::report::number;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Writes rows of replications as they come, and shows a [`Bar`].
pub struct Watch<'a> {
    rows: &'a mut Pending,
    /// Replications that are complete.
    pub done: u64,
    bar: Bar,
}

/// How far something is, on stderr: a bar that is redrawn on a terminal; elsewhere nothing for 10 s, then a line
/// every 30 s.
pub struct Bar {
    total: u64,
    /// What is counted: "replications".
    noun: &'static str,
    /// How many were complete before it began.
    before: u64,
    begin: Instant,
    shown: Option<Instant>,
    terminal: bool,
}

/// Runs shorter than this show no bar: it would only flicker.
const QUIET: Duration = Duration::from_millis(500);
const REDRAW: Duration = Duration::from_millis(100);
const FIRST_LINE: Duration = Duration::from_secs(10);
const NEXT_LINE: Duration = Duration::from_secs(30);
const BAR: usize = 28;

/// The wall clock, for people alone: no result depends on it.
#[expect(clippy::disallowed_methods, reason = "wall time belongs to run")]
pub fn now() -> Instant {
    Instant::now()
}

impl<'a> Watch<'a> {
    /// Watches `total` replications, writing their rows to `rows`.
    pub fn new(rows: &'a mut Pending, total: u64) -> Self {
        Self { rows, done: 0, bar: Bar::new(total, 0, "replications") }
    }

    /// Takes the bar away.
    pub fn clear(&self) {
        self.bar.clear();
    }
}

impl Bar {
    /// Of `total` things, of which `before` are complete already.
    pub fn new(total: u64, before: u64, noun: &'static str) -> Self {
        Self { total, noun, before, begin: now(), shown: None, terminal: io::stderr().is_terminal() }
    }

    /// Takes the bar away.
    pub fn clear(&self) {
        if self.terminal && self.shown.is_some() {
            _ = write!(io::stderr().lock(), "\r\x1b[2K");
        }
    }

    /// `done` of them are complete.
    pub fn show(&mut self, done: u64) {
        if is_quiet() {
            return;
        }
        let (time, first, next) = match self.terminal {
            true => (now(), QUIET, REDRAW),
            false => (now(), FIRST_LINE, NEXT_LINE),
        };
        let running = time - self.begin;
        if running < first || self.shown.is_some_and(|shown| time - shown < next) {
            return;
        }
        self.shown = Some(time);
        let share = done as f64 / self.total as f64;
        let to_do = (self.total - done) as f64 / (done - self.before).max(1) as f64;
        let left = running.mul_f64(to_do.min(1e6));
        let rate = rate((done - self.before) as f64 / running.as_secs_f64().max(1e-9));
        let (done, total) = (number::count(done), number::count(self.total));
        let mut stderr = io::stderr().lock();
        _ = match self.terminal {
            true => {
                let full = (share * BAR as f64) as usize;
                let bar = "█".repeat(full) + &"░".repeat(BAR - full);
                write!(stderr, "\r\x1b[2K{bar}  {done} of {total}  {rate}  {} left", duration(left))
            }
            false => {
                writeln!(stderr, "spotsim: {done} of {total} {}, {rate}, {} left", self.noun, duration(left))
            }
        };
        _ = stderr.flush();
    }
}

impl Progress for Watch<'_> {
    fn advance(&mut self, done: u64, rows: &[u8]) -> io::Result<()> {
        self.done = done;
        self.bar.show(done);
        self.rows.write_all(rows)
    }
}

/// Things a second; of slow ones a minute.
fn rate(per_s: f64) -> String {
    match per_s {
        slow if slow < 1.0 => format!("{:.1}/min", slow * 60.0),
        slow if slow < 10.0 => format!("{slow:.1}/s"),
        fast => format!("{}/s", number::count(fast as u64)),
    }
}

fn duration(d: Duration) -> String {
    let s = d.as_secs_f64();
    match s {
        s if s < 60.0 => format!("{s:.1} s"),
        s if s < 3600.0 => format!("{} min {} s", s as u64 / 60, s as u64 % 60),
        s => format!("{} h {} min", s as u64 / 3600, s as u64 / 60 % 60),
    }
}
