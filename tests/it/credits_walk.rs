//! Burst credits in the engine beside a slow walk over every step, save and node.

use crate::credits::{gang, run};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use spotsim::capacity::Law;
use spotsim::checkpoint::{Cycle, Every};
use spotsim::scenario::plan::{Burst, OnLoss, Plan, StepParts};
use spotsim::sim::{Part, TimeParts};
use spotsim::units::Span;

/// A world as plain numbers of ns: what the walk knows, and nothing else.
#[derive(Debug, Clone)]
struct World {
    steps: u64,
    step: [i64; 2],
    burst_step: [i64; 2],
    full: i64,
    /// Idle time per time earned.
    idle_per_earned: i64,
    every: i64,
    stall: i64,
    acquire: i64,
    provision: i64,
    start: i64,
    restore: i64,
    keep: bool,
    /// When which slots are lost; further apart than a new node takes.
    losses: Vec<(i64, Vec<usize>)>,
}

const SECOND: i64 = 1_000_000_000;

fn span(ns: i64) -> Span {
    Span::from_ns(ns.try_into().unwrap())
}

impl World {
    /// Times at which credits are counted are multiples of 4 s, so that earning is exact.
    fn draw(rng: &mut Xoshiro256PlusPlus) -> Self {
        let burst_step = [rng.random_range(1..3 * SECOND), rng.random_range(1..SECOND)];
        let longer = rng.random_range(0..3 * SECOND);
        let mut lost_at = 0;
        let losses = (0..rng.random_range(0..8)).map(|_| {
            lost_at += rng.random_range(40..400) * 4 * SECOND;
            (lost_at, (0..4).filter(|_| rng.random_range(0..3) == 0).collect())
        });
        Self {
            losses: losses.collect(),
            steps: rng.random_range(1..1_500),
            step: [burst_step[0], burst_step[1] + longer],
            burst_step,
            full: rng.random_range(1..2_000 * SECOND),
            idle_per_earned: [1, 2, 4][rng.random_range(0..3)],
            every: rng.random_range(SECOND / 2..300 * SECOND),
            stall: rng.random_range(0..2) * rng.random_range(0..20 * SECOND),
            acquire: rng.random_range(0..20) * 4 * SECOND,
            provision: rng.random_range(0..18) * 4 * SECOND,
            start: rng.random_range(0..30) * 4 * SECOND,
            restore: rng.random_range(0..30) * 4 * SECOND,
            keep: rng.random_range(0..2) == 0,
        }
    }

    fn plan(&self) -> Plan {
        let parts = |[computing, exposed_comm]: [i64; 2]| StepParts {
            computing: span(computing),
            exposed_comm: span(exposed_comm),
            data_stall: Span::ZERO,
        };
        let events: Vec<String> = self
            .losses
            .iter()
            .filter(|(_, slots)| !slots.is_empty())
            .map(|(at, slots)| format!("{{ at = \"{} s\", lose = {slots:?} }}", at / SECOND))
            .collect();
        let mut plan = gang(&match events.is_empty() {
            true => String::new(),
            false => format!("events = [{}]", events.join(", ")),
        });
        plan.work.steps = self.steps;
        plan.work.step = parts(self.step);
        let earn = 1.0 / self.idle_per_earned as f64;
        plan.work.burst = Some(Burst { step: parts(self.burst_step), full: span(self.full), earn });
        let every = Some(Every::Time(span(self.every)));
        plan.cycle = Cycle::new(plan.work.step.total(), every, span(self.stall), false);
        plan.capacity.acquire = Law::constant(span(self.acquire));
        plan.start.provision = Law::constant(span(self.provision));
        plan.start.start = Law::constant(span(self.start));
        plan.start.restore = Law::constant(span(self.restore));
        plan.on_loss = if self.keep { OnLoss::Keep } else { OnLoss::Release };
        plan
    }
}

/// The slow, obvious way through a [`World`]: step by step, save by save, node by node.
struct Walk<'a> {
    world: &'a World,
    now: i64,
    credits: [i64; 4],
    idle_since: i64,
    done: u64,
    /// Kept steps of the burst and after it.
    kept: [i64; 2],
    time: TimeParts,
}

impl Walk<'_> {
    fn run(world: &World) -> (i64, TimeParts) {
        let (credits, time) = ([world.full; 4], TimeParts::default());
        let mut walk = Walk { world, now: 0, credits, idle_since: 0, done: 0, kept: [0; 2], time };
        let mut losses = world.losses.iter().filter(|(_, slots)| !slots.is_empty());
        while let Some((at, slots)) = losses.next()
            && !walk.attempt(*at)
        {
            for slot in 0..4 {
                if !world.keep || slots.contains(&slot) {
                    walk.credits[slot] = world.full;
                }
            }
            walk.book(Part::Acquiring, world.acquire);
            walk.book(Part::Provisioning, world.provision);
        }
        if walk.done < world.steps {
            walk.attempt(i64::MAX);
        }
        for (parts, kept) in [world.burst_step, world.step].into_iter().zip(walk.kept) {
            walk.time.add(Part::Computing, span(parts[0] * kept));
            walk.time.add(Part::ExposedComm, span(parts[1] * kept));
        }
        (walk.now, walk.time)
    }

    fn book(&mut self, part: Part, ns: i64) {
        self.now += ns;
        self.time.add(part, span(ns));
    }

    /// Goes on until `until` for at most `ns`; whether it got through.
    fn phase(&mut self, part: Part, ns: i64, until: i64) -> bool {
        self.book(part, ns.min(until - self.now));
        self.now < until
    }

    /// One attempt up to a loss at `until`; whether the work got done.
    fn attempt(&mut self, until: i64) -> bool {
        let World { start, restore, full, idle_per_earned, .. } = *self.world;
        let first = self.now == 0;
        let ready =
            first || self.phase(Part::Starting, start, until) && self.phase(Part::Restoring, restore, until);
        if !ready {
            return false;
        }
        let earned = (self.now - self.idle_since) / idle_per_earned;
        self.credits = self.credits.map(|credit| full.min(credit + earned));
        let done = self.train(until);
        self.idle_since = self.now;
        done
    }

    fn train(&mut self, until: i64) -> bool {
        let World { steps, every, stall, .. } = *self.world;
        let (mut since_save, mut unsaved, mut kept_time) = (0, [0, 0], 0);
        loop {
            let emptiest = self.credits.into_iter().min().unwrap();
            assert!((0..=self.world.full).contains(&emptiest), "credits are never negative");
            let burst = emptiest > 0;
            let step: i64 = if burst { &self.world.burst_step } else { &self.world.step }.iter().sum();
            let part = step.min(until - self.now);
            self.now += part;
            since_save += part;
            if burst {
                self.credits = self.credits.map(|credit| 0.max(credit - part));
            }
            if part < step {
                break;
            }
            unsaved[usize::from(!burst)] += 1;
            let due = (kept_time + step) / every > kept_time / every;
            kept_time += step;
            let steps_made = self.done + unsaved.iter().sum::<i64>() as u64;
            if steps_made == steps {
                self.keep(&mut unsaved);
                return true;
            }
            if due {
                let stalled = stall.min(until - self.now);
                self.book(Part::CheckpointStall, stalled);
                if stalled < stall {
                    break;
                }
                self.keep(&mut unsaved);
                since_save = 0;
            }
            if self.now == until {
                break;
            }
        }
        self.time.add(Part::Lost, span(since_save));
        false
    }

    fn keep(&mut self, unsaved: &mut [i64; 2]) {
        self.done += unsaved.iter().sum::<i64>() as u64;
        self.kept = [self.kept[0] + unsaved[0], self.kept[1] + unsaved[1]];
        *unsaved = [0, 0];
    }
}

#[test]
fn the_engine_agrees_with_a_walk_over_every_step_in_two_thousand_random_worlds() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    for number in 0..2_000 {
        let world = World::draw(&mut rng);
        let outcome = run(&world.plan());
        let (elapsed, time) = Walk::run(&world);
        assert_eq!(outcome.time, time, "world {number}: {world:?}");
        assert_eq!(i64::try_from(outcome.elapsed.ns()), Ok(elapsed), "world {number}: {world:?}");
    }
}
