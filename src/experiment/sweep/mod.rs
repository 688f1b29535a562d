//! What a sweep found, as rows of its table: one a configuration and cluster.

mod rows;

pub use rows::{INVALID, RowsError, SIMULATED, SweepRow, SweepRows};
