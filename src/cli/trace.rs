//! Arguments of `spotsim trace`.

use super::{Format, OutputArgs, ScenarioArgs};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// What to do with recorded data.
#[derive(Debug, Args)]
pub struct TraceArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: TraceCommand,
}

/// What to do with recorded data.
#[derive(Debug, Subcommand)]
pub enum TraceCommand {
    /// Read recorded capacity, prices, notices or jobs in any known format, and write them in spotsim's own.
    Import(ImportArgs),
    /// Read recorded data in any known format and write them in another.
    Convert(ConvertArgs),
    /// Describe recorded data: availability, uptimes and gaps, preemptions, hours of the day, zones, prices.
    Stats(StatsArgs),
    /// Fit laws to recorded capacity, and print the best as a `[capacity]` table to paste.
    Fit(FitArgs),
    /// Draw a trace from the `[capacity]` of a scenario.
    Synth(SynthArgs),
}

/// Which recorded data, and what the file does not say itself.
#[derive(Debug, Args)]
pub struct RecordArgs {
    /// What 1 means in a 0/1 series; never guessed.
    #[arg(long, value_enum)]
    pub one_means: Option<OneMeansArg>,

    /// The zone of times that have none: "Z", "+02:00".
    #[arg(long, value_name = "OFFSET", allow_hyphen_values = true)]
    pub utc_offset: Option<String>,

    /// The format that the file is in [default: told by its content].
    ///
    /// Known are own, sky-spot, sky-spot-counts, probe-rounds, availability-csv, count-table, node-events,
    /// pool-log, count-series and parcae-replay.
    #[arg(long, value_name = "FORMAT")]
    pub from: Option<String>,

    /// The unit of times that are plain numbers, where the file does not say it.
    #[arg(long, value_enum, value_name = "UNIT")]
    pub time_unit: Option<TimeUnitArg>,

    /// How long after its begin an observation of events or counts ends: "5 h" [default: with its last row].
    #[arg(long, value_name = "SPAN")]
    pub until: Option<String>,

    /// The zone that is meant in a file of several; of a file that names none, its name.
    #[arg(long, value_name = "ZONE")]
    pub zone: Option<String>,

    /// Leave out prices that are none (NaN, 0, empty, …) and say so, instead of refusing the file.
    #[arg(long)]
    pub skip_bad: bool,

    /// The longest that a node may live; lifetimes at or above it are cut off [default: 24 h].
    #[arg(long, value_name = "SPAN")]
    pub cap: Option<String>,
}

/// A unit of times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TimeUnitArg {
    /// Milliseconds.
    Ms,
    /// Seconds.
    S,
    /// Hours.
    H,
}

/// What 1 means in a 0/1 series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OneMeansArg {
    /// A node could be had.
    Available,
    /// None could.
    Preempted,
}

/// What to import.
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// The file; `-` for stdin.
    pub file: PathBuf,

    /// What the file does not say.
    #[command(flatten)]
    pub record: RecordArgs,

    /// Write to this file instead of stdout.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// What to convert into what.
#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// What to read, and where to write it.
    #[command(flatten)]
    pub import: ImportArgs,

    /// The format to write: own, sky-spot, availability-csv, count-series or node-events.
    #[arg(long, value_name = "FORMAT")]
    pub to: String,

    /// What 1 shall mean in a 0/1 series that is written [default: as the format's makers have it].
    #[arg(long, value_enum)]
    pub write_one_means: Option<OneMeansArg>,

    /// How far apart samples are that are written: "600 s" [default: as in the file].
    #[arg(long, value_name = "SPAN")]
    pub gap: Option<String>,

    /// Write counts as available where at least this many nodes are [default: 1].
    #[arg(long, value_name = "N")]
    pub gang: Option<u32>,
}

/// What to describe.
#[derive(Debug, Args)]
pub struct StatsArgs {
    /// Files of recorded data, in any known format; zones of several files are compared.
    #[arg(required = true)]
    pub files: Vec<PathBuf>,

    /// What the files do not say.
    #[command(flatten)]
    pub record: RecordArgs,

    /// What to write where.
    #[command(flatten)]
    pub output: OutputArgs,

    /// Count a zone as available where at least this many nodes could be had.
    #[arg(long, value_name = "N")]
    pub gang: Option<u32>,

    /// On-Demand price of a node of jobs, "7.09 USD/h" [default: that of the catalogue].
    #[arg(long, value_name = "PRICE")]
    pub on_demand: Option<String>,

    /// What a node costs: "0.91 USD/h"; node-hours are told in dollars too.
    #[arg(long, value_name = "PRICE")]
    pub price: Option<String>,

    /// Look at so much from the begin: "12 h"; where a recording ends before, its last level is taken to hold.
    #[arg(long, value_name = "SPAN")]
    pub length: Option<String>,
}

/// What to fit.
#[derive(Debug, Args)]
pub struct FitArgs {
    /// Files of recorded data, in any known format.
    #[arg(required = true)]
    pub files: Vec<PathBuf>,

    /// What the files do not say.
    #[command(flatten)]
    pub record: RecordArgs,

    /// Count a zone as available where at least this many nodes could be had.
    #[arg(long, value_name = "N")]
    pub gang: Option<u32>,

    /// How well a length was seen: to half of this at either side [default: how often the recorder looked].
    #[arg(long, value_name = "SPAN")]
    pub resolution: Option<String>,

    /// What to print on stdout.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,

    /// Write the `[capacity]` table to this file too.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// What to draw.
#[derive(Debug, Args)]
pub struct SynthArgs {
    /// The scenario whose `[capacity]` is drawn from.
    #[command(flatten)]
    pub scenario: ScenarioArgs,

    /// How long the trace is: "14 d".
    #[arg(long, value_name = "SPAN")]
    pub length: String,

    /// Whose world to draw; the first is 0.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub replication: u64,

    /// The format to write, as `trace convert` has them [default: spotsim's own].
    #[arg(long, value_name = "FORMAT")]
    pub to: Option<String>,

    /// How far apart samples are in a format that has samples: "10 min".
    #[arg(long, value_name = "SPAN")]
    pub gap: Option<String>,

    /// Write to this file instead of stdout.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}
