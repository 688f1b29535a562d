//! A recording as the capacity path of one zone.

use crate::capacity::recorded::{Stretch, level_of};
use crate::records::{Capacity, Content, Held, Recording, Stays};
use crate::units::{Span, Timestamp};

/// A recording that can be replayed.
#[derive(Debug)]
pub struct Replay {
    /// Its stretches.
    pub stretches: Vec<Stretch>,
    /// Share of the time in which nobody looked, in `0..=1`.
    pub not_known: f64,
    /// When it begins; `None` where the recording has no start of its own.
    pub first_instant: Option<Timestamp>,
}

/// How short capacity is gone where nodes are exchanged at one instant: a gang that held one of them has to
/// restart, though the number of nodes never falls.
const EXCHANGE: Span = Span::from_ns(1);

/// What a cluster in `zone` meets. `gang` reads counts as all or nothing: there where at least so many nodes
/// are. Where nobody looked, the level before holds (at the begin: that after).
pub fn replay(recording: &Recording, zone: &str, gang: Option<u32>) -> Result<Replay, String> {
    let (replay, start) = match &recording.content {
        Content::Capacity(series) => {
            let one = one_of(series, zone)?;
            (of_levels(one, gang)?, one.start)
        }
        Content::Stays(stays) => (of_stays(stays, zone_of(stays, zone)?, gang), stays.start),
        _ => return Err("holds no capacity".to_owned()),
    };
    let first_instant = (!recording.about.start_assumed).then_some(start);
    Ok(Replay { first_instant, ..replay })
}

fn one_of<'r>(series: &'r [Capacity], zone: &str) -> Result<&'r Capacity, String> {
    match series {
        [single] => Ok(single),
        _ => {
            let zones: Vec<&str> = series.iter().map(|one| one.label.zone.as_str()).collect();
            series.iter().find(|one| one.label.zone == zone).ok_or_else(|| no_such(zone, &zones))
        }
    }
}

fn zone_of<'r>(stays: &'r Stays, zone: &str) -> Result<&'r str, String> {
    let zones = stays.zones();
    match zones[..] {
        [] => Ok(""),
        [single] => Ok(single),
        _ => zones.iter().find(|one| **one == zone).copied().ok_or_else(|| no_such(zone, &zones)),
    }
}

fn no_such(zone: &str, zones: &[&str]) -> String {
    let listed = zones.iter().take(32).copied().collect::<Vec<_>>().join(", ");
    if zone.is_empty() {
        return format!("is of several zones ({listed}); say with `zones` in which the cluster is");
    }
    format!("has no zone `{zone}`; there are {listed}")
}

fn of_levels(series: &Capacity, gang: Option<u32>) -> Result<Replay, String> {
    let level = |nodes: u32| match gang {
        Some(gang) if series.counts => level_of(nodes >= gang),
        _ if series.counts => nodes,
        _ => level_of(nodes >= 1),
    };
    let Some(first) = series.stretches.iter().find_map(|stretch| stretch.nodes) else {
        return Err("holds no samples that anybody looked at".to_owned());
    };
    let mut before = first;
    let mut not_known = Span::ZERO;
    let stretches = series.stretches.iter().map(|stretch| {
        if stretch.nodes.is_none() {
            not_known += stretch.span;
        }
        before = stretch.nodes.unwrap_or(before);
        Stretch { span: stretch.span, nodes: level(before) }
    });
    let stretches = stretches.collect();
    Ok(Replay { stretches, not_known: not_known.as_secs() / series.length().as_secs(), first_instant: None })
}

fn of_stays(stays: &Stays, zone: &str, gang: Option<u32>) -> Replay {
    let level = |nodes: u32| gang.map_or(nodes, |gang| level_of(nodes >= gang));
    let (mut stretches, mut before) = (Vec::new(), 0_u32);
    for Held { stretch, gone } in stays.sizes(|stay| stay.zone == zone) {
        let nodes = stretch.nodes.unwrap_or_default();
        let left = before.saturating_sub(gone);
        if gone > 0 && nodes > left && stretch.span > EXCHANGE {
            stretches.push(Stretch { span: EXCHANGE, nodes: level(left) });
            stretches.push(Stretch { span: stretch.span - EXCHANGE, nodes: level(nodes) });
        } else {
            stretches.push(Stretch { span: stretch.span, nodes: level(nodes) });
        }
        before = nodes;
    }
    Replay { stretches, not_known: 0.0, first_instant: None }
}
