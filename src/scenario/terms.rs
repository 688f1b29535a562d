//! `[plan]`: what `spotsim plan` asks of a candidate, and how sure it must be.

use super::echo::Echo;
use super::range::above;
use super::reader::Reader;
use super::section::Section;
use super::tree::Table;

/// What a candidate must do, and when a choice is good enough.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    /// Least share of replications that must meet the deadline.
    pub probability: f64,
    /// How often the choice must be right.
    pub confidence: f64,
    /// Replications of one candidate at most.
    pub replications_max: u64,
    /// Candidates are as good as one another if their mean costs differ by no more than this share.
    pub indifference: f64,
}

impl Default for Terms {
    fn default() -> Self {
        Self { probability: 0.95, confidence: 0.95, replications_max: 100_000, indifference: 0.01 }
    }
}

/// All of a candidate's replications are kept in memory, 24 bytes each.
const REPLICATIONS_MAX: u64 = 10_000_000;

/// Reads `[plan]`; gives its table of candidates too, which the caller reads.
pub(super) fn read_terms<'a>(reader: Option<Reader<'a>>, top: &mut Echo) -> (Terms, Option<&'a Table>) {
    let mut terms = Terms::default();
    let Some(reader) = reader else { return (terms, None) };
    let mut s = Section::new(reader, top, "plan");
    for (key, value) in [("probability", &mut terms.probability), ("confidence", &mut terms.confidence)] {
        *value = s.reader.field(key).number(0.01..=0.9999).unwrap_or(*value);
        s.echo(key, value.to_string(), "");
    }
    let most = s.reader.field("replications_max").whole(2..=REPLICATIONS_MAX);
    terms.replications_max = most.unwrap_or(terms.replications_max);
    s.echo("replications_max", terms.replications_max.to_string(), "");
    terms.indifference = s.reader.field("indifference").number(above(0.0)).unwrap_or(terms.indifference);
    s.echo("indifference", terms.indifference.to_string(), "share of the cost");
    let candidates = s.reader.field("candidates");
    let table = if candidates.is_given() { candidates.table() } else { None };
    s.reader.finish();
    (terms, table.map(|reader| reader.table()))
}
