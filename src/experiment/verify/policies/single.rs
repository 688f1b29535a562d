//! Rows of one region: what a policy costs from one start of one trace.

use super::super::SuiteResult;
use super::super::optimum_policy::{Cell, least_usd};
use super::super::prices::{Own, Pair, own, shipped_pair};
use super::super::recorded::Recorded;
use super::super::shipped::Find;
use super::Compared;
use crate::analytic::{Prices, Stretch as PricedStretch, least_cost_bound};
use crate::policy::{Greedy, OnDemandOnly, Running, SpotOnly, Thresholds, TickJob, UniformProgress};
use crate::sim::{Stretch, TickRules, Ticked, ticks};
use crate::units::Span;
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Debug, Deserialize)]
pub struct Row {
    #[serde(flatten)]
    pub cell: Cell,
    pub strategy: String,
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
    let mut traces = Traces::new(beside);
    super::entry("policies", rows.iter().map(|row| (row.name(), traces.compared(row))))
}

impl Row {
    /// For people.
    fn name(&self) -> String {
        let Cell { trace, task_hours, deadline_hours, restart_overhead_h, start_offset_ticks } = &self.cell;
        let strategy = &self.strategy;
        format!("{trace} {strategy} {task_hours}/{deadline_hours} {restart_overhead_h} +{start_offset_ticks}")
    }

    /// Whether it has the constant prices of the published comparison.
    pub fn is_flat(&self) -> bool {
        self.price_model == "flat"
    }

    fn job(&self) -> TickJob {
        TickJob {
            tick_s: self.gap_seconds,
            task_s: self.cell.task_hours * 3_600.0,
            deadline_s: self.cell.deadline_hours * 3_600.0,
            overhead_s: self.cell.restart_overhead_h * 3_600.0,
        }
    }
}

/// A row as it is run here.
pub struct Ran {
    pub cost_usd: f64,
    /// `None` where that engine does not run it.
    ticked: Option<Ticked>,
}

/// Traces and their prices, each read once.
pub struct Traces<'a> {
    beside: Find<'a>,
    recorded: Recorded<'a>,
    prices: BTreeMap<String, Own>,
    flat: Option<Pair>,
}

impl<'a> Traces<'a> {
    /// None read yet; `beside` finds those that are not shipped.
    pub fn new(beside: Find<'a>) -> Self {
        Self { beside, recorded: Recorded::new(beside), prices: BTreeMap::new(), flat: shipped_pair("flat") }
    }

    fn compared(&mut self, row: &Row) -> Result<Compared, String> {
        let ran = self.run(row)?;
        let mut differs = ran.ticked.and_then(|ticked| differs(row, &ticked));
        let (bound_usd, _) = self.bound(row)?;
        if let Some(bound_usd) = bound_usd.filter(|bound| *bound > row.cost_usd + 1e-6) {
            differs = Some(format!("perfect foresight pays {bound_usd} USD, more than the row"));
        }
        Ok(Compared { error_usd: (ran.cost_usd - row.cost_usd).abs(), differs })
    }

    /// Runs a row.
    pub fn run(&mut self, row: &Row) -> Result<Ran, String> {
        super::check_length(&row.cell, row.gap_seconds)?;
        let (pair, by_tick) = self.prices_of(row)?;
        let job = row.job();
        if job.task_s + job.overhead_s > job.deadline_s {
            // That engine does not run what cannot be done in time: it names the cost of On-Demand alone.
            let cost_usd = pair.on_demand * (job.task_s + job.overhead_s) / 3_600.0;
            return Ok(Ran { cost_usd, ticked: None });
        }
        let in_ticks = self.recorded.of(&row.cell.trace)?;
        if in_ticks.tick != Span::from_secs_saturating(row.gap_seconds) {
            return Err(format!("the trace has ticks of {}", in_ticks.tick));
        }
        let (offset, own) =
            (row.cell.start_offset_ticks, self.prices.get(&row.cell.trace).filter(|_| by_tick));
        let spot = |tick: u64| {
            let (spot, until) = in_ticks.at(offset.saturating_add(tick));
            (spot, if until == u64::MAX { until } else { until - offset })
        };
        let mut hourly = 0.0;
        let ticked = run(&row.strategy, job, spot, |stretch| {
            hourly += match (stretch.running, own) {
                (Running::Nothing, _) => 0.0,
                (Running::OnDemand, _) => stretch.ticks as f64 * pair.on_demand,
                (Running::Spot, None) => stretch.ticks as f64 * pair.spot,
                // That engine bills each tick at the price of the tick after it.
                (Running::Spot, Some(own)) => (stretch.tick + 1..=stretch.tick + stretch.ticks)
                    .map(|after| own.at(offset + after).unwrap_or(pair.spot))
                    .sum(),
            };
        })?;
        match ticked.is_done {
            true => Ok(Ran { cost_usd: hourly * job.tick_s / 3_600.0, ticked: Some(ticked) }),
            false => Err("the deadline is missed".into()),
        }
    }

    /// The least that any schedule of a row costs, or less where prices move, and its On-Demand price, USD an hour.
    pub fn bound(&mut self, row: &Row) -> Result<(Option<f64>, f64), String> {
        let (Pair { spot, on_demand }, by_tick) = self.prices_of(row)?;
        let cell = &row.cell;
        if !by_tick {
            return Ok((least_usd(cell, Prices { spot, on_demand }, &mut self.recorded)?, on_demand));
        }
        let (in_ticks, own) = (self.recorded.of(&cell.trace)?, &self.prices[&cell.trace]);
        let (offset, tick) = (cell.start_offset_ticks, in_ticks.tick);
        let mut at = offset;
        let mut stretches = Vec::new();
        for (ticks, up) in in_ticks.window(offset, cell.ticks(tick)) {
            // Billed at the price of the tick after, as the row is.
            let of_tick = |tick| PricedStretch::paid(1, own.at(tick + 1).filter(|_| up));
            stretches.extend((at..at + ticks).map(of_tick));
            at += ticks;
        }
        let units = least_cost_bound(&stretches, cell.task(tick), on_demand);
        Ok((units.map(|units| units * tick.as_hours()), on_demand))
    }

    /// The constant prices of a row, and whether Spot costs the trace's own, tick by tick, instead.
    fn prices_of(&mut self, row: &Row) -> Result<(Pair, bool), String> {
        if row.is_flat() {
            return Ok((self.flat.ok_or("no flat prices")?, false));
        }
        let name = &row.cell.trace;
        if !self.prices.contains_key(name) {
            let tick = self.recorded.of(name)?.tick;
            self.prices.insert(name.clone(), own(name, tick, self.beside)?);
        }
        let own = &self.prices[name];
        let pair = own.pair.ok_or("the trace names no prices")?;
        match row.price_model.as_str() {
            "trace" => Ok((pair, false)),
            "per_tick" if own.at(0).is_some() => Ok((pair, true)),
            "per_tick" => Err("the trace has no prices".into()),
            other => Err(format!("price_model {other}")),
        }
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
