//! Whole bills by hand: storage, requests, traffic, volumes, and dollars by the parts of time. Prices are the
//! list of us-east-1 in `data/extras.toml`; a month is 2,592,000 s.

use crate::run::{folder, number, outcome, run_text, scenario, spotsim_in};
use spotsim::pricing::{Charge, Item, Usage};
use spotsim::scenario::cluster::Cluster;
use spotsim::sim::{End, Outcome};
use spotsim::units::Span;

/// 7,200 steps of 1 s on `nodes` nodes at 1 USD/h; more keys in `more`.
fn text(nodes: u32, more: &str) -> String {
    format!(
        r#"
schema = 1
name = "dollars"
job.work = "7200 steps"
compute.step_time = "1 s"
pricing.rule = "flat"
pricing.on_demand = "1 USD/h"
pricing.spot = "1 USD/h"
{more}
[[cluster]]
name = "c"
instance = "g5.2xlarge"
nodes = {nodes}
market = "spot"
on_loss = "keep"
[simulation]
replications = 1
"#
    )
}

fn cluster(nodes: u32, more: &str) -> Cluster {
    scenario(&text(nodes, more)).clusters.remove(0)
}

/// Nano-dollars of the line for `item`; none: 0.
fn line(cluster: &Cluster, outcome: &Outcome, item: Item) -> i64 {
    let charges: &[Charge] = cluster.plan.extras.as_ref().map_or(&[], |extras| &extras.charges);
    let lines = charges.iter().filter(|charge| charge.item == item);
    lines.map(|charge| charge.cost(&outcome.usage).nusd()).sum()
}

/// Saves of 20 s after 30 min, lost at 6,000 s, back at once, restored in 30 s: durable at 1,820, 3,640 and
/// 5,460 s, done at 6,030 + 1,800 = 7,830 s.
const LOST_ONCE: &str = "capacity.events = [{ at = \"6000 s\", lose = [0] }]\nstart.restore = \"30 s\"";
const EVERY_30_MIN: &str = "every = \"30 min\", stall = \"20 s\", size = \"1.04 GB\"";

/// The whole bill to the nano-dollar.
///
/// * 6,000 s and 1,830 s at 1 USD/h: 1.666666667 + 0.508333333.
/// * Kept for 6,010 + 4,190 + 2,370 = 12,570 s: 0.023 × 1.04 × 12,570 / 2,592,000 = 0.000116000926.
/// * Three saves of 124 parts of 8 MiB and 2 calls: 378 × 0.005 / 1,000 = 0.00189.
/// * One restore of 124 ranges: 124 × 0.0004 / 1,000 = 0.0000496.
#[test]
fn a_bill_with_saves_in_s3_is_that_by_hand() {
    let cluster = cluster(1, &format!("checkpoint = {{ {EVERY_30_MIN}, to = \"s3\" }}\n{LOST_ONCE}"));
    let outcome = outcome(&cluster.plan, 0);
    assert_eq!(outcome.elapsed.as_secs(), 7_830.0);
    assert_eq!(outcome.spot_cost.nusd(), 1_666_666_667 + 508_333_333);
    assert_eq!(line(&cluster, &outcome, Item::SavesStored), 116_001);
    assert_eq!(line(&cluster, &outcome, Item::SaveRequests), 1_890_000);
    assert_eq!(line(&cluster, &outcome, Item::RestoreRequests), 49_600);
    let groups: Vec<i64> = outcome.beside.groups().iter().map(|money| money.nusd()).collect();
    assert_eq!(groups, [116_001, 1_939_600, 0]);
    assert_eq!(outcome.cost().nusd(), 2_175_000_000 + 116_001 + 1_939_600);
}

/// The newest two: the third takes the place of the first, so two lie there from 1,820 s and 3,640 s on:
/// 10,200 s, 0.023 × 1.04 × 10,200 / 2,592,000.
#[test]
fn only_the_newest_saves_are_stored_where_the_others_go() {
    let keep = format!("checkpoint = {{ {EVERY_30_MIN}, to = \"s3\", keep = 2 }}\n{LOST_ONCE}");
    let cluster = cluster(1, &keep);
    assert_eq!(line(&cluster, &outcome(&cluster.plan, 0), Item::SavesStored), 94_130);
}

/// On-Demand without a loss: 7,200 s and three saves of 20 s; kept from 1,820, 3,640 and 5,460 s to 7,260 s:
/// 10,860 s.
#[test]
fn the_on_demand_bill_has_its_own_saves() {
    let cluster = cluster(1, &format!("checkpoint = {{ {EVERY_30_MIN}, to = \"s3\" }}\n{LOST_ONCE}"));
    assert_eq!(cluster.ideal.on_demand_cost.nusd(), 2_016_666_667 + 1_890_000 + 100_220);
    let more = format!("checkpoint = {{ {EVERY_30_MIN}, to = \"s3\" }}\nstart.restore = \"30 s\"");
    let on_demand = text(1, &more).replace("market = \"spot\"", "market = \"on-demand\"");
    let on_demand = scenario(&on_demand).clusters.remove(0);
    assert_eq!(outcome(&on_demand.plan, 0).cost(), cluster.ideal.on_demand_cost);
}

/// Lost at 1,810 s, in the first save: its requests count, but there is nothing to store before the next, at
/// 1,840 + 1,800 + 20, and nothing to restore. With the save at the end: 1,800 s apart, five begun.
#[test]
fn a_save_voided_by_a_loss_costs_its_requests() {
    let capacity = "capacity.events = [{ at = \"1810 s\", lose = [0] }]\nstart.restore = \"30 s\"";
    let more = format!("checkpoint = {{ {EVERY_30_MIN}, to = \"s3\", final_save = true }}\n{capacity}");
    let usage = outcome(&cluster(1, &more).plan, 0).usage;
    let end = 1_840 + 7_200 + 4 * 20;
    let kept: u64 = (1..=4).map(|k| end - (1_840 + k * 1_820)).sum();
    let right = Usage { saves: 5, restores: 0, save_ns: u128::from(kept) * 1_000_000_000, ..usage };
    assert_eq!(usage, right);
}

/// A notice of 120 s for the loss at 6,000 s: the job saves its steps at 5,880 s, so it keeps 5,820 steps (60 s
/// were saves) in a fourth save, stored from the loss on. The rest, 1,380 steps, ends at 7,410 s.
#[test]
fn a_save_at_a_notice_counts_too() {
    let more = format!(
        "checkpoint = {{ {EVERY_30_MIN}, to = \"s3\", on_notice = true }}\ncapacity.notice.lead = \"2 min\"\n{LOST_ONCE}"
    );
    let outcome = outcome(&cluster(1, &more).plan, 0);
    assert_eq!(outcome.elapsed.as_secs(), 7_410.0);
    let kept: u128 = [1_820, 3_640, 5_460, 6_000].iter().map(|at| 7_410 - at).sum();
    assert_eq!((outcome.usage.saves, outcome.usage.restores), (4, 1));
    assert_eq!(outcome.usage.save_ns, kept * 1_000_000_000);
}

/// Both ways at 0.02 USD/GB: three saves out, one restore back.
#[test]
fn saves_in_another_region_are_charged_out_of_either() {
    let far =
        format!("checkpoint = {{ {EVERY_30_MIN}, to = \"s3\", store_in = \"other-region\" }}\n{LOST_ONCE}");
    let cluster = cluster(1, &far);
    let outcome = outcome(&cluster.plan, 0);
    assert_eq!(line(&cluster, &outcome, Item::SaveTraffic), 62_400_000);
    assert_eq!(line(&cluster, &outcome, Item::RestoreTraffic), 20_800_000);
}

/// Two nodes of 100 GB each; node 1 is lost at 6,000 s and there again after 600 s: volumes for 8,430, 6,000
/// and 1,830 s, 0.08 × 100 × 16,260 / 2,592,000 = 0.050185185; three nodes pull 8 GB at 0.01 USD/GB at both
/// ends, and 2 GB at 0.02.
#[test]
fn volumes_images_and_data_of_every_new_node() {
    let more = "pricing.volume = \"100 GB\"\ncheckpoint = { every = \"30 min\", stall = \"0 s\" }\n\
                start = { restore = \"30 s\", image_size = \"8 GB\", image_from = \"other-zone\", data_size = \"2 GB\", \
                data_from = \"other-region\" }\n\
                capacity = { acquire = \"600 s\", acquire_first = \"0 s\", events = [{ at = \"6000 s\", lose = [1] }] }";
    let gang = cluster(2, more);
    let outcome = outcome(&gang.plan, 0);
    assert_eq!(outcome.elapsed.as_secs(), 8_430.0);
    assert_eq!(line(&gang, &outcome, Item::NodeVolumes), 50_185_185);
    assert_eq!(line(&gang, &outcome, Item::Image), 480_000_000);
    assert_eq!(line(&gang, &outcome, Item::Data), 120_000_000);
    for free in ["same-region", "internet"] {
        let more = more.replace("other-zone", free).replace("other-region", free);
        assert_eq!(cluster(2, &more).plan.extras.unwrap().charges.len(), 1, "{free}");
    }
    // A first gang that is spared its start has pulled before.
    let spared = more.replace("restore =", "on_first = false, restore =");
    assert_eq!(self::outcome(&cluster(2, &spared).plan, 0).usage.nodes_started, 1);
}

/// On EBS the newest save and the one being written need 2.08 GB, so 3 GB, from submit to 7,830 s:
/// 0.08 × 3 × 7,830 / 2,592,000. A given volume holds them instead, and outlives its first node.
#[test]
fn saves_on_ebs_need_a_volume_that_outlives_its_node() {
    let check = |volume: &str, nodes: u32, item: Item, right: i64| {
        let more = format!("checkpoint = {{ {EVERY_30_MIN}, to = \"ebs\" }}\n{LOST_ONCE}");
        let more = match volume.strip_prefix("keep") {
            Some(keep) => more.replace("to =", &format!("keep{keep}, to =")),
            None => format!("{more}\n{volume}"),
        };
        let cluster = cluster(nodes, &more);
        let outcome = outcome(&cluster.plan, 0);
        assert_eq!(outcome.elapsed.as_secs(), 7_830.0);
        assert_eq!(line(&cluster, &outcome, item), right, "{volume} {nodes} {item:?}");
        assert_eq!(outcome.usage.restores, 1);
    };
    check("", 1, Item::SaveVolumes, 725_000);
    check("", 1, Item::NodeVolumes, 0);
    check("pricing.volume = \"100 GB\"", 1, Item::SaveVolumes, 24_166_667);
    check("pricing.volume = \"100 GB\"", 2, Item::SaveVolumes, 24_166_667);
    check("pricing.volume = \"100 GB\"", 2, Item::NodeVolumes, 24_166_667);
    check("keep = 1", 1, Item::SaveVolumes, 483_333);
}

/// In parts of 0.26 GB (31 of 8 MiB) from each of four nodes: 4 × 33 requests to write, 4 × 31 to read.
#[test]
fn sharded_saves_are_requests_of_every_node() {
    let more = format!("checkpoint = {{ {EVERY_30_MIN}, to = \"s3\", mode = \"sharded\" }}\n{LOST_ONCE}");
    let cluster = cluster(4, &more);
    let outcome = outcome(&cluster.plan, 0);
    assert_eq!(line(&cluster, &outcome, Item::SaveRequests), 3 * 4 * 33 * 5_000);
    assert_eq!(line(&cluster, &outcome, Item::RestoreRequests), 4 * 31 * 400);
    assert_eq!(line(&cluster, &outcome, Item::SavesStored), 116_001);
}

/// What has no price or size is left out, and said.
#[test]
fn what_has_no_price_is_left_out_and_said() {
    let check = |instance: &str, checkpoint: &str, pricing: &str, charges: usize, said: &str| {
        let more =
            format!("checkpoint = {{ every = \"30 min\", stall = \"20 s\", {checkpoint} }}\n{pricing}");
        let text = text(1, &more).replace("g5.2xlarge", instance);
        let cluster = scenario(&text).clusters.remove(0);
        assert_eq!(
            cluster.plan.extras.map_or(0, |extras| extras.charges.len()),
            charges,
            "{instance} {pricing}"
        );
        assert!(
            cluster.assumed.iter().any(|words| words.sentence.contains(said)),
            "{said}: {:?}",
            cluster.assumed
        );
    };
    let size = "size = \"1 GB\", ";
    let gcp = "a2-highgpu-1g";
    let s3 = format!("{size}to = \"s3\"");
    check(gcp, &s3, "", 0, "no such price of Google Cloud: storage, put_requests, get_requests");
    let card = "pricing.storage = \"0.02 USD/GB-month\"\npricing.get_requests = \"0.0004 USD/1000 requests\"";
    check(gcp, &s3, card, 2, "no such price of Google Cloud: put_requests");
    check(
        "ml.g5.2xlarge",
        &s3,
        "pricing.volume = \"30 GB\"",
        3,
        "no such price of SageMaker: volume_storage",
    );
    check("g5.2xlarge", "to = \"s3\"", "", 0, "their size is not known");
    check(
        "g5.2xlarge",
        &s3,
        "",
        3,
        "objects 0.023 USD/GB-month, requests that write 0.005 USD/1000 requests",
    );
    check("g5.2xlarge", &format!("{size}to = \"ebs\""), "", 1, "saves on 1 volume of 2 GB");
}

/// A price card at twice the list doubles every line within a nano-dollar.
#[test]
fn doubled_prices_double_each_line() {
    let list = "storage = \"0.023 USD/GB-month\"\nput_requests = \"0.005 USD/1000 requests\"\n\
                get_requests = \"0.0004 USD/1000 requests\"\nvolume_storage = \"0.08 USD/GB-month\"\n\
                between_zones = \"0.01 USD/GB\"\nbetween_regions = \"0.02 USD/GB\"";
    let doubled = "storage = \"0.046 USD/GB-month\"\nput_requests = \"0.01 USD/1000 requests\"\n\
                   get_requests = \"0.0008 USD/1000 requests\"\nvolume_storage = \"0.16 USD/GB-month\"\n\
                   between_zones = \"0.02 USD/GB\"\nbetween_regions = \"0.04 USD/GB\"";
    let of = |card: &str| {
        let card = card.replace('\n', "\npricing.");
        let more = format!(
            "pricing.{card}\npricing.volume = \"77 GB\"\nstart.image_size = \"1.7 GB\"\nstart.image_from = \"other-zone\"\n\
             checkpoint = {{ {EVERY_30_MIN}, to = \"s3\", store_in = \"other-region\" }}\n{LOST_ONCE}"
        );
        let cluster = cluster(3, &more);
        let usage = outcome(&cluster.plan, 0).usage;
        let charges = cluster.plan.extras.unwrap().charges;
        charges.iter().map(|charge| charge.cost(&usage).nusd()).collect::<Vec<_>>()
    };
    let (single, double) = (of(list), of(doubled));
    assert_eq!(single.len(), 7);
    for (single, double) in single.iter().zip(&double) {
        assert!(*single > 0 && (double - 2 * single).abs() <= 1, "{single} {double}");
    }
}

/// Two nodes, one lost at 6,000 s; the other hangs for 100 s, waits for 600 s, both restore for 30 s and make
/// 1,800 steps again: 14,400 node-seconds computing, 1,200 + 100 lost, 60 restoring, 600 idle, at 1 USD/h each.
#[test]
fn dollars_by_part_are_those_of_the_node_seconds() {
    let more = "checkpoint = { every = \"30 min\", stall = \"0 s\", size = \"1.04 GB\", to = \"s3\" }\n\
                start = { restore = \"30 s\", detection = \"100 s\" }\n\
                capacity = { acquire = \"600 s\", acquire_first = \"0 s\", events = [{ at = \"6000 s\", lose = [1] }] }";
    let (code, clusters, stderr) = run_text("dollars-by-part", &text(2, more), &[]);
    assert_eq!(code, 0, "{stderr}");
    let of = &clusters[0]["cost_usd_by_part"];
    let close = |name: &str, node_s: f64| {
        assert!((number(of, name) - node_s / 3_600.0).abs() < 1e-9, "{name}: {of}");
    };
    close("computing", 14_400.0);
    close("lost", 1_300.0);
    close("restoring", 60.0);
    close("idle", 600.0);
    close("starting", 0.0);
    let lines = clusters[0]["cost_lines"].as_array().unwrap();
    let items: Vec<&str> = lines.iter().map(|line| line["item"].as_str().unwrap()).collect();
    assert_eq!(items, ["spot instances", "storage", "requests"]);
    let cost = number(&clusters[0], "cost_usd_mean");
    let parts: f64 = of.as_object().unwrap().values().map(|usd| usd.as_f64().unwrap()).sum();
    let items: f64 = lines.iter().map(|line| line["usd_mean"].as_f64().unwrap()).sum();
    assert!((parts - cost).abs() < 1e-12 && (items - cost).abs() < 1e-12, "{parts} {items} {cost}");
}

/// `[expect]` and CSV know the parts; the table and the ledger say what is beside the instances.
#[test]
fn the_answer_says_what_is_beside_the_instances() {
    let more = format!(
        "checkpoint = {{ {EVERY_30_MIN}, to = \"s3\" }}\n{LOST_ONCE}\nexpect = {{ \"cost_usd_by_part.other\" = {{ max = 0.001 }} }}"
    );
    let folder = folder("dollars-said");
    std::fs::write(folder.join("s.toml"), text(1, &more)).unwrap();
    let output = spotsim_in(&folder, &["run", "s.toml", "--explain-cost", "--out", "out"]);
    assert_eq!(output.status.code(), Some(3));
    let stdout = String::from_utf8(output.stdout).unwrap();
    for words in [
        "c pays $0.0021 beside its instances: storage $0.0001, requests $0.0019.",
        "x 1.04 GB, 0.023 USD/GB-month of 30 d",
        "x 126 requests, 0.005 USD/1000 requests",
        "0.000116001",
        "sum of all  2.177055601",
        "objects 0.023 USD/GB-month",
    ] {
        assert!(stdout.contains(words), "no {words:?} in\n{stdout}");
    }
    assert!(stdout.lines().all(|line| line.chars().count() <= 100), "{stdout}");
    let csv = std::fs::read_to_string(folder.join("out/clusters.csv")).unwrap();
    assert!(csv.lines().next().unwrap().contains(",lost_usd,idle_usd,other_usd"), "{csv}");
    let html = std::fs::read_to_string(folder.join("out/report.html")).unwrap();
    assert!(html.contains("Mean dollars by part") && html.contains("storage, requests, traffic"));
}

/// Theory counts instances: beside a bill with more it says so, and no figure `theory_cost_usd` exists.
#[test]
fn theory_is_not_held_against_more_than_it_counts() {
    let more = "checkpoint = { every = \"30 min\", stall = \"20 s\", size = \"500 GB\", to = \"s3\" }\nstart.restore = \"1 min\"\n\
                capacity.lifetime = { exponential = { mean = \"5 h\" } }";
    let text = text(1, more).replace("replications = 1", "replications = 200");
    let folder = folder("dollars-theory");
    std::fs::write(folder.join("s.toml"), text).unwrap();
    let run = |more: &[&str]| {
        let output = spotsim_in(&folder, &[&["run", "s.toml", "--out", "out"], more].concat());
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(run(&[]).replace('\n', " ").contains("; instances: theory $2."), "{}", run(&[]));
    let json: serde_json::Value = serde_json::from_str(&run(&["--format", "json"])).unwrap();
    assert!(json["clusters"][0]["theory_cost_usd"].is_null());
    assert!(json["clusters"][0]["theory_makespan_h"].is_number());
}

#[test]
fn keys_without_effect_are_refused() {
    for (more, said) in [
        ("start.image_from = \"internet\"", "`image_from` has no effect without `image_size`"),
        ("checkpoint.store_in = \"other-region\"", "`store_in` has no effect without `to = \"s3\"`"),
        ("pricing.storage = \"0.02 USD/GB\"", "`storage` has another unit"),
        ("pricing.volume = \"0 B\"", "must be above 0"),
        (
            "pricing.volume = \"1 GB\"\ncheckpoint = { every = \"1 h\", stall = \"1 s\", size = \"1.04 GB\", to = \"ebs\" }",
            "has no room for 2 saves of 1.04 GB",
        ),
        (
            "checkpoint = { every = \"1 s\", stall = \"0 s\", size = \"1000 TB\", to = \"s3\" }",
            "too much to count exactly",
        ),
    ] {
        let (code, _, stderr) = run_text("dollars-refused", &text(1, more), &[]);
        assert_eq!(code, 2, "{more}");
        assert!(stderr.contains(said), "{more}: {stderr}");
    }
}

/// What `show` prints has the catalogue's prices in it, and gives the same bill; volumes are not made up twice.
#[test]
fn a_scenario_that_was_shown_has_the_same_bill() {
    let folder = folder("dollars-shown");
    for (name, to) in
        [("s3", "to = \"s3\", store_in = \"other-region\""), ("ebs", "to = \"ebs\", mode = \"sharded\"")]
    {
        let more = format!(
            "checkpoint = {{ {EVERY_30_MIN}, {to} }}\n{LOST_ONCE}\nstart.image_size = \"8 GB\"\nstart.image_from = \"other-zone\""
        );
        std::fs::write(folder.join("a.toml"), text(3, &more)).unwrap();
        let shown = spotsim_in(&folder, &["show", "a.toml"]).stdout;
        std::fs::write(folder.join("b.toml"), &shown).unwrap();
        let summary = |file: &str| {
            let output = spotsim_in(&folder, &["run", file, "--plots", "none", "--out", "out"]);
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            std::fs::read_to_string(folder.join("out/summary.json")).unwrap()
        };
        assert_eq!(summary("a.toml"), summary("b.toml"), "{name}: {}", String::from_utf8_lossy(&shown));
    }
}

/// Two nodes, or one at half the pace, with free saves to S3 after each 10 min. Node 1 goes at 25 min for good: of 7,200
/// steps of 1 s 1,200 are saved, 6,000 steps of 2 s are left, with 19 more saves. Both nodes start once, one save is
/// read, and one node is missing for 12,000 s.
#[test]
fn an_elastic_gang_pays_for_the_saves_that_it_makes() {
    let text = r#"
schema = 1
name = "elastic"
job.work = "7200 steps"
compute.step_time = "1 s"
checkpoint = { every = "10 min", to = "s3", size = "1 GB", stall = "0 s" }
start = { restore = "0 s", image_size = "8 GB", image_from = "other-zone" }
capacity = { acquire = "200 h", acquire_first = "0 s", events = [{ at = "25 min", lose = [1] }] }
[[cluster]]
name = "c"
instance = "g5.xlarge"
nodes = 2
min_nodes = 1
market = "spot"
"#;
    let plan = scenario(text).clusters.remove(0).plan;
    let outcome = outcome(&plan, 0);
    assert_eq!((outcome.end, outcome.elapsed), (End::Finished, Span::from_s(1_500 + 12_000)));
    let usage = outcome.usage;
    assert_eq!((usage.saves, usage.restores, usage.nodes_started), (2 + 19, 1, 2));
    let node_s = |ns: u128| ns / 1_000_000_000;
    assert_eq!((node_s(outcome.running_node_ns), node_s(outcome.fewer_node_ns)), (15_000, 12_000));
}

/// Free saves of every nanosecond to another region: refused with the reason, not counted until money ends.
#[test]
fn a_bill_beside_instances_that_cannot_be_counted_is_refused() {
    let more = "checkpoint = { every = \"1 ns\", to = \"s3\", size = \"1 GB\", stall = \"0 s\", store_in = \"other-region\" }";
    let text = text(1, more).replace(
        "job.work = \"7200 steps\"\ncompute.step_time = \"1 s\"",
        "job.work = { ideal_time = \"1 h\" }",
    );
    let out = folder("too-dear-beside");
    std::fs::write(out.join("f.toml"), text).unwrap();
    let output = spotsim_in(&out, &["validate", "f.toml"]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("storage, requests and traffic over the horizon"), "{stderr}");
}
