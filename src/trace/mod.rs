//! Recorded data: described, fitted, and drawn from a scenario.

pub mod fit;
pub mod jobs;
pub mod lifetimes;
pub mod notices;
pub mod runs;
pub mod stats;
pub mod stays;
pub mod synth;
