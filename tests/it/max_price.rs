//! `[policy] max_price`: rules 80 to 82.

use crate::run::{first, minutes, run_text, scenario};
use spotsim::pricing::Ended;
use spotsim::scenario::plan::{Market, Plan};
use spotsim::sim::{Outcome, Part};

/// USD/h: 0.80 until 1 h, 1.20 until 2 h, just the maximum until 3 h, 1.10 until 3 h 30 min, then 0.50.
const CROSSING: &str = r#"history = [
    { at = "0 s", spot = "0.8 USD/h" },
    { at = "1 h", spot = "1.2 USD/h" },
    { at = "2 h", spot = "1 USD/h" },
    { at = "3 h", spot = "1.1 USD/h" },
    { at = "210 min", spot = "0.5 USD/h" },
]"#;

fn text(rule: &str, prices: &str, policy: &str, more: &str) -> String {
    format!(
        r#"
schema = 1
name = "max-price"
job.work = {{ ideal_time = "4 h" }}
{more}
[pricing]
rule = "{rule}"
on_demand = "3 USD/h"
{prices}
[policy]
max_price = "1 USD/h"
{policy}
[[cluster]]
name = "c"
instance = "g5.xlarge"
nodes = 1
market = "spot"
"#
    )
}

const SAVES: &str = "checkpoint = { every = \"30 min\", stall = \"0 s\" }\nstart.start = \"6 min\"\n";

fn plan(rule: &str, policy: &str, more: &str) -> Plan {
    scenario(&text(rule, CROSSING, policy, more)).clusters[0].plan.clone()
}

/// Market, begin and end in minutes, and who ended each stay.
fn stays(plan: &Plan) -> (Outcome, Vec<(Market, u64, u64, Ended)>) {
    let (outcome, ledger) = first(plan);
    let at = |t: spotsim::units::SimTime| t.ns() / minutes(1).ns();
    let stays =
        ledger.stays.iter().map(|stay| (stay.market, at(stay.granted), at(stay.end), stay.ended)).collect();
    (outcome, stays)
}

/// Trains 54 min twice and keeps 30 of each; 3 h are left at 3 h 30 min, done at 6 h 36 min. 0.80 + 1.00 + 3.1 × 0.50.
#[test]
fn spot_is_held_only_while_its_price_is_at_most_the_maximum() {
    let (outcome, found) = stays(&plan("flat", "", SAVES));
    let (spot, reclaimed) = (Market::Spot, Ended::Reclaimed);
    let right = [(spot, 0, 60, reclaimed), (spot, 120, 180, reclaimed), (spot, 210, 396, Ended::Released)];
    assert_eq!(found, right);
    assert_eq!(outcome.cost().nusd(), 3_350_000_000);
    assert_eq!((outcome.preemptions, outcome.nodes_lost), (2, 2));
    assert_eq!(outcome.time.get(Part::Queued), minutes(90));
    assert_eq!(outcome.time.get(Part::Lost), minutes(48));
}

/// EC2 gives whole first hours only to those it interrupts within them: a price that rises after 50 min does. What is left,
/// 3 h 30 min, is done in one go from 2 h on: 1 h at 1.00 and 2 h 36 min at 0.50.
#[test]
fn a_reclaim_for_the_price_is_one_to_the_bill() {
    let prices = CROSSING.replace("1 h", "50 min").replace("1.1 USD", "0.5 USD");
    let plan = scenario(&text("ec2", &prices, "", SAVES)).clusters[0].plan.clone();
    let (outcome, found) = stays(&plan);
    assert_eq!(found[0], (Market::Spot, 0, 50, Ended::Reclaimed));
    assert_eq!(found[1], (Market::Spot, 120, 336, Ended::Released));
    assert_eq!(outcome.cost().nusd(), 2_300_000_000);
}

/// On-Demand from 1 h; Spot is there for 10 min at 2 h 10 min, so it leaves at the save of 2 h 36 min, with 2 h of work done. It
/// loses 18 min at 3 h, and is back at the save of 4 h 6 min, with 1 h left.
#[test]
fn a_policy_takes_a_price_above_the_maximum_for_no_spot() {
    let policy = "fall_back = { return_after = \"10 min\" }";
    let (_, found) = stays(&plan("flat", policy, SAVES));
    let (spot, on_demand) = (Market::Spot, Market::OnDemand);
    let right = [
        (spot, 0, 60, Ended::Reclaimed),
        (on_demand, 60, 156, Ended::Released),
        (spot, 156, 180, Ended::Reclaimed),
        (on_demand, 180, 246, Ended::Released),
        (spot, 246, 312, Ended::Released),
    ];
    assert_eq!(found, right);
}

/// No work is lost in tick mode: 1 + 1 h, and 2 h at 0.50.
#[test]
fn ticks_see_the_maximum_too() {
    let (outcome, found) = stays(&plan("flat", "", "simulation.tick = \"10 min\""));
    let (spot, reclaimed) = (Market::Spot, Ended::Reclaimed);
    let right = [(spot, 0, 60, reclaimed), (spot, 120, 180, reclaimed), (spot, 210, 330, Ended::Released)];
    assert_eq!(found, right);
    assert_eq!(outcome.cost().nusd(), 2_800_000_000);
}

/// In the second zone Spot costs 0.90 throughout: it is asked for there as soon as the first is too dear.
#[test]
fn each_zone_has_its_own_price_under_one_maximum() {
    let text = text("flat", CROSSING, "", SAVES).replace("nodes = 1", "nodes = 1\nzones = [\"a\", \"b\"]")
        + "[zone.b.pricing]\nspot = \"0.9 USD/h\"\n";
    let (_, ledger) = first(&scenario(&text).clusters[0].plan);
    let found: Vec<_> =
        ledger.stays.iter().map(|stay| (stay.zone, stay.end.ns() / minutes(1).ns())).collect();
    assert_eq!(found, [(0, 60), (1, 276)]);
}

#[test]
fn a_maximum_that_cannot_be_meant_is_refused() {
    for (rule, prices, words) in [
        ("flat", "spot = \"1.25 USD/h\"", "no Spot can ever be had: it costs at least 1.25 USD/h"),
        ("flat", "history = [{ at = \"0 s\", spot = \"2 USD/h\" }]", "it costs at least 2 USD/h"),
        ("sagemaker", "savings = 0.5", "needs a market price"),
    ] {
        let (code, _, stderr) = run_text("max-price", &text(rule, prices, "", ""), &[]);
        assert_eq!(code, 2, "{stderr}");
        assert!(stderr.contains(words), "{stderr}");
    }
}

/// A price that never crosses the maximum changes nothing, and costs the engine nothing; one that stands still is said.
#[test]
fn a_maximum_that_is_never_met_has_no_effect() {
    let never = CROSSING.replace("1.2 USD", "0.9 USD").replace("1.1 USD", "0.9 USD");
    assert!(scenario(&text("flat", &never, "", "")).clusters[0].plan.is_plain());
    let flat = text("flat", "spot = \"0.9 USD/h\"", "", "");
    assert!(scenario(&flat).clusters[0].plan.is_plain());
    let (code, _, stderr) = run_text("max-price-flat", &flat, &["--replications", "1"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("`max_price` has no effect"), "{stderr}");
}
