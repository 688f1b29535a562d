//! Recorded capacity and recorded prices are replayed from one instant.

use spotsim::rng::Streams;
use spotsim::scenario::load::{Loaded, Overrides, Scenario, load};
use spotsim::sim::{Ledger, Scratch, Stay, simulate};
use spotsim::units::Span;

/// Up for 1 h, down for 1 h, up for 2 h, down for half an hour, and again.
const TRACE: &str = "# kind: availability
start,duration_s,nodes
2026-03-01T00:00:00Z,3600,1
2026-03-01T01:00:00Z,3600,0
2026-03-01T02:00:00Z,7200,1
2026-03-01T04:00:00Z,1800,0
";

/// 1 USD/h in the first stretch, 3 in the second, from the evening before on and long after.
const PRICES: &str = "time,price
2026-03-01T01:30:00Z,3
2026-02-28T20:00:00Z,1
2026-03-01T04:15:00Z,1
";

fn loaded(trace: &str, job: &str, capacity: &str, pricing: &str) -> Loaded {
    let text = format!(
        r#"
schema = 1
name = "replay"
job = {{ work = {{ ideal_time = "20 h" }}, horizon = "40 h"{job} }}
checkpoint = {{ every = "1 s", stall = "0 s" }}
capacity.trace = {{ file = "trace.csv"{capacity} }}
pricing = {{ rule = "flat", on_demand = "4 USD/h", history = "prices.csv"{pricing} }}
[[cluster]]
name = "c"
instance = "g5.xlarge"
nodes = 1
market = "spot"
"#
    );
    let read = |name: &str| Ok(if name == "trace.csv" { trace } else { PRICES }.to_owned());
    load("test.toml", text, &Overrides::default(), &read)
}

fn scenario(job: &str, capacity: &str) -> Scenario {
    let loaded = loaded(TRACE, job, capacity, "");
    let said = loaded.problems.render(&loaded.sources, false);
    loaded.scenario.unwrap_or_else(|| panic!("{said}"))
}

fn refused(trace: &str, job: &str, capacity: &str) -> String {
    let loaded = loaded(trace, job, capacity, "");
    assert!(loaded.scenario.is_none());
    loaded.problems.render(&loaded.sources, false)
}

fn stays(scenario: &Scenario, replication: u64) -> Vec<Stay> {
    let mut ledger = Ledger::default();
    let plan = &scenario.clusters[0].plan;
    simulate(plan, &Streams::new(5), replication, &mut Scratch::default(), &mut ledger);
    ledger.stays
}

/// Length in minutes and bill in millionths of a dollar.
fn told(stays: &[Stay]) -> Vec<(u64, i64)> {
    let minutes = |stay: &Stay| stay.end.since(stay.granted).ns() / 60_000_000_000;
    stays.iter().map(|stay| (minutes(stay), stay.bill.cost.nusd() / 1_000)).collect()
}

#[test]
fn without_submit_both_begin_with_the_trace() {
    assert_eq!(told(&stays(&scenario("", ""), 0)), [(60, 1_000_000), (120, 6_000_000)]);
}

/// 20 min into the first stretch: 40 min at 1 USD/h; 02:30: 90 min at 3.
#[test]
fn with_submit_both_begin_there() {
    let from = |submit: &str| told(&stays(&scenario(&format!(", submit = {submit}"), ""), 0));
    assert_eq!(from("2026-03-01T00:20:00Z"), [(40, 666_666), (120, 6_000_000)]);
    assert_eq!(from("2026-03-01T03:30:00+01:00"), [(90, 4_500_000)]);
}

#[test]
fn a_submit_outside_the_trace_is_refused_with_its_window() {
    for submit in ["2026-02-28T23:59:59Z", "2026-03-01T04:30:00Z"] {
        let said = refused(TRACE, &format!(", submit = {submit}"), "");
        assert!(said.contains("from 2026-03-01T00:00:00Z until before 2026-03-01T04:30:00Z"), "{said}");
    }
}

/// The price tells which stretch a stay is in: a whole stretch of 1 h costs 1 USD/h, one of 2 h costs 3. So the
/// price has followed capacity to every random instant, and around the end of the trace.
#[test]
fn at_a_random_instant_the_price_is_that_of_the_capacity() {
    let scenario = scenario("", ", begin = \"random\", at_end = \"wrap\"");
    let mut begun_within = 0;
    for replication in 0..300 {
        let stays = stays(&scenario, replication);
        assert!(stays.len() > 5);
        for (index, stay) in stays.iter().enumerate() {
            let ran = stay.end.since(stay.granted);
            let usd_per_h = stay.bill.cost.as_usd() / ran.as_hours();
            let whole = index > 0 && index + 1 < stays.len();
            let right = if ran == Span::from_s(7_200) { 3.0 } else { 1.0 };
            // A bill is rounded to whole nano-dollars.
            let rounding = 1e-6 + 1e-9 / ran.as_hours();
            let is_known = (usd_per_h - 1.0).abs().min((usd_per_h - 3.0).abs()) < rounding;
            assert!(is_known, "{usd_per_h}");
            assert!(!whole || (usd_per_h - right).abs() < 1e-6, "replication {replication}: {usd_per_h}");
            begun_within += u32::from(index == 0 && ran < Span::from_s(3_600));
        }
    }
    assert!(begun_within > 30, "replications begin within stretches: {begun_within}");
}

/// A trace that stops takes no price with it, and one that wraps needs a price for its whole length.
#[test]
fn a_price_is_needed_from_the_first_instant_that_can_be_met() {
    let late = |job: &str, capacity: &str| {
        let trace = TRACE.replace("2026-03-01", "2026-02-28").replace("T0", "T1");
        loaded(&trace, job, capacity, "")
    };
    let said = |loaded: Loaded| loaded.problems.render(&loaded.sources, false);
    // The trace runs from 10:00 to 14:30; the first price is of 20:00.
    assert!(said(late("", "")).contains("the first 10 h after 2026-02-28T10:00:00Z are not covered"));
    let loaded = loaded(TRACE, ", submit = 2026-03-01T02:00:00Z", ", at_end = \"wrap\"", "");
    assert!(loaded.scenario.is_some());
}

#[test]
fn a_trace_without_civil_times_needs_submit_and_no_random_begin() {
    let assumed = TRACE.replace("# kind", "# start: assumed\n# kind");
    assert!(refused(&assumed, "", "").contains("add `submit = 2026-03-02T01:00:00Z` to [job]"));
    let said = refused(&assumed, ", submit = 2026-03-01T02:00:00Z", ", begin = \"random\"");
    assert!(said.contains("cannot follow a trace without civil times to a random instant"), "{said}");
    let fine = loaded(&assumed, ", submit = 2026-03-01T02:00:00Z", "", "");
    // The trace begins at its start, the price at 02:00 with 3 USD/h; the second stay, from 04:00 on, has it for a
    // quarter of an hour and pays 1 USD/h for the rest.
    assert_eq!(told(&stays(&fine.scenario.unwrap(), 0)), [(60, 3_000_000), (120, 2_500_000)]);
}

#[test]
fn a_submit_that_nothing_hangs_on_is_harmless_and_said() {
    let text = r#"
schema = 1
name = "harmless"
job = { work = { ideal_time = "1 h" }, submit = "2026-03-01T02:00:00Z" }
[[cluster]]
name = "c"
instance = "g5.xlarge"
nodes = 1
market = "spot"
"#;
    let show = crate::run::scenario(text).show();
    assert!(
        show.contains("submit = 2026-03-01T02:00:00Z  # not used: nothing here hangs on civil time"),
        "{show}"
    );
}

/// What `show` prints is read as the same scenario.
#[test]
fn a_shown_history_is_read_back() {
    let shown = scenario(", submit = 2026-03-01T00:20:00Z", "").show();
    assert!(shown.contains("submit = 2026-03-01T00:20:00Z  # where capacity and prices begin"), "{shown}");
    assert!(shown.contains("# 3 prices from 2026-02-28T20:00:00Z to 2026-03-01T04:15:00Z"), "{shown}");
    let read = |name: &str| Ok(if name == "trace.csv" { TRACE } else { PRICES }.to_owned());
    let again = load("shown.toml", shown.clone(), &Overrides::default(), &read);
    let bare = |text: &str| -> Vec<String> {
        text.lines().map(|line| line.split("  # ").next().unwrap_or("").to_owned()).collect()
    };
    assert_eq!(bare(&again.scenario.unwrap().show()), bare(&shown));
}

/// An On-Demand cluster beside it has no price in the file, and needs none.
#[test]
fn an_on_demand_cluster_needs_no_price_on_record() {
    let text = |pricing: &str| {
        format!(
            r#"
schema = 1
name = "on-demand"
job.work = {{ ideal_time = "1 h" }}
pricing = {{ {pricing} }}
[[cluster]]
name = "c"
instance = "g5.12xlarge"
nodes = 1
market = "on-demand"
zones = ["us-east-1a"]
"#
        )
    };
    let read = |_: &str| Ok("time,zone,type,price\n2026-03-01T04:15:00Z,x,y,1\n".to_owned());
    let load = |pricing: &str| load("t.toml", text(pricing), &Overrides::default(), &read);
    assert!(load("history = \"f\"").scenario.is_some());
    let wrong = load("history = \"f\", produkt = \"Windows\"");
    assert!(wrong.problems.render(&wrong.sources, false).contains("did you mean `product`?"));
}
