//! What the regions are like, and the tick in which a job is.

use super::Moved;

/// One region, or one zone of it, from submit on.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// Whether Spot can be had in each tick; not after the last.
    pub spot: Vec<bool>,
    /// Price of Spot in each tick, USD per hour; of the last one after it. Not empty.
    pub spot_usd_per_h: Vec<f64>,
    /// USD per hour.
    pub on_demand_usd_per_h: f64,
    /// Zones with the same number lie in one region.
    pub group: usize,
}

impl Region {
    /// Whether Spot can be had in the tick.
    pub(super) fn has_spot(&self, tick: usize) -> bool {
        self.spot.get(tick).copied().unwrap_or(false)
    }

    /// Price of Spot in the tick, USD per hour.
    pub(super) fn spot_price(&self, tick: usize) -> f64 {
        self.spot_usd_per_h[tick.min(self.spot_usd_per_h.len() - 1)]
    }

    /// Price of `kind` in the tick, USD per hour.
    fn price(&self, kind: Kind, tick: usize) -> f64 {
        match kind {
            Kind::Spot => self.spot_price(tick),
            Kind::OnDemand => self.on_demand_usd_per_h,
        }
    }
}

/// What it takes to begin where the newest save does not lie.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Move {
    /// Seconds beside the overhead of any start.
    pub extra_s: f64,
    /// Traffic, USD.
    pub usd: f64,
}

/// All that does not hang on the policy.
#[derive(Debug, Clone, PartialEq)]
pub struct World {
    /// Length of a tick, seconds.
    pub tick_s: f64,
    /// At least one.
    pub regions: Vec<Region>,
    /// From one region to another, by their places in `regions`.
    pub moves: Vec<Vec<Move>>,
    /// Whether the extra time of a move is burnt by the instance; else the save travels before it begins.
    pub moves_take_time: bool,
    /// What a probe that finds Spot is billed for, seconds.
    pub probe_s: f64,
}

/// What is to be done, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Job {
    /// All work.
    pub task_s: f64,
    /// When it must be done, since submit.
    pub deadline_s: f64,
    /// What each new instance burns before it works.
    pub overhead_s: f64,
}

/// What an instance is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Goes when Spot goes.
    Spot,
    /// Stays.
    OnDemand,
}

/// Work left of less than this is none, and so is an overhead, seconds.
pub(super) const NONE_S: f64 = 1e-3;

/// The tick in which the job is, with what went before.
#[derive(Debug)]
pub(super) struct Tick<'a> {
    pub world: &'a World,
    pub job: &'a Job,
    /// From 0.
    pub number: usize,
    /// What runs, and where.
    pub active: Option<(usize, Kind)>,
    /// What it still has to burn, seconds.
    pub burning_s: f64,
    /// Work done, seconds.
    pub done_s: f64,
    /// Where the newest save lies.
    pub saved_in: Option<usize>,
    /// The tick in which each region was last asked for Spot.
    pub asked_at: Vec<usize>,
    /// Where the newest save lay when an instance was begun in this tick, if one was.
    begun_from: Option<Option<usize>>,
    /// Regions probed with success in this tick.
    probed: Vec<usize>,
    usd: f64,
    last_tick_usd: f64,
    traffic_usd: f64,
    probes_usd: f64,
    moves: u32,
}

impl<'a> Tick<'a> {
    /// Before the first tick.
    pub fn submit(world: &'a World, job: &'a Job) -> Self {
        Self {
            world,
            job,
            number: 0,
            active: None,
            burning_s: 0.0,
            done_s: 0.0,
            saved_in: None,
            asked_at: vec![0; world.regions.len()],
            begun_from: None,
            probed: Vec::new(),
            usd: 0.0,
            last_tick_usd: 0.0,
            traffic_usd: 0.0,
            probes_usd: 0.0,
            moves: 0,
        }
    }

    /// Seconds since submit.
    pub fn now_s(&self) -> f64 {
        self.number as f64 * self.world.tick_s
    }

    /// Work left, seconds.
    pub fn left_s(&self) -> f64 {
        self.job.task_s - self.done_s
    }

    /// Books the tick that just ended, then loses Spot that is gone. Whether the job is done.
    pub fn begin(&mut self) -> bool {
        if self.number > 0 {
            self.bill(self.number - 1);
        }
        if let Some((region, kind)) = self.active {
            self.work(region);
            if kind == Kind::Spot && !self.world.regions[region].has_spot(self.number) {
                self.active = None;
            }
        }
        self.begun_from = None;
        self.left_s().max(0.0) <= NONE_S
    }

    /// Goes to the next tick.
    pub fn end(&mut self) {
        self.number += 1;
    }

    fn bill(&mut self, tick: usize) {
        let before = self.usd;
        if let Some((region, kind)) = self.active {
            let price = self.world.regions[region].price(kind, tick);
            self.usd += price * self.world.tick_s / 3600.0;
        }
        for &region in &self.probed {
            let price = self.world.regions[region].spot_price(tick);
            let probe = price * self.world.probe_s / 3600.0;
            self.usd += probe;
            self.probes_usd += probe;
        }
        self.probed.clear();
        self.last_tick_usd = self.usd - before;
    }

    /// Credits the work of the tick that ended.
    fn work(&mut self, region: usize) {
        if let Some(from) = self.begun_from {
            self.burning_s = self.job.overhead_s;
            if let Some(from) = from {
                let step = self.world.moves[from][region];
                if self.world.moves_take_time {
                    self.burning_s += step.extra_s;
                }
                if from != region {
                    self.moves += 1;
                    self.traffic_usd += step.usd;
                }
            }
        }
        let tick_s = self.world.tick_s;
        let worked_s = (tick_s - self.burning_s).max(0.0).min(self.left_s());
        self.burning_s = (self.burning_s - tick_s).max(0.0);
        self.done_s += worked_s;
        self.saved_in = Some(region);
    }

    /// Whether Spot can be had in the region now; the price there is known from now.
    fn ask(&mut self, region: usize) -> bool {
        self.asked_at[region] = self.number;
        self.world.regions[region].has_spot(self.number)
    }

    /// Begins an instance, if it can be had; nothing else may run after this tick's decisions.
    pub fn try_begin(&mut self, region: usize, kind: Kind) -> bool {
        if kind == Kind::Spot && !self.ask(region) {
            return false;
        }
        self.active = Some((region, kind));
        self.begun_from = Some(self.saved_in);
        true
    }

    /// Gives back what runs.
    pub fn give_back(&mut self) {
        self.active = None;
    }

    /// Begins an instance for a moment, to see whether it can be had.
    pub fn probe(&mut self, region: usize) -> bool {
        let success = self.ask(region);
        let runs_there = self.active.is_some_and(|(active, _)| active == region);
        if success && !runs_there {
            self.probed.push(region);
        }
        success
    }

    /// What it came to, once the job is done.
    pub fn outcome(&self) -> Moved {
        Moved {
            usd: self.usd + self.traffic_usd,
            last_tick_usd: self.last_tick_usd,
            traffic_usd: self.traffic_usd,
            probes_usd: self.probes_usd,
            moves: self.moves,
            ticks: self.number,
        }
    }
}
