//! Results as tables, CSV, JSON and pictures. Takes results, computes none, touches no files.

pub mod csv;
pub mod json;
pub mod verify;
