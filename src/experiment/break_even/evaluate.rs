//! The difference from the goal at one value of the key, by simulation.

use crate::experiment::{ClusterResult, Options, Status, replicate, summarise};
use crate::scenario::load::Scenario;
use crate::scenario::plan::Market;
use crate::stats::Interval;
use rayon::ThreadPool;
use std::sync::atomic::AtomicBool;

/// What is to be met.
#[derive(Debug, Clone, PartialEq)]
pub enum Goal {
    /// A finished run costs as much as one of the other cluster.
    SameCost,
    /// A figure of the cluster comes to a number.
    Figure {
        /// Its name.
        name: String,
        /// The number.
        value: f64,
    },
}

/// How far `cluster` of `scenario` is from the goal, in the scenario's replications: dollars that it costs more
/// than `against`, pair by pair, or its figure less the goal's number. `None` where the figure does not exist.
/// Deadlines that cannot be met are no reason not to simulate.
pub fn difference(
    scenario: &Scenario,
    (cluster, against): (usize, Option<usize>),
    goal: &Goal,
    pool: &ThreadPool,
    stop: &AtomicBool,
) -> Option<Interval> {
    let mut pair = scenario.clone();
    let mut chosen = vec![scenario.clusters[cluster].clone()];
    if let Some(against) = against {
        let mut other = scenario.clusters[against].clone();
        // Differences are taken from the first On-Demand cluster: that is to be this one, whatever it is.
        other.market = Market::OnDemand;
        chosen.insert(0, other);
    }
    let own = chosen.len() - 1;
    pair.clusters = chosen;
    pair.until = None;
    let simulated = vec![true; own + 1];
    let mut options =
        Options { numbers: 0..scenario.replications, stop, rows: None, draw: None, progress: &mut () };
    let mut replicated = replicate(&pair, &simulated, pool, &mut options).ok()?;
    let result = summarise(&pair.clusters[own], &mut replicated[own], Status::Simulated);
    match goal {
        Goal::SameCost => {
            let saved = result.saved_usd?;
            Some(Interval { value: -saved.value, low: -saved.high, high: -saved.low })
        }
        Goal::Figure { name, value } => {
            let figure = of_figure(&result, name)?;
            Some(Interval { value: figure.value - value, low: figure.low - value, high: figure.high - value })
        }
    }
}

/// A figure with its interval, that of its mean if it is named `…_mean`; exact if it has none.
fn of_figure(result: &ClusterResult, name: &str) -> Option<Interval> {
    let stem = name.strip_suffix("_mean").unwrap_or(name);
    let end = |side: &str| result.figure(&format!("{stem}_ci_{side}")).flatten();
    let value = result.figure(name).flatten()?;
    Some(Interval { value, low: end("low").unwrap_or(value), high: end("high").unwrap_or(value) })
}
