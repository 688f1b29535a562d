//! Arguments of what explains spotsim itself.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Which start, and where to.
#[derive(Debug, Args)]
pub struct NewArgs {
    /// The file to write, which must not be there; `-` prints it [default: NAME.toml, by the template's name].
    pub file: Option<PathBuf>,

    /// Which question it asks.
    #[arg(long, value_enum, default_value_t = Start::SpotVsOnDemand)]
    pub template: Start,
}

/// A scenario to start from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Start {
    /// Four small Spot machines or one big On-Demand one, with most tables.
    SpotVsOnDemand,
    /// One interruptible GPU, with as few keys as can be.
    Smallest,
    /// Capacity as recorded; the recording is written beside it.
    Trace,
}

/// What to explain.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// `checkpoint.every`, `capacity.renewal`, `weibull`, `cost_per_finished_usd`, `time_h.lost`, `4` (an exit code), `needs a
    /// unit` [default: what there is].
    #[arg(value_name = "WORD", num_args = 0..)]
    pub words: Vec<String>,
}

/// Which shell.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    pub shell: Shell,
}

/// A shell that can complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    /// GNU Bash.
    Bash,
    /// Z shell.
    Zsh,
    /// fish.
    Fish,
    /// PowerShell.
    #[value(name = "powershell")]
    PowerShell,
    /// Elvish.
    Elvish,
}

/// Where to.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Folder for a page of each command [default: print the page of spotsim itself].
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
}
