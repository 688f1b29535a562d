//! `spotsim break-even`: roots that are known, what is not sure about them, and what is refused.

use crate::run::{folder, spotsim_in};
use serde_json::Value;

/// One node whose Spot price is half the On-Demand one; `more` are further tables.
fn scenario(work: &str, more: &str, cluster: &str) -> String {
    format!(
        r#"
schema = 1
name = "even"
[job]
work = {{ ideal_time = "{work}" }}
horizon = "90 d"
[start]
start = "0 s"
[pricing]
rule = "flat"
spot = "1 USD/h"
on_demand = "2 USD/h"
{more}
[[cluster]]
name = "Spot"
instance = "g5.xlarge"
nodes = 1
market = "spot"
{cluster}
[[cluster]]
name = "On-Demand"
instance = "g5.xlarge"
nodes = 1
market = "on-demand"
"#
    )
}

const LOST: &str = "[capacity]\nlifetime = { exponential = { mean = \"2 h\" } }\nacquire = \"10 min\"\n";
const MEAN: &str = "capacity.lifetime.exponential.mean";

fn asked(text: &str, arguments: &[&str]) -> (i32, String, String) {
    let test = std::thread::current().name().unwrap().replace("::", "-");
    let folder = folder(&test);
    std::fs::write(folder.join("a.toml"), text).unwrap();
    let arguments = [&["break-even", "a.toml"], arguments, &["--out", "out"]].concat();
    let output = spotsim_in(&folder, &arguments);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn document(text: &str, arguments: &[&str]) -> Value {
    let (code, stdout, stderr) = asked(text, &[arguments, &["--format", "json", "--plots", "none"]].concat());
    assert_eq!(code, 0, "{stderr}");
    serde_json::from_str(&stdout).unwrap()
}

fn root(document: &Value) -> [f64; 3] {
    let roots = document["roots"].as_array().unwrap();
    assert_eq!(roots.len(), 1, "{roots:?}");
    ["number", "ci_low", "ci_high"].map(|name| roots[0][name].as_f64().unwrap())
}

/// Row e002 of the project's `breakeven_vectors.csv`: an hour of work without a save at half the price breaks
/// even at a mean uptime of 0.79590509463183 h, (e^x − 1)/x = 2 at x = 1.256. The set of values whose paired
/// interval holds 0 misses it in 5 % of seeds; this one is fixed.
#[test]
fn the_rate_of_loss_in_closed_form_lies_within_what_simulation_leaves_open() {
    let text = scenario("1 h", LOST, "");
    let found = document(&text, &[MEAN, "--from", "20 min", "--to", "6 h", "--replications", "4000"]);
    let right = 0.795_905_094_631_83 * 3_600.0;
    let [value, low, high] = root(&found);
    assert!(low < right && right < high, "{low} to {high}");
    assert!((value / right - 1.0).abs() < 0.1 && (high - low) / right < 0.2, "{value}, {low} to {high}");
    assert_eq!(found["roots"][0]["rises"], false);
    let verdict = found["verdict"].as_str().unwrap();
    assert!(verdict.contains("(the file has 2 h): dearer below, cheaper above."), "{verdict}");
}

/// By hand: Spot is paid for 11 h, On-Demand for 10 h at $2: equal at 20/11 USD/h.
#[test]
fn without_chance_the_root_is_exact() {
    let text = scenario("10 h", "", "[cluster.start]\nstart = \"1 h\"\n");
    let found =
        document(&text, &["pricing.spot", "--from", "1 USD/h", "--to", "3 USD/h", "--replications", "3"]);
    for number in root(&found) {
        assert!((number / (20.0 / 11.0) - 1.0).abs() < 1e-6, "{number}");
    }
}

/// By hand: each node is paid for 11 h at $1, so $20 lie between one node and two.
#[test]
fn whole_numbers_change_between_two() {
    let text = scenario("10 h", "", "[cluster.start]\nstart = \"1 h\"\n");
    let more = ["cluster.Spot.nodes", "--from", "1", "--to", "16", "--replications", "2", "--plots", "none"];
    let (code, stdout, stderr) = asked(&text, &more);
    assert_eq!(code, 0, "{stderr}");
    let words = stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let said =
        "between the values 1 and 2 of cluster.Spot.nodes (the file has 1): cheaper below, dearer above.";
    assert!(words.contains(said), "{stdout}");
}

/// Nothing is lost: ten hours are done by a deadline from 10 h on, by none below.
#[test]
fn a_goal_is_a_figure_and_its_number() {
    let text = scenario("10 h", "", "").replace("horizon", "deadline = \"12 h\"\nhorizon");
    let goal = ["job.deadline", "--from", "8 h", "--to", "20 h", "--goal", "deadline_probability=0.95"];
    let found = document(&text, &[&goal[..], &["--replications", "200"]].concat());
    assert!((root(&found)[0] / 36_000.0 - 1.0).abs() < 1e-6, "{found}");
    assert!(
        found["verdict"]
            .as_str()
            .unwrap()
            .starts_with("deadline_probability of Spot is 0.95 at job.deadline = ")
    );
}

#[test]
fn no_root_is_an_answer_too() {
    let text = scenario("1 h", LOST, "");
    let (code, stdout, _) =
        asked(&text, &[MEAN, "--from", "10 h", "--to", "40 h", "--replications", "500", "--plots", "none"]);
    assert_eq!(code, 0);
    let words = stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains(
            "at no value of capacity.lifetime.exponential.mean from 10 h to 40 h: it is cheaper by"
        ),
        "{stdout}"
    );
}

#[test]
fn the_answer_does_not_depend_on_the_number_of_threads() {
    let text = scenario("1 h", LOST, "");
    let of = |threads| {
        document(
            &text,
            &[MEAN, "--from", "20 min", "--to", "6 h", "--replications", "600", "--threads", threads],
        )
    };
    assert_eq!(of("1"), of("3"));
}

#[test]
fn what_cannot_be_asked_is_refused_with_its_reason() {
    let text = scenario("1 h", LOST, "");
    let ends = ["--from", "1 h", "--to", "2 h"];
    for (arguments, said) in [
        (vec!["capacity.lifetime.exponential.maen", "--from", "1 h", "--to", "2 h"], "did you mean `mean`?"),
        (vec![MEAN, "--from", "1 USD/h", "--to", "2 USD/h"], "1 USD/h"),
        (vec![MEAN, "--from", "1 h", "--to", "2 USD/h"], "`1 h` and `2 USD/h` are of different units"),
        (vec![MEAN, "--from", "1 h", "--to", "60 min"], "`1 h` must be below `60 min`"),
        (vec![MEAN, "--from", "soon", "--to", "2 h"], "`soon` is not a number"),
        ([&[MEAN], &ends[..], &["--cluster", "spot"]].concat(), "did you mean `Spot`?"),
        ([&[MEAN], &ends[..], &["--against", "Spot"]].concat(), "nothing to compare \"Spot\" with"),
        (
            [&[MEAN], &ends[..], &["--goal", "deadline_probabilty=0.9"]].concat(),
            "did you mean `deadline_probability`?",
        ),
        ([&[MEAN], &ends[..], &["--goal", "ettr=high"]].concat(), "`high` is not a number"),
        ([&[MEAN], &ends[..], &["--goal", "ettr"]].concat(), "write FIGURE=NUMBER"),
    ] {
        let (code, _, stderr) = asked(&text, &arguments);
        assert_eq!(code, 2, "{arguments:?}: {stderr}");
        assert!(stderr.contains(said), "{arguments:?}: {stderr}");
    }
}

/// On-Demand ends without a deadline too: it is the figure that is not there.
#[test]
fn a_figure_that_the_scenario_lacks_is_not_taken_for_runs_that_do_not_finish() {
    let asked_for = ["pricing.spot", "--from", "1e-1 USD/h", "--to", "3 USD/h"];
    assert_eq!(asked(&scenario("1 h", "", ""), &asked_for).0, 2, "a number with an exponent has no unit");
    let goal =
        ["pricing.spot", "--from", "0.1 USD/h", "--to", "3 USD/h", "--goal", "deadline_probability=0.9"];
    let (code, stdout, _) = asked(&scenario("1 h", "", ""), &[&goal[..], &["--replications", "10"]].concat());
    assert_eq!(code, 0);
    assert!(stdout.contains("deadline_probability of Spot does not exist"), "{stdout}");
}
