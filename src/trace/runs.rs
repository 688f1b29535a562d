//! Runs with and without capacity, which statistics describe and laws are fitted to.

use super::fit::Observed;
use crate::records::{Capacity, StayEnd, Stays};
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

    /// Its length, where the recorder looked often enough to see it to `half_s` seconds at either side; `None` where
    /// its begin was not seen, so that nothing is known of its age.
    pub fn observed(&self, half_s: f64) -> Option<Observed> {
        match (self.begin_seen, self.end_seen) {
            (false, _) => None,
            (true, false) => Some(Observed::longer_than(self.span.as_secs())),
            (true, true) => Some(Observed::about(self.span.as_secs(), half_s)),
        }
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

/// How long each node stayed: those that the provider did not take would have stayed longer.
pub fn observed_stays(stays: &Stays) -> impl Iterator<Item = Observed> + '_ {
    stays.stays.iter().map(|stay| match stay.ended {
        StayEnd::Lost => Observed::exact(stay.span.as_secs()),
        StayEnd::Released | StayEnd::CutOff => Observed::longer_than(stay.span.as_secs()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::{Label, Stretch};
    use crate::units::{Span, Timestamp};

    fn capacity(levels: &[(u64, Option<u32>)]) -> Capacity {
        let stretch = |&(s, nodes)| Stretch { span: Span::from_s(s), nodes };
        Capacity {
            label: Label::default(),
            start: "2026-01-01T00:00:00Z".parse::<Timestamp>().unwrap(),
            counts: true,
            stretches: levels.iter().map(stretch).collect(),
        }
    }

    #[test]
    fn the_first_run_is_dropped_and_the_last_is_cut_off() {
        let seen = capacity(&[(5, Some(0)), (7, Some(2)), (3, Some(4)), (4, Some(1)), (9, Some(2))]);
        let runs = runs(&seen, 2);
        let ups: Vec<_> = runs.iter().filter(|run| run.up).filter_map(|run| run.observed(1.0)).collect();
        assert_eq!(ups, [Observed::about(10.0, 1.0), Observed::longer_than(9.0)]);
        let gaps: Vec<_> = runs.iter().filter(|run| !run.up).filter_map(|run| run.observed(0.0)).collect();
        assert_eq!(gaps, [Observed::exact(4.0)]);
    }

    #[test]
    fn a_hole_cuts_the_run_before_it_and_hides_the_begin_of_the_next() {
        let seen =
            capacity(&[(5, Some(0)), (7, Some(1)), (20, None), (3, Some(1)), (4, Some(0)), (6, Some(1))]);
        let lengths: Vec<_> = runs(&seen, 1).iter().filter_map(|run| run.observed(0.0)).collect();
        let right = [Observed::longer_than(7.0), Observed::exact(4.0), Observed::longer_than(6.0)];
        assert_eq!(lengths, right);
    }
}
