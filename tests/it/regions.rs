//! Gangs that go on in another region (docs/semantics.md, rule 58), at instants and dollars computed by hand.

use crate::run::{first, minutes, outcome, scenario};
use spotsim::sim::{Outcome, Part};
use spotsim::units::Span;

/// 60 min of work, saved every 10 min at no cost; restores of 1 min; a save of 60 GB, which takes 1 min at 1 GB/s.
fn text(zones: &str, more: &str) -> String {
    format!(
        r#"
schema = 1
name = "regions"
job.work = {{ ideal_time = "60 min" }}
job.horizon = "1 d"
start = {{ restore = "1 min", on_first = false }}
pricing = {{ rule = "flat", on_demand = "5 USD/h", spot = "1 USD/h", storage = "0 USD/GB-month", put_requests = "0 USD/1000 requests", get_requests = "0 USD/1000 requests" }}
checkpoint = {{ every = "10 min", stall = "0 s", size = "60 GB", to = "s3" }}
[zone.us-east-1a.capacity]
events = [{{ at = "25 min", nodes = 0 }}]
[[cluster]]
name = "one"
instance = "g5.xlarge"
nodes = 1
market = "spot"
zones = [{zones}]
{more}
"#
    )
}

fn run(zones: &str, more: &str) -> Outcome {
    first(&scenario(&text(zones, more)).clusters[0].plan).0
}

const FAST: &str = "checkpoint = { move_bandwidth = \"1 GB/s\" }";

/// At 25 min, 20 min are saved. In the same region the rest begins at 26 min and ends at 66 min.
#[test]
fn another_zone_of_the_region_finds_the_save() {
    let outcome = run("\"us-east-1a\", \"us-east-1b\"", "");
    assert_eq!(outcome.elapsed, minutes(66));
    assert_eq!(outcome.beside.total().nusd(), 0);
}

/// In another region the copy takes another minute, and pays 60 GB × $0.01, the price between the two in the east,
/// or × $0.02.
#[test]
fn a_save_is_copied_to_the_region_in_which_the_gang_goes_on() {
    for (zone, nusd) in [("us-east-2a", 600_000_000), ("us-west-2a", 1_200_000_000)] {
        let outcome = run(&format!("\"us-east-1a\", \"{zone}\""), FAST);
        assert_eq!(outcome.elapsed, minutes(67), "{zone}");
        assert_eq!(outcome.time.get(Part::Restoring), minutes(2), "{zone}");
        assert_eq!(outcome.beside.total().nusd(), nusd, "{zone}");
    }
}

/// 60 GB are 480 Gbit: 58.536585366 s at the 8.20 Gbit/s measured within a continent, 133.704735376 s at the 3.59 to
/// another.
#[test]
fn another_continent_is_further() {
    for (zone, ns) in [("us-west-2a", 58_536_585_366), ("eu-west-1a", 133_704_735_376)] {
        let outcome = run(&format!("\"us-east-1a\", \"{zone}\""), "");
        assert_eq!(outcome.time.get(Part::Restoring), minutes(1) + Span::from_ns(ns), "{zone}");
    }
}

/// The price of the file is that between all regions.
#[test]
fn a_price_that_is_given_counts() {
    let more = format!("{FAST}\npricing = {{ between_regions = \"0.05 USD/GB\" }}");
    assert_eq!(run("\"us-east-1a\", \"us-east-2a\"", &more).beside.total().nusd(), 3_000_000_000);
}

/// Lost at 5 min, before its first save: there is nothing to copy.
#[test]
fn without_a_save_nothing_moves() {
    let text = text("\"us-east-1a\", \"us-west-2a\"", FAST).replace("25 min", "5 min");
    let outcome = first(&scenario(&text).clusters[0].plan).0;
    assert_eq!((outcome.elapsed, outcome.beside.total().nusd()), (minutes(66), 0));
}

/// Us-west-2a goes at 25.5 min, amid the copy begun at 25 min: it is paid, and made anew from 40 min on, when there is
/// capacity again. From 42 min on 40 min are left.
#[test]
fn a_copy_that_is_cut_short_is_made_anew() {
    let west = "[zone.us-west-2a.capacity]\nevents = [{ at = \"1530 s\", nodes = 0 }, { at = \"40 min\", nodes = 1 }]\n[[cluster]]";
    let text = text("\"us-east-1a\", \"us-west-2a\"", FAST).replace("[[cluster]]", west);
    let outcome = first(&scenario(&text).clusters[0].plan).0;
    assert_eq!(outcome.elapsed, minutes(82));
    assert_eq!(outcome.beside.total().nusd(), 2_400_000_000);
}

/// Of two zones at one price the cheapest is that where the save lies, though it comes later in the list. The gang
/// begins in us-east-1a at 0.5 USD/h; when that goes, us-west-2a and us-east-1b cost the same.
#[test]
fn of_equal_prices_the_region_of_the_save_is_taken() {
    let zones = "\"us-west-2a\", \"us-east-1b\", \"us-east-1a\"";
    let more = "choose_zone = \"cheapest\"\nzone.us-east-1a.pricing.spot = \"0.5 USD/h\"";
    let outcome = run(zones, more);
    assert_eq!((outcome.elapsed, outcome.beside.total().nusd()), (minutes(66), 0));
}

/// Greedy counts the copy. Waiting it leaves two restarts before the last instant, each of 1 min and a copy of 1 min:
/// at 80 − 40 − 4 = 36 min; On-Demand in us-east-1a needs no copy, so 41 min later the job is done. Asking in us-west-2a
/// it leaves at 80 − 40 − 2 = 38 min, for On-Demand there, and the deadline is just met.
#[test]
fn a_policy_counts_the_way_of_the_save() {
    for (west, done) in [("events = [{ at = \"0 s\", nodes = 0 }]", 77), ("acquire = \"10 h\"", 80)] {
        let more = format!("{FAST}\npolicy = {{ greedy = {{}} }}\njob = {{ deadline = \"80 min\" }}");
        let west = format!("[zone.us-west-2a.capacity]\n{west}\n[[cluster]]");
        let text = text("\"us-east-1a\", \"us-west-2a\"", &more).replace("[[cluster]]", &west);
        assert_eq!(first(&scenario(&text).clusters[0].plan).0.elapsed, minutes(done), "{west}");
    }
}

/// Without the size of a save nothing is known of its way, and the answer says so.
#[test]
fn a_save_of_unknown_size_is_found_everywhere() {
    let text =
        text("\"us-east-1a\", \"us-west-2a\"", "").replace("size = \"60 GB\", to = \"s3\"", "keep = 2");
    let scenario = scenario(&text);
    let cluster = &scenario.clusters[0];
    assert_eq!(outcome(&cluster.plan, 0).elapsed, minutes(66));
    assert!(
        cluster.assumed.iter().any(|said| said.sentence.contains("its size is not known")),
        "{:?}",
        cluster.assumed
    );
}

/// What `show` prints of moves at several prices says the same again.
#[test]
fn what_show_prints_of_regions_gives_the_same_plan() {
    for more in ["", FAST] {
        let read = scenario(&text("\"us-east-1a\", \"us-east-2a\", \"eu-west-1a\"", more));
        assert_eq!(scenario(&read.show()).clusters[0].plan, read.clusters[0].plan);
    }
}
