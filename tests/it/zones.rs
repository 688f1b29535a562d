//! Clusters that may be in several zones (docs/semantics.md, rules 54 to 58), at instants computed by hand.

use crate::run::{first, folder, minutes, outcome, run_text, scenario, spotsim_in};
use spotsim::sim::{End, Outcome, Part, Reason};

/// One node that has 60 min of work without saves, at 1 USD/h in zone a, with `more` keys of the cluster and
/// `zones` tables of the file.
fn text(more: &str, zones: &str) -> String {
    format!(
        r#"
schema = 1
name = "zones"
job.work = {{ ideal_time = "60 min" }}
job.horizon = "1 d"
pricing = {{ rule = "flat", on_demand = "5 USD/h", spot = "1 USD/h" }}
{zones}
[[cluster]]
name = "one"
instance = "g5.xlarge"
nodes = 1
market = "spot"
zones = ["a", "b"]
{more}
"#
    )
}

fn run(more: &str, zones: &str) -> (Outcome, Vec<(u32, u64, u64)>) {
    let (outcome, ledger) = first(&scenario(&text(more, zones)).clusters[0].plan);
    let minute = |at: spotsim::units::SimTime| at.ns() / 60_000_000_000;
    let stays = ledger.stays.iter().map(|stay| (stay.zone, minute(stay.granted), minute(stay.end)));
    (outcome, stays.collect())
}

const A_GOES: &str =
    r#"zone.a.capacity.events = [{ at = "20 min", nodes = 0 }, { at = "30 min", nodes = 1 }]"#;

/// Zone a goes at 20 min, so the hour begins anew in b at once: done at 80 min. Alone in a: at 90 min.
#[test]
fn a_gang_that_loses_its_zone_goes_on_in_the_next_at_once() {
    let (outcome, stays) = run("", A_GOES);
    assert_eq!(stays, [(0, 0, 20), (1, 20, 80)]);
    assert_eq!((outcome.elapsed, outcome.preemptions, outcome.attempts), (minutes(80), 1, 2));
    assert_eq!(outcome.cost().nusd(), 333_333_333 + 1_000_000_000);
    let alone = scenario(&text("", A_GOES).replace("[\"a\", \"b\"]", "[\"a\"]"));
    assert_eq!(first(&alone.clusters[0].plan).0.elapsed, minutes(90));
}

/// Zone b at half the price is the cheapest; while it is gone, until 30 min, a is better than none, and the gang
/// stays there.
#[test]
fn the_cheapest_zone_is_that_of_those_that_have_capacity() {
    let cheap = "zone.b.pricing.spot = \"0.5 USD/h\"\n";
    let (outcome, stays) = run("choose_zone = \"cheapest\"", cheap);
    assert_eq!((stays, outcome.cost().nusd()), (vec![(1, 0, 60)], 500_000_000));
    let late = format!(
        "{cheap}zone.b.capacity.events = [{{ at = \"0 s\", nodes = 0 }}, {{ at = \"30 min\", nodes = 1 }}]"
    );
    let (outcome, stays) = run("choose_zone = \"cheapest\"", &late);
    assert_eq!((stays, outcome.cost().nusd()), (vec![(0, 0, 60)], 1_000_000_000));
}

/// At 20 min, when a goes, the price of b changes from 0.5 to 3 USD/h: what is paid from then on counts, and c at
/// 2 USD/h is cheaper.
#[test]
fn the_price_from_the_instant_on_decides() {
    let more = "choose_zone = \"cheapest\"";
    let zones = r#"
zone.a.pricing.spot = "0.1 USD/h"
zone.a.capacity.events = [{ at = "20 min", nodes = 0 }]
zone.b.pricing.history = [{ at = "0 s", spot = "0.5 USD/h" }, { at = "20 min", spot = "3 USD/h" }]
zone.c.pricing.spot = "2 USD/h"
"#;
    let text = text(more, zones).replace("[\"a\", \"b\"]", "[\"a\", \"b\", \"c\"]");
    let (outcome, ledger) = first(&scenario(&text).clusters[0].plan);
    let zones: Vec<u32> = ledger.stays.iter().map(|stay| stay.zone).collect();
    assert_eq!(zones, [0, 2]);
    assert_eq!(outcome.cost().nusd(), 33_333_333 + 2_000_000_000);
}

/// Neither zone has capacity from 20 min on; b is back at 40 min, a at 50 min: queued for 20 min, then b.
#[test]
fn a_gang_without_a_zone_waits_for_the_first_that_is_back() {
    let zones = r#"
zone.a.capacity.events = [{ at = "20 min", nodes = 0 }, { at = "50 min", nodes = 1 }]
zone.b.capacity.events = [{ at = "0 s", nodes = 0 }, { at = "40 min", nodes = 1 }]
"#;
    let (outcome, stays) = run("", zones);
    assert_eq!(stays, [(0, 0, 20), (1, 40, 100)]);
    assert_eq!((outcome.elapsed, outcome.time.get(Part::Queued)), (minutes(100), minutes(20)));
}

/// A request takes 10 min. That in a, made at 0, is void at 5 min, and made anew in b at once.
#[test]
fn a_request_that_the_path_voids_is_made_in_another_zone() {
    let zones = r#"
zone.a.capacity.events = [{ at = "5 min", nodes = 0 }, { at = "6 min", nodes = 1 }]
capacity.acquire = "10 min"
zone.a.capacity.acquire = "10 min"
"#;
    let (outcome, stays) = run("", zones);
    assert_eq!(stays, [(1, 15, 75)]);
    assert_eq!((outcome.elapsed, outcome.attempts), (minutes(75), 1));
}

/// Two nodes, of which a takes one at 20 min and has one more from 30 min on. The survivor is kept, so the gang
/// waits for a though b has both.
#[test]
fn a_survivor_that_is_kept_holds_the_gang_in_its_zone() {
    let zones = r#"zone.a.capacity.events = [{ at = "20 min", nodes = 1 }, { at = "30 min", nodes = 2 }]"#;
    let kept = text("on_loss = \"keep\"", zones).replace("nodes = 1\nmarket", "nodes = 2\nmarket");
    let (outcome, ledger) = first(&scenario(&kept).clusters[0].plan);
    assert_eq!((outcome.elapsed, ledger.stays.iter().all(|stay| stay.zone == 0)), (minutes(90), true));
    let (outcome, _) = first(&scenario(&kept.replace("keep", "release")).clusters[0].plan);
    assert_eq!(outcome.elapsed, minutes(80));
}

/// The loss of a comes at the instant at which b is back, and changes come before requests.
#[test]
fn a_zone_that_is_back_at_the_instant_of_a_loss_is_taken() {
    let zones = r#"
zone.a.capacity.events = [{ at = "20 min", nodes = 0 }]
zone.b.capacity.events = [{ at = "0 s", nodes = 0 }, { at = "20 min", nodes = 1 }]
"#;
    assert_eq!(run("", zones).1, [(0, 0, 20), (1, 20, 80)]);
}

/// The first grant of a slot is the first of all, not the first in a zone.
#[test]
fn the_first_grant_happens_once() {
    let acquire = "acquire = \"10 min\"\nacquire_first = \"0 s\"\n";
    let zones = format!(
        "[capacity]\n{acquire}[zone.a.capacity]\n{acquire}events = [{{ at = \"20 min\", nodes = 0 }}]\n"
    );
    assert_eq!(run("", &zones).1, [(0, 0, 20), (1, 30, 90)]);
}

/// Random capacity in a is the same for a cluster of a alone and for one that has b as well.
#[test]
fn what_a_zone_does_does_not_hang_on_who_may_be_there() {
    let world = "capacity.renewal = { uptime = { exponential = { mean = \"40 min\" } }, gap = \"5 min\" }";
    let both = scenario(&text("", world)).clusters[0].plan.clone();
    let alone = scenario(&text("", world).replace("[\"a\", \"b\"]", "[\"a\"]")).clusters[0].plan.clone();
    let mut moved = 0;
    for replication in 0..50 {
        let (here, one) = (outcome(&both, replication), outcome(&alone, replication));
        assert_eq!(here.preemptions == 0, one.preemptions == 0);
        assert!(here.elapsed <= one.elapsed || here.preemptions > 0);
        moved += u32::from(here.elapsed != one.elapsed);
    }
    assert!(moved > 10, "{moved}");
}

/// 240 billion changes of b in 20 min are not walked through while a holds the gang.
#[test]
fn a_zone_that_changes_all_the_time_ends_the_replication() {
    let zones = r#"
zone.a.capacity.events = [{ at = "20 min", nodes = 0 }]
zone.b.capacity.renewal = { uptime = "5 ns", gap = "5 ns" }
"#;
    let (outcome, _) = run("", zones);
    assert_eq!(outcome.end, End::GaveUp(Reason::TooManyEvents));
}

/// On-Demand takes over by the clock alone: with a deadline of 90 min it leaves Spot at 30 min.
#[test]
fn greedy_leaves_all_zones_in_time() {
    let zones = r#"
job.deadline = "90 min"
capacity.events = [{ at = "0 s", nodes = 0 }]
policy.greedy = {}
"#;
    let (outcome, _) = run("", zones);
    assert_eq!((outcome.end, outcome.elapsed), (End::Finished, minutes(90)));
}

#[test]
fn zones_that_no_cluster_names_are_refused() {
    let check = |zones: &str, more: &str, wanted: &str| {
        let (code, _, stderr) = run_text("zone-names", &text(more, zones), &[]);
        assert!(code == 2 && stderr.contains(wanted), "{code} {stderr}");
    };
    check("zone.c.pricing.spot = \"2 USD/h\"", "", "no cluster is in the zone \"c\"");
    check("zone.a.prices.spot = \"2 USD/h\"", "", "unknown key `prices`");
    check("zone.a = 3", "", "must be a table");
    check("", "min_nodes = 1", "with several `zones`");
    check("", "choose_zone = \"dearest\"", "accepted: first, cheapest");
    check("zone.b.pricing.rule = \"ec2\"", "", "that differs between zones");
    check(
        "checkpoint = { every = \"10 min\", stall = \"1 s\", to = \"ebs\" }",
        "",
        "a volume lives in one zone",
    );
    let optimum = "checkpoint = { every = \"optimum\", stall = \"1 s\" }\ncapacity.lifetime = { exponential = { mean = \"5 h\" } }";
    let other = "zone.b.capacity.lifetime = { exponential = { mean = \"9 h\" } }";
    check(&format!("{optimum}\n{other}"), "", "losses follow other laws");
    assert_eq!(run_text("zone-optimum", &text("", optimum), &["--replications", "2"]).0, 0);
}

/// Two zones that always have capacity at one price are one: the first is never left.
#[test]
fn two_zones_without_a_difference_are_one() {
    let more = "capacity.lifetime = { exponential = { mean = \"30 min\" } }\ncapacity.acquire = \"1 min\"";
    for choose in ["first", "cheapest"] {
        let both = scenario(&text(&format!("choose_zone = \"{choose}\""), more)).clusters.remove(0).plan;
        let alone = scenario(&text("", more).replace("[\"a\", \"b\"]", "[\"a\"]")).clusters.remove(0).plan;
        for replication in 0..200 {
            assert_eq!(outcome(&both, replication), outcome(&alone, replication));
        }
    }
}

/// 20 min in a at 1 USD/h and 60 min in b at 0.5: the JSON says so by zone, and the ledger line by line.
#[test]
fn results_say_what_was_where() {
    let zones = format!("{A_GOES}\nzone.b.pricing.spot = \"0.5 USD/h\"");
    let (code, clusters, _) = run_text("zone-results", &text("", &zones), &["--replications", "3"]);
    assert_eq!(code, 0);
    let by_zone = clusters[0]["zones"].as_array().unwrap();
    let of = |zone: usize, name: &str| by_zone[zone][name].as_f64().unwrap();
    for (zone, name, attempts, hours, usd) in
        [(0, "a", 1.0, 1.0 / 3.0, 0.333_333_333), (1, "b", 1.0, 1.0, 0.5)]
    {
        assert_eq!(by_zone[zone]["zone"], name);
        assert_eq!((of(zone, "attempts_mean"), of(zone, "node_hours_mean")), (attempts, hours));
        assert_eq!(of(zone, "cost_usd_mean"), usd);
    }
    let folder = folder("zone-ledger");
    std::fs::write(folder.join("zones.toml"), text("", &zones)).unwrap();
    let arguments = ["run", "zones.toml", "--explain-cost", "--replications", "2"];
    let output = String::from_utf8(spotsim_in(&folder, &arguments).stdout).unwrap();
    let cells = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let line = output.lines().map(cells).find(|cells| cells.get(2).is_some_and(|zone| zone == "b"));
    assert_eq!(line.unwrap()[..3], ["0", "Spot", "b"]);
    assert!(output.contains("0.5  0.500000000\n"), "{output}");
}

/// What `show` prints of zones says the same again.
#[test]
fn what_show_prints_of_zones_gives_the_same_plan() {
    let zones = format!("{A_GOES}\nzone.b.pricing.spot = \"0.5 USD/h\"\nzone.b.capacity.lifetime = \"3 h\"");
    let read = scenario(&text("choose_zone = \"cheapest\"", &zones));
    assert_eq!(scenario(&read.show()).clusters[0].plan, read.clusters[0].plan);
}
