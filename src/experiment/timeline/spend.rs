//! What was spent by when.

use crate::sim::{Ledger, Outcome};
use crate::units::{Money, SimTime};

/// A line of the bill, spread evenly over its time.
struct Charge {
    from: SimTime,
    to: SimTime,
    nusd: i128,
}

impl Charge {
    /// Its share by `at`, rounded down.
    fn by(&self, at: SimTime) -> i128 {
        if at >= self.to {
            return self.nusd;
        }
        let length = i128::from(self.to.since(self.from).ns().max(1));
        self.nusd * i128::from(at.ns().saturating_sub(self.from.ns())) / length
    }
}

/// Instants, in order, and the dollars spent by then: straight between them. What is billed beside the instances
/// comes at the end.
pub(super) fn spend(ledger: &Ledger, outcome: &Outcome) -> Vec<(SimTime, Money)> {
    let mut charges = charges(ledger);
    charges.sort_by_key(|charge| charge.from);
    let end = SimTime::ZERO + outcome.elapsed;
    let mut instants: Vec<SimTime> = charges.iter().flat_map(|charge| [charge.from, charge.to]).collect();
    instants.extend([SimTime::ZERO, end]);
    instants.sort_unstable();
    instants.dedup();
    let mut points: Vec<(SimTime, Money)> = Vec::with_capacity(instants.len() + 1);
    let (mut next, mut open, mut closed) = (0, Vec::new(), 0);
    for at in instants {
        while let Some(charge) = charges.get(next).filter(|charge| charge.from <= at) {
            open.push(charge);
            next += 1;
        }
        open.retain(|charge| {
            closed += if charge.to <= at { charge.nusd } else { 0 };
            charge.to > at
        });
        let nusd = closed + open.iter().map(|charge| charge.by(at)).sum::<i128>();
        points.push((at, money(nusd)));
    }
    points.push((end, outcome.cost()));
    points
}

fn money(nusd: i128) -> Money {
    Money::from_nusd(i64::try_from(nusd).unwrap_or(i64::MAX))
}

/// All lines: where the price changed, one each.
fn charges(ledger: &Ledger) -> Vec<Charge> {
    let mut charges = Vec::with_capacity(ledger.stays.len());
    for (stay, own) in ledger.bills() {
        let from = stay.provisioned.min(stay.end);
        if own.is_empty() {
            charges.push(Charge { from, to: stay.end, nusd: stay.bill.cost.nusd().into() });
        }
        for (_, line) in own {
            let from = line.from.min(stay.end);
            let to = (line.from + line.billed).min(stay.end);
            charges.push(Charge { from, to, nusd: line.cost.nusd().into() });
        }
    }
    charges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_spread_evenly() {
        let at = SimTime::from_ns;
        let charge = Charge { from: at(10), to: at(30), nusd: 100 };
        assert_eq!([0, 10, 15, 30, 40].map(|ns| charge.by(at(ns))), [0, 0, 25, 100, 100]);
        let at_once = Charge { from: at(10), to: at(10), nusd: 7 };
        assert_eq!([9, 10].map(|ns| at_once.by(at(ns))), [0, 7]);
    }
}
