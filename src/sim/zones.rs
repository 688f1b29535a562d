//! A gang that may be in one of several zones (docs/semantics.md, rules 54 to 58), each of one instance type (90 to 94).

use super::engine::{EFFORT_MAX, Replication};
use super::gang::{Slot, State};
use super::observer::Observer;
use super::supply::Supply;
use crate::capacity::schedule::Loss;
use crate::capacity::shock::{Shock, ShockWalk};
use crate::policy::Stage;
use crate::pricing::{PriceWalk, Tariff};
use crate::rng::Streams;
use crate::scenario::plan::{Capacity, ChooseZone, Machine, Market, Move, Plan};
use crate::units::{Price, SimTime, Span};
use std::mem::swap;

/// A zone that the gang is not in, in one replication.
#[derive(Debug)]
pub(super) struct Away<'a> {
    zone: u32,
    capacity: &'a Capacity,
    spot: &'a Tariff,
    machine: Option<&'a Machine>,
    supply: Supply<'a>,
    losses: &'a [Loss],
}

/// What else such a zone has: its own draws for each slot, its shocks and its price.
#[derive(Debug, Default)]
pub(super) struct Parked {
    slots: Vec<Slot>,
    shocks: Vec<ShockWalk>,
    prices: PriceWalk,
}

impl<'a> Away<'a> {
    /// All zones of `plan` but the first, at submit.
    pub fn begin_all(
        plan: &'a Plan,
        streams: &Streams,
        replication: u64,
        away: &mut Vec<Self>,
        parked: &mut Vec<Parked>,
    ) {
        parked.resize_with(plan.elsewhere.len().max(parked.len()), Parked::default);
        for ((zone, number), parked) in plan.elsewhere.iter().zip(1..).zip(parked) {
            let capacity = &zone.capacity;
            let prices = &mut parked.prices;
            let supply = Supply::begin(capacity, &zone.spot, plan.max_price, streams, replication, prices);
            Slot::fill(&mut parked.slots, plan, capacity, streams, replication);
            Shock::begin_all(&capacity.shocks, &mut parked.shocks, streams, replication);
            let losses = capacity.losses_after_submit();
            let (spot, machine) = (&zone.spot, zone.machine.as_ref());
            away.push(Self { zone: number, capacity, spot, machine, supply, losses });
        }
    }

    /// When what can be had there may change next.
    pub fn next_change(&self) -> SimTime {
        self.supply.next_change::<true>()
    }

    /// Nodes that can be had there at `now`.
    pub fn level_at(&mut self, parked: &mut Parked, now: SimTime, effort: &mut u64) -> u32 {
        self.pass(parked, now, effort);
        self.supply.level::<true>()
    }

    /// The same memory, for another replication.
    pub fn emptied(mut away: Vec<Self>) -> Vec<Away<'static>> {
        away.clear();
        // Collecting in place keeps the memory.
        away.into_iter().map_while(|_| None).collect()
    }

    /// Lets what happens up to `now` pass, where we hold nothing. Each change is an `effort`: capacity that
    /// lasts for nanoseconds elsewhere must end a replication too.
    fn pass(&mut self, parked: &mut Parked, now: SimTime, effort: &mut u64) {
        while self.next_change() <= now && *effort <= EFFORT_MAX {
            self.supply.pass::<true>(self.next_change(), &mut parked.prices);
            *effort += 1;
        }
        pass_unfelt(self.capacity, &mut self.losses, &mut parked.shocks, now, effort);
    }
}

impl<O: Observer, const FULL: bool, const LONE: bool> Replication<'_, O, FULL, LONE> {
    /// Whether the gang may be asked for in any zone: nothing is held or asked for.
    fn is_free(&self) -> bool {
        !self.away.is_empty()
            && self.market == Market::Spot
            && self.slots.iter().all(|slot| slot.state == State::Absent)
    }

    /// When the next other zone changes, if that matters.
    pub(super) fn next_change_elsewhere(&self) -> SimTime {
        match self.is_free() {
            true => self.away.iter().map(|away| away.next_change()).fold(SimTime::NEVER, SimTime::min),
            false => SimTime::NEVER,
        }
    }

    /// What it takes to restore the newest save here, if it lies in another region (rule 58).
    #[inline]
    pub(super) fn way_of_save(&self) -> Option<Move> {
        let moves = self.plan.moves.as_ref()?;
        moves.between(self.saved_in?, self.zone)
    }

    /// The longest time that the newest save may travel before On-Demand nodes go on from it: they are rented where
    /// the gang is or was last, and one that waits may yet be asked for anywhere.
    #[inline]
    pub(super) fn longest_way_of_save(&self, stage: Stage) -> Span {
        let (Some(moves), Some(from)) = (&self.plan.moves, self.saved_in) else { return Span::ZERO };
        match stage {
            Stage::Waiting => moves.longest(from),
            // In an attempt that began with a copy too: until it ends, that copy counts as still to be made.
            Stage::Preparing | Stage::Training => {
                moves.between(from, self.zone).map_or(Span::ZERO, |step| step.time)
            }
        }
    }

    /// Moves a gang of nothing to the zone in which it is to be asked for now, if any has capacity.
    pub(super) fn choose_zone(&mut self) {
        if !self.is_free() {
            return;
        }
        self.effort += self.away.len() as u64;
        let (now, nodes) = (self.now, self.spot_nodes());
        let plan = self.plan;
        let cheapest = plan.choose_zone == ChooseZone::Cheapest;
        let (moves, saved_in) = (plan.moves.as_ref(), self.saved_in);
        let rank = |spot: &Tariff, prices: &mut PriceWalk, machine: Option<&Machine>, zone: u32| {
            if !cheapest {
                return (0, false, zone);
            }
            let away = moves.zip(saved_in).is_some_and(|(moves, from)| moves.between(from, zone).is_some());
            (price_of_work(plan, spot.from_now(prices, now), machine), away, zone)
        };
        let has_it = self.supply.level::<true>() >= nodes;
        let here = has_it.then(|| rank(self.spot, self.prices, self.machine, self.zone));
        let mut best = here.map(|rank| (rank, None));
        for (index, (away, parked)) in self.away.iter_mut().zip(self.parked.iter_mut()).enumerate() {
            if away.level_at(parked, now, &mut self.effort) >= nodes {
                let rank = rank(away.spot, &mut parked.prices, away.machine, away.zone);
                if best.is_none_or(|(least, _)| rank < least) {
                    best = Some((rank, Some(index)));
                }
            }
        }
        if let Some((_, Some(index))) = best {
            self.move_to(index);
        }
    }

    /// Changes places with the zone `index` of those that the gang is not in.
    fn move_to(&mut self, index: usize) {
        if self.machine.is_some() || self.away[index].machine.is_some() {
            self.book_kept();
        }
        let (away, parked) = (&mut self.away[index], &mut self.parked[index]);
        for (slot, other) in self.slots.iter_mut().zip(&mut parked.slots) {
            other.follow(slot);
            swap(slot, other);
        }
        swap(&mut self.zone, &mut away.zone);
        swap(&mut self.capacity, &mut away.capacity);
        swap(&mut self.spot, &mut away.spot);
        swap(&mut self.machine, &mut away.machine);
        swap(&mut self.supply, &mut away.supply);
        swap(&mut self.losses, &mut away.losses);
        swap(self.shocks, &mut parked.shocks);
        swap(self.prices, &mut parked.prices);
    }
}

/// What all work costs at `price` on the type `machine`, to compare by.
fn price_of_work(plan: &Plan, price: Price, machine: Option<&Machine>) -> u128 {
    let cycle = machine.map_or(&plan.cycle, |machine| &machine.cycle);
    price.times(cycle.duration(plan.work.steps))
}

/// Lets written-out losses and shocks up to `now` pass in a zone in which no Spot node is held.
pub(super) fn pass_unfelt(
    capacity: &Capacity,
    losses: &mut &[Loss],
    shocks: &mut [ShockWalk],
    now: SimTime,
    effort: &mut u64,
) {
    *losses = &losses[losses.partition_point(|loss| loss.at <= now)..];
    for (shock, walk) in capacity.shocks.iter().zip(shocks) {
        while walk.next_at() <= now && *effort <= EFFORT_MAX {
            walk.pass(shock);
            *effort += 1;
        }
    }
}
