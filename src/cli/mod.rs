//! Arguments, nothing else.

pub mod calibrate;
pub mod reference;
pub mod timeline;
pub mod trace;

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// What does it cost, in dollars and hours, to train a model on interruptible cloud GPUs, and how sure
/// can you be?
#[derive(Debug, Parser)]
#[command(name = "spotsim", version, max_term_width = 100, disable_help_subcommand = true)]
pub struct Cli {
    /// How much is said beside the answer.
    #[command(flatten)]
    pub loudness: LoudnessArgs,

    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// How much is said on stderr.
#[derive(Debug, Clone, Copy, Args)]
pub struct LoudnessArgs {
    /// Say errors and missed expectations alone on stderr: no progress, no warnings, no remarks.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Say on stderr what is read, which facts of the catalogue are used, what is written and how long it all takes.
    #[arg(short, long, global = true)]
    pub verbose: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Simulate the clusters of a scenario side by side: cost, time, and how sure both are.
    Run(RunArgs),
    /// Take one training step of each cluster apart: where its time goes, what bounds it, and what other
    /// numbers of nodes would do.
    Step(StepArgs),
    /// Show one replication of each cluster: what happened when, as pictures and as trace events for Perfetto.
    Timeline(timeline::TimelineArgs),
    /// Find the best interval between saves of each Spot cluster, and what other intervals come to, by
    /// theory and by simulation, with a picture of each cluster.
    Optimum(OptimumArgs),
    /// Choose what to launch: of all candidates the cheapest that meets the deadline, how sure that is, and
    /// where the answer would flip.
    Plan(PlanArgs),
    /// Compare policies at several deadlines with each other and with perfect foresight: of a scenario's Spot
    /// cluster, or without a file in the published cells.
    Policies(PoliciesArgs),
    /// Try every combination of the values of `[sweep]`, or a sample of them: which is cheapest, which fastest,
    /// and what nothing else beats in both.
    Sweep(SweepArgs),
    /// Find the value of a scenario key at which a cluster costs as much as another, or a figure comes to a
    /// number, and how sure that value is.
    BreakEven(BreakEvenArgs),
    /// Put the shards of a command together: the same files as of the command in one piece.
    Merge(MergeArgs),
    /// Tell which of the uncertain keys of a scenario its cost and time hang on, and how surely.
    Sensitivity(SensitivityArgs),
    /// Compare two results: what B costs less and takes longer than A, replication by replication where both
    /// met the same worlds.
    Diff(DiffArgs),
    /// Check a scenario without simulating it.
    Validate(ScenarioArgs),
    /// Print a scenario with every default filled in.
    Show(ScenarioArgs),
    /// Print the facts about instances, GPUs, models and networks, with their sources.
    Catalog(CatalogArgs),
    /// Hold the models against right answers.
    Verify(VerifyArgs),
    /// Turn measurements into numbers for the models.
    Calibrate(calibrate::CalibrateArgs),
    /// Read, describe, fit and draw recorded capacity and prices.
    Trace(trace::TraceArgs),
    /// Write a commented scenario to start from, which runs as it is.
    New(reference::NewArgs),
    /// Say what a key or table of a scenario, a law, a result, an exit code or an error is.
    Explain(reference::ExplainArgs),
    /// Print the JSON Schema of scenario files, for editors.
    Schema,
    /// Print what completes commands and options in a shell.
    Completions(reference::CompletionsArgs),
    /// Write manual pages, one a command.
    Man(reference::ManArgs),
}

/// Which scenario.
#[derive(Debug, Args)]
pub struct ScenarioArgs {
    /// The scenario, a TOML file.
    pub file: PathBuf,

    /// Change a key of the scenario: `job.deadline='"12 h"'`, `cluster.0.nodes=8`.
    ///
    /// VALUE is read as TOML, and taken as text if it is none. May be given several times; the same
    /// checks apply as to the file.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,

    /// Number from which all chance comes; a whole number from 0, or `random` to draw one.
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub seed: Option<String>,

    /// Independent simulations of each cluster, from 1.
    #[arg(long, value_name = "N")]
    pub replications: Option<u64>,
}

/// Which configurations, and how to tell them.
#[derive(Debug, Args)]
pub struct SweepArgs {
    /// Which scenario; 1,000 simulations of each configuration unless `--replications` is given.
    #[command(flatten)]
    pub scenario: ScenarioArgs,

    /// What to write where.
    #[command(flatten)]
    pub output: OutputArgs,

    /// Go on where a sweep of the same scenario into the same folder was ended: the files come out the same.
    #[arg(long)]
    pub resume: bool,

    /// Write sweep.parquet beside sweep.csv.
    #[arg(long)]
    pub parquet: bool,

    /// Run the I-th of N parts alone, I from 1, for `spotsim merge` [default folder: output/NAME/shards/I-of-N].
    #[arg(long, value_name = "I/N", allow_hyphen_values = true, conflicts_with_all = ["format", "plots"])]
    pub shard: Option<String>,

    /// Worker threads, from 1 [default: one a core]. The answer does not depend on it.
    #[arg(long, value_name = "N")]
    pub threads: Option<u16>,
}

/// How to run.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// Which scenario.
    #[command(flatten)]
    pub scenario: ScenarioArgs,

    /// What to write where.
    #[command(flatten)]
    pub output: OutputArgs,

    /// Worker threads, from 1 [default: one a core]. The answer does not depend on it.
    #[arg(long, value_name = "N")]
    pub threads: Option<u16>,

    /// Print the ledger of one replication (from 0) of each cluster after the table.
    #[arg(long, value_name = "REPLICATION", num_args = 0..=1, default_missing_value = "0")]
    pub explain_cost: Option<u64>,

    /// Run the I-th of N parts alone, I from 1, for `spotsim merge` [default folder: output/NAME/shards/I-of-N].
    #[arg(long, value_name = "I/N", allow_hyphen_values = true, conflicts_with_all = ["explain_cost", "format", "plots"])]
    pub shard: Option<String>,
}

/// Which shards, and how to tell what they come to.
#[derive(Debug, Args)]
pub struct MergeArgs {
    /// The folders of all shards, in any order, or one that holds them.
    #[arg(required = true, value_name = "FOLDER")]
    pub folders: Vec<PathBuf>,

    /// The scenario, if it is no longer where the shards found it.
    #[arg(long, value_name = "FILE")]
    pub scenario: Option<PathBuf>,

    /// What to write where.
    #[command(flatten)]
    pub output: OutputArgs,

    /// Worker threads, from 1 [default: one a core]. The answer does not depend on it.
    #[arg(long, value_name = "N")]
    pub threads: Option<u16>,
}

/// Which results to compare.
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// A folder that `spotsim run` wrote, or its summary.json.
    pub a: PathBuf,

    /// The folder that is compared with it; may be the same one with `--pair`.
    pub b: PathBuf,

    /// Compare cluster X of A with cluster Y of B [default: clusters of the same name]. May be given several
    /// times.
    #[arg(long = "pair", value_name = "X=Y")]
    pub pairs: Vec<String>,

    /// What to print on stdout.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// What to print, and what to write where.
#[derive(Debug, Clone, Args)]
pub struct OutputArgs {
    /// Folder for the files [default: output/NAME].
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,

    /// What to print on stdout.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,

    /// Kinds of picture to write; `none` for none.
    #[arg(long, value_name = "KINDS", value_delimiter = ',', default_value = "svg,png")]
    pub plots: Vec<PlotKind>,
}

/// What to take apart, and where to write it.
#[derive(Debug, Args)]
pub struct StepArgs {
    /// Which scenario.
    #[command(flatten)]
    pub scenario: ScenarioArgs,

    /// What to write where.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Which intervals, and how to tell them.
#[derive(Debug, Args)]
pub struct OptimumArgs {
    /// Which scenario; 2,000 simulations of each interval unless `--replications` is given.
    #[command(flatten)]
    pub scenario: ScenarioArgs,

    /// What to write where.
    #[command(flatten)]
    pub output: OutputArgs,

    /// Worker threads, from 1 [default: one a core]. The answer does not depend on it.
    #[arg(long, value_name = "N")]
    pub threads: Option<u16>,
}

/// Which policies' costs, and how to tell them.
#[derive(Debug, Args)]
pub struct PoliciesArgs {
    /// The scenario, a TOML file; without one the cells of `verify policies`.
    pub file: Option<PathBuf>,

    /// Deadlines [default: 1.1, 1.25, 1.5, 1.75 and 2 times the uninterrupted run].
    #[arg(long, value_name = "TIMES", value_delimiter = ',', requires = "file")]
    pub deadlines: Vec<String>,

    /// The world of which to draw how each policy went through it, at the middle deadline [default: the first in
    /// which Greedy and Uniform Progress part].
    #[arg(long, value_name = "N", requires = "file")]
    pub world: Option<u64>,

    /// The Spot cluster [default: the first].
    #[arg(long, value_name = "NAME", requires = "file")]
    pub cluster: Option<String>,

    /// Change a key of the scenario, as for `run`.
    #[arg(long = "set", value_name = "KEY=VALUE", requires = "file")]
    pub set: Vec<String>,

    /// Number from which all chance comes; a whole number from 0, or `random` to draw one.
    #[arg(long, value_name = "N", allow_hyphen_values = true, requires = "file")]
    pub seed: Option<String>,

    /// Worlds at each deadline, from 1 [default: 1,000].
    #[arg(long, value_name = "N", requires = "file")]
    pub replications: Option<u64>,

    /// What to write where.
    #[command(flatten)]
    pub output: OutputArgs,

    /// Worker threads, from 1 [default: one a core]. The answer does not depend on it.
    #[arg(long, value_name = "N")]
    pub threads: Option<u16>,
}

/// Which method, how many points, and of which results.
#[derive(Debug, Args)]
pub struct SensitivityArgs {
    /// Which scenario; it has `[uncertain]`. 1,000 replications at each point unless `--replications` is given.
    #[command(flatten)]
    pub scenario: ScenarioArgs,

    /// How the keys are varied.
    #[arg(long, value_enum, default_value_t = SensitivityMethod::Sobol)]
    pub method: SensitivityMethod,

    /// Base points of `sobol`, from 2, best a power of two [default: 256]; each costs 2 K + 2 points for K keys.
    #[arg(long, value_name = "N")]
    pub samples: Option<u32>,

    /// Random walks of `morris`, from 2 [default: 50]; each costs K + 1 points for K keys.
    #[arg(long, value_name = "N")]
    pub trajectories: Option<u32>,

    /// Levels of each key of `morris`, an even number from 2 [default: 4].
    #[arg(long, value_name = "N")]
    pub levels: Option<u32>,

    /// Results to tell, by their names in clusters.csv; may be given several times [default: cost_per_finished_usd,
    /// makespan_h_mean, and with a deadline deadline_probability].
    #[arg(long, value_name = "NAME")]
    pub result: Vec<String>,

    /// Tell this cluster alone [default: all].
    #[arg(long, value_name = "NAME")]
    pub cluster: Option<String>,

    /// Go on where a study of the same scenario and options into the same folder was ended: the files come out the
    /// same.
    #[arg(long)]
    pub resume: bool,

    /// What to write where.
    #[command(flatten)]
    pub output: OutputArgs,

    /// Worker threads, from 1 [default: one a core]. The answer does not depend on it.
    #[arg(long, value_name = "N")]
    pub threads: Option<u16>,

    /// Run the I-th of N parts alone, I from 1, for `spotsim merge` [default folder: output/NAME/shards/I-of-N].
    #[arg(long, value_name = "I/N", allow_hyphen_values = true, conflicts_with_all = ["format", "plots"])]
    pub shard: Option<String>,
}

/// How uncertain keys are varied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SensitivityMethod {
    /// Shares of the variance, alone, with others and in pairs, over the scrambled Sobol' sequence.
    Sobol,
    /// Elementary effects: which keys matter at all, at the price of few points.
    Morris,
    /// Each key at both ends of its range, the others as they are.
    OneAtATime,
}

/// Among which candidates, and what they must do.
#[derive(Debug, Args)]
pub struct PlanArgs {
    /// Which scenario; `--replications` are those of each candidate at most.
    #[command(flatten)]
    pub scenario: ScenarioArgs,

    /// What to write where.
    #[command(flatten)]
    pub output: OutputArgs,

    /// When the job should be done, since submit, instead of the scenario's `deadline`: "24 h".
    #[arg(long, value_name = "TIME")]
    pub deadline: Option<String>,

    /// Share of replications that must meet the deadline, instead of the scenario's: 0.9.
    #[arg(long, value_name = "SHARE")]
    pub probability: Option<String>,

    /// Worker threads, from 1 [default: one a core]. The answer does not depend on it.
    #[arg(long, value_name = "N")]
    pub threads: Option<u16>,
}

/// Which key, between which values, and what is to be met.
#[derive(Debug, Args)]
pub struct BreakEvenArgs {
    /// Which scenario; 10,000 replications of each value unless `--replications` is given.
    #[command(flatten)]
    pub scenario: ScenarioArgs,

    /// The key whose value is looked for, as for `--set`: `capacity.renewal.uptime.exponential.mean`.
    pub key: String,

    /// The least value: "10 min", "0.1 USD/h", 0.5. Bare numbers without a point are whole: 1 to 16 nodes.
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub from: String,

    /// The most, in any unit of time or in the same unit.
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub to: String,

    /// A figure of the cluster and the number that it must come to: `deadline_probability=0.95` [default: a finished
    /// run costs as much as one of the other cluster].
    #[arg(long, value_name = "FIGURE=NUMBER")]
    pub goal: Option<String>,

    /// The cluster [default: the first Spot cluster].
    #[arg(long, value_name = "NAME")]
    pub cluster: Option<String>,

    /// The cluster that it is compared with [default: the first On-Demand cluster].
    #[arg(long, value_name = "NAME")]
    pub against: Option<String>,

    /// How values are spread before the search [default: log where the most is 8 times the least or more].
    #[arg(long, value_enum)]
    pub scale: Option<KeyScale>,

    /// What to write where.
    #[command(flatten)]
    pub output: OutputArgs,

    /// Worker threads, from 1 [default: one a core]. The answer does not depend on it.
    #[arg(long, value_name = "N")]
    pub threads: Option<u16>,
}

/// How values are spread between two ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum KeyScale {
    /// By equal differences.
    Linear,
    /// By equal ratios.
    Log,
}

/// What to print.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Table,
    /// One JSON document.
    Json,
    /// Comma-separated values with a header.
    Csv,
}

/// A kind of picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PlotKind {
    /// Scalable, for pages.
    Svg,
    /// Pixels, for anything.
    Png,
    /// No pictures.
    None,
}

/// Which facts.
#[derive(Debug, Args)]
pub struct CatalogArgs {
    /// Which part of the catalogue.
    #[arg(value_enum, default_value_t = CatalogPart::Instances)]
    pub part: CatalogPart,

    /// Only names that contain this text.
    #[arg(long, value_name = "TEXT")]
    pub find: Option<String>,

    /// What to print on stdout.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// A part of the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CatalogPart {
    /// What clouds rent.
    Instances,
    /// Accelerators.
    Gpus,
    /// Models to train.
    Models,
    /// What joins nodes, and the GPUs of a node.
    Networks,
    /// What fabrics make of NCCL's model of an all-reduce.
    AllReduce,
    /// Files of measured kernels.
    Calibrations,
}

/// Which suites.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// The suite to run [default: all].
    pub suite: Option<String>,

    /// Rows of the same columns to use instead of the built-in ones.
    #[arg(long, value_name = "FILE")]
    pub data: Option<PathBuf>,

    /// What to print on stdout.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,

    /// Worker threads, from 1 [default: one a core].
    #[arg(long, value_name = "N")]
    pub threads: Option<u16>,
}
