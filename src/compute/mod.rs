//! How long one step computes.
//!
//! Takes a model's and a device's numbers; knows no names, no network and no clock.

mod flops;

pub use flops::ByFlops;
