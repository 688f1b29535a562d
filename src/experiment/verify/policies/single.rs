//! Rows of one region: what a policy costs from one start of one trace.

use super::super::SuiteResult;
use super::super::shipped::Find;
use super::Compared;
use super::worlds::{Pair, World, Worlds, shipped_pair};
use crate::analytic::{Task, least_cost};
use crate::policy::{Greedy, OnDemandOnly, Running, SpotOnly, Thresholds, TickJob, UniformProgress};
use crate::sim::{Stretch, TickRules, Ticked, ticks};
use crate::units::Span;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
pub struct Row {
    trace: String,
    strategy: String,
    task_hours: f64,
    deadline_hours: f64,
    restart_overhead_h: f64,
    start_offset_ticks: usize,
    cost_usd: f64,
    finished_h: Option<f64>,
    spot_h: Option<f64>,
    on_demand_h: Option<f64>,
    preemptions: Option<u64>,
    price_model: String,
    gap_seconds: f64,
}

/// Hours have six decimals.
const TOLERANCE_H: f64 = 1e-6;

/// Entry `policies`.
pub fn entry(rows: &[Row], beside: Find<'_>) -> SuiteResult {
    let mut worlds = Worlds::new(beside);
    super::entry(
        "policies",
        rows.iter().map(|row| {
            let Row {
                trace,
                strategy,
                task_hours,
                deadline_hours,
                restart_overhead_h,
                start_offset_ticks,
                ..
            } = row;
            let name = format!(
                "{trace} {strategy} {task_hours}/{deadline_hours} {restart_overhead_h} +{start_offset_ticks}"
            );
            (name, compared(row, &mut worlds))
        }),
    )
}

impl Row {
    /// Whether it has the constant prices of the published comparison.
    pub fn is_flat(&self) -> bool {
        self.price_model == "flat"
    }

    /// What cells are told apart by.
    pub fn start(&self) -> (String, usize, u64, u64) {
        let Self { trace, start_offset_ticks, restart_overhead_h, deadline_hours, .. } = self;
        (trace.clone(), *start_offset_ticks, restart_overhead_h.to_bits(), deadline_hours.to_bits())
    }

    fn job(&self) -> TickJob {
        TickJob {
            tick_s: self.gap_seconds,
            task_s: self.task_hours * 3_600.0,
            deadline_s: self.deadline_hours * 3_600.0,
            overhead_s: self.restart_overhead_h * 3_600.0,
        }
    }
}

fn compared(row: &Row, worlds: &mut Worlds<'_>) -> Result<Compared, String> {
    let ran = ran(row, worlds)?;
    let differs = ran.ticked.and_then(|ticked| differs(row, &ticked));
    Ok(Compared { error_usd: (ran.cost_usd - row.cost_usd).abs(), differs })
}

/// A row as it is run here.
pub struct Ran {
    pub cost_usd: f64,
    /// `None` where that engine does not run it.
    ticked: Option<Ticked>,
}

/// Runs a row.
pub fn ran(row: &Row, worlds: &mut Worlds<'_>) -> Result<Ran, String> {
    super::check_length(row.task_hours, row.deadline_hours, row.restart_overhead_h, row.gap_seconds)?;
    let world = worlds.of(&row.trace, row.gap_seconds)?;
    let prices = Prices::of(row, &world)?;
    let job = row.job();
    if job.task_s + job.overhead_s > job.deadline_s {
        // That engine does not run what cannot be done in time: it names the cost of On-Demand alone.
        let cost_usd = prices.pair.on_demand * (job.task_s + job.overhead_s) / 3_600.0;
        return Ok(Ran { cost_usd, ticked: None });
    }
    let spot = |tick: u64| world.from(row.start_offset_ticks, tick);
    let mut hourly = 0.0;
    let ticked = run(&row.strategy, job, spot, |stretch| {
        hourly += match stretch.running {
            Running::Nothing => 0.0,
            Running::OnDemand => stretch.ticks as f64 * prices.pair.on_demand,
            Running::Spot if prices.by_tick.is_empty() => stretch.ticks as f64 * prices.pair.spot,
            // That engine bills each tick at the price of the tick after it.
            Running::Spot => (stretch.tick + 1..=stretch.tick + stretch.ticks)
                .map(|after| at(prices.by_tick, row.start_offset_ticks, after).unwrap_or(prices.pair.spot))
                .sum(),
        };
    })?;
    match ticked.is_done {
        true => Ok(Ran { cost_usd: hourly * job.tick_s / 3_600.0, ticked: Some(ticked) }),
        false => Err("the deadline is missed".into()),
    }
}

/// The least that any schedule of a row with constant prices costs, and its On-Demand price, USD an hour.
pub fn bound(row: &Row, worlds: &mut Worlds<'_>) -> Result<(Option<f64>, f64), String> {
    let world = worlds.of(&row.trace, row.gap_seconds)?;
    let pair = Prices::of(row, &world)?.pair;
    let ms = |s: f64| (s * 1_000.0).round() as u64;
    let job = row.job();
    let task = Task { work: ms(job.task_s), overhead: ms(job.overhead_s), unit: ms(job.tick_s) };
    let runs = world.window(row.start_offset_ticks, (job.deadline_s / job.tick_s) as u64);
    let optimum = least_cost(&runs, task, crate::analytic::Prices { spot: pair.spot, on_demand: pair.on_demand });
    let hours = job.tick_s / 3_600.0;
    Ok((optimum.map(|optimum| optimum.cost(pair.spot, pair.on_demand) * hours), pair.on_demand))
}

fn at<T: Copy>(ticks: &[T], offset: usize, tick: u64) -> Option<T> {
    ticks.get(usize::try_from(tick).ok()?.checked_add(offset)?).copied()
}

/// What a row pays.
struct Prices<'a> {
    pair: Pair,
    /// Spot's, in place of the constant; empty without.
    by_tick: &'a [f64],
}

impl<'a> Prices<'a> {
    fn of(row: &Row, world: &'a World) -> Result<Self, String> {
        let own = || world.pair.ok_or("the trace names no prices");
        Ok(match row.price_model.as_str() {
            "flat" => Self { pair: shipped_pair("flat").ok_or("no flat prices")?, by_tick: &[] },
            "trace" => Self { pair: own()?, by_tick: &[] },
            "per_tick" if !world.prices.is_empty() => Self { pair: own()?, by_tick: &world.prices },
            "per_tick" => return Err("the trace has no prices".into()),
            other => return Err(format!("price_model {other}")),
        })
    }
}

/// Runs the policy that the rows call `strategy`; `see` is told what is billed.
fn run(
    strategy: &str,
    job: TickJob,
    spot: impl FnMut(u64) -> (bool, u64),
    see: impl FnMut(&Stretch),
) -> Result<Ticked, String> {
    let rules = TickRules { job, engine_net: true, ticks_max: (job.deadline_s / job.tick_s) as u64 + 1 };
    let deadline = Span::from_secs_saturating(job.deadline_s);
    let thresholds = |keep_on_demand| Thresholds { deadline, keep_on_demand, dwell: Span::ZERO };
    Ok(match strategy {
        "on_demand" => ticks(&rules, &mut OnDemandOnly, spot, see),
        "only_spot" => ticks(&rules, &mut SpotOnly, spot, see),
        "strawman" => ticks(&rules, &mut Greedy { deadline }, spot, see),
        "rc_threshold" => ticks(&rules, &mut thresholds(false), spot, see),
        "rc_threshold_keep" => ticks(&rules, &mut thresholds(true), spot, see),
        "rc_cr_threshold" => ticks(&rules, &mut UniformProgress { deadline, ahead: 2.0 }, spot, see),
        "rc_1cr_threshold" => ticks(&rules, &mut UniformProgress { deadline, ahead: 1.0 }, spot, see),
        other => return Err(format!("no policy for the strategy {other}")),
    })
}

fn differs(row: &Row, ran: &Ticked) -> Option<String> {
    let hours = |ticks: u64| ticks as f64 * row.gap_seconds / 3_600.0;
    let figures = [
        ("finished_h", hours(ran.ticks), row.finished_h),
        ("spot_h", hours(ran.spot_ticks), row.spot_h),
        ("on_demand_h", hours(ran.on_demand_ticks), row.on_demand_h),
        ("preemptions", ran.preemptions as f64, row.preemptions.map(|count| count as f64)),
    ];
    let wrong = figures
        .into_iter()
        .find(|(_, ours, right)| right.is_some_and(|right| (ours - right).abs() > TOLERANCE_H));
    wrong.map(|(name, ours, right)| format!("{name} {ours} instead of {}", right.unwrap_or(f64::NAN)))
}
