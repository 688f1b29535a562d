//! Uniform Progress that looks for Spot where the latest few attempts succeeded most often.

use super::Decide;
use super::pace::wish;
use super::world::{Kind, Tick, World};
use std::collections::VecDeque;

/// Attempts remembered of a region.
const WINDOW: usize = 5;
/// Time between two samples of a region, seconds.
const BETWEEN_S: f64 = 7_200.0;

/// UP(A).
#[derive(Debug)]
pub(super) struct Probing {
    /// What the latest attempts came to, by region.
    seen: Vec<VecDeque<bool>>,
    probe_at: Vec<usize>,
    sample_at: Vec<usize>,
    /// Where the job was put on Spot.
    main: Option<usize>,
    between: usize,
}

/// Ticks in `span_s`, at least one; halves go to the even number.
pub(super) fn ticks_in(span_s: f64, tick_s: f64) -> usize {
    ((span_s / tick_s).round_ties_even() as usize).max(1)
}

impl Probing {
    pub fn new(world: &World) -> Self {
        let regions = world.regions.len();
        Self {
            seen: vec![VecDeque::new(); regions],
            probe_at: vec![0; regions],
            sample_at: vec![0; regions],
            main: None,
            between: ticks_in(BETWEEN_S, world.tick_s),
        }
    }

    /// Share of the attempts that succeeded; one half before the first.
    fn share(&self, region: usize) -> f64 {
        let seen = &self.seen[region];
        match seen.len() {
            0 => 0.5,
            all => seen.iter().filter(|success| **success).count() as f64 / all as f64,
        }
    }

    fn record(&mut self, region: usize, success: bool) {
        let seen = &mut self.seen[region];
        if seen.len() == WINDOW {
            seen.pop_front();
        }
        seen.push_back(success);
    }

    /// All regions, the best first.
    fn ranked(&self) -> Vec<usize> {
        let mut ranked: Vec<usize> = (0..self.seen.len()).collect();
        ranked.sort_by(|&a, &b| self.share(b).total_cmp(&self.share(a)));
        ranked
    }

    /// Takes note of what became of the region in which the job was put.
    fn look(&mut self, tick: &Tick<'_>) {
        let on_spot = tick.active.filter(|(_, kind)| *kind == Kind::Spot).map(|(region, _)| region);
        if let Some(main) = self.main
            && on_spot != Some(main)
        {
            self.record(main, false);
        }
        self.main = on_spot;
        if let Some(main) = self.main
            && tick.number >= self.sample_at[main]
        {
            self.record(main, true);
            self.sample_at[main] = tick.number + self.between;
        }
    }

    /// Whether Spot runs after all.
    fn find_spot(&mut self, tick: &mut Tick<'_>, ranked: &[usize]) -> bool {
        self.main = tick.begin_spot(ranked, |region, success| self.record(region, success));
        if let Some(main) = self.main {
            self.sample_at[main] = tick.number + self.between;
        }
        self.main.is_some()
    }

    /// At most one probe a tick, of the region with the fewest samples that is due.
    fn probe(&mut self, tick: &mut Tick<'_>) {
        let runs = tick.active.map(|(region, _)| region);
        let due = (0..self.seen.len()).filter(|&region| {
            Some(region) != self.main && Some(region) != runs && tick.number >= self.probe_at[region]
        });
        if let Some(region) = due.min_by_key(|&region| (self.seen[region].len(), region)) {
            let success = tick.probe(region);
            self.record(region, success);
            self.probe_at[region] = tick.number + self.between;
        }
    }
}

impl Decide for Probing {
    fn decide(&mut self, tick: &mut Tick<'_>) {
        self.look(tick);
        let running = tick.active;
        let here = running.map(|(region, _)| region);
        let wanted = wish(tick, running.map(|(_, kind)| kind), true);
        match (wanted.kind, running) {
            (None, _) => {
                tick.give_back();
                self.main = None;
            }
            (Some(Kind::OnDemand), Some((_, Kind::OnDemand))) => {}
            (Some(Kind::OnDemand), _) => {
                tick.give_back();
                tick.begin_on_demand(here);
                self.main = None;
            }
            (Some(Kind::Spot), _) => {
                let ranked = self.ranked();
                let on_spot = running.filter(|(_, kind)| *kind == Kind::Spot).map(|(region, _)| region);
                let stays = on_spot.is_some_and(|region| {
                    region == ranked[0] || self.share(region) >= self.share(ranked[0]) - 1e-6
                });
                if !stays {
                    tick.give_back();
                    self.main = None;
                    if !self.find_spot(tick, &ranked) {
                        let otherwise = wish(tick, None, false).kind;
                        if !wanted.is_ahead && otherwise == Some(Kind::OnDemand) {
                            tick.begin_on_demand(None);
                        }
                        return;
                    }
                }
                self.probe(tick);
            }
        }
    }
}
