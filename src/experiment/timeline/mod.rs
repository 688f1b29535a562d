//! One replication of each cluster, with all that a picture of it needs.

mod choose;
mod groups;
mod nodes;
mod spend;

pub use choose::{Which, choose};
pub use groups::Group;
pub use nodes::{NodeStay, NodeTrack};

use super::levels::{Level, levels};
use crate::pricing::Ended;
use crate::rng::Streams;
use crate::scenario::cluster::Cluster;
use crate::scenario::job::JobWork;
use crate::scenario::load::Scenario;
use crate::scenario::plan::Market;
use crate::sim::{End, Outcome, Part, Reason, Scratch, Slice, Timeline, simulate};
use crate::units::{Money, SimTime, Span};

/// One replication of one cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct OneRun {
    /// The cluster's place in the scenario.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// How it rents.
    pub market: Market,
    /// Nodes of the whole gang.
    pub nodes: u32,
    /// Number of the replication, from 0.
    pub replication: u64,
    /// What it came to.
    pub outcome: Outcome,
    /// All its time, in order and without a hole.
    pub slices: Vec<Slice>,
    /// A track a slot.
    pub tracks: Vec<NodeTrack>,
    /// What each zone's path would have given; none for a cluster that is On-Demand alone.
    pub zones: Vec<Zone>,
    /// Instants and steps that are made by then; falls where steps are lost.
    pub progress: Vec<(SimTime, u64)>,
    /// Instants and what was spent by then, each stay's bill spread evenly over its time.
    pub spend: Vec<(SimTime, Money)>,
    /// Instants at which nodes were lost, in order.
    pub losses: Vec<Loss>,
    /// What a step is.
    pub scale: Scale,
}

/// Capacity of a zone over the replication.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zone {
    /// Its name, and where there are several the instance type's.
    pub name: String,
    /// How many nodes could be had, in order and without a hole.
    pub levels: Vec<Level>,
}

/// Nodes that were lost at one instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loss {
    /// When.
    pub at: SimTime,
    /// How many.
    pub nodes: u32,
    /// Whether it broke a complete gang, and whether the provider did.
    pub broke: Option<bool>,
    /// Time of steps that have to be made again.
    pub lost: Span,
}

/// What progress is told in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// So many samples a step.
    Samples(u64),
    /// Steps.
    Steps,
    /// Each step is so much time of work.
    IdealTime(Span),
}

/// Of more attempts and lost nodes than this no picture shows anything.
pub const EVENTS_MAX: u32 = 20_000;

/// Replication `replication` of the cluster at `index`; `None` if more than [`EVENTS_MAX`] happens in it.
pub fn one_run(scenario: &Scenario, index: usize, replication: u64) -> Option<OneRun> {
    let (cluster, streams) = (&scenario.clusters[index], &Streams::new(scenario.seed));
    let plan = &cluster.plan;
    // Without a record first: that of a replication that has lost its way would be gigabytes.
    let outcome = simulate(plan, streams, replication, &mut Scratch::default(), &mut ());
    let events = outcome.attempts.saturating_add(outcome.nodes_lost);
    if events > EVENTS_MAX || outcome.end == End::GaveUp(Reason::TooManyEvents) {
        return None;
    }
    let mut timeline = Timeline::default();
    let outcome = simulate(plan, streams, replication, &mut Scratch::default(), &mut timeline);
    let end = SimTime::ZERO + outcome.elapsed;
    let several = cluster.zones.len() * (1 + cluster.fallbacks.len()) > 1;
    let zone = |(index, place)| {
        let (zone, instance) = cluster.place(index);
        let name = match (several, cluster.fallbacks.is_empty()) {
            (_, false) => format!("{zone}, {instance}"),
            _ => zone.to_owned(),
        };
        Zone { name, levels: levels(plan, place, streams, replication, end) }
    };
    let zones = match cluster.market {
        Market::Spot => plan.zones().enumerate().map(zone).collect(),
        Market::OnDemand => Vec::new(),
    };
    let mut progress = vec![(SimTime::ZERO, 0)];
    progress.extend(&timeline.progress);
    progress.push((end, timeline.progress.last().map_or(0, |(_, steps)| *steps)));
    Some(OneRun {
        index,
        name: cluster.name.clone(),
        market: cluster.market,
        nodes: cluster.nodes,
        replication,
        outcome,
        tracks: nodes::tracks(plan, &timeline),
        zones,
        progress,
        spend: spend::spend(&timeline.ledger, &outcome),
        losses: losses(&timeline),
        scale: scale(cluster),
        slices: timeline.slices,
    })
}

fn scale(cluster: &Cluster) -> Scale {
    match (&cluster.job.work, cluster.job.global_batch) {
        (JobWork::IdealTime(_), _) => Scale::IdealTime(cluster.plan.work.step.total()),
        (JobWork::Steps(_), Some(samples)) => Scale::Samples(samples),
        (JobWork::Steps(_), None) => Scale::Steps,
    }
}

/// Stays that we did not end, by instant.
fn losses(timeline: &Timeline) -> Vec<Loss> {
    let mut losses: Vec<Loss> = Vec::new();
    let mut slices = timeline.slices.iter().peekable();
    for stay in timeline.ledger.stays.iter().filter(|stay| stay.ended != Ended::Released) {
        if let Some(last) = losses.last_mut().filter(|loss| loss.at == stay.end) {
            last.nodes += 1;
            continue;
        }
        let broke = timeline.breaks.iter().find(|b| b.at == stay.end).map(|b| b.by_provider);
        let mut lost = Span::ZERO;
        while let Some(slice) = slices.next_if(|slice| slice.to <= stay.end) {
            lost += slice.parts.get(Part::Lost);
        }
        losses.push(Loss { at: stay.end, nodes: 1, broke, lost });
    }
    losses
}
