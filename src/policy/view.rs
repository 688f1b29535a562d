//! What a policy sees at an instant.

use crate::units::{SimTime, Span};

/// What a gang on Spot is doing when the policy is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Nothing is held or requested.
    Waiting,
    /// Nodes are requested, or on their way to training.
    Preparing,
    /// Steps are made.
    Training,
}

/// What a policy may know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct View {
    /// What the gang is doing.
    pub stage: Stage,
    /// The instant.
    pub now: SimTime,
    /// Time that all work would take, saves included.
    pub total: Span,
    /// Time that the work after the newest durable save would still take, saves included.
    pub remaining: Span,
    /// Mean time from asking for On-Demand nodes to their first step.
    pub restart: Span,
    /// How much longer a restart is once a first attempt has begun; nothing from then on.
    pub longer_later: Span,
    /// Since when Spot can be had without a break, if it can.
    pub spot_since: Option<SimTime>,
    /// When the gang last changed its mind.
    pub changed: SimTime,
    /// Until when it may not do so again.
    pub settled_until: SimTime,
}

impl View {
    /// Work that no loss takes back, as time.
    pub fn done(&self) -> Span {
        self.total.saturating_sub(self.remaining)
    }

    /// The last instant from which On-Demand meets the deadline if started then, and once more where `spare`: the
    /// safety net of the published policies.
    #[inline]
    pub fn last_call(&self, deadline: Span, spare: bool) -> SimTime {
        let spare = if spare { self.restart + self.longer_later } else { Span::ZERO };
        SimTime::ZERO + deadline.saturating_sub(self.remaining + self.restart + spare)
    }

    /// When a gang on Spot or on nothing meets that net: one restart earlier while it waits.
    #[inline]
    pub fn net(&self, deadline: Span) -> SimTime {
        self.last_call(deadline, self.stage == Stage::Waiting)
    }

    /// Whether On-Demand may not be left for the deadline's sake.
    pub fn is_critical(&self, deadline: Span) -> bool {
        self.now >= self.last_call(deadline, true)
    }

    /// The first instant at which less is done than at the even pace to the deadline.
    pub fn behind_at(&self, deadline: Span) -> SimTime {
        let even =
            u128::from(self.done().ns()) * u128::from(deadline.ns()) / u128::from(self.total.ns().max(1));
        SimTime::ZERO + Span::from_ns(u64::try_from(even + 1).unwrap_or(u64::MAX))
    }

    /// Whether a gang that holds nothing could ask for Spot.
    pub const fn has_spot(&self) -> bool {
        self.spot_since.is_some()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub fn h(n: f64) -> Span {
        Span::from_secs_saturating(n * 3_600.0)
    }

    /// 6 of 8 h of work left, a restart of an hour, no Spot, nothing changed yet.
    pub fn view(stage: Stage, now: f64) -> View {
        View {
            stage,
            now: SimTime::ZERO + h(now),
            total: h(8.0),
            remaining: h(6.0),
            restart: h(1.0),
            longer_later: Span::ZERO,
            spot_since: None,
            changed: SimTime::ZERO,
            settled_until: SimTime::ZERO,
        }
    }

    /// 2 of 8 h are done: at an even pace to 10 h that is where 2.5 h are over.
    #[test]
    fn the_even_pace_is_kept_to_the_nanosecond() {
        let at = view(Stage::Waiting, 0.0).behind_at(h(10.0));
        assert_eq!(at.since_submit(), h(2.5) + Span::from_ns(1));
    }

    #[test]
    fn on_demand_is_critical_while_two_restarts_do_not_fit() {
        assert!(!view(Stage::Training, 1.9).is_critical(h(10.0)));
        assert!(view(Stage::Training, 2.0).is_critical(h(10.0)));
    }
}
