//! Rules and the horizon, which end a replication before its work is done.

use super::engine::Replication;
use super::observer::Observer;
use super::outcome::{End, Reason};
use crate::units::SimTime;

impl<O: Observer, const FULL: bool> Replication<'_, O, FULL> {
    /// Rule 17: whether the loss that just broke the gang ends the run.
    #[inline]
    pub(super) fn end_by_loss(&mut self, gained: u64) -> Option<Reason> {
        self.fruitless = if gained > 0 { 0 } else { self.fruitless + 1 };
        let limits = &self.plan.limits;
        if limits.max_restarts.is_some_and(|k| u64::from(self.attempts) > k) {
            return Some(Reason::MaxRestarts);
        }
        limits
            .attempts_without_progress
            .is_some_and(|k| self.fruitless > k)
            .then_some(Reason::AttemptsWithoutProgress)
    }

    /// Whether a limit or the horizon ends the run at this instant; `gave_up` wins.
    #[inline]
    pub(super) fn end_by_clock(&self) -> Option<End> {
        if self.now >= self.wait_limit() {
            return Some(End::GaveUp(Reason::MaxWait));
        }
        if self.plan.limits.max_run.is_some_and(|max_run| self.run_used >= max_run) {
            return Some(End::GaveUp(Reason::MaxRun));
        }
        (self.now >= self.horizon()).then_some(End::Censored)
    }

    /// When the run has waited for too long.
    #[inline]
    pub(super) fn wait_limit(&self) -> SimTime {
        self.plan.limits.max_wait.map_or(SimTime::NEVER, |span| SimTime::ZERO + span)
    }

    /// The first limit that an attempt begun at `begin` meets.
    #[inline]
    pub(super) fn attempt_limit(&self, begin: SimTime) -> SimTime {
        let wait = self.wait_limit();
        match self.plan.limits.max_run {
            Some(max_run) => wait.min(begin + max_run.saturating_sub(self.run_used)),
            None => wait,
        }
    }

    #[inline]
    pub(super) fn horizon(&self) -> SimTime {
        SimTime::ZERO + self.plan.horizon
    }
}
