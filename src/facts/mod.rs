//! The catalogue: instances, accelerators, models and fabrics, each fact with source, date and confidence.
//!
//! The facts are the TOML files under `data/`, built into the program. This room parses them and looks
//! them up; it calculates nothing. A key that is missing in a file is not known and stays `None`.

mod advice;
mod burst;
mod calibrations;
mod catalogue;
mod ddp;
mod estimate;
mod extras;
mod files;
mod gpu;
mod host;
mod instance;
mod model;
mod nccl_figures;
mod network;
mod placement;
mod quantity;
mod regions;
#[cfg(test)]
mod shipped_traces;
mod software;
mod storage;
mod training;

pub use advice::{Advisor, PlacementScores};
pub use burst::BurstTime;
pub use catalogue::Catalogue;
pub use ddp::DdpCosts;
pub use estimate::Estimate;
pub use extras::{Extras, Multipart, ObjectPrices, TrafficPrices, VolumePrices};
pub use gpu::Gpu;
pub use host::{Host, HostProcessor};
pub use instance::{Cloud, Instance, InstanceRef, InterruptionBucket};
pub use model::Model;
pub use nccl_figures::{ALL_REDUCES, NcclFigures};
pub use network::{Fabric, Interconnect};
pub use placement::{Placement, SocketDefaults};
pub use regions::{Pair, Regions, Speeds, Traffic};
pub use software::{ActivationTraffic, FrameworkTraffic, Software};
pub use storage::Storage;
pub use training::Training;
