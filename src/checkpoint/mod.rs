//! When a job saves, what a save costs, and what a loss leaves.
//!
//! Takes numbers and gives numbers: no clock, no files. `sim` asks [`Cycle`] where a job stands after
//! some time of training; nothing is stepped through. [`best_interval_s`] says how far apart saves should be.

mod cycle;
mod optimum;
mod pace;
mod pieces;
mod written;

pub use cycle::{Cycle, Every, Progress, Save, Warned};
pub use optimum::{Costs, best_interval_s, exact_interval_s};
pub use pace::{Bursting, Pace, Steady};
pub use pieces::Piece;
pub use written::Written;
