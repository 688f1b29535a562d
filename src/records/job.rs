//! Training jobs that ran on Spot, phase by phase.

use super::{Stay, StayEnd};
use crate::units::{Span, Timestamp};

/// A job, from its submit to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Its name or number.
    pub name: String,
    /// Instance type; empty where the file does not say.
    pub instance: String,
    /// In the order of time; at least one. The first begins with the submit.
    pub phases: Vec<Phase>,
    /// How it ended.
    pub outcome: JobEnd,
    /// Downloading, training and uploading, as the service counts them.
    pub training_time: Option<Span>,
    /// What the service bills of it for each instance; a Spot discount is inside it.
    pub billable: Option<Span>,
}

/// A stretch of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Phase {
    /// What was done.
    pub kind: PhaseKind,
    /// When it began.
    pub from: Timestamp,
    /// How long it lasted.
    pub span: Span,
    /// Nodes that it was meant for.
    pub nodes: u32,
    /// How the attempt ended, in the last of its phases.
    pub ended: Option<JobEnd>,
}

/// What a job did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PhaseKind {
    /// It waited for capacity or for its turn, before it ran.
    Waiting,
    /// Its instances were made ready.
    Starting,
    /// Its input was fetched.
    Downloading,
    /// It ran. Slurm tells nothing finer.
    Training,
    /// It was interrupted, and waited.
    Interrupted,
    /// Its results were stored.
    Uploading,
    /// It was told to stop.
    Stopping,
}

/// How an attempt or a job ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JobEnd {
    /// Its work was done.
    Completed,
    /// Its nodes were taken from it.
    Preempted,
    /// A node broke, or went without a word.
    NodeFailed,
    /// Its owner or an administrator ended it.
    Cancelled,
    /// Its own program failed.
    Failed,
    /// It ran longer than allowed.
    RanTooLong,
    /// It waited longer than allowed.
    WaitedTooLong,
    /// It had not ended when the record was made.
    Going,
}

impl PhaseKind {
    /// All, in the order in which tables show them.
    pub const ALL: [Self; 7] = [
        Self::Waiting,
        Self::Starting,
        Self::Downloading,
        Self::Training,
        Self::Interrupted,
        Self::Uploading,
        Self::Stopping,
    ];

    /// Its word in files.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Starting => "starting",
            Self::Downloading => "downloading",
            Self::Training => "training",
            Self::Interrupted => "interrupted",
            Self::Uploading => "uploading",
            Self::Stopping => "stopping",
        }
    }

    /// Whether the job had no node, for want of capacity.
    pub const fn waits(self) -> bool {
        matches!(self, Self::Waiting | Self::Interrupted)
    }

    /// Whether the job used its nodes. Making them ready is not counted: nobody says from when they were there.
    pub const fn uses_nodes(self) -> bool {
        matches!(self, Self::Downloading | Self::Training | Self::Uploading)
    }
}

impl JobEnd {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Completed,
        Self::Preempted,
        Self::NodeFailed,
        Self::Cancelled,
        Self::Failed,
        Self::RanTooLong,
        Self::WaitedTooLong,
        Self::Going,
    ];

    /// Its word in files.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Preempted => "preempted",
            Self::NodeFailed => "node_failed",
            Self::Cancelled => "cancelled",
            Self::Failed => "failed",
            Self::RanTooLong => "ran_too_long",
            Self::WaitedTooLong => "waited_too_long",
            Self::Going => "going",
        }
    }

    /// Whether it was an interruption: an end that nobody asked for, by the loss of a node. On a partition of
    /// Spot nodes Slurm calls a node that was taken away failed.
    pub const fn interrupts(self) -> bool {
        matches!(self, Self::Preempted | Self::NodeFailed)
    }
}

impl Job {
    /// When it was submitted.
    pub fn submitted(&self) -> Timestamp {
        self.phases.first().map_or(Timestamp::EPOCH, |phase| phase.from)
    }

    /// When its last phase ended.
    pub fn ended(&self) -> Timestamp {
        self.phases.iter().map(Phase::end).max().unwrap_or(Timestamp::EPOCH)
    }

    /// Whether it ever trained.
    pub fn ran(&self) -> bool {
        self.phases.iter().any(|phase| phase.kind == PhaseKind::Training)
    }

    /// Its up-times: how long it trained without an interruption, each as a stay of the whole gang under the
    /// job's name. An end that is no interruption cuts the up-time off: it would have gone on.
    pub fn uptimes(&self) -> impl Iterator<Item = Stay> + '_ {
        self.phases.iter().filter(|phase| phase.kind == PhaseKind::Training).map(|phase| Stay {
            node: self.name.clone(),
            zone: String::new(),
            from: phase.from,
            span: phase.span,
            ended: match phase.ended {
                Some(end) if end.interrupts() => StayEnd::Lost,
                Some(JobEnd::Going) => StayEnd::CutOff,
                _ => StayEnd::Released,
            },
        })
    }
}

impl Phase {
    /// When it ended.
    pub fn end(&self) -> Timestamp {
        self.from + self.span
    }
}
