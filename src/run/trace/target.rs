//! Where recorded data are written: a file whole or not at all, or stdout.

use crate::run::Failure;
use crate::run::files::{Folder, Pending};
use std::io::{self, ErrorKind, Write};
use std::path::Path;

/// As much is held back from stdout, so that input which turns out to be bad gives no output, unless it is
/// longer.
const HELD: usize = 1 << 20;

/// Where to write.
pub enum Target {
    /// A file that appears when it is complete.
    File(Box<(Folder, String, Pending)>),
    /// Stdout, and what is held back; nothing any more once that was too much.
    Stdout(Option<Vec<u8>>),
}

impl Target {
    /// To this file, else to stdout.
    pub fn new(out: Option<&Path>) -> Result<Self, Failure> {
        let Some(path) = out else { return Ok(Self::Stdout(Some(Vec::new()))) };
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            return Err(Failure::Input(format!("error: `--out {}` names no file", path.display())));
        };
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let folder = Folder::create(parent.unwrap_or(Path::new(".")))?;
        let pending = folder.begin(name)?;
        Ok(Self::File(Box::new((folder, name.to_owned(), pending))))
    }

    /// All is written.
    pub fn finish(self) -> Result<(), Failure> {
        match self {
            Self::File(file) => {
                let (mut folder, name, pending) = *file;
                folder.finish(&name, pending)
            }
            Self::Stdout(held) => {
                let mut stdout = io::stdout().lock();
                stdout.write_all(&held.unwrap_or_default()).and_then(|()| stdout.flush()).map_err(failed)
            }
        }
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.2.write(bytes),
            Self::Stdout(None) => io::stdout().lock().write(bytes),
            Self::Stdout(Some(held)) => {
                held.extend_from_slice(bytes);
                if held.len() > HELD {
                    io::stdout().lock().write_all(held)?;
                    *self = Self::Stdout(None);
                }
                Ok(bytes.len())
            }
        }
    }

    /// What is held back stays so until all is right.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Output could not be written; who closes a pipe has seen enough.
pub fn failed(error: io::Error) -> Failure {
    match error.kind() {
        ErrorKind::BrokenPipe => Failure::Closed,
        _ => Failure::Write { what: "cannot write".to_owned(), source: error },
    }
}
