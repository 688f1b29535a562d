//! What one replication came to.

use crate::pricing::{Beside, Usage};
use crate::units::{Money, Span};
use serde::{Deserialize, Serialize};

/// Where a second of a cluster's elapsed time can go. The order is that of every output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Some node cannot be had.
    Queued,
    /// Requested, not granted.
    Acquiring,
    /// Granted, not running.
    Provisioning,
    /// Running, not ready.
    Starting,
    /// Loading the newest save.
    Restoring,
    /// Kept steps: kernels and host copies.
    Computing,
    /// Kept steps: communication that nothing hides.
    ExposedComm,
    /// Kept steps: waiting for input.
    DataStall,
    /// Steps stand still for a save.
    CheckpointStall,
    /// Steps that had to be, or would have to be, made again.
    Lost,
    /// A complete gang waits for a policy.
    Idle,
}

/// All parts with their names in results, in order.
pub const PARTS: [(Part, &str); 11] = [
    (Part::Queued, "queued"),
    (Part::Acquiring, "acquiring"),
    (Part::Provisioning, "provisioning"),
    (Part::Starting, "starting"),
    (Part::Restoring, "restoring"),
    (Part::Computing, "computing"),
    (Part::ExposedComm, "exposed_comm"),
    (Part::DataStall, "data_stall"),
    (Part::CheckpointStall, "checkpoint_stall"),
    (Part::Lost, "lost"),
    (Part::Idle, "idle"),
];

impl Part {
    /// Its name in results.
    pub const fn name(self) -> &'static str {
        PARTS[self as usize].1
    }
}

/// The parts whose node time is billed; the time of nodes that run while their gang gathers is
/// [`Part::Idle`] to the bill.
pub const BILLED: [Part; 8] = [
    Part::Starting,
    Part::Restoring,
    Part::Computing,
    Part::ExposedComm,
    Part::DataStall,
    Part::CheckpointStall,
    Part::Lost,
    Part::Idle,
];

/// Elapsed time by part; the parts add up to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TimeParts([Span; PARTS.len()]);

impl TimeParts {
    /// Books `span` under `part`.
    #[inline]
    pub fn add(&mut self, part: Part, span: Span) {
        self.0[part as usize] += span;
    }

    /// Time booked under `part`.
    pub const fn get(&self, part: Part) -> Span {
        self.0[part as usize]
    }

    /// All parts, in order.
    pub const fn spans(&self) -> &[Span; PARTS.len()] {
        &self.0
    }

    /// The sum of both, part by part.
    pub fn and(mut self, other: &Self) -> Self {
        for (mine, more) in self.0.iter_mut().zip(&other.0) {
            *mine += *more;
        }
        self
    }

    /// The sum of all parts.
    pub fn total(&self) -> Span {
        self.0.iter().copied().sum()
    }
}

/// How a replication ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum End {
    /// The work is done.
    Finished,
    /// A rule of the scenario ended it.
    GaveUp(Reason),
    /// The horizon ended it.
    Censored,
}

/// Which rule ended a replication.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Reason {
    /// `max_run`.
    MaxRun,
    /// `max_wait`.
    MaxWait,
    /// `max_restarts`.
    MaxRestarts,
    /// `attempts_without_progress`.
    AttemptsWithoutProgress,
    /// The engine's own limit on events, so that any scenario ends.
    TooManyEvents,
}

impl Reason {
    /// The scenario key of the rule.
    pub const fn name(self) -> &'static str {
        match self {
            Self::MaxRun => "max_run",
            Self::MaxWait => "max_wait",
            Self::MaxRestarts => "max_restarts",
            Self::AttemptsWithoutProgress => "attempts_without_progress",
            Self::TooManyEvents => "too_many_events",
        }
    }
}

impl End {
    /// Its name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::GaveUp(_) => "gave_up",
            Self::Censored => "censored",
        }
    }

    /// Why, in the words of results.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Finished => "work done",
            Self::GaveUp(reason) => reason.name(),
            Self::Censored => "horizon",
        }
    }
}

/// What one replication came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// How it ended.
    pub end: End,
    /// Submit to end.
    pub elapsed: Span,
    /// Where that time went.
    pub time: TimeParts,
    /// Dollars of all Spot stays.
    pub spot_cost: Money,
    /// Dollars of all On-Demand stays.
    pub on_demand_cost: Money,
    /// Dollars beside the instances.
    pub beside: Beside,
    /// What they are for; all zero where the plan bills nothing beside the instances.
    pub usage: Usage,
    /// Node time from the end of provisioning to the end of each stay, ns.
    pub running_node_ns: u128,
    /// Node time by which survivors that hang fall short of a whole gang, ns.
    pub absent_node_ns: u128,
    /// Node time by which gangs that train with fewer nodes fall short of whole ones, ns.
    pub fewer_node_ns: u128,
    /// Complete gangs broken by the provider.
    pub preemptions: u32,
    /// Complete gangs broken by hardware alone.
    pub failures: u32,
    /// Nodes that the provider or their hardware ended, in any phase.
    pub nodes_lost: u32,
    /// Complete gangs.
    pub attempts: u32,
}

impl Outcome {
    /// All dollars.
    pub fn cost(&self) -> Money {
        self.spot_cost + self.on_demand_cost + self.beside.total()
    }

    /// Kernels and host copies of kept steps.
    pub fn kept_computing(&self) -> Span {
        self.time.get(Part::Computing)
    }

    /// Kept steps, with their waits.
    pub fn kept_stepping(&self) -> Span {
        self.time.get(Part::Computing) + self.time.get(Part::ExposedComm) + self.time.get(Part::DataStall)
    }

    /// Elapsed time in which capacity was there: all but the queue.
    pub fn schedulable(&self) -> Span {
        self.elapsed - self.time.get(Part::Queued)
    }

    /// Whether the work was done by `deadline`, the instant itself included.
    pub fn meets(&self, deadline: Span) -> bool {
        self.end == End::Finished && self.elapsed <= deadline
    }
}
