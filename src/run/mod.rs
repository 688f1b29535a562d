//! One function for each command: load, compute, report. The only room that touches files, standard
//! streams, the clock and the environment.

mod age;
mod break_even;
mod calibrate;
mod catalog;
mod command_line;
mod diff;
mod files;
mod fingerprint;
mod gather;
mod input;
mod interleave;
mod manifest;
mod merge;
mod new;
mod optimum;
mod plan;
mod points;
mod policies;
mod progress;
mod reference;
mod reread;
mod result_folder;
mod rows;
mod sensitivity;
mod shard;
mod simulate;
mod step;
mod sweep;
mod terminal;
mod timeline;
mod trace;
mod verify;

use crate::cli::{Cli, Command};
use points::Way;
use std::io;

/// How a command ended, as the shell sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Done.
    Done,
    /// Failed while running.
    Failed,
    /// Bad input or usage.
    BadInput,
    /// An expectation or a tolerance was missed.
    Missed,
    /// No cluster can do it.
    Infeasible,
    /// Interrupted; what is complete was kept.
    Interrupted,
}

impl Exit {
    /// The exit code.
    pub const fn number(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::BadInput => 2,
            Self::Missed => 3,
            Self::Infeasible => 4,
            Self::Interrupted => 130,
        }
    }
}

/// Why a command could not do its work.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The input cannot be used; the text is complete, as problems render themselves.
    #[error("{0}")]
    Input(String),
    /// A file or folder could not be written.
    #[error("{what}: {source}")]
    Write {
        /// What was being done, with the path.
        what: String,
        /// What the system said.
        source: io::Error,
    },
    /// Ctrl-C before there was an answer.
    #[error("interrupted before there was an answer; nothing was written")]
    Interrupted,
    /// Something else went wrong.
    #[error("{0}")]
    Other(String),
    /// Nobody reads our output any more.
    #[error("the output was closed")]
    Closed,
}

impl Failure {
    /// The exit code it asks for. Who closes a pipe has seen enough: that is not an error.
    pub const fn code(&self) -> Exit {
        match self {
            Self::Input(_) => Exit::BadInput,
            Self::Write { .. } | Self::Other(_) => Exit::Failed,
            Self::Interrupted => Exit::Interrupted,
            Self::Closed => Exit::Done,
        }
    }

    /// Says it on stderr.
    pub fn print(&self) {
        match self {
            Self::Closed => {}
            Self::Input(text) => terminal::complain(text),
            _ => terminal::complain(&format!("error: {self}")),
        }
    }
}

/// Carries out a command.
pub fn run(cli: &Cli) -> Result<Exit, Failure> {
    let begin = progress::now();
    terminal::begin(cli.loudness);
    let done = carry_out(&cli.command);
    terminal::tell(&format!("took {:.2} s in all", begin.elapsed().as_secs_f64()));
    done
}

fn carry_out(command: &Command) -> Result<Exit, Failure> {
    match command {
        Command::Run(args) => simulate::run(args),
        Command::Step(args) => step::step(args),
        Command::Timeline(args) => timeline::timeline(args),
        Command::Optimum(args) => optimum::optimum(args),
        Command::Plan(args) => plan::plan(args),
        Command::Sensitivity(args) => sensitivity::sensitivity(args, &Way::asked(args.shard.as_deref())?),
        Command::Policies(args) => policies::policies(args),
        Command::Sweep(args) => sweep::sweep(args, &Way::asked(args.shard.as_deref())?),
        Command::BreakEven(args) => break_even::break_even(args),
        Command::Merge(args) => merge::merge(args),
        Command::Diff(args) => diff::diff(args),
        Command::Validate(args) => input::validate(args),
        Command::Show(args) => input::show(args),
        Command::Catalog(args) => catalog::catalog(args),
        Command::Verify(args) => verify::verify(args),
        Command::Calibrate(args) => calibrate::calibrate(args),
        Command::Trace(args) => trace::trace(args),
        Command::New(args) => new::new(args),
        Command::Explain(args) => reference::explain(args),
        Command::Schema => reference::schema(),
        Command::Completions(args) => reference::completions(args),
        Command::Man(args) => reference::man(args),
    }
}
