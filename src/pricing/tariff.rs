//! Terms by which the stays of one market are billed, and the bill of a stay.

use super::path::{PricePath, PriceWalk};
use crate::units::{Money, Price, SimTime, Span};

/// Who ended a stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The provider took the node back.
    Reclaimed,
    /// Its hardware failed: nobody took it back, so no rule on interruptions applies.
    Failed,
    /// We gave the node back, or the job was done.
    Released,
}

/// How the stays of one market are billed.
#[derive(Debug, Clone, PartialEq)]
pub struct Tariff {
    /// Price of one instance, where it does not change.
    pub price: Price,
    /// How it changes, in place of [`Self::price`].
    pub changing: Option<Changing>,
    /// A stay that we end is billed for at least this long.
    pub minimum: Span,
    /// A stay that the provider ends before this age is free.
    pub free_if_reclaimed_before: Span,
    /// Whether only whole hours are billed: a broken one is free if reclaimed, else charged in full.
    pub whole_hours: bool,
}

/// A price that changes, and which of its values counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Changing {
    /// The price in the market.
    pub path: PricePath,
    /// When an hour's price is taken.
    pub taken: Taken,
    /// Never more than this is charged.
    pub at_most: Option<Price>,
}

/// When the price of a running hour is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// At every instant.
    InEffect,
    /// At the start of each hour of the stay, which it then holds.
    HourStart,
}

/// What one stay comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bill {
    /// Seconds charged, as a span.
    pub billed: Span,
    /// The sum of its lines.
    pub cost: Money,
}

/// A stretch of a stay at one price: a line of the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    /// Begin of what is charged.
    pub from: SimTime,
    /// Its length.
    pub billed: Span,
    /// The price.
    pub price: Price,
    /// Exact price × time, rounded once.
    pub cost: Money,
}

const HOUR: Span = Span::from_s(3_600);

impl Changing {
    /// The price in effect at `t`, and when it may change next.
    pub fn at(&self, walk: &mut PriceWalk, t: SimTime) -> (Price, SimTime) {
        let (price, until) = self.path.at(walk, t);
        (self.at_most.map_or(price, |most| price.min(most)), until)
    }
}

impl Tariff {
    /// The bill of a stay from the end of provisioning until its end; `walk` is where the price is in this
    /// replication, `see` is told the lines of a price that changes.
    #[inline]
    pub fn bill(
        &self,
        walk: &mut PriceWalk,
        from: SimTime,
        to: SimTime,
        ended: Ended,
        mut see: impl FnMut(&Line),
    ) -> Bill {
        let billed = self.billed(to.since(from), ended);
        match &self.changing {
            None => Bill { billed, cost: self.price.cost(billed) },
            Some(_) => {
                let mut cost = Money::ZERO;
                for line in self.lines(walk, from, to, ended) {
                    cost += line.cost;
                    see(&line);
                }
                Bill { billed, cost }
            }
        }
    }

    /// The lines of that bill: one for each price.
    pub fn lines<'a>(
        &'a self,
        walk: &'a mut PriceWalk,
        from: SimTime,
        to: SimTime,
        ended: Ended,
    ) -> impl Iterator<Item = Line> + 'a {
        let end = from + self.billed(to.since(from), ended);
        let mut at = from;
        let mut charged = end == from;
        std::iter::from_fn(move || {
            if charged {
                return None;
            }
            let (price, until) = self.price_at(walk, at, from);
            // What fills up a minimum costs what the last instant of use did.
            let until = if until >= to && !self.whole_hours { end } else { until.min(end) };
            let (line_from, billed) = (at, until.since(at));
            (at, charged) = (until, until == end);
            Some(Line { from: line_from, billed, price, cost: price.cost(billed) })
        })
    }

    /// The highest price that it ever charges.
    pub fn highest(&self) -> Price {
        self.changing.as_ref().map_or(self.price, |changing| {
            let highest = changing.path.highest();
            changing.at_most.map_or(highest, |most| highest.min(most))
        })
    }

    /// The lowest price in effect at any time.
    pub fn lowest(&self) -> Price {
        self.changing.as_ref().map_or(self.price, |changing| {
            let lowest = changing.path.lowest();
            changing.at_most.map_or(lowest, |most| lowest.min(most))
        })
    }

    /// The price that is charged from `now` on, for a stay that begins then.
    pub fn from_now(&self, walk: &mut PriceWalk, now: SimTime) -> Price {
        self.price_at(walk, now, now).0
    }

    /// How much of a stay of length `stay` is charged.
    #[inline]
    pub fn billed(&self, stay: Span, ended: Ended) -> Span {
        if self.whole_hours {
            let hours = match ended {
                Ended::Reclaimed => stay.ns() / HOUR.ns(),
                Ended::Failed | Ended::Released => stay.ns().div_ceil(HOUR.ns()).max(1),
            };
            return HOUR.times(hours);
        }
        match ended {
            Ended::Reclaimed if stay < self.free_if_reclaimed_before => Span::ZERO,
            Ended::Reclaimed | Ended::Failed => stay,
            Ended::Released => stay.max(self.minimum),
        }
    }

    /// The price that a stay from `begin` pays at `at`, and until when.
    fn price_at(&self, walk: &mut PriceWalk, at: SimTime, begin: SimTime) -> (Price, SimTime) {
        let Some(changing) = &self.changing else { return (self.price, SimTime::NEVER) };
        match changing.taken {
            Taken::InEffect => changing.at(walk, at),
            Taken::HourStart => {
                let hours = at.since(begin).ns() / HOUR.ns();
                let start = begin + HOUR.times(hours);
                (changing.at(walk, start).0, start + HOUR)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pricing::{PriceHistory, ec2, ec2_hourly, flat};

    fn usd(text: &str) -> Price {
        text.parse().unwrap()
    }

    fn at(seconds: u64) -> SimTime {
        SimTime::ZERO + Span::from_s(seconds)
    }

    fn bill(tariff: &Tariff, from: SimTime, to: SimTime, ended: Ended) -> Bill {
        tariff.bill(&mut PriceWalk::default(), from, to, ended, |_| {})
    }

    fn lines(tariff: &Tariff, from: SimTime, to: SimTime, ended: Ended) -> Vec<Line> {
        tariff.lines(&mut PriceWalk::default(), from, to, ended).collect()
    }

    fn changing(terms: Tariff, taken: Taken, at_most: Option<&str>) -> Tariff {
        let history = PriceHistory::new(vec![(at(0), usd("1 USD/h")), (at(1_800), usd("2 USD/h"))]).unwrap();
        let path = PricePath::History(history);
        Tariff { changing: Some(Changing { path, taken, at_most: at_most.map(usd) }), ..terms }
    }

    /// Half an hour at 1 USD/h, a quarter at 2 USD/h: 0.5 + 0.5.
    #[test]
    fn the_price_in_effect_makes_a_line_for_each_price() {
        let tariff = changing(flat(usd("9 USD/h")), Taken::InEffect, None);
        let lines: Vec<Line> = lines(&tariff, at(0), at(2_700), Ended::Released);
        assert_eq!(lines.iter().map(|line| line.cost.nusd()).collect::<Vec<_>>(), [500_000_000; 2]);
        assert_eq!(bill(&tariff, at(0), at(2_700), Ended::Released).cost.nusd(), 1_000_000_000);
    }

    /// An hour that began at 1 USD/h stays at it; the next begins at 2.
    #[test]
    fn the_price_at_the_start_of_an_hour_holds_for_the_hour() {
        let tariff = changing(flat(usd("9 USD/h")), Taken::HourStart, None);
        assert_eq!(bill(&tariff, at(100), at(3_700), Ended::Reclaimed).cost.nusd(), 1_000_000_000);
        assert_eq!(bill(&tariff, at(100), at(5_500), Ended::Reclaimed).cost.nusd(), 2_000_000_000);
    }

    /// A stay of 30 s from 1,780 s on: 20 s at 1 USD/h, then 40 s, 30 of them unused, at 2.
    #[test]
    fn what_fills_up_the_minimum_costs_what_the_last_instant_did() {
        let tariff = changing(ec2(usd("9 USD/h"), true), Taken::InEffect, None);
        let short = bill(&tariff, at(1_780), at(1_810), Ended::Released);
        assert_eq!((short.billed, short.cost.nusd()), (Span::from_s(60), 5_555_556 + 22_222_222));
        // Ended just before the change: the whole minute at 1 USD/h.
        assert_eq!(bill(&tariff, at(1_770), at(1_800), Ended::Released).cost.nusd(), 16_666_667);
    }

    #[test]
    fn no_more_than_the_cap_is_charged() {
        let tariff = changing(flat(usd("9 USD/h")), Taken::InEffect, Some("1.5 USD/h"));
        assert_eq!(bill(&tariff, at(1_800), at(5_400), Ended::Released).cost.nusd(), 1_500_000_000);
    }

    #[test]
    fn by_the_hour_a_broken_hour_is_free_if_reclaimed_else_full() {
        let tariff = ec2_hourly(usd("1 USD/h"));
        let cost = |to, ended| bill(&tariff, at(0), at(to), ended).cost.nusd();
        assert_eq!(
            (cost(5_400, Ended::Reclaimed), cost(5_400, Ended::Released)),
            (1_000_000_000, 2_000_000_000)
        );
        assert_eq!((cost(0, Ended::Reclaimed), cost(0, Ended::Released)), (0, 1_000_000_000));
    }

    #[test]
    fn lines_add_up_to_the_bill_at_a_constant_price_too() {
        let tariff = ec2(usd("3.6 USD/h"), true);
        for (to, ended, count) in
            [(3_599, Ended::Reclaimed, 0), (10, Ended::Released, 1), (7_200, Ended::Reclaimed, 1)]
        {
            let found: Vec<Line> = lines(&tariff, at(0), at(to), ended);
            assert_eq!(found.len(), count);
            let sum = found.iter().map(|line| line.cost.nusd()).sum::<i64>();
            assert_eq!(sum, bill(&tariff, at(0), at(to), ended).cost.nusd());
        }
    }
}
