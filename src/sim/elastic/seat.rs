//! What a node is to a gang that is elastic or has spares.

use super::super::engine::Replication;
use super::super::gang::{Node, Slot, State};
use super::super::loss::Losses;
use super::super::observer::Observer;
use crate::pricing::Ended;
use crate::scenario::plan::Market;
use crate::units::SimTime;

/// What the node of a slot is to the gang; that of an empty slot is nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct Seat {
    /// It trains or brings up with the gang, or did so until the gang broke.
    pub member: bool,
    /// It trained with the gang, so its memory holds the newest state.
    pub holds_state: bool,
    /// When its own part of the start is over; never while that has not begun.
    pub up_at: SimTime,
    /// It came with the first gang that needs neither provision nor start.
    pub spared: bool,
    /// Grants of the slot so far.
    pub grants: u32,
}

impl Default for Seat {
    fn default() -> Self {
        Self { member: false, holds_state: false, up_at: SimTime::NEVER, spared: false, grants: 0 }
    }
}

impl<O: Observer, const FULL: bool, const LONE: bool> Replication<'_, O, FULL, LONE> {
    /// Nodes that train, or bring up, together.
    pub(super) fn members(&self) -> u32 {
        self.seats.iter().map(|seat| u32::from(seat.member)).sum()
    }

    /// Held nodes with their seats.
    pub(super) fn held(&self) -> impl Iterator<Item = (Node, &Seat)> {
        self.slots.iter().zip(self.seats.iter()).filter_map(|(slot, seat)| Some((slot.node()?, seat)))
    }

    /// Takes what is granted now; if `asks`, requests what is missing first, as far as the path allows it.
    /// A gang that is not elastic waits until the path allows the whole of it (rules 1 and 38).
    pub(super) fn ask_and_take(&mut self, asks: bool) {
        let spared = self.attempts == 0 && !self.plan.start.on_first;
        let allowed = self.allowed();
        let mut wanted = self.slots.iter().filter(|slot| slot.state != State::Absent).count();
        for (slot, seat) in self.slots.iter_mut().zip(self.seats.iter_mut()) {
            let was_held = slot.node().is_some();
            match (slot.state, self.market) {
                (State::Absent, Market::OnDemand) if asks => {
                    slot.grant_on_demand(self.plan, self.now, spared);
                }
                (State::Absent, Market::Spot) if asks && wanted < allowed => {
                    slot.ask(self.capacity, self.now);
                    wanted += 1;
                }
                _ => {}
            }
            if slot.state == State::Asked(self.now) {
                slot.grant(self.plan, self.capacity, self.now, spared);
            }
            if !was_held && slot.node().is_some() {
                *seat = Seat { spared, grants: seat.grants + 1, ..Seat::default() };
            }
        }
    }

    /// How many nodes may be held or asked for.
    fn allowed(&self) -> usize {
        let level = self.supply.level::<true>();
        if self.plan.elastic.is_none() && level < self.plan.nodes { 0 } else { level as usize }
    }

    /// The losses of this instant, of all nodes; gives those of members.
    pub(super) fn take_losses_beside(&mut self) -> Losses {
        let fails = |node: Node| node.dies <= self.now && node.ends == Ended::Failed;
        let failed = self.held().map(|(node, seat)| u32::from(seat.member && fails(node))).sum();
        let before = self.members();
        self.take_losses();
        for (slot, seat) in self.slots.iter().zip(self.seats.iter_mut()) {
            if slot.node().is_none() {
                *seat = Seat { grants: seat.grants, ..Seat::default() };
            }
        }
        self.void_requests();
        Losses { reclaimed: before - self.members() - failed, failed }
    }

    /// Rule 3: a request that the path no longer allows is void, that of the highest slot first.
    fn void_requests(&mut self) {
        let is_asked = |slot: &Slot| matches!(slot.state, State::Asked(_));
        let mut room = self.allowed().saturating_sub(self.held().count());
        for slot in self.slots.iter_mut().filter(|slot| is_asked(slot)) {
            match room.checked_sub(1) {
                Some(rest) => room = rest,
                None => slot.state = State::Absent,
            }
        }
    }
}
