//! Leaving Spot for On-Demand when the policy says so.

use super::engine::{Attempt, Replication};
use super::gang::State;
use super::observer::Observer;
use crate::checkpoint::{Cycle, Pace};
use crate::policy::{Policy, Stage, View};
use crate::scenario::plan::Market;
use crate::units::{SimTime, Span};

impl<O: Observer, const FULL: bool> Replication<'_, O, FULL> {
    /// What the gang that gathers is doing.
    fn stage(&self) -> Stage {
        let idle = self.slots.iter().all(|slot| slot.state == State::Absent);
        if idle { Stage::Waiting } else { Stage::Preparing }
    }

    /// When the gathering gang gives up Spot, if nothing changes.
    #[inline]
    pub(super) fn leave_spot_at(&self) -> SimTime {
        match self.plan.policy {
            Policy::SpotOnly | Policy::OnDemandOnly => SimTime::NEVER,
            _ if self.market == Market::OnDemand => SimTime::NEVER,
            _ => self.ask_policy(self.stage(), self.plan.work.steps - self.durable_steps),
        }
    }

    /// Gives up Spot if the policy wants it now.
    #[inline]
    pub(super) fn leave_spot_if_due(&mut self) {
        if self.leave_spot_at() <= self.now {
            self.leave_spot();
        }
    }

    /// When the policy gives up Spot in an attempt that would otherwise go on until `until`. Each save
    /// that becomes durable on the way leaves less to do on On-Demand, so the instant is asked for again
    /// after each.
    pub(super) fn leave_spot_at_during(
        &self,
        attempt: Attempt,
        cycle: &Cycle<impl Pace>,
        until: SimTime,
    ) -> SimTime {
        let stays = matches!(self.plan.policy, Policy::SpotOnly | Policy::OnDemandOnly);
        if stays || self.market == Market::OnDemand {
            return SimTime::NEVER;
        }
        let Attempt { training_at, steps, .. } = attempt;
        let (mut saves, mut kept) = (0, 0);
        loop {
            let leave_at = self.ask_policy(Stage::Training, steps - kept).max(self.now);
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
            if slack > cycle.step().times(4) + cycle.stall().times(2) + cycle.upload().times(2) {
                return SimTime::NEVER;
            }
            (saves, kept) = (saves + 1, save.steps);
        }
    }

    /// Gives back what is held or asked for on Spot, and goes on with On-Demand nodes.
    pub(super) fn leave_spot(&mut self) {
        self.release_all();
        self.market = Market::OnDemand;
    }

    fn ask_policy(&self, stage: Stage, steps: u64) -> SimTime {
        let start = &self.plan.start;
        let mut restart = if self.attempts == 0 { 0.0 } else { start.restore.mean_s() };
        if self.attempts > 0 || start.on_first {
            restart += start.bring_up_mean_s();
        }
        restart += self.longest_way_of_save(stage).as_secs();
        // Without credits: new nodes would have them, but a deadline that does not need them is safe.
        let remaining = self.plan.cycle.duration(steps);
        self.plan.policy.leave_spot_at(View {
            stage,
            remaining,
            restart: Span::from_secs_saturating(restart),
        })
    }
}
