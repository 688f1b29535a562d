//! How well a result is known at the end of a run with `[simulation] until`, and what half of that takes.

use super::{number, text};
use crate::experiment::{ClusterResult, Stopped, StoppedBy};
use crate::scenario::load::Scenario;
use crate::scenario::until::Until;

/// What goes behind the number of replications: "cost_per_finished_usd is known to 0.83 % of its value, as
/// asked; half of that takes about 16,384". `None` without a rule, or of a run that was interrupted.
pub fn told(scenario: &Scenario, results: &[ClusterResult]) -> Option<String> {
    let until = scenario.until.as_ref()?;
    let stopped = scenario.stopped(results)?;
    let name = &until.result;
    let Some(width) = width(until, &stopped) else {
        return Some(format!(
            "the most allowed, and too few for {name}: it finished too rarely or is too skewed"
        ));
    };
    let ending = match stopped.by {
        StoppedBy::Precision => "as asked".to_owned(),
        StoppedBy::Cap => format!("not to the {} asked, but no more replications are allowed", asked(until)),
    };
    let half =
        stopped.for_half().filter(|_| stopped.farthest.as_ref().is_some_and(|(_, i)| i.half_width() > 0.0));
    let half = half.map_or(String::new(), |n| format!("; half of that takes about {}", number::count(n)));
    Some(format!("{name} is known to {width}{}, {ending}{half}", of_cluster(&stopped, results)))
}

/// The warning of a run that ended before its rule was met.
pub fn warning(scenario: &Scenario, results: &[ClusterResult]) -> Option<String> {
    let stopped = scenario.stopped(results).filter(|stopped| stopped.by == StoppedBy::Cap)?;
    let told = told(scenario, results)?;
    let n = number::count(stopped.replications);
    Some(format!("stopped at {n} replications: {told}; more come by `--replications`"))
}

/// The cluster that is known worst, where there are several.
fn of_cluster(stopped: &Stopped, results: &[ClusterResult]) -> String {
    let name = stopped.farthest.as_ref().map(|(name, _)| name).filter(|_| results.len() > 1);
    name.map_or(String::new(), |name| format!(" (worst in {})", text::inert(name)))
}

/// Half the interval: a share of the value where one was asked for, else in the result's unit.
fn width(until: &Until, stopped: &Stopped) -> Option<String> {
    let (_, interval) = stopped.farthest.as_ref()?;
    let relative = stopped.relative().filter(|_| until.relative.is_some());
    Some(match relative {
        Some(share) => format!("{} % of its value", percent(share)),
        None => format!("± {}", in_unit(&until.result, interval.half_width())),
    })
}

/// Two decimals tell 1.04 % from the 1 % that was asked.
fn percent(share: f64) -> String {
    if share < 1e-4 { number::percent(share) } else { number::fixed(share * 100.0, 2) }
}

fn asked(until: &Until) -> String {
    let share = until.relative.map(|share| format!("{} %", percent(share)));
    let width = until.absolute.map(|width| format!("± {}", in_unit(&until.result, width)));
    share.into_iter().chain(width).collect::<Vec<_>>().join(" or ")
}

fn in_unit(name: &str, value: f64) -> String {
    match name {
        name if name.contains("usd") => number::usd(value),
        name if name.ends_with("_h") || name.contains("_h_") => number::hours(value),
        name if name.ends_with("_mean") => number::fixed(value, number::decimals([value])),
        _ => format!("{} percentage points", percent(value)),
    }
}
