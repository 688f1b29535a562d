//! Runs with and without capacity, and what their lengths are like.

use super::hours;
use crate::records::Capacity;
use crate::units::Span;

/// A time in which a zone was up, or down, throughout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// From the begin of the recording.
    pub from: Span,
    /// How long it was seen.
    pub span: Span,
    /// Whether as many nodes as wanted could be had.
    pub up: bool,
    /// Whether its begin was seen: not of the first, nor of the first after a hole.
    pub begin_seen: bool,
    /// Whether its end was seen.
    pub end_seen: bool,
}

impl Run {
    /// Whether it was seen from begin to end.
    pub const fn complete(&self) -> bool {
        self.begin_seen && self.end_seen
    }
}

/// The runs of a zone, up where at least `gang` nodes could be had (any, where nodes were not counted).
pub fn runs(capacity: &Capacity, gang: u32) -> Vec<Run> {
    let wanted = if capacity.counts { gang.max(1) } else { 1 };
    let mut runs: Vec<Run> = Vec::new();
    let mut from = Span::ZERO;
    let mut after_hole = true;
    for stretch in &capacity.stretches {
        match stretch.nodes.map(|nodes| nodes >= wanted) {
            None => {
                if let Some(last) = runs.last_mut() {
                    last.end_seen = false;
                }
                after_hole = true;
            }
            Some(up) => {
                match runs.last_mut().filter(|last| last.up == up && !after_hole) {
                    Some(last) => last.span += stretch.span,
                    None => {
                        let run =
                            Run { from, span: stretch.span, up, begin_seen: !after_hole, end_seen: true };
                        runs.push(run);
                    }
                }
                after_hole = false;
            }
        }
        from += stretch.span;
    }
    if let Some(last) = runs.last_mut() {
        last.end_seen = false;
    }
    runs
}

/// What lengths are like, hours.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Lengths {
    /// Seen from begin to end; the mean and the median are of these.
    pub complete: u64,
    /// Mean.
    pub mean_h: Option<f64>,
    /// Median; of an even number the middle of the two in the middle.
    pub median_h: Option<f64>,
    /// The longest of those whose begin was seen, that at the end of the recording as long as it was seen.
    pub max_h: Option<f64>,
}

impl Lengths {
    /// Of lengths, and whether the begin and the end of each was seen.
    pub(super) fn of(lengths: impl Iterator<Item = (Span, bool, bool)>) -> Self {
        let mut longest = None;
        let mut whole: Vec<u64> = Vec::new();
        for (span, begin_seen, end_seen) in lengths {
            if begin_seen {
                longest = longest.max(Some(span.ns()));
            }
            if begin_seen && end_seen {
                whole.push(span.ns());
            }
        }
        whole.sort_unstable();
        let (n, middle) = (whole.len(), whole.len() / 2);
        let sum: u128 = whole.iter().map(|&ns| u128::from(ns)).sum();
        let median = match n {
            0 => None,
            _ if n % 2 == 1 => Some(hours(whole[middle].into())),
            _ => Some(hours(u128::from(whole[middle - 1]) + u128::from(whole[middle])) / 2.0),
        };
        Self {
            complete: n as u64,
            mean_h: (n > 0).then(|| hours(sum) / n as f64),
            median_h: median,
            max_h: longest.map(|ns| hours(ns.into())),
        }
    }
}
