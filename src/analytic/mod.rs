//! Closed forms and recursions: the second opinion on `sim`.
//!
//! Nothing here draws a number. Times are seconds, since these are formulas over reals.

mod renewal;
mod uptime;

pub use renewal::{Expected, Renewal};
pub use uptime::Uptime;
