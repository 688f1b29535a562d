//! What a sweep found, as rows of its table: one a configuration and cluster.

mod axis;
mod front;
mod rows;

pub use axis::{Scale, SweepAxis, axes, is_grid};
pub use front::{COST, Found, Point, RELIABLE, TIME, found};
pub use rows::{INVALID, RowsError, SIMULATED, SweepRow, SweepRows};
