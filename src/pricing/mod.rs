//! What a stay of one node costs, what is billed beside it, and by which rules.
//!
//! Takes prices and lengths of time; knows no catalogue, no clock and no cluster. Each provider's
//! rule is one file that fills in a [`Tariff`].

mod azure;
mod charge;
mod ec2;
mod extras;
mod flat;
mod gcp;
mod history;
mod mean_reverting;
mod path;
mod sagemaker;
mod tariff;

pub use azure::azure;
pub use charge::{Beside, Charge, GROUPS, Group, Item, MOVE_PRICES, Rate, Usage};
pub use ec2::{ec2, ec2_hourly};
pub use extras::{
    Volume, VolumeRates, between_zones, parts, ring_bytes_between_zones, upload_requests, volume_billed,
};
pub use flat::flat;
pub use gcp::{PREEMPTIBLE_LIMIT, gcp};
pub use history::{Clock, HistoryError, PriceHistory};
pub use mean_reverting::MeanReverting;
pub use path::{PricePath, PriceWalk};
pub use sagemaker::{sagemaker, savings_reported};
pub use tariff::{Bill, Changing, Ended, Line, Taken, Tariff};

/// Which rule turns a stay into dollars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// Price × time.
    Flat,
    /// EC2 per second, with its minimum and its free first hour.
    Ec2,
    /// SageMaker training: On-Demand price less the savings.
    SageMaker,
    /// Compute Engine per second, with its minimum and its free first minute.
    Gcp,
    /// Azure per second.
    Azure,
}
