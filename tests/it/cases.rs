//! Small situations that users have, with answers derived by hand (the project's cases, 2026-12-01; the
//! number of each in the test's name).

use crate::run::{folder, number, root, run_text, spotsim_in};
use serde_json::Value;
use spotsim::network::MeasuredFabric;

fn h(hours: f64, minutes: f64) -> f64 {
    hours + minutes / 60.0
}

fn close(ours: f64, right: f64, within: f64, what: &str) {
    assert!((ours - right).abs() <= within, "{what}: {ours}, right is {right}");
}

fn single(clusters: &[Value]) -> &Value {
    assert_eq!(clusters.len(), 1);
    &clusters[0]
}

fn trace(name: &str, file: &str, meaning: &str) -> (i32, Vec<Value>, String) {
    let file = root().join("tests/cases").join(file);
    let text = format!(
        r#"
schema = 1
name = "case04"
job = {{ work = {{ ideal_time = "5 h" }} }}
start.start = "5 min"
checkpoint = {{ every = "1 s", stall = "0 s" }}
capacity.trace = {{ file = '{}' {meaning} }}
[[cluster]]
name = "c"
instance = "g5.2xlarge"
nodes = 1
market = "spot"
[simulation]
replications = 1
"#,
        file.display()
    );
    run_text(name, &text, &[])
}

#[test]
fn case_04_both_polarities_give_one_answer() {
    for (name, file, meaning) in [
        ("04a", "available-is-1.json", ", one_means = \"available\""),
        ("04b", "preempted-is-1.json", ", one_means = \"preempted\""),
    ] {
        let (code, clusters, _) = trace(name, file, meaning);
        assert_eq!(code, 0);
        let c = single(&clusters);
        close(number(c, "makespan_h_mean"), h(5.0, 40.0), 1e-9, "makespan");
        assert_eq!((number(c, "preemptions_mean"), number(c, "attempts_mean")), (1.0, 2.0));
    }
}

#[test]
fn case_04_the_meaning_of_1_must_be_given() {
    let (code, _, stderr) = trace("04c", "available-is-1.json", "");
    assert_eq!(code, 2);
    assert!(stderr.contains("one_means = \"available\""), "{stderr}");
    let (_, _, stderr) = trace("04d", "available-is-1.json", ", one_means = \"preempted\"");
    assert!(stderr.contains("15.00 %"), "the wrong way round is hinted at: {stderr}");
}

/// `calibrate network` of a text of case 12: exit code, stdout, stderr.
fn network(file: &str, more: &[&str]) -> (i32, String, String) {
    let file = format!("tests/cases/{file}");
    let output = spotsim_in(root(), &[&["calibrate", "network", "--from", &file], more].concat());
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn case_12_a_bandwidth_comes_out_of_benchmark_text_in_two_layouts() {
    for (file, ranks, gb_per_s, placement) in
        [("allreduce-16-old.txt", 16, 21.68, "in-place"), ("allreduce-32-new.txt", 32, 53.62, "out-of-place")]
    {
        let (code, stdout, stderr) = network(file, &["--format", "json"]);
        assert_eq!(code, 0, "{stderr}");
        let fabric: Value = serde_json::from_str(&stdout).unwrap();
        close(number(&fabric, "bus_bandwidth_gb_per_s"), gb_per_s, 0.02, file);
        close(number(&fabric, "bus_bandwidth_gbit_per_s"), gb_per_s * 8.0, 0.16, file);
        assert_eq!(fabric["at_bytes"], 2_u64 << 30);
        assert_eq!(fabric["at_placement"], placement);
        assert_eq!(fabric["ranks"], ranks);
        assert_eq!(fabric["sizes"].as_array().unwrap().len(), 5);
    }
}

/// 2 × 31/32 × 0.4 GB / 53.62 GB/s = 14.45 ms.
#[test]
fn case_12_a_bandwidth_gives_a_time_and_small_sizes_are_not_it() {
    let (code, stdout, _) = network("allreduce-32-new.txt", &["--bytes", "400 MB", "--format", "json"]);
    assert_eq!(code, 0);
    let fabric: Value = serde_json::from_str(&stdout).unwrap();
    close(number(&fabric["all_reduce"], "time_ms"), 14.5, 0.5, "400 MB");
    let (_, stdout, stderr) = network("allreduce-32-new.txt", &["--bytes", "400 MB"]);
    assert_eq!(stderr, "");
    for words in ["53.62 GB/s", "Gbit/s", "14.5 ms", "the largest bandwidth", "at 8 MiB 26.59 GB/s"] {
        assert!(stdout.contains(words), "{words}: {stdout}");
    }
}

#[test]
fn case_12_two_nodes_overstate_their_link() {
    let (code, _, stderr) = network("allreduce-16-old.txt", &["--link", "100 Gbit/s"]);
    assert_eq!(code, 0);
    assert!(stderr.contains("21.68 GB/s is more than the link of a node carries, 12.50 GB/s"), "{stderr}");
    assert!(stderr.contains("two nodes only"), "{stderr}");
    let (_, _, stderr) = network("allreduce-16-old.txt", &[]);
    assert!(stderr.contains("for two nodes, not for more"), "{stderr}");
}

#[test]
fn case_12_a_run_without_rows_is_no_bandwidth_of_0() {
    let (code, stdout, stderr) = network("allreduce-cut.txt", &[]);
    assert_eq!((code, stdout.as_str()), (2, ""));
    assert!(stderr.contains("no result rows"), "{stderr}");
}

/// The file reads back as what was measured, and its bandwidth is one that a scenario takes.
#[test]
fn case_12_the_fabric_goes_into_a_file_and_a_scenario() {
    let out = folder("12").join("calibration/fabric.toml");
    let arguments = ["--date", "2026-12-02", "--out", out.to_str().unwrap()];
    let (code, _, stderr) = network("allreduce-32-new.txt", &arguments);
    assert_eq!(code, 0, "{stderr}");
    let text = std::fs::read_to_string(&out).unwrap();
    let fabric = MeasuredFabric::from_toml(&text).unwrap();
    assert_eq!((fabric.nodes, fabric.gpus_per_node, fabric.sizes.len()), (4, 8, 5));
    assert_eq!((fabric.device.as_str(), fabric.date.as_str()), ("NVIDIA A100-SXM4-40GB", "2026-12-02"));
    assert_eq!(fabric.sizes[4].out_of_place_us, Some(77_604.1));
    assert!(text.contains("[network] bandwidth = \"53.62 GB/s\""), "{text}");
    assert_eq!(show("12-scenario", "network.bandwidth", "'53.62 GB/s'").0, 0);
}

fn deadline(name: &str, deadline: &str, more: &str) -> (i32, Vec<Value>, String) {
    let text = format!(
        r#"
schema = 1
name = "case14"
job = {{ work = "36000 steps", deadline = "{deadline}" }}
compute.step_time = "1.2 s"
{more}
[[cluster]]
name = "c"
instance = "g5.2xlarge"
nodes = 4
market = "spot"
[[cluster]]
name = "d"
instance = "g5.2xlarge"
nodes = 4
market = "on-demand"
[simulation]
replications = 100
"#
    );
    run_text(name, &text, &[])
}

#[test]
fn case_14_an_impossible_deadline_is_said_before_simulating() {
    for (name, limit, more, ideal) in [
        ("14a", "10 h", "", h(12.0, 0.0)),
        ("14b", "730 min", "start.start = \"15 min\"", h(12.0, 15.0)),
        ("14c", "730 min", "checkpoint = { every = \"1 h\", stall = \"2 min\" }", h(12.0, 22.0)),
    ] {
        let (code, clusters, _) = deadline(name, limit, more);
        assert_eq!(code, 4, "{name}");
        for c in &clusters {
            assert_eq!(c["status"], "infeasible");
            close(number(c, "ideal_h"), ideal, 1e-9, name);
            assert!(c["cost_usd_mean"].is_null());
        }
    }
    let (code, clusters, _) = deadline("14d", "750 min", "start.start = \"15 min\"");
    assert_eq!(code, 0);
    assert_eq!(number(&clusters[0], "deadline_probability"), 1.0);
}

#[test]
fn case_16_keeping_three_costs_more_than_letting_all_go() {
    let text = r#"
schema = 1
name = "case16"
job = { work = { ideal_time = "6 h" } }
start = { start = "8 min", on_first = false }
checkpoint = { every = "1 h", stall = "0 s" }
pricing = { rule = "flat", on_demand = "2 USD/h", spot = "2 USD/h" }
[capacity]
acquire = "12 min"
acquire_first = "0 s"
events = [{ at = "160 min", lose = [3] }]
[[cluster]]
name = "keep"
instance = "g5.2xlarge"
nodes = 4
market = "spot"
on_loss = "keep"
[[cluster]]
name = "release"
instance = "g5.2xlarge"
nodes = 4
market = "spot"
[[cluster]]
name = "undisturbed"
instance = "g5.2xlarge"
nodes = 4
market = "spot"
capacity.always = {}
[simulation]
replications = 1
"#;
    let (code, clusters, _) = run_text("16", text, &[]);
    assert_eq!(code, 0);
    for (c, makespan, bill) in
        [(&clusters[0], 7.0, 55.60), (&clusters[1], 7.0, 54.40), (&clusters[2], 6.0, 48.00)]
    {
        close(number(c, "makespan_h_mean"), makespan, 1e-9, "makespan");
        close(number(c, "cost_usd_mean"), bill, 0.005, "bill");
    }
    close(number(&clusters[0]["time_h"], "lost"), h(0.0, 40.0), 1e-9, "lost");
    close(number(&clusters[0]["time_h"], "acquiring"), h(0.0, 12.0), 1e-9, "acquiring");
}

/// Shows what `network.bandwidth` and `start.start` are read as, or the error.
fn show(name: &str, key: &str, value: &str) -> (i32, String, String) {
    let folder = folder(name);
    let text = std::fs::read_to_string(root().join("scenarios/smallest.toml")).unwrap();
    std::fs::write(folder.join("s.toml"), text).unwrap();
    let output = spotsim_in(&folder, &["show", "s.toml", "--set", &format!("{key}={value}")]);
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn case_18_bits_and_bytes_and_bare_numbers() {
    for (value, bytes_per_s) in [
        ("25 Gbps", 3_125_000_000_u64),
        ("25 Gbit/s", 3_125_000_000),
        ("3.125 GB/s", 3_125_000_000),
        ("25 GBps", 25_000_000_000),
    ] {
        let (code, stdout, stderr) = show("18-bandwidth", "network.bandwidth", &format!("'{value}'"));
        assert_eq!(code, 0, "{stderr}");
        assert!(stdout.contains(&format!("{bytes_per_s} B/s")), "{value}: {stdout}");
    }
    for value in ["25", "'25'", "'25 gb/s'"] {
        let (code, _, stderr) = show("18-refused", "network.bandwidth", value);
        assert_eq!(code, 2, "{value}");
        assert!(stderr.contains("bandwidth") && stderr.contains("Gbit/s"), "{stderr}");
    }
    for value in ["2h", "2 h", "120m", "120min", "7200s", "2hours"] {
        let (code, stdout, _) = show("18-time", "start.start", &format!("'{value}'"));
        assert_eq!(code, 0);
        assert!(stdout.contains("start = \"2 h\""), "{value}: {stdout}");
    }
    for value in ["2", "90", "'-5m'", "'-5 min'"] {
        let (code, _, stderr) = show("18-bad-time", "start.start", value);
        assert_eq!(code, 2, "{value}");
        assert!(stderr.contains("start"), "{stderr}");
    }
    for (value, code) in [("'3.06'", 2), ("3.06", 2), ("'$3.06'", 2), ("'$3.06/h'", 0), ("'3.06 USD/h'", 0)] {
        assert_eq!(show("18-price", "pricing.on_demand", value).0, code, "{value}");
    }
}

#[test]
fn case_20_a_mistyped_instance_is_an_error_with_its_nearest_name() {
    let instance = |name: &str| show("20", "cluster.0.instance", &format!("'{name}'"));
    let (code, _, stderr) = instance("p4d.24xlarg");
    assert_eq!(code, 2);
    assert!(stderr.contains("did you mean \"p4d.24xlarge\"?"), "{stderr}");
    assert!(stderr.contains("cluster.0.instance"), "the key is named: {stderr}");
    let (code, stdout, _) = instance("P3.2XLARGE");
    assert_eq!(code, 0);
    assert!(stdout.contains("p3.2xlarge"));
    let (code, stdout, stderr) = instance("m99.huge");
    assert_eq!(code, 2);
    assert!(!stderr.contains("did you mean") && stdout.is_empty(), "{stderr}");
}

/// A job of 4 h with a save after each 4 min of work on a node that is there every other 10 min.
fn ten_on_ten_off(name: &str, stall: &str, more: &str) -> (i32, Vec<Value>, String) {
    let file = root().join("tests/cases/ten-on-ten-off.json");
    let text = format!(
        r#"
schema = 1
name = "case15"
job = {{ work = {{ ideal_time = "4 h" }}, horizon = "24 h" }}
start.start = "2 min"
checkpoint = {{ every = "4 min", stall = "{stall}" }}
capacity.trace = {{ file = '{}', one_means = "available" }}
pricing = {{ rule = "flat", on_demand = "1 USD/h", spot = "1 USD/h" }}
{more}
[[cluster]]
name = "c"
instance = "g5.2xlarge"
nodes = 1
market = "spot"
[simulation]
replications = 1
"#,
        file.display()
    );
    run_text(name, &text, &[])
}

/// 72 up-times of 10 min, each too short for 2 + 4 + 12 min: nothing is ever kept, and all is paid.
#[test]
fn case_15_a_save_longer_than_the_uptime_keeps_nothing() {
    let (code, clusters, stderr) = ten_on_ten_off("15a", "12 min", "");
    assert_eq!(code, 4);
    assert!(stderr.contains("a save takes 12 min, and the gang lasts 0.17 h"), "{stderr}");
    let c = single(&clusters);
    assert_eq!((c["outcome"].as_str(), number(c, "finish_probability")), (Some("censored"), 0.0));
    assert_eq!((number(c, "preemptions_mean"), number(c, "attempts_mean")), (72.0, 72.0));
    close(number(c, "cost_usd_mean"), 12.0, 0.005, "bill");
    close(number(c, "elapsed_h"), 24.0, 1.0 / 3600.0, "time");
    let (code, clusters, _) = ten_on_ten_off("15c", "12 min", "limits.attempts_without_progress = 5");
    let c = single(&clusters);
    assert_eq!((code, number(c, "attempts_mean"), number(c, "restarts_mean")), (4, 6.0, 5.0));
    assert_eq!(c["gave_up"]["attempts_without_progress"], 1);
}

/// 2 + 4 + 3 min of 10, so 4 min are kept an up-time; the sixtieth needs no save: 59 · 20 + 6 min.
#[test]
fn case_15_a_save_that_fits_finishes() {
    let (code, clusters, _) = ten_on_ten_off("15b", "3 min", "limits.attempts_without_progress = 0");
    assert_eq!(code, 0);
    let c = single(&clusters);
    close(number(c, "makespan_h_mean"), h(19.0, 46.0), 1.0 / 3600.0, "makespan");
    assert_eq!((number(c, "preemptions_mean"), number(c, "attempts_mean")), (59.0, 60.0));
    close(number(c, "cost_usd_mean"), 9.93, 0.005, "bill");
}

/// `validate` of one node with so much work, 10 min of start, and these limits: exit code and stderr.
fn limits(name: &str, work: &str, market: &str, limits: &str) -> (i32, String) {
    let folder = folder(name);
    let text = format!(
        r#"
schema = 1
name = "case21"
job = {{ work = {{ ideal_time = "{work}" }} }}
start.start = "10 min"
[[cluster]]
name = "c"
instance = "g5.2xlarge"
nodes = 1
market = "{market}"
limits = {{ {limits} }}
"#
    );
    std::fs::write(folder.join("s.toml"), text).unwrap();
    let output = spotsim_in(&folder, &["validate", "s.toml"]);
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn case_21_limits_that_contradict_are_said_before_any_simulation() {
    let (code, said) = limits("21a", "5 h", "spot", r#"max_run = "10 h", max_wait = "8 h""#);
    assert!(code == 2 && said.contains("10 h") && said.contains("8 h"), "{said}");
    let (code, said) = limits("21b", "9 h 45 min", "spot", r#"max_run = "10 h", max_wait = "10 h""#);
    assert!(code == 0 && said.contains("max_wait leaves 5 min"), "{said}");
    let (code, said) = limits("21c", "5 h", "on-demand", r#"max_wait = "12 h""#);
    assert!(code == 2 && said.contains("not used On-Demand"), "{said}");
    let (_, said) = limits("21d", "8 h 50 min", "spot", r#"max_run = "8 h", max_wait = "24 h""#);
    assert!(
        said.contains("1.00 h more than max_run") && said.contains("no replication can finish"),
        "{said}"
    );
    let (code, said) = limits("21e", "5 h", "spot", r#"max_run = "10 h""#);
    assert!(code == 0 && said.is_empty(), "{said}");
}

/// e^{−0.5} = 60.65 % finish; a try is billed (1 − e^{−0.5})/0.05 h = 7.8694 h.
#[test]
fn case_22_no_restart_means_none() {
    let text = r#"
schema = 1
name = "case22"
job = { work = { ideal_time = "10 h" } }
limits.max_restarts = 0
capacity.lifetime = { exponential = { mean = "20 h" } }
pricing = { rule = "flat", on_demand = "3 USD/h", spot = "3 USD/h" }
[[cluster]]
name = "c"
instance = "g5.2xlarge"
nodes = 1
market = "spot"
[simulation]
replications = 10000
"#;
    let (code, clusters, _) = run_text("22", text, &[]);
    assert_eq!(code, 0);
    let c = single(&clusters);
    close(number(c, "finish_probability"), 0.6065, 0.0127, "finished");
    close(number(c, "cost_usd_mean") / 3.0, 7.8694, 0.0787, "billed hours a try");
    close(number(c, "cost_per_finished_usd"), 38.92, 0.8, "bill per finished job");
    assert_eq!(c["gave_up"]["max_restarts"].as_f64().unwrap() + number(c, "finished"), 10_000.0);
}
