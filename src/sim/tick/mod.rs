//! Tick mode: capacity is seen, nodes change and money is charged at whole ticks, and no work is lost.

mod replication;
mod ticks;

pub use replication::simulate_ticks;
pub use ticks::{Stretch, TickRules, Ticked, ticks};
