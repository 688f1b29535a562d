//! Costs of jobs in several regions against those that SkyNomad's artifact (NSDI 2027) ships.

mod given;
mod recorded;

use super::regions::{Job, Move, Region, Strategy, World, move_about, stay_home};
use super::{Find, SuiteResult, VerifyError, rows};
use crate::facts::{Catalogue, Regions};
use crate::records::region;
use given::{Row, Who};
use rayon::prelude::*;
use recorded::Zones;

/// Columns without which a file is not this suite's: the artifact's own.
pub(super) const ARTIFACT_COLUMNS: [&str; 5] =
    ["regions_in_scenario", "strategy", "env_start_hours", "data_paths", "cost"];
/// As the built-in rows have them.
pub(super) const COLUMNS: [&str; 5] = ["trace", "in", "strategy", "start_h", "cost_usd"];

/// Largest error of rows whose prices are known exactly, USD.
const TOLERANCE: f64 = 1e-6;
/// Of rows whose price series the artifact rebuilt, not to the bit, after it made the costs, USD.
const REBUILT_TOLERANCE: f64 = 1e-3;

/// Rows with more hours, or gigabytes, are skipped.
const MOST_H: f64 = 10_000.0;
/// Ticks to the deadline beyond which no optimum is looked for.
const MOST_TICKS: f64 = 5_000.0;

/// What a probe is billed for, seconds.
const PROBE_S: f64 = 60.0;
/// The artifact counts a gigabyte as so many megabits, and a gigabit as a thousand.
const MEGABITS: f64 = 8.0 * 1_024.0;

/// A row's worlds, one for each start, with what is to be done and by whom.
#[derive(Debug)]
struct Case<'a> {
    row: &'a Row,
    starts: Vec<World>,
    job: Job,
    rebuilt: bool,
}

/// Entries `policies/multi-region` and `policies/multi-region-rebuilt`; `data` replaces the built-in rows.
pub(super) fn multi_region(data: Option<&str>, beside: Find<'_>) -> Result<Vec<SuiteResult>, VerifyError> {
    Ok(compared(given::read(data)?, beside))
}

fn compared(given: Vec<Row>, beside: Find<'_>) -> Vec<SuiteResult> {
    let mut recorded = Zones::new(beside);
    let cases = given.iter().map(|row| case(row, &mut recorded));
    let (cases, skipped) = rows::covered(cases);
    let costs: Vec<Option<f64>> = cases.par_iter().map(cost).collect();
    let of = |rebuilt: bool| {
        let found = cases.iter().zip(&costs).filter(|(case, _)| case.rebuilt == rebuilt);
        found.map(|(case, ours)| (case.row, *ours)).collect::<Vec<_>>()
    };
    let (exact, rebuilt) = (of(false), of(true));
    let mut entries = vec![entry("policies/multi-region", TOLERANCE, &exact, skipped)];
    if !rebuilt.is_empty() {
        let mut other = entry("policies/multi-region-rebuilt", REBUILT_TOLERANCE, &rebuilt, Vec::new());
        other.notes.push("prices by tick were rebuilt by their authors after the costs were made".to_owned());
        if exact.is_empty() {
            other.skipped = entries.remove(0).skipped;
        }
        entries.push(other);
    }
    entries
}

fn entry(
    suite: &'static str,
    tolerance: f64,
    compared: &[(&Row, Option<f64>)],
    skipped: Vec<(String, usize)>,
) -> SuiteResult {
    let error = |(row, ours): &(&Row, Option<f64>)| ours.map_or(f64::INFINITY, |usd| (usd - row.usd).abs());
    let worst = compared.iter().max_by(|a, b| error(a).total_cmp(&error(b)));
    let off: Vec<_> = compared.iter().filter(|one| error(one) > tolerance).collect();
    let stand_for: usize = compared.iter().map(|(row, _)| row.stands_for).sum();
    let mut notes = vec![format!("the rows stand for {stand_for} of the artifact")];
    notes.extend(worst.map(|one| format!("furthest off: {}, {:.1e} USD", one.0.name, error(one))));
    notes.extend(off.iter().take(5).map(|(row, ours)| {
        let ours = ours.map_or("no end".to_owned(), |usd| format!("{usd:.6}"));
        format!("{}: {:.6} wanted, {ours} found", row.name, row.usd)
    }));
    SuiteResult {
        suite,
        rows: compared.len(),
        skipped,
        metric: "largest error, USD",
        value: worst.map_or(f64::INFINITY, error),
        tolerance,
        missed: Vec::new(),
        notes,
    }
}

fn case<'a>(row: &'a Row, recorded: &mut Zones<'_>) -> Result<Case<'a>, String> {
    if let Who::Unknown(name) = &row.who {
        return Err(format!("{name}: its lifetime models are not built"));
    }
    let is_time = |hours: f64| (0.0..=MOST_H).contains(&hours);
    let times = [row.task_h, row.deadline_h, row.overhead_h, row.save_gb];
    if row.zones.is_empty() || !times.iter().chain(&row.starts_h).all(|hours| is_time(*hours)) {
        return Err("no regions, or times that cannot be".to_owned());
    }
    let job = Job {
        task_s: row.task_h * 3_600.0,
        deadline_s: row.deadline_h * 3_600.0,
        overhead_s: row.overhead_h * 3_600.0,
    };
    let mut starts = Vec::new();
    let mut rebuilt = false;
    for &start_h in &row.starts_h {
        let mut regions: Vec<Region> = Vec::new();
        let mut tick_s = 0.0;
        for zone in &row.zones {
            let zone_there = recorded.zone(&row.trace, zone)?;
            if !regions.is_empty() && tick_s != zone_there.tick_s() {
                return Err("regions of different ticks".to_owned());
            }
            tick_s = zone_there.tick_s();
            rebuilt |= zone_there.is_rebuilt();
            let group = row.zones.iter().position(|other| region(other) == region(zone)).unwrap_or(0);
            regions.push(zone_there.from(start_h, row.deadline_h, group));
        }
        if row.who == Who::Moving(Strategy::Optimum) && job.deadline_s > MOST_TICKS * tick_s {
            return Err("the optimum over so many ticks takes too long".to_owned());
        }
        let moves = moves(Catalogue::builtin().regions(), &row.zones, row.save_gb);
        starts.push(World { tick_s, regions, moves, moves_take_time: false, probe_s: PROBE_S });
    }
    Ok(Case { row, starts, job, rebuilt })
}

/// What moving `save_gb` takes between all pairs of zones, beyond what a start in the same region takes anyway.
fn moves(facts: &Regions, zones: &[String], save_gb: f64) -> Vec<Vec<Move>> {
    let one = |from: &String, to: &String| {
        let (from, to) = (region(from), region(to));
        let secs = |from, to| save_gb * MEGABITS / (facts.speed(from, to).bytes_per_s() * 8e-6);
        let usd = facts.price(from, to).map_or(0.0, |price| price.cost(1_000_000_000).as_usd() * save_gb);
        Move { extra_s: (secs(from, to) - secs(to, to)).max(0.0), usd }
    };
    zones.iter().map(|from| zones.iter().map(|to| one(from, to)).collect()).collect()
}

/// What the row costs here; `None` where a deadline is missed.
fn cost(case: &Case<'_>) -> Option<f64> {
    let alone = |zone: usize| {
        let costs = case.starts.iter().map(|world| home(&world.regions[zone], world.tick_s, &case.job));
        costs.sum::<Option<f64>>().map(|sum| sum / case.starts.len() as f64)
    };
    let each = || (0..case.row.zones.len()).map(alone);
    match case.row.who {
        Who::Home => alone(0),
        Who::Best => each().try_fold(f64::INFINITY, |least, usd| Some(usd?.min(least))),
        Who::Average => each().sum::<Option<f64>>().map(|sum| sum / case.row.zones.len() as f64),
        Who::Moving(strategy) => moving(&case.starts[0], &case.job, strategy),
        Who::Unknown(_) => None,
    }
}

/// What On-Demand from the first to the last second costs where not even that meets the deadline.
fn hopeless(regions: &[Region], job: &Job) -> Option<f64> {
    let needed_h = job.task_s / 3_600.0 + job.overhead_s / 3_600.0;
    let cheapest = regions.iter().map(|region| region.on_demand_usd_per_h).fold(f64::INFINITY, f64::min);
    (needed_h > job.deadline_s / 3_600.0).then_some(cheapest * needed_h)
}

fn home(region: &Region, tick_s: f64, job: &Job) -> Option<f64> {
    hopeless(std::slice::from_ref(region), job).or_else(|| stay_home(region, tick_s, job))
}

/// The artifact reads its costs before the last tick is billed.
fn moving(world: &World, job: &Job, strategy: Strategy) -> Option<f64> {
    hopeless(&world.regions, job)
        .or_else(|| move_about(world, job, strategy).map(|moved| moved.usd - moved.last_tick_usd))
}

#[cfg(test)]
mod tests;
