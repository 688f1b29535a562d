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
use crate::units::{Price, SimTime, Span};

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
    /// With how many nodes it trains too; `None`: with all of them only.
    pub elastic: Option<Elastic>,
    /// Nodes held beside the gang, to take the places of lost ones.
    pub spares: Option<Spares>,
    /// When to run where.
    pub policy: Policy,
    /// Spot is held and asked for only while its price is at most this.
    pub max_price: Option<Price>,
    /// The first so many slots of a gang on Spot are On-Demand; fewer than [`Self::nodes`].
    pub on_demand_nodes: u32,
    /// What happens at whole ticks only, in tick mode.
    pub tick: Option<TickMode>,
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
    /// When Spot nodes can be had and are lost, in the first zone.
    pub capacity: Capacity,
    /// The other zones in which a gang may be, then all of them again for each further instance type.
    pub elsewhere: Vec<Zone>,
    /// In which of the zones that have capacity it is asked for.
    pub choose_zone: ChooseZone,
    /// What it takes to go on in another region than that of the newest save; `None`: nothing.
    pub moves: Option<Moves>,
    /// Grant to the failure of a node's hardware, on either market.
    pub failures: Option<Law>,
    /// How Spot stays are billed, in the first zone.
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
    /// Whether Spot nodes end by their lifetimes, the path or at written-out instants, and nothing else
    /// happens: no way back from On-Demand, no maximum price, On-Demand node in a Spot gang, failure, shock, hang,
    /// notice, further phase of the start, save that goes with a node, smaller gang, spare, second zone or instance
    /// type, or bill beside the instances.
    pub fn is_plain(&self) -> bool {
        self.failures.is_none()
            && self.elsewhere.is_empty()
            && self.capacity.shocks.is_empty()
            && self.start.phases.is_empty()
            && self.start.detection.is_constant() == Some(Span::ZERO)
            && self.notice.is_none()
            && self.saved_on == SavedOn::Store
            && self.elastic.is_none()
            && self.spares.is_none()
            && self.extras.is_none()
            && self.max_price.is_none()
            && self.on_demand_nodes == 0
            && !self.policy.may_leave_on_demand()
    }

    /// Whether a plain plan is one node that does nothing but wait for Spot and train at one pace.
    pub fn is_lone(&self) -> bool {
        self.nodes == 1
            && self.policy == Policy::SpotOnly
            && self.work.burst.is_none()
            && self.capacity.losses.is_empty()
    }

    /// Capacity and Spot terms of every zone, the first first.
    pub fn zones(&self) -> impl Iterator<Item = (&Capacity, &Tariff)> {
        let elsewhere = self.elsewhere.iter().map(|zone| (&zone.capacity, &zone.spot));
        std::iter::once((&self.capacity, &self.spot)).chain(elsewhere)
    }

    /// Nodes that are held at most: those of the gang and its spares.
    pub fn slots(&self) -> u32 {
        self.nodes + self.spares.map_or(0, |spares| spares.count)
    }

    /// Nodes that the path must allow to a gang on Spot.
    pub const fn spot_nodes(&self) -> u32 {
        self.nodes - self.on_demand_nodes
    }

    /// The fewest nodes that train.
    pub fn least_nodes(&self) -> u32 {
        self.elastic.as_ref().map_or(self.nodes, |elastic| elastic.min_nodes)
    }

    /// How `nodes` nodes train, of at least [`Self::least_nodes`].
    pub fn at_size(&self, nodes: u32) -> AtSize {
        let table = self.elastic.as_ref().map(|elastic| &elastic.sizes[(nodes - elastic.min_nodes) as usize]);
        table.copied().unwrap_or(AtSize { step: self.work.step, cycle: self.cycle })
    }

    /// Mean length of a step where nothing gets in the way, seconds: nodes begin with full credits.
    pub fn mean_step_s(&self) -> f64 {
        let (steps, sustained_s) = (self.work.steps.max(1) as f64, self.work.step.total().as_secs());
        self.work.burst.map_or(sustained_s, |burst| {
            let step = burst.step.total();
            let share = (burst.full.ns().div_ceil(step.ns()) as f64 / steps).min(1.0);
            share * step.as_secs() + (1.0 - share) * sustained_s
        })
    }

    /// How long the work takes at the size and on the instance type at which it is done soonest, saves included.
    pub fn soonest(&self) -> Span {
        let sizes = self.elastic.iter().flat_map(|elastic| &elastic.sizes);
        let smaller = sizes.map(|size| size.cycle.duration(self.work.steps));
        let others = self.machines().map(|machine| machine.uninterrupted(self.work.steps));
        smaller.chain(others).fold(self.uninterrupted(), Span::min)
    }

    /// Further instance types on which it trains, once for each zone.
    pub fn machines(&self) -> impl Iterator<Item = &Machine> {
        self.elsewhere.iter().filter_map(|zone| zone.machine.as_ref())
    }

    /// How long the work takes if nothing gets in its way, saves included.
    pub fn uninterrupted(&self) -> Span {
        uninterrupted(&self.cycle, self.work.burst.as_ref(), self.work.steps)
    }
}

fn uninterrupted(cycle: &Cycle, burst: Option<&Burst>, steps: u64) -> Span {
    match burst {
        None => cycle.duration(steps),
        Some(burst) => burst.cycle(*cycle, burst.full, steps).duration(steps),
    }
}

/// How the gang trains on another instance type than the first. Work stays counted in the same steps (docs/semantics.md,
/// rules 90 to 94).
#[derive(Debug, Clone, PartialEq)]
pub struct Machine {
    /// The parts of one step at the pace that can go on for ever.
    pub step: StepParts,
    /// The faster pace at first.
    pub burst: Option<Burst>,
    /// The cadence of saves, in such steps.
    pub cycle: Cycle,
    /// Loading the newest save.
    pub restore: Law,
    /// The save at the notice of a loss.
    pub notice: Option<NoticeSave>,
}

impl Machine {
    /// How long `steps` steps take if nothing gets in their way, saves included.
    pub fn uninterrupted(&self, steps: u64) -> Span {
        uninterrupted(&self.cycle, self.burst.as_ref(), steps)
    }
}

/// A gang that trains with fewer nodes too (docs/semantics.md, rules 38 to 42).
#[derive(Debug, Clone, PartialEq)]
pub struct Elastic {
    /// The fewest nodes that train.
    pub min_nodes: u32,
    /// How each number of nodes trains, from [`Self::min_nodes`] to all.
    pub sizes: Vec<AtSize>,
    /// From a change of the gang to its going on, a draw each time.
    pub reshard: Law,
    /// What it goes on from.
    pub reshard_from: ReshardFrom,
}

/// How a gang of some number of nodes trains. Work stays counted in steps of the whole gang.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AtSize {
    /// The time in which it trains the samples of one step of the whole gang.
    pub step: StepParts,
    /// The cadence of saves, in such steps.
    pub cycle: Cycle,
}

/// What a gang goes on from after it changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReshardFrom {
    /// The newest save: all processes begin anew.
    #[default]
    Save,
    /// The memory of nodes that stayed.
    Memory,
}

/// Nodes held beside the gang.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spares {
    /// How many; not zero.
    pub count: u32,
    /// What of their start is done before they are needed.
    pub are: SparesAre,
}

/// What of a spare's start is done before it is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SparesAre {
    /// All that a node does by itself.
    #[default]
    Warm,
    /// Nothing: the machine is there.
    Cold,
}

/// A job that is simulated tick by tick (docs/semantics.md, "Tick mode").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TickMode {
    /// Length of a tick; not zero.
    pub tick: Span,
    /// What each new instance burns before it works.
    pub overhead: Span,
    /// Whether a net below every policy keeps the deadline.
    pub engine_net: bool,
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

    /// What each node does by itself, with the sources of the draws: all but [`Self::joint`].
    pub fn own(&self) -> impl Iterator<Item = (Source, &Law)> {
        std::iter::once((Source::Start, &self.start)).chain(self.phases(false))
    }

    /// What all nodes of a gang do together once each is up: finding each other, and slower first steps.
    pub fn joint(&self) -> impl Iterator<Item = (Source, &Law)> {
        self.phases(true)
    }

    fn phases(&self, joint: bool) -> impl Iterator<Item = (Source, &Law)> {
        let is_joint = |source| matches!(source, Source::Rendezvous | Source::WarmUp);
        let found = self.phases.iter().filter(move |phase| is_joint(phase.source) == joint);
        found.map(|phase| (phase.source, &phase.law))
    }

    /// Mean time from grant to ready, seconds.
    pub fn bring_up_mean_s(&self) -> f64 {
        self.provision.mean_s() + self.until_ready().map(Law::mean_s).sum::<f64>()
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

impl Capacity {
    /// The written-out losses; what would be lost at submit is not held yet.
    #[inline]
    pub fn losses_after_submit(&self) -> &[Loss] {
        &self.losses[self.losses.partition_point(|loss| loss.at == SimTime::ZERO)..]
    }

    /// What is taken for granted about the hour of the week at which replications begin.
    pub fn say_begin(&self) -> Option<String> {
        let any_hour = matches!(&self.path, Path::OnOff(on_off) if on_off.begins_at_any_hour());
        any_hour.then(|| {
            "each replication begins at a random instant of the week, the same for all clusters: the file does \
             not say when the job is submitted"
                .to_owned()
        })
    }
}

/// A zone in which a gang may be, of one instance type.
#[derive(Debug, Clone, PartialEq)]
pub struct Zone {
    /// How it trains there; `None`: on the first instance type.
    pub machine: Option<Machine>,
    /// When Spot nodes can be had and are lost.
    pub capacity: Capacity,
    /// How Spot stays are billed.
    pub spot: Tariff,
}

/// What it takes to go on in one zone from a save that lies in the region of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moves(
    /// From one zone to another, by their places; `None`: they lie in one region. Zones come again for each further
    /// instance type.
    pub Vec<Vec<Option<Move>>>,
);

/// The copy of a save to another region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Move {
    /// How much longer the restore takes.
    pub time: Span,
    /// Which of the prices between regions it pays.
    pub price: usize,
}

impl Moves {
    /// What it takes from one zone to another.
    pub fn between(&self, from: u32, to: u32) -> Option<Move> {
        self.0[from as usize % self.0.len()][to as usize % self.0.len()]
    }

    /// The longest way from a zone.
    pub fn longest(&self, from: u32) -> Span {
        self.0[from as usize % self.0.len()]
            .iter()
            .flatten()
            .map(|step| step.time)
            .fold(Span::ZERO, Span::max)
    }
}

/// In which of the zones that have capacity a gang that holds nothing is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ChooseZone {
    /// The first of the list.
    #[default]
    First,
    /// That whose work costs least at the Spot price from that instant on; of equal ones the first.
    Cheapest,
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
