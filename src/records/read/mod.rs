//! Readers of the formats that other projects write, one file each.

pub mod availability;
pub mod count_series;
pub mod count_table;
pub mod node_events;
pub mod parcae_replay;
pub mod pool_log;
pub mod probe_rounds;
pub mod sky_spot;
