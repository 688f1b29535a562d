//! When to run where.
//!
//! A policy sees what a real controller could see at that instant and says until when it is content.
//! It takes numbers and knows neither clock nor cluster; `sim` asks again whenever they change.

mod greedy;

pub use greedy::Greedy;

use crate::units::{SimTime, Span};

/// The policy of a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// Spot, however long it takes.
    SpotOnly,
    /// On-Demand from the first to the last second.
    OnDemandOnly,
    /// Spot whenever it can be had, On-Demand once the deadline would be in danger.
    Greedy(Greedy),
}

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
    /// Time that the work after the newest durable save would still take, saves included.
    pub remaining: Span,
    /// Mean time from asking for On-Demand nodes to their first step.
    pub restart: Span,
}

impl Policy {
    /// The instant at which a gang on Spot gives it up for On-Demand, if `view` stays as it is.
    #[inline]
    pub fn leave_spot_at(&self, view: View) -> SimTime {
        match self {
            Self::SpotOnly | Self::OnDemandOnly => SimTime::NEVER,
            Self::Greedy(greedy) => greedy.leave_spot_at(view),
        }
    }
}
