//! What can be had in a zone: its path, and nothing while the price is above our maximum (docs/semantics.md, rules 80
//! to 82).

use crate::capacity::path::Walk;
use crate::pricing::{Changing, PriceWalk, Tariff};
use crate::rng::Streams;
use crate::scenario::plan::Capacity;
use crate::units::{Price, SimTime};

/// A zone in one replication. The price is where the [`PriceWalk`] with which it began is: each call takes that one.
///
/// `GATED` of a call: `false` promises that there is no maximum, and then costs no branch.
#[derive(Debug, Clone)]
pub struct Supply<'a> {
    walk: Walk<'a>,
    gate: Option<Gate<'a>>,
}

/// Closed while the price is above the maximum.
#[derive(Debug, Clone)]
struct Gate<'a> {
    changing: &'a Changing,
    most: Price,
    is_open: bool,
    /// When the price may change next.
    next: SimTime,
}

impl<'a> Supply<'a> {
    /// The zone of `capacity` and `spot` at submit of a replication; `prices` begins with it.
    #[inline]
    pub fn begin(
        capacity: &'a Capacity,
        spot: &'a Tariff,
        max_price: Option<Price>,
        streams: &Streams,
        replication: u64,
        prices: &mut PriceWalk,
    ) -> Self {
        let walk = capacity.path.walk(streams, capacity.zone, replication);
        let Some(changing) = &spot.changing else { return Self { walk, gate: None } };
        // The price follows from the instant of the trace at which capacity begins.
        prices.begin(&changing.path, streams, capacity.zone, replication, walk.began_at());
        let gate = max_price.map(|most| {
            let mut gate = Gate { changing, most, is_open: true, next: SimTime::ZERO };
            gate.step(prices);
            gate
        });
        Self { walk, gate }
    }

    /// Nodes that can be had now.
    #[inline]
    pub fn level<const GATED: bool>(&self) -> u32 {
        let closed = GATED && self.gate.as_ref().is_some_and(|gate| !gate.is_open);
        if closed { 0 } else { self.walk.level() }
    }

    /// When the level may change next.
    #[inline]
    pub fn next_change<const GATED: bool>(&self) -> SimTime {
        let next = self.walk.next_change();
        match &self.gate {
            Some(gate) if GATED => next.min(gate.next),
            _ => next,
        }
    }

    /// As [`Walk::pass`].
    #[inline]
    pub fn pass<const GATED: bool>(&mut self, now: SimTime, prices: &mut PriceWalk) -> u32 {
        let lowest = self.walk.pass(now);
        let closed = GATED && self.gate.as_mut().is_some_and(|gate| !gate.pass(now, prices));
        if closed { 0 } else { lowest }
    }

    /// As [`Walk::next_below`], where `nodes` can be had now.
    #[inline]
    pub fn next_below<const GATED: bool>(
        &mut self,
        nodes: u32,
        limit: SimTime,
        prices: &mut PriceWalk,
    ) -> SimTime {
        match &mut self.gate {
            Some(gate) if GATED => {
                let closes = gate.closes(limit, prices);
                closes.min(self.walk.next_below(nodes, limit.min(closes)))
            }
            _ => self.walk.next_below(nodes, limit),
        }
    }
}

impl Gate<'_> {
    /// Whether the price at its next change is at most the maximum, and when it changes after that.
    fn peek(&self, prices: &mut PriceWalk) -> (bool, SimTime) {
        let (price, until) = self.changing.at(prices, self.next);
        (price <= self.most, until)
    }

    fn step(&mut self, prices: &mut PriceWalk) {
        (self.is_open, self.next) = self.peek(prices);
    }

    /// Takes every change up to `now`; whether it was open at each of them, or is now if there was none.
    fn pass(&mut self, now: SimTime, prices: &mut PriceWalk) -> bool {
        if self.next > now {
            return self.is_open;
        }
        let mut open = true;
        while self.next <= now && self.next < SimTime::NEVER {
            self.step(prices);
            open &= self.is_open;
        }
        open
    }

    /// When it closes, up to `limit`. Changes before that are taken; that one is left for [`Self::pass`].
    fn closes(&mut self, limit: SimTime, prices: &mut PriceWalk) -> SimTime {
        while self.next <= limit && self.next < SimTime::NEVER {
            let (is_open, next) = self.peek(prices);
            if !is_open {
                return self.next;
            }
            self.next = next;
        }
        SimTime::NEVER
    }
}
