//! `spotsim diff`: two results compared.

use crate::run::{folder, root, spotsim_in};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Runs the seed scenario in `folder`, into its folder `out`.
fn run(folder: &Path, out: &str, more: &[&str]) {
    let file = root().join("scenarios/seed-g5.toml");
    let mut arguments =
        vec!["run", file.to_str().unwrap(), "--plots", "none", "--format", "csv", "--out", out];
    arguments.extend(more);
    let output = spotsim_in(folder, &arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Exit code, stdout and stderr of `diff`.
fn diff(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = spotsim_in(folder, &[&["diff"], arguments].concat());
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn compared(folder: &Path, arguments: &[&str]) -> Value {
    let (exit, out, said) = diff(folder, &[arguments, &["--format", "json"]].concat());
    assert_eq!(exit, 0, "{said}");
    serde_json::from_str(&out).unwrap()
}

const N: &str = "600";
const SPOT: &str = "4x g5.4xlarge Spot";
const ON_DEMAND: &str = "1x g5.12xlarge On-Demand";

/// What a run says of a cluster against its baseline is what `diff` says of the two.
#[test]
fn a_cluster_against_the_baseline_is_as_the_run_itself_says() {
    let folder = folder("diff-baseline");
    run(&folder, "a", &["--replications", N]);
    let pair = format!("{ON_DEMAND}={SPOT}");
    let found = &compared(&folder, &["a", "a", "--pair", &pair])["compared"][0];
    let summary: Value = serde_json::from_slice(&fs::read(folder.join("a/summary.json")).unwrap()).unwrap();
    let clusters = summary["clusters"].as_array().unwrap();
    let spot = clusters.iter().find(|cluster| cluster["name"] == SPOT).unwrap();
    assert_eq!(found["paired"], true);
    for (ours, its, sign) in [
        ("saved_share", "savings_vs_baseline", 1.0),
        ("cost_per_finished_usd_difference", "saved_usd", -1.0),
        ("b_cheaper_probability", "cheaper_probability", 1.0),
        ("makespan_h_difference", "longer_h", 1.0),
    ] {
        let (ours, right) = (found[ours].as_f64().unwrap(), spot[its].as_f64().unwrap());
        assert!((sign * ours - right).abs() < 1e-9, "{its}: {ours} is not {right}");
    }
}

/// With 0.1 % more to pay for every hour no two bills need more than their difference to be told apart, while
/// two runs with seeds of their own differ by chance.
#[test]
fn common_worlds_make_intervals_narrow() {
    let folder = folder("diff-seeds");
    let only = format!("{SPOT}={SPOT}");
    let dearer = ["--replications", N, "--set", "cluster.1.pricing.savings=0.6196"];
    run(&folder, "a", &["--replications", N]);
    run(&folder, "b", &dearer);
    run(&folder, "c", &[&dearer[..], &["--seed", "5"]].concat());
    let width = |other: &str| {
        let found = compared(&folder, &["a", other, "--pair", &only]);
        let found = &found["compared"][0];
        let end = |name: &str| found[format!("cost_usd_difference_ci_{name}")].as_f64().unwrap();
        (found["paired"].as_bool().unwrap(), end("high") - end("low"))
    };
    let ((paired, narrow), (apart, wide)) = (width("b"), width("c"));
    assert!(paired && !apart && narrow < wide / 100.0, "{narrow}, {wide}");
    let (exit, text, _) = diff(&folder, &["a", "b", "--pair", &only]);
    assert!(exit == 0 && text.starts_with("B costs $"), "{text}");
    let (_, text, _) = diff(&folder, &["a", "c"]);
    assert!(text.contains("as their seeds differ"), "{text}");
    let (_, csv, _) = diff(&folder, &["a", "b", "--format", "csv"]);
    assert_eq!(csv.lines().count(), 4, "{csv}");
}

#[test]
fn what_is_no_result_is_refused() {
    let folder = folder("diff-refused");
    run(&folder, "a", &["--replications", "20"]);
    fs::create_dir(folder.join("empty")).unwrap();
    let write = |name: &str, text: &str| {
        fs::create_dir(folder.join(name)).unwrap();
        fs::write(folder.join(name).join("summary.json"), text).unwrap();
    };
    write("later", "{\"schema\": 2}");
    write("other", "[1, 2]");
    write("torn", "{\"schema\": 1, \"clus");
    write("thin", "{\"schema\": 1, \"scenario\": {\"name\": \"x\"}}");
    let nearly = format!("{SPOT}={}", SPOT.replace("Spot", "Spt"));
    for (arguments, said) in [
        (vec!["a", "nowhere"], "nowhere does not exist"),
        (vec!["a", "empty"], "holds no summary.json"),
        (vec!["a/clusters.csv", "a"], "neither a folder nor"),
        (vec!["a", "later"], "has schema 2"),
        (vec!["a", "other"], "has no `schema`"),
        (vec!["a", "torn"], "is no JSON"),
        (vec!["a", "thin"], "are missing"),
        (vec!["a", "a"], "are the same folder"),
        (vec!["a", "a", "--pair", "x"], "write it as"),
        (vec!["a", "a", "--pair", &nearly], "did you mean \"4x g5.4xlarge Spot\"?"),
    ] {
        let (exit, out, found) = diff(&folder, &arguments);
        assert!(exit == 2 && out.is_empty() && found.contains(said), "{arguments:?}: {exit} {found}");
    }
}

/// Rows that somebody cut or changed are not compared in silence.
#[test]
fn torn_rows_are_said() {
    let folder = folder("diff-torn");
    run(&folder, "a", &["--replications", "20"]);
    run(&folder, "b", &["--replications", "20"]);
    let file = folder.join("b/replications.csv");
    let rows = fs::read_to_string(&file).unwrap();
    let cut: String = rows.lines().take(31).map(|line| format!("{line}\n")).collect();
    fs::write(&file, cut).unwrap();
    let (exit, text, _) = diff(&folder, &["a", "b"]);
    assert!(exit == 0 && text.contains("as replications.csv is not complete"), "{text}");
    fs::write(&file, rows.replace(",finished,", ",finished,,,")).unwrap();
    let (exit, _, said) = diff(&folder, &["a", "b"]);
    assert!(exit == 2 && said.contains("replications.csv"), "{said}");
    fs::remove_file(&file).unwrap();
    let (_, text, _) = diff(&folder, &["a", "b"]);
    assert!(text.contains("as replications.csv is missing"), "{text}");
}
