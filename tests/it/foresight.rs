//! Perfect foresight beside the engine, in the same worlds.

use crate::run::scenario;
use spotsim::experiment::bound_usd;
use spotsim::rng::Streams;
use spotsim::scenario::plan::Plan;
use spotsim::sim::{Scratch, simulate};

fn plan(more: &str, cluster: &str) -> Plan {
    let text = format!(
        r#"
schema = 1
name = "foresight"
job = {{ work = {{ ideal_time = "10 h" }}, deadline = "14 h" }}
checkpoint = {{ every = "20 min", stall = "10 s" }}
{more}
[[cluster]]
name = "c"
instance = "g5.xlarge"
market = "spot"
{cluster}
"#
    );
    scenario(&text).clusters[0].plan.clone()
}

const FLAT: &str = r#"pricing = { rule = "flat", on_demand = "3 USD/h", spot = "1 USD/h" }"#;
const GREEDY: &str = "policy.greedy = {}";
const START: &str = r#"start = { provision = "2 min", start = { uniform = { low = "3 min", high = "9 min" } }, restore = "4 min" }"#;
const RENEWAL: &str = r#"capacity.renewal = { uptime = { weibull = { shape = 0.6, mean = "2 h" } }, gap = { exponential = { mean = "40 min" } } }"#;

/// In each of the first worlds, a run by the deadline costs at least the bound. Gives the mean of its share of the cost.
fn never_above(plan: &Plan) -> f64 {
    let (streams, mut scratch) = (Streams::new(3), Scratch::default());
    let deadline = plan.deadline.unwrap();
    let mut shares = Vec::new();
    for world in 0..400 {
        let outcome = simulate(plan, &streams, world, &mut scratch, &mut ());
        let bound = bound_usd(plan, deadline, &streams, world).unwrap();
        if outcome.meets(deadline) {
            let cost = outcome.cost().as_usd();
            assert!(bound <= cost + 1e-6, "world {world}: bound {bound}, {outcome:?}");
            shares.push(bound / cost);
        }
    }
    assert!(shares.len() > 100, "only {} runs met the deadline", shares.len());
    shares.iter().sum::<f64>() / shares.len() as f64
}

#[test]
fn no_run_by_the_deadline_is_cheaper() {
    let two = "nodes = 2\non_loss = \"keep\"";
    for (prices, cluster, policy) in [
        (FLAT, "nodes = 1", GREEDY),
        (FLAT, "nodes = 1", ""),
        (FLAT, two, GREEDY),
        (r#"pricing = { rule = "ec2", on_demand = "3 USD/h", spot = "1 USD/h" }"#, "nodes = 1", GREEDY),
    ] {
        let share = never_above(&plan(&[prices, START, RENEWAL, policy].join("\n"), cluster));
        assert!(share > 0.5, "{prices}, {cluster}, {policy}: {share}");
    }
}

#[test]
fn nor_where_prices_move_and_zones_can_be_chosen() {
    let moving = r#"pricing = { rule = "flat", on_demand = "3 USD/h", mean_reverting = { mean = "1 USD/h", sd = 0.3, half_life = "3 h" } }"#;
    let zones = "nodes = 1\nzones = [\"a\", \"b\"]\nchoose_zone = \"cheapest\"";
    let capped = format!("{moving}\npolicy = {{ max_price = \"1.1 USD/h\", greedy = {{}} }}");
    let young = capped.replace("flat", "ec2");
    for (prices, cluster) in [
        (moving, "nodes = 1"),
        (moving, zones),
        (FLAT, zones),
        (&capped, "nodes = 1"),
        (&capped, zones),
        (&young, "nodes = 1"),
    ] {
        let share = never_above(&plan(&[prices, START, RENEWAL].join("\n"), cluster));
        assert!(share > 0.5, "{prices}, {cluster}: {share}");
    }
}

/// 10 h of work, 6 min to start and 4 min to restore, Spot from 0 h to 5 h and from 8 h on: 5 h on Spot without a restore in
/// front, then 5 h 16 min more, all before 14 h: 10 h 16 min at 1 USD/h. What the engine pays more is what it lost.
#[test]
fn a_world_by_hand() {
    let start = r#"start = { start = "6 min", restore = "4 min" }"#;
    let events = r#"capacity.events = [{ at = "5 h", nodes = 0 }, { at = "8 h", nodes = 1 }]"#;
    let plan = plan(&[FLAT, start, events].join("\n"), "nodes = 1");
    let bound = bound_usd(&plan, plan.deadline.unwrap(), &Streams::new(0), 0).unwrap();
    assert!((bound - (10.0 + 16.0 / 60.0)).abs() < 1e-9, "{bound}");
}
