//! Statistics and sensitivity indices against right answers, and `spotsim sensitivity`.

use crate::run::{folder, root, spotsim_in};
use serde_json::Value;
use spotsim::experiment::verify::{SuiteResult, verify};
use std::fs;

/// Every built-in row of a suite passes, and none is left out.
fn check(suite: &str, rows: usize) {
    let results = verify(Some(suite), None, &|_, _| None).unwrap();
    assert_eq!(results.iter().map(|result| result.rows).collect::<Vec<_>>(), [rows], "{results:?}");
    assert!(results.iter().all(|result| result.pass() && result.skipped.is_empty()), "{results:?}");
}

#[test]
fn monte_carlo_rows_are_right() {
    check("montecarlo", 80);
}

#[test]
fn sobol_rows_are_right() {
    check("sobol", 194 + 128 + 9);
}

#[test]
fn morris_rows_are_right() {
    check("morris", 68 + 84);
}

/// Each of the five kinds of file is known by its header; what cannot be compared is skipped with the reason.
#[test]
fn a_file_is_known_by_its_header() {
    let skipped = |text: &str| -> Vec<String> {
        let results: Vec<SuiteResult> = verify(None, Some(text), &|_, _| None).unwrap();
        results.into_iter().flat_map(|result| result.skipped).map(|(reason, _)| reason).collect()
    };
    let mc = "id,kind,inputs,expected\na,wilson,\"{\"\"k\"\":3,\"\"n\"\":2}\",{}\nb,odds,{},{}\n";
    assert_eq!(skipped(mc), ["kind odds: not known", "more successes than trials"]);
    let sobol = "id,model,source,base_N,scramble,sample_seed,analyze_seed,index,parameter,value,conf95\n\
                 a,ishigami,exact,,,,,S1,x4,0,\nb,borehole,exact,,,,,S1,x1,0,\n";
    assert_eq!(skipped(sobol), ["model borehole: not known", "parameter x4: not known"]);
    let morris = "id,model,trajectories,levels,seed,parameter,mu,mu_star,sigma,mu_star_conf95\n\
                  a,product2,4,6,1,x1,1,1,1,1\nb,product2,20,5,1,x1,1,1,1,1\n";
    assert_eq!(
        skipped(morris),
        [
            "5 levels: an even number from 2",
            "its few trajectories hang on another program's random numbers and are not written out"
        ]
    );
    assert_eq!(skipped("run,x1,x2,y\n0,1,2,3\n").len(), 3);
    assert_eq!(skipped("model,row,x1,y\nborehole,0,1,2\n"), ["model borehole: not known"]);
}

/// Cost is work times price, both uniform: without chance the indices are known.
const PRODUCT: &str = r#"
schema = 1
name = "product"
title = "What does the cost hang on?"
[job]
work = { ideal_time = "15 h" }
[capacity.always]
[pricing]
rule = "flat"
on_demand = "3 USD/h"
spot = "1.5 USD/h"
[[cluster]]
name = "one"
instance = "g5.xlarge"
nodes = 1
market = "spot"
[simulation]
replications = 2
[uncertain]
"job.work.ideal_time" = { uniform = { low = "10 h", high = "20 h" } }
"pricing.spot" = { uniform = { low = "1 USD/h", high = "2 USD/h" } }
"#;

/// Runs the command on a text in a folder of its own; exit code, stdout, stderr.
fn sensitivity(name: &str, text: &str, more: &[&str]) -> (i32, String, String) {
    let out = folder(&format!("sensitivity-{name}"));
    fs::write(out.join("a.toml"), text).unwrap();
    let output =
        spotsim_in(&out, &[&["sensitivity", "a.toml", "--out", "o", "--plots", "svg"], more].concat());
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn found(name: &str, more: &[&str]) -> Value {
    let more = [&["--format", "json", "--replications", "2"], more].concat();
    let (code, stdout, stderr) = sensitivity(name, PRODUCT, &more);
    assert_eq!(code, 0, "{stderr}");
    serde_json::from_str(&stdout).unwrap()
}

/// Alone each makes 18.75 of the variance (1.5² 100/12 and 15²/12), together 100/144 more: S1 = 0.4909, ST = 0.5091,
/// S2 = 0.0182. All within the bootstrap intervals, which are wider than what scrambled points err; seed fixed.
#[test]
fn the_variance_of_work_times_price_is_shared_as_it_should() {
    let found = found("sobol", &["--result", "cost_usd_mean", "--samples", "128"]);
    let indices = found["findings"][0]["indices"].as_array().unwrap();
    assert_eq!(indices.len(), 5);
    for index in indices {
        let right = match index["index"].as_str().unwrap() {
            "S1" => 18.75 / (37.5 + 100.0 / 144.0),
            "ST" => (18.75 + 100.0 / 144.0) / (37.5 + 100.0 / 144.0),
            _ => 100.0 / 144.0 / (37.5 + 100.0 / 144.0),
        };
        let (low, high) = (index["ci_low"].as_f64().unwrap(), index["ci_high"].as_f64().unwrap());
        assert!((low..=high).contains(&right), "{index}, {right}");
        assert!((index["value"].as_f64().unwrap() - right).abs() < 0.05, "{index}, {right}");
    }
}

/// From 10.5 h to 19.5 h at 1.5 USD/h, and 15 h at 1.05 to 1.95 USD/h: $15.75 to $29.25 both, about $22.50.
#[test]
fn a_tornado_is_by_the_percentiles_of_each_key() {
    let found = found("tornado", &["--method", "one-at-a-time", "--result", "cost_usd_mean"]);
    let right = [("base", 22.5), ("low", 15.75), ("high", 29.25), ("low", 15.75), ("high", 29.25)];
    let indices = found["findings"][0]["indices"].as_array().unwrap();
    assert_eq!(indices.len(), right.len());
    for (index, (name, value)) in indices.iter().zip(right) {
        assert_eq!(index["index"], name);
        assert!((index["value"].as_f64().unwrap() - value).abs() < 1e-6, "{index}, {value}");
    }
}

/// The effect of the work over its range from 10.1 h to 19.9 h lies between 9.8 h times the least and the most price.
#[test]
fn effects_are_dollars_over_the_range_of_a_key() {
    let found = found("morris", &["--method", "morris", "--result", "cost_usd_mean", "--trajectories", "10"]);
    let indices = found["findings"][0]["indices"].as_array().unwrap();
    let size = indices.iter().find(|index| index["index"] == "mu_star").unwrap()["value"].as_f64().unwrap();
    assert!((9.8..=19.6).contains(&size), "{size}");
    assert_eq!(found["points"], 30);
}

#[test]
fn the_answer_does_not_depend_on_threads_and_lies_in_the_folder() {
    let of = |threads: &str| {
        let name = format!("threads-{threads}");
        let text = fs::read_to_string(root().join("scenarios/sensitivity-g5.toml")).unwrap();
        let more = ["--samples", "8", "--replications", "20", "--threads", threads];
        let (code, stdout, stderr) = sensitivity(&name, &text, &more);
        assert_eq!(code, 0, "{stderr}");
        stdout
    };
    let (one, three) = (of("1"), of("3"));
    assert_eq!(one, three);
    assert!(one.contains("4x g5.4xlarge Spot: cost per finished run"), "{one}");
    assert!(one.contains("points.csv") && one.contains("sensitivity.csv"), "{one}");
}

#[test]
fn what_cannot_be_varied_is_refused() {
    let check = |name: &str, text: &str, more: &[&str], said: &str| {
        let (code, stdout, stderr) = sensitivity(name, text, more);
        assert_eq!((code, stdout.as_str()), (2, ""), "{stderr}");
        assert!(stderr.contains(said), "{stderr}");
    };
    let certain = PRODUCT.split("[uncertain]").next().unwrap();
    check("certain", certain, &[], "a.toml has no [uncertain]: nothing to be sensitive to");
    let misspelt = PRODUCT.replace("\"pricing.spot\"", "\"pricing.spott\"");
    check("misspelt", &misspelt, &[], "did you mean `spot`?");
    check("result", PRODUCT, &["--result", "cost_usd_man"], "did you mean `cost_usd_mean`?");
    check("cluster", PRODUCT, &["--cluster", "onee"], "did you mean `one`?");
    check("levels", PRODUCT, &["--method", "morris", "--levels", "3"], "must be an even number from 2");
    check("foreign", PRODUCT, &["--levels", "4"], "`--levels`: belongs to `--method morris`");
    check("samples", PRODUCT, &["--samples", "1"], "must be at least 2");
}

/// The normal law's first percentile is a time, but of 256 points some lie beyond it.
#[test]
fn a_law_that_reaches_too_far_for_some_point_is_told_at_once() {
    let at = folder("sensitivity-far");
    let law = "normal = { mean = \"24 s\", sd = \"10 s\"";
    let text = |more: &str, own: &str| {
        format!(
            "schema = 1\nname = \"far\"\njob = {{ work = {{ ideal_time = \"1 h\" }}, horizon = \"9 d\" }}\n\
             checkpoint = {{ every = \"5 min\", stall = \"5 s\" }}\nuncertain.\"checkpoint.stall\" = {{ {law}{more} }} }}\n\
             [[cluster]]\nname = \"c\"\ninstance = \"g5.xlarge\"\nnodes = 1\nmarket = \"on-demand\"\n{own}"
        )
    };
    let run = |text: String| {
        fs::write(at.join("a.toml"), text).unwrap();
        let options = ["--replications", "2", "--samples", "64", "--plots", "none"];
        let output = spotsim_in(&at, &[&["sensitivity", "a.toml"], &options[..]].concat());
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, said) = run(text("", ""));
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("the least value of its law here"), "{said}");
    assert!(!at.join("output").exists());
    assert_eq!(run(text(", min = \"0 s\"", "")), (Some(0), String::new()));
    let (code, said) = run(text(", min = \"0 s\"", "checkpoint = { stall = \"9 s\" }\n"));
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("`checkpoint.stall` of [uncertain] changes nothing"), "{said}");
}
