//! `[simulation] until`: replications until a result is known well enough.

use super::cluster::Cluster;
use super::echo::{Echo, quoted};
use super::field::Field;
use super::plan::Market;
use super::problem::Problem;
use super::range::above;
use super::reader::nearest;
use std::ops::Bound;

/// Results that have a confidence interval and are known while a run goes on, by their names in the JSON.
pub const RESULTS: [&str; 18] = [
    "finish_probability",
    "deadline_probability",
    "makespan_h_mean",
    "cost_usd_mean",
    "cost_per_finished_usd",
    "cost_usd_per_msample",
    "savings_vs_on_demand",
    "savings_vs_baseline",
    "saved_usd",
    "cheaper_probability",
    "longer_h",
    "preemptions_mean",
    "failures_mean",
    "nodes_lost_mean",
    "attempts_mean",
    "restarts_mean",
    "goodput",
    "ettr",
];

/// Replications before the first look. Costs are skewed: with fewer, a spread that is too small by chance
/// would end a run early and with a mean that is too small with it (docs/until-coverage.txt).
const LEAST: u64 = 1_024;
/// Looks fall on whole batches of this many replications, the chunks in which they are simulated.
const BATCH: u64 = 256;

/// A rule that ends a run when a result is known to `relative` of its value, or to `absolute`.
#[derive(Debug, Clone, PartialEq)]
pub struct Until {
    /// The result, one of [`RESULTS`].
    pub result: String,
    /// Most half-width of its interval as a share of its value, above 0.
    pub relative: Option<f64>,
    /// Most half-width of its interval in its own unit, above 0.
    pub absolute: Option<f64>,
    /// Two-sided confidence of that interval, in (0, 1).
    pub confidence: f64,
    /// The only cluster that is looked at; else every one that is simulated and has such a result.
    pub cluster: Option<String>,
    /// Replications before the first look, at least.
    pub least: u64,
}

impl Until {
    /// Replications at the first look, of `cap` at most. The sizes at which anybody looks depend on
    /// nothing but the rule, so neither threads nor shards can move where a run stops.
    pub fn first_look(&self, cap: u64) -> u64 {
        self.least.div_ceil(BATCH).saturating_mul(BATCH).min(cap)
    }

    /// Replications at the look after that at `n`, of `cap` at most: twice as many. Few looks keep the
    /// chance small that one of them is fooled.
    pub fn next_look(&self, n: u64, cap: u64) -> u64 {
        n.saturating_mul(2).min(cap)
    }
}

/// Reads the rule, and gives the field of its `cluster` to check when the clusters are known; `least` is
/// `[simulation] replications_min`.
pub(super) fn read_until<'a>(
    field: &Field<'a>,
    least: Option<u64>,
    top: &mut Echo,
) -> Option<(Until, Field<'a>)> {
    let mut reader = field.table()?;
    let result = read_result(&reader.required("result", "result = \"cost_per_finished_usd\""));
    let (relative, absolute) = (reader.field("relative"), reader.field("absolute"));
    if !relative.is_given() && !absolute.is_given() {
        reader
            .refuse("`until` needs a precision", "add `relative = 0.01`, or `absolute` in the result's unit");
    }
    let share = relative.number(above(0.0));
    let width = absolute.number(above(0.0));
    let level = (Bound::Excluded(0.0), Bound::Excluded(1.0));
    let confidence = reader.field("confidence").number(level).unwrap_or(0.95);
    let of_cluster = reader.field("cluster");
    let cluster = of_cluster.text().map(str::to_owned);
    reader.finish();
    let until = Until {
        result: result?,
        relative: share,
        absolute: width,
        confidence,
        cluster,
        least: least.unwrap_or(LEAST),
    };
    top.set("simulation", "until", until.to_toml(), "");
    top.set("simulation", "replications_min", until.least.to_string(), "");
    Some((until, of_cluster))
}

fn read_result(field: &Field<'_>) -> Option<String> {
    let name = field.text()?;
    if RESULTS.contains(&name) {
        return Some(name.to_owned());
    }
    // Most results are means, and who leaves that out means them.
    let mean = format!("{name}_mean");
    let near = RESULTS.iter().find(|known| **known == mean).copied().or_else(|| nearest(name, RESULTS));
    let label = near.map_or(String::new(), |near| format!("did you mean \"{near}\"?"));
    let problem = Problem::error(format!("`result = \"{name}\"`: no result with an interval"));
    field.report(problem.at(field.place(), label).note(format!("accepted: {}", RESULTS.join(", "))));
    None
}

/// Reports a rule that no cluster can ever meet; `of_cluster` is its `cluster` as written.
pub(super) fn check_until(until: &Until, of_cluster: &Field<'_>, clusters: &[Cluster]) {
    let names: Vec<&str> = clusters.iter().map(|cluster| cluster.name.as_str()).collect();
    if of_cluster.is_given() && of_cluster.name_among("cluster", &names).is_none() {
        return;
    }
    let baseline = clusters.iter().position(|cluster| cluster.market == Market::OnDemand);
    let asked = |cluster: &Cluster| until.cluster.as_ref().is_none_or(|name| *name == cluster.name);
    let mut asked = clusters.iter().enumerate().filter(|(_, cluster)| asked(cluster));
    let name = &until.result;
    let why = match name.as_str() {
        "savings_vs_baseline" | "saved_usd" | "cheaper_probability" | "longer_h" => {
            let has = asked.any(|(index, _)| baseline.is_some_and(|baseline| baseline != index));
            (!has).then_some("is against the On-Demand cluster, and there is no other or none")
        }
        "deadline_probability" => {
            let has = asked.any(|(_, cluster)| cluster.plan.deadline.is_some());
            (!has).then_some("needs a deadline, and no cluster has a deadline")
        }
        "cost_usd_per_msample" => {
            let has = asked.any(|(_, cluster)| cluster.step.is_some() && cluster.job.global_batch.is_some());
            (!has).then_some("needs a model, and no cluster has one")
        }
        _ => None,
    };
    if let Some(why) = why {
        of_cluster.refuse(format!("`until`: {name} {why}"), "");
    }
}

impl Until {
    fn to_toml(&self) -> String {
        let mut parts = vec![format!("result = {}", quoted(&self.result))];
        parts.extend(self.relative.map(|share| format!("relative = {share}")));
        parts.extend(self.absolute.map(|width| format!("absolute = {width}")));
        parts.push(format!("confidence = {}", self.confidence));
        parts.extend(self.cluster.as_ref().map(|name| format!("cluster = {}", quoted(name))));
        format!("{{ {} }}", parts.join(", "))
    }
}
