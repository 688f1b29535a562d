//! Rows of costs, in the artifact's columns or the project's own.

use super::super::regions::Strategy;
use super::super::{VerifyError, rows};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Re-encoded from the artifact, 2026-12-02; explained in the file.
const ROWS: &str = include_str!("../../../../data/verify/multi_region.csv");
/// What their `in` stands for.
const LISTS: &str = include_str!("../../../../data/verify/region_lists.csv");

/// The artifact's name of the recordings in a folder, and ours.
const SETS: [(&str, &str); 2] = [
    ("converted_multi_region_aligned_h100_16_merged", "gcp-2025-10-04-h100"),
    ("converted_multi_region_aligned", "aws-2023-02-15-v100"),
];

/// What a row's cost is of.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Who {
    /// Uniform Progress in one zone.
    Home,
    /// The cheapest zone for it, over all starts.
    Best,
    /// The mean over zones.
    Average,
    /// A strategy over all zones.
    Moving(Strategy),
    /// Nothing of ours.
    Unknown(String),
}

/// One cost.
#[derive(Debug, Clone)]
pub(super) struct Row {
    /// For people.
    pub name: String,
    pub trace: String,
    pub zones: Vec<String>,
    pub who: Who,
    pub task_h: f64,
    pub deadline_h: f64,
    pub overhead_h: f64,
    pub save_gb: f64,
    pub starts_h: Vec<f64>,
    pub usd: f64,
    /// Rows of the artifact.
    pub stands_for: usize,
}

impl Who {
    fn of(strategy: &str, mode: &str, alone: bool) -> Self {
        match (strategy, mode) {
            (_, "best_single") | ("best_single", _) => Self::Best,
            (_, "average_single") | ("average_single", _) => Self::Average,
            ("rc_cr_threshold", _) if alone => Self::Home,
            ("multi_region_rc_cr_threshold_eager_failover", _) => Self::Moving(Strategy::Failover),
            ("multi_region_availability_probe_simple", _) => Self::Moving(Strategy::Probing),
            ("multi_region_probe_cost_ratio", _) => Self::Moving(Strategy::Score),
            ("multi_region_oracle_dp", _) => Self::Moving(Strategy::Optimum),
            _ => Self::Unknown(strategy.to_owned()),
        }
    }
}

#[derive(Debug, Deserialize)]
struct Own {
    trace: String,
    #[serde(rename = "in")]
    place: String,
    strategy: String,
    task_h: f64,
    deadline_h: f64,
    overhead_h: f64,
    save_gb: Option<f64>,
    start_h: String,
    cost_usd: f64,
    rows: usize,
}

#[derive(Debug, Deserialize)]
struct List {
    list: String,
    zones: String,
}

/// The columns of the artifact that matter.
#[derive(Debug, Deserialize)]
struct Theirs {
    scenario_name: String,
    regions_in_scenario: String,
    strategy: String,
    task_type: String,
    trace_mode: String,
    region: String,
    task_duration: f64,
    checkpoint_size: f64,
    restart_overhead: f64,
    deadline_hours: f64,
    env_start_hours: f64,
    data_paths: String,
    cost: Option<f64>,
}

/// The built-in rows, or those of a file in either form.
pub(super) fn read(data: Option<&str>) -> Result<Vec<Row>, VerifyError> {
    let text = data.unwrap_or(ROWS);
    let is_own = rows::missing(&rows::header(text)?, &super::COLUMNS).is_empty();
    if is_own { own(text) } else { theirs(text) }
}

fn own(text: &str) -> Result<Vec<Row>, VerifyError> {
    let lists: Vec<List> = rows::read(LISTS)?;
    let lists: BTreeMap<&str, &str> =
        lists.iter().map(|list| (list.list.as_str(), list.zones.as_str())).collect();
    let given: Vec<Own> = rows::read(text)?;
    let row = |row: Own| {
        let zones = lists.get(row.place.as_str()).copied();
        let starts: Result<Vec<f64>, _> = row.start_h.split_whitespace().map(str::parse).collect();
        let name = format!(
            "{} in {}, {:.2} of {:.2} h, {} GB, from {:.2} h",
            row.strategy,
            row.place,
            row.task_h,
            row.deadline_h,
            row.save_gb.unwrap_or(0.0),
            starts.as_ref().ok().and_then(|starts| starts.first().copied()).unwrap_or(f64::NAN)
        );
        let starts_h = starts.ok().filter(|starts| !starts.is_empty());
        Ok(Row {
            starts_h: starts_h.ok_or_else(|| VerifyError::Row(format!("{name}: `start_h` is not hours")))?,
            who: Who::of(&row.strategy, "", zones.is_none()),
            zones: zones.unwrap_or(&row.place).split_whitespace().map(str::to_owned).collect(),
            name,
            trace: row.trace,
            task_h: row.task_h,
            deadline_h: row.deadline_h,
            overhead_h: row.overhead_h,
            save_gb: row.save_gb.unwrap_or(0.0),
            usd: row.cost_usd,
            stands_for: row.rows,
        })
    };
    given.into_iter().map(row).collect()
}

/// `['a', 'b']` as Python writes it.
fn list(text: &str) -> Vec<&str> {
    let inner = text.trim().trim_start_matches('[').trim_end_matches(']');
    let items = inner.split(',').map(|item| item.trim().trim_matches(['\'', '"']));
    items.filter(|item| !item.is_empty()).collect()
}

/// `us-east-1c` of `us-east-1c_v100_1`.
fn zone(name: &str) -> String {
    name.split('_').next().unwrap_or(name).to_owned()
}

fn set(paths: &str) -> String {
    let path = list(paths).first().copied().unwrap_or_default();
    let folder = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    SETS.iter().find(|(theirs, _)| *theirs == folder).map_or(folder, |(_, ours)| ours).to_owned()
}

impl Theirs {
    /// Rows over whose starts a mean goes.
    fn group(&self) -> (String, u64, u64, u64) {
        let bits = |hours: f64| hours.to_bits();
        let Self { task_duration, deadline_hours, restart_overhead, .. } = *self;
        (self.scenario_name.clone(), bits(task_duration), bits(deadline_hours), bits(restart_overhead))
    }
}

fn theirs(text: &str) -> Result<Vec<Row>, VerifyError> {
    let given: Vec<Theirs> = rows::read(text)?;
    let mut starts: BTreeMap<_, Vec<f64>> = BTreeMap::new();
    for row in given.iter().filter(|row| row.task_type == "single_region") {
        let starts = starts.entry(row.group()).or_default();
        if !starts.contains(&row.env_start_hours) {
            starts.push(row.env_start_hours);
        }
    }
    let row = |(number, row): (usize, &Theirs)| {
        let mode = if row.trace_mode.is_empty() { &row.region } else { &row.trace_mode };
        let name = format!("row {}, {} {mode}", number + 1, row.strategy);
        let usd = row.cost.ok_or_else(|| VerifyError::Row(format!("{}: no cost", number + 1)))?;
        let alone = row.task_type == "single_region";
        let zones = if alone {
            vec![zone(&row.region)]
        } else {
            list(&row.regions_in_scenario).into_iter().map(zone).collect()
        };
        let who = Who::of(&row.strategy, &row.trace_mode, alone);
        let starts_h = match who {
            Who::Best | Who::Average => starts.get(&row.group()).cloned(),
            _ => None,
        };
        Ok(Row {
            name,
            trace: set(&row.data_paths),
            zones,
            who,
            task_h: row.task_duration,
            deadline_h: row.deadline_hours,
            overhead_h: row.restart_overhead,
            save_gb: row.checkpoint_size,
            starts_h: starts_h.unwrap_or_else(|| vec![row.env_start_hours]),
            usd,
            stands_for: 1,
        })
    };
    given.iter().enumerate().map(row).collect()
}
