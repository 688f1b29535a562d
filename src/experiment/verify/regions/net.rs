//! The engine's safety net: On-Demand, without asking the policy, from the last tick at which it meets the deadline.

use super::world::{Kind, Tick};

impl Tick<'_> {
    /// Whole ticks until the deadline, seconds.
    pub fn time_left_s(&self) -> f64 {
        let tick_s = self.world.tick_s;
        ((self.job.deadline_s - self.now_s()) / tick_s).floor() * tick_s
    }

    /// What the work left takes with so many overheads, in whole ticks, seconds.
    pub fn needed_s(&self, overheads: f64) -> f64 {
        let tick_s = self.world.tick_s;
        ((self.left_s() + overheads * self.job.overhead_s) / tick_s).ceil() * tick_s
    }

    /// Whether the work left and one overhead need all ticks that are left.
    pub fn is_critical(&self) -> bool {
        self.needed_s(1.0) >= self.time_left_s()
    }

    /// Sees to it that On-Demand runs: where the job runs on Spot, else where the rest is cheapest. Spot nodes that
    /// have begun to work are given up.
    pub fn save_the_deadline(&mut self) {
        match self.active {
            Some((_, Kind::OnDemand)) => {}
            Some((region, Kind::Spot)) => {
                self.try_begin(region, Kind::OnDemand);
            }
            None => {
                let region = self.cheapest_on_demand();
                self.try_begin(region, Kind::OnDemand);
            }
        }
    }

    /// Where the rest of the work costs least On-Demand, moving there included.
    fn cheapest_on_demand(&self) -> usize {
        let mut best = (f64::INFINITY, 0);
        for (number, region) in self.world.regions.iter().enumerate() {
            let moving = self.saved_in.map_or(0.0, |from| self.world.moves[from][number].usd);
            let usd = region.on_demand_usd_per_h * self.left_s() / 3600.0 + moving;
            if usd < best.0 {
                best = (usd, number);
            }
        }
        best.1
    }
}
