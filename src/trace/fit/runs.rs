//! Runs of a level in recorded capacity, as times that were not all seen whole.

use super::observed::Observed;
use crate::records::Capacity;

/// One run with or without capacity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Run {
    /// Whether `nodes` could be had.
    pub is_up: bool,
    /// When it began, in seconds after the recording did.
    pub from_s: f64,
    /// How long it was seen.
    pub length_s: f64,
    /// Whether its begin was seen: not of the first, nor of the first after a hole.
    pub begin_seen: bool,
    /// Whether its end was seen: not of the last, nor of the last before a hole.
    pub end_seen: bool,
}

impl Run {
    /// Its length, where the recorder looked often enough to see it to `half_s` at either side; `None` where
    /// its begin was not seen, so that nothing is known of its age.
    pub fn observed(self, half_s: f64) -> Option<Observed> {
        match (self.begin_seen, self.end_seen) {
            (false, _) => None,
            (true, false) => Some(Observed::longer_than(self.length_s)),
            (true, true) => Some(Observed::about(self.length_s, half_s)),
        }
    }
}

/// The runs of a recording, up where at least `nodes` could be had (where it does not count nodes, where
/// any could), in their order. A hole ends a run and begins none.
pub fn runs(capacity: &Capacity, nodes: u32) -> Vec<Run> {
    let wanted = if capacity.counts { nodes.max(1) } else { 1 };
    let mut runs: Vec<Run> = Vec::new();
    let mut from_ns = 0_u128;
    let mut after_hole = true;
    for stretch in &capacity.stretches {
        let from_s = from_ns as f64 * 1e-9;
        from_ns += u128::from(stretch.span.ns());
        let Some(level) = stretch.nodes else {
            if let Some(last) = runs.last_mut() {
                last.end_seen = false;
            }
            after_hole = true;
            continue;
        };
        let is_up = level >= wanted;
        match runs.last_mut() {
            Some(last) if last.is_up == is_up && !after_hole => last.length_s += stretch.span.as_secs(),
            _ => runs.push(Run {
                is_up,
                from_s,
                length_s: stretch.span.as_secs(),
                begin_seen: !after_hole,
                end_seen: true,
            }),
        }
        after_hole = false;
    }
    if let Some(last) = runs.last_mut() {
        last.end_seen = false;
    }
    runs
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
        let ups: Vec<_> = runs.iter().filter(|run| run.is_up).filter_map(|run| run.observed(1.0)).collect();
        assert_eq!(ups, [Observed::about(10.0, 1.0), Observed::longer_than(9.0)]);
        let gaps: Vec<_> = runs.iter().filter(|run| !run.is_up).filter_map(|run| run.observed(0.0)).collect();
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
