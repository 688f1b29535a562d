//! How long perfect foresight takes on recorded capacity: 48 h of work on the zones that were looked at every 195 s, from
//! 40 begins each. Without `--bench` (as in `cargo test --benches`) it only checks that no bound is dearer than On-Demand.

#![expect(clippy::print_stdout, reason = "a bench prints what it measured")]

use spotsim::analytic::{Optimum, Prices, Task, least_cost};
use spotsim::records::{self, Content, How};
use spotsim::rng::{Source, Streams};
use std::fs;
use std::hint::black_box;
use std::time::Instant;

const ZONES: [&str; 7] =
    ["us-east-1a", "us-east-1c", "us-east-1f", "us-east-2a", "us-east-2b", "us-west-2a", "us-west-2c"];
const TICK_S: u64 = 195;
const WORK_S: u64 = 48 * 3_600;
const DEADLINES_H: [u64; 4] = [52, 60, 72, 92];
const OVERHEADS_S: [u64; 4] = [72, 360, 720, 1_440];
const BEGINS: usize = 40;
const DRAWN: u64 = 50;
/// p3.2xlarge in us-west-2, as in `data/verify/optimum_policy.csv`.
const PRICES: Prices = Prices { spot: 0.9731, on_demand: 3.06 };

/// Capacity of a zone, tick by tick.
fn ticks(zone: &str) -> Vec<bool> {
    let file = format!("{}/data/traces/aws-2023-02-15-v100-{zone}.csv", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(file).expect("the recording is shipped");
    let recording = records::read(text.as_bytes(), &How::default()).expect("the recording can be read");
    let Content::Capacity(series) = recording.content else { panic!("the recording is of capacity") };
    let of = |stretch: &records::Stretch| {
        let ticks = stretch.span.ns() / (TICK_S * 1_000_000_000);
        std::iter::repeat_n(stretch.nodes.is_some_and(|nodes| nodes > 0), ticks as usize)
    };
    series[0].stretches.iter().flat_map(of).collect()
}

fn runs(ticks: &[bool]) -> Vec<(u64, bool)> {
    ticks.chunk_by(|a, b| a == b).map(|run| (run.len() as u64, run[0])).collect()
}

fn main() {
    let timed = std::env::args().any(|argument| argument == "--bench");
    let zones = ZONES.map(ticks);
    for deadline_h in DEADLINES_H {
        for overhead in OVERHEADS_S {
            let task = Task { work: WORK_S, overhead, unit: TICK_S };
            let window = (deadline_h * 3_600 / TICK_S) as usize;
            let (mut total_s, mut longest_s, mut calls, mut runs_most) = (0.0, 0.0_f64, 0, 0);
            for zone in &zones {
                for begin in (0..BEGINS).map(|k| k * (zone.len() - window) / BEGINS) {
                    let runs = runs(&zone[begin..begin + window]);
                    let took_s = check(&runs, task, timed);
                    (total_s, longest_s, calls) = (total_s + took_s, longest_s.max(took_s), calls + 1);
                    runs_most = runs_most.max(runs.len() / 2);
                }
            }
            if timed {
                println!(
                    "perfect foresight, 195 s ticks, deadline {deadline_h} h, start {overhead:>4} s: mean {:.3} ms, \
                     longest {:.3} ms of {calls}; up to {runs_most} runs",
                    1e3 * total_s / f64::from(calls),
                    1e3 * longest_s
                );
            }
        }
    }
    drawn(timed);
}

/// Worlds to the nanosecond with ever more runs, of which Spot has 60 % of the time: 48 h of work in `stretch` times that.
fn drawn(timed: bool) {
    for changes in [20, 100, 500, 2_000] {
        for (stretch, overhead) in [(1.05, 600), (1.2, 60), (1.2, 600), (1.6, 600), (2.5, 60)] {
            let (work, overhead) = (WORK_S * 1_000_000_000, overhead * 1_000_000_000);
            let task = Task { work, overhead, unit: 1 };
            let window = (work as f64 * stretch) as u64;
            let (mut total_s, mut longest_s) = (0.0, 0.0_f64);
            for world in 0..DRAWN {
                let mut stream = Streams::new(5).stream(Source::Path, world, changes, 0);
                let shares: Vec<f64> = (0..changes).map(|_| -libm::log(stream.open01())).collect();
                let weight = |at: usize| if at.is_multiple_of(2) { 1.2 } else { 0.8 };
                let sum: f64 = shares.iter().enumerate().map(|(at, share)| share * weight(at)).sum();
                let length = |(at, share): (usize, &f64)| {
                    ((share * weight(at) / sum * window as f64) as u64, at.is_multiple_of(2))
                };
                let mut runs: Vec<(u64, bool)> = shares.iter().enumerate().map(length).collect();
                let left = window - runs.iter().map(|(length, _)| length).sum::<u64>();
                runs.push((left, false));
                let took_s = check(&runs, task, timed);
                (total_s, longest_s) = (total_s + took_s, longest_s.max(took_s));
            }
            if timed {
                println!(
                    "perfect foresight, drawn worlds of {} runs, deadline {stretch} times the work, start {} s: mean {:.3} \
                     ms, longest {:.3} ms of {DRAWN}",
                    changes / 2,
                    overhead / 1_000_000_000,
                    1e3 * total_s / DRAWN as f64,
                    1e3 * longest_s
                );
            }
        }
    }
}

/// Checks one bound, and gives the shortest time of three, so that another process does not count.
fn check(runs: &[(u64, bool)], task: Task, timed: bool) -> f64 {
    let mut best_s = f64::INFINITY;
    for _ in 0..if timed { 3 } else { 1 } {
        #[expect(clippy::disallowed_methods, reason = "a bench measures wall time")]
        let begin = Instant::now();
        let best = black_box(least_cost(black_box(runs), task, PRICES));
        best_s = best_s.min(begin.elapsed().as_secs_f64());
        let Optimum { spot, on_demand, starts } = best.expect("On-Demand alone meets the deadline");
        let units = (task.work + starts * task.overhead).div_ceil(task.unit);
        assert_eq!(spot + on_demand, units, "{starts} starts");
        let alone = (task.work + task.overhead).div_ceil(task.unit) as f64 * PRICES.on_demand;
        assert!(spot as f64 * PRICES.spot + on_demand as f64 * PRICES.on_demand <= alone + 1e-9);
    }
    best_s
}
