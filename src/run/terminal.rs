//! Standard streams.

use super::Failure;
use crate::cli::LoudnessArgs;
use crate::report::text;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::atomic::{AtomicU8, Ordering};

/// How much is said on stderr: one process has one.
static LOUDNESS: AtomicU8 = AtomicU8::new(NORMAL);
const QUIET: u8 = 0;
const NORMAL: u8 = 1;
const VERBOSE: u8 = 2;

/// Narrower tables could not be read.
const COLUMNS_MIN: usize = 60;

/// Sets how much is said, and how wide: a terminal of fewer columns than [`text::WIDTH`] gets lines that fit.
pub fn begin(loudness: LoudnessArgs) {
    let level = match loudness {
        LoudnessArgs { quiet: true, .. } => QUIET,
        LoudnessArgs { verbose: true, .. } => VERBOSE,
        _ => NORMAL,
    };
    LOUDNESS.store(level, Ordering::Relaxed);
    text::set_columns(columns());
}

/// Columns of an answer: those of the terminal, up to [`text::WIDTH`]; a pipe gets as many.
pub fn columns() -> usize {
    let out = io::stdout();
    let size = if out.is_terminal() { terminal_size::terminal_size_of(out) } else { None };
    size.map_or(text::WIDTH, |(width, _)| usize::from(width.0).clamp(COLUMNS_MIN, text::WIDTH))
}

/// Writes an answer to stdout.
pub fn answer(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => Failure::Closed,
        _ => Failure::Write { what: "cannot write to stdout".into(), source: error },
    })
}

/// Writes an error to stderr; if nobody reads it, nothing can be done about that.
pub fn complain(text: &str) {
    _ = writeln!(io::stderr().lock(), "{text}");
}

/// Writes a warning or a remark to stderr, unless asked to be quiet.
pub fn say(text: &str) {
    if !is_quiet() {
        complain(text);
    }
}

/// Writes to stderr what is said with `--verbose` alone.
pub fn tell(text: &str) {
    if LOUDNESS.load(Ordering::Relaxed) == VERBOSE {
        complain(&format!("spotsim: {text}"));
    }
}

/// Whether nothing but errors is said on stderr.
pub fn is_quiet() -> bool {
    LOUDNESS.load(Ordering::Relaxed) == QUIET
}

/// Whether stdout shows colours: a terminal, and `NO_COLOR` unset or empty (no-color.org).
pub fn stdout_has_colour() -> bool {
    io::stdout().is_terminal() && colour_allowed()
}

/// Whether stderr shows colours.
pub fn stderr_has_colour() -> bool {
    io::stderr().is_terminal() && colour_allowed()
}

fn colour_allowed() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}
