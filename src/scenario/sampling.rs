//! `[simulation] sampling` and `uncertain`: how a run draws the values of uncertain keys.

use super::echo::{Echo, quoted};
use super::problem::Problem;
use super::reader::Reader;

/// Independent batches from which the error is told where replications are not independent themselves.
pub const BATCHES: u64 = 32;

/// How the values of `[uncertain]` keys are drawn, a point of the unit cube for each replication.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sampling {
    /// Each by itself.
    #[default]
    Random,
    /// In pairs of opposite points.
    Antithetic,
    /// Scrambled Sobol' points, scrambled anew for each of [`BATCHES`].
    Sobol,
}

impl Sampling {
    /// Its word in a scenario.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Antithetic => "antithetic",
            Self::Sobol => "sobol",
        }
    }

    /// Replications where so many are asked for: batches of a power of two, in which points are even, and pairs
    /// whole.
    pub fn rounded(self, replications: u64) -> u64 {
        match self {
            Self::Random => replications,
            _ => replications.max(2 * BATCHES).checked_next_power_of_two().unwrap_or(replications),
        }
    }
}

/// Reads both; whether keys are drawn at all comes second.
pub(super) fn read_sampling(reader: &mut Reader<'_>, has_rule: bool, top: &mut Echo) -> (Sampling, bool) {
    const WORDS: [(&str, Sampling); 3] =
        [("random", Sampling::Random), ("antithetic", Sampling::Antithetic), ("sobol", Sampling::Sobol)];
    let field = reader.field("sampling");
    let sampling = field.word(&WORDS).unwrap_or_default();
    if has_rule && sampling != Sampling::Random {
        let title = "`until` goes with `sampling = \"random\"` alone";
        let why = "batches of these points have a size that is fixed beforehand";
        field.report(Problem::error(title).at(field.place(), why));
    }
    let uncertain = reader.field("uncertain");
    let drawn = uncertain.boolean().unwrap_or(true);
    if field.is_given() {
        top.set("simulation", "sampling", quoted(sampling.name()), "");
    }
    if uncertain.is_given() {
        top.set("simulation", "uncertain", drawn.to_string(), "");
    }
    (sampling, drawn)
}
