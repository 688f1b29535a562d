//! The whole steps of a job, and what cannot be told of them said at the key that it is about.

use super::anatomy::Anatomy;
use super::job::{Job, JobWork};
use super::plan::{Burst, StepParts, Work};
use super::problem::{Problem, Sink};
use super::source::Place;
use super::throughput::{Throughput, Untold};
use super::tree::Table;
use crate::units::Span;

/// The tables of a cluster that a step is told from, and where problems go.
pub(super) struct StepTables<'a> {
    /// `[job]`.
    pub job: &'a Table,
    /// `[compute]`.
    pub compute: &'a Table,
    /// `[network]`.
    pub network: &'a Table,
    /// Where problems go.
    pub sink: &'a Sink,
}

impl StepTables<'_> {
    pub(super) fn refuse(&self, untold: Untold) {
        let place = self.place(untold.key);
        self.sink.report(Problem::error(untold.title).at(place, untold.help));
    }

    /// Where the value of `job.precision` stands; its table if it is not given.
    fn place(&self, key: &str) -> Place {
        let (table, key) = key.split_once('.').unwrap_or((key, ""));
        let table = match table {
            "compute" => self.compute,
            "network" => self.network,
            _ => self.job,
        };
        table.entries.get(key).map_or(table.place, |entry| entry.node.place)
    }

    /// Whether what `job` lacks was given wrongly: that was reported where it stands.
    fn is_reported(&self, job: &Job) -> bool {
        let given = |key: &str| self.job.entries.contains_key(key);
        let batch = given("batch_per_gpu") || given("global_batch");
        (job.model.is_none() && given("model")) || (job.global_batch.is_none() && batch)
    }
}

/// Work given as an ideal time has steps so short that no loss or save waits for one, and yet so long that
/// those of fewer nodes are right to a millionth when they are whole ns.
const ELASTIC_STEP: Span = Span::from_ns(1_000_000);

/// Whole steps of a job that `least_nodes` nodes do too, and the step; problems are reported at the keys of
/// `tables`.
pub(super) fn resolve_work(
    throughput: &Throughput,
    least_nodes: u32,
    tables: &StepTables<'_>,
) -> Option<(Work, Option<Anatomy>)> {
    let steps = match throughput.job.work {
        JobWork::Steps(steps) => steps,
        JobWork::IdealTime(span) => {
            if throughput.compute.given.is_some() {
                let title = "[compute] has no effect where `work` is an ideal time";
                let help = "give `work` in steps or samples";
                tables.refuse(Untold::new(title, help).about("job.work"));
                return None;
            }
            let divided = least_nodes < throughput.machines.nodes;
            let computing = if divided { ELASTIC_STEP } else { Span::from_ns(1) };
            let step = StepParts { computing, ..StepParts::default() };
            return Some((Work { steps: span.ns().div_ceil(computing.ns()), step, burst: None }, None));
        }
    };
    let told = throughput.step(throughput.machines.nodes).and_then(|anatomy| {
        let step = anatomy.sustained.parts.total();
        match step {
            Span::ZERO => Err(Untold::new("a step takes no time at all", "")),
            Span::MAX => Err(Untold::new("a step takes longer than 584 years", "")),
            _ => Ok(anatomy),
        }
    });
    let anatomy = match told {
        Ok(anatomy) => anatomy,
        Err(_) if tables.is_reported(&throughput.job) => return None,
        Err(untold) => {
            tables.refuse(untold);
            return None;
        }
    };
    let burst = anatomy.burst.as_ref().zip(anatomy.burst_lasts);
    let burst = burst.map(|(pace, full)| Burst { step: pace.parts, full, earn: anatomy.burst_earn });
    Some((Work { steps, step: anatomy.sustained.parts, burst }, Some(anatomy)))
}
