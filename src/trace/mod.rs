//! Recorded data described, fitted and drawn.

pub mod jobs;
pub mod lifetimes;
pub mod notices;
