//! Rules and the horizon, which end a replication before its work is done.

use super::engine::Replication;
use super::observer::Observer;
use super::outcome::{End, Reason};
use crate::scenario::plan::Plan;
use crate::units::SimTime;

impl<O: Observer, const FULL: bool, const LONE: bool> Replication<'_, O, FULL, LONE> {
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
        let may_end = self.now >= self.latest_end || self.plan.limits.max_run.is_some();
        if may_end { self.ended_by_clock() } else { None }
    }

    fn ended_by_clock(&self) -> Option<End> {
        if self.now >= wait_limit(self.plan) {
            return Some(End::GaveUp(Reason::MaxWait));
        }
        if self.plan.limits.max_run.is_some_and(|max_run| self.run_used >= max_run) {
            return Some(End::GaveUp(Reason::MaxRun));
        }
        (self.now >= SimTime::ZERO + self.plan.horizon).then_some(End::Censored)
    }

    /// The first limit, or the horizon, that an attempt begun at `begin` meets.
    #[inline]
    pub(super) fn attempt_limit(&self, begin: SimTime) -> SimTime {
        match self.plan.limits.max_run {
            Some(max_run) => self.latest_end.min(begin + max_run.saturating_sub(self.run_used)),
            None => self.latest_end,
        }
    }
}

/// When a run of `plan` has waited for too long.
pub(super) fn wait_limit(plan: &Plan) -> SimTime {
    plan.limits.max_wait.map_or(SimTime::NEVER, |span| SimTime::ZERO + span)
}

/// When a run of `plan` ends at the latest: then, or at the horizon.
pub(super) fn latest_end(plan: &Plan) -> SimTime {
    wait_limit(plan).min(SimTime::ZERO + plan.horizon)
}
