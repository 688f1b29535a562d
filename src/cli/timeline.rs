//! Arguments of `spotsim timeline`.

use super::{OutputArgs, ScenarioArgs};
use clap::Args;

/// Which replication of which clusters.
#[derive(Debug, Args)]
pub struct TimelineArgs {
    /// Which scenario.
    #[command(flatten)]
    pub scenario: ScenarioArgs,

    /// Which replication: its number from 0, or `median`, `best` or `worst` of all by makespan, or `typical`, the median
    /// of those with the usual number of preemptions. It is chosen by the first Spot cluster that is shown, and is the
    /// same for all, as all meet the same world in it.
    #[arg(long, value_name = "N", default_value = "median", allow_hyphen_values = true)]
    pub replication: String,

    /// Show this cluster [default: all that are simulated]. May be given several times.
    #[arg(long = "cluster", value_name = "NAME")]
    pub clusters: Vec<String>,

    /// What to write where.
    #[command(flatten)]
    pub output: OutputArgs,
}
