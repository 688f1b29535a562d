//! Capacity kinds as users meet them, and what `trace synth` draws of them.

use crate::run::{folder, number, run_text, spotsim_in};
use spotsim::records::{Content, own};
use std::collections::BTreeMap;
use std::fs;

/// A scenario with this `[capacity]` and a one-node Spot cluster in each zone.
fn text(capacity: &str, zones: &[&str], nodes: u32) -> String {
    let clusters = zones.iter().map(|zone| {
        format!(
            "[[cluster]]\nname = \"{zone}\"\ninstance = \"g5.xlarge\"\nnodes = {nodes}\nmarket = \"spot\"\nzones = [\"{zone}\"]\n"
        )
    });
    format!(
        "schema = 1\nname = \"kinds\"\njob = {{ work = {{ ideal_time = \"10 h\" }}, horizon = \"1000 d\" }}\n\
         checkpoint = {{ every = \"20 min\", stall = \"10 s\" }}\ncapacity = {capacity}\n{}",
        clusters.collect::<String>()
    )
}

const TRACE: &str = "trace.json";
/// Half hours: two and a half up, one down, four up, half a one down.
const SERIES: &str =
    r#"{"metadata": {"gap_seconds": 1800}, "data": [1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0]}"#;
const CHAIN: &str = r#"{ markov = { begin = "few", state = [
    { name = "few", nodes = 1, to = { many = "30 min", none = "2 h" } },
    { name = "many", nodes = "any", to = { few = "1 h" } },
    { name = "none", nodes = 0, to = { few = "10 min" } }] } }"#;

fn kinds() -> Vec<(&'static str, String)> {
    let bootstrap = format!(
        r#"{{ bootstrap = {{ file = "{TRACE}", one_means = "available", block = "3 h", block_lengths = "fixed" }} }}"#
    );
    let diurnal = format!(
        r#"{{ diurnal = {{ uptime = "3 h", gap = "1 h", loss_by_hour = {:?}, return_by_weekday = [1, 1, 1, 1, 1, 2, 2] }} }}"#,
        (0..24).map(|hour| 0.5 + f64::from(hour) / 24.0).collect::<Vec<_>>()
    );
    vec![
        ("short", r#"{ markov = { uptime = "3 h", gap = "1 h", correlation = 0.4 } }"#.to_owned()),
        ("chain", CHAIN.to_owned()),
        ("diurnal", diurnal),
        ("bootstrap", bootstrap),
        ("score", "{ placement_score = { score = 7 } }".to_owned()),
        ("advisor", r#"{ advisor = { interruption = "10-15%" }, acquire = "5 min" }"#.to_owned()),
    ]
}

/// Each kind runs to the end, and what `show` prints of it is the same scenario.
#[test]
fn every_kind_runs_and_is_shown_as_it_is() {
    for (name, capacity) in kinds() {
        let folder = folder(&format!("kind-{name}"));
        fs::write(folder.join(TRACE), SERIES).unwrap();
        fs::write(folder.join("a.toml"), text(&capacity, &["us-east-1a"], 1)).unwrap();
        let shown = spotsim_in(&folder, &["show", "a.toml"]);
        assert!(shown.status.success(), "{name}: {}", String::from_utf8_lossy(&shown.stderr));
        fs::write(folder.join("b.toml"), &shown.stdout).unwrap();
        let summary = |file: &str, out: &str| {
            let run = ["run", file, "--replications", "200", "--plots", "none", "--out", out];
            let output = spotsim_in(&folder, &run);
            assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
            fs::read_to_string(folder.join(out).join("summary.json")).unwrap()
        };
        assert_eq!(summary("a.toml", "a"), summary("b.toml", "b"), "{name}");
    }
}

/// What theory says of exponential uptimes and a mean gap holds where zones share their fate too: the mean
/// makespan of 20,000 replications within 4.5 standard errors, a false alarm in about 150,000, seed fixed.
#[test]
fn theory_reaches_an_on_off_path_that_begins_up() {
    for (name, correlation) in [("own", "0.0"), ("shared", "{ region = 0.5, global = 0.2 }")] {
        let capacity = format!(
            r#"{{ markov = {{ uptime = "2 h", gap = "1 h", correlation = {correlation}, begin = "up" }} }}"#
        );
        let text = text(&capacity, &["us-east-1a"], 1);
        let (code, clusters, stderr) =
            run_text(&format!("on-off-{name}"), &text, &["--replications", "20000"]);
        assert_eq!(code, 0, "{stderr}");
        let (ours, right) =
            (number(&clusters[0], "makespan_h_mean"), number(&clusters[0], "theory_makespan_h"));
        let error = number(&clusters[0], "makespan_h_sd") / 20_000_f64.sqrt();
        assert!((ours - right).abs() < 4.5 * error, "{name}: {ours}, theory {right}, standard error {error}");
    }
}

#[test]
fn wrong_kinds_are_told_what_would_be_right() {
    for (name, capacity, words) in [
        (
            "order",
            r#"{ markov = { uptime = "1 h", gap = "1 h", correlation = { region = 0.1, global = 0.3 } } }"#,
            "is above `region = 0.1`",
        ),
        ("gap", r#"{ markov = { uptime = "1 h", gap = "0 s" } }"#, "above 0"),
        ("hours", r#"{ diurnal = { uptime = "1 h", gap = "1 h", loss_by_hour = [1, 2] } }"#, "write 24"),
        (
            "never",
            r#"{ diurnal = { uptime = "1 h", gap = "1 h", return_by_weekday = [0, 0, 0, 0, 0, 0, 0] } }"#,
            "leave no hour",
        ),
        (
            "state",
            r#"{ markov = { state = [{ name = "up", nodes = 1, to = { dwn = "1 h" } }, { name = "down", nodes = 0, to = { up = "1 h" } }] } }"#,
            "did you mean \"down\"?",
        ),
        (
            "way",
            r#"{ markov = { state = [{ name = "up", nodes = 1, to = { down = "1 h" } }, { name = "down", nodes = 0 }] } }"#,
            "no way",
        ),
        ("empty", r#"{ markov = { state = [] } }"#, "write 1 to 256"),
        ("both", r#"{ advisor = {}, lifetime = "3 h" }"#, "drop one of them"),
        ("score", "{ placement_score = { score = 11 } }", "from 1 to 10"),
        ("two", r#"{ advisor = {}, always = {} }"#, "advisor"),
    ] {
        let (code, _, stderr) = run_text(&format!("wrong-{name}"), &text(capacity, &["a"], 1), &[]);
        assert!(code == 2 && stderr.contains(words), "{name}: {stderr}");
    }
}

/// Both presets say in `assumed` that they are rough.
#[test]
fn presets_say_that_they_are_rough() {
    let folder = folder("rough");
    for (capacity, words) in [
        ("{ advisor = {} }", "Spot Advisor class"),
        ("{ placement_score = { score = 3 } }", "placement score 3"),
    ] {
        fs::write(folder.join("a.toml"), text(capacity, &["us-east-1a"], 1)).unwrap();
        let output =
            spotsim_in(&folder, &["run", "a.toml", "--replications", "20", "--plots", "none", "--out", "o"]);
        let answer = String::from_utf8(output.stdout).unwrap();
        assert!(answer.contains("rough: ") && answer.contains(words), "{answer}");
    }
}

/// What `trace synth` writes.
fn synth(name: &str, text: &str, length: &str) -> String {
    let folder = folder(&format!("synth-{name}"));
    fs::write(folder.join("a.toml"), text).unwrap();
    let output = spotsim_in(&folder, &["trace", "synth", "a.toml", "--length", length]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Zones drawn for 20 years, looked at each 10 min: standard errors of correlations are about 0.006 (see
/// `on_off_tests.rs`), so 0.03 is beyond 4.5 of them, and half of 1 % for availability. Seed fixed.
#[test]
fn zones_that_are_drawn_fail_together_as_asked() {
    let zones = ["us-east-1a", "us-east-1b", "eu-west-1a"];
    let capacity =
        r#"{ markov = { uptime = "5 h", gap = "2 h", correlation = { region = 0.43, global = 0.14 } } }"#;
    let drawn = own::read(&synth("zones", &text(capacity, &zones, 1), "7305 d")).unwrap();
    let Content::Capacity(series) = drawn.content else { panic!("no capacity") };
    assert_eq!(series.iter().map(|one| one.label.zone.as_str()).collect::<Vec<_>>(), zones);
    let samples: Vec<Vec<f64>> = series
        .iter()
        .map(|one| {
            let (mut samples, mut at) = (Vec::new(), 0_u64);
            for stretch in &one.stretches {
                at += stretch.span.ns();
                let level = f64::from(stretch.nodes.unwrap());
                samples.resize(at.div_ceil(600_000_000_000) as usize, level);
            }
            samples
        })
        .collect();
    let n = samples.iter().map(Vec::len).min().unwrap();
    let mean = |of: &dyn Fn(usize) -> f64| (0..n).map(of).sum::<f64>() / n as f64;
    let share = |zone: usize| mean(&|k| samples[zone][k]);
    for zone in 0..3 {
        assert!((share(zone) - 5.0 / 7.0).abs() < 0.01, "{}", share(zone));
    }
    for (a, b, right) in [(0, 1, 0.43), (0, 2, 0.14), (1, 2, 0.14)] {
        let (p, q) = (share(a), share(b));
        let both = mean(&|k| (samples[a][k] - p) * (samples[b][k] - q));
        let found = both / (p * (1.0 - p) * q * (1.0 - q)).sqrt();
        assert!((found - right).abs() < 0.03, "{a} and {b}: {found}");
    }
}

/// Shocks of a region once a day that take each of ten nodes with chance 0.4, for 20,000 days: nodes of a zone
/// lost at once are binomial(10, 0.4), by the chi-square test with ten degrees of freedom below 29.59, a false
/// alarm in 1,000. Shocks that take a given node of one zone and one of the other zone are 0.16 of all, which
/// makes the losses of two nodes correlated by 0.4: within 4.5 standard errors. Seed fixed.
#[test]
fn shocks_take_as_many_nodes_at_once_as_asked() {
    let zones = ["us-east-1a", "us-east-1b"];
    let capacity = r#"{ shock = [{ mean = "1 d", hit = 0.4, scope = "region" }] }"#;
    let csv = synth("shocks", &text(capacity, &zones, 10), "20000 d");
    let rows = csv.lines().filter(|line| line.ends_with(",lost"));
    let mut lost: BTreeMap<(i64, String), [bool; 10]> = BTreeMap::new();
    for row in rows {
        let cells: Vec<&str> = row.split(',').collect();
        let from: spotsim::units::Timestamp = cells[2].parse().unwrap();
        let ns = (cells[3].parse::<spotsim::units::Decimal>().unwrap()).times(1_000_000_000).unwrap();
        let slot: usize = cells[0].split(['/', '.']).nth(1).unwrap().parse().unwrap();
        let at = from.unix_ns() + i64::try_from(ns).unwrap();
        lost.entry((at, cells[1].to_owned())).or_default()[slot] = true;
    }
    let mut counts = [0.0_f64; 11];
    for ((_, zone), slots) in &lost {
        if zone == "us-east-1a" {
            counts[slots.iter().filter(|hit| **hit).count()] += 1.0;
        }
    }
    let seen: f64 = counts.iter().sum();
    let mut choose = 1.0;
    let mut chi_square = 0.0;
    for (k, count) in counts.iter().enumerate().skip(1) {
        choose *= (11 - k) as f64 / k as f64;
        // Shocks that took none are not seen.
        let chance = choose * 0.4_f64.powi(k as i32) * 0.6_f64.powi(10 - k as i32) / (1.0 - 0.6_f64.powi(10));
        chi_square += (count - seen * chance).powi(2) / (seen * chance);
    }
    assert!(chi_square < 29.59, "{chi_square}: {counts:?}");
    let shocks = lost.keys().map(|(at, _)| at).collect::<std::collections::BTreeSet<_>>();
    let hit =
        |at: i64, zone: &str, slot: usize| lost.get(&(at, zone.to_owned())).is_some_and(|slots| slots[slot]);
    let both = |slot: usize, other: usize| {
        shocks.iter().filter(|at| hit(***at, zones[0], slot) && hit(***at, zones[1], other)).count() as f64
    };
    // All but 0.6^20 of the shocks are seen.
    let share = both(0, 3) / shocks.len() as f64;
    assert!((share - 0.16).abs() < 4.5 * 0.367 / 20_000_f64.sqrt(), "{share}");
    assert!((shocks.len() as f64 - 20_000.0).abs() < 4.5 * 20_000_f64.sqrt(), "{}", shocks.len());
}

/// Lifetimes of 5 h, asked for again after 5 min: a node is held 60 parts of 61 of the time, within 1 %: far
/// beyond 4.5 standard errors of 14,000 stays. What is held at the end is cut off.
#[test]
fn stays_are_drawn_where_nodes_have_lifetimes() {
    let capacity =
        r#"{ lifetime = { exponential = { mean = "5 h" } }, acquire = "5 min", acquire_first = "0 s" }"#;
    let csv = synth("stays", &text(capacity, &["any"], 2), "1461 d");
    let cells = |line: &str, at: usize| line.split(',').nth(at).unwrap().to_owned();
    let stays: Vec<&str> = csv.lines().filter(|line| line.starts_with("any/")).collect();
    let held_s: f64 = stays.iter().map(|stay| cells(stay, 3).parse::<f64>().unwrap()).sum();
    let share = held_s / (2.0 * 1_461.0 * 86_400.0);
    assert!((share - 60.0 / 61.0).abs() < 0.002 && stays.len() > 13_000, "{share}, {}", stays.len());
    let cut_off = stays.iter().filter(|stay| stay.ends_with(",cut_off")).count();
    assert!(cut_off <= 2 && stays[0].starts_with("any/0.1,any,2024-01-01T00:00:00Z,"), "{}", stays[0]);
}

#[test]
fn a_trace_that_cannot_be_drawn_is_told_why() {
    let folder = folder("synth-wrong");
    fs::write(folder.join("a.toml"), text("{ always = {} }", &["a"], 1).replace("\"spot\"", "\"on-demand\""))
        .unwrap();
    for (arguments, words) in [
        (vec!["--length", "1 d"], "no Spot cluster"),
        (vec!["--length", "0 d"], "above 0"),
        (vec!["--length", "14"], "needs a unit"),
    ] {
        let output = spotsim_in(&folder, &[&["trace", "synth", "a.toml"], arguments.as_slice()].concat());
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && stderr.contains(words), "{arguments:?}: {stderr}");
    }
}
