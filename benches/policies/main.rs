//! How fast tick mode runs published policies over a recorded trace, beside the CPU seconds of their authors' engine
//! (`peer.csv`). Each cost is checked against that engine's. Without `--bench` costs are only checked.

#![expect(clippy::print_stdout, reason = "a bench prints what it measured")]

#[expect(dead_code, reason = "the other bench times two things in turns")]
#[path = "../engine/timing.rs"]
mod timing;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use spotsim::policy::{AtTick, Greedy, OnDemandOnly, Running, TickJob, UniformProgress};
use spotsim::records::{self, Content, How};
use spotsim::sim::{TickRules, ticks};
use spotsim::units::Span;
use std::hint::black_box;
use timing::median_s;

const TRACE: &str = include_str!("../../data/traces/aws-2023-02-15-v100-us-west-2a.csv");
const NAME: &str = "aws-2023-02-15-v100/us-west-2a";
const ROWS: &str = include_str!("../../data/verify/policies.csv");
const PEER: &str = include_str!("peer.csv");
/// Prices of the rows, USD an hour (data/verify/policies.csv).
const ON_DEMAND: f64 = 3.06;
const SPOT: f64 = 0.9731;
const ROUNDS: u64 = 41;
/// How often each row is run in a turn.
const TIMES: u32 = 200;

#[derive(Debug, Clone, Deserialize)]
struct Row {
    trace: String,
    strategy: String,
    task_hours: f64,
    deadline_hours: f64,
    restart_overhead_h: f64,
    start_offset_ticks: u64,
    cost_usd: f64,
    price_model: String,
    gap_seconds: f64,
}

#[derive(Debug, Deserialize)]
struct Peer {
    #[serde(rename = "loop")]
    loop_: String,
    strategy: String,
    deadline_hours: f64,
    cpu_s: f64,
}

fn read<T: DeserializeOwned>(text: &str) -> Vec<T> {
    let reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
    reader.into_deserialize().map(|row| row.expect("a row of the columns above")).collect()
}

/// Ticks at which the trace changes, with what holds from there on.
fn changes(tick: Span) -> Vec<(u64, bool)> {
    let recording = records::read(TRACE.as_bytes(), &How::default()).expect("the trace is shipped");
    let Content::Capacity(series) = recording.content else { unreachable!("it is one of capacity") };
    let mut end = Span::ZERO;
    series[0]
        .stretches
        .iter()
        .map(|stretch| {
            let begin = end.ns() / tick.ns();
            end += stretch.span;
            (begin, stretch.nodes.is_some_and(|nodes| nodes > 0))
        })
        .collect()
}

/// The cost of a row, USD.
fn cost(row: &Row, changes: &[(u64, bool)]) -> f64 {
    let job = TickJob {
        tick_s: row.gap_seconds,
        task_s: row.task_hours * 3_600.0,
        deadline_s: row.deadline_hours * 3_600.0,
        overhead_s: row.restart_overhead_h * 3_600.0,
    };
    let rules = TickRules { job, engine_net: true, ticks_max: u64::MAX };
    let deadline = Span::from_secs_saturating(job.deadline_s);
    match row.strategy.as_str() {
        "on_demand" => run(&rules, &mut OnDemandOnly, row.start_offset_ticks, changes),
        "strawman" => run(&rules, &mut Greedy { deadline }, row.start_offset_ticks, changes),
        _ => run(&rules, &mut UniformProgress { deadline, ahead: 2.0 }, row.start_offset_ticks, changes),
    }
}

fn run(rules: &TickRules, policy: &mut impl AtTick, from: u64, changes: &[(u64, bool)]) -> f64 {
    let mut next = changes.partition_point(|(begin, _)| *begin <= from);
    let spot = |tick: u64| {
        while changes.get(next).is_some_and(|(begin, _)| *begin <= from + tick) {
            next += 1;
        }
        (changes[next - 1].1, changes.get(next).map_or(u64::MAX, |(begin, _)| begin - from))
    };
    let mut hourly = 0.0;
    ticks(rules, policy, spot, |stretch| {
        hourly += stretch.ticks as f64
            * match stretch.running {
                Running::Nothing => 0.0,
                Running::Spot => SPOT,
                Running::OnDemand => ON_DEMAND,
            };
    });
    hourly * rules.job.tick_s / 3_600.0
}

fn main() {
    let timed = std::env::args().any(|argument| argument == "--bench");
    let changes = changes(Span::from_s(195));
    let rows: Vec<Row> = read(ROWS);
    let own = |row: &Row| row.trace == NAME && row.price_model == "flat" && row.task_hours == 48.0;
    let rows: Vec<Row> = rows.into_iter().filter(own).collect();
    for peer in read::<Peer>(PEER) {
        let of_peer = |row: &&Row| row.strategy == peer.strategy && row.deadline_hours == peer.deadline_hours;
        let rows: Vec<Row> = rows.iter().filter(of_peer).cloned().collect();
        for row in &rows {
            let found = cost(row, &changes);
            assert!((found - row.cost_usd).abs() <= 1e-6, "{found} instead of {row:?}");
        }
        if !timed {
            continue;
        }
        let turn_s = median_s(ROUNDS, |_| {
            for _ in 0..TIMES {
                for row in &rows {
                    black_box(cost(black_box(row), &changes));
                }
            }
        });
        let each_s = turn_s / (f64::from(TIMES) * rows.len() as f64);
        println!(
            "{:16} {:3.0} h  {:3} rows, costs equal  {:6.3} µs each  {:9.0} x ({}, {} s)",
            peer.strategy,
            peer.deadline_hours,
            rows.len(),
            each_s * 1e6,
            peer.cpu_s / each_s,
            peer.loop_,
            peer.cpu_s,
        );
    }
}
