//! The event loop of one replication.
//!
//! A replication alternates between gathering a gang ([`Replication::gather`]) and one attempt with a
//! complete gang ([`Replication::attempt`]). An attempt is deterministic once it begins, so it is one
//! event: its end. docs/semantics.md has the rules; the numbers in comments here are theirs.

use super::elastic::{Memory, Seat};
use super::gang::{Gathering, Slot, State, gang_of};
use super::limits::{latest_end, wait_limit};
use super::loss::Losses;
use super::observer::Observer;
use super::outcome::{End, Outcome, Reason, TimeParts};
use super::supply::Supply;
use super::switch::Mind;
use super::tick::simulate_ticks;
use super::usage::Counted;
use super::zones::{Away, Parked};
use crate::capacity::Law;
use crate::capacity::schedule::Loss;
use crate::capacity::shock::{Shock, ShockWalk};
use crate::checkpoint::{Cycle, Pace};
use crate::policy::Policy;
use crate::pricing::{Beside, PriceWalk, Tariff, Usage};
use crate::rng::{Source, Streams};
use crate::scenario::plan::{Capacity, Machine, Market, OnLoss, Plan, StartPhase};
use crate::units::{Money, SimTime, Span};

/// A replication that looks at more slots than this has lost its way: capacity that lasts for
/// nanoseconds, a gang of a thousand that is never whole. It ends, as `too_many_events`, within about a
/// second, so that any scenario ends.
pub(super) const EFFORT_MAX: u64 = 20_000_000;

/// Memory that replications of one worker use one after the other.
#[derive(Debug, Default)]
pub struct Scratch {
    slots: Vec<Slot>,
    seats: Vec<Seat>,
    shocks: Vec<ShockWalk>,
    prices: PriceWalk,
    /// The price again, where tick mode looks whether Spot may be had.
    looked: PriceWalk,
    parked: Vec<Parked>,
    /// Empty between replications; kept for its memory.
    away: Vec<Away<'static>>,
}

/// Runs replication number `replication` of `plan` and tells `observer` what happens.
pub fn simulate<O: Observer>(
    plan: &Plan,
    streams: &Streams,
    replication: u64,
    scratch: &mut Scratch,
    observer: &mut O,
) -> Outcome {
    if let Some(mode) = &plan.tick {
        let prices = (&mut scratch.prices, &mut scratch.looked);
        return simulate_ticks(plan, mode, streams, replication, prices, observer);
    }
    match plan.is_plain() {
        true if plan.is_lone() => replicate::<O, false, true>(plan, streams, replication, scratch, observer),
        true => replicate::<O, false, false>(plan, streams, replication, scratch, observer),
        false => replicate::<O, true, false>(plan, streams, replication, scratch, observer),
    }
}

fn replicate<O: Observer, const FULL: bool, const LONE: bool>(
    plan: &Plan,
    streams: &Streams,
    replication: u64,
    scratch: &mut Scratch,
    observer: &mut O,
) -> Outcome {
    let capacity = &plan.capacity;
    Slot::fill(&mut scratch.slots, plan, capacity, streams, replication);
    let is_elastic = FULL && (plan.elastic.is_some() || plan.spares.is_some());
    if is_elastic {
        scratch.seats.clear();
        scratch.seats.resize(scratch.slots.len(), Seat::default());
    }
    Shock::begin_all(&capacity.shocks, &mut scratch.shocks, streams, replication);
    let max_price = if FULL { plan.max_price } else { None };
    let mut away: Vec<Away<'_>> = Vec::new();
    if FULL {
        away = std::mem::take(&mut scratch.away);
        Away::begin_all(plan, streams, replication, &mut away, &mut scratch.parked);
    }
    let market = if plan.policy == Policy::OnDemandOnly { Market::OnDemand } else { Market::Spot };
    let mut replication = Replication::<O, FULL, LONE> {
        plan,
        streams,
        replication,
        zone: 0,
        capacity,
        spot: &plan.spot,
        machine: None,
        away,
        parked: &mut scratch.parked,
        slots: &mut scratch.slots,
        seats: &mut scratch.seats,
        supply: Supply::begin(capacity, &plan.spot, max_price, streams, replication, &mut scratch.prices),
        shocks: &mut scratch.shocks,
        prices: &mut scratch.prices,
        losses: capacity.losses_after_submit(),
        latest_end: latest_end(plan),
        observer,
        market,
        mind: Mind::default(),
        now: SimTime::ZERO,
        durable_steps: 0,
        durable_burst_steps: 0,
        booked_steps: 0,
        booked_burst_steps: 0,
        saved_in: None,
        idle_since: SimTime::ZERO,
        memory: Memory::default(),
        reshards: 0,
        run_used: Span::ZERO,
        effort: 0,
        fruitless: 0,
        preemptions: 0,
        failures: 0,
        nodes_lost: 0,
        attempts: 0,
        time: TimeParts::default(),
        spot_cost: Money::ZERO,
        on_demand_cost: Money::ZERO,
        running_node_ns: 0,
        absent_node_ns: 0,
        fewer_node_ns: 0,
        counted: Counted::default(),
    };
    if !FULL {
        // Without a move of the outcome.
        return replication.run();
    }
    let outcome = if is_elastic { replication.run_elastic() } else { replication.run() };
    scratch.away = Away::emptied(replication.away);
    outcome
}

/// A replication under way. `FULL`: whether its plan is not plain ([`Plan::is_plain`]); the engine is compiled
/// without failures, shocks and the like as well, so that a plain plan has no branch for them. `LONE`: whether it is plain
/// and has one node that waits for Spot ([`Plan::is_lone`]), which needs no loop over nodes.
pub(super) struct Replication<'a, O, const FULL: bool, const LONE: bool> {
    pub(super) plan: &'a Plan,
    pub(super) streams: &'a Streams,
    pub(super) replication: u64,
    /// The zone that the gang is in or was last, from 0 in the order of the scenario.
    pub(super) zone: u32,
    /// Its capacity.
    pub(super) capacity: &'a Capacity,
    /// Its terms.
    pub(super) spot: &'a Tariff,
    /// How it trains there; `None`: on the first instance type.
    pub(super) machine: Option<&'a Machine>,
    /// The other zones, and what changes places with that of [`Self::zone`] when the gang moves.
    pub(super) away: Vec<Away<'a>>,
    pub(super) parked: &'a mut [Parked],
    pub(super) slots: &'a mut [Slot],
    /// What the nodes of the slots are to a gang that is elastic or has spares; of no use to any other.
    pub(super) seats: &'a mut [Seat],
    pub(super) supply: Supply<'a>,
    /// The shocks to come, one walk for each of the zone's.
    pub(super) shocks: &'a mut Vec<ShockWalk>,
    /// Where the Spot price is, if it changes.
    pub(super) prices: &'a mut PriceWalk,
    /// Losses of the scenario that are still to come.
    pub(super) losses: &'a [Loss],
    /// When `max_wait` or the horizon ends the replication.
    pub(super) latest_end: SimTime,
    pub(super) observer: &'a mut O,
    pub(super) market: Market,
    pub(super) mind: Mind,
    pub(super) now: SimTime,
    /// Steps that no loss takes back: those up to the newest durable save, in the end all that were made.
    pub(super) durable_steps: u64,
    /// How many of them were made while burst credits lasted.
    pub(super) durable_burst_steps: u64,
    /// How many of both are booked: those made before the gang went to another instance type.
    pub(super) booked_steps: u64,
    pub(super) booked_burst_steps: u64,
    /// In the region of which zone the newest durable save lies, if there is one.
    pub(super) saved_in: Option<u32>,
    /// When the newest attempt that trained ended: no held node has spent credits since.
    pub(super) idle_since: SimTime,
    /// What the nodes of an elastic gang hold in memory beyond the durable steps.
    pub(super) memory: Memory,
    /// How often a gang went on at another size.
    pub(super) reshards: u64,
    /// Time that counts against `max_run`.
    pub(super) run_used: Span,
    /// Slots looked at so far.
    pub(super) effort: u64,
    /// Broken attempts in a row without a new durable save.
    pub(super) fruitless: u64,
    pub(super) preemptions: u32,
    pub(super) failures: u32,
    pub(super) nodes_lost: u32,
    pub(super) attempts: u32,
    pub(super) time: TimeParts,
    pub(super) spot_cost: Money,
    pub(super) on_demand_cost: Money,
    pub(super) running_node_ns: u128,
    pub(super) absent_node_ns: u128,
    pub(super) fewer_node_ns: u128,
    /// What is billed beside the instances.
    pub(super) counted: Counted,
}

/// A complete gang's way to the end of the work, if nothing breaks it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Attempt {
    /// When its gang was complete.
    pub begun: SimTime,
    pub starting: Span,
    pub restoring: Span,
    /// When the first step begins.
    pub training_at: SimTime,
    /// Steps that were left to make.
    pub steps: u64,
}

/// What an attempt leaves behind.
#[derive(Clone, Copy)]
pub(super) enum Left {
    /// All its steps.
    Done,
    /// What is durable by its cadence.
    Durable,
    /// So many steps, by a save at the notice of its loss.
    Noticed(u64),
}

/// What gathering or an attempt led to.
pub(super) enum Next {
    /// The gang is complete.
    Attempt,
    /// The gang is not complete, or not any more.
    Gather,
    /// The replication is over.
    Over(End),
}

impl<O: Observer, const FULL: bool, const LONE: bool> Replication<'_, O, FULL, LONE> {
    #[inline]
    fn run(&mut self) -> Outcome {
        // Rules come before grants at submit too: a wait of nothing is over before it began.
        let mut next = match self.now >= wait_limit(self.plan) {
            true => Next::Over(End::GaveUp(Reason::MaxWait)),
            false => Next::Gather,
        };
        let end = loop {
            next = match next {
                Next::Gather => self.gather(),
                Next::Attempt => self.attempt(),
                Next::Over(end) => break end,
            };
        };
        self.book_kept();
        self.finish(end)
    }

    /// The outcome of a replication that ends now.
    #[inline]
    pub(super) fn finish(&mut self, end: End) -> Outcome {
        self.release_all();
        let (usage, beside) = match &self.plan.extras {
            Some(extras) if FULL => self.counted.bill(extras, self.now),
            _ => (Usage::default(), Beside::default()),
        };
        Outcome {
            end,
            elapsed: self.now.since_submit(),
            time: self.time,
            spot_cost: self.spot_cost,
            on_demand_cost: self.on_demand_cost,
            beside,
            usage,
            running_node_ns: self.running_node_ns,
            absent_node_ns: self.absent_node_ns,
            fewer_node_ns: self.fewer_node_ns,
            preemptions: self.preemptions,
            failures: self.failures,
            nodes_lost: self.nodes_lost,
            attempts: self.attempts,
        }
    }

    /// One instant after the other until the gang is complete or the replication is over. Each turn
    /// is the second half of an instant (requests and grants), a stretch of time, and the first half
    /// of the next instant (completions, losses, rules, horizon): the order of rule 16.
    fn gather(&mut self) -> Next {
        loop {
            self.effort += if LONE { 1 } else { self.slots.len() as u64 };
            if self.effort > EFFORT_MAX {
                return Next::Over(End::GaveUp(Reason::TooManyEvents));
            }
            if FULL {
                self.look_for_spot(self.now);
                self.leave_on_demand_if_due();
            }
            self.leave_spot_if_due();
            if FULL {
                self.choose_zone();
                if self.effort > EFFORT_MAX {
                    return Next::Over(End::GaveUp(Reason::TooManyEvents));
                }
            }
            let gang = self.ask_and_grant();
            if gang.ready <= self.now {
                return Next::Attempt;
            }
            let taken_at = gang.dies.min(self.next_change_from_outside());
            let mut stop_at = self.latest_end.min(self.leave_spot_at());
            if FULL {
                stop_at = stop_at.min(self.ask_again_at());
            }
            let next = gang.ready.min(gang.granted).min(taken_at).min(stop_at);
            self.book(gang.part, next.since(self.now), self.now);
            self.now = next;
            if gang.ready <= next {
                return Next::Attempt;
            }
            if taken_at <= next {
                self.lose_while_gathering();
            }
            if let Some(end) = self.end_by_clock() {
                return Next::Over(end);
            }
        }
    }

    /// Requests what is missing if the path allows the whole gang (rule 1) and takes what is granted
    /// now.
    #[inline]
    fn ask_and_grant(&mut self) -> Gathering {
        let spare = self.attempts == 0 && !self.plan.start.on_first;
        let allowed = self.supply.level::<FULL>() >= self.spot_nodes();
        let anchors = self.anchors();
        let credit = self.full_credit();
        let mut gang = Gathering::new(self.now);
        let market = self.market();
        for (index, slot) in gang_of::<LONE>(self.slots).iter_mut().enumerate() {
            match (slot.state, market) {
                (State::Absent, Market::OnDemand) => slot.grant_on_demand(self.plan, self.now, spare),
                (State::Absent, Market::Spot) if FULL && allowed && index < anchors => {
                    slot.grant_on_demand(self.plan, self.now, spare);
                }
                (State::Absent, Market::Spot) if allowed => slot.ask(self.capacity, self.now),
                _ => {}
            }
            if slot.state == State::Asked(self.now) {
                slot.grant(self.plan, self.capacity, self.now, spare);
                slot.credit = credit.unwrap_or(slot.credit);
            }
            gang.include(slot.state);
        }
        gang
    }

    /// The next instant at which the path, a shock or a written-out loss may take Spot nodes or requests.
    #[inline]
    pub(super) fn next_change_from_outside(&self) -> SimTime {
        match self.market() {
            Market::OnDemand => SimTime::NEVER,
            Market::Spot if LONE => self.supply.next_change::<FULL>(),
            Market::Spot => {
                let loss_at = self.losses.first().map_or(SimTime::NEVER, |loss| loss.at);
                let mut at = loss_at.min(self.supply.next_change::<FULL>());
                if FULL {
                    at = self.shocks.iter().map(ShockWalk::next_at).fold(at, SimTime::min);
                    at = at.min(self.next_change_elsewhere());
                }
                at
            }
        }
    }

    /// The losses of this instant, in a gang that is not complete: they break no attempt (rule 7).
    fn lose_while_gathering(&mut self) {
        let lost = self.take_losses();
        if FULL && lost.any() {
            self.forget_lost_saves();
        }
        if lost.any() && self.plan.on_loss == OnLoss::Release {
            self.release_all();
        } else if self.supply.level::<FULL>() < self.spot_nodes() {
            // Rule 3: a request that the path no longer allows is void.
            for slot in
                gang_of::<LONE>(self.slots).iter_mut().filter(|slot| matches!(slot.state, State::Asked(_)))
            {
                slot.state = State::Absent;
            }
        }
    }

    /// One attempt: from the complete gang to the first of its end, a loss, a rule, the horizon.
    fn attempt(&mut self) -> Next {
        self.attempts += 1;
        if self.market() == Market::Spot {
            self.observer.gang(self.zone);
        }
        if FULL && self.plan.extras.is_some() {
            self.count_starts();
        }
        let attempt = self.bring_up();
        let sustained = self.cycle();
        match self.burst() {
            None => self.go_through(attempt, sustained),
            Some(burst) => {
                let credit = self.gang_credit(burst, attempt.training_at);
                self.go_through(attempt, &burst.cycle(*sustained, credit, attempt.steps))
            }
        }
    }

    /// The attempt at the paces of `cycle`.
    #[inline]
    fn go_through(&mut self, attempt: Attempt, cycle: &Cycle<impl Pace>) -> Next {
        let done_at = attempt.training_at + cycle.duration(attempt.steps);

        let mut until = done_at.min(self.attempt_limit(self.now));
        let mut lost = false;
        if self.can_lose() {
            let loss_at = self.next_loss(until);
            if FULL && self.effort > EFFORT_MAX {
                return Next::Over(End::GaveUp(Reason::TooManyEvents));
            }
            // Rule 16: work that is done at the instant of a loss is done.
            lost = loss_at < done_at && loss_at <= until;
            until = until.min(loss_at);
            let switch_at = self.leave_spot_at_during(attempt, cycle, until);
            if switch_at < until {
                self.now = switch_at;
                self.book_attempt(attempt, cycle, Left::Durable);
                self.change_to(Market::OnDemand);
                return Next::Gather;
            }
        }
        if FULL && self.may_return() {
            let leave_at = self.leave_on_demand_during(attempt, cycle, until);
            if leave_at < until {
                self.now = leave_at;
                self.book_attempt(attempt, cycle, Left::Durable);
                self.change_to(Market::Spot);
                return Next::Gather;
            }
        }
        let done = until == done_at && !lost;
        self.now = until;
        let losses = if lost { self.take_losses() } else { Losses::default() };
        let announced = FULL && losses.reclaimed > 0 && self.notice_comes();
        let noticed = if announced { self.steps_saved_at_notice(attempt, cycle, false) } else { None };
        let left = if done { Left::Done } else { noticed.map_or(Left::Durable, Left::Noticed) };
        let gained = self.book_attempt(attempt, cycle, left);
        if done {
            return Next::Over(End::Finished);
        }
        if lost {
            return self.recover(losses, announced, gained);
        }
        Next::Over(self.end_by_clock().expect("an attempt ends done, by a loss or by the clock"))
    }

    /// After `losses` broke the gang: survivors hang unless the loss was `announced`, rules may end the
    /// replication, else a gang is gathered again. The broken attempt `gained` so many durable saves.
    #[inline(always)]
    fn recover(&mut self, losses: Losses, announced: bool, gained: u64) -> Next {
        match FULL && losses.reclaimed == 0 {
            true => self.failures += 1,
            false => self.preemptions += 1,
        }
        self.observer.broken(self.now, !FULL || losses.reclaimed > 0);
        let ended = if !FULL || announced || !self.may_hang() { None } else { self.hang() };
        let gained = if FULL && self.forget_lost_saves() { 0 } else { gained };
        if let Some(end) = ended {
            return Next::Over(end);
        }
        if let Some(reason) = self.end_by_loss(gained) {
            return Next::Over(End::GaveUp(reason));
        }
        if let Some(end) = self.end_by_clock() {
            return Next::Over(end);
        }
        if self.plan.on_loss == OnLoss::Release {
            self.release_all();
        }
        Next::Gather
    }

    /// What lies before this attempt, with the draws of its start and restore.
    #[inline]
    fn bring_up(&self) -> Attempt {
        let first = self.attempts == 1;
        let start = &self.plan.start;
        let starting = match first && !start.on_first {
            true => Span::ZERO,
            false => {
                let phases: &[StartPhase] = if FULL { &start.phases } else { &[] };
                let start = self.draw(Source::Start, &start.start);
                phases.iter().fold(start, |sum, phase| sum + self.draw(phase.source, &phase.law))
            }
        };
        let mut restoring = if first { Span::ZERO } else { self.draw(Source::Restore, self.restore()) };
        if FULL && let Some(step) = self.way_of_save() {
            restoring += step.time;
        }
        let begun = self.now;
        let training_at = begun + starting + restoring;
        let steps = self.plan.work.steps - self.durable_steps;
        Attempt { begun, starting, restoring, training_at, steps }
    }

    /// The draw of this attempt from `law`.
    #[inline]
    pub(super) fn draw(&self, source: Source, law: &Law) -> Span {
        self.draw_at(source, law, u64::from(self.attempts))
    }

    /// The draw with this index from `law`.
    #[inline]
    pub(super) fn draw_at(&self, source: Source, law: &Law, index: u64) -> Span {
        law.is_constant().unwrap_or_else(|| self.drawn_at(source, law, index))
    }

    #[inline(never)]
    fn drawn_at(&self, source: Source, law: &Law, index: u64) -> Span {
        law.sample(&mut self.streams.stream(source, self.capacity.zone, self.replication, index))
    }
}
