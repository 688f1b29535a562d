//! When nodes can be had and how long they last.
//!
//! A [`Law`] is a distribution of times from 0 up: uptimes, gaps, lifetimes, delays. All laws are drawn
//! by inverting their survival function on one uniform number, so that scenarios that differ in a
//! parameter meet the same luck. A [`path::Path`] says how many nodes can be had in a zone over time.

mod bathtub;
pub mod bootstrap;
pub mod chain;
mod constant;
pub mod correlation;
mod empirical;
mod exponential;
mod gamma;
pub mod hours;
mod law;
#[cfg(test)]
mod law_check;
mod lognormal;
pub mod on_off;
pub mod path;
pub mod recorded;
pub mod renewal;
pub mod schedule;
pub mod shock;
mod uniform;
mod weibull;

pub use bathtub::Bathtub;
pub use constant::Constant;
pub use empirical::Empirical;
pub use exponential::Exponential;
pub use gamma::Gamma;
pub use law::{Kind, Law, LawError};
pub use lognormal::Lognormal;
pub use uniform::Uniform;
pub use weibull::Weibull;
