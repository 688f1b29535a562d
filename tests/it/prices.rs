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
