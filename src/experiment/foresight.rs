//! What perfect foresight would have paid in the same worlds.
//!
//! A pass of its own after the simulation, over the first worlds only, so that replications cost nothing more.

use super::CONFIDENCE;
use super::chunk::Replicated;
use crate::analytic::{Prices, Stretch, Task, least_cost, least_cost_bound};
use crate::capacity::Law;
use crate::pricing::{PriceWalk, Taken, Tariff};
use crate::rng::Streams;
use crate::scenario::cluster::Cluster;
use crate::scenario::load::Scenario;
use crate::scenario::plan::{Capacity, Market, Plan, TickMode};
use crate::sim::Supply;
use crate::stats::{Interval, Moments, PairMoments};
use crate::units::{Price, SimTime, Span};
use rayon::ThreadPool;
use rayon::prelude::*;

/// Worlds for which the bound is computed: the interval of a mean of a thousand is narrow enough for a percentage.
pub const WORLDS_MAX: u64 = 1_000;
/// A world with more changes of capacity or price than this has no bound.
const CHANGES_MAX: usize = 100_000;
/// With more runs than this the Lagrangian bound stands for the exact search, which may take ever longer; with so many the two
/// are near each other.
const RUNS_MAX: usize = 100;
const HOUR: Span = Span::from_s(3_600);
const NS_PER_H: f64 = 3.6e12;
const MICRO: f64 = 1e6;

/// A bound beside what was paid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Foresight {
    /// Worlds that it is of.
    pub worlds: u64,
    /// Mean over worlds of what any run by the deadline pays at least for its instances.
    pub bound_usd: Interval,
    /// How much more was paid in the worlds in which the deadline was met, as a share of their bounds.
    pub above_bound: Option<Interval>,
    /// Whether stays that are taken back young are free. Who knows the future then lives on such stays, so the bound says little of
    /// what a policy could do.
    pub free_stays: bool,
}

/// The bounds of all clusters; `None` for one without a bound, or that was not simulated.
pub fn foresight(
    scenario: &Scenario,
    replicated: &[Replicated],
    pool: &ThreadPool,
) -> Vec<Option<Foresight>> {
    let of = |(cluster, replicated)| of_cluster(cluster, scenario.seed, replicated);
    pool.install(|| scenario.clusters.iter().zip(replicated).map(of).collect())
}

fn of_cluster(cluster: &Cluster, seed: u64, replicated: &Replicated) -> Option<Foresight> {
    let plan = &cluster.plan;
    let worlds = replicated.tally.replications.min(WORLDS_MAX);
    let deadline =
        plan.deadline.filter(|_| cluster.market == Market::Spot && has_bound(plan) && worlds > 0)?;
    let streams = Streams::new(seed);
    let bounds: Option<Vec<f64>> =
        (0..worlds).into_par_iter().map(|world| bound_usd(plan, deadline, &streams, world)).collect();
    let bounds = bounds?;
    let micro = |usd: f64| (usd * MICRO).round() as i64;
    let (mut all, mut paid) = (Moments::default(), PairMoments::default());
    for (bound, run) in bounds.iter().zip(&replicated.runs) {
        all.push(micro(*bound));
        if run.finished && run.elapsed_h <= deadline.as_hours() {
            paid.push(micro(run.cost_usd), micro(*bound));
        }
    }
    let exactly = |value| Interval { value, low: value, high: value };
    let usd = |of: Interval| Interval { value: of.value / MICRO, low: of.low / MICRO, high: of.high / MICRO };
    let ratio = paid.ratio_interval(CONFIDENCE).or_else(|| paid.ratio().map(exactly));
    Some(Foresight {
        worlds,
        bound_usd: usd(all.mean_interval(CONFIDENCE).or_else(|| all.mean().map(exactly))?),
        free_stays: plan.zones().any(|(_, spot)| !free_tail(spot).is_zero()),
        above_bound: ratio.map(|r| Interval { value: r.value - 1.0, low: r.low - 1.0, high: r.high - 1.0 }),
    })
}

/// Whether Spot is lost by the path of its zones alone, and a gang has one size: else foresight of more than the path
/// would be needed.
pub fn has_bound(plan: &Plan) -> bool {
    let by_path = |capacity: &Capacity| {
        capacity.lifetime.is_none() && capacity.shocks.is_empty() && capacity.losses.is_empty()
    };
    let at_hour = |tariff: &Tariff| tariff.changing.as_ref().is_some_and(|c| c.taken == Taken::HourStart);
    plan.elastic.is_none()
        && plan.machines().next().is_none()
        && plan.spares.is_none()
        && plan.on_demand_nodes == 0
        && plan.failures.is_none()
        && plan.on_demand.changing.is_none()
        && plan.zones().all(|(capacity, spot)| by_path(capacity) && !at_hour(spot))
}

/// What any run of `plan` pays at least for its instances if it meets the deadline in this world; `None` where none can.
///
/// Each attempt needs its start and, but for the first, the newest save, all of it billed, at the shortest that the laws
/// allow; the work is its steps at their fastest, without saves. What else takes time or money only adds.
pub fn bound_usd(plan: &Plan, deadline: Span, streams: &Streams, world: u64) -> Option<f64> {
    if let Some(mode) = &plan.tick {
        return in_ticks(plan, mode, deadline, streams, world);
    }
    let task = task(plan);
    let window = deadline.ns();
    let zones: Option<Vec<Zone>> = plan
        .zones()
        .map(|(capacity, spot)| {
            let mut prices = PriceWalk::default();
            let supply = Supply::begin(capacity, spot, plan.max_price, streams, world, &mut prices);
            Zone::of(supply, &mut prices, spot, plan.nodes, window)
        })
        .collect();
    let stretches = union(&zones?, window);
    let on_demand = plan.on_demand.price.as_usd_per_hour();
    let hours = least_hours(&stretches, task, on_demand)?;
    Some(hours / NS_PER_H * f64::from(plan.nodes))
}

/// The same in tick mode: what is seen at the begin of a tick holds for all of it, at the lowest price within.
fn in_ticks(plan: &Plan, mode: &TickMode, deadline: Span, streams: &Streams, world: u64) -> Option<f64> {
    let (tariff, tick) = (&plan.spot, mode.tick);
    if !free_tail(tariff).is_zero() {
        return None;
    }
    let mut prices = PriceWalk::default();
    let mut supply = Supply::begin(&plan.capacity, tariff, plan.max_price, streams, world, &mut prices);
    let ticks = deadline.ns() / tick.ns();
    let mut stretches = Vec::new();
    let mut at = 0;
    while at < ticks {
        if stretches.len() >= CHANGES_MAX {
            return None;
        }
        let begin = SimTime::ZERO + tick.times(at);
        supply.pass::<true>(begin, &mut prices);
        let (mut end, mut spot) = (next_tick(supply.next_change::<true>(), tick), None);
        if supply.level::<true>() >= plan.nodes {
            let (price, until) = price_from(tariff, &mut prices, begin);
            let whole =
                if until == SimTime::NEVER { u64::MAX } else { until.since_submit().ns() / tick.ns() };
            // A tick in which the price changes stands alone.
            end = end.min(whole.max(at + 1));
            let mut least = price;
            let mut next = until;
            while whole == at && next < begin + tick {
                let (price, until) = price_from(tariff, &mut prices, next);
                least = least.min(price);
                next = until;
            }
            spot = Some(least.as_usd_per_hour());
        }
        let end = end.clamp(at + 1, ticks);
        stretches.push(Stretch::paid(end - at, spot));
        at = end;
    }
    let work = plan.work.step.total().times(plan.work.steps);
    let task = Task { work: work.ns(), overhead: mode.overhead.ns(), unit: tick.ns() };
    let on_demand = plan.on_demand.price.as_usd_per_hour();
    Some(least_hours(&stretches, task, on_demand)? * tick.as_hours() * f64::from(plan.nodes))
}

/// The first tick that begins at or after `t`.
fn next_tick(t: SimTime, tick: Span) -> u64 {
    if t == SimTime::NEVER { u64::MAX } else { t.since_submit().ns().div_ceil(tick.ns()) }
}

/// The least price of a schedule: exact where Spot has one price, else a bound.
fn least_hours(stretches: &[Stretch], task: Task, on_demand: f64) -> Option<f64> {
    let mut prices = stretches.iter().filter_map(|stretch| stretch.spot);
    let spot = prices.next().unwrap_or(on_demand);
    let flat = prices.all(|price| price == spot) && !stretches.iter().any(|stretch| stretch.free_if_fresh);
    if !flat || stretches.len() > 2 * RUNS_MAX {
        return least_cost_bound(stretches, task, on_demand);
    }
    let runs: Vec<(u64, bool)> =
        stretches.iter().map(|stretch| (stretch.length, stretch.spot.is_some())).collect();
    Some(least_cost(&runs, task, Prices { spot, on_demand })?.cost(spot, on_demand))
}

fn task(plan: &Plan) -> Task {
    let least = |law: &Law| law.is_constant().unwrap_or_else(|| Span::from_secs_saturating(law.least_s()));
    let step = plan.work.burst.map_or(plan.work.step, |burst| burst.step).total();
    let start: Span = plan.start.until_ready().map(least).sum();
    let overhead = start + least(&plan.start.restore);
    let first = if plan.start.on_first { start } else { Span::ZERO };
    // The first attempt has less to do before it trains than each later one.
    let work = (step.times(plan.work.steps) + first).saturating_sub(overhead);
    Task { work: work.ns(), overhead: overhead.ns(), unit: 1 }
}

/// Stretches of one zone, each from the end of the one before.
#[derive(Debug)]
struct Zone(Vec<(u64, Stretch)>);

impl Zone {
    /// Up to `window`; `None` where too much changes. What the provider takes back young may be free, so the end of a run
    /// matters even beyond the window.
    fn of(
        mut supply: Supply<'_>,
        prices: &mut PriceWalk,
        spot: &Tariff,
        nodes: u32,
        window: u64,
    ) -> Option<Self> {
        let free = free_tail(spot);
        let mut zone = Self(Vec::new());
        let (mut at, seen_until) = (0, window.saturating_add(free.ns()));
        while at < seen_until && zone.0.len() < CHANGES_MAX {
            let up = supply.level::<true>() >= nodes;
            let end = if up {
                supply.next_below::<true>(nodes, SimTime::from_ns(seen_until), prices).ns()
            } else {
                supply.next_change::<true>().ns()
            };
            let shown = end.min(seen_until);
            if up {
                let tail = if end <= seen_until { end.saturating_sub(free.ns()).max(at) } else { shown };
                zone.up(at, tail, prices, spot, false);
                zone.up(tail, shown, prices, spot, true);
            } else {
                zone.0.push((shown, Stretch::paid(0, None)));
            }
            supply.pass::<true>(SimTime::from_ns(shown), prices);
            at = shown;
        }
        (at >= seen_until).then_some(zone)
    }

    /// A run, or its `tail`, from `from` to `to`, price by price.
    fn up(&mut self, from: u64, to: u64, prices: &mut PriceWalk, spot: &Tariff, tail: bool) {
        let mut at = from;
        while at < to && self.0.len() < CHANGES_MAX {
            let (price, until) = price_from(spot, prices, SimTime::from_ns(at));
            let free = tail && spot.whole_hours;
            let usd = if free { 0.0 } else { price.as_usd_per_hour() };
            at = until.ns().min(to);
            let stretch = Stretch { length: 0, spot: Some(usd), free_if_fresh: tail };
            self.0.push((at, stretch));
        }
    }
}

/// How long before its loss a stay may be free, at most.
fn free_tail(spot: &Tariff) -> Span {
    if spot.whole_hours { HOUR } else { spot.free_if_reclaimed_before }
}

/// The price that Spot has at an instant, and until when.
fn price_from(spot: &Tariff, prices: &mut PriceWalk, at: SimTime) -> (Price, SimTime) {
    let Some(changing) = &spot.changing else { return (spot.price, SimTime::NEVER) };
    changing.at(prices, at)
}

/// Spot where any zone has it, at the lowest of their prices: who moves between them needs a start, and here none.
fn union(zones: &[Zone], window: u64) -> Vec<Stretch> {
    let mut at = 0;
    let mut next = vec![0; zones.len()];
    let mut stretches: Vec<Stretch> = Vec::new();
    while at < window {
        let mut now = Stretch::paid(0, None);
        let mut end = window;
        for (Zone(zone), next) in zones.iter().zip(&mut next) {
            *next += zone[*next..].iter().take_while(|(end, _)| *end <= at).count();
            let Some((until, stretch)) = zone.get(*next) else { continue };
            end = end.min(*until);
            now.free_if_fresh |= stretch.free_if_fresh;
            now.spot = match (now.spot, stretch.spot) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
        }
        now.length = end - at;
        match stretches.last_mut() {
            Some(last) if Stretch { length: 0, ..*last } == Stretch { length: 0, ..now } => {
                last.length += now.length;
            }
            _ => stretches.push(now),
        }
        at = end;
    }
    stretches
}
