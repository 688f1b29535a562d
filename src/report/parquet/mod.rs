//! `sweep.parquet`: the columns of `sweep.csv` with types. Behind the cargo feature `parquet`, which is off by
//! default: most people read CSV, and the crate doubles what is built.

#[cfg(feature = "parquet")]
mod table;

#[cfg(feature = "parquet")]
pub use table::sweep;

/// Whether this program can write Parquet.
pub const IS_BUILT_IN: bool = cfg!(feature = "parquet");

/// What to say where it is asked for and not built in.
pub const HOW_TO_BUILD: &str = "this spotsim was built without Parquet\n  = help: build it with `cargo build --release --features parquet`";

/// Without the feature there is nothing to write.
#[cfg(not(feature = "parquet"))]
pub fn sweep(_rows: &crate::experiment::sweep::SweepRows) -> Vec<u8> {
    Vec::new()
}
