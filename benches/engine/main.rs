//! How fast the engine is beside a hand-written loop of the same arithmetic; `benches/README.md` has the
//! baseline. Without `--bench` (as in `cargo test --benches`) it only checks that the two agree.

#![expect(clippy::print_stdout, reason = "a bench prints what it measured")]

mod case;
mod floor;
mod timing;

use case::World;
use floor::Floor;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use spotsim::experiment::{Options, Progress, replicate};
use spotsim::rng::Streams;
use spotsim::scenario::load::Scenario;
use spotsim::scenario::plan::Plan;
use spotsim::sim::{Ledger, Outcome, Scratch, simulate};
use spotsim::units::Span;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;
use std::collections::BTreeSet;
use std::hint::black_box;
use std::sync::atomic::AtomicBool;
use timing::{in_turns, median_s};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Of the jobs in [`case`].
const SAVE_EVERY: Span = Span::from_s(900);
const ROUNDS: u64 = 41;
/// Replications in one turn of a job, of the gang and of an experiment.
const JOBS: u64 = 20_000;
const GANGS: u64 = 1_000;
const EXPERIMENTS: u64 = 200_000;

const EXPONENTIAL: &str = r#"{ exponential = { mean = "6 h" } }"#;
const WEIBULL: &str = r#"{ weibull = { shape = 0.7, mean = "6 h" } }"#;

/// One replication of the floor.
type FloorRun = fn(&Floor, World, &Streams, u64) -> Outcome;

fn main() {
    let timed = std::env::args().any(|argument| argument == "--bench");
    let cases: [(&str, World, &str, FloorRun); 4] = [
        ("renewal, exponential", World::Renewal, EXPONENTIAL, Floor::exponential),
        ("renewal, Weibull", World::Renewal, WEIBULL, Floor::weibull),
        ("lifetime, exponential", World::Lifetime, EXPONENTIAL, Floor::exponential),
        ("lifetime, Weibull", World::Lifetime, WEIBULL, Floor::weibull),
    ];
    for (name, world, lasts, floor_run) in cases {
        let scenario = case::job(world, lasts);
        let plan = case::plan(&scenario);
        let floor = black_box(Floor::new(plan, SAVE_EVERY));
        let run = |streams: &Streams, replication| floor_run(&floor, world, streams, replication);
        let preemptions = check_equal(plan, run);
        if timed {
            time_beside_floor(name, plan, preemptions, run);
        }
    }
    if timed {
        let gang = case::gang();
        count_allocations(case::plan(&gang));
        time_events(case::plan(&gang));
        time_threads(case::job(World::Renewal, EXPONENTIAL));
    }
}

/// Holds every number of the floor's outcomes against the engine's; gives the mean of preemptions.
fn check_equal(plan: &Plan, floor: impl Fn(&Streams, u64) -> Outcome) -> f64 {
    let (streams, mut scratch, mut preemptions) = (Streams::new(1), Scratch::default(), 0);
    for replication in 0..JOBS {
        let ours = simulate(plan, &streams, replication, &mut scratch, &mut ());
        assert_eq!(ours, floor(&streams, replication), "replication {replication}");
        preemptions += u64::from(ours.preemptions);
    }
    preemptions as f64 / JOBS as f64
}

fn time_beside_floor(name: &str, plan: &Plan, preemptions: f64, floor: impl Fn(&Streams, u64) -> Outcome) {
    let (streams, mut scratch) = (Streams::new(0), Scratch::default());
    let turn = |round| round * JOBS..(round + 1) * JOBS;
    let engine = |round| {
        for replication in turn(round) {
            black_box(simulate(plan, &streams, replication, &mut scratch, &mut ()));
        }
    };
    let floor = |round| {
        for replication in turn(round) {
            black_box(floor(&streams, replication));
        }
    };
    let turns = in_turns(ROUNDS, engine, floor);
    let rate = |seconds: f64| JOBS as f64 / seconds / 1e6;
    println!(
        "{name:22} {preemptions:5.2} preemptions  engine {:5.2} M/s  floor {:5.2} M/s  engine/floor time {:.2}",
        rate(turns.first_s),
        rate(turns.second_s),
        turns.ratio,
    );
}

/// Allocations of a thousand replications by one worker, after one that fills its scratch.
fn count_allocations(plan: &Plan) {
    let (streams, mut scratch) = (Streams::new(0), Scratch::default());
    black_box(simulate(plan, &streams, 0, &mut scratch, &mut ()));
    let region = Region::new(ALLOCATOR);
    for replication in 1..=GANGS {
        black_box(simulate(plan, &streams, replication, &mut scratch, &mut ()));
    }
    println!("allocations in {GANGS} replications after the first: {}", region.change().allocations);
}

/// An event is an instant at which the engine changes the gang: a grant, the end of a provisioning, a
/// loss or a release. Several at one instant are one; saves, starts and restores are none.
fn time_events(plan: &Plan) {
    let (streams, mut scratch) = (Streams::new(0), Scratch::default());
    let mut events = 0;
    for replication in 0..GANGS {
        let mut ledger = Ledger::default();
        simulate(plan, &streams, replication, &mut scratch, &mut ledger);
        let instants = ledger.stays.iter().flat_map(|stay| {
            [stay.granted, stay.provisioned, stay.end].into_iter().filter(|&instant| instant <= stay.end)
        });
        events += instants.collect::<BTreeSet<_>>().len();
    }
    let seconds = median_s(ROUNDS, |_| {
        for replication in 0..GANGS {
            black_box(simulate(plan, &streams, replication, &mut scratch, &mut ()));
        }
    });
    println!(
        "{} nodes: {:.0} events a replication, {:.1} M events/s",
        plan.nodes,
        events as f64 / GANGS as f64,
        events as f64 / seconds / 1e6,
    );
}

struct Silent;

impl Progress for Silent {
    fn advance(&mut self, _done: u64, _rows: &[u8]) -> std::io::Result<()> {
        Ok(())
    }
}

/// The bare engine and a whole experiment, sums and quantiles included, on one thread and on two. The
/// bare engine shares nothing between threads: its ratio is what the machine has to give.
fn time_threads(mut scenario: Scenario) {
    scenario.replications = EXPERIMENTS;
    let plan = case::plan(&scenario);
    let engine = |pool: &ThreadPool| {
        pool.install(|| {
            (0..EXPERIMENTS).into_par_iter().for_each_init(Scratch::default, |scratch, r| {
                black_box(simulate(plan, &Streams::new(0), r, scratch, &mut ()));
            });
        });
    };
    let experiment = |pool: &ThreadPool| {
        let mut options = Options {
            stop: &AtomicBool::new(false),
            rows: None,
            draw: None,
            progress: &mut Silent,
            numbers: 0..EXPERIMENTS,
        };
        black_box(replicate(&scenario, &[true], pool, &mut options).expect("silence never fails"));
    };
    time_on_two_threads("engine", engine);
    time_on_two_threads("experiment", experiment);
}

fn time_on_two_threads(name: &str, work: impl Fn(&ThreadPool)) {
    let pool =
        |threads| ThreadPoolBuilder::new().num_threads(threads).build().expect("a small pool can be made");
    let (one, two) = (pool(1), pool(2));
    let turns = in_turns(ROUNDS / 2, |_| work(&one), |_| work(&two));
    println!(
        "{name}: 1 thread {:.2} M/s, 2 threads {:.2} M/s, 1 thread/2 threads time {:.2}",
        EXPERIMENTS as f64 / turns.first_s / 1e6,
        EXPERIMENTS as f64 / turns.second_s / 1e6,
        turns.ratio,
    );
}
