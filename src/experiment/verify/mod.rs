//! Models held against right answers: the suites of `spotsim verify`.

mod economics;

pub use economics::economics;

/// What one entry of a suite came to.
#[derive(Debug, Clone, PartialEq)]
pub struct SuiteResult {
    /// Its name: `economics/simulated`.
    pub suite: &'static str,
    /// Rows compared.
    pub rows: usize,
    /// Rows not covered, with the reason and how many it concerns.
    pub skipped: Vec<(String, usize)>,
    /// What `value` measures.
    pub metric: &'static str,
    /// The worst or mean deviation.
    pub value: f64,
    /// The largest value that passes.
    pub tolerance: f64,
    /// Notes for people: the row furthest off, false-alarm rate.
    pub notes: Vec<String>,
}

impl SuiteResult {
    /// Whether the value is within the tolerance, and anything was compared at all.
    pub fn pass(&self) -> bool {
        self.rows > 0 && self.value <= self.tolerance
    }

    /// Rows not covered.
    pub fn skipped_rows(&self) -> usize {
        self.skipped.iter().map(|(_, count)| count).sum()
    }
}

/// Why a file of right answers cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    /// Its columns belong to no suite that was asked for.
    #[error("the columns belong to none of the suites of this version; missing: {0}")]
    Columns(String),
    /// A header and nothing else.
    #[error("no rows")]
    Empty,
    /// A row without nodes, or without a right answer.
    #[error("row `{0}`: gang_n must be at least 1 and e_makespan_s a number or inf")]
    Row(String),
    /// The file is not CSV.
    #[error("not CSV: {0}")]
    Csv(String),
}

/// Names of all suites of this version.
pub const SUITES: [&str; 1] = ["economics"];
