//! `[policy] on_demand_nodes`: rules 83 to 86.

use crate::run::{first, minutes, run_text, scenario};
use spotsim::pricing::Ended;
use spotsim::rng::Streams;
use spotsim::scenario::plan::{Market, Plan};
use spotsim::sim::{Ledger, Outcome, Scratch, simulate};

const SPOT: Market = Market::Spot;
const ON_DEMAND: Market = Market::OnDemand;

fn text(on_demand_nodes: u32, more: &str, cluster: &str) -> String {
    format!(
        r#"
schema = 1
name = "mixed"
job.work = {{ ideal_time = "4 h" }}
checkpoint = {{ every = "30 min", stall = "0 s" }}
start.start = "6 min"
pricing = {{ rule = "flat", spot = "1 USD/h", on_demand = "3 USD/h" }}
policy.on_demand_nodes = {on_demand_nodes}
{more}
[[cluster]]
name = "c"
instance = "g5.xlarge"
nodes = 4
market = "spot"
{cluster}
"#
    )
}

fn plan(more: &str, cluster: &str) -> Plan {
    scenario(&text(1, more, cluster)).clusters[0].plan.clone()
}

/// Slot, market, begin and end in minutes of each stay, by slot.
fn stays(plan: &Plan) -> (Outcome, Vec<(u32, Market, u64, u64)>) {
    let (outcome, ledger) = first(plan);
    let at = |t: spotsim::units::SimTime| t.ns() / minutes(1).ns();
    let stays = ledger.stays.iter().map(|stay| (stay.slot, stay.market, at(stay.granted), at(stay.end)));
    let mut stays: Vec<_> = stays.collect();
    stays.sort_unstable();
    (outcome, stays)
}

/// The path takes a Spot node at 1 h 40 min, when 90 min are saved, and gives it back at 2 h 40 min.
const LESS: &str = r#"capacity.events = [{ at = "100 min", nodes = 2 }, { at = "160 min", nodes = 3 }]"#;

/// Done 6 + 150 min after 2 h 40 min. On-Demand 316 min at 3 USD/h, Spot 100 + 156 + 2 × 316 min, each stay rounded to the
/// nano-dollar.
#[test]
fn kept_nodes_wait_on_demand_ones_too() {
    let (outcome, found) = stays(&plan(LESS, "on_loss = \"keep\""));
    let right = [
        (0, ON_DEMAND, 0, 316),
        (1, SPOT, 0, 316),
        (2, SPOT, 0, 316),
        (3, SPOT, 0, 100),
        (3, SPOT, 160, 316),
    ];
    assert_eq!(found, right);
    assert_eq!(outcome.on_demand_cost.nusd(), 15_800_000_000);
    assert_eq!(outcome.spot_cost.nusd(), 14_800_000_001);
    assert_eq!((outcome.preemptions, outcome.nodes_lost, outcome.attempts), (1, 1, 2));
}

/// 256 min each: 12.80 for the one and for the three, but that 3 × 1.666666667 is more than 5.
#[test]
fn a_gang_that_releases_releases_its_on_demand_nodes() {
    let (outcome, found) = stays(&plan(LESS, "on_loss = \"release\""));
    let market = |slot| if slot == 0 { ON_DEMAND } else { SPOT };
    let right: Vec<_> =
        (0..4).flat_map(|slot| [(slot, market(slot), 0, 100), (slot, market(slot), 160, 316)]).collect();
    assert_eq!(found, right);
    assert_eq!(outcome.on_demand_cost.nusd(), 12_800_000_000);
    assert_eq!(outcome.spot_cost.nusd(), 12_800_000_001);
}

/// A path of 2 is too little for 3 Spot nodes: nothing is asked for before it allows them.
#[test]
fn on_demand_nodes_come_with_the_first_request() {
    let late = r#"capacity.events = [{ at = "0 s", nodes = 2 }, { at = "30 min", nodes = 3 }]"#;
    let (_, found) = stays(&plan(late, ""));
    assert_eq!(found[..2], [(0, ON_DEMAND, 30, 276), (1, SPOT, 30, 276)]);
}

/// Neither a loss written out for slot 0, nor a path of nothing, nor a lifetime, nor a shock takes an On-Demand node.
#[test]
fn the_provider_takes_no_on_demand_node() {
    for (losses, lost) in [
        (r#"capacity.events = [{ at = "50 min", lose = [0] }]"#, 0),
        (r#"capacity.events = [{ at = "50 min", lose = [0, 2] }]"#, 1),
        (r#"capacity.events = [{ at = "50 min", nodes = 0 }, { at = "55 min", nodes = 9 }]"#, 3),
        ("capacity.lifetime = { empirical = [\"200 min\"] }", 3),
        ("capacity.shock = [{ mean = \"30 min\", hit = 1.0 }]", 3),
    ] {
        let (outcome, found) = stays(&plan(losses, "on_loss = \"keep\""));
        let anchor: Vec<_> = found.iter().filter(|stay| stay.0 == 0).collect();
        assert_eq!((anchor.len(), anchor[0].1), (1, ON_DEMAND), "{losses}: {found:?}");
        assert!(outcome.nodes_lost >= lost && outcome.nodes_lost % lost.max(1) == 0, "{losses}: {outcome:?}");
    }
}

/// Hardware of either market fails: some replication loses the On-Demand node and gets another at once.
#[test]
fn on_demand_nodes_fail() {
    let plan = plan("failures.per_node = { exponential = { mean = \"4 h\" } }", "on_loss = \"keep\"");
    let (_, ledger) = first(&plan);
    let failed = ledger.stays.iter().filter(|stay| stay.slot == 0 && stay.ended == Ended::Failed);
    for stay in failed.clone() {
        assert_eq!(stay.market, ON_DEMAND);
        assert!(ledger.stays.iter().any(|next| next.slot == 0 && next.granted == stay.end));
    }
    assert!(failed.count() > 0);
}

/// No Spot after 1 h 40 min, with 150 min left of a deadline of 6 h: who holds no Spot node goes On-Demand two restarts of 6 min
/// before the last instant, 3 h 18 min. The kept node is given back then, and four are taken.
#[test]
fn leaving_spot_replaces_all() {
    let gone =
        "capacity.events = [{ at = \"100 min\", nodes = 0 }]\njob.deadline = \"6 h\"\npolicy.greedy = {}";
    let (_, found) = stays(&plan(gone, "on_loss = \"keep\""));
    assert_eq!(found[..2], [(0, ON_DEMAND, 0, 198), (0, ON_DEMAND, 198, 354)]);
    assert_eq!(found[2..4], [(1, SPOT, 0, 100), (1, ON_DEMAND, 198, 354)]);
}

/// The last slot meets the same lifetimes however many of the others are On-Demand.
#[test]
fn luck_stays_with_its_slot() {
    let random = "capacity.lifetime = { weibull = { shape = 0.7, mean = \"2 h\" } }";
    let lives = |on_demand_nodes| {
        let text = text(on_demand_nodes, random, "on_loss = \"keep\"");
        let mut ledger = Ledger::default();
        let plan = scenario(&text).clusters[0].plan.clone();
        simulate(&plan, &Streams::new(0), 5, &mut Scratch::default(), &mut ledger);
        let lost = ledger.stays.iter().filter(|stay| stay.slot == 3 && stay.ended == Ended::Reclaimed);
        lost.map(|stay| stay.end.since(stay.granted)).collect::<Vec<_>>()
    };
    let all = lives(0);
    for on_demand_nodes in 1..=3 {
        let some = lives(on_demand_nodes);
        let both = all.len().min(some.len());
        assert!(both > 0);
        assert_eq!(all[..both], some[..both], "{on_demand_nodes}");
    }
}

#[test]
fn what_does_not_go_with_mixed_gangs_is_refused() {
    let zones = "zones = [\"a\", \"b\"]\non_loss = \"keep\"";
    for (nodes, more, cluster, words) in [
        (4, "", "", "on_demand_nodes"),
        (1, "", "min_nodes = 2", "`on_demand_nodes` with `min_nodes` or `spares`"),
        (1, "", "spares = 1", "`on_demand_nodes` with `min_nodes` or `spares`"),
        (1, "", zones, "`on_demand_nodes` with survivors kept in several `zones`"),
        (1, "simulation.tick = \"10 min\"", "", "`policy.on_demand_nodes` is not available in tick mode"),
    ] {
        let (code, _, stderr) = run_text("mixed", &text(nodes, more, cluster), &[]);
        assert_eq!(code, 2, "{stderr}");
        assert!(stderr.contains(words), "{words}: {stderr}");
    }
}
