//! Files written whole or not at all.

use super::Failure;
use super::terminal::tell;
use crate::cli::OutputArgs;
use crate::report::text::inert;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// The folder of a run's results.
pub struct Folder {
    path: PathBuf,
    written: Vec<String>,
    /// The folder itself, locked, if no other process may write there meanwhile.
    lock: Option<File>,
}

/// A file that appears under its name only when it is complete.
pub struct Pending {
    file: BufWriter<File>,
    temporary: PathBuf,
    target: PathBuf,
}

impl Folder {
    /// The folder that was asked for, else `output/NAME`.
    pub fn of(output: &OutputArgs, name: &str) -> Result<Self, Failure> {
        let default = || Path::new("output").join(name);
        Self::create(&output.out.clone().unwrap_or_else(default))
    }

    /// Makes the folder, so that one that cannot be written is known before anything is computed.
    pub fn create(path: &Path) -> Result<Self, Failure> {
        let fail = |source| Failure::Write {
            what: format!("cannot write to the folder {}", path.display()),
            source,
        };
        if path.is_file() {
            let path = path.display();
            return Err(Failure::Other(format!(
                "cannot write to the folder {path}: it is a file\n  = help: name a folder with `--out`"
            )));
        }
        fs::create_dir_all(path).map_err(fail)?;
        let probe = path.join(".probe.partial");
        File::create(&probe).and_then(|_| fs::remove_file(&probe)).map_err(fail)?;
        Ok(Self { path: path.to_owned(), written: Vec::new(), lock: None })
    }

    /// The same for this process alone, as long as it holds the folder: two that fill one table would mix their rows.
    /// Where a system cannot lock folders nobody is kept out.
    pub fn alone(mut self) -> Result<Self, Failure> {
        let Ok(folder) = File::open(&self.path) else { return Ok(self) };
        match folder.try_lock() {
            Ok(()) => self.lock = Some(folder),
            Err(TryLockError::Error(_)) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Failure::Other(format!(
                    "another spotsim is writing to the folder {}\n  = help: wait until it has ended, or name another \
                     folder with `--out`",
                    self.path.display()
                )));
            }
        }
        Ok(self)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What was written, for people: folders within are named once.
    pub fn listing(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for name in &self.written {
            let shown = name.split_once('/').map_or(name.clone(), |(folder, _)| format!("{folder}/"));
            if !names.contains(&shown) {
                names.push(shown);
            }
        }
        names
    }

    /// Writes a file in one go.
    pub fn write(&mut self, name: &str, contents: &[u8]) -> Result<(), Failure> {
        let mut pending = self.begin(name)?;
        let written = pending.file.write_all(contents);
        written.map_err(|source| self.failure(name, source))?;
        self.finish(name, pending)
    }

    /// Opens a file to be written in pieces.
    pub fn begin(&self, name: &str) -> Result<Pending, Failure> {
        let target = self.path.join(name);
        let temporary = self.path.join(format!("{name}.partial"));
        let parent = target.parent().unwrap_or(&self.path);
        let file = fs::create_dir_all(parent).and_then(|()| File::create(&temporary));
        let file = file.map_err(|source| self.failure(name, source))?;
        Ok(Pending { file: BufWriter::with_capacity(1 << 16, file), temporary, target })
    }

    /// Removes a file that an earlier command may have left.
    pub fn remove(&self, name: &str) -> Result<(), Failure> {
        match fs::remove_file(self.path.join(name)) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => Err(self.failure(name, source)),
            _ => Ok(()),
        }
    }

    /// Removes the pictures of the folder `inner` that this command makes, by their names without an
    /// ending, and did not write: those of an earlier scenario would lie beside new figures.
    pub fn remove_others(&self, inner: &str, makes: impl Fn(&str) -> bool) -> Result<(), Failure> {
        let Ok(entries) = fs::read_dir(self.path.join(inner)) else { return Ok(()) };
        for path in entries.flatten().map(|entry| entry.path()) {
            let ours = self.written.iter().any(|name| self.path.join(name) == path);
            let picture = path.extension().is_some_and(|ending| ending == "svg" || ending == "png");
            let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
            if picture && !ours && makes(stem) {
                fs::remove_file(&path).map_err(|source| self.failure(inner, source))?;
            }
        }
        Ok(())
    }

    /// Gives a file that somebody else wrote a name in the folder.
    pub fn adopt(&mut self, file: &Path, name: &str) -> Result<(), Failure> {
        fs::rename(file, self.path.join(name)).map_err(|source| self.failure(name, source))?;
        self.written.push(name.to_owned());
        Ok(())
    }

    /// Gives a complete file its name.
    pub fn finish(&mut self, name: &str, mut pending: Pending) -> Result<(), Failure> {
        let renamed = pending.file.flush().and_then(|()| fs::rename(&pending.temporary, &pending.target));
        renamed.map_err(|source| self.failure(name, source))?;
        tell(&format!("wrote {}", inert(&self.path.join(name).display().to_string())));
        self.written.push(name.to_owned());
        Ok(())
    }

    fn failure(&self, name: &str, source: io::Error) -> Failure {
        Failure::Write { what: format!("cannot write {}", self.path.join(name).display()), source }
    }
}

impl Drop for Pending {
    /// What was not finished leaves nothing behind.
    fn drop(&mut self) {
        _ = fs::remove_file(&self.temporary);
    }
}

impl Write for Pending {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
