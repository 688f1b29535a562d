//! Prices that change, against bills by hand.

use crate::run::{number, run_text};

fn text(pricing: &str, capacity: &str) -> String {
    format!(
        r#"
schema = 1
name = "prices"
job.work = {{ ideal_time = "3 h" }}
checkpoint = {{ every = "1 s", stall = "0 s" }}
[pricing]
on_demand = "4 USD/h"
{pricing}
history = [{{ at = "0 s", spot = "1 USD/h" }}, {{ at = "90 min", spot = "2 USD/h" }}]
[capacity]
{capacity}
[[cluster]]
name = "c"
instance = "g5.xlarge"
nodes = 2
market = "spot"
[simulation]
replications = 1
"#
    )
}

fn cost(name: &str, pricing: &str, capacity: &str) -> f64 {
    let (code, clusters, stderr) = run_text(name, &text(pricing, capacity), &[]);
    assert_eq!(code, 0, "{stderr}");
    number(&clusters[0], "cost_usd_mean")
}

/// Two nodes: 1.5 h at 1 USD/h and 1.5 h at 2, or whole hours at the price of their start: 1 + 1 + 2.
#[test]
fn a_stay_pays_the_price_in_effect_or_that_of_its_hour() {
    assert!((cost("in-effect", "rule = \"flat\"", "") - 2.0 * 4.5).abs() < 1e-9);
    let hours = "rule = \"flat\"\ntaken = \"hour-start\"";
    assert!((cost("hour-start", hours, "") - 2.0 * 4.0).abs() < 1e-9);
}

/// Lost at 2 h for half an hour: hours run from the start of each stay. 1 + 1, then from 2.5 h on 2.
#[test]
fn the_hours_of_a_stay_count_from_its_own_start() {
    let capacity = "events = [{ at = \"2 h\", nodes = 0 }, { at = \"150 min\", nodes = 2 }]";
    let hours = "rule = \"flat\"\ntaken = \"hour-start\"";
    assert!((cost("own-hours", hours, capacity) - 2.0 * 4.0).abs() < 1e-9);
}

/// EC2 charges nothing for the half hour before the loss.
#[test]
fn the_free_first_hour_holds_with_a_history_too() {
    let capacity = "events = [{ at = \"30 min\", nodes = 0 }, { at = \"90 min\", nodes = 2 }]";
    assert!((cost("free", "rule = \"ec2\"", capacity) - 2.0 * 2.5 * 2.0).abs() < 1e-9);
}

#[test]
fn doubled_prices_double_the_cost() {
    let plain = text("rule = \"ec2\"", "");
    let doubled = plain.replace("1 USD/h", "2.0 USD/h").replace("spot = \"2 USD/h\"", "spot = \"4 USD/h\"");
    let cost = |name: &str, text: &str| number(&run_text(name, text, &[]).1[0], "cost_usd_mean");
    assert!((cost("doubled", &doubled) - 2.0 * cost("plain", &plain)).abs() < 1e-9);
}

#[test]
fn a_history_that_does_not_begin_at_submit_is_refused() {
    let late = text("rule = \"flat\"", "").replace("at = \"0 s\"", "at = \"1 s\"");
    let (code, _, stderr) = run_text("late", &late, &[]);
    assert_eq!(code, 2);
    assert!(stderr.contains("the price at submit is not known"), "{stderr}");
}

/// What a scenario with this `[pricing]` is refused for.
fn refused(name: &str, pricing: &str) -> String {
    let text = text("", "").replace("history = [", "x = [").replace("x = [", &format!("{pricing}\n#"));
    let (code, _, stderr) = run_text(name, &text, &[]);
    assert_eq!(code, 2, "{stderr}");
    stderr
}

#[test]
fn a_course_of_the_price_that_cannot_be_is_refused() {
    let law = "mean = \"1 USD/h\", sd = 0.2, half_life = \"2 d\"";
    for (name, pricing, said) in [
        ("no-sd", "mean_reverting = { mean = \"1 USD/h\", half_life = \"2 d\" }", "`sd` is missing"),
        (
            "sd",
            "mean_reverting = { mean = \"1 USD/h\", sd = 0, half_life = \"2 d\" }",
            "above 0 and at most 2",
        ),
        ("mean", "mean_reverting = { mean = \"0 USD/h\", sd = 0.1, half_life = \"2 d\" }", "must be above 0"),
        ("every", &format!("mean_reverting = {{ {law}, every = \"1 s\" }}"), "a million at the most"),
        ("typo", &format!("mean_reverting = {{ {law}, evry = \"1 h\" }}"), "did you mean `every`?"),
        ("both", &format!("history = \"f\"\nmean_reverting = {{ {law} }}"), "takes one course of the price"),
        ("taken", "taken = \"hour-start\"", "has no effect without `history` or `mean_reverting`"),
        ("product", "product = \"Windows\"", "has no effect without `history = \"FILE\"`"),
        ("no-file", "history = \"nowhere.csv\"", "there is no such file"),
        ("sagemaker", &format!("rule = \"sagemaker\"\nmean_reverting = {{ {law} }}"), "less the savings"),
    ] {
        let stderr = refused(name, pricing);
        assert!(stderr.contains(said), "{name}: {stderr}");
    }
}

/// Price × time: that of two clusters of one zone is the same in each replication, that of another zone is not.
#[test]
fn clusters_of_a_zone_meet_the_same_price() {
    let cluster = |name: &str, instance: &str, zone: &str| {
        format!(
            "[[cluster]]\nname = \"{name}\"\ninstance = \"{instance}\"\nnodes = 1\nmarket = \"spot\"\nzones = [\"{zone}\"]\n"
        )
    };
    let text = format!(
        r#"
schema = 1
name = "same"
job.work = {{ ideal_time = "30 h" }}
[pricing]
rule = "azure"
mean_reverting = {{ mean = "1 USD/h", sd = 0.3, half_life = "1 d" }}
{}{}{}"#,
        cluster("a", "g5.xlarge", "x"),
        cluster("b", "g5.2xlarge", "x"),
        cluster("c", "g5.xlarge", "y")
    );
    let scenario = crate::run::scenario(&text);
    for replication in 0..50 {
        let bill =
            |index: usize| crate::run::outcome(&scenario.clusters[index].plan, replication).cost().nusd();
        assert_eq!(bill(0), bill(1));
        assert_ne!(bill(0), bill(2));
    }
}

/// A mean price of 1 USD/h over 30 h: 30 USD, within 4.5 standard errors of 20,000 replications (a false alarm in
/// 150,000). The variance of the mean price over T is at most that of the price, e^{sd²} − 1.
#[test]
fn the_mean_bill_is_that_of_the_mean_price() {
    let text = r#"
schema = 1
name = "mean"
job.work = { ideal_time = "30 h" }
pricing = { rule = "flat", mean_reverting = { mean = "1 USD/h", sd = 0.3, half_life = "1 d" } }
[[cluster]]
name = "c"
instance = "g5.xlarge"
nodes = 1
market = "spot"
"#;
    let plan = &crate::run::scenario(text).clusters[0].plan;
    let n = 20_000;
    let usd: f64 = (0..n).map(|r| crate::run::outcome(plan, r).cost().as_usd()).sum::<f64>() / n as f64;
    let error = 30.0 * libm::sqrt((libm::exp(0.09) - 1.0) / n as f64);
    assert!((usd - 30.0).abs() < 4.5 * error, "{usd}");
}
