//! What is said about bad input: each `tests/errors/NAME.toml`, a scenario, and each `nccl-NAME.txt`, the output
//! of a benchmark, gives `NAME.stderr` and exit code 2.
//! `UPDATE_GOLDEN=1 cargo test --test it` writes them anew.

use crate::golden::same_as_file;
use crate::run::{root, spotsim_in};
use std::fs;

/// Runs `command` on each file of `tests/errors` with this `ending`; gives their number.
fn all_are_refused(ending: &str, command: &[&str]) -> usize {
    let folder = root().join("tests/errors");
    let mut names: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.retain(|name| name.ends_with(ending));
    names.sort();
    for name in &names {
        let output = spotsim_in(&folder, &[command, &[name]].concat());
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert!(output.stdout.is_empty(), "{name}");
        same_as_file(&output.stderr, &folder.join(name.replace(ending, ".stderr")));
    }
    names.len()
}

#[test]
fn every_broken_scenario_is_told_what_would_be_right() {
    assert!(all_are_refused(".toml", &["validate"]) >= 12);
}

#[test]
fn every_benchmark_without_a_bandwidth_is_told_why() {
    assert!(all_are_refused(".txt", &["calibrate", "network", "--from"]) >= 7);
}

#[test]
fn bad_arguments_are_errors_too() {
    let folder = root().join("scenarios");
    for (arguments, words) in [
        (vec!["run", "smallest.toml", "--replications", "0"], "must be at least 1"),
        (vec!["run", "smallest.toml", "--threads", "0"], "must be at least 1"),
        (vec!["run", "smallest.toml", "--seed", "-3"], "whole number from 0"),
        (vec!["run", "smallest.toml", "--set", "checkpoint.evry='1 h'"], "did you mean `every`?"),
        (vec!["run", "smallest.toml", "--set", "nonsense"], "="),
        (vec!["run", "absent.toml"], "there is no such file"),
        (vec!["run", "."], "it is a folder"),
        (vec!["verify", "econ"], "suites of this version"),
        (vec!["calibrate", "network", "--from", "absent.txt"], "there is no such file"),
        (vec!["calibrate", "network", "--from", ".", "--link", "100"], "needs a unit"),
        (vec!["calibrate", "network", "--from", ".", "--bytes", "400"], "needs a unit"),
        (vec!["calibrate", "network", "--from", ".", "--date", "2026-13-01"], "2026-12-02"),
    ] {
        let output = spotsim_in(&folder, &arguments);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {stderr}");
        assert!(stderr.contains(words), "{arguments:?}: {stderr}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn an_output_folder_that_cannot_be_written_is_said_before_simulating() {
    let output = spotsim_in(root(), &["run", "scenarios/smallest.toml", "--out", "Cargo.toml/x"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("cannot write to the folder"));
}
