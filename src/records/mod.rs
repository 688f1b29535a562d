//! What people recorded of Spot: capacity, stays of nodes, prices. Each format's reader, and the project's own
//! format.
//!
//! A reader takes text and gives a [`Recording`]; it touches no file and guesses nothing: what a format does
//! not say must be said in [`How`], or is an error that says how. What a reader drops, assumes or doubts it
//! says in [`Recording::remarks`].

mod model;
pub mod own;

pub use model::{
    About, Capacity, Content, Label, OneMeans, Prices, Recording, Remark, Stay, StayEnd, Stays, Stretch,
};

use crate::units::UtcOffset;

/// What a file does not say itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct How {
    /// What 1 means in a 0/1 series.
    pub one_means: Option<OneMeans>,
    /// The zone of times that have none.
    pub local: Option<UtcOffset>,
}

/// Why a file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// Nothing in it.
    #[error("holds no {0}")]
    Empty(&'static str),
    /// A 0/1 series without word of what 1 means.
    #[error("does not say what 1 means")]
    MeaningMissing,
    /// Not in the format that it was taken for.
    #[error("{0}")]
    Syntax(String),
    /// Lines that cannot be used, the first of them; lines count from 1, comments and header included.
    #[error("{}", faults.iter().map(|(line, fault)| format!("line {line}: {fault}")).collect::<Vec<_>>().join("; "))]
    Lines {
        /// Line and fault.
        faults: Vec<(u64, String)>,
    },
}
