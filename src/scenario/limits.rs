//! `[limits]`: what ends a replication early.

use super::plan::{Limits, Market};
use super::problem::Problem;
use super::section::Section;

/// Reads `[limits]` of a cluster on `market`; `own` are the keys that the cluster's own table gives.
/// `max_wait` concerns Spot alone (docs/semantics.md, rule 18): On-Demand it is left out, and refused where
/// the cluster itself asks for it.
pub fn read_limits(mut s: Section<'_, '_>, market: Market, own: &[&str]) -> Option<Limits> {
    let max_run = s.limit("max_run");
    let wait_field = s.reader.field("max_wait");
    let max_wait = match market {
        Market::Spot => s.limit("max_wait"),
        Market::OnDemand => {
            if own.contains(&"max_wait") {
                wait_field
                    .refuse("`max_wait` is not used On-Demand", "there is no capacity to wait for; drop it");
            }
            None
        }
    };
    if let (Some(wait), Some(run)) = (max_wait, max_run)
        && wait < run
    {
        let run_place = s.reader.field("max_run").place();
        let title = format!("`max_wait = \"{wait}\"` is below `max_run = \"{run}\"`");
        let problem = Problem::error(title).at(wait_field.place(), "the wait includes the run");
        s.reader.report(problem.also_at(run_place, "").help("make `max_wait` at least as long as `max_run`"));
    }
    let max_restarts = s.count_limit("max_restarts");
    let attempts_without_progress = s.count_limit("attempts_without_progress");
    s.reader.finish();
    Some(Limits { max_run, max_wait, max_restarts, attempts_without_progress })
}
