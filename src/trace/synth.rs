//! A trace drawn from the `[capacity]` of a scenario.

use crate::capacity::path::{ANY, Path};
use crate::records::{About, Capacity, Content, Label, Recording, Stay, StayEnd, Stays, Stretch};
use crate::rng::{Source, Streams};
use crate::scenario::load::Scenario;
use crate::scenario::plan::{self, Market};
use crate::units::{SimTime, Span, Timestamp};

/// What is drawn begins on this Monday where nothing says when.
const MONDAY: &str = "2024-01-01T00:00:00Z";
/// A trace of more changes than this would fill the memory.
const CHANGES_MAX: usize = 20_000_000;

/// Why nothing can be drawn.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SynthError {
    /// Only On-Demand clusters.
    #[error("the scenario has no Spot cluster, so there is no capacity to draw")]
    NoSpot,
    /// Two clusters of one zone do not meet the same capacity.
    #[error(
        "the clusters \"{0}\" and \"{1}\" are in the zone \"{2}\", each with a [capacity] of its own: give them zones of their own"
    )]
    Differ(String, String, String),
    /// Too much to hold.
    #[error("capacity changes more than {CHANGES_MAX} times in this length: ask for less")]
    TooMany,
}

/// The zones of the scenario's Spot clusters as replication `replication` meets them from submit on, for
/// `length`. Where nodes have lifetimes, shocks or losses of their own it is the stays of nodes: one after the
/// other in each slot of a zone's largest cluster, asked for as soon as the path has one for the slot.
pub fn synth(scenario: &Scenario, replication: u64, length: Span) -> Result<Recording, SynthError> {
    let zones = places(scenario)?;
    let drawn = Drawn { streams: Streams::new(scenario.seed), replication, end: SimTime::ZERO + length };
    let submit = scenario.clusters.iter().find_map(|cluster| cluster.job.submit);
    let (start, start_assumed) = submit.map_or_else(|| start(&zones, &drawn), |submit| (submit, false));
    let about = About {
        title: Some(format!("Drawn from the scenario {}, not recorded", scenario.name)),
        source: Some(format!("spotsim trace synth, replication {replication} of seed {}", scenario.seed)),
        start_assumed,
        ..About::default()
    };
    let content = match zones.iter().any(|place| has_nodes_of_its_own(place.capacity)) {
        true => {
            let mut stays = Vec::new();
            for &place in &zones {
                drawn.stays(place, start, &mut stays)?;
            }
            stays.sort_by_key(|stay: &Stay| stay.from);
            Content::Stays(Stays { start, end: start + length, stays })
        }
        false => Content::Capacity(drawn.capacity(&zones, start)?),
    };
    Ok(Recording { about, content, remarks: Vec::new() })
}

/// A zone of a Spot cluster.
#[derive(Clone, Copy)]
struct Place<'a> {
    cluster: &'a str,
    zone: &'a str,
    nodes: u32,
    capacity: &'a plan::Capacity,
}

/// Each zone of the Spot clusters, for the largest cluster that may be in it, in the order of the file.
fn places(scenario: &Scenario) -> Result<Vec<Place<'_>>, SynthError> {
    let mut places: Vec<Place<'_>> = Vec::new();
    for cluster in scenario.clusters.iter().filter(|cluster| cluster.market == Market::Spot) {
        for (zone, (capacity, _)) in cluster.zones.iter().zip(cluster.plan.zones()) {
            let place = Place { cluster: &cluster.name, zone, nodes: cluster.nodes, capacity };
            match places.iter_mut().find(|known| known.zone == zone) {
                None => places.push(place),
                Some(known) if known.capacity != capacity => {
                    let names = (known.cluster.to_owned(), cluster.name.clone());
                    return Err(SynthError::Differ(names.0, names.1, zone.clone()));
                }
                Some(known) if known.nodes < cluster.nodes => *known = place,
                Some(_) => {}
            }
        }
    }
    if places.is_empty() { Err(SynthError::NoSpot) } else { Ok(places) }
}

fn has_nodes_of_its_own(capacity: &plan::Capacity) -> bool {
    capacity.lifetime.is_some() || !capacity.shocks.is_empty() || !capacity.losses.is_empty()
}

/// When a trace begins that no submit dates, and whether its hours of the day mean nothing.
fn start(zones: &[Place<'_>], drawn: &Drawn) -> (Timestamp, bool) {
    let monday: Timestamp = MONDAY.parse().expect("the constant is a time");
    let hours = zones.iter().find_map(|place| match &place.capacity.path {
        Path::OnOff(on_off) if on_off.hours().is_some() => Some(on_off),
        _ => None,
    });
    match hours {
        Some(on_off) => (monday + on_off.week_begin(&drawn.streams, drawn.replication), false),
        None => (monday, true),
    }
}

/// One replication, up to an end.
struct Drawn {
    streams: Streams,
    replication: u64,
    end: SimTime,
}

/// A change of a path: the lowest level met at its instant, and the level from then on.
struct Change {
    at: SimTime,
    lowest: u32,
    level: u32,
}

impl Drawn {
    /// The path of a zone; the first change is its beginning.
    fn path(&self, capacity: &plan::Capacity) -> Result<Vec<Change>, SynthError> {
        let mut walk = capacity.path.walk(&self.streams, capacity.zone, self.replication);
        let mut changes = vec![Change { at: SimTime::ZERO, lowest: walk.level(), level: walk.level() }];
        while walk.next_change() < self.end {
            let at = walk.next_change();
            let lowest = walk.pass(at);
            changes.push(Change { at, lowest, level: walk.level() });
            if changes.len() > CHANGES_MAX {
                return Err(SynthError::TooMany);
            }
        }
        Ok(changes)
    }

    fn capacity(&self, zones: &[Place<'_>], start: Timestamp) -> Result<Vec<Capacity>, SynthError> {
        let paths: Result<Vec<_>, _> = zones.iter().map(|place| self.path(place.capacity)).collect();
        let paths = paths?;
        let counts = paths.iter().flatten().any(|change| change.level != 0 && change.level != ANY);
        let series = zones.iter().zip(&paths).map(|(place, path)| {
            let most = if counts { place.nodes } else { 1 };
            let ends = path.iter().skip(1).map(|change| change.at).chain([self.end]);
            let mut stretches: Vec<Stretch> = Vec::new();
            for (change, end) in path.iter().zip(ends) {
                let (span, nodes) = (end.since(change.at), Some(change.level.min(most)));
                match stretches.last_mut() {
                    _ if span.is_zero() => {}
                    Some(last) if last.nodes == nodes => last.span += span,
                    _ => stretches.push(Stretch { span, nodes }),
                }
            }
            let label = Label { zone: place.zone.to_owned(), ..Label::default() };
            Capacity { label, start, counts, stretches }
        });
        Ok(series.collect())
    }

    fn stays(&self, place: Place<'_>, start: Timestamp, stays: &mut Vec<Stay>) -> Result<(), SynthError> {
        let path = self.path(place.capacity)?;
        let hits = self.hits(place)?;
        for (slot, hits) in (0..).zip(&hits) {
            self.stays_of_slot(place, slot, &windows(&path, slot), hits, start, stays)?;
        }
        Ok(())
    }

    /// When a shock or a loss of the scenario takes the node of each slot, in order of time.
    fn hits(&self, place: Place<'_>) -> Result<Vec<Vec<SimTime>>, SynthError> {
        let capacity = place.capacity;
        let mut hits: Vec<Vec<SimTime>> = vec![Vec::new(); place.nodes as usize];
        let mut count = 0;
        for loss in &capacity.losses {
            for &slot in &loss.slots {
                if let Some(hits) = hits.get_mut(slot as usize) {
                    hits.push(loss.at);
                }
            }
        }
        for (shock, entry) in capacity.shocks.iter().zip(0..) {
            let mut walk = shock.walk(&self.streams, self.replication, entry);
            while walk.next_at() < self.end {
                let hit = walk.hits(shock, &self.streams, capacity.zone, self.replication);
                for (slot, _) in hits.iter_mut().zip(hit).filter(|(_, hit)| *hit) {
                    slot.push(walk.next_at());
                }
                walk.pass(shock);
                count += hits.len();
                if count > CHANGES_MAX {
                    return Err(SynthError::TooMany);
                }
            }
        }
        hits.iter_mut().for_each(|slot| slot.sort());
        Ok(hits)
    }

    /// Draws are those of the engine: the k-th delay and the k-th lifetime of the slot for its k-th grant.
    fn stays_of_slot(
        &self,
        place: Place<'_>,
        slot: u32,
        windows: &[(SimTime, SimTime)],
        hits: &[SimTime],
        start: Timestamp,
        stays: &mut Vec<Stay>,
    ) -> Result<(), SynthError> {
        let capacity = place.capacity;
        let stream = |source| self.streams.stream(source, capacity.zone, self.replication, u64::from(slot));
        let (mut delays, mut lives) = (stream(Source::Acquire), stream(Source::Lifetime));
        let (mut pending, mut grants) = (None, 0_u64);
        for &(opens, closes) in windows {
            let mut free_at = opens;
            loop {
                let law = if grants == 0 { &capacity.acquire_first } else { &capacity.acquire };
                let granted = free_at + *pending.get_or_insert_with(|| law.sample(&mut delays));
                // A request that the path no longer allows is void and keeps its draw.
                if granted >= closes.min(self.end) {
                    break;
                }
                pending = None;
                grants += 1;
                let life = capacity.lifetime.as_ref().map(|law| law.sample(&mut lives).max(Span::from_ns(1)));
                let hit = hits.get(hits.partition_point(|at| *at <= granted));
                let dies = life.map_or(SimTime::NEVER, |life| granted + life);
                let lost = dies.min(closes).min(hit.copied().unwrap_or(SimTime::NEVER));
                let ended = if lost < self.end { StayEnd::Lost } else { StayEnd::CutOff };
                stays.push(Stay {
                    node: format!("{}/{slot}.{grants}", place.zone),
                    zone: place.zone.to_owned(),
                    from: start + granted.since_submit(),
                    span: lost.min(self.end).since(granted),
                    ended,
                });
                if stays.len() > CHANGES_MAX {
                    return Err(SynthError::TooMany);
                }
                free_at = lost;
            }
        }
        Ok(())
    }
}

/// From when to when the path has a node for `slot`, each time.
fn windows(path: &[Change], slot: u32) -> Vec<(SimTime, SimTime)> {
    let (mut windows, mut open) = (Vec::new(), None);
    for change in path {
        if change.lowest <= slot {
            windows.extend(open.take().map(|from| (from, change.at)));
        }
        if change.level > slot {
            open.get_or_insert(change.at);
        }
    }
    windows.extend(open.map(|from| (from, SimTime::NEVER)));
    windows
}
