//! Gangs that train with fewer nodes too, and gangs with spares: rules 38 to 47.
//!
//! Such a gang alternates between [`Replication::assemble`], until enough nodes are there, and
//! [`Replication::train`], one stretch after the other until a loss breaks it. A stretch is training at one
//! size and one cadence of saves: it is deterministic, and booked in closed form when it ends. What happens
//! beside the gang meanwhile (nodes that come, spares that go) costs an event each and leaves it alone.

mod assemble;
mod booking;
mod newcomer;
mod seat;

pub(super) use booking::Memory;
pub(super) use seat::Seat;

use self::booking::Stretch;
use super::engine::{EFFORT_MAX, Left, Replication};
use super::limits::wait_limit;
use super::loss::Losses;
use super::observer::Observer;
use super::outcome::{End, Outcome, Part, Reason};
use crate::rng::Source;
use crate::units::SimTime;

impl<O: Observer, const FULL: bool, const LONE: bool> Replication<'_, O, FULL, LONE> {
    /// The whole replication of a gang that is elastic or has spares.
    #[cold]
    pub(super) fn run_elastic(&mut self) -> Outcome {
        // Rules come before grants at submit too.
        let mut ended = (self.now >= wait_limit(self.plan)).then_some(End::GaveUp(Reason::MaxWait));
        let end = loop {
            if let Some(end) = ended {
                break end;
            }
            ended = match self.assemble() {
                Ok(stretch) => self.train(stretch),
                Err(end) => Some(end),
            };
        };
        self.forget_memory();
        self.finish(end)
    }

    /// Trains until a loss breaks the gang, which then is to be assembled, or until the replication is over.
    /// Each turn is the second half of an instant (requests and grants), a stretch of time, and the first
    /// half of the next instant: the order of rule 16.
    fn train(&mut self, mut stretch: Stretch) -> Option<End> {
        loop {
            if self.is_lost_in_events() {
                self.book_stretch(&stretch, Left::Durable);
                return Some(End::GaveUp(Reason::TooManyEvents));
            }
            // A gang that was complete at this instant may be lost at it, and losses come before grants.
            if self.next_grant_and_loss().1 > self.now {
                self.ask_and_take(true);
                self.begin_own_starts();
            }
            let (granted, taken_at) = self.next_grant_and_loss();
            let stop_at = self.attempt_limit(stretch.attempt.begun);
            let ends_at = stretch.done_at.min(stretch.saved_at).min(self.join_at(&stretch));
            self.now = granted.min(taken_at).min(stop_at).min(ends_at);
            if self.now == stretch.done_at {
                self.book_stretch(&stretch, Left::Done);
                return Some(End::Finished);
            }
            if taken_at <= self.now {
                let losses = self.take_losses_beside();
                if losses.any() {
                    return self.break_up(&stretch, losses);
                }
            }
            if self.now >= stop_at {
                self.book_stretch(&stretch, Left::Durable);
                return self.end_by_clock();
            }
            if self.now == stretch.saved_at {
                self.book_stretch(&stretch, Left::Durable);
                stretch = self.go_on();
            } else if self.join_at(&stretch) <= self.now {
                self.book_stretch(&stretch, Left::Durable);
                stretch = self.join();
            }
        }
    }

    /// After the gang lost members: what becomes of the stretch, the hang until that is noticed, and rules
    /// that end the replication.
    fn break_up(&mut self, stretch: &Stretch, losses: Losses) -> Option<End> {
        let announced = losses.reclaimed > 0 && self.notice_comes();
        let noticed = match announced {
            true => self.steps_saved_at_notice(stretch.attempt, &stretch.cycle, stretch.goes_on),
            false => None,
        };
        let held_before = self.memory.steps;
        let saves = self.book_stretch(stretch, noticed.map_or(Left::Durable, Left::Noticed));
        self.forget_memory_of_nobody();
        match losses.reclaimed {
            0 => self.failures += 1,
            _ => self.preemptions += 1,
        }
        self.observer.broken(self.now, losses.reclaimed > 0);
        let ended = if announced || !self.may_hang() { None } else { self.hang_beside() };
        if ended.is_some() {
            return ended;
        }
        // Steps that survivors hold are as good as saved.
        let gained = saves + self.memory.steps.saturating_sub(held_before);
        match self.end_by_loss(gained) {
            Some(reason) => Some(End::GaveUp(reason)),
            None => self.end_by_clock(),
        }
    }

    /// Lets the members that are left hang until they notice a loss, as [`Self::hang`] does, while nodes that
    /// were asked for come.
    fn hang_beside(&mut self) -> Option<End> {
        let detected_at = self.now + self.draw(Source::Detection, &self.plan.start.detection);
        let stop_at = self.attempt_limit(self.now);
        loop {
            if self.is_lost_in_events() {
                return Some(End::GaveUp(Reason::TooManyEvents));
            }
            if self.members() == 0 || self.now >= detected_at {
                return None;
            }
            self.ask_and_take(false);
            self.begin_own_starts();
            let (granted, taken_at) = self.next_grant_and_loss();
            let next = detected_at.min(granted).min(taken_at).min(stop_at);
            let span = next.since(self.now);
            self.run_used += span;
            self.book(Part::Lost, span, self.now);
            let absent = u128::from(self.plan.nodes - self.members());
            self.absent_node_ns += absent * u128::from(span.ns());
            self.now = next;
            if taken_at <= next {
                self.take_losses_beside();
                self.forget_memory_of_nobody();
            }
            if next < detected_at
                && let Some(end) = self.end_by_clock()
            {
                return Some(end);
            }
        }
    }

    /// Whether this replication has looked at more than it may.
    fn is_lost_in_events(&mut self) -> bool {
        self.effort += self.slots.len() as u64;
        self.effort > EFFORT_MAX
    }

    /// When the next request is granted, and when a node or a request may be taken next.
    fn next_grant_and_loss(&self) -> (SimTime, SimTime) {
        let (mut granted, mut taken_at) = (SimTime::NEVER, self.next_change_from_outside());
        for slot in self.slots.iter() {
            granted = granted.min(slot.granted_at());
            taken_at = slot.node().map_or(taken_at, |node| taken_at.min(node.dies));
        }
        (granted, taken_at)
    }
}
