//! What `spotsim run` prints for people: the verdict, the clusters side by side, where the time went,
//! what was assumed, and what to do next.

mod columns;
mod dollars;
#[cfg(test)]
pub mod fixture;
mod footer;
mod infeasible;
mod notes;
#[cfg(test)]
mod odd_tests;
#[cfg(test)]
mod tests;
mod time;
pub mod until;
mod verdict;

use super::number;
use super::text::{self, Column, Kind, Paint};
use crate::capacity::Law;
use crate::capacity::path::Path;
use crate::capacity::renewal::{Begin, Renewal};
use crate::experiment::{ClusterResult, Status};
use crate::scenario::cluster::Cluster;
use crate::scenario::load::Scenario;
use crate::scenario::plan::{Market, Plan};

/// Everything that the text is made from.
#[derive(Debug, Clone, Copy)]
pub struct RunView<'a> {
    /// The question.
    pub scenario: &'a Scenario,
    /// The answers, one a cluster, in the order of the scenario.
    pub results: &'a [ClusterResult],
    /// The scenario's file as the user typed it.
    pub file: &'a str,
    /// Replications asked for; fewer are complete after an interruption.
    pub asked: u64,
    /// Whether escape sequences for colour are wanted.
    pub colour: bool,
    /// The folder that was written, if any.
    pub out: Option<&'a str>,
    /// The files in it.
    pub written: &'a [String],
}

/// The text, at most 100 columns wide.
pub fn run_table(view: &RunView<'_>) -> String {
    let clusters = Clusters::new(view);
    if clusters.simulated().next().is_none() {
        return infeasible::nothing_simulated(&clusters);
    }
    if clusters.replications == 0 {
        let sections = [heading(view), verdict::verdict(&clusters), footer::assumed(&clusters)];
        return sections.join("\n");
    }
    let sections = [
        heading(view),
        verdict::verdict(&clusters),
        columns::comparison(&clusters),
        notes::notes(&clusters),
        time::bars(&clusters),
        time::hours(&clusters),
        dollars::dollars(&clusters),
        footer::assumed(&clusters),
        footer::next_and_written(&clusters),
    ];
    let shown: Vec<String> = sections.into_iter().filter(|section| !section.is_empty()).collect();
    shown.join("\n")
}

/// What the text says, for another layout: nothing is wrapped, coloured or escaped, names are inert.
#[derive(Debug)]
pub(super) struct Told {
    /// The sentences that answer the question, the choice first.
    pub(super) verdict: Vec<String>,
    /// The columns beside the names of the clusters, a cell a cluster.
    pub(super) comparison: Vec<Column>,
    /// Paragraphs that belong beneath the comparison.
    pub(super) notes: Vec<String>,
    /// What the answer rests on: what, how much, from where, of when, how far to trust it.
    pub(super) assumptions: Vec<[String; 5]>,
    /// The weakest of them, a warning.
    pub(super) weakest: Option<String>,
    /// Seed and replications, a sentence.
    pub(super) sampling: String,
}

/// The pieces of [`run_table`] that hold answers.
pub(super) fn told(view: &RunView<'_>) -> Told {
    let clusters = &Clusters::new(view);
    let any_simulated = clusters.simulated().next().is_some();
    let complete = clusters.replications > 0;
    Told {
        verdict: if any_simulated {
            verdict::sentences(clusters)
        } else {
            vec![infeasible::sentence(clusters)]
        },
        comparison: if any_simulated { columns::all(clusters) } else { infeasible::columns(clusters) },
        notes: if complete { notes::paragraphs(clusters) } else { Vec::new() },
        assumptions: footer::rows(clusters),
        weakest: footer::weakest(clusters),
        sampling: footer::sampling(clusters),
    }
}

fn heading(view: &RunView<'_>) -> String {
    lines(&text::wrapped(&text::inert(&view.scenario.title), text::columns()))
}

fn lines(all: &[String]) -> String {
    all.iter().map(|line| format!("{line}\n")).collect()
}

/// A cluster and what came of it.
#[derive(Clone, Copy)]
struct Row<'a> {
    cluster: &'a Cluster,
    result: &'a ClusterResult,
}

impl Row<'_> {
    fn name(&self) -> String {
        text::name(&self.result.name)
    }

    fn simulated(&self) -> bool {
        self.result.status == Status::Simulated
    }

    /// Whether every replication finished.
    fn all_finished(&self) -> bool {
        self.result.finished == self.result.replications
    }
}

/// The clusters of a run, and what is true of all of them.
struct Clusters<'a> {
    view: &'a RunView<'a>,
    rows: Vec<Row<'a>>,
    paint: Paint,
    /// Replications that are complete.
    replications: u64,
    chance: Chance,
}

/// What part chance has in the answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Chance {
    /// Replications differ.
    Seen,
    /// There is one replication, so nobody knows.
    OneReplication,
    /// All replications are equal, as nothing is random.
    Absent,
    /// All replications are equal, though something is random.
    NeverCameUp,
}

impl<'a> Clusters<'a> {
    fn new(view: &'a RunView<'a>) -> Self {
        let pairs = view.scenario.clusters.iter().zip(view.results);
        let rows: Vec<Row<'a>> = pairs.map(|(cluster, result)| Row { cluster, result }).collect();
        let replications = rows.iter().map(|row| row.result.replications).max().unwrap_or(0);
        let simulated = || rows.iter().filter(|row| row.simulated());
        let chance = match replications {
            1 => Chance::OneReplication,
            _ if !simulated().all(|row| all_equal(row.result)) => Chance::Seen,
            _ if simulated().any(|row| is_random(&row.cluster.plan, row.cluster.market)) => {
                Chance::NeverCameUp
            }
            _ => Chance::Absent,
        };
        Self { view, rows, paint: Paint { colour: view.colour }, replications, chance }
    }

    fn simulated(&self) -> impl Iterator<Item = &Row<'a>> + Clone {
        self.rows.iter().filter(|row| row.simulated())
    }

    /// Whether figures have intervals and replications a spread that are worth saying.
    fn has_spread(&self) -> bool {
        matches!(self.chance, Chance::Seen | Chance::NeverCameUp)
    }

    fn all_finished(&self) -> bool {
        self.simulated().all(Row::all_finished)
    }

    /// The row that savings are measured against.
    fn baseline(&self) -> Option<Row<'a>> {
        let index = self.view.scenario.baseline()?;
        self.rows.get(index).copied().filter(Row::simulated)
    }

    fn is_baseline(&self, row: &Row<'_>) -> bool {
        self.baseline().is_some_and(|baseline| std::ptr::eq(baseline.result, row.result))
    }

    /// The deadline, if all clusters have the same.
    fn deadline(&self) -> Option<String> {
        let mut deadlines = self.rows.iter().map(|row| row.cluster.plan.deadline);
        let first = deadlines.next()??;
        deadlines.all(|other| other == Some(first)).then(|| number::deadline(first))
    }

    /// The deadline in a sentence: `the 12 h deadline`.
    fn the_deadline(&self) -> String {
        self.deadline().map_or("its deadline".to_owned(), |deadline| format!("the {deadline} deadline"))
    }
}

/// The column that names `rows`, in the colours of their markets.
fn names<'r>(head: &str, rows: impl Iterator<Item = &'r Row<'r>>, indent: &str) -> Column {
    let rows: Vec<&Row<'_>> = rows.collect();
    Column {
        head: head.to_owned(),
        cells: rows.iter().map(|row| format!("{indent}{}", row.name())).collect(),
        kind: Kind::Names(rows.iter().map(|row| row.result.market).collect()),
    }
}

fn all_equal(result: &ClusterResult) -> bool {
    let still = |sd: Option<f64>| sd.is_none_or(|sd| sd == 0.0);
    let one_end = [0, result.replications].contains(&result.finished);
    one_end && still(result.cost_usd.sd) && still(result.makespan_h.sd)
}

/// Whether some time that a cluster on `market` meets is drawn. A trace counts as fixed: one that begins
/// at random makes replications differ, and then nobody asks.
fn is_random(plan: &Plan, market: Market) -> bool {
    let drawn = |law: &Law| law.is_constant().is_none();
    let start = [&plan.start.provision, &plan.start.restore, &plan.start.detection];
    let capacity = &plan.capacity;
    let path = match &capacity.path {
        Path::Renewal(Renewal { uptime, gap, begin }) => {
            drawn(uptime) || drawn(gap) || *begin == Begin::Stationary
        }
        Path::Chain(chain) => !chain.is_still(),
        Path::OnOff(_) | Path::Bootstrap(_) => true,
        Path::Always | Path::Events(_) | Path::Trace(_) => false,
    };
    let spot = market == Market::Spot
        && (path
            || capacity.lifetime.as_ref().is_some_and(drawn)
            || !capacity.shocks.is_empty()
            || drawn(&capacity.acquire)
            || drawn(&capacity.acquire_first));
    let failures = plan.failures.as_ref().is_some_and(drawn);
    start.into_iter().chain(plan.start.until_ready()).any(drawn) || failures || spot
}
