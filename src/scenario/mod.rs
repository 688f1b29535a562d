//! Room `scenario`.

pub mod assign;
pub mod field;
pub mod problem;
pub mod range;
pub mod reader;
pub mod source;
pub mod tree;
