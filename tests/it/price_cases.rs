//! Price files that users have, with answers derived by hand (the project's cases, 2026-12-01; the number of
//! each in the test's name).

use crate::run::{folder, number, root, spotsim_in};
use serde_json::Value;

/// What a run said.
struct Said {
    code: i32,
    clusters: Vec<Value>,
    stdout: String,
    stderr: String,
}

/// Runs one node for `hours` from `submit` on, in `zone`, billed by price × time from `file` of tests/cases.
fn bill(
    name: &str,
    file: &str,
    (instance, zone): (&str, &str),
    hours: &str,
    submit: &str,
    more: &str,
) -> Said {
    let file = root().join("tests/cases").join(file);
    let text = format!(
        r#"
schema = 1
name = "case"
job = {{ work = {{ ideal_time = "{hours}" }}, submit = {submit} }}
pricing = {{ rule = "flat", history = '{file}'{more} }}
[[cluster]]
name = "c"
instance = "{instance}"
nodes = 1
market = "spot"
zones = ["{zone}"]
[simulation]
replications = 1
"#,
        file = file.display()
    );
    let folder = folder(name);
    std::fs::write(folder.join("s.toml"), text).unwrap();
    let run = |format: &str| {
        let arguments = ["run", "s.toml", "--format", format, "--plots", "none", "--out", "out"];
        spotsim_in(&folder, &arguments)
    };
    let (json, table) = (run("json"), run("table"));
    let answer: Value = serde_json::from_slice(&json.stdout).unwrap_or(Value::Null);
    Said {
        code: json.status.code().unwrap(),
        clusters: answer["clusters"].as_array().cloned().unwrap_or_default(),
        // Where lines break is not what is asked.
        stdout: words(&String::from_utf8(table.stdout).unwrap()),
        stderr: words(&String::from_utf8(json.stderr).unwrap()),
    }
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn says(said: &str, words: &[&str]) {
    for word in words {
        assert!(said.contains(word), "{word}: {said}");
    }
}

fn close(ours: f64, right: f64, within: f64) {
    assert!((ours - right).abs() <= within, "{ours}, right is {right}");
}

const CASE_1: &str = "01-spot-price-history.json";

fn case_1(name: &str, zone: &str, more: &str) -> Said {
    bill(name, CASE_1, ("g5.12xlarge", zone), "270 min", "2026-03-02T01:00:00Z", more)
}

/// a: 1.5 h each at 2.1043, 2.3210 and 2.0100; b: 2 h at 1.9875, 2.5 h at 3.51; On-Demand 4.5 h at 5.672.
#[test]
fn case_01_a_history_that_lists_newest_first_is_billed_in_order() {
    for (name, zone, usd, saving) in
        [("p01a", "us-east-1a", 9.65295, 62.18), ("p01b", "us-east-1b", 12.75, 50.05)]
    {
        let said = case_1(name, zone, "");
        assert_eq!(said.code, 0, "{}", said.stderr);
        let c = &said.clusters[0];
        close(number(c, "cost_usd_mean"), usd, 1e-9);
        close(number(c, "savings_vs_on_demand") * 100.0, saving, 0.005);
        assert_eq!(said.stderr, "");
    }
}

#[test]
fn case_01_a_beginning_without_a_price_stops_the_run() {
    let said = case_1("p01c", "us-east-1c", "");
    assert_eq!((said.code, said.clusters.len()), (2, 0));
    says(&said.stderr, &["2026-03-02T03:15:00Z", "the first 2 h 15 min", "before_first = \"hold\""]);
}

/// 2.25 h at 1.702 that nobody recorded, and 2.25 h that somebody did.
#[test]
fn case_01_or_is_billed_at_the_first_price_and_said() {
    let said = case_1("p01d", "us-east-1c", ", before_first = \"hold\"");
    assert_eq!(said.code, 0);
    close(number(&said.clusters[0], "cost_usd_mean"), 4.5 * 1.702, 1e-9);
    says(&said.stderr, &["the first 2 h 15 min, 50.00 % of the ideal run of 4 h 30 min", "1.702 USD/h"]);
}

const CASE_2: (&str, &str) = ("p3.2xlarge", "eu-west-1b");

/// 8 h x 0.805 + 6 h x 0.870 + 6 h x 0.998 + 4 h x 0.912.
#[test]
fn case_02_repeated_records_change_nothing_and_are_counted() {
    let said = bill("p02a", "02-overlapping-pages.json", CASE_2, "24 h", "2026-05-10T00:00:00Z", "");
    assert_eq!(said.code, 0, "{}", said.stderr);
    close(number(&said.clusters[0], "cost_usd_mean"), 21.296, 1e-9);
    says(&said.stdout, &["7 records read, 4 kept, 3 repeats dropped"]);
}

#[test]
fn case_02_two_prices_at_one_instant_stop_the_run() {
    let said = bill("p02b", "02-conflict.json", CASE_2, "24 h", "2026-05-10T00:00:00Z", "");
    assert_eq!((said.code, said.clusters.len()), (2, 0));
    says(&said.stderr, &["2026-05-10T14:00:00Z", "0.998 USD/h", "1.154 USD/h"]);
}

fn case_3(name: &str, submit: &str, hours: &str, more: &str) -> Said {
    bill(name, "03-history.json", ("g6.48xlarge", "us-west-2a"), hours, submit, more)
}

#[test]
fn case_03_a_week_without_records_is_a_week_without_change() {
    let said = case_3("p03a", "2026-01-06T00:00:00Z", "48 h", "");
    close(number(&said.clusters[0], "cost_usd_mean"), 148.80, 1e-9);
    assert_eq!((said.code, said.stderr.as_str()), (0, ""));
}

/// Of 48 h the first 24 have no price; the others are 24 h x 2.90 = 69.60.
#[test]
fn case_03_a_day_before_the_first_record_is_not_free() {
    let said = case_3("p03b", "2026-01-02T12:00:00Z", "48 h", "");
    assert_eq!(said.code, 2);
    says(&said.stderr, &["before 2026-01-03T12:00:00Z", "the first 1 d"]);
    let said = case_3("p03b2", "2026-01-02T12:00:00Z", "48 h", ", before_first = \"hold\"");
    close(number(&said.clusters[0], "cost_usd_mean"), 2.0 * 69.60, 1e-9);
    says(&said.stderr, &["the first 1 d, 50.00 % of the ideal run of 2 d", "2.9 USD/h"]);
}

#[test]
fn case_03_an_old_record_is_used_with_its_age() {
    let said = case_3("p03c", "2026-03-20T00:00:00Z", "24 h", "");
    assert_eq!(said.code, 0);
    close(number(&said.clusters[0], "cost_usd_mean"), 74.40, 1e-9);
    says(&said.stderr, &["66 d 15 h old"]);
}

fn case_10(name: &str, more: &str) -> Said {
    bill(name, "10-prices.csv", ("g5.xlarge", "us-east-1a"), "11 h", "2026-06-01T00:00:00Z", more)
}

#[test]
fn case_10_prices_that_are_none_are_listed_with_their_lines() {
    let said = case_10("p10a", "");
    assert_eq!((said.code, said.clusters.len()), (2, 0));
    says(
        &said.stderr,
        &[
            "line 3: the price is NaN",
            "line 4: the price is empty",
            "line 5: the price is 0",
            "line 6: the price -0.41 is negative",
            "line 7: the price `N/A` is no number",
            "line 8: the price is inf",
            "line 9: the price `0,4107` has a decimal comma",
            "skip_bad = true",
        ],
    );
    assert!(!said.stderr.contains("line 10:"), "a dollar sign is taken: {}", said.stderr);
}

/// 8 h x 0.4021 + 1 h x 0.4107 + 1 h x 0.01 + 1 h x 0.4107; 0.01 is 1 % of On-Demand.
#[test]
fn case_10_and_are_left_out_only_if_asked() {
    let said = case_10("p10b", ", skip_bad = true");
    assert_eq!(said.code, 0, "{}", said.stderr);
    close(number(&said.clusters[0], "cost_usd_mean"), 4.0482, 1e-9);
    says(&said.stderr, &["line 3: left out", "line 9: left out", "the price before it goes on"]);
    says(&said.stderr, &["0.01 USD/h at 2026-06-01T09:00:00Z, 1.0 %"]);
}

fn case_20(name: &str, instance: &str) -> Said {
    bill(name, "20-prices.json", (instance, "us-east-1a"), "1 h", "2026-07-02T00:00:00Z", "")
}

#[test]
fn case_20_a_type_without_a_price_is_an_error_and_no_other_price_is_used() {
    let said = case_20("p20a", "g5.12xlarge");
    assert_eq!((said.code, said.clusters.len()), (2, 0));
    says(&said.stderr, &["no price of g5.12xlarge in us-east-1a", "g5.24xlarge", "s.toml:5"]);
}

#[test]
fn case_20_a_mistyped_name_has_no_price_either() {
    let said = case_20("p20b", "p4d.24xlarg");
    assert_eq!(said.code, 2);
    says(&said.stderr, &["did you mean \"p4d.24xlarge\"?"]);
    let said = case_20("p20c", "m99.huge");
    assert_eq!((said.code, said.clusters.len()), (2, 0));
    assert!(!said.stderr.contains("did you mean") && !said.stderr.contains("nearest"), "{}", said.stderr);
}

#[test]
fn case_20_letters_may_be_large() {
    let said = case_20("p20d", "P3.2XLARGE");
    assert_eq!(said.code, 0, "{}", said.stderr);
    close(number(&said.clusters[0], "cost_usd_mean"), 0.95, 1e-9);
}
