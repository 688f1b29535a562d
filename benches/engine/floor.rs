//! The floor: the same arithmetic as the engine's for one node, written out as one loop that can do
//! nothing else.
//!
//! Same streams, same formulas, same rounding and same bill, so that the outcome is the engine's bit
//! for bit; no gang, no market, no policy, no limits, no horizon, no observer.

use crate::case::{World, laws, scale_and_inverse_shape};
use spotsim::pricing::{Beside, Usage};
use spotsim::rng::{Source, Stream, Streams};
use spotsim::scenario::plan::Plan;
use spotsim::sim::{End, Outcome, Part, TimeParts};
use spotsim::units::{Money, Price, Span};

/// Numbers of a job, all times in nanoseconds.
#[derive(Debug, Clone, Copy)]
pub struct Floor {
    work: u64,
    every: u64,
    stall: u64,
    restore: u64,
    price: Price,
    zone: u64,
    lasts_scale_s: f64,
    lasts_inverse_shape: f64,
    missing_mean_s: f64,
}

impl Floor {
    /// The numbers of `plan`, whose job has steps of 1 ns and saves after each `every`.
    pub fn new(plan: &Plan, every: Span) -> Self {
        let (lasts, missing) = laws(plan);
        let (lasts_scale_s, lasts_inverse_shape) = scale_and_inverse_shape(lasts);
        let restore = plan.start.restore.is_constant().expect("the job restores in a constant time");
        Self {
            work: plan.work.steps,
            every: every.ns(),
            stall: plan.cycle.stall().ns(),
            restore: restore.ns(),
            price: plan.spot.price,
            zone: plan.capacity.zone,
            lasts_scale_s,
            lasts_inverse_shape,
            missing_mean_s: scale_and_inverse_shape(missing).0,
        }
    }

    /// One replication in which capacity lasts for exponential times.
    pub fn exponential(&self, world: World, streams: &Streams, replication: u64) -> Outcome {
        let scale_s = self.lasts_scale_s;
        self.replicate(world, streams, replication, |u| -libm::log(u) * scale_s)
    }

    /// One replication in which capacity lasts for Weibull times.
    pub fn weibull(&self, world: World, streams: &Streams, replication: u64) -> Outcome {
        let (scale_s, inverse_shape) = (self.lasts_scale_s, self.lasts_inverse_shape);
        self.replicate(world, streams, replication, |u| scale_s * libm::pow(-libm::log(u), inverse_shape))
    }

    #[inline]
    fn replicate(
        &self,
        world: World,
        streams: &Streams,
        replication: u64,
        lasts_s: impl Fn(f64) -> f64,
    ) -> Outcome {
        let stream = |source, index| streams.stream(source, self.zone, replication, index);
        let (mut lasts, mut missing) = match world {
            World::Renewal => (stream(Source::Path, 0), stream(Source::Path, 1)),
            World::Lifetime => (stream(Source::Lifetime, 0), stream(Source::Acquire, 0)),
        };
        let missing_s = |u| -libm::log(u) * self.missing_mean_s;
        let begin = match world {
            World::Renewal => 0,
            World::Lifetime => draw(&mut missing, missing_s),
        };
        let mut sums = Sums { waiting: begin, ..Sums::default() };
        let mut now = begin;
        loop {
            sums.attempts += 1;
            let restore = if sums.attempts == 1 { 0 } else { self.restore };
            let lost_at = now + draw(&mut lasts, &lasts_s).max(1);
            let left = self.work - sums.kept;
            let saves_left = (left - 1) / self.every;
            let done_at = now + restore + left + saves_left * self.stall;
            if done_at <= lost_at {
                sums.restoring += restore;
                sums.stall += saves_left * self.stall;
                sums.kept += left;
                sums.cost += self.price.cost(Span::from_ns(done_at - now)).nusd();
                return sums.outcome(world, done_at);
            }
            self.lose(&mut sums, lost_at - now, restore, saves_left);
            let wait = draw(&mut missing, missing_s);
            sums.waiting += wait;
            now = lost_at + wait;
        }
    }

    /// Books a stay of `length` that ended in a loss, with `saves_left` saves to make before the last
    /// step.
    #[inline]
    fn lose(&self, sums: &mut Sums, length: u64, restore: u64, saves_left: u64) {
        sums.cost += self.price.cost(Span::from_ns(length)).nusd();
        let restored = length.min(restore);
        sums.restoring += restored;
        let training = length - restored;
        let period = self.every + self.stall;
        let saves = (training / period).min(saves_left);
        let since_save = training - saves * period;
        let to_next =
            if saves < saves_left { self.every } else { self.work - sums.kept - saves * self.every };
        let stepped = since_save.min(to_next);
        sums.kept += saves * self.every;
        sums.stall += saves * self.stall + (since_save - stepped);
        sums.lost += stepped;
    }
}

/// What a replication adds up, in nanoseconds and nano-dollars.
#[derive(Debug, Default)]
struct Sums {
    attempts: u32,
    kept: u64,
    waiting: u64,
    restoring: u64,
    stall: u64,
    lost: u64,
    cost: i64,
}

impl Sums {
    #[inline]
    fn outcome(&self, world: World, done_at: u64) -> Outcome {
        let waiting = match world {
            World::Renewal => Part::Queued,
            World::Lifetime => Part::Acquiring,
        };
        let mut time = TimeParts::default();
        time.add(waiting, Span::from_ns(self.waiting));
        time.add(Part::Restoring, Span::from_ns(self.restoring));
        time.add(Part::Computing, Span::from_ns(self.kept));
        time.add(Part::CheckpointStall, Span::from_ns(self.stall));
        time.add(Part::Lost, Span::from_ns(self.lost));
        Outcome {
            end: End::Finished,
            elapsed: Span::from_ns(done_at),
            time,
            spot_cost: Money::from_nusd(self.cost),
            on_demand_cost: Money::ZERO,
            beside: Beside::default(),
            usage: Usage::default(),
            running_node_ns: u128::from(done_at - self.waiting),
            absent_node_ns: 0,
            fewer_node_ns: 0,
            preemptions: self.attempts - 1,
            failures: 0,
            nodes_lost: self.attempts - 1,
            attempts: self.attempts,
        }
    }
}

#[inline]
fn draw(stream: &mut Stream, quantile_s: impl Fn(f64) -> f64) -> u64 {
    Span::from_secs_saturating(quantile_s(stream.open01())).ns()
}
