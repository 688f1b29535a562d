//! What each node did.

use crate::scenario::plan::Plan;
use crate::sim::{Part, Slice, Stay, Timeline};
use crate::units::SimTime;

/// The stays in one slot of the gang, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeTrack {
    /// The slot, from 0.
    pub slot: u32,
    /// Its nodes, one after the other.
    pub stays: Vec<NodeStay>,
}

/// One node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeStay {
    /// From grant to end, and the bill.
    pub stay: Stay,
    /// What it did: provisioning, then what the gang does, or [`Part::Idle`] while it waits for the gang or stands
    /// beside it. In order and without a hole.
    pub pieces: Vec<(Part, SimTime, SimTime)>,
}

/// A track for each slot that ever had a node.
pub(super) fn tracks(plan: &Plan, timeline: &Timeline) -> Vec<NodeTrack> {
    let stands_beside = plan.elastic.is_some() || plan.spares.is_some();
    (0..plan.slots())
        .map(|slot| {
            let mut stays: Vec<Stay> =
                timeline.ledger.stays.iter().filter(|stay| stay.slot == slot).copied().collect();
            stays.sort_by_key(|stay| (stay.granted, stay.end));
            let of = |stay: Stay| {
                let changes = timeline.members.iter().filter(|(_, of, _)| *of == slot && stands_beside);
                let changes: Vec<(SimTime, bool)> = changes.map(|(at, _, is)| (*at, *is)).collect();
                NodeStay { pieces: pieces(&stay, &timeline.slices, stands_beside.then_some(&changes)), stay }
            };
            NodeTrack { slot, stays: stays.into_iter().map(of).collect() }
        })
        .filter(|track| !track.stays.is_empty())
        .collect()
}

/// `changes`: when the node of the slot began or ceased to be a member; without, it always is one.
fn pieces(
    stay: &Stay,
    slices: &[Slice],
    changes: Option<&Vec<(SimTime, bool)>>,
) -> Vec<(Part, SimTime, SimTime)> {
    let mut pieces: Vec<(Part, SimTime, SimTime)> = Vec::new();
    let mut add = |part, from: SimTime, to: SimTime| match pieces.last_mut() {
        _ if from >= to => {}
        // Two waits are one; two stretches of steps are not, a save of no length may lie between.
        Some((Part::Idle, _, end)) if part == Part::Idle => *end = to,
        _ => pieces.push((part, from, to)),
    };
    let runs_at = stay.provisioned.min(stay.end);
    add(Part::Provisioning, stay.granted, runs_at);
    // Who takes part in what begins at an instant is a member after its changes.
    let is_member = |at: SimTime| {
        changes.is_none_or(|changes| {
            let mut since = changes.iter().filter(|(when, _)| *when >= stay.granted && *when <= at);
            since.next_back().is_some_and(|(_, is_member)| *is_member)
        })
    };
    let first = slices.partition_point(|slice| slice.to <= runs_at);
    for slice in slices[first..].iter().take_while(|slice| slice.from < stay.end) {
        let gathers = matches!(slice.part, Part::Queued | Part::Acquiring | Part::Provisioning);
        let part = if gathers || !is_member(slice.from) { Part::Idle } else { slice.part };
        add(part, slice.from.max(runs_at), slice.to.min(stay.end));
    }
    pieces
}
