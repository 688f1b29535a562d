//! The `spotsim` binary.
fn main() {}
