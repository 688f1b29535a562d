//! When to run where.
//!
//! A policy sees what a real controller could see at that instant. It takes numbers and knows neither clock
//! nor cluster. In event mode it says until when it is content, and `sim` asks again whenever its [`View`]
//! changes; in tick mode it says what is to run in the tick that begins.

mod always;
mod fall_back;
mod greedy;
mod thresholds;
mod tick;
mod time_sliced;
mod uniform_progress;

pub use always::{OnDemandOnly, SpotOnly};
pub use fall_back::{FallBack, FallBackTicks};
pub use greedy::Greedy;
pub use thresholds::Thresholds;
pub use tick::{AtTick, BURNT_S, Running, TickJob, TickView};
pub use time_sliced::{SlicedTicks, Slices, Standing, TimeSliced};
pub use uniform_progress::UniformProgress;

use crate::units::{SimTime, Span};

/// The policy of a cluster.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Policy {
    /// Spot, however long it takes.
    SpotOnly,
    /// On-Demand from the first to the last second.
    OnDemandOnly,
    /// Spot whenever it can be had, On-Demand once the deadline would be in danger.
    Greedy(Greedy),
    /// Spot whenever it can be had, On-Demand while behind an even pace.
    Thresholds(Thresholds),
    /// An even pace with few changes of market.
    UniformProgress(UniformProgress),
    /// An even pace by slices of time.
    TimeSliced(TimeSliced),
    /// On-Demand while Spot is away.
    FallBack(FallBack),
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
            _ => todo!(),
        }
    }
}
