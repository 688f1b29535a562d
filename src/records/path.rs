//! Stays of nodes as a level of nodes over time.

use super::{Stay, StayEnd, Stays, Stretch};
use crate::units::Timestamp;
use std::collections::BTreeMap;

/// A stretch of constant size of a group of nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// How long, and how many nodes.
    pub stretch: Stretch,
    /// Nodes that were there before the stretch and went at its begin.
    pub gone: u32,
}

impl Stays {
    /// How many nodes were there from the begin of the observation to its end, of those that `takes`.
    /// Neighbours may have one size, where as many came as went.
    pub fn sizes(&self, takes: impl Fn(&Stay) -> bool) -> Vec<Held> {
        /// Nodes that came and that went at an instant.
        #[derive(Default)]
        struct Change {
            came: u32,
            went: u32,
        }
        let mut changes = BTreeMap::<Timestamp, Change>::new();
        changes.insert(self.start, Change::default());
        for stay in self.stays.iter().filter(|stay| takes(stay)) {
            changes.entry(stay.from).or_default().came += 1;
            if stay.ended != StayEnd::CutOff {
                changes.entry(stay.from + stay.span).or_default().went += 1;
            }
        }
        let starts: Vec<Timestamp> = changes.keys().copied().collect();
        let ends = starts.iter().copied().skip(1).chain([self.end]);
        let mut size = 0_u32;
        let mut sizes = Vec::with_capacity(starts.len());
        for ((start, change), end) in changes.iter().zip(ends) {
            size = (size + change.came).saturating_sub(change.went);
            if let Some(span) = end.since(*start).filter(|span| !span.is_zero()) {
                sizes.push(Held { stretch: Stretch { span, nodes: Some(size) }, gone: change.went });
            }
        }
        sizes
    }

    /// Zones of the stays, each once, in the order of their names.
    pub fn zones(&self) -> Vec<&str> {
        let mut zones: Vec<&str> = self.stays.iter().map(|stay| stay.zone.as_str()).collect();
        zones.sort_unstable();
        zones.dedup();
        zones
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Span;

    /// One of two nodes goes at 10 s and another comes; at 20 s one goes; the observation ends at 30 s.
    #[test]
    fn an_exchange_of_nodes_is_no_change_of_size_but_is_seen() {
        let at = |s: i64| Timestamp::from_unix_ns(s * 1_000_000_000);
        let stay = |from: i64, to: i64, ended| Stay {
            node: format!("n{from}-{to}"),
            zone: String::new(),
            from: at(from),
            span: at(to).since(at(from)).unwrap(),
            ended,
        };
        let stays =
            vec![stay(0, 10, StayEnd::Lost), stay(0, 30, StayEnd::CutOff), stay(10, 20, StayEnd::Released)];
        let sizes = Stays { start: at(0), end: at(30), stays }.sizes(|_| true);
        let seen: Vec<_> =
            sizes.iter().map(|held| (held.stretch.span, held.stretch.nodes, held.gone)).collect();
        let ten = Span::from_s(10);
        assert_eq!(seen, [(ten, Some(2), 0), (ten, Some(2), 1), (ten, Some(1), 1)]);
    }
}
