//! A job that may run in any of several regions, by whole ticks: one instance at a time over all of them, seen,
//! changed and billed at tick boundaries, and no work lost.
//!
//! The rules are those by which the artifact of SkyNomad (NSDI 2027) made its published costs
//! (docs/policies-regions.md); `spotsim verify policies` holds this against them.

mod failover;
mod home;
mod net;
mod optimum;
mod pace;
mod probing;
mod score;
mod world;

pub use home::stay_home;
pub use world::{Job, Move, Region, World};

use failover::Failover;
use optimum::Optimum;
use probing::Probing;
use score::Score;
use world::Tick;

/// Who decides where the job runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// Uniform Progress; Spot by price, but last in the region that was lost last: UP(S).
    Failover,
    /// Uniform Progress; Spot where the latest of a few probes succeeded most often: UP(A).
    Probing,
    /// Uniform Progress; Spot where the share of successes per dollar is largest: UP(AP).
    Score,
    /// The least cost in whole ticks with the whole future known.
    Optimum,
}

/// How a job went.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moved {
    /// Instances, probes and traffic, USD.
    pub usd: f64,
    /// Of it the last tick, in which the job ends, USD.
    pub last_tick_usd: f64,
    /// Traffic between regions, USD; in `usd`.
    pub traffic_usd: f64,
    /// Probes, USD; in `usd`.
    pub probes_usd: f64,
    /// Times that an instance began in another region than the one before.
    pub moves: u32,
    /// Ticks from submit to the end of the job.
    pub ticks: usize,
}

/// Decides at each tick what runs, through the [`Tick`] that it is given.
trait Decide {
    /// Tries, ends and probes until the right thing runs in this tick.
    fn decide(&mut self, tick: &mut Tick<'_>);
}

/// Runs the job in `world`; `None` where it misses its deadline.
pub fn move_about(world: &World, job: &Job, strategy: Strategy) -> Option<Moved> {
    match strategy {
        Strategy::Failover => run(world, job, &mut Failover::default(), true),
        Strategy::Probing => run(world, job, &mut Probing::new(world), true),
        Strategy::Score => run(world, job, &mut Score::new(world), true),
        Strategy::Optimum => run(world, job, &mut Optimum::plan(world, job), false),
    }
}

/// `net`: whether the engine's safety net is spread.
fn run(world: &World, job: &Job, decide: &mut impl Decide, net: bool) -> Option<Moved> {
    let mut tick = Tick::submit(world, job);
    let mut latched = false;
    loop {
        let is_done = tick.begin();
        if is_done {
            return Some(tick.outcome());
        }
        if tick.now_s() >= job.deadline_s {
            return None;
        }
        latched = net && (latched || tick.is_critical());
        if latched {
            tick.save_the_deadline();
        } else {
            decide.decide(&mut tick);
        }
        tick.end();
    }
}

#[cfg(test)]
mod tests;
