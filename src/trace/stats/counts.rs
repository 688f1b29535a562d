//! What counts of nodes are like, and how many go at once.

use super::{hours, share};
use crate::records::Stretch;
use std::collections::BTreeMap;

/// From so many nodes on a loss is one of many at once.
pub const MANY: u32 = 6;

/// Nodes that went.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Loss {
    /// Instants at which any went.
    pub moments: u64,
    /// How many went.
    pub nodes: u64,
    /// The most that went at one instant.
    pub max: u32,
    /// How many of them went with at least six at one instant.
    pub in_many: u64,
}

impl Loss {
    /// So many at one instant.
    pub(super) fn add(&mut self, nodes: u32) {
        if nodes > 0 {
            self.moments += 1;
            self.nodes += u64::from(nodes);
            self.max = self.max.max(nodes);
            self.in_many += if nodes >= MANY { u64::from(nodes) } else { 0 };
        }
    }

    /// Nodes lost at one instant, mean.
    pub fn mean(&self) -> Option<f64> {
        share(self.nodes.into(), self.moments.into())
    }

    /// Share of the nodes lost that went with at least six at one instant.
    pub fn many_share(&self) -> Option<f64> {
        share(self.in_many.into(), self.nodes.into())
    }
}

/// What a count of nodes is like.
#[derive(Debug, Clone, PartialEq)]
pub struct Counts {
    /// Mean over time.
    pub mean: Option<f64>,
    /// Nodes times hours.
    pub node_h: f64,
    /// The least that was there for any time.
    pub min: Option<u32>,
    /// The most.
    pub max: Option<u32>,
    /// Share of the time with none or with the most.
    pub all_or_none_share: Option<f64>,
    /// Share of the time with at least so many, from 1 to the most.
    pub at_least: Vec<(u32, f64)>,
    /// Nodes that went.
    pub loss: Loss,
}

/// Of stretches, with the nodes that went at the begin of each.
pub fn counts(stretches: &[(Stretch, u32)]) -> Counts {
    let mut time = BTreeMap::<u32, u128>::new();
    let mut loss = Loss::default();
    for (stretch, gone) in stretches {
        if let Some(nodes) = stretch.nodes {
            *time.entry(nodes).or_default() += u128::from(stretch.span.ns());
        }
        loss.add(*gone);
    }
    let total: u128 = time.values().sum();
    let node_ns: u128 = time.iter().map(|(&nodes, ns)| u128::from(nodes) * ns).sum();
    let (min, max) = (time.keys().next().copied(), time.keys().next_back().copied());
    let of = |nodes: u32| time.get(&nodes).copied().unwrap_or(0);
    let most = max.unwrap_or(0);
    let all_or_none = of(0) + if most > 0 { of(most) } else { 0 };
    let at_least = (1..=most).filter_map(|k| {
        let ns: u128 = time.range(k..).map(|(_, ns)| ns).sum();
        share(ns, total).map(|share| (k, share))
    });
    Counts {
        mean: share(node_ns, total),
        node_h: hours(node_ns),
        min,
        max,
        all_or_none_share: share(all_or_none, total),
        at_least: at_least.take(AT_LEAST_MAX).collect(),
        loss,
    }
}

/// A group larger than this is not told node by node.
const AT_LEAST_MAX: usize = 1_024;

/// Stretches of a recorded count with the nodes that went at the begin of each; across a hole nothing is
/// known to have gone.
pub fn falls(stretches: &[Stretch]) -> Vec<(Stretch, u32)> {
    let before = std::iter::once(None).chain(stretches.iter().map(|stretch| stretch.nodes));
    let gone =
        |before: Option<u32>, now: Option<u32>| before.zip(now).map_or(0, |(b, n)| b.saturating_sub(n));
    stretches.iter().zip(before).map(|(stretch, before)| (*stretch, gone(before, stretch.nodes))).collect()
}
