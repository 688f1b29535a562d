//! Where a goal is met: the value of one scenario key at which a figure reaches a number, or two clusters cost
//! the same, with what the simulation leaves open about it.
//!
//! All values of the key meet the same worlds, so the difference from the goal is a function without noise,
//! though constant in pieces: it is bracketed on a grid and halved, never extrapolated. At each value the
//! difference has its interval; where that holds 0, nothing is sure (a confidence set by inverted tests: the
//! true root is missed as often as one such interval misses its value, 5 %).

mod evaluate;
mod key_range;
mod search;

pub use evaluate::{Goal, difference};
pub use key_range::{KeyRange, RangeError, Unit};
pub use search::{BreakEven, Point, Root, search};
