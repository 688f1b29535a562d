//! `spotsim optimum`: the verdict in words, and what is refused.

use crate::run::{folder, root, spotsim_in};

fn optimum(file: &str, more: &[&str]) -> (i32, String, String) {
    let test = std::thread::current().name().unwrap().replace("::", "-");
    let out = folder(&test);
    let arguments =
        [&["optimum", file, "--replications", "50", "--out", out.to_str().unwrap()], more].concat();
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

/// What starts at random is simulated: the file's 15 min is near the best, whose place is flat.
#[test]
fn the_born_from_case_is_searched_by_simulation() {
    let (code, stdout, stderr) = optimum("scenarios/seed-g5.toml", &[]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("by simulation of each (50 replications"), "{stdout}");
    assert!(stdout.contains("[limits] are left out"), "{stdout}");
}

#[test]
fn a_file_of_which_nothing_is_lost_is_refused_with_the_reasons() {
    let (code, stdout, stderr) = optimum("scenarios/seed-g5.toml", &["--set", "capacity.always={}"]);
    assert_eq!((code, stdout.as_str()), (2, ""));
    assert!(stderr.contains("= 4x g5.2xlarge Spot: nothing interrupts it"), "{stderr}");
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
