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
mod view;

pub use always::{OnDemandOnly, SpotOnly};
pub use fall_back::{FallBack, FallBackTicks};
pub use greedy::Greedy;
pub use thresholds::Thresholds;
pub use tick::{AtTick, BURNT_S, Running, TickJob, TickView};
pub use time_sliced::{SlicedTicks, Slices, Standing, TimeSliced};
pub use uniform_progress::UniformProgress;
pub use view::{Stage, View};

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

impl Policy {
    /// The instant at which a gang on Spot, or on nothing, goes to On-Demand, if `view` stays as it is.
    #[inline]
    pub fn leave_spot_at(&self, view: &View) -> SimTime {
        match self {
            Self::SpotOnly | Self::OnDemandOnly => SimTime::NEVER,
            Self::Greedy(greedy) => greedy.leave_spot_at(view),
            Self::Thresholds(thresholds) => thresholds.leave_spot_at(view),
            Self::UniformProgress(progress) => progress.leave_spot_at(view),
            Self::TimeSliced(sliced) => sliced.leave_spot_at(view),
            Self::FallBack(fall_back) => fall_back.leave_spot_at(view),
        }
    }

    /// What a gang on On-Demand goes to now, if it leaves.
    pub fn leaves_on_demand(&self, view: &View) -> Option<Running> {
        match self {
            Self::SpotOnly | Self::OnDemandOnly | Self::Greedy(_) => None,
            Self::Thresholds(thresholds) => thresholds.leaves_on_demand(view),
            Self::UniformProgress(progress) => progress.leaves_on_demand(view),
            Self::TimeSliced(sliced) => sliced.leaves_on_demand(view),
            Self::FallBack(fall_back) => fall_back.leaves_on_demand(view),
        }
    }

    /// Whether it may ever leave On-Demand.
    pub const fn may_leave_on_demand(&self) -> bool {
        !matches!(self, Self::SpotOnly | Self::OnDemandOnly | Self::Greedy(_))
    }

    /// The least time between two changes of mind.
    pub const fn dwell(&self) -> Span {
        match self {
            Self::Thresholds(Thresholds { dwell, .. }) | Self::FallBack(FallBack { dwell, .. }) => *dwell,
            _ => Span::ZERO,
        }
    }

    /// How long Spot must have been to be had before it is gone back to.
    pub const fn return_after(&self) -> Span {
        match self {
            Self::FallBack(FallBack { return_after, .. }) => *return_after,
            _ => Span::ZERO,
        }
    }

    /// Its key in `[policy]`.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::SpotOnly => "spot_only",
            Self::OnDemandOnly => "on_demand_only",
            Self::Greedy(_) => "greedy",
            Self::Thresholds(_) => "thresholds",
            Self::UniformProgress(_) => "uniform_progress",
            Self::TimeSliced(_) => "time_sliced",
            Self::FallBack(_) => "fall_back",
        }
    }
}
