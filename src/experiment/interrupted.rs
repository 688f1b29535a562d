//! What other rates of interruption do, in the same worlds.

use super::evaluate::statuses;
use super::replicate::{Options, replicate};
use super::result::{ClusterResult, Status, summarise};
use crate::capacity::Law;
use crate::capacity::on_off::Means;
use crate::capacity::path::Path;
use crate::policy::Policy;
use crate::scenario::load::Scenario;
use crate::scenario::plan::{Capacity, Market, Plan};
use crate::units::Span;
use rayon::ThreadPool;
use std::sync::atomic::{AtomicBool, Ordering};

/// The clusters of `scenario` where Spot is lost `factor` times as often, in its first `replications`: uptimes,
/// lifetimes and times between shocks are divided by it. `None` where nothing is ever lost, where what is lost does
/// not come at a rate, where replications draw their values, and where `stop` was set.
pub fn lost_as_often(
    scenario: &Scenario,
    factor: f64,
    replications: u64,
    pool: &ThreadPool,
    stop: &AtomicBool,
) -> Option<Vec<ClusterResult>> {
    let mut changed = scenario.clone();
    changed.until = None;
    for cluster in changed.clusters.iter_mut().filter(|cluster| cluster.market == Market::Spot) {
        cluster.plan = interrupted(&cluster.plan, factor).ok()?;
    }
    let is_same = changed.clusters.iter().zip(&scenario.clusters).all(|(a, b)| a.plan == b.plan);
    if scenario.draws || is_same {
        return None;
    }
    let statuses = statuses(&changed);
    let simulated: Vec<bool> = statuses.iter().map(|&status| status == Status::Simulated).collect();
    let numbers = 0..replications;
    let mut options = Options { numbers, stop, rows: None, draw: None, progress: &mut () };
    let mut replicated = replicate(&changed, &simulated, pool, &mut options).ok()?;
    let of = |((cluster, replicated), status)| summarise(cluster, replicated, status);
    let all = changed.clusters.iter().zip(&mut replicated).zip(statuses).map(of).collect();
    (!stop.load(Ordering::Relaxed)).then_some(all)
}

/// The plan where Spot is lost `factor` times as often. Gaps stay, and so do failures of hardware.
pub(super) fn interrupted(plan: &Plan, factor: f64) -> Result<Plan, &'static str> {
    let mut plan = plan.clone();
    if plan.policy == Policy::OnDemandOnly {
        return Ok(plan);
    }
    plan.capacity = lost_more(&plan.capacity, factor)?;
    for zone in &mut plan.elsewhere {
        zone.capacity = lost_more(&zone.capacity, factor)?;
    }
    Ok(plan)
}

fn lost_more(capacity: &Capacity, factor: f64) -> Result<Capacity, &'static str> {
    const TOO_SHORT: &str = "its uptimes would be too short to count";
    let stretch = |law: &Law| law.stretched(1.0 / factor).map_err(|_| TOO_SHORT);
    let mut capacity = capacity.clone();
    if !capacity.losses.is_empty() {
        return Err("its losses are written out one by one");
    }
    match &mut capacity.path {
        Path::Always => {}
        Path::Renewal(renewal) => renewal.uptime = stretch(&renewal.uptime)?,
        Path::OnOff(on_off) => {
            let Means { uptime, gap } = on_off.means();
            let uptime = Span::from_secs_saturating(uptime.as_secs() / factor);
            *on_off = on_off.with_means(Means { uptime, gap });
        }
        Path::Chain(_) => return Err("a chain of node counts has no one rate of interruption"),
        Path::Events(_) => return Err("its capacity is written out change by change"),
        Path::Trace(_) | Path::Bootstrap(_) => return Err("its capacity is a recorded trace"),
    }
    if let Some(lifetime) = &capacity.lifetime {
        capacity.lifetime = Some(stretch(lifetime)?);
    }
    for shock in &mut capacity.shocks {
        shock.between = stretch(&shock.between)?;
    }
    Ok(capacity)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::load::{Overrides, load};

    const FILE: &str = r#"
schema = 1
name = "interrupted"
[job]
work = { ideal_time = "10 h" }
horizon = "3 d"
[checkpoint]
every = "15 min"
stall = "20 s"
[pricing]
on_demand = "2 USD/h"
spot = "1 USD/h"
[[cluster]]
name = "Spot"
instance = "g5.xlarge"
nodes = 1
market = "spot"
[[cluster]]
name = "On-Demand"
instance = "g5.xlarge"
nodes = 1
market = "on-demand"
[capacity]
"#;

    /// Fifty replications of [`FILE`] with this capacity, where Spot is lost so many times as often.
    fn of(capacity: &str, factor: f64) -> Option<Vec<ClusterResult>> {
        let read =
            load("a.toml", format!("{FILE}{capacity}"), &Overrides::default(), &|_| Err("none".into()));
        let scenario =
            read.scenario.unwrap_or_else(|| panic!("{}", read.problems.render(&read.sources, false)));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        lost_as_often(&scenario, factor, 50, &pool, &AtomicBool::new(false))
    }

    fn up_for(mean: &str) -> String {
        let gap = "{ exponential = { mean = \"15 min\" } }";
        format!("renewal = {{ uptime = {{ weibull = {{ shape = 0.62, mean = \"{mean}\" }} }}, gap = {gap} }}")
    }

    /// A power of two as the factor loses no digit of a mean.
    #[test]
    fn as_often_is_as_with_that_part_of_the_mean() {
        let (more, fewer) = (of(&up_for("4 h"), 2.0).unwrap(), of(&up_for("1 h"), 0.5).unwrap());
        for (a, b) in more.iter().zip(&fewer) {
            assert_eq!(a.cost_per_finished_usd, b.cost_per_finished_usd, "{}", a.name);
            assert_eq!(a.preemptions, b.preemptions, "{}", a.name);
        }
        let preemptions =
            |results: &[ClusterResult]| results.iter().map(|one| one.preemptions.mean.unwrap()).collect();
        let [often, seldom]: [Vec<f64>; 2] =
            [&more, &of(&up_for("4 h"), 0.5).unwrap()].map(|all| preemptions(all));
        assert!(often[0] > 1.5 * seldom[0], "{often:?} {seldom:?}");
        assert_eq!([often[1], seldom[1]], [0.0, 0.0], "On-Demand");
    }

    #[test]
    fn without_a_rate_there_is_nothing_to_tell() {
        assert!(of("", 2.0).is_none(), "never lost");
        assert!(of("events = [{ at = \"1 h\", nodes = 0 }, { at = \"2 h\", nodes = 1 }]", 2.0).is_none());
    }
}
