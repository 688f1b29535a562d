//! Models held against right answers: the suites of `spotsim verify`.

mod billing;
mod ddp;
mod economics;
mod montecarlo;
mod morris;
mod multi_region;
mod nccl;
mod nccl_graphs;
mod nccl_model;
mod node_hours;
mod optimum;
mod optimum_policy;
pub(super) mod policies;
mod prices;
mod recorded;
mod regions;
mod relative;
mod rows;
mod shipped;
mod sobol;
mod streams;
mod test_function;
mod throughput;
mod traces;

use billing::billing;
use ddp::ddp;
use economics::economics;
use montecarlo::montecarlo;
use morris::morris;
use nccl::nccl;
use nccl_model::nccl_model;
use node_hours::node_hours;
use optimum::optimum;
use optimum_policy::optimum_policy;
use policies::policies;
use sobol::sobol;
use throughput::throughput;
use traces::traces;

pub use shipped::Find;
#[cfg(test)]
pub(super) use test_function::TestFunction;

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
    /// What else must hold and does not, for people; empty where all does.
    pub missed: Vec<String>,
    /// Notes for people: the row furthest off, false-alarm rate.
    pub notes: Vec<String>,
}

impl SuiteResult {
    /// Whether the value is within the tolerance, all else holds, and anything was compared at all.
    pub fn pass(&self) -> bool {
        self.rows > 0 && self.value <= self.tolerance && self.missed.is_empty()
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
    /// A row that says too little.
    #[error("row {0}")]
    Row(String),
    /// The file is not CSV.
    #[error("not CSV: {0}")]
    Csv(String),
}

/// Models and the right answers they are held against.
#[derive(Debug, Clone, Copy)]
pub struct Suite {
    /// Its name on the command line; entries begin with it.
    pub name: &'static str,
    /// Columns by which it knows each of its files.
    columns: &'static [&'static [&'static str]],
    /// Its entries over the rows given, else over the built-in ones.
    run: Run,
}

/// How a suite runs.
#[derive(Debug, Clone, Copy)]
enum Run {
    /// Over rows that stand alone.
    Rows(fn(Option<&str>) -> Result<Vec<SuiteResult>, VerifyError>),
    /// Over rows that name recordings.
    Recordings(fn(Option<&str>, Find<'_>) -> Result<Vec<SuiteResult>, VerifyError>),
}

impl Suite {
    /// The columns that a header lacks of the file of this suite that it comes nearest to.
    fn lacks(&self, header: &[String]) -> String {
        let lacking = self.columns.iter().map(|columns| rows::missing(header, columns));
        lacking.min_by_key(Vec::len).unwrap_or_default().join(", ")
    }
}

/// Every suite of this version.
pub const SUITES: [Suite; 14] = [
    Suite {
        name: "billing",
        columns: &[&billing::COLUMNS, &billing::ANCILLARY_COLUMNS],
        run: Run::Rows(billing),
    },
    Suite { name: "ddp", columns: &[&ddp::COLUMNS], run: Run::Rows(ddp) },
    Suite { name: "economics", columns: &economics::COLUMNS, run: Run::Rows(economics) },
    Suite { name: "montecarlo", columns: &[&montecarlo::COLUMNS], run: Run::Rows(montecarlo) },
    Suite { name: "morris", columns: &morris::COLUMNS, run: Run::Rows(morris) },
    Suite { name: "nccl", columns: &[&nccl::COLUMNS], run: Run::Rows(nccl) },
    Suite { name: "nccl-model", columns: &[&nccl_model::COLUMNS], run: Run::Rows(nccl_model) },
    Suite { name: "node-hours", columns: &[&node_hours::COLUMNS], run: Run::Recordings(node_hours) },
    Suite { name: "optimum", columns: &[&optimum::COLUMNS], run: Run::Rows(optimum) },
    Suite {
        name: "optimum-policy",
        columns: &[&optimum_policy::COLUMNS],
        run: Run::Recordings(optimum_policy),
    },
    Suite {
        name: "policies",
        columns: &[
            &policies::SINGLE,
            &policies::FIRST,
            &multi_region::COLUMNS,
            &multi_region::ARTIFACT_COLUMNS,
        ],
        run: Run::Recordings(policies),
    },
    Suite { name: "sobol", columns: &sobol::COLUMNS, run: Run::Rows(sobol) },
    Suite { name: "throughput", columns: &[&throughput::COLUMNS], run: Run::Rows(throughput) },
    Suite { name: "traces", columns: &[&traces::COLUMNS], run: Run::Recordings(traces) },
];

/// Runs the suite called `name`, else all. Rows in `data` replace the built-in ones of the suites whose
/// columns they have; `beside` gives the text of a recording, by its name, that is not shipped.
pub fn verify(
    name: Option<&str>,
    data: Option<&str>,
    beside: Find<'_>,
) -> Result<Vec<SuiteResult>, VerifyError> {
    let mut chosen: Vec<&Suite> =
        SUITES.iter().filter(|suite| name.is_none_or(|name| suite.name == name)).collect();
    if let Some(data) = data {
        let header = rows::header(data)?;
        let lacking: Vec<_> = chosen.iter().map(|suite| suite.lacks(&header)).collect();
        let mut at = lacking.iter();
        chosen.retain(|_| at.next().is_some_and(String::is_empty));
        if chosen.is_empty() {
            return Err(VerifyError::Columns(
                lacking.into_iter().min_by_key(String::len).unwrap_or_default(),
            ));
        }
    }
    let mut results = Vec::new();
    for suite in chosen {
        results.extend(match suite.run {
            Run::Rows(run) => run(data)?,
            Run::Recordings(run) => run(data, beside)?,
        });
    }
    Ok(results)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_other_columns_is_refused() {
        assert!(matches!(verify(None, Some("a,b\n1,2\n"), &|_, _| None), Err(VerifyError::Columns(_))));
    }

    #[test]
    fn a_condition_beside_the_value_can_fail_an_entry() {
        let mut result = SuiteResult {
            suite: "economics",
            rows: 1,
            skipped: Vec::new(),
            metric: "largest relative error",
            value: 0.0,
            tolerance: 1.0,
            missed: Vec::new(),
            notes: Vec::new(),
        };
        assert!(result.pass());
        result.missed.push("same choice in 97 % of rows, at least 99 % wanted".into());
        assert!(!result.pass());
    }
}
