//! Ledgers of real replications, checked by hand and against the cost.

use super::*;
use crate::report::table::fixture::{cluster, scenario};
use crate::rng::Streams;
use crate::sim::{Scratch, simulate};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};

/// The text of replication 3 of one cluster, and what it came to.
fn printed(name: &str, market: &str, set: &[&str], colour: bool) -> (String, Outcome) {
    let scenario = scenario(&[cluster(name, "ml.g5.2xlarge", 4, market)], set);
    let cluster = &scenario.clusters[0];
    let mut stays = Ledger::default();
    let outcome = simulate(&cluster.plan, &Streams::new(0), 3, &mut Scratch::default(), &mut stays);
    (ledger(cluster, 3, &stays, &outcome, colour), outcome)
}

const TWO_HOURS: &str = "capacity.renewal={uptime='2 h', gap='1 min'}";

/// 2 h at 1.515 × (1 − 0.58) = 0.6363 USD/h are 1.2726 USD.
#[test]
fn a_line_can_be_checked_by_hand() {
    let (text, _) = printed("4x Spot", "spot", &[TWO_HOURS], false);
    let line = text.lines().find(|line| line.contains("2.0000")).unwrap();
    let cells: Vec<&str> = line.split_whitespace().collect();
    let right = [
        "3",
        "Spot",
        "0.0000",
        "0.0000",
        "2.0000",
        "provider",
        "7,200.000000000",
        "sagemaker",
        "0.6363",
        "1.272600000",
    ];
    assert_eq!(cells, right);
    assert!(text.contains("Spot: sagemaker rule, 0.6363 USD/h from the end of provisioning\n"), "{text}");
}

/// 1.5 h at 1 USD/h, then half an hour at 2: two lines of one stay, and a dollar for the second half hour.
#[test]
fn a_stay_has_a_line_for_each_of_its_prices() {
    let prices = "pricing.history=[{ at = '0 s', spot = '1 USD/h' }, { at = '90 min', spot = '2 USD/h' }]";
    let (text, outcome) = printed("1x Spot", "spot", &[TWO_HOURS, "pricing.rule='flat'", prices], false);
    let lines: Vec<&str> = text.lines().filter(|line| line.trim_start().starts_with("3 ")).collect();
    let cells = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let first = ["3", "Spot", "0.0000", "0.0000", "1.5000", "new", "price", "5,400.000000000", "flat", "1"];
    assert_eq!(cells(lines[0])[..10], first, "{text}");
    let second =
        ["3", "Spot", "–", "1.5000", "2.0000", "provider", "1,800.000000000", "flat", "2", "1.000000000"];
    assert_eq!(cells(lines[1]), second, "{text}");
    assert!(text.contains(&format!("  {}\n", nano_dollars(outcome.cost()))), "{text}");
}

#[test]
fn the_lines_add_up_to_the_cost() {
    for market in ["spot", "on-demand"] {
        let (text, outcome) = printed("4x", market, &[TWO_HOURS], false);
        let sum = text.lines().find(|line| line.contains("sum of")).unwrap();
        assert!(sum.ends_with(&format!("  {}", nano_dollars(outcome.cost()))), "{sum}");
    }
}

/// EC2 gives the first hour of a reclaimed Spot node away (docs/semantics.md, rule 22). 916 gangs of four
/// are reclaimed in 7 d of 11 min cycles, and four nodes are given back at the horizon.
#[test]
fn a_long_ledger_is_cut_in_the_middle() {
    let set = ["capacity.renewal={uptime='10 min', gap='1 min'}", "pricing.rule='ec2'"];
    let (text, _) = printed("4x Spot", "spot", &set, false);
    assert!(text.starts_with(
        "Ledger of 4x Spot, replication 3: censored (horizon) after 168.00 h, preempted 916 times\n"
    ));
    assert!(text.contains("\n… 3,628 stays left out …\n"), "{text}");
    assert_eq!(text.matches("ec2, free").count(), 36);
    assert!(text.contains("sum of 3,668 stays"), "{text}");
}

#[test]
fn the_sum_stands_under_the_last_column_in_colour_too() {
    let plain = printed("4x Spot", "spot", &[TWO_HOURS], false).0;
    let coloured = printed("4x Spot", "spot", &[TWO_HOURS], true).0;
    assert!(coloured.contains("\u{1b}[38;5;32mSpot"));
    let without = coloured.replace("\u{1b}[38;5;32m", "").replace("\u{1b}[0m", "");
    assert_eq!(without, plain);
}

#[test]
fn a_node_that_never_ran_costs_nothing_and_says_so() {
    let set =
        ["capacity.renewal={uptime='10 min', gap='1 min'}", "start.provision='20 min'", "job.horizon='1 h'"];
    let (text, _) = printed("4x Spot", "spot", &set, false);
    let line = text.lines().find(|line| line.contains("0.1667")).unwrap();
    assert!(line.contains("–") && line.contains("never ran") && line.ends_with(" 0.000000000"), "{line}");
}

#[test]
fn an_empty_ledger_says_that_nothing_was_billed() {
    let (text, _) = printed("4x", "spot", &["capacity={events=[{at='0 s', nodes=0}]}"], false);
    assert!(text.ends_with("No node was ever granted, so nothing was billed.\n"), "{text}");
}

proptest! {
    #![proptest_config(Config { cases: 32, rng_seed: RngSeed::Fixed(20_261_202), failure_persistence: None, ..Config::default() })]

    #[test]
    fn no_name_or_price_makes_a_line_too_long(name in "[^ ].{0,80}", nusd in 0_u64..1_000_000_000_000) {
        let price = format!("pricing.on_demand='{}.{:09} USD/h'", nusd / 1_000_000_000, nusd % 1_000_000_000);
        let (text, _) = printed(&format!("x{name}"), "spot", &[TWO_HOURS, &price], false);
        prop_assert!(text.lines().all(|line| text::width(line) <= text::WIDTH), "{text}");
    }
}
