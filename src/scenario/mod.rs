//! Room `scenario`.

pub mod assign;
pub mod field;
pub mod problem;
pub mod reader;
pub mod source;
pub mod tree;
