//! When nodes can be had and how long they last.
//!
//! A [`Law`] is a distribution of times from 0 up: uptimes, gaps, lifetimes, delays. All laws are drawn
//! by inverting their survival function on one uniform number, so that scenarios that differ in a
//! parameter meet the same luck.

mod bathtub;
mod constant;
mod empirical;
mod exponential;
mod gamma;
mod law;
#[cfg(test)]
mod law_check;
mod lognormal;
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
