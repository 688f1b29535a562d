//! `spotsim timeline`: trace events that viewers take, and that agree with the results of a run.

use crate::run::{folder, root, spotsim_in};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Scenarios that differ in what can happen to a gang.
const SCENARIOS: [&str; 7] =
    ["seed-g5", "smallest", "elastic", "several-zones", "instance-types", "recorded-trace", "plan-g5"];

fn trace(scenario: &Path, out: &Path, more: &[&str]) -> Value {
    let arguments = [
        &[
            "timeline",
            scenario.to_str().unwrap(),
            "--plots",
            "none",
            "--format",
            "json",
            "--out",
            out.to_str().unwrap(),
        ],
        more,
    ];
    let output = spotsim_in(root(), &arguments.concat());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(fs::read(out.join("timeline.json")).unwrap(), output.stdout);
    serde_json::from_slice(&output.stdout).unwrap()
}

fn of_scenario(stem: &str) -> Value {
    let out = folder(&format!("timeline-{stem}"));
    trace(
        &root().join(format!("scenarios/{stem}.toml")),
        &out,
        &["--replications", "40", "--replication", "worst"],
    )
}

fn events(trace: &Value) -> &[Value] {
    trace["traceEvents"].as_array().unwrap()
}

fn phase(event: &Value) -> &str {
    event["ph"].as_str().unwrap()
}

/// Whole nanoseconds of a time in µs.
fn ns(us: &Value) -> u64 {
    let ns = us.as_f64().unwrap() * 1_000.0;
    assert!((ns - ns.round()).abs() < 0.3, "{us} µs is no whole number of ns");
    ns.round() as u64
}

/// A field and what its value must be.
type Field = (&'static str, fn(&Value) -> bool);

/// What "Trace Event Format" (Google, 2016) asks of each kind of event that is written here.
fn check_event(event: &Value) -> Result<(), String> {
    let fields = event.as_object().ok_or("an event is an object")?;
    let has = |key: &str, is: fn(&Value) -> bool| match fields.get(key) {
        Some(value) if is(value) => Ok(()),
        found => Err(format!("{key} is {found:?} in {event}")),
    };
    let is_time = |value: &Value| value.as_f64().is_some_and(|us| us.is_finite() && us >= 0.0);
    for (key, is) in
        [("name", Value::is_string as fn(&Value) -> bool), ("pid", Value::is_u64), ("tid", Value::is_u64)]
    {
        has(key, is)?;
    }
    has("args", Value::is_object)?;
    let (more, known): (&[Field], &[&str]) = match event["ph"].as_str() {
        Some("X") => (&[("ts", is_time), ("dur", is_time), ("cat", Value::is_string)], &["ts", "dur", "cat"]),
        Some("C") => (&[("ts", is_time)], &["ts"]),
        Some("i") => {
            (&[("ts", is_time), ("s", |s| matches!(s.as_str(), Some("g" | "p" | "t")))], &["ts", "s", "cat"])
        }
        Some("M") => (&[], &[]),
        kind => return Err(format!("no kind {kind:?}")),
    };
    for (key, is) in more {
        has(key, *is)?;
    }
    if event["ph"] == "C" && !event["args"].as_object().unwrap().values().all(Value::is_number) {
        return Err(format!("a counter counts numbers: {event}"));
    }
    let strange = fields.keys().find(|key| {
        !["ph", "name", "pid", "tid", "args"].contains(&key.as_str()) && !known.contains(&key.as_str())
    });
    strange.map_or(Ok(()), |key| Err(format!("no such field: {key} in {event}")))
}

#[test]
fn every_event_is_one_that_viewers_take() {
    for stem in SCENARIOS {
        let trace = of_scenario(stem);
        assert_eq!(trace["displayTimeUnit"], "ms");
        for event in events(&trace) {
            assert_eq!(check_event(event), Ok(()), "{stem}");
        }
        let is_named = |pid: &Value, tid: &Value| {
            let name = |e: &&Value| e["name"] == "thread_name" && e["pid"] == *pid && e["tid"] == *tid;
            events(&trace).iter().any(|e| name(&e))
        };
        assert!(events(&trace).iter().filter(|e| phase(e) == "X").all(|e| is_named(&e["pid"], &e["tid"])));
    }
}

/// Slices, from, to and name, by process and thread.
type Tracks = BTreeMap<(u64, u64), Vec<(u64, u64, String)>>;

/// All slices of each track, as viewers sort them.
fn tracks(trace: &Value) -> Tracks {
    let mut tracks: Tracks = BTreeMap::new();
    for event in events(trace).iter().filter(|event| phase(event) == "X") {
        let key = (event["pid"].as_u64().unwrap(), event["tid"].as_u64().unwrap());
        let from = ns(&event["ts"]);
        let slice = (from, from + ns(&event["dur"]), event["name"].as_str().unwrap().to_owned());
        tracks.entry(key).or_default().push(slice);
    }
    for slices in tracks.values_mut() {
        slices.sort_by_key(|(from, to, _)| (*from, u64::MAX - to));
    }
    tracks
}

#[test]
fn slices_of_a_track_nest_and_do_not_overlap() {
    for stem in SCENARIOS {
        for (track, slices) in tracks(&of_scenario(stem)) {
            let mut open: Vec<u64> = Vec::new();
            for (from, to, name) in slices {
                open.retain(|end| *end > from);
                assert!(
                    open.iter().all(|end| to <= *end),
                    "{stem} {track:?}: {name} {from} to {to} in {open:?}"
                );
                open.push(to);
            }
        }
    }
}

/// The phases of the cluster's track by kind, ns; training is what its arguments say.
fn time_of_phases(trace: &Value, pid: u64) -> BTreeMap<String, u64> {
    let mut time = BTreeMap::new();
    for event in events(trace).iter().filter(|e| e["pid"] == pid && e["cat"] == "phase") {
        let parts = event["args"]["time_ns"].as_object().unwrap();
        let sum: u64 = parts.values().map(|ns| ns.as_u64().unwrap()).sum();
        assert_eq!(sum, ns(&event["dur"]), "{event}");
        for (part, ns) in parts {
            *time.entry(part.clone()).or_insert(0) += ns.as_u64().unwrap();
        }
    }
    time
}

/// Against `replications.csv` of a run of the same scenario, which another part of the program writes.
#[test]
fn slices_add_up_to_the_time_parts_of_the_run() {
    for stem in SCENARIOS {
        let file = root().join(format!("scenarios/{stem}.toml"));
        let out = folder(&format!("timeline-run-{stem}"));
        let run = [
            "run",
            file.to_str().unwrap(),
            "--replications",
            "12",
            "--plots",
            "none",
            "--out",
            out.to_str().unwrap(),
        ];
        assert_eq!(spotsim_in(root(), &run).status.code(), Some(0));
        let trace = trace(&file, &out, &["--replications", "12", "--replication", "7"]);
        let mut rows = csv::Reader::from_path(out.join("replications.csv")).unwrap();
        let header = rows.headers().unwrap().clone();
        let rows: Vec<BTreeMap<String, String>> = rows
            .records()
            .map(|row| header.iter().map(str::to_owned).zip(row.unwrap().iter().map(str::to_owned)).collect())
            .collect();
        for (index, cluster) in trace["otherData"]["clusters"].as_array().unwrap().iter().enumerate() {
            let is_it = |row: &&BTreeMap<String, String>| {
                row["cluster"] == cluster["name"] && row["replication"] == "7"
            };
            let row = rows.iter().find(is_it).unwrap();
            let time = time_of_phases(&trace, index as u64 + 1);
            for (column, right) in
                row.iter().filter(|(column, _)| column.ends_with("_ns") && *column != "elapsed_ns")
            {
                let part = column.trim_end_matches("_ns");
                let found = time.get(part).copied().unwrap_or(0);
                assert_eq!(found.to_string(), *right, "{stem}, {}, {part}", cluster["name"]);
            }
            assert_eq!(time.values().sum::<u64>().to_string(), row["elapsed_ns"]);
            assert_eq!(cluster["cost_nusd"].to_string(), row["cost_nusd"]);
            let of = |name: &str| {
                let mut counters =
                    events(&trace).iter().filter(|e| phase(e) == "C" && e["pid"] == index as u64 + 1);
                counters.rfind(|e| e["name"].as_str().unwrap().starts_with(name)).unwrap()
            };
            let spent = of("spend")["args"]["value"].as_f64().unwrap();
            assert!((spent * 1e9 - row["cost_nusd"].parse::<f64>().unwrap()).abs() < 1.0);
            assert_eq!(ns(&of("progress")["ts"]).to_string(), row["elapsed_ns"]);
            let preemptions = events(&trace)
                .iter()
                .filter(|e| e["name"] == "preemption" && e["pid"] == index as u64 + 1)
                .count();
            assert_eq!(preemptions.to_string(), row["preemptions"], "{stem}");
        }
    }
}

/// The work of `seed-g5.toml` is 20 M samples.
#[test]
fn progress_ends_with_all_the_work() {
    let trace = of_scenario("seed-g5");
    let progress = events(&trace).iter().filter(|e| e["name"] == "progress, M samples");
    let mut last = BTreeMap::new();
    for event in progress {
        last.insert(event["pid"].as_u64().unwrap(), event["args"]["value"].as_f64().unwrap());
    }
    assert_eq!(last.len(), 3);
    for (pid, samples) in last {
        let finished = trace["otherData"]["clusters"][pid as usize - 1]["outcome"] == "finished";
        assert!(!finished || (samples - 20.0).abs() < 0.001, "{pid}: {samples}");
    }
}

/// Every node is provisioned, waits or does what the gang does, from its grant to its end.
#[test]
fn a_node_does_one_thing_at_each_instant() {
    for stem in SCENARIOS {
        let trace = of_scenario(stem);
        let of = |category: &str| {
            let mut time: BTreeMap<(u64, u64), u64> = BTreeMap::new();
            for event in events(&trace).iter().filter(|e| e["cat"] == category) {
                let key = (event["pid"].as_u64().unwrap(), event["tid"].as_u64().unwrap());
                *time.entry(key).or_insert(0) += ns(&event["dur"]);
            }
            time.retain(|_, ns| *ns > 0);
            time
        };
        assert_eq!(of("stay"), of("node"), "{stem}");
    }
}

#[test]
fn median_typical_best_and_worst_are_those_of_the_run() {
    let file = root().join("scenarios/smallest.toml");
    let out = folder("timeline-which");
    let run = [
        "run",
        file.to_str().unwrap(),
        "--replications",
        "25",
        "--plots",
        "none",
        "--out",
        out.to_str().unwrap(),
    ];
    assert_eq!(spotsim_in(root(), &run).status.code(), Some(0));
    let mut rows = csv::Reader::from_path(out.join("replications.csv")).unwrap();
    let mut all: Vec<(u64, u64, u32)> = rows
        .records()
        .map(|row| row.unwrap())
        .filter(|row| &row[0] == "Spot" && &row[2] == "finished")
        .map(|row| (row[4].parse().unwrap(), row[1].parse().unwrap(), row[6].parse().unwrap()))
        .collect();
    assert_eq!(all.len(), 25);
    all.sort_unstable();
    let mut preemptions: Vec<u32> = all.iter().map(|one| one.2).collect();
    preemptions.sort_unstable();
    let usual: Vec<u64> = all.iter().filter(|one| one.2 == preemptions[12]).map(|one| one.1).collect();
    let typical = usual[(usual.len() - 1) / 2];
    let which = [("best", all[0].1), ("median", all[12].1), ("typical", typical), ("worst", all[24].1)];
    for (which, right) in which {
        let trace = trace(&file, &out, &["--replications", "25", "--replication", which]);
        assert_eq!(trace["otherData"]["clusters"][0]["replication"], right, "{which}");
    }
}

#[test]
fn what_cannot_be_shown_is_said() {
    let said = |arguments: &[&str]| {
        let out = folder("timeline-bad");
        let all =
            [&["timeline", "scenarios/seed-g5.toml", "--out", out.to_str().unwrap()], arguments].concat();
        let output = spotsim_in(root(), &all);
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let is_said = |arguments: &[&str], code: i32, words: &str| {
        let (found, text) = said(arguments);
        assert!(found == Some(code) && text.contains(words), "{arguments:?}: {found:?} {text}");
    };
    is_said(&["--replication", "-1"], 2, "must be a whole number from 0");
    is_said(&["--replication", "middle"], 2, "`median`, `typical`, `best` or `worst`");
    is_said(&["--cluster", "4x g5.2xlarge Sopt"], 2, "did you mean `4x g5.2xlarge Spot`?");
    is_said(&["--set", "job.deadline=\"1 h\""], 4, "nothing is simulated");
}

/// A node that lives for a nanosecond: millions of stays, of which `run` draws no picture and `timeline` says so.
#[test]
fn a_replication_that_has_lost_its_way_is_not_drawn() {
    let out = folder("timeline-flicker");
    let text = fs::read_to_string(root().join("scenarios/smallest.toml")).unwrap();
    let text =
        text.replace("mean = \"5 h\"", "mean = \"1 ns\"").replace("gap = \"20 min\"", "gap = \"1 ns\"");
    fs::write(out.join("flicker.toml"), text).unwrap();
    let said = |command: &str| {
        let cluster: &[&str] = if command == "timeline" { &["--cluster", "Spot"] } else { &[] };
        let output = spotsim_in(&out, &[&[command, "flicker.toml", "--replications", "1"], cluster].concat());
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, told) = said("timeline");
    assert!(code == Some(1) && told.contains("too many to show"), "{code:?}: {told}");
    assert_eq!(said("run").0, Some(0));
    assert!(!out.join("output/smallest/plots/timeline.png").exists());
    assert!(out.join("output/smallest/report.html").exists());
}
