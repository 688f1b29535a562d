//! Helpers: scenarios from text, and the binary as a user runs it.

use serde_json::Value;
use spotsim::rng::Streams;
use spotsim::scenario::load::{Overrides, Scenario, load};
use spotsim::scenario::plan::Plan;
use spotsim::sim::{Ledger, Outcome, Scratch, simulate};
use spotsim::units::Span;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The project's root.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A scenario from text that must be right and names no files.
pub fn scenario(text: &str) -> Scenario {
    let loaded = load("test.toml", text.to_owned(), &Overrides::default(), &|_| Err("no files here".into()));
    let problems = loaded.problems.render(&loaded.sources, false);
    loaded.scenario.unwrap_or_else(|| panic!("{problems}"))
}

pub fn s(seconds: u64) -> Span {
    Span::from_s(seconds)
}

pub fn minutes(minutes: u64) -> Span {
    s(60 * minutes)
}

/// A replication of a plan with seed 0, whose time parts add up.
pub fn outcome(plan: &Plan, replication: u64) -> Outcome {
    with_ledger(plan, replication).0
}

/// The first replication with its ledger.
pub fn first(plan: &Plan) -> (Outcome, Ledger) {
    with_ledger(plan, 0)
}

fn with_ledger(plan: &Plan, replication: u64) -> (Outcome, Ledger) {
    let mut ledger = Ledger::default();
    let outcome = simulate(plan, &Streams::new(0), replication, &mut Scratch::default(), &mut ledger);
    assert_eq!(outcome.time.total(), outcome.elapsed);
    (outcome, ledger)
}

/// All files below `folder` whose names end with `ending`, in order.
pub fn files_below(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_below(&path, ending));
        } else if path.extension().is_some_and(|own| own == ending) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The binary with `arguments`, in `folder`.
pub fn spotsim_in(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_spotsim"));
    command.args(arguments).current_dir(folder).env("NO_COLOR", "1").output().unwrap()
}

/// A fresh folder for one test.
pub fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// Runs a scenario text through the binary and gives its exit code, JSON clusters and stderr.
pub fn run_text(name: &str, text: &str, more: &[&str]) -> (i32, Vec<Value>, String) {
    let folder = folder(name);
    std::fs::write(folder.join("scenario.toml"), text).unwrap();
    let mut arguments = vec!["run", "scenario.toml", "--format", "json", "--plots", "none", "--out", "out"];
    arguments.extend(more);
    let output = spotsim_in(&folder, &arguments);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    let clusters = json["clusters"].as_array().cloned().unwrap_or_default();
    (output.status.code().unwrap(), clusters, String::from_utf8(output.stderr).unwrap())
}

/// A number of a result.
pub fn number(cluster: &Value, name: &str) -> f64 {
    cluster[name].as_f64().unwrap_or_else(|| panic!("no {name} in {cluster}"))
}
