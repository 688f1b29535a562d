//! Notices and jobs that users have, with answers derived by hand (the project's cases, 2026-12-01; the number
//! of each in the test's name).

use crate::run::{root, spotsim_in};
use serde_json::Value;

/// Exit code, stdout and stderr of `spotsim trace …` on a file of the cases.
fn trace(arguments: &[&str]) -> (i32, String, String) {
    let output = spotsim_in(root(), &[&["trace"], arguments].concat());
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

fn stats(arguments: &[&str]) -> (Value, String) {
    let (code, stdout, stderr) = trace(&[&["stats", "--format", "json"], arguments].concat());
    assert_eq!(code, 0, "{stderr}");
    (serde_json::from_str(&stdout).unwrap(), stderr)
}

fn close(value: &Value, right: f64, within: f64) {
    let ours = value.as_f64().unwrap_or_else(|| panic!("{value} is no number"));
    assert!((ours - right).abs() <= within, "{ours}, right is {right}");
}

#[test]
fn case_08_lead_times_of_mixed_times() {
    let (found, stderr) = stats(&["tests/cases/08-notices.csv"]);
    let rows = found["rows"].as_array().unwrap();
    let right = [("n2", 120), ("n1", 120), ("n3", 120), ("n4", 30), ("n7", 120)];
    assert_eq!(rows.len(), right.len());
    for (row, (node, lead_s)) in rows.iter().zip(right) {
        assert_eq!((row["node"].as_str().unwrap(), row["lead_s"].as_i64().unwrap()), (node, lead_s));
    }
    assert_eq!(rows[0]["notice"], "2026-03-29T00:58:10Z");
    assert_eq!(
        (&found["lead_s_min"], &found["lead_s_p50"], &found["lead_s_mean"]),
        (&30.into(), &120.into(), &102.into())
    );
    assert!(stderr.contains("line 6: left out") && stderr.contains("has no zone"), "{stderr}");
    assert!(stderr.contains("line 7: left out: the node ended 15 s before its notice came"), "{stderr}");
}

#[test]
fn case_08_a_zone_may_be_given() {
    let (found, stderr) = stats(&["tests/cases/08-notices.csv", "--utc-offset", "+02:00"]);
    assert_eq!(found["notices"], 6);
    assert!(stderr.contains("line 6: ") && stderr.contains("warning"), "{stderr}");
    let (code, _, stderr) = trace(&["stats", "tests/cases/08-notices.csv", "--utc-offset", "CET"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("`--utc-offset CET`: is no offset from UTC"), "{stderr}");
}

#[test]
fn case_11_a_finished_job_is_told_as_the_service_bills_it() {
    for more in [&[][..], &["--on-demand", "7.09 USD/h"]] {
        let (found, _) = stats(&[&["tests/cases/11-describe-training-job.json"], more].concat());
        let job = &found["jobs"][0];
        close(&job["savings"], 0.65, 1e-4);
        close(&job["cost_usd"], 25.39, 0.005);
        close(&job["on_demand_usd"], 72.55, 0.005);
        close(&job["wall_s"], 21_651.0, 0.0);
        close(&job["waited_s"], 2_472.0, 0.0);
        assert_eq!((&job["preemptions"], &job["waits"], &job["attempts"]), (&2.into(), &2.into(), &3.into()));
        for (phase, seconds) in [
            ("training", 17_982),
            ("downloading", 385),
            ("starting", 759),
            ("interrupted", 2_472),
            ("uploading", 53),
        ] {
            assert_eq!(job["time_s"][phase], seconds, "{phase}");
        }
        let uptimes: Vec<_> =
            job["uptimes"].as_array().unwrap().iter().map(|u| (&u["uptime_s"], &u["ended"])).collect();
        let right: [(Value, Value); 3] = [
            (5400.into(), "interrupted".into()),
            (4212.into(), "interrupted".into()),
            (8370.into(), "released".into()),
        ];
        assert_eq!(uptimes, right.each_ref().map(|(uptime, ended)| (uptime, ended)));
    }
}

#[test]
fn case_11_a_job_that_never_ran_waited_and_costs_nothing() {
    let (found, stderr) = stats(&["tests/cases/11-describe-never-started.json"]);
    let job = &found["jobs"][0];
    assert_eq!(job["outcome"], "waited_too_long");
    close(&job["waited_s"], 72_000.0, 0.0);
    close(&job["cost_usd"], 0.0, 0.0);
    assert_eq!((&job["cost_basis"], &job["savings"]), (&"no instance ever ran".into(), &Value::Null));
    assert_eq!(stderr, "");
    let (_, table, _) = trace(&["stats", "tests/cases/11-describe-never-started.json"]);
    for text in ["waited too long, never ran", "72,000", "$0.00, as no instance ever ran"] {
        assert!(table.contains(text), "{table}");
    }
    assert!(!table.contains("NaN") && !table.contains("inf"), "{table}");
}

#[test]
fn case_13_requeued_jobs_are_counted_attempt_by_attempt() {
    let (found, stderr) = stats(&["tests/cases/13-sacct.txt"]);
    let jobs = found["jobs"].as_array().unwrap();
    let names: Vec<&str> = jobs.iter().map(|job| job["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["48211", "48212", "48214"]);
    for (job, attempts, preemptions, failures, node_h, early_node_h, outcome) in [
        (&jobs[0], 3, 1, 1, 111.3667, 11.0222, "completed"),
        (&jobs[1], 1, 0, 0, 6.0, 0.0, "completed"),
        (&jobs[2], 1, 0, 0, 0.6667, 0.6667, "cancelled"),
    ] {
        assert_eq!((&job["attempts"], &job["preemptions"]), (&attempts.into(), &preemptions.into()));
        assert_eq!((&job["node_failures"], &job["outcome"]), (&failures.into(), &outcome.into()));
        close(&job["node_h"], node_h, 0.000_05);
        close(&job["early_node_h"], early_node_h, 0.000_05);
    }
    assert_eq!((&jobs[0]["waits"], &jobs[0]["waited_s"]), (&3.into(), &2_680.into()));
    close(&jobs[0]["wall_s"], 28.5861 * 3_600.0, 0.2);
    assert!(stderr.contains("read as UTC") && stderr.contains("job 48213 has not started"), "{stderr}");
}

/// In New York it was five hours earlier than the clock of UTC.
#[test]
fn case_13_local_times_take_the_zone_that_is_given() {
    let (found, stderr) = stats(&["tests/cases/13-sacct.txt", "--utc-offset", "-05:00"]);
    assert_eq!(found["jobs"][0]["submitted"], "2026-02-10T13:00:00Z");
    close(&found["jobs"][0]["node_h"], 111.3667, 0.000_05);
    assert!(!stderr.contains("UTC"), "{stderr}");
}

#[test]
fn what_was_imported_is_described_alike() {
    let folder = crate::run::folder("jobs-import");
    for file in ["08-notices.csv", "13-sacct.txt", "11-describe-training-job.json"] {
        let file = format!("tests/cases/{file}");
        let (code, own, _) = trace(&["import", &file]);
        assert_eq!(code, 0);
        assert!(own.starts_with("# kind: "), "{own}");
        let path = folder.join("own.csv");
        std::fs::write(&path, own).unwrap();
        let (again, stderr) = stats(&[path.to_str().unwrap()]);
        assert_eq!(again, stats(&[&file]).0);
        assert_eq!(stderr, "");
    }
}
