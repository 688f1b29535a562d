//! What happens when, to the nanosecond and the nano-dollar: scenarios without chance whose answers two
//! independent slow programs agree on (`tests/semantics`, made 2026-12-01; `docs/semantics.md` is the text).

use serde_json::Value;
use spotsim::pricing::Ended;
use spotsim::rng::Streams;
use spotsim::scenario::cluster::Cluster;
use spotsim::scenario::load::{Overrides, load};
use spotsim::sim::{End, Ledger, Outcome, PARTS, Scratch, simulate};
use std::fs;
use std::path::Path;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/semantics");

#[test]
fn every_case_is_exact() {
    let folder = Path::new(FOLDER);
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".toml"))
        .collect();
    names.sort();
    assert!(names.len() >= 90, "only {} cases found", names.len());
    let faults: Vec<String> =
        names.iter().flat_map(|name| check(folder, name.trim_end_matches(".toml"))).collect();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

fn check(folder: &Path, case: &str) -> Vec<String> {
    let text = fs::read_to_string(folder.join(format!("{case}.toml"))).unwrap();
    let read = |name: &str| fs::read_to_string(folder.join(name)).map_err(|error| error.to_string());
    let loaded = load(case, text, &Overrides::default(), &read);
    let Some(scenario) = loaded.scenario else {
        return vec![format!("{case}: {}", loaded.problems.render(&loaded.sources, false))];
    };
    let answers = fs::read_to_string(folder.join(format!("{case}.json"))).unwrap();
    let answers: Value = serde_json::from_str(&answers).unwrap();
    let answers = answers["clusters"].as_array().unwrap();
    assert_eq!(answers.len(), scenario.clusters.len(), "{case}");
    scenario
        .clusters
        .iter()
        .zip(answers)
        .flat_map(|(cluster, answer)| {
            check_cluster(cluster, answer).into_iter().map(move |f| format!("{case}: {f}"))
        })
        .collect()
}

fn check_cluster(cluster: &Cluster, answer: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    let mut same = |what: &str, ours: Value, right: &Value| {
        if ours != *right {
            faults.push(format!("{} {what}: {ours}, right is {right}", cluster.name));
        }
    };
    same("ideal_ns", cluster.ideal.makespan.ns().into(), &answer["ideal_ns"]);
    let infeasible = cluster.plan.deadline.is_some_and(|deadline| cluster.ideal.least > deadline);
    if answer["outcome"] == "infeasible" {
        same("outcome", if infeasible { "infeasible" } else { "feasible" }.into(), &answer["outcome"]);
        return faults;
    }
    assert!(!infeasible);
    let mut ledger = Ledger::default();
    let outcome = simulate(&cluster.plan, &Streams::new(0), 0, &mut Scratch::default(), &mut ledger);
    let exact = &answer["exact"];
    same("outcome", outcome.end.name().into(), &answer["outcome"]);
    same("elapsed_ns", outcome.elapsed.ns().into(), &exact["elapsed_ns"]);
    same("cost_nusd", outcome.cost().nusd().into(), &exact["cost_nusd"]);
    same("preemptions", outcome.preemptions.into(), &answer["preemptions"]);
    same("nodes_lost", outcome.nodes_lost.into(), &answer["nodes_lost"]);
    same("attempts", outcome.attempts.into(), &answer["attempts"]);
    for (part, name) in PARTS {
        same(name, outcome.time.get(part).ns().into(), &exact["time_ns"][name]);
    }
    if !answer["deadline_met"].is_null() {
        let met = cluster.plan.deadline.is_some_and(|deadline| outcome.meets(deadline));
        same("deadline_met", met.into(), &answer["deadline_met"]);
    }
    let kept = if outcome.end == End::Finished { Some(cluster.plan.work) } else { None };
    if let Some(work) = kept {
        same("kept_work_ns", work.step.total().times(work.steps).ns().into(), &exact["kept_work_ns"]);
    }
    check_ledger(&ledger, &outcome, answer, &mut same);
    faults
}

fn check_ledger(
    ledger: &Ledger,
    outcome: &Outcome,
    answer: &Value,
    same: &mut impl FnMut(&str, Value, &Value),
) {
    let stays: Vec<_> = ledger.stays.iter().filter(|stay| stay.provisioned <= stay.end).collect();
    let ran: u64 = stays.iter().map(|stay| stay.end.since(stay.provisioned).ns()).sum();
    let billed: u64 = stays.iter().map(|stay| stay.bill.billed.ns()).sum();
    same("node_ran_ns", ran.into(), &answer["exact"]["node_ran_ns"]);
    same("node_billed_ns", billed.into(), &answer["exact"]["node_billed_ns"]);
    let sum: i64 = stays.iter().map(|stay| stay.bill.cost.nusd()).sum();
    assert_eq!(sum, outcome.cost().nusd());
    // The answers show lines sorted by start, then slot, and leave out stays of no length.
    let mut lines: Vec<Value> = stays
        .iter()
        .map(|stay| {
            serde_json::json!({
                "start_ns": stay.provisioned.ns(),
                "end_ns": stay.end.ns(),
                "ended": if stay.ended == Ended::Reclaimed { "reclaimed" } else { "released" },
                "billed_ns": stay.bill.billed.ns(),
                "nusd": stay.bill.cost.nusd(),
                "slot": stay.slot,
            })
        })
        .collect();
    let key = |line: &Value| (line["start_ns"].as_u64(), line["slot"].as_u64(), line["end_ns"].as_u64());
    lines.sort_by_key(key);
    if answer["ledger_lines"].as_u64() <= Some(40) {
        let mut right = answer["ledger_first_40"].as_array().unwrap().clone();
        right.sort_by_key(key);
        same("ledger", lines.into(), &right.into());
    }
}
