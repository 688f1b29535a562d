//! Leaving Spot for On-Demand, and back, when the policy says so.

use super::engine::{Attempt, EFFORT_MAX, Replication};
use super::gang::State;
use super::observer::Observer;
use super::zones::pass_unfelt;
use crate::checkpoint::{Cycle, Pace};
use crate::policy::{Policy, Running, Stage, View};
use crate::scenario::plan::Market;
use crate::units::{SimTime, Span};

/// When a gang last changed its mind about the market, and since when Spot is there.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Mind {
    changed: SimTime,
    settled_until: SimTime,
    spot_since: Option<SimTime>,
}

impl<O: Observer, const FULL: bool, const LONE: bool> Replication<'_, O, FULL, LONE> {
    /// What the gang that gathers is doing; On-Demand nodes kept for a gang on Spot do nothing.
    fn stage(&self) -> Stage {
        let idle = self.slots[self.anchors()..].iter().all(|slot| slot.state == State::Absent);
        if idle { Stage::Waiting } else { Stage::Preparing }
    }

    /// When the gathering gang gives up Spot, if nothing changes.
    #[inline]
    pub(super) fn leave_spot_at(&self) -> SimTime {
        match self.plan.policy {
            _ if LONE => SimTime::NEVER,
            Policy::SpotOnly | Policy::OnDemandOnly => SimTime::NEVER,
            _ if self.market == Market::OnDemand => SimTime::NEVER,
            _ => {
                let steps = self.plan.work.steps - self.durable_steps;
                self.plan.policy.leave_spot_at(&self.view(self.stage(), self.now, steps))
            }
        }
    }

    /// Gives up Spot if the policy wants it now.
    #[inline]
    pub(super) fn leave_spot_if_due(&mut self) {
        if self.leave_spot_at() <= self.now {
            self.change_to(Market::OnDemand);
        }
    }

    /// When the policy gives up Spot in an attempt that would otherwise go on until `until`. Each save
    /// that becomes durable on the way leaves less to do on On-Demand, so the instant is asked for again
    /// after each.
    pub(super) fn leave_spot_at_during(
        &mut self,
        attempt: Attempt,
        cycle: &Cycle<impl Pace>,
        until: SimTime,
    ) -> SimTime {
        let stays = LONE || matches!(self.plan.policy, Policy::SpotOnly | Policy::OnDemandOnly);
        if stays || self.market == Market::OnDemand {
            return SimTime::NEVER;
        }
        let Attempt { training_at, steps, .. } = attempt;
        let (mut saves, mut kept) = (0, 0);
        // On a type that is slower than the first, slack may shrink all the time.
        let slower = self.other_machine().is_some();
        loop {
            self.effort += u64::from(slower);
            if slower && self.effort > EFFORT_MAX {
                return SimTime::NEVER;
            }
            let view = self.view(Stage::Training, self.now, steps - kept);
            let leave_at = self.plan.policy.leave_spot_at(&view).max(self.now);
            let Some(save) = cycle.save(saves + 1, steps).filter(|save| training_at + save.ends < until)
            else {
                return leave_at;
            };
            if leave_at < training_at + save.ends {
                return leave_at;
            }
            // From one save to the next the slack shrinks only by how saves fall on step boundaries (and
            // grows while burst credits make steps faster than the policy counts on). With more slack
            // than that can ever take, no later save needs a look.
            let slack = leave_at.since(training_at + save.ends);
            if !slower && slack > cycle.step().times(4) + cycle.stall().times(2) + cycle.upload().times(2) {
                return SimTime::NEVER;
            }
            (saves, kept) = (saves + 1, save.steps);
        }
    }

    /// Gives back what is held or asked for, and goes on in the other market.
    #[cold]
    pub(super) fn change_to(&mut self, market: Market) {
        self.release_all();
        if FULL && self.machine.is_some() {
            self.book_kept();
        }
        self.market = market;
        self.mind.changed = self.now;
        self.mind.settled_until = self.now + self.plan.policy.dwell();
        if FULL {
            self.look_for_spot(self.now);
        }
    }

    /// What the policy sees at `now` with so many steps left to make.
    ///
    /// Apart from its callers, so that clusters whose policy never asks do not carry it.
    #[inline(never)]
    fn view(&self, stage: Stage, now: SimTime, steps: u64) -> View {
        let start = &self.plan.start;
        let way_s = self.longest_way_of_save(stage).as_secs();
        let later = Span::from_secs_saturating(start.restore.mean_s() + start.bring_up_mean_s() + way_s);
        let first_s = if start.on_first { start.bring_up_mean_s() } else { 0.0 };
        // A Spot gang that is under way may begin to train, so from it the next restart is no first one.
        let is_first = self.attempts == 0 && stage == Stage::Waiting;
        let restart = if is_first { Span::from_secs_saturating(first_s + way_s) } else { later };
        // Without credits: new nodes would have them, but a deadline that does not need them is safe.
        let cycle = &self.plan.cycle;
        View {
            stage,
            now,
            total: cycle.duration(self.plan.work.steps),
            remaining: cycle.duration(steps),
            restart,
            longer_later: later.saturating_sub(restart),
            spot_since: self.mind.spot_since,
            changed: self.mind.changed,
            settled_until: self.mind.settled_until,
        }
    }

    /// Whether the gang is on On-Demand and may leave it.
    pub(super) fn may_return(&self) -> bool {
        self.market == Market::OnDemand && self.plan.policy.may_leave_on_demand()
    }

    /// Looks whether Spot can be had at `now`, in any zone, for a policy that goes back to it; no Spot node is held.
    pub(super) fn look_for_spot(&mut self, now: SimTime) {
        if !self.plan.policy.may_leave_on_demand()
            || self.stage() != Stage::Waiting && self.market == Market::Spot
        {
            return;
        }
        let nodes = self.spot_nodes();
        self.supply.pass::<true>(now, self.prices);
        pass_unfelt(self.capacity, &mut self.losses, self.shocks, now, &mut self.effort);
        let mut has_spot = self.supply.level::<true>() >= nodes;
        for (away, parked) in self.away.iter_mut().zip(self.parked.iter_mut()) {
            has_spot |= away.level_at(parked, now, &mut self.effort) >= nodes;
        }
        self.mind.spot_since = has_spot.then(|| self.mind.spot_since.unwrap_or(now));
    }

    /// The next instant after `from` at which Spot may come or go, in any zone.
    fn next_spot_change(&self) -> SimTime {
        let away = self.away.iter().map(|away| away.next_change());
        away.fold(self.supply.next_change::<true>(), SimTime::min)
    }

    /// The next instants after which a policy that was not content may be, if Spot stays as it is.
    fn moments(&self) -> [SimTime; 2] {
        let back =
            self.mind.spot_since.map_or(SimTime::NEVER, |since| since + self.plan.policy.return_after());
        [self.mind.settled_until, back]
    }

    /// Leaves On-Demand if the policy wants it now, while the gang gathers.
    pub(super) fn leave_on_demand_if_due(&mut self) {
        if self.may_return() && self.returns_at(self.now, 0).is_some() {
            self.change_to(Market::Spot);
        }
    }

    /// When a gang that gathers On-Demand must ask its policy again.
    pub(super) fn ask_again_at(&self) -> SimTime {
        if !self.may_return() {
            return SimTime::NEVER;
        }
        let later = self.moments().into_iter().filter(|at| *at > self.now);
        later.fold(self.next_spot_change(), SimTime::min)
    }

    /// What the policy goes to from On-Demand at `at`, with so many more steps durable.
    fn returns_at(&self, at: SimTime, kept: u64) -> Option<Running> {
        let steps = self.plan.work.steps - self.durable_steps - kept;
        self.plan.policy.leaves_on_demand(&self.view(Stage::Training, at, steps))
    }

    /// When the policy leaves On-Demand in an attempt that would otherwise go on until `until`: at once before the
    /// first step, else at the end of a save, so that nothing is lost. While Spot stays as it is, a policy that
    /// wants to leave after one save wants it after the next.
    pub(super) fn leave_on_demand_during(
        &mut self,
        attempt: Attempt,
        cycle: &Cycle<impl Pace>,
        until: SimTime,
    ) -> SimTime {
        let training_at = attempt.training_at;
        let mut from = self.now;
        while from < until && self.effort <= EFFORT_MAX {
            self.effort += 1;
            self.look_for_spot(from);
            let window_end = self.next_spot_change().min(until);
            let mut early = self.moments().map(|at| at.max(from));
            early.sort_unstable();
            let early = std::iter::once(from).chain(early).filter(|at| *at < training_at.min(window_end));
            if let Some(at) = early.into_iter().find(|at| self.returns_at(*at, 0).is_some()) {
                return at;
            }
            let ends =
                |k: u64| cycle.save(k, attempt.steps).map(|save| (training_at + save.ends, save.steps));
            let saves = cycle.saves_within(attempt.steps);
            let begin = first_of(1, saves + 1, |k| ends(k).is_none_or(|(at, _)| at >= from));
            let end = first_of(begin, saves + 1, |k| ends(k).is_none_or(|(at, _)| at >= window_end));
            let returns = |k: u64| ends(k).is_none_or(|(at, kept)| self.returns_at(at, kept).is_some());
            let leaves = first_of(begin, end, returns);
            if leaves < end
                && let Some((at, _)) = ends(leaves)
            {
                return at;
            }
            from = window_end;
        }
        SimTime::NEVER
    }
}

/// The first number from `low` on, below `high`, of which `holds` is true, if it is true of all after it.
fn first_of(mut low: u64, mut high: u64, holds: impl Fn(u64) -> bool) -> u64 {
    while low < high {
        let middle = low + (high - low) / 2;
        match holds(middle) {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_many_is_found() {
        assert_eq!(first_of(1, 1_000, |k| k >= 37), 37);
        assert_eq!(first_of(1, 1_000, |_| false), 1_000);
        assert_eq!(first_of(5, 5, |_| true), 5);
    }
}
