//! Single nodes that came and went.

use super::counts::{Counts, counts};
use super::hours;
use super::lengths::Lengths;
use super::survival::{Survival, kaplan_meier};
use crate::records::{Stay, StayEnd, Stays, Stretch};
use crate::units::{Span, Timestamp};
use std::collections::BTreeMap;

/// What recorded stays of nodes are like.
#[derive(Debug, Clone, PartialEq)]
pub struct StaysStats {
    /// When the observation begins.
    pub start: Timestamp,
    /// From begin to end of the observation, hours.
    pub duration_h: f64,
    /// Stays that the provider ended.
    pub lost: u64,
    /// Stays that their user ended.
    pub released: u64,
    /// Nodes that were there at the end.
    pub cut_off: u64,
    /// Hours of all stays.
    pub up_h: f64,
    /// Of stays; complete are those that the provider ended.
    pub up: Lengths,
    /// The size of the group.
    pub counts: Counts,
    /// How long nodes last; released ones are cut off.
    pub survival: Option<Survival>,
    /// How long each stayed, and whether the provider took it.
    pub lives: Vec<(Span, bool)>,
    /// Whether a gang is complete.
    pub gang: Option<Gang>,
}

/// How a gang of so many nodes of the group fared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gang {
    /// Its nodes.
    pub nodes: u32,
    /// Share of the time with at least so many.
    pub share: f64,
    /// Instants at which so many were there and the provider took at least one of them.
    pub hit: u64,
}

impl StaysStats {
    /// Nodes lost per hour of a node.
    pub fn lost_per_up_h(&self) -> Option<f64> {
        (self.up_h > 0.0).then(|| self.lost as f64 / self.up_h)
    }
}

/// Of stays, with a gang of so many where one is asked for. `length` is how much of the observation is looked
/// at: beyond it all is cut, and where it ends before, nodes that are there are taken to stay until then.
pub fn stays_stats(stays: &Stays, gang: Option<u32>, length: Option<Span>) -> StaysStats {
    let stays = &match length {
        Some(length) => within(stays, stays.start + length),
        None => stays.clone(),
    };
    let sizes = sizes(stays);
    let of = |end: StayEnd| stays.stays.iter().filter(|stay| stay.ended == end).count() as u64;
    let ended = |stay: &Stay| stay.ended == StayEnd::Lost;
    let gang = gang.map(|nodes| {
        let time = |least: u32| -> f64 {
            sizes.iter().filter(|(s, _)| s.nodes >= Some(least)).map(|(s, _)| s.span.as_hours()).sum()
        };
        let hit = sizes.windows(2).filter(|pair| pair[0].0.nodes >= Some(nodes) && pair[1].1 > 0).count();
        let all = time(0);
        Gang { nodes, share: if all > 0.0 { time(nodes) / all } else { 0.0 }, hit: hit as u64 }
    });
    StaysStats {
        start: stays.start,
        duration_h: stays.end.since(stays.start).map_or(0.0, Span::as_hours),
        lost: of(StayEnd::Lost),
        released: of(StayEnd::Released),
        cut_off: of(StayEnd::CutOff),
        up_h: hours(stays.stays.iter().map(|stay| u128::from(stay.span.ns())).sum()),
        up: Lengths::of(stays.stays.iter().map(|stay| (stay.span, true, ended(stay)))),
        counts: counts(&sizes),
        survival: kaplan_meier(stays.stays.iter().map(|stay| (stay.span, ended(stay)))),
        lives: stays.stays.iter().map(|stay| (stay.span, ended(stay))).collect(),
        gang,
    }
}

fn within(stays: &Stays, end: Timestamp) -> Stays {
    let seen = stays.stays.iter().filter(|stay| stay.from < end).map(|stay| {
        let left = end.since(stay.from).unwrap_or(Span::ZERO);
        let cut = stay.ended == StayEnd::CutOff || stay.span > left;
        if cut { Stay { span: left, ended: StayEnd::CutOff, ..stay.clone() } } else { stay.clone() }
    });
    Stays { start: stays.start, end, stays: seen.collect() }
}

/// The size of the group over time, with the nodes that the provider took at the begin of each stretch.
fn sizes(stays: &Stays) -> Vec<(Stretch, u32)> {
    // Came, went, taken by the provider.
    let mut changes = BTreeMap::<Timestamp, (u32, u32, u32)>::from([(stays.start, (0, 0, 0))]);
    for stay in &stays.stays {
        changes.entry(stay.from).or_default().0 += 1;
        if stay.ended != StayEnd::CutOff {
            let change = changes.entry(stay.from + stay.span).or_default();
            change.1 += 1;
            change.2 += u32::from(stay.ended == StayEnd::Lost);
        }
    }
    let ends: Vec<Timestamp> = changes.keys().copied().skip(1).chain([stays.end]).collect();
    let mut size = 0_u32;
    let stretches = changes.into_iter().zip(ends).map(|((from, (came, went, taken)), end)| {
        size = (size + came).saturating_sub(went);
        (Stretch { span: end.since(from).unwrap_or(Span::ZERO), nodes: Some(size) }, taken)
    });
    stretches.filter(|(stretch, taken)| !stretch.span.is_zero() || *taken > 0).collect()
}
