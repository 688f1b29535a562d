//! Until enough nodes are there, and how the gang begins or goes on then: rules 38 to 40.

use super::super::engine::Replication;
use super::super::gang::{Node, State};
use super::super::observer::Observer;
use super::super::outcome::{End, Part, Reason};
use super::booking::Stretch;
use super::seat::Seat;
use crate::rng::Source;
use crate::units::{SimTime, Span};

impl<O: Observer, const FULL: bool, const LONE: bool> Replication<'_, O, FULL, LONE> {
    /// One instant after the other until the gang can begin or go on, or the replication is over.
    pub(super) fn assemble(&mut self) -> Result<Stretch, End> {
        loop {
            if self.is_lost_in_events() {
                return Err(End::GaveUp(Reason::TooManyEvents));
            }
            self.ask_and_take(true);
            if let Some(stretch) = self.form() {
                return Ok(stretch);
            }
            let provisioned = self.held().map(|(node, _)| node.ready).filter(|ready| *ready > self.now);
            let ready = provisioned.fold(SimTime::NEVER, SimTime::min);
            let (granted, taken_at) = self.next_grant_and_loss();
            let stop_at = self.latest_end;
            let next = ready.min(granted).min(taken_at).min(stop_at);
            self.book(self.waits_for(), next.since(self.now), self.now);
            self.now = next;
            if ready <= next
                && let Some(stretch) = self.form()
            {
                return Ok(stretch);
            }
            if taken_at <= next {
                self.take_losses_beside();
                self.forget_memory_of_nobody();
            }
            if let Some(end) = self.end_by_clock() {
                return Err(end);
            }
        }
    }

    /// What the least advanced of as many nodes as are needed waits for (rule 4).
    fn waits_for(&self) -> Part {
        let needed = self.plan.least_nodes() as usize;
        let asked = self.slots.iter().filter(|slot| matches!(slot.state, State::Asked(_))).count();
        match self.held().count() {
            held if held >= needed => Part::Provisioning,
            held if held + asked >= needed => Part::Acquiring,
            _ => Part::Queued,
        }
    }

    /// The next stretch, if there are nodes enough for one.
    fn form(&mut self) -> Option<Stretch> {
        let now = self.now;
        let count = |fits: &dyn Fn(Node, &Seat) -> bool| {
            self.held().filter(|(node, seat)| fits(*node, seat)).count() as u64
        };
        let least = u64::from(self.plan.least_nodes());
        let is_up = |_: Node, seat: &Seat| seat.up_at <= now;
        let is_provisioned = |node: Node, _: &Seat| node.ready <= now;
        if self.plan.elastic.is_some() && self.attempts > 0 && count(&is_up) >= least {
            self.choose_members(is_up);
            self.attempts += 1;
            return Some(self.go_on_at_this_size(u64::from(self.attempts)));
        }
        if count(&is_provisioned) < least {
            return None;
        }
        self.choose_members(is_provisioned);
        self.attempts += 1;
        Some(self.begin())
    }

    /// Makes members of all nodes that fit. Where these are more than the gang takes, nodes that hold the
    /// state come first, then those that are up first, provisioned first, of the lowest slot.
    fn choose_members(&mut self, fits: impl Fn(Node, &Seat) -> bool) {
        let mut members = 0;
        for (slot, seat) in self.slots.iter().zip(self.seats.iter_mut()) {
            seat.member = slot.node().is_some_and(|node| fits(node, seat));
            members += u32::from(seat.member);
        }
        for _ in self.plan.nodes..members {
            let rank = |index: usize| {
                let (node, seat) = (self.slots[index].node()?, self.seats[index]);
                seat.member.then_some((!seat.holds_state, seat.up_at, node.ready, index))
            };
            let last = (0..self.seats.len()).filter_map(rank).max().expect("the gang has a member");
            self.seats[last.3].member = false;
        }
        for (slot, seat) in self.seats.iter().enumerate() {
            self.observer.member(self.now, slot as u32, seat.member);
        }
    }

    /// A gang that begins: each node that is not up yet does its own part of the start, then all do the joint
    /// part and, but for the first gang, restore what they go on from.
    fn begin(&mut self) -> Stretch {
        let start = &self.plan.start;
        let first = self.attempts == 1;
        let spared = first && !start.on_first;
        let sum = |sum: Span, (source, law)| sum + self.draw(source, law);
        let (own, joint) = match spared {
            true => (Span::ZERO, Span::ZERO),
            false => (start.own().fold(Span::ZERO, sum), start.joint().fold(Span::ZERO, sum)),
        };
        let mut all_up = self.now;
        for seat in self.seats.iter_mut().filter(|seat| seat.member) {
            if seat.up_at == SimTime::NEVER {
                seat.up_at = self.now + own;
                self.counted.count_start(!spared);
            }
            all_up = all_up.max(seat.up_at);
        }
        let restores = !first && !self.memory_lives();
        let restoring = match first {
            true => Span::ZERO,
            false if restores => self.draw(Source::Restore, &start.restore),
            false => self.draw_reshard(),
        };
        Stretch { restores, ..self.stretch(all_up.since(self.now) + joint, restoring, false) }
    }

    /// An elastic gang that goes on with its present members, all of them up; `restore` is the number of the
    /// draw of a restore.
    pub(super) fn go_on_at_this_size(&mut self, restore: u64) -> Stretch {
        let reshard = self.draw_reshard();
        let restores = !self.memory_lives();
        let restore = match restores {
            true => self.draw_at(Source::Restore, &self.plan.start.restore, restore),
            false => Span::ZERO,
        };
        Stretch { restores, ..self.stretch(Span::ZERO, reshard + restore, false) }
    }

    /// The draw of the next change of the gang.
    pub(super) fn draw_reshard(&mut self) -> Span {
        self.reshards += 1;
        let Some(elastic) = &self.plan.elastic else { return Span::ZERO };
        self.draw_at(Source::Reshard, &elastic.reshard, self.reshards)
    }
}
