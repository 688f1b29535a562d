//! Gangs that take another instance type where the first cannot be had (docs/semantics.md, rules 90 to 94), at instants
//! computed by hand.

use crate::run::{first, folder, minutes, outcome, run_text, scenario, spotsim_in};
use spotsim::pricing::Ended;
use spotsim::scenario::plan::{Machine, Market, Plan};
use spotsim::sim::{End, Ledger, Outcome, Part};

/// One node with `steps` of 1 min at 2 USD/h, that may be one at half the pace, with `more` tables of the file.
fn text(steps: u64, cluster: &str, more: &str) -> String {
    let has_price = more.contains("\"g5.2xlarge\".pricing.spot");
    let price = if has_price { "" } else { "fallback.\"g5.2xlarge\".pricing.spot = \"2 USD/h\"" };
    format!(
        r#"
schema = 1
name = "instances"
job.work = "{steps} steps"
job.horizon = "1 d"
compute.step_time = "1 min"
start.restore = "5 min"
pricing = {{ rule = "flat", on_demand = "5 USD/h", spot = "2 USD/h" }}
fallback."g5.2xlarge".compute.step_time = "2 min"
{price}
{more}
[[cluster]]
name = "one"
instance = "g5.4xlarge"
fallback_instances = ["g5.2xlarge"]
nodes = 1
market = "spot"
{cluster}
"#
    )
}

fn run(text: &str) -> (Outcome, Vec<(u32, u64, u64)>, Ledger) {
    let (outcome, ledger) = first(&scenario(text).clusters[0].plan);
    let minute = |at: spotsim::units::SimTime| at.ns() / 60_000_000_000;
    let stays = ledger.stays.iter().map(|stay| (stay.zone, minute(stay.granted), minute(stay.end)));
    (outcome, stays.collect(), ledger)
}

/// The first is there from 2 h on, the second until 90 min.
const FIRST_AFTER_2_H: &str = r#"
capacity.events = [{ at = "0 s", nodes = 0 }, { at = "2 h", nodes = 1 }]
fallback."g5.2xlarge".capacity.events = [{ at = "90 min", nodes = 0 }]
fallback."g5.2xlarge".pricing.spot = "1.2 USD/h"
checkpoint = { every = "30 min", stall = "1 min" }
"#;

/// On the second 15 steps lie between saves, durable at 31 and 62 min; at 90 min 28 min of steps are lost. From 120 min
/// on the first restores for 5 min and makes the other 170 steps, with 5 saves: done at 300 min. 90 min at 1.2 and 180 min
/// at 2 USD/h are 7.80 USD.
#[test]
fn the_second_type_goes_on_at_its_own_pace_until_the_first_is_there() {
    let (outcome, stays, _) = run(&text(200, "", FIRST_AFTER_2_H));
    assert_eq!(stays, [(1, 0, 90), (0, 120, 300)]);
    assert_eq!((outcome.end, outcome.elapsed), (End::Finished, minutes(300)));
    assert_eq!((outcome.preemptions, outcome.attempts), (1, 2));
    assert_eq!(outcome.cost().nusd(), 7_800_000_000);
    let parts = [
        (Part::Computing, 2 * 30 + 170),
        (Part::CheckpointStall, 2 + 5),
        (Part::Lost, 28),
        (Part::Queued, 30),
        (Part::Restoring, 5),
    ];
    for (part, expected) in parts {
        assert_eq!(outcome.time.get(part), minutes(expected), "{part:?}");
    }
}

/// A restore of its own: the second takes 9 min where the first takes 5, so at 20 min it begins to train at 29 and is
/// done 20 steps later, at 69 min.
#[test]
fn a_type_restores_in_its_own_time() {
    let events = "capacity.events = [{ at = \"20 min\", nodes = 0 }]";
    let more = format!(
        "{events}\nfallback.\"g5.2xlarge\".capacity.always = {{}}\nfallback.\"g5.2xlarge\".start.restore = \"9 min\"\n\
         checkpoint = {{ every = \"10 min\", stall = \"0 s\" }}"
    );
    let (outcome, stays, _) = run(&text(40, "", &more));
    assert_eq!((stays, outcome.elapsed), (vec![(0, 0, 20), (1, 20, 69)], minutes(69)));
    assert_eq!(outcome.time.get(Part::Computing), minutes(20 + 2 * 20));
}

/// A step costs 2 / 60 USD on the first. At 1.2 USD/h the second, which takes twice as long, is cheaper by the hour
/// and dearer by the step; at 0.9 USD/h it is cheaper by both.
#[test]
fn the_cheapest_type_is_that_of_the_cheapest_step() {
    for (price, zone, end, nusd) in [("1.2", 0, 60, 2_000_000_000), ("0.9", 1, 120, 1_800_000_000)] {
        let more = format!("fallback.\"g5.2xlarge\".pricing.spot = \"{price} USD/h\"");
        let (outcome, stays, _) = run(&text(60, "choose_zone = \"cheapest\"", &more));
        assert_eq!((stays, outcome.cost().nusd()), (vec![(zone, 0, end)], nusd));
    }
}

/// All zones of the first come before those of the second: a goes at 20 min and is followed by b, and b at 40 min by the
/// second type in a.
#[test]
fn all_zones_of_the_first_type_come_first() {
    let more = r#"
zone.a.capacity.events = [{ at = "20 min", nodes = 0 }]
zone.b.capacity.events = [{ at = "40 min", nodes = 0 }]
[fallback."g5.2xlarge".capacity]
always = {}
"#;
    let (outcome, stays, _) = run(&text(30, "zones = [\"a\", \"b\"]", more));
    assert_eq!(stays, [(0, 0, 20), (1, 20, 40), (2, 40, 105)]);
    assert_eq!(outcome.elapsed, minutes(40 + 5 + 60));
}

/// The second trains 15 steps in 30 min, while what is left counts at the pace of On-Demand, which is the first: after k
/// saves it must leave at 150 − 5 − (100 − 15 k) min. That is 75 min after the second save, at 60 min. On-Demand then
/// restores until 80 min and makes 70 steps by the deadline, at 5 USD/h.
#[test]
fn a_slow_type_is_left_in_time_for_the_deadline() {
    let more = r#"
job.deadline = "150 min"
policy.greedy = {}
capacity.events = [{ at = "0 s", nodes = 0 }]
fallback."g5.2xlarge".capacity.always = {}
fallback."g5.2xlarge".pricing.spot = "1.2 USD/h"
checkpoint = { every = "30 min", stall = "0 s" }
"#;
    let (outcome, stays, ledger) = run(&text(100, "", more));
    assert_eq!(stays[0], (1, 0, 75));
    assert_eq!((ledger.stays[1].market, stays[1].1, stays[1].2), (Market::OnDemand, 75, 150));
    assert_eq!(ledger.stays[0].ended, Ended::Released);
    assert_eq!((outcome.end, outcome.elapsed), (End::Finished, minutes(150)));
    assert_eq!(outcome.cost().nusd(), 1_500_000_000 + 6_250_000_000);
    assert_eq!(outcome.time.get(Part::Computing), minutes(2 * 30 + 70));
}

/// The first always has capacity, so it is never left, whatever the second could do.
#[test]
fn two_types_without_a_difference_are_one() {
    let more = r#"
fallback."g5.2xlarge".compute.step_time = "1 min"
capacity.lifetime = { exponential = { mean = "30 min" } }
capacity.acquire = { exponential = { mean = "2 min" } }
checkpoint = { every = "10 min", stall = "1 min" }
"#;
    for choose in ["first", "cheapest"] {
        let both = text(90, &format!("choose_zone = \"{choose}\""), more)
            .replace("fallback.\"g5.2xlarge\".compute.step_time = \"2 min\"\n", "");
        let alone = both
            .replace("fallback_instances = [\"g5.2xlarge\"]\n", "")
            .replace("fallback.\"g5.2xlarge\".compute.step_time = \"1 min\"\n", "")
            .replace("fallback.\"g5.2xlarge\".pricing.spot = \"2 USD/h\"\n", "")
            .replace(&format!("choose_zone = \"{choose}\""), "");
        let (both, alone) =
            (scenario(&both).clusters.remove(0).plan, scenario(&alone).clusters.remove(0).plan);
        for replication in 0..200 {
            assert_eq!(outcome(&both, replication), outcome(&alone, replication));
        }
    }
}

/// Facts of the catalogue and the model's step: what the further type has is what a cluster of it alone has.
const MODELLED: &str = r#"
schema = 1
name = "modelled"
job = { model = "vit_base_patch16_224", batch_per_gpu = 64, work = "2 M samples", horizon = "9 d" }
checkpoint = { every = "15 min", to = "s3", on_notice = true }
capacity = { renewal = { uptime = "5 h", gap = "1 h" }, notice = { lead = "2 min" } }
pricing.rule = "ec2"
"#;

fn modelled(instance: &str, more: &str) -> Plan {
    let cluster = format!(
        "[[cluster]]\nname = \"c\"\ninstance = \"{instance}\"\nnodes = 4\nmarket = \"spot\"\nzones = [\"a\", \"b\"]\n{more}"
    );
    let text = format!("{MODELLED}{cluster}");
    let read = scenario(&text);
    assert_eq!(scenario(&read.show()).clusters[0].plan, read.clusters[0].plan, "{}", read.show());
    read.clusters[0].plan.clone()
}

#[test]
fn a_type_has_the_pace_and_the_prices_of_a_cluster_of_its_own() {
    let price = "fallback.\"g6.2xlarge\".pricing.spot = \"0.5 USD/h\"";
    let both =
        modelled("g5.4xlarge", &format!("fallback_instances = [\"g5.2xlarge\", \"g6.2xlarge\"]\n{price}"));
    assert_eq!(both.elsewhere.len(), 1 + 2 + 2);
    assert!(both.elsewhere[0].machine.is_none());
    for (at, instance, spot) in [(1, "g5.2xlarge", ""), (3, "g6.2xlarge", "pricing.spot = \"0.5 USD/h\"")] {
        let alone = modelled(instance, spot);
        let expected = Machine {
            step: alone.work.step,
            burst: alone.work.burst,
            cycle: alone.cycle,
            restore: alone.start.restore.clone(),
            notice: alone.notice,
        };
        for zone in &both.elsewhere[at..at + 2] {
            assert_eq!((zone.machine.as_ref(), &zone.spot), (Some(&expected), &alone.spot));
            assert_eq!(zone.capacity.path, alone.capacity.path);
        }
    }
    let mut keys: Vec<u64> = both.zones().map(|(capacity, _)| capacity.zone).collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), 6, "each type in each zone is a world of its own");
}

#[test]
fn what_does_not_go_with_a_fallback_is_refused() {
    let check = |text: &str, wanted: &str| {
        let (code, _, stderr) = run_text("instances-refused", text, &[]);
        assert!(code == 2 && stderr.contains(wanted), "{code} {stderr}\n{text}");
    };
    let listed = |names: &str| text(60, "", "").replace("[\"g5.2xlarge\"]", names);
    check(&listed("[\"g5.2xlarge\", \"g5.2xlarge\"]"), "names the instance \"g5.2xlarge\" twice");
    check(&listed("[\"g5.2xlarge\", \"g5.4xlarge\"]"), "names the instance \"g5.4xlarge\" twice");
    check(
        &listed("[\"g5.2xlarge\", \"g5.12xlarge\"]"),
        "1 × g5.12xlarge have 4 GPUs, and 1 × g5.4xlarge have 1",
    );
    check(&listed("[\"g5.2xlarg\"]"), "did you mean \"g5.2xlarge\"?");
    check(&listed("[\"g5.2xlarge\", \"g6.2xlarge\"]"), "the speed in [compute] is that of g5.4xlarge");
    check(&text(60, "", "fallback.\"g5.2xlarg\".pricing.spot = \"1 USD/h\""), "did you mean \"g5.2xlarge\"?");
    let no_price = text(60, "", "").replace("fallback.\"g5.2xlarge\".pricing", "#");
    check(&no_price, "the Spot price in [pricing] is that of g5.4xlarge");
    check(&text(60, "", "").replace("\"spot\"\n", "\"on-demand\"\n"), "has no effect On-Demand");
    check(&text(60, "", "fallback.\"g5.2xlarge\".job.work = \"3 steps\""), "unknown key `job`");
    check(&text(60, "", "fallback.\"g5.2xlarge\".zone.c.capacity.always = {}"), "no cluster is in the zone");
    check(
        &text(60, "", "fallback.\"g5.2xlarge\".pricing.rule = \"ec2\""),
        "the pricing `rule` on g5.2xlarge",
    );
    check(&text(60, "", "fallback.\"g5.2xlarge\".start.provision = \"9 s\""), "[start] but for `restore`");
    check(&text(60, "", "fallback.\"g5.2xlarge\".checkpoint.every = \"9 s\""), "as g5.2xlarge");
    check(&text(60, "min_nodes = 1", ""), "`min_nodes` or `spares` with `fallback_instances`");
    check(&text(60, "", "simulation.tick = \"1 min\""), "tick mode");
    let optimum = "checkpoint = { every = \"optimum\", stall = \"1 s\" }\ncapacity.lifetime = { exponential = { mean = \"5 h\" } }";
    check(&text(60, "", optimum), "`every = \"optimum\"` with");
    let local = "checkpoint = { every = \"9 min\", stall = \"1 s\", to = \"local\" }";
    check(&text(60, "", local), "`to = \"local\"` with");
    let ideal = text(60, "", "")
        .replace("\"60 steps\"", "{ ideal_time = \"1 h\" }")
        .replace("compute.step_time", "#");
    check(&ideal.replace("fallback.\"g5.2xlarge\".#", "#"), "`work` as an ideal time");
}

/// The hand calculation above, by type in the JSON and line by line in the ledger.
#[test]
fn results_say_what_was_on_which_type() {
    let text = text(200, "", FIRST_AFTER_2_H);
    let (code, clusters, stderr) = run_text("instances-results", &text, &["--replications", "3"]);
    assert_eq!(code, 0, "{stderr}");
    let places = clusters[0]["zones"].as_array().unwrap();
    for (place, (instance, hours, usd)) in
        places.iter().zip([("g5.4xlarge", 3.0, 6.0), ("g5.2xlarge", 1.5, 1.8)])
    {
        assert_eq!((place["zone"].as_str(), place["instance"].as_str()), (Some("any"), Some(instance)));
        assert_eq!(place["node_hours_mean"].as_f64(), Some(hours));
        assert_eq!(place["cost_usd_mean"].as_f64(), Some(usd));
    }
    let folder = folder("instances-ledger");
    std::fs::write(folder.join("instances.toml"), text).unwrap();
    let arguments = ["run", "instances.toml", "--explain-cost", "--replications", "2"];
    let output = String::from_utf8(spotsim_in(&folder, &arguments).stdout).unwrap();
    assert!(output.contains("Spot    g5.2xlarge  "), "{output}");
}

/// What `show` prints of instance types, in two zones, says the same again.
#[test]
fn what_show_prints_of_instances_gives_the_same_plan() {
    let more = format!(
        "{FIRST_AFTER_2_H}\nzone.b.pricing.spot = \"0.5 USD/h\"\n[fallback.\"g5.2xlarge\".zone.b]\n\
         capacity.lifetime = \"3 h\"\npricing.spot = \"0.4 USD/h\""
    );
    let read = scenario(&text(60, "zones = [\"a\", \"b\"]\nchoose_zone = \"cheapest\"", &more));
    assert_eq!(scenario(&read.show()).clusters[0].plan, read.clusters[0].plan, "{}", read.show());
    let alike = scenario(&text(60, "", ""));
    assert_eq!(scenario(&alike.show()).clusters[0].plan, alike.clusters[0].plan, "{}", alike.show());
    let two = format!(
        "{}[[cluster]]\nname = \"two\"\ninstance = \"g5.xlarge\"\nnodes = 1\nmarket = \"spot\"\n",
        text(60, "", FIRST_AFTER_2_H)
    );
    let read = scenario(&two);
    let again = scenario(&read.show());
    for (one, other) in read.clusters.iter().zip(&again.clusters) {
        assert_eq!(one.plan, other.plan, "{}", read.show());
    }
}

/// Whatever is lost where, no policy that counts on On-Demand is late: 200 worlds each, on a slower and on a faster type.
#[test]
fn deadlines_are_kept_on_any_type() {
    let mut fell_back = 0;
    for policy in
        ["greedy = {}", "thresholds = {}", "uniform_progress = {}", "time_sliced = { slice = \"50 min\" }"]
    {
        for pace in ["150 s", "40 s"] {
            let more = format!(
                r#"
job.deadline = "6 h"
policy.{policy}
capacity.renewal = {{ uptime = {{ exponential = {{ mean = "70 min" }} }}, gap = {{ exponential = {{ mean = "1 h" }} }} }}
checkpoint = {{ every = "10 min", stall = "20 s" }}
"#
            );
            let text = text(200, "", &more).replace("\"2 min\"", &format!("\"{pace}\""));
            let plan = scenario(&text).clusters.remove(0).plan;
            for replication in 0..200 {
                let outcome = outcome(&plan, replication);
                assert_eq!(outcome.end, End::Finished);
                assert!(
                    outcome.elapsed <= minutes(360),
                    "{policy} {pace} {replication}: {:?}",
                    outcome.elapsed
                );
                fell_back += u32::from(outcome.time.get(Part::Computing) != minutes(200));
            }
        }
    }
    assert!(fell_back > 800, "{fell_back}");
}

/// The first goes at 20 min, and the second is to be had in the other region alone: 6 GB at 100 MB/s add 1 min to the restore
/// of 5, and 20 steps of 2 min follow.
#[test]
fn a_save_goes_to_another_region_for_another_type() {
    let more = r#"
capacity.events = [{ at = "20 min", nodes = 0 }]
checkpoint = { every = "10 min", stall = "0 s", size = "6 GB", to = "s3", move_bandwidth = "100 MB/s" }
fallback."g5.2xlarge".capacity.always = {}
fallback."g5.2xlarge".zone.us-east-1a.capacity.events = [{ at = "0 s", nodes = 0 }]
"#;
    let (outcome, stays, _) = run(&text(40, "zones = [\"us-east-1a\", \"us-west-2a\"]", more));
    assert_eq!((stays, outcome.elapsed), (vec![(0, 0, 20), (3, 20, 66)], minutes(66)));
    assert_eq!(outcome.time.get(Part::Restoring), minutes(6));
}
