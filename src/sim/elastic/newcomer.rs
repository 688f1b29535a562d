//! Nodes that come while the gang trains: their own start, and how they join. Rules 41 to 44.

use super::super::engine::Replication;
use super::super::observer::Observer;
use super::booking::Stretch;
use crate::scenario::plan::{ReshardFrom, SparesAre};
use crate::units::{SimTime, Span};

/// Indices of draws that belong to no attempt stand above all attempts.
const BESIDE: u64 = 1 << 32;

impl<O: Observer, const FULL: bool, const LONE: bool> Replication<'_, O, FULL, LONE> {
    /// Nodes beside the gang begin their own part of the start as soon as they are provisioned: those that
    /// are to join it, and warm spares.
    pub(super) fn begin_own_starts(&mut self) {
        let warm = self.plan.spares.is_none_or(|spares| spares.are == SparesAre::Warm);
        let mut places = match self.plan.elastic {
            _ if warm => usize::MAX,
            Some(_) => {
                let started = self.seats.iter().filter(|seat| seat.up_at < SimTime::NEVER || seat.member);
                (self.plan.nodes as usize).saturating_sub(started.count())
            }
            None => 0,
        };
        for index in 0..self.slots.len() {
            let seat = self.seats[index];
            let Some(node) = self.slots[index].node() else { continue };
            if places == 0 || seat.member || seat.up_at < SimTime::NEVER {
                continue;
            }
            let own = if seat.spared { Span::ZERO } else { self.own_start(index, seat.grants) };
            self.counted.count_start(!seat.spared);
            self.seats[index].up_at = self.now.max(node.ready) + own;
            places -= 1;
        }
    }

    /// What the node of the `grant`-th grant of a slot takes for its own part of the start.
    fn own_start(&self, slot: usize, grant: u32) -> Span {
        let index = (slot as u64 + 1) * BESIDE + u64::from(grant);
        let phases = self.plan.start.own();
        phases.map(|(source, law)| self.draw_at(source, law, index)).sum()
    }

    /// When the first of the nodes that the gang has a place for joins, if nothing changes.
    pub(super) fn join_at(&self, stretch: &Stretch) -> SimTime {
        let Some(elastic) = &self.plan.elastic else { return SimTime::NEVER };
        if self.members() >= self.plan.nodes {
            return SimTime::NEVER;
        }
        let beside = self.held().filter(|(_, seat)| !seat.member).map(|(_, seat)| seat.up_at);
        let up_at = beside.fold(SimTime::NEVER, SimTime::min);
        if up_at == SimTime::NEVER {
            return SimTime::NEVER;
        }
        let (training_at, steps) = (stretch.attempt.training_at, stretch.attempt.steps);
        let after = up_at.max(training_at).since(training_at);
        let joins_after = match elastic.reshard_from {
            ReshardFrom::Memory => stretch.cycle.boundary_from(after, steps),
            ReshardFrom::Save => stretch.cycle.save_from_on(after, steps).map(|save| save.ends),
        };
        joins_after.map_or(SimTime::NEVER, |after| training_at + after)
    }

    /// Takes in the nodes that are up, as far as there are places: those that were up first, then those of
    /// the lowest slot. All go on from what was kept: no attempt broke, so none is counted.
    pub(super) fn join(&mut self) -> Stretch {
        for _ in self.members()..self.plan.nodes {
            let beside = self.seats.iter().enumerate().filter(|(_, seat)| !seat.member);
            let up = beside.map(|(index, seat)| (seat.up_at, index)).min();
            let Some((_, index)) = up.filter(|(up_at, _)| *up_at <= self.now) else { break };
            self.seats[index].member = true;
            self.observer.member(self.now, index as u32, true);
        }
        self.go_on_at_this_size(BESIDE + self.reshards + 1)
    }
}
