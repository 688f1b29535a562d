//! Burst credits in the engine: hand-computed instants, and a slow walk over every step.

use crate::run::scenario;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use spotsim::checkpoint::{Cycle, Every};
use spotsim::rng::Streams;
use spotsim::scenario::plan::{Burst, OnLoss, Plan, StepParts};
use spotsim::sim::{End, Outcome, Part, Scratch, TimeParts, simulate};
use spotsim::units::Span;

fn s(seconds: u64) -> Span {
    Span::from_s(seconds)
}

fn ms(milliseconds: u64) -> Span {
    Span::from_ns(milliseconds * 1_000_000)
}

/// A gang of four that comes back after a loss within 100 + 60 + 20 + 20 = 200 s, with `more` keys.
fn gang(more: &str) -> Plan {
    let text = format!(
        r#"
schema = 1
name = "credits"
job.work = "1500 steps"
compute.step_time = "2 s"
start = {{ provision = "60 s", start = "20 s", restore = "20 s", on_first = false }}
[[cluster]]
name = "four"
instance = "g5.xlarge"
nodes = 4
market = "spot"
on_loss = "keep"
[capacity]
acquire = "100 s"
acquire_first = "0 s"
{more}
"#
    );
    scenario(&text).clusters[0].plan.clone()
}

/// 1,500 steps of 2 s, or of 1 s while the credits last: for 1,000 s from full ones; an idle second earns
/// half a second. A save after each 100 s of kept steps, for `stall`.
fn plan(more: &str, stall: Span) -> Plan {
    let mut plan = gang(more);
    plan.work.step = StepParts { computing: ms(600), exposed_comm: ms(1_300), data_stall: ms(100) };
    let step = StepParts { computing: ms(600), exposed_comm: ms(300), data_stall: ms(100) };
    plan.work.burst = Some(Burst { step, full: s(1_000), earn: 0.5 });
    plan.cycle = Cycle::new(s(2), Some(Every::Time(s(100))), stall, false);
    plan
}

fn run(plan: &Plan) -> Outcome {
    simulate(plan, &Streams::new(0), 0, &mut Scratch::default(), &mut ())
}

fn elapsed(plan: &Plan) -> Span {
    let outcome = run(plan);
    assert_eq!((outcome.end, outcome.time.total()), (End::Finished, outcome.elapsed));
    outcome.elapsed
}

const LOSE_ONE: &str = r#"events = [{ at = "600 s", lose = [3] }]"#;

/// 1,000 steps of 1 s, then 500 of 2 s.
#[test]
fn full_credits_last_for_their_burst_and_then_steps_are_slow() {
    let plan = plan("", Span::ZERO);
    let time = run(&plan).time;
    assert_eq!(elapsed(&plan), s(2_000));
    assert_eq!(time.get(Part::Computing), ms(1_500 * 600));
    assert_eq!(time.get(Part::ExposedComm), ms(1_000 * 300 + 500 * 1_300));
    assert_eq!(time.get(Part::DataStall), ms(1_500 * 100));
    assert_eq!(plan.uninterrupted(), s(2_000));
}

/// Cut at an instant, with a save after every step: at 1,000 s step 1,000 is done, at 1,001 s the next is
/// half done, and at 1,002 s it is done too.
#[test]
fn credits_run_out_at_the_hand_computed_instant() {
    for (horizon, kept) in [(1_000, 1_000), (1_001, 1_000), (1_002, 1_001)] {
        let mut plan = plan("", Span::ZERO);
        plan.horizon = s(horizon);
        plan.cycle = Cycle::new(s(2), Some(Every::Steps(1)), Span::ZERO, false);
        assert_eq!(run(&plan).time.get(Part::Computing), ms(kept * 600), "at {horizon} s");
    }
}

/// With credits for 1,000 s and 1 ns, step 1,001 begins in the burst and lasts 1 s.
#[test]
fn a_step_lasts_as_the_regime_in_which_it_began() {
    let mut plan = plan("", Span::ZERO);
    for (full, expected) in [(s(1_000) + Span::from_ns(1), s(1_999)), (s(1_001), s(1_999))] {
        plan.work.burst.as_mut().unwrap().full = full;
        assert_eq!(elapsed(&plan), expected);
    }
}

/// 19 saves of 10 s: after each 100 s of the 2,000 s but the last.
#[test]
fn saves_neither_spend_nor_earn_credits() {
    assert_eq!(elapsed(&plan("", s(10))), s(2_000 + 190));
}

/// Three nodes have 400 s left at 600 s and earn 100 s until 800 s; the new one is full. Of the last 900
/// steps 500 are fast: 800 + 500 + 2 × 400 s.
#[test]
fn kept_nodes_earn_credits_while_the_gang_comes_back() {
    assert_eq!(elapsed(&plan(LOSE_ONE, Span::ZERO)), s(2_100));
}

/// All of the last 900 steps are fast.
#[test]
fn new_nodes_are_full_after_a_release() {
    let mut plan = plan(LOSE_ONE, Span::ZERO);
    plan.on_loss = OnLoss::Release;
    assert_eq!(elapsed(&plan), s(800 + 900));
}

/// After 3,000 s for the new node the others would have 400 + 1,550 s; they have 1,000 s. Of the last
/// 1,400 steps 1,000 are fast: 3,700 + 1,000 + 2 × 400 s.
#[test]
fn nobody_earns_more_than_full_credits() {
    let mut plan = plan(LOSE_ONE, Span::ZERO);
    plan.work.steps = 2_000;
    plan.capacity.acquire = spotsim::capacity::Law::constant(s(3_000));
    assert_eq!(elapsed(&plan), s(3_700 + 1_000 + 800));
}

/// The second loss, at 770 s, is within the start after the first: training begins at 970 s, after 370 s
/// that earned 185 s. Of the last 900 steps 585 are fast: 970 + 585 + 2 × 315 s.
#[test]
fn an_attempt_that_never_trains_goes_on_earning() {
    let losses = r#"events = [{ at = "600 s", lose = [3] }, { at = "770 s", lose = [2] }]"#;
    assert_eq!(elapsed(&plan(losses, Span::ZERO)), s(2_185));
}

/// Of the 50 s since the newest save all are lost, but their credits are spent: 350 s are left at 650 s,
/// 450 s at 850 s. Of the last 900 steps 450 are fast: 850 + 450 + 2 × 450 s.
#[test]
fn lost_steps_have_spent_their_credits() {
    let plan = plan(r#"events = [{ at = "650 s", lose = [0] }]"#, Span::ZERO);
    assert_eq!(elapsed(&plan), s(2_200));
    assert_eq!(run(&plan).time.get(Part::Lost), s(50));
}

/// No Spot at all: `greedy` leaves at 4,000 − 1,500 × 2 s, less one spare start of 0 s, and then the work
/// takes the 2,000 s of a gang with full credits.
#[test]
fn greedy_counts_on_no_credits() {
    let mut plan = plan(r#"events = [{ at = "0 s", nodes = 0 }]"#, Span::ZERO);
    plan.policy = spotsim::policy::Policy::Greedy(spotsim::policy::Greedy { deadline: s(4_000) });
    assert_eq!(elapsed(&plan), s(1_000 + 2_000));
}

#[test]
fn credits_of_one_replication_do_not_leak_into_another() {
    let mut plan = plan(r#"lifetime = { exponential = { mean = "20 min" } }"#, s(3));
    plan.work.steps = 10_000;
    let mut scratch = Scratch::default();
    let mut backwards: Vec<_> = (0..200)
        .rev()
        .map(|replication| simulate(&plan, &Streams::new(0), replication, &mut scratch, &mut ()))
        .collect();
    backwards.reverse();
    for (replication, outcome) in (0..).zip(backwards) {
        let alone = simulate(&plan, &Streams::new(0), replication, &mut Scratch::default(), &mut ());
        assert_eq!(alone, outcome, "replication {replication}");
    }
}

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
        let span = |ns: i64| Span::from_ns(ns.try_into().unwrap());
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
        plan.capacity.acquire = spotsim::capacity::Law::constant(span(self.acquire));
        plan.start.provision = spotsim::capacity::Law::constant(span(self.provision));
        plan.start.start = spotsim::capacity::Law::constant(span(self.start));
        plan.start.restore = spotsim::capacity::Law::constant(span(self.restore));
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
            walk.time.add(Part::Computing, Span::from_ns((parts[0] * kept).try_into().unwrap()));
            walk.time.add(Part::ExposedComm, Span::from_ns((parts[1] * kept).try_into().unwrap()));
        }
        (walk.now, walk.time)
    }

    fn book(&mut self, part: Part, ns: i64) {
        self.now += ns;
        self.time.add(part, Span::from_ns(ns.try_into().unwrap()));
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
        if !first
            && !(self.phase(Part::Starting, start, until) && self.phase(Part::Restoring, restore, until))
        {
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
        self.time.add(Part::Lost, Span::from_ns(since_save.try_into().unwrap()));
        false
    }

    fn keep(&mut self, unsaved: &mut [i64; 2]) {
        self.done += unsaved.iter().sum::<i64>() as u64;
        self.kept = [self.kept[0] + unsaved[0], self.kept[1] + unsaved[1]];
        *unsaved = [0, 0];
    }
}

#[test]
fn the_engine_agrees_with_a_walk_over_every_step_in_a_thousand_random_worlds() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    for number in 0..1_000 {
        let world = World::draw(&mut rng);
        let outcome = run(&world.plan());
        let (elapsed, time) = Walk::run(&world);
        assert_eq!(outcome.time, time, "world {number}: {world:?}");
        assert_eq!(i64::try_from(outcome.elapsed.ns()), Ok(elapsed), "world {number}: {world:?}");
    }
}
