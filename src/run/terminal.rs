//! Standard streams.

use super::Failure;
use std::io::{self, ErrorKind, IsTerminal, Write};

/// Writes an answer to stdout.
pub fn answer(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => Failure::Closed,
        _ => Failure::Write { what: "cannot write to stdout".into(), source: error },
    })
}

/// Writes a message to stderr; if nobody reads it, nothing can be done about that.
pub fn complain(text: &str) {
    _ = writeln!(io::stderr().lock(), "{text}");
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
