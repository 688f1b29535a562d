//! What a scenario comes to for one cluster: numbers, laws and rules, nothing left to look up.

use super::notice::Notice;
use crate::capacity::Law;
use crate::capacity::path::Path;
use crate::capacity::schedule::Loss;
use crate::capacity::shock::Shock;
use crate::checkpoint::{Bursting, Cycle};
use crate::policy::Policy;
use crate::pricing::{Charge, Tariff};
use crate::rng::Source;
use crate::units::Span;

/// Where nodes are rented.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Market {
    /// Interruptible, cheaper.
    #[default]
    Spot,
    /// At the list price, until we give it back.
    OnDemand,
}

/// What happens to the survivors of a broken gang.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnLoss {
    /// All are given back and all nodes are asked for anew.
    #[default]
    Release,
    /// They are kept, billed, until the missing ones are there.
    Keep,
}

/// Everything that one replication of a cluster needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Nodes that train together.
    pub nodes: u32,
    /// What happens to survivors.
    pub on_loss: OnLoss,
    /// When to run where.
    pub policy: Policy,
    /// What is to be done.
    pub work: Work,
    /// The cadence of saves, in steps of [`Work::step`]: without credits.
    pub cycle: Cycle,
    /// The save at the notice of a loss, if the job makes one.
    pub notice: Option<NoticeSave>,
    /// What holds the saves.
    pub saved_on: SavedOn,
    /// From grant to training.
    pub start: Start,
    /// When Spot nodes can be had and are lost.
    pub capacity: Capacity,
    /// Grant to the failure of a node's hardware, on either market.
    pub failures: Option<Law>,
    /// How Spot stays are billed.
    pub spot: Tariff,
    /// How On-Demand stays are billed.
    pub on_demand: Tariff,
    /// What is billed beside the instances, if anything is.
    pub extras: Option<Extras>,
    /// What ends a replication early.
    pub limits: Limits,
    /// When the job should be done, since submit.
    pub deadline: Option<Span>,
    /// A replication that has not ended by then is censored.
    pub horizon: Span,
}

impl Plan {
    /// Mean length of a step where nothing gets in the way, seconds: nodes begin with full credits.
    pub fn mean_step_s(&self) -> f64 {
        let (steps, sustained_s) = (self.work.steps.max(1) as f64, self.work.step.total().as_secs());
        self.work.burst.map_or(sustained_s, |burst| {
            let step = burst.step.total();
            let share = (burst.full.ns().div_ceil(step.ns()) as f64 / steps).min(1.0);
            share * step.as_secs() + (1.0 - share) * sustained_s
        })
    }

    /// How long the work takes if nothing gets in its way, saves included.
    pub fn uninterrupted(&self) -> Span {
        let steps = self.work.steps;
        match &self.work.burst {
            None => self.cycle.duration(steps),
            Some(burst) => burst.cycle(self.cycle, burst.full, steps).duration(steps),
        }
    }
}

/// What is billed beside the instances.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extras {
    /// The lines of the bill.
    pub charges: Vec<Charge>,
    /// How many of the newest saves are kept.
    pub keep: u64,
    /// The first so many slots have volumes that hold saves and outlive their nodes.
    pub save_volumes: u32,
}

/// The job as whole steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Work {
    /// Steps to make. Work given as ideal time has steps of 1 ns.
    pub steps: u64,
    /// The parts of one step at the pace that can go on for ever; they add up to it to the nanosecond.
    pub step: StepParts,
    /// The faster pace at first, where the network's burst credits run out in training.
    pub burst: Option<Burst>,
}

/// Training while the network's burst credits last. Credits are counted as the time of such training
/// that a node can still pay for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Burst {
    /// The parts of one step; together not zero and no longer than [`Work::step`].
    pub step: StepParts,
    /// What a node can pay for when it is new, and at most.
    pub full: Span,
    /// What a node earns while it does not train: burst training per idle time, no unit.
    pub earn: f64,
}

impl Burst {
    /// The cadence of an attempt with `steps` steps to make whose emptiest node can pay for `credit`;
    /// `sustained` is that of an attempt without credits. A step lasts as the regime in which it began
    /// (docs/semantics.md, rule 26).
    pub fn cycle(&self, sustained: Cycle, credit: Span, steps: u64) -> Cycle<Bursting> {
        let step = self.step.total();
        sustained.with_burst(step, credit.ns().div_ceil(step.ns()).min(steps))
    }

    /// What a node can pay for that could pay for `credit` and then was idle for `idle`.
    pub fn refilled(&self, credit: Span, idle: Span) -> Span {
        (credit + Span::from_secs_saturating(idle.as_secs() * self.earn)).min(self.full)
    }
}

/// A save at the notice of a loss.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NoticeSave {
    /// Chance that a notice comes, from 0 to 1.
    pub probability: f64,
    /// How long before the loss the job knows of it.
    pub ahead: Span,
    /// How long this save takes until it is durable.
    pub save: Span,
    /// Whether the job trains on to the last step boundary from which the save is still durable in time;
    /// it stops at the first after the notice otherwise.
    pub late: bool,
}

/// What holds the saves, and so when they are gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SavedOn {
    /// A store that outlives the nodes.
    #[default]
    Store,
    /// Drives of the node in slot 0, which writes for all.
    FirstNode,
    /// Drives of every node, a part on each.
    EveryNode,
}

/// Where the time of one step goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StepParts {
    /// Kernels and host copies.
    pub computing: Span,
    /// Communication that nothing hides.
    pub exposed_comm: Span,
    /// Waiting for input.
    pub data_stall: Span,
}

impl StepParts {
    /// The whole step.
    pub fn total(&self) -> Span {
        self.computing + self.exposed_comm + self.data_stall
    }
}

/// From grant to training.
#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    /// Grant to running, a draw a node; billing begins after it.
    pub provision: Law,
    /// Running to ready, a draw an attempt.
    pub start: Law,
    /// More phases of the start, one after the other, a draw each an attempt.
    pub phases: Vec<StartPhase>,
    /// Loading the newest save, a draw an attempt but the first.
    pub restore: Law,
    /// A loss to its detection by the survivors, a draw an attempt; zero: at once.
    pub detection: Law,
    /// Whether the first attempt provisions and starts too.
    pub on_first: bool,
}

impl Start {
    /// The laws of all that lies between running and ready.
    pub fn until_ready(&self) -> impl Iterator<Item = &Law> {
        std::iter::once(&self.start).chain(self.phases.iter().map(|phase| &phase.law))
    }

    /// Mean time from running to ready, seconds.
    pub fn until_ready_mean_s(&self) -> f64 {
        self.until_ready().map(Law::mean_s).sum()
    }
}

/// One phase of a start: pulling the image, staging data and so on.
#[derive(Debug, Clone, PartialEq)]
pub struct StartPhase {
    /// Whose random stream it draws from.
    pub source: Source,
    /// How long it takes.
    pub law: Law,
}

/// When Spot nodes can be had and are lost.
#[derive(Debug, Clone, PartialEq)]
pub struct Capacity {
    /// How many can be had in the zone.
    pub path: Path,
    /// The zone's key among random streams.
    pub zone: u64,
    /// Grant to loss of one node.
    pub lifetime: Option<Law>,
    /// How losses are announced, if they are.
    pub notice: Option<Notice>,
    /// Request to grant.
    pub acquire: Law,
    /// Request to grant of a slot's first grant.
    pub acquire_first: Law,
    /// Losses written out in the scenario, in order of time.
    pub losses: Vec<Loss>,
    /// Events that take several nodes at once.
    pub shocks: Vec<Shock>,
}

/// What ends a replication early; each is the largest value still allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// Starting, restoring, training and saves, summed over attempts.
    pub max_run: Option<Span>,
    /// Everything since submit; Spot clusters only.
    pub max_wait: Option<Span>,
    /// Restarts.
    pub max_restarts: Option<u64>,
    /// Broken attempts in a row without a new durable save.
    pub attempts_without_progress: Option<u64>,
}
