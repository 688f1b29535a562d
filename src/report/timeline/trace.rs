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
/// A viewer holds a counter until its next event: a line gets so many more, spread over the run.
const BETWEEN: u64 = 240;

/// A line of slices; place 0 is the whole cluster, nodes and zones follow.
#[derive(Clone, Copy)]
struct Track {
    pid: usize,
    place: usize,
}

impl Track {
    /// Viewers put a process's thread of its own number first.
    fn tid(self) -> usize {
        if self.place == 0 { self.pid } else { 1_000 * self.pid + self.place }
    }

    /// Tells its name, and its place among the process's.
    fn named(self, name: &str) -> [Value; 2] {
        let of = |kind: &str, args: Value| json!({ "ph": "M", "name": kind, "pid": self.pid, "tid": self.tid(), "args": args });
        [
            of("thread_name", json!({ "name": name })),
            of("thread_sort_index", json!({ "sort_index": self.place })),
        ]
    }
}

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
    let of = |kind: &str, args: Value| json!({ "ph": "M", "name": kind, "pid": pid, "tid": 0, "args": args });
    let mut events = vec![
        of("process_name", json!({ "name": run.name })),
        of("process_sort_index", json!({ "sort_index": pid })),
    ];
    let cluster = Track { pid, place: 0 };
    events.extend(cluster.named("cluster"));
    events.extend(groups(run, cluster));
    events.extend(run.slices.iter().map(|slice| phase(slice, cluster)));
    let nodes = run.tracks.len().min(TRACKS_MAX);
    for (node, place) in run.tracks[..nodes].iter().zip(1..) {
        let track = Track { pid, place };
        events.extend(track.named(&format!("node {}", node.slot)));
        events.extend(stays(run, node, track));
    }
    for (zone, place) in run.zones.iter().zip(nodes + 1..) {
        let track = Track { pid, place };
        events.extend(track.named(&format!("capacity, {}", zone.name)));
        events.extend(capacity(zone, run.nodes, track));
    }
    events.extend(counters(run, pid));
    events.extend(losses(run, cluster));
    events
}

/// µs; of any time that a scenario may last the double nearest to it reads back as the same nanosecond.
fn us(ns: u64) -> f64 {
    ns as f64 / 1_000.0
}

fn complete(name: &str, category: &str, (from, to): (SimTime, SimTime), track: Track, args: Value) -> Value {
    json!({
        "ph": "X", "name": name, "cat": category, "pid": track.pid, "tid": track.tid(),
        "ts": us(from.ns()), "dur": us(to.since(from).ns()), "args": args,
    })
}

/// Above the phases: gathering, and attempts.
fn groups(run: &OneRun, track: Track) -> Vec<Value> {
    let group = |group: Group| {
        let name = group.attempt.map_or("gathering".to_owned(), |attempt| format!("attempt {attempt}"));
        let args = json!({ "time_ns": parts(&group.parts) });
        complete(&name, "attempt", (group.from, group.to), track, args)
    };
    run.groups().into_iter().map(group).collect()
}

/// Kept steps of all parts are one slice, as they alternate thousands of times; its arguments part them.
fn phase(slice: &Slice, track: Track) -> Value {
    let mut args = json!({ "time_ns": parts(&slice.parts) });
    if slice.steps > 0 {
        args["steps"] = slice.steps.into();
    }
    complete(slice_name(slice.part), "phase", (slice.from, slice.to), track, args)
}

/// What a slice is called: kept steps are of several parts.
pub(super) fn slice_name(part: Part) -> &'static str {
    if part == Part::Computing { "training" } else { part.name() }
}

fn stays(run: &OneRun, node: &NodeTrack, track: Track) -> Vec<Value> {
    let mut events = Vec::new();
    for one in &node.stays {
        let stay = &one.stay;
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
        events.push(complete(&name, "stay", (stay.granted, stay.end), track, args));
        for &(part, from, to) in &one.pieces {
            events.push(complete(slice_name(part), "node", (from, to), track, json!({})));
        }
    }
    events
}

fn capacity(zone: &Zone, nodes: u32, track: Track) -> Vec<Value> {
    let level = |level: &Level| {
        let there = level.nodes.min(nodes);
        let name = if there == nodes { "all nodes".to_owned() } else { format!("{there} of {nodes} nodes") };
        complete(&name, "capacity", (level.from, level.to), track, json!({ "nodes": there }))
    };
    zone.levels.iter().filter(|level| level.nodes > 0).map(level).collect()
}

fn counters(run: &OneRun, pid: usize) -> Vec<Value> {
    let counter = |name: &str, points: &[(SimTime, f64)]| -> Vec<Value> {
        let event = |&(at, value): &(SimTime, f64)| json!({ "ph": "C", "name": name, "pid": pid, "tid": 0, "ts": us(at.ns()), "args": { "value": value } });
        filled(points).iter().map(event).collect()
    };
    let made: Vec<_> = run.progress.iter().map(|&(at, steps)| (at, amount(run, steps))).collect();
    let spent: Vec<_> = run.spend.iter().map(|(at, usd)| (*at, usd.as_usd())).collect();
    let mut events = counter(&format!("progress, {}", unit(run)), &made);
    events.extend(counter("spend, USD", &spent));
    events
}

/// A line through `points`, in order, with more on it at [`BETWEEN`] even steps of its time.
fn filled(points: &[(SimTime, f64)]) -> Vec<(SimTime, f64)> {
    let step = points.last().map_or(0, |(end, _)| end.ns() / BETWEEN).max(1);
    let mut line = Vec::new();
    for pair in points.windows(2) {
        let [(from, low), (to, high)] = [pair[0], pair[1]];
        line.push((from, low));
        let next = (from.ns() / step + 1) * step;
        let between = (next..to.ns()).step_by(usize::try_from(step).unwrap_or(usize::MAX));
        line.extend(between.map(|at| {
            let share = (at - from.ns()) as f64 / (to.ns() - from.ns()) as f64;
            (SimTime::from_ns(at), low + share * (high - low))
        }));
    }
    line.extend(points.last());
    line
}

fn losses(run: &OneRun, track: Track) -> Vec<Value> {
    let loss = |loss: &Loss| {
        let name = match loss.broke {
            Some(true) => "preemption",
            Some(false) => "failure",
            None => "nodes lost beside training",
        };
        json!({
            "ph": "i", "name": name, "cat": "loss", "pid": track.pid, "tid": track.tid(), "ts": us(loss.at.ns()), "s": "p",
            "args": { "nodes": loss.nodes, "lost_ns": loss.lost.ns() },
        })
    };
    run.losses.iter().map(loss).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_points_at_even_steps_between_its_own() {
        let at = |points: &[(u64, f64)]| -> Vec<_> {
            points.iter().map(|&(ns, value)| (SimTime::from_ns(ns), value)).collect()
        };
        let lines = filled(&at(&[(0, 0.0), (BETWEEN, 24.0), (BETWEEN, 6.0), (2 * BETWEEN, 6.0)]));
        // Two nanoseconds a step, up by 0.2, then as high as it is.
        assert_eq!(lines[1], (SimTime::from_ns(2), 0.2));
        assert_eq!(lines[120..122], at(&[(240, 24.0), (240, 6.0)])[..]);
        assert_eq!(lines.last(), Some(&(SimTime::from_ns(480), 6.0)));
        assert_eq!(lines.len() as u64, BETWEEN + 2);
        assert_eq!(filled(&at(&[(0, 1.0), (0, 2.0)])), at(&[(0, 1.0), (0, 2.0)]));
    }
}
