//! Tick mode: capacity is seen, nodes change and money is charged at whole ticks, and no work is lost.

mod ticks;

pub use ticks::{Stretch, TickRules, Ticked, ticks};
