//! A replication as trace events, which Perfetto and Chrome's tracing page open.
//!
//! The format is that of "Trace Event Format" (Google, 2016): complete events (`X`) for phases, counters (`C`) for
//! progress and spend, instants (`i`) for losses, metadata (`M`) for names. Times are µs with three decimals, so whole
//! nanoseconds are exact.

use super::{amount, unit};
use crate::experiment::Level;
use crate::experiment::timeline::{Group, Loss, NodeTrack, OneRun, Zone};
use crate::report::json::market_word;
use crate::report::ledger::ended_by;
use crate::scenario::load::Scenario;
use crate::scenario::plan::Market;
use crate::sim::{PARTS, Part, Slice, TimeParts};
use crate::units::SimTime;
use serde_json::{Map, Value, json};

/// Nodes beyond these have no track: a viewer shows no more either.
const TRACKS_MAX: usize = 64;
/// The track of the whole cluster; nodes and zones follow.
const CLUSTER: usize = 1;

/// The whole document; a process a cluster, a thread a track.
pub fn trace(scenario: &Scenario, runs: &[OneRun]) -> Value {
    let events: Vec<Value> =
        runs.iter().enumerate().flat_map(|(index, run)| process(run, index + 1)).collect();
    json!({
        "displayTimeUnit": "ms",
        "otherData": {
            "schema": 1,
            "scenario": scenario.name,
            "title": scenario.title,
            "seed": scenario.seed,
            "clusters": runs.iter().map(summary).collect::<Vec<_>>(),
        },
        "traceEvents": events,
    })
}

/// What the replication came to; times in ns, money in nano-dollars.
fn summary(run: &OneRun) -> Value {
    let outcome = &run.outcome;
    json!({
        "name": run.name,
        "market": market_word(run.market),
        "replication": run.replication,
        "outcome": outcome.end.name(),
        "reason": outcome.end.reason(),
        "elapsed_ns": outcome.elapsed.ns(),
        "cost_nusd": outcome.cost().nusd(),
        "preemptions": outcome.preemptions,
        "failures": outcome.failures,
        "nodes_lost": outcome.nodes_lost,
        "attempts": outcome.attempts,
        "time_ns": parts(&outcome.time),
        "tracks_left_out": run.tracks.len().saturating_sub(TRACKS_MAX),
    })
}

/// All parts by their names, those of nothing left out.
fn parts(time: &TimeParts) -> Map<String, Value> {
    let there = PARTS.iter().map(|(part, name)| (*name, time.get(*part).ns())).filter(|(_, ns)| *ns > 0);
    there.map(|(name, ns)| (name.to_owned(), ns.into())).collect()
}

fn process(run: &OneRun, pid: usize) -> Vec<Value> {
    let mut events = vec![named("process_name", pid, 0, &run.name), sorted("process_sort_index", pid, 0)];
    events.extend(thread(pid, CLUSTER, "cluster"));
    events.extend(groups(run, pid));
    events.extend(run.slices.iter().map(|slice| phase(slice, pid)));
    for (index, track) in run.tracks.iter().take(TRACKS_MAX).enumerate() {
        let tid = CLUSTER + 1 + index;
        events.extend(thread(pid, tid, &format!("node {}", track.slot)));
        events.extend(node(run, track, pid, tid));
    }
    for (index, zone) in run.zones.iter().enumerate() {
        let tid = CLUSTER + 1 + run.tracks.len().min(TRACKS_MAX) + index;
        events.extend(thread(pid, tid, &format!("capacity, {}", zone.name)));
        events.extend(capacity(zone, run.nodes, pid, tid));
    }
    events.extend(counters(run, pid));
    events.extend(losses(run, pid));
    events
}

fn named(kind: &str, pid: usize, tid: usize, name: &str) -> Value {
    json!({ "ph": "M", "name": kind, "pid": pid, "tid": tid, "args": { "name": name } })
}

fn sorted(kind: &str, pid: usize, tid: usize) -> Value {
    let index = if tid == 0 { pid } else { tid };
    json!({ "ph": "M", "name": kind, "pid": pid, "tid": tid, "args": { "sort_index": index } })
}

fn thread(pid: usize, tid: usize, name: &str) -> [Value; 2] {
    [named("thread_name", pid, tid, name), sorted("thread_sort_index", pid, tid)]
}

/// µs; of any time that a scenario may last the double nearest to it reads back as the same nanosecond.
fn us(ns: u64) -> f64 {
    ns as f64 / 1_000.0
}

fn complete(
    name: &str,
    category: &str,
    (from, to): (SimTime, SimTime),
    (pid, tid): (usize, usize),
    args: Value,
) -> Value {
    json!({
        "ph": "X", "name": name, "cat": category, "pid": pid, "tid": tid,
        "ts": us(from.ns()), "dur": us(to.since(from).ns()), "args": args,
    })
}

/// Above the phases: gathering, and attempts.
fn groups(run: &OneRun, pid: usize) -> Vec<Value> {
    let group = |group: Group| {
        let name = group.attempt.map_or("gathering".to_owned(), |attempt| format!("attempt {attempt}"));
        complete(
            &name,
            "attempt",
            (group.from, group.to),
            (pid, CLUSTER),
            json!({ "time_ns": parts(&group.parts) }),
        )
    };
    run.groups().into_iter().map(group).collect()
}

/// Kept steps of all parts are one slice, as they alternate thousands of times; its arguments part them.
fn phase(slice: &Slice, pid: usize) -> Value {
    let mut args = json!({ "time_ns": parts(&slice.parts) });
    if slice.steps > 0 {
        args["steps"] = slice.steps.into();
    }
    complete(slice_name(slice.part), "phase", (slice.from, slice.to), (pid, CLUSTER), args)
}

/// What a slice is called: kept steps are of several parts.
pub(super) fn slice_name(part: Part) -> &'static str {
    if part == Part::Computing { "training" } else { part.name() }
}

fn node(run: &OneRun, track: &NodeTrack, pid: usize, tid: usize) -> Vec<Value> {
    let mut events = Vec::new();
    for node in &track.stays {
        let stay = &node.stay;
        let zone = run.zones.get(stay.zone as usize).map(|zone| zone.name.as_str());
        let market = market_word(stay.market);
        let name = match (stay.market, zone) {
            (Market::Spot, Some(zone)) => format!("{market}, {zone}"),
            _ => market.to_owned(),
        };
        let args = json!({
            "ended": ended_by(stay.ended),
            "billed_ns": stay.bill.billed.ns(),
            "cost_nusd": stay.bill.cost.nusd(),
        });
        events.push(complete(&name, "stay", (stay.granted, stay.end), (pid, tid), args));
        for &(part, from, to) in &node.pieces {
            events.push(complete(slice_name(part), "node", (from, to), (pid, tid), json!({})));
        }
    }
    events
}

fn capacity(zone: &Zone, nodes: u32, pid: usize, tid: usize) -> Vec<Value> {
    let level = |level: &Level| {
        let there = level.nodes.min(nodes);
        let name = if there == nodes { "all nodes".to_owned() } else { format!("{there} of {nodes} nodes") };
        complete(&name, "capacity", (level.from, level.to), (pid, tid), json!({ "nodes": there }))
    };
    zone.levels.iter().filter(|level| level.nodes > 0).map(level).collect()
}

fn counters(run: &OneRun, pid: usize) -> Vec<Value> {
    let counter = |name: &str, at: SimTime, value: f64| json!({ "ph": "C", "name": name, "pid": pid, "tid": 0, "ts": us(at.ns()), "args": { "value": value } });
    let progress = format!("progress, {}", unit(run));
    let made = run.progress.iter().map(|&(at, steps)| counter(&progress, at, amount(run, steps)));
    let spent = run.spend.iter().map(|(at, usd)| counter("spend, USD", *at, usd.as_usd()));
    made.chain(spent).collect()
}

fn losses(run: &OneRun, pid: usize) -> Vec<Value> {
    let loss = |loss: &Loss| {
        let name = match loss.broke {
            Some(true) => "preemption",
            Some(false) => "failure",
            None => "nodes lost beside training",
        };
        json!({
            "ph": "i", "name": name, "cat": "loss", "pid": pid, "tid": CLUSTER, "ts": us(loss.at.ns()), "s": "p",
            "args": { "nodes": loss.nodes, "lost_ns": loss.lost.ns() },
        })
    };
    run.losses.iter().map(loss).collect()
}
