//! Figures of fabrics from measured all-reduces.
//!
//! All classes are fitted together: each figure of a class is that of its [`Pool`](super::fabric::Pool) times a
//! deviation of its own, and deviations are drawn to 1. A class with few rows therefore stays near its neighbours, and
//! one with none is its neighbours.

mod classes;
mod layout;
mod one;
mod solve;

pub use classes::{ClassFits, Run, fit_classes};
pub use one::{FitError, OneFit, SizeCurve, fit_one};
