//! Many replications, and what they say with which confidence.
//!
//! [`replicate`] runs all clusters of a scenario side by side in the same worlds and gives a [`Tally`]
//! each; [`ClusterResult`] names what is told of it.

pub mod break_even;
mod by_zone;
mod chunk;
mod cost;
pub mod curves;
pub mod diff;
mod drawn;
mod evaluate;
mod foresight;
mod interrupted;
mod levels;
pub mod optimum;
pub mod plan;
mod replicate;
mod result;
pub mod sensitivity;
mod spread;
pub mod step;
pub mod sweep;
mod tally;
pub mod timeline;
mod until;
pub mod verify;

pub use by_zone::{ByZone, InZone};
pub use chunk::{CHUNK, Chunk, Replicated, Rows, Run, Worker};
pub use cost::CostByPart;
pub use drawn::{Draw, tell_error_by_batches};
pub use evaluate::{Evaluated, Resolve, Take, evaluate, statuses};
pub use foresight::{Foresight, WORLDS_MAX, bound_usd, foresight};
pub use interrupted::lost_as_often;
pub use levels::{Level, levels};
pub use replicate::{Options, Progress, replicate, replicate_in_batches};
pub use result::{
    ClusterResult, Estimate, Figure, Status, ZoneResult, check_expectations, figure_names, summarise,
};
pub use spread::Spread;
pub use tally::{Against, Seen, Tally};
pub use until::{Standing, Stopped, StoppedBy};

/// Two-sided confidence of every interval that is printed.
pub const CONFIDENCE: f64 = 0.95;
