//! Policies in the engine.

use crate::run::scenario;
use spotsim::rng::Streams;
use spotsim::scenario::plan::Market;
use spotsim::sim::{End, Ledger, Scratch, simulate};

fn greedy(more: &str) -> spotsim::scenario::plan::Plan {
    let text = format!(
        r#"
schema = 1
name = "greedy"
job = {{ work = {{ ideal_time = "10 h" }}, deadline = "14 h" }}
policy.greedy = {{}}
{more}
[[cluster]]
name = "c"
instance = "g5.xlarge"
nodes = 1
market = "spot"
"#
    );
    scenario(&text).clusters[0].plan.clone()
}

/// With constant restart times and any losses the safety net keeps every deadline that On-Demand
/// could have kept.
#[test]
fn the_safety_net_keeps_the_deadline() {
    let capacity = r#"capacity = { renewal = { uptime = { weibull = { shape = 0.5, mean = "1 h" } }, gap = { exponential = { mean = "1 h" } } }, lifetime = { exponential = { mean = "2 h" } } }"#;
    for checkpoint in ["", "checkpoint = { every = \"17 min\", stall = \"20 s\" }"] {
        let plan = greedy(&format!(
            "start = {{ provision = \"3 min\", start = \"9 min\", restore = \"4 min\" }}\n{capacity}\n{checkpoint}"
        ));
        let (mut both, mut scratch) = (0, Scratch::default());
        for replication in 0..3_000 {
            let outcome = simulate(&plan, &Streams::new(0), replication, &mut scratch, &mut ());
            assert_eq!(outcome.end, End::Finished);
            assert!(outcome.meets(plan.deadline.unwrap()), "replication {replication}: {outcome:?}");
            both += usize::from(outcome.spot_cost.nusd() > 0 && outcome.on_demand_cost.nusd() > 0);
        }
        assert!(both > 300, "only {both} replications used both markets");
    }
}

/// No Spot at all, 10 h of work and 12 min to start: with one spare start the last instant to leave
/// is 14 h − 10 h − 2 × 12 min = 3 h 36 min.
#[test]
fn a_gang_that_waits_leaves_at_the_hand_computed_instant() {
    let plan = greedy("start = { start = \"12 min\" }\ncapacity.events = [{ at = \"0 s\", nodes = 0 }]");
    let mut ledger = Ledger::default();
    let outcome = simulate(&plan, &Streams::new(0), 0, &mut Scratch::default(), &mut ledger);
    let stay = ledger.stays[0];
    assert_eq!((stay.market, stay.granted.ns() / 1_000_000_000), (Market::OnDemand, 3 * 3_600 + 36 * 60));
    assert_eq!(outcome.elapsed.ns() / 1_000_000_000, (13 * 60 + 48) * 60);
}

/// One loss at 9 h without saves: 4 h more than the 5 h left would be needed, so Spot is left for good
/// at 14 h − 10 h − 12 min = 3 h 48 min, before it can be lost.
#[test]
fn training_without_saves_is_given_up_while_the_deadline_can_be_kept() {
    let plan = greedy("start = { start = \"12 min\" }\ncapacity.events = [{ at = \"9 h\", lose = [0] }]");
    let mut ledger = Ledger::default();
    let outcome = simulate(&plan, &Streams::new(0), 0, &mut Scratch::default(), &mut ledger);
    assert_eq!(ledger.stays[0].end.ns() / 1_000_000_000, (3 * 60 + 48) * 60);
    assert_eq!((outcome.preemptions, outcome.attempts), (0, 2));
    assert_eq!(outcome.elapsed, plan.deadline.unwrap());
}

/// Rules end a run before anything is granted at the same instant: nothing is held, nothing is paid.
#[test]
fn a_wait_of_nothing_is_over_before_the_first_grant() {
    let plan = greedy("limits.max_wait = \"0 s\"");
    let outcome = simulate(&plan, &Streams::new(0), 0, &mut Scratch::default(), &mut ());
    assert_eq!((outcome.end.reason(), outcome.attempts, outcome.cost().nusd()), ("max_wait", 0, 0));
}

/// 10 h of work by 10 h 20 min, with 1 s to start and 1 h to restore: On-Demand from submit is in time, but once Spot has begun to
/// train the way to On-Demand has a restore, for which no time is left.
#[test]
fn spot_is_not_tried_where_leaving_it_again_would_cost_the_deadline() {
    let text = r#"
schema = 1
name = "restore"
job = { work = { ideal_time = "10 h" }, deadline = "37200 s" }
checkpoint = { every = "1 min", stall = "0 s" }
pricing = { rule = "flat", on_demand = "3 USD/h", spot = "1 USD/h" }
start = { start = "1 s", restore = "1 h" }
capacity.events = [{ at = "1 h", nodes = 0 }]
policy.greedy = {}
[[cluster]]
name = "c"
instance = "g5.xlarge"
nodes = 1
market = "spot"
"#;
    let plan = scenario(text).clusters[0].plan.clone();
    let outcome = simulate(&plan, &Streams::new(0), 0, &mut Scratch::default(), &mut ());
    assert_eq!(outcome.elapsed, spotsim::units::Span::from_s(36_001));
}
