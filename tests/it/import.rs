//! `spotsim trace import` and `convert` as users run them, and recordings that a scenario names. The project's cases
//! of 2026-12-01 have their number in the test's name.

use crate::run::{folder, number, root, run_text, spotsim_in};
use std::process::{Command, Stdio};

fn trace(arguments: &[&str]) -> (i32, String, String) {
    let output = spotsim_in(&root().join("tests/cases"), &[&["trace"], arguments].concat());
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn case_07_a_wrong_header_names_what_is_missing_and_found() {
    let (code, stdout, stderr) = trace(&["import", "07-wrong-header.csv"]);
    assert_eq!((code, stdout.as_str()), (2, ""));
    assert!(stderr.contains("07-wrong-header.csv"), "{stderr}");
    assert!(stderr.contains("missing t_ms, event; found node, kind, when"), "{stderr}");
}

#[test]
fn case_09_files_without_data_are_refused_by_name() {
    for (file, what) in [
        ("09-empty.csv", "no samples"),
        ("09-header-only.csv", "no events"),
        ("09-empty-data.json", "no samples"),
    ] {
        let (code, stdout, stderr) = trace(&["import", file]);
        assert_eq!((code, stdout.as_str()), (2, ""), "{file}");
        assert!(stderr.contains(file) && stderr.contains(what), "{stderr}");
    }
}

fn scenario(name: &str, capacity_trace: &str, more: &str) -> (i32, Vec<serde_json::Value>, String) {
    let file = |name: &str| root().join("tests/cases").join(name).display().to_string();
    let (path, keys) = capacity_trace.split_once(' ').unwrap_or((capacity_trace, ""));
    let text = format!(
        "schema = 1\nname = \"case\"\ncapacity.trace = {{ file = '{}' {keys} }}\n{more}\n[[cluster]]\nname = \"c\"\n\
         instance = \"g5.2xlarge\"\nmarket = \"spot\"\n",
        file(path)
    );
    run_text(name, &text, &["--replications", "20", "--set", "cluster.0.nodes=1"])
}

#[test]
fn case_09_where_nothing_happens_nothing_is_lost_and_all_replications_are_equal() {
    let job = "job = { work = { ideal_time = \"8 h\" } }\nstart.start = \"5 min\"\n\
               checkpoint = { every = \"1 h\", stall = \"2 min\" }\n\
               pricing = { rule = \"flat\", on_demand = \"1.20 USD/h\", spot = \"1.20 USD/h\" }";
    let (code, clusters, stderr) = scenario("09", "09-always-there.json , one_means = \"available\"", job);
    assert_eq!(code, 0, "{stderr}");
    let c = &clusters[0];
    assert!((number(c, "makespan_h_mean") - (8.0 + 19.0 / 60.0)).abs() < 1e-9);
    assert!((number(c, "cost_usd_mean") - 9.98).abs() < 0.005);
    assert!((number(&c["time_h"], "checkpoint_stall") - 14.0 / 60.0).abs() < 1e-9);
    assert_eq!((number(c, "preemptions_mean"), number(c, "makespan_h_sd")), (0.0, 0.0));
    for file in ["09-empty.csv", "09-header-only.csv", "09-empty-data.json"] {
        let (code, clusters, stderr) = scenario("09-no", file, job);
        assert_eq!((code, clusters.len()), (2, 0));
        assert!(stderr.contains(file) && stderr.contains("holds no"), "{stderr}");
    }
}

/// A gang of four: it is broken at 3600, 9000 and 12600 s, where at 9000 s one node goes as another comes.
#[test]
fn case_05_a_gang_restarts_where_a_node_is_exchanged_for_another() {
    let text = format!(
        "schema = 1\nname = \"case05\"\njob = {{ work = {{ ideal_time = \"4 h\" }} }}\nstart.start = \"1 min\"\n\
         checkpoint = {{ every = \"1 s\", stall = \"0 s\" }}\n\
         capacity.trace = {{ file = '{}', until = \"18000 s\" }}\n\
         [[cluster]]\nname = \"c\"\ninstance = \"g5.2xlarge\"\nnodes = 4\nmarket = \"spot\"\n",
        root().join("tests/cases/05-events.csv").display()
    );
    let (code, clusters, stderr) = run_text("05-gang", &text, &["--replications", "1"]);
    assert_eq!(code, 0, "{stderr}");
    assert_eq!((number(&clusters[0], "preemptions_mean"), number(&clusters[0], "attempts_mean")), (3.0, 4.0));
    // 4 h of work and four starts, 600 s and 1800 s without four nodes. The exchange takes 1 ns, so the attempt
    // after it ends just before a save and loses a second.
    let seconds = number(&clusters[0], "makespan_h_mean") * 3600.0;
    assert!((seconds - (14_400.0 + 240.0 + 2_400.0 + 1.0)).abs() < 1e-6, "{seconds}");
}

#[test]
fn a_scenario_says_what_a_file_does_not() {
    let job = "job = { work = { ideal_time = \"1 h\" } }";
    let (code, _, stderr) = scenario("unit", "06-counts.csv", job);
    assert_eq!(code, 2);
    assert!(stderr.contains("add `time_unit = \"ms\"`"), "{stderr}");
    let (code, clusters, stderr) = scenario("unit-given", "06-counts.csv , time_unit = \"ms\"", job);
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(number(&clusters[0], "makespan_h_mean"), 1.0);
    let (code, _, stderr) = scenario("format", "06-counts.csv , format = \"node-evnts\"", job);
    assert_eq!(code, 2);
    assert!(stderr.contains("did you mean \"node-events\"?"), "{stderr}");
}

#[test]
fn of_several_zones_a_cluster_takes_its_own() {
    let folder = folder("zones");
    let table = "scheduled_at,status,us-east-1a,us-east-1b\n\
                 2025-10-03T17:10:00Z,success,4,0\n2025-10-03T17:20:00Z,success,4,\n2025-10-03T17:30:00Z,success,4,4\n";
    std::fs::write(folder.join("t.csv"), table).unwrap();
    let text = |zone: &str| {
        format!(
            "schema = 1\nname = \"zones\"\njob = {{ work = {{ ideal_time = \"5 min\" }} }}\n\
             capacity.trace = {{ file = \"{}\" }}\n\
             [[cluster]]\nname = \"c\"\ninstance = \"g5.2xlarge\"\nnodes = 2\nmarket = \"spot\"\n{zone}\n",
            folder.join("t.csv").display()
        )
    };
    for (zone, hours) in [("us-east-1a", 1.0 / 12.0), ("us-east-1b", 1.0 / 3.0 + 1.0 / 12.0)] {
        let (code, clusters, stderr) = run_text(
            &format!("zones-{zone}"),
            &text(&format!("zones = [\"{zone}\"]")),
            &["--replications", "1"],
        );
        assert_eq!(code, 0, "{stderr}");
        assert!((number(&clusters[0], "makespan_h_mean") - hours).abs() < 1e-9, "{zone}");
        assert_eq!(
            stderr.contains("in 33.33 % of this trace nobody looked"),
            zone == "us-east-1b",
            "{stderr}"
        );
    }
    let (code, _, stderr) = run_text("zones-other", &text("zones = [\"us-east-1c\"]"), &[]);
    assert_eq!(code, 2);
    assert!(stderr.contains("has no zone `us-east-1c`; there are us-east-1a, us-east-1b"), "{stderr}");
}

#[test]
fn what_is_imported_is_read_back_as_it_was() {
    for (file, more) in [
        ("available-is-1.json", &["--one-means", "available"][..]),
        ("05-events.csv", &["--until", "5 h"]),
        ("06-counts.csv", &["--time-unit", "ms"]),
    ] {
        let (code, own, stderr) = trace(&[&["import", file], more].concat());
        assert_eq!(code, 0, "{stderr}");
        let again = folder("import").join("own.csv");
        std::fs::write(&again, &own).unwrap();
        let (code, twice, _) = trace(&["import", again.to_str().unwrap()]);
        assert_eq!((code, twice), (0, own), "{file}");
    }
}

/// Each format that can be written is read back as what was written, where the format can say it.
#[test]
fn what_is_converted_is_read_back_as_it_was() {
    let out = folder("convert").join("out");
    let out = out.to_str().unwrap();
    for (file, from, to, back) in [
        (
            "available-is-1.json",
            &["--one-means", "available"][..],
            "sky-spot",
            &["--one-means", "preempted"][..],
        ),
        ("available-is-1.json", &["--one-means", "available"], "availability-csv", &[]),
        ("06-counts.csv", &["--time-unit", "ms"], "count-series", &[]),
        ("05-events.csv", &["--until", "5 h"], "node-events", &["--until", "5 h"]),
        ("06-counts.csv", &["--time-unit", "ms"], "own", &[]),
    ] {
        let (code, _, stderr) = trace(&[&["convert", file, "--to", to, "--out", out], from].concat());
        assert_eq!(code, 0, "{file} to {to}: {stderr}");
        let (_, right, _) = trace(&[&["import", file], from].concat());
        let (code, ours, stderr) = trace(&[&["import", out], back].concat());
        assert_eq!(code, 0, "{file} to {to}: {stderr}");
        let rows = |text: &str| {
            text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect::<Vec<_>>()
        };
        let mut right = rows(&right);
        let mut ours = rows(&ours);
        right.sort();
        ours.sort();
        // The start of a recording that has none is 1970 in formats with dates.
        assert_eq!(ours, right, "{file} to {to}");
    }
}

#[test]
fn a_conversion_says_what_it_needs_and_what_it_chose() {
    let (code, stdout, stderr) =
        trace(&["convert", "06-counts.csv", "--time-unit", "ms", "--to", "availability-csv"]);
    assert_eq!((code, stdout.as_str()), (2, ""));
    assert!(stderr.contains("give a gap"), "{stderr}");
    let (code, stdout, stderr) = trace(&[
        "convert",
        "06-counts.csv",
        "--time-unit",
        "ms",
        "--to",
        "availability-csv",
        "--gap",
        "1800 s",
        "--gang",
        "5",
    ]);
    assert_eq!(code, 0);
    let column: Vec<&str> = stdout.lines().skip(1).map(|line| line.rsplit(',').next().unwrap()).collect();
    assert_eq!(column, ["1", "0", "0", "1", "1", "0", "1", "1"]);
    assert!(stderr.contains("at least 5 nodes are there"), "{stderr}");
    let (code, _, stderr) = trace(&["convert", "06-counts.csv", "--to", "sky-spt"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("did you mean `sky-spot`?"), "{stderr}");
    let (code, stdout, stderr) =
        trace(&["convert", "available-is-1.json", "--one-means", "available", "--to", "sky-spot"]);
    assert_eq!(code, 0);
    assert!(
        stdout.contains("\"gap_seconds\":600") && stderr.contains("1 means preempted"),
        "{stdout}{stderr}"
    );
}

#[test]
fn one_zone_of_several_is_chosen_or_the_others_are_named() {
    let table = folder("zone").join("t.csv");
    let rows =
        "scheduled_at,status,a,b\n2025-10-03T17:10:00Z,success,4,0\n2025-10-03T17:20:00Z,success,4,1\n";
    std::fs::write(&table, rows).unwrap();
    let table = table.to_str().unwrap();
    let (_, stdout, _) = trace(&["import", table, "--zone", "b"]);
    assert!(stdout.contains("\nb,2025-10-03T17:10:00Z,600,0\nb,2025-10-03T17:20:00Z,600,1\n"), "{stdout}");
    let (code, _, stderr) = trace(&["import", table, "--zone", "c"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("has no zone `c`; there are a, b"), "{stderr}");
    let (_, stdout, _) = trace(&["import", "06-counts.csv", "--time-unit", "ms", "--zone", "use1-az1"]);
    assert!(stdout.contains("\nuse1-az1,1970-01-01T00:00:00Z,1800,6\n"), "{stdout}");
}

/// A file appears whole or not at all.
#[test]
fn bad_input_leaves_no_file_behind() {
    let folder = folder("whole");
    let out = folder.join("out.csv");
    let (code, _, _) = trace(&["import", "07-wrong-header.csv", "--out", out.to_str().unwrap()]);
    assert_eq!(code, 2);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    let (code, stdout, _) = trace(&["import", "05-events.csv", "--out", out.to_str().unwrap()]);
    assert_eq!((code, stdout.as_str()), (0, ""));
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
}

#[test]
fn who_closes_the_pipe_has_seen_enough() {
    let folder = folder("pipe");
    let mut text = String::new();
    for node in 0..200_000 {
        text += &format!("{node},add,n{node}\n");
    }
    for node in 0..200_000 {
        text += &format!("300000,remove,n{node}\n");
    }
    std::fs::write(folder.join("events.csv"), text).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_spotsim"))
        .args(["trace", "import", "events.csv"])
        .current_dir(&folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(!String::from_utf8(output.stderr).unwrap().contains("error"));
}
