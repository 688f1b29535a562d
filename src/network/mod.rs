//! How long bytes take between ranks.
//!
//! Takes bytes, ranks and bandwidths; knows no instance, no model and no clock.

pub mod nccl;
pub mod sharding;

mod accumulation;
mod bucket;
mod credits;
mod ddp;
mod measured;
mod payload;
mod placement;
mod ring;
mod share;

pub use accumulation::Accumulation;
pub use bucket::{Bucket, BucketLimits, Gradient, buckets};
pub use credits::{Credit, TokenBucket};
pub use ddp::{Ddp, Exchange, Transfer, straggler_s};
pub use measured::{MeasuredError, MeasuredFabric, MeasuredLine, MeasuredSize, bus_factor};
pub use payload::{Compression, Matrix};
pub use placement::{NodePath, Sockets};
pub use ring::RingAllReduce;
pub use share::{Flow, fair_shares};
