//! When a job saves, what a save costs, and what a loss leaves.
//!
//! Takes numbers and gives numbers: no clock, no files. `sim` asks [`Cycle`] where a job stands after
//! some time of training; nothing is stepped through.

mod cycle;
mod pace;

pub use cycle::{Cycle, Every, Progress, Save};
pub use pace::{Bursting, Pace, Steady};
