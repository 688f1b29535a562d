//! `spotsim sweep` as users see it: rows, resuming, bad input.

use crate::run::{folder, root, spotsim_in};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

const TEXT: &str = r#"
schema = 1
name = "swept"
[job]
work = { ideal_time = "10 h" }
horizon = "5 d"
[checkpoint]
every = "15 min"
stall = "20 s"
[capacity.renewal]
uptime = { exponential = { mean = "2 h" } }
gap = "20 min"
[pricing]
on_demand = "2 USD/h"
spot = "1 USD/h"
[[cluster]]
name = "spot, or \"so\""
instance = "g5.xlarge"
nodes = 1
market = "spot"
[[cluster]]
name = "on-demand"
instance = "g5.xlarge"
nodes = 1
market = "on-demand"
"#;

/// The scenario with `[sweep]`, in a folder of its own.
fn swept(name: &str, sweep: &str) -> std::path::PathBuf {
    let at = folder(&format!("sweep-{name}"));
    fs::write(at.join("a.toml"), format!("{TEXT}[sweep]\n{sweep}\n")).unwrap();
    at
}

fn run(at: &Path, more: &[&str]) -> (Option<i32>, String, String) {
    let output =
        spotsim_in(at, &[&["sweep", "a.toml", "--out", "out", "--replications", "64"], more].concat());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn files(at: &Path) -> Vec<(String, Vec<u8>)> {
    let names = ["sweep.csv", "summary.json", "pareto.csv", "report.html"];
    names.iter().map(|name| ((*name).to_owned(), fs::read(at.join(name)).unwrap())).collect()
}

#[test]
fn every_configuration_has_a_row_for_each_cluster() {
    let at = swept("rows", "\"checkpoint.every\" = [\"5 min\", \"1 h\"]\n\"cluster.0.nodes\" = [1, 2, 3]");
    let (code, table, stderr) = run(&at, &["--plots", "none"]);
    assert_eq!(code, Some(0), "{stderr}");
    assert!(table.contains("on-demand"), "{table}");
    let rows = fs::read_to_string(at.join("out/sweep.csv")).unwrap();
    let header = "configuration,checkpoint.every,cluster.0.nodes,cluster,status,";
    assert!(rows.starts_with(header), "{}", rows.lines().next().unwrap());
    let starts: Vec<&str> = rows.lines().skip(1).map(|row| row.split(",simulated").next().unwrap()).collect();
    assert_eq!(starts.len(), 12);
    assert_eq!(starts[2], "1,5 min,2,\"spot, or \"\"so\"\"\"");
    assert_eq!(starts[7], "3,1 h,1,on-demand");
    assert!(!at.join("out/sweep.partial.csv").exists() && !at.join("out/sweep.partial.json").exists());
}

#[test]
fn threads_and_designs_give_the_same_bytes_again() {
    for (name, design) in [
        ("grid", "\"checkpoint.every\" = { from = \"5 min\", to = \"1 h\", points = 9 }"),
        (
            "sobol",
            "design = \"sobol\"\npoints = 16\n\"checkpoint.every\" = { from = \"5 min\", to = \"1 h\" }",
        ),
        (
            "lhs",
            "design = \"latin-hypercube\"\npoints = 9\n\"checkpoint.stall\" = { from = \"5 s\", to = \"1 min\" }",
        ),
    ] {
        let (one, three) = (swept(&format!("{name}-1"), design), swept(&format!("{name}-3"), design));
        assert_eq!(run(&one, &["--threads", "1", "--plots", "none"]).0, Some(0));
        assert_eq!(run(&three, &["--threads", "3", "--plots", "none"]).0, Some(0));
        assert_eq!(files(&one.join("out")), files(&three.join("out")), "{name}");
    }
}

const MANY: &str =
    "\"checkpoint.every\" = { from = \"5 min\", to = \"1 h\", points = 60 }\n\"cluster.0.nodes\" = [1, 2]";

/// A table cut off anywhere, as a kill leaves it, is filled up to the bytes of one in one piece.
#[test]
fn a_table_cut_off_anywhere_is_filled_up_to_the_same_bytes() {
    let whole = swept("whole", MANY);
    assert_eq!(run(&whole, &["--plots", "none"]).0, Some(0));
    let right = files(&whole.join("out"));
    let rows = &right[0].1;
    let at = swept("cut", MANY);
    // What belongs to the rows is written by a sweep that is killed as soon as it has begun.
    kill_once_begun(&at, 0);
    let begun = fs::read(at.join("out/sweep.partial.json")).unwrap();
    let header = rows.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    let lengths = [0, 10, header, header + 1, rows.len() / 3, rows.len() / 2 + 7, rows.len() - 1, rows.len()];
    for length in lengths {
        _ = fs::remove_dir_all(at.join("out"));
        fs::create_dir(at.join("out")).unwrap();
        fs::write(at.join("out/sweep.partial.json"), &begun).unwrap();
        fs::write(at.join("out/sweep.partial.csv"), &rows[..length]).unwrap();
        assert_eq!(run(&at, &["--resume", "--plots", "none"]).0, Some(0), "{length}");
        assert!(files(&at.join("out")) == right, "{length} of {} bytes", rows.len());
    }
}

/// Starts a sweep and kills it once its table is longer than `length`.
fn kill_once_begun(at: &Path, length: u64) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_spotsim"))
        .args(["sweep", "a.toml", "--out", "out", "--replications", "64", "--plots", "none"])
        .current_dir(at)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let partial = at.join("out/sweep.partial.csv");
    while child.try_wait().unwrap().is_none() {
        if fs::metadata(&partial).is_ok_and(|file| file.len() > length) {
            _ = child.kill();
        }
        std::thread::yield_now();
    }
}

#[test]
fn rows_of_another_sweep_are_not_taken_over() {
    let at = swept("other", MANY);
    kill_once_begun(&at, 0);
    let changed =
        fs::read_to_string(at.join("a.toml")).unwrap().replace("gap = \"20 min\"", "gap = \"21 min\"");
    fs::write(at.join("a.toml"), changed).unwrap();
    if at.join("out/sweep.partial.json").exists() {
        let (code, _, stderr) = run(&at, &["--resume", "--plots", "none"]);
        assert_eq!(code, Some(2), "{stderr}");
        assert!(stderr.contains("another scenario"), "{stderr}");
    }
}

#[test]
fn a_misspelt_key_or_a_wrong_unit_is_told_before_anything_is_simulated() {
    for (name, sweep, said) in [
        ("key", "\"checkpoint.evry\" = [\"5 min\"]", "did you mean `every`?"),
        ("unit", "\"checkpoint.every\" = [\"5 min\", \"5 metres\"]", "5 metres"),
        ("cluster", "\"cluster.7.nodes\" = [1]", "has no element `7`"),
    ] {
        let at = swept(name, sweep);
        let (code, _, stderr) = run(&at, &[]);
        assert_eq!(code, Some(2), "{stderr}");
        assert!(stderr.contains(said), "{stderr}");
        assert!(!at.join("out").exists());
    }
}

#[test]
fn a_scenario_without_sweep_says_what_to_add() {
    let output = spotsim_in(root(), &["sweep", "scenarios/smallest.toml"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("has no [sweep]"));
}

/// One of four is refused by the scenario's own rules: a row says so, and the others have their figures.
#[test]
fn a_combination_that_is_no_scenario_is_a_row_that_says_so() {
    let sweep = "\"cluster.0.min_nodes\" = [1, 3]\n\"cluster.0.nodes\" = [2, 3]";
    let at = swept("invalid", sweep);
    let text = fs::read_to_string(at.join("a.toml")).unwrap().replacen("nodes = 1", "nodes = 3", 1);
    fs::write(at.join("a.toml"), text).unwrap();
    let (code, _, stderr) = run(&at, &["--plots", "none"]);
    assert_eq!(code, Some(0), "{stderr}");
    let rows = fs::read_to_string(at.join("out/sweep.csv")).unwrap();
    assert_eq!(rows.lines().filter(|row| row.contains(",invalid,")).count(), 1, "{rows}");
    assert!(stderr.contains("no scenario"), "{stderr}");
}

/// Rows with another value, or with a figure that is none, are simulated again with all that follows.
#[test]
fn a_table_that_was_damaged_is_mended() {
    let at = swept("damaged", MANY);
    kill_once_begun(&at, 0);
    let begun = fs::read(at.join("out/sweep.partial.json")).unwrap();
    assert_eq!(run(&at, &["--plots", "none"]).0, Some(0));
    let right = files(&at.join("out"));
    let rows = String::from_utf8(right[0].1.clone()).unwrap();
    let seventh = rows.lines().nth(7).unwrap().to_owned();
    for (damage, wrong) in [
        ("figure", seventh.replacen("simulated,", "simulated,\0", 1)),
        ("value", seventh.replacen(" min", " h", 1)),
        ("quote", format!("\"{seventh}")),
    ] {
        fs::write(at.join("out/sweep.partial.json"), &begun).unwrap();
        fs::write(at.join("out/sweep.partial.csv"), rows.replacen(&seventh, &wrong, 1)).unwrap();
        assert_eq!(run(&at, &["--resume", "--plots", "none"]).0, Some(0), "{damage}");
        assert!(files(&at.join("out")) == right, "{damage}");
    }
}

/// Both would append to one table, and the first would take what is there for its own.
#[test]
fn two_sweeps_into_one_folder_do_not_mix() {
    let at = swept("two", MANY);
    let mut first = Command::new(env!("CARGO_BIN_EXE_spotsim"))
        .args(["sweep", "a.toml", "--out", "out", "--replications", "1000000"])
        .current_dir(&at)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let partial = at.join("out/sweep.partial.csv");
    while !partial.exists() && first.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    let (code, _, stderr) = run(&at, &[]);
    _ = first.kill();
    _ = first.wait();
    assert_eq!(code, Some(1), "{stderr}");
    assert!(stderr.contains("another spotsim is writing to the folder out"), "{stderr}");
    assert!(partial.exists(), "what the first has done is kept");
    // A process that was killed keeps nobody out.
    assert_eq!(run(&at, &["--plots", "none"]).0, Some(0));
}

#[test]
fn a_file_in_the_place_of_the_folder_is_said() {
    let at = swept("file", "\"checkpoint.every\" = [\"5 min\"]");
    fs::write(at.join("out"), "").unwrap();
    let (code, _, stderr) = run(&at, &[]);
    assert_eq!(code, Some(1));
    assert!(stderr.contains("out: it is a file"), "{stderr}");
}

/// Comments decide nothing, whether above the keys that are swept or among them.
#[test]
fn comments_may_change_before_a_sweep_goes_on() {
    let at = swept("comments", MANY);
    assert_eq!(run(&at, &["--plots", "none"]).0, Some(0));
    let right = files(&at.join("out"));
    kill_once_begun(&at, 0);
    let begun = fs::read(at.join("out/sweep.partial.json")).unwrap();
    let text = fs::read_to_string(at.join("a.toml")).unwrap();
    let text = format!("# A comment.\n{}", text.replace("[sweep]", "[sweep] # Another.\n\n"));
    fs::write(at.join("a.toml"), text).unwrap();
    fs::write(at.join("out/sweep.partial.json"), begun).unwrap();
    fs::write(at.join("out/sweep.partial.csv"), &right[0].1[..right[0].1.len() / 2]).unwrap();
    let (code, _, stderr) = run(&at, &["--resume", "--plots", "none"]);
    assert_eq!(code, Some(0), "{stderr}");
    assert!(files(&at.join("out")) == right);
}

/// Without chance one look is enough: 1,024 replications, not the 1,000 of a sweep without a rule.
#[test]
fn a_rule_to_stop_holds_without_an_option() {
    let at = swept("until", "\"checkpoint.every\" = [\"5 min\", \"1 h\"]");
    let text = fs::read_to_string(at.join("a.toml")).unwrap();
    let rule =
        "[simulation]\nuntil = { result = \"cost_usd_mean\", relative = 0.01, cluster = \"on-demand\" }\n";
    fs::write(at.join("a.toml"), format!("{text}{rule}")).unwrap();
    let output = spotsim_in(&at, &["sweep", "a.toml", "--out", "out", "--plots", "none"]);
    assert!(output.status.success(), "{output:?}");
    let mut rows = csv::Reader::from_path(at.join("out/sweep.csv")).unwrap();
    let column = rows.headers().unwrap().iter().position(|name| name == "replications").unwrap();
    let counts: Vec<String> = rows.records().map(|row| row.unwrap()[column].to_owned()).collect();
    assert_eq!(counts, ["1024"; 4]);
}

/// What takes the place of a key: an option, a cluster's own table, another name of the same key.
#[test]
fn a_key_that_changes_nothing_is_said() {
    let stall = "\"checkpoint.stall\" = [\"1 s\", \"2 s\"]";
    for (name, sweep, idle) in [
        ("option", "\"simulation.replications\" = [10, 20]", Some("simulation.replications")),
        ("own", stall, Some("checkpoint.stall")),
        ("twice", "\"cluster.0.nodes\" = [1, 2]\n\"cluster.on-demand.nodes\" = [1, 2]", None),
        (
            "named",
            "\"cluster.1.nodes\" = [1, 2]\n\"cluster.on-demand.nodes\" = [1, 2]",
            Some("cluster.1.nodes"),
        ),
    ] {
        let at = swept(&format!("idle-{name}"), sweep);
        if name == "own" {
            let text = fs::read_to_string(at.join("a.toml")).unwrap();
            let own = "[[cluster]]\ncheckpoint = { stall = \"5 s\" }";
            fs::write(at.join("a.toml"), text.replace("[[cluster]]", own)).unwrap();
        }
        let (code, _, stderr) = run(&at, &["--plots", "none"]);
        assert_eq!(code, Some(0), "{stderr}");
        let said = idle.map(|key| format!("`{key}` of [sweep] changes nothing"));
        assert_eq!(stderr.matches("changes nothing").count(), said.iter().count(), "{name}: {stderr}");
        assert!(said.is_none_or(|said| stderr.contains(&said)), "{name}: {stderr}");
    }
}
