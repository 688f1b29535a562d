//! Uniform Progress that looks for Spot where the share of successes per dollar is largest.

use super::Decide;
use super::pace::wish;
use super::probing::ticks_in;
use super::world::{Kind, Tick, World};

/// Time between two samples of a region, seconds.
const BETWEEN_S: f64 = 3_600.0;
/// A region is kept while its score is at least this share of the best.
const KEPT_FROM: f64 = 0.9;

/// UP(AP).
#[derive(Debug)]
pub(super) struct Score {
    successes: Vec<u32>,
    attempts: Vec<u32>,
    probe_at: Vec<usize>,
    main: Option<usize>,
    between: usize,
}

impl Score {
    pub fn new(world: &World) -> Self {
        let regions = world.regions.len();
        Self {
            successes: vec![0; regions],
            attempts: vec![0; regions],
            probe_at: vec![0; regions],
            main: None,
            between: ticks_in(BETWEEN_S, world.tick_s),
        }
    }

    fn record(&mut self, region: usize, success: bool) {
        self.attempts[region] += 1;
        self.successes[region] += u32::from(success);
    }

    /// Share of the attempts that succeeded, per dollar an hour; the price is the one seen when last asked.
    fn score(&self, tick: &Tick<'_>, region: usize) -> f64 {
        let share = match self.attempts[region] {
            0 => 0.5,
            all => f64::from(self.successes[region]) / f64::from(all),
        };
        share / tick.world.regions[region].spot_price(tick.asked_at[region])
    }

    fn look(&mut self, tick: &Tick<'_>) {
        let Some(main) = self.main else { return };
        if tick.active != Some((main, Kind::Spot)) {
            self.record(main, false);
            self.main = None;
        } else if tick.number >= self.probe_at[main] {
            self.record(main, true);
            self.probe_at[main] = tick.number + self.between;
        }
    }

    /// Whether Spot runs after all.
    fn find_spot(&mut self, tick: &mut Tick<'_>, ranked: &[usize]) -> bool {
        self.main = tick.begin_spot(ranked, |region, success| self.record(region, success));
        if let Some(main) = self.main {
            self.probe_at[main] = tick.number + self.between;
        }
        self.main.is_some()
    }

    /// Probes all regions that are due.
    fn probe(&mut self, tick: &mut Tick<'_>) {
        for region in 0..self.attempts.len() {
            let runs = tick.active == Some((region, Kind::Spot));
            if Some(region) != self.main && !runs && tick.number >= self.probe_at[region] {
                let success = tick.probe(region);
                self.record(region, success);
                self.probe_at[region] = tick.number + self.between;
            }
        }
    }

    /// Keeps Spot, moves it, or finds it; On-Demand in the first region where there is none and it must be.
    fn want_spot(&mut self, tick: &mut Tick<'_>, running: Option<(usize, Kind)>) {
        let mut ranked: Vec<usize> = (0..self.attempts.len()).collect();
        ranked.sort_by(|&a, &b| self.score(tick, b).total_cmp(&self.score(tick, a)));
        if let Some((region, Kind::Spot)) = running
            && (region == ranked[0] || self.score(tick, region) >= self.score(tick, ranked[0]) * KEPT_FROM)
        {
            self.main = Some(region);
            return;
        }
        tick.give_back();
        self.main = None;
        if !self.find_spot(tick, &ranked) && wish(tick, None, false).kind == Some(Kind::OnDemand) {
            tick.begin_on_demand(Some(0));
        }
    }
}

impl Decide for Score {
    fn decide(&mut self, tick: &mut Tick<'_>) {
        self.look(tick);
        let running = tick.active;
        match (wish(tick, running.map(|(_, kind)| kind), true).kind, running) {
            (None, _) => {
                tick.give_back();
                self.main = None;
            }
            (Some(Kind::OnDemand), Some((_, Kind::OnDemand))) => {}
            (Some(Kind::OnDemand), _) => {
                tick.give_back();
                tick.begin_on_demand(Some(running.map_or(0, |(region, _)| region)));
                self.main = None;
            }
            (Some(Kind::Spot), _) => {
                self.want_spot(tick, running);
                self.probe(tick);
            }
        }
    }
}
