//! Which uncertain input a result hangs on: designs on the unit cube, and indices from what came out at their points.
//!
//! Everything is a function of the outputs in the order of the design, so that it does not matter who computed them.

mod bootstrap;
mod morris;
mod noise;
mod one_at_a_time;
mod sobol;
mod study;
#[cfg(test)]
mod tests;

pub use morris::{Effects, morris_design, morris_effects};
pub use noise::noise_share;
pub use one_at_a_time::{Bar, one_at_a_time_design, tornado};
pub use sobol::{Indices, SobolDesign, pairs};
pub use study::{Finding, Found, Method, Place, finding};

use crate::stats::Interval;

/// A number and the margin of its interval of 95 %: 1.96 standard deviations over bootstrap resamples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The number; may lie outside what the true one can be, and is not clipped.
    pub value: f64,
    /// Half the interval's width.
    pub margin: f64,
}

impl Estimate {
    /// The number within its interval.
    pub fn interval(self) -> Interval {
        Interval::around(self.value, self.margin)
    }
}
