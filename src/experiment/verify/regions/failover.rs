//! Uniform Progress that looks for Spot by price, last in the region in which it ran last.

use super::Decide;
use super::pace::wish;
use super::world::{Kind, Tick};

/// UP(S): the region just lost is likely to be lost again soon.
#[derive(Debug, Default)]
pub(super) struct Failover {
    last_in: Option<usize>,
}

impl Failover {
    /// By price; those of the region in which the job ran last come after all others.
    fn order(&self, tick: &Tick<'_>) -> Vec<usize> {
        let regions = &tick.world.regions;
        let avoided = self.last_in.map(|last| regions[last].group);
        let mut order: Vec<usize> = (0..regions.len()).collect();
        order.sort_by(|&a, &b| {
            let avoid = |region: usize| Some(regions[region].group) == avoided;
            let price = |region: usize| regions[region].spot_price(tick.number);
            avoid(a).cmp(&avoid(b)).then(price(a).total_cmp(&price(b)))
        });
        order
    }
}

impl Decide for Failover {
    fn decide(&mut self, tick: &mut Tick<'_>) {
        let running = tick.active;
        let here = running.map(|(region, _)| region);
        self.last_in = here.or(self.last_in);
        let wanted = wish(tick, running.map(|(_, kind)| kind), true);
        if running.is_some() && wanted.kind == running.map(|(_, kind)| kind) {
            return;
        }
        tick.give_back();
        match wanted.kind {
            None => {}
            Some(Kind::OnDemand) => tick.begin_on_demand(here),
            Some(Kind::Spot) => {
                let found = self.order(tick).into_iter().any(|region| tick.try_begin(region, Kind::Spot));
                if !found && !wanted.is_ahead && wish(tick, None, false).kind == Some(Kind::OnDemand) {
                    tick.begin_on_demand(here);
                }
            }
        }
    }
}
