//! One zone.

use super::counts::{Counts, counts, falls};
use super::hours::{Hours, by_hour};
use super::lengths::Lengths;
use super::survival::{Survival, kaplan_meier};
use super::{hours, share};
use crate::records::{Capacity, Label};
use crate::trace::runs::{Run, runs};
use crate::units::{Span, Timestamp};

/// What the recorded capacity of one zone is like.
#[derive(Debug, Clone, PartialEq)]
pub struct ZoneStats {
    /// Where, and of what.
    pub label: Label,
    /// When the recording begins.
    pub start: Timestamp,
    /// How often the recorder looked; `None` of events.
    pub sample: Option<Span>,
    /// Nodes that it takes to be up.
    pub gang: u32,
    /// From begin to end, holes included, hours.
    pub duration_h: f64,
    /// Hours in which somebody looked.
    pub looked_h: f64,
    /// Hours up.
    pub up_h: f64,
    /// Share of the hours looked at that are up.
    pub availability: Option<f64>,
    /// Times that it went from up to down.
    pub preemptions: u64,
    /// Uptimes; the share of complete ones of one sample stands in `one_sample_share`.
    pub up: Lengths,
    /// Mean of the uptimes whose end was seen, that of the first included as long as it was seen, hours.
    pub ended_up_h_mean: Option<f64>,
    /// The uptime that was cut off by the end of the recording, hours.
    pub cut_off_up_h: Option<f64>,
    /// Gaps.
    pub down: Lengths,
    /// Share of complete uptimes that are one sample long.
    pub one_sample_share: Option<f64>,
    /// By the hour of the day.
    pub hours: Hours,
    /// Of the nodes, where they were counted.
    pub counts: Option<Counts>,
    /// How long uptimes last.
    pub survival: Option<Survival>,
    /// The runs it is made from.
    pub runs: Vec<Run>,
}

impl ZoneStats {
    /// Preemptions per hour up.
    pub fn preemptions_per_up_h(&self) -> Option<f64> {
        (self.up_h > 0.0).then(|| self.preemptions as f64 / self.up_h)
    }

    /// Whether it is up all the time, or down: every replication of it is the same.
    pub fn constant(&self) -> bool {
        self.runs.iter().all(|run| run.up == self.runs[0].up)
    }

    /// Whether it is down most of the time: perhaps 1 means preempted.
    pub fn mostly_down(&self) -> bool {
        self.availability.is_some_and(|share| share < 0.5)
    }
}

/// Of a recording, up where at least `gang` nodes could be had.
pub fn zone_stats(capacity: &Capacity, sample: Option<Span>, start_assumed: bool, gang: u32) -> ZoneStats {
    let runs = runs(capacity, gang);
    let ns = |up: bool| -> u128 {
        runs.iter().filter(|run| run.up == up).map(|run| u128::from(run.span.ns())).sum()
    };
    let (up, down) = (ns(true), ns(false));
    let of = |up: bool| runs.iter().filter(move |run| run.up == up);
    let lengths = |up: bool| Lengths::of(of(up).map(|run| (run.span, run.begin_seen, run.end_seen)));
    let up_lengths = lengths(true);
    let one = sample.map(|sample| of(true).filter(|run| run.complete() && run.span <= sample).count());
    let begun = of(true).filter(|run| run.begin_seen);
    let ended: Vec<Span> = of(true).filter(|run| run.end_seen).map(|run| run.span).collect();
    let ended_h: f64 = ended.iter().map(|span| span.as_hours()).sum();
    let last = runs.last().filter(|run| run.up);
    ZoneStats {
        label: capacity.label.clone(),
        start: capacity.start,
        sample,
        gang,
        duration_h: hours(capacity.length().ns().into()),
        looked_h: hours(up + down),
        up_h: hours(up),
        availability: share(up, up + down),
        preemptions: of(true).filter(|run| run.end_seen).count() as u64,
        up: up_lengths,
        ended_up_h_mean: (!ended.is_empty()).then(|| ended_h / ended.len() as f64),
        cut_off_up_h: last.map(|run| run.span.as_hours()),
        down: lengths(false),
        one_sample_share: one.and_then(|one| share(one as u128, up_lengths.complete.into())),
        hours: by_hour(&runs, capacity.start, sample, start_assumed),
        counts: capacity.counts.then(|| counts(&falls(&capacity.stretches))),
        survival: kaplan_meier(begun.map(|run| (run.span, run.end_seen))),
        runs,
    }
}
