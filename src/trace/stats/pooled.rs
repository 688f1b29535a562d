//! Uptimes of all zones, or stays of all nodes, together.

use super::nodes::StaysStats;
use super::survival::{Survival, kaplan_meier};
use super::zone::ZoneStats;
use crate::trace::fit::{Family, Fit, Observed, Sample, uptime_laws};

/// Lengths of uptimes or of stays, and laws fitted to them.
#[derive(Debug, Clone, PartialEq)]
pub struct Pooled {
    /// The survival curve of all.
    pub survival: Survival,
    /// The law with the least AIC, where there are enough ends to fit one.
    pub best: Option<Fit>,
    /// The law without memory.
    pub exponential: Option<Fit>,
}

/// Pools what was seen to begin; `None` of nothing.
pub fn pooled(zones: &[&ZoneStats], stays: &[&StaysStats]) -> Option<Pooled> {
    let ups = || zones.iter().flat_map(|zone| zone.runs.iter().map(move |run| (zone, run)));
    let begun = || ups().filter(|(_, run)| run.up && run.begin_seen);
    let lives = || stays.iter().flat_map(|stays| stays.lives.iter().copied());
    let times = begun().map(|(_, run)| (run.span, run.end_seen)).chain(lives());
    let survival = kaplan_meier(times)?;
    let of_runs = begun()
        .filter_map(|(zone, run)| run.observed(0.5 * zone.sample.map_or(0.0, |sample| sample.as_secs())));
    let of_lives = lives().map(|(span, ended)| match ended {
        true => Observed::exact(span.as_secs()),
        false => Observed::longer_than(span.as_secs()),
    });
    let fits = uptime_laws(&Sample::new(of_runs.chain(of_lives)));
    let best = fits.as_ref().and_then(|fits| fits.best().cloned());
    let exponential = fits.as_ref().and_then(|fits| fits.get(Family::Exponential).cloned());
    Some(Pooled { survival, best, exponential })
}
