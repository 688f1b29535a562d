//! `spotsim optimum`: the verdict in words, and what is refused.

use crate::run::{root, spotsim_in};

fn optimum(file: &str, more: &[&str]) -> (i32, String, String) {
    let arguments = [&["optimum", file, "--replications", "50"], more].concat();
    let output = spotsim_in(root(), &arguments);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// 20 s a save and 5 h between losses: √(2 × 20 s × 18,000 s) = 14.1 min by Young.
#[test]
fn the_verdict_names_the_best_interval_and_the_files_own() {
    let (code, stdout, stderr) = optimum("scenarios/smallest.toml", &[]);
    assert_eq!(code, 0, "{stderr}");
    let verdict = stdout.split("\n\n").next().unwrap().replace('\n', " ");
    assert!(verdict.starts_with("Spot: best every 1"), "{verdict}");
    assert!(verdict.contains("; anything from ") && verdict.contains(" takes at most 1 % longer; "));
    assert!(verdict.contains("the file's 30.0 min takes ") && verdict.ends_with(" % longer."), "{verdict}");
    assert!(stdout.contains("Young's formula gives 14.1 min"), "{stdout}");
}

#[test]
fn the_answer_does_not_depend_on_the_number_of_threads() {
    let of = |threads| optimum("scenarios/smallest.toml", &["--format", "csv", "--threads", threads]);
    assert_eq!(of("1"), of("3"));
}

#[test]
fn a_file_without_a_cluster_in_the_domain_is_refused_with_the_reasons() {
    let (code, stdout, stderr) = optimum("scenarios/seed-g5.toml", &[]);
    assert_eq!((code, stdout.as_str()), (2, ""));
    assert!(stderr.contains("= 4x g5.2xlarge Spot: a limit may end it early"), "{stderr}");
}

/// 86,400 segments: a recursion over their square would take minutes.
#[test]
fn an_interval_of_a_second_is_simulated_without_theory() {
    let more = ["--set", "checkpoint.every=\"1 s\""];
    let (code, stdout, stderr) = optimum("scenarios/smallest.toml", &more);
    assert_eq!(code, 0, "{stderr}");
    let verdict = stdout.split("\n\n").next().unwrap().replace('\n', " ");
    assert!(verdict.ends_with("the file's 1.00 s is too short for theory."), "{verdict}");
}
