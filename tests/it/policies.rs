//! Policies that come back from On-Demand, and tick mode.

use crate::run::{first, minutes, outcome, run_text, scenario};
use spotsim::rng::Streams;
use spotsim::scenario::plan::{Market, Plan};
use spotsim::sim::{End, Ledger, Scratch, simulate};
use spotsim::units::Span;

const H: u64 = 3_600_000_000_000;

fn text(policy: &str, more: &str) -> String {
    format!(
        r#"
schema = 1
name = "policies"
job = {{ work = {{ ideal_time = "8 h" }}, deadline = "12 h" }}
pricing = {{ rule = "flat", spot = "1 USD/h", on_demand = "3 USD/h" }}
policy = {policy}
{more}
[[cluster]]
name = "c"
instance = "g5.xlarge"
nodes = 1
market = "spot"
"#
    )
}

fn plan(policy: &str, more: &str) -> Plan {
    scenario(&text(policy, more)).clusters[0].plan.clone()
}

/// Markets of the stays and when each begins, minutes.
fn stays(plan: &Plan) -> Vec<(Market, u64)> {
    let (_, ledger): (_, Ledger) = first(plan);
    ledger.stays.iter().map(|stay| (stay.market, stay.granted.ns() / minutes(1).ns())).collect()
}

const SAVES: &str = "checkpoint = { every = \"30 min\", stall = \"0 s\" }\nstart = { start = \"6 min\" }\n";

/// Spot goes after 2 h: 1 h 30 min are saved, of 8 h in 12 h, so the job is behind the even pace after 2 h 15 min.
/// Spot is back at 4 h. On-Demand trains from 2 h 21 min on and saves each half hour; at t it has saved t - 51 min,
/// which must be more than (t + 12 min) × 2/3: t > 177 min, whose next save is at 3 h 21 min; but Spot comes at 4 h, so
/// it leaves at 4 h 21 min.
#[test]
fn uniform_progress_comes_back_at_a_save_once_it_is_ahead() {
    let events = "capacity.events = [{ at = \"2 h\", nodes = 0 }, { at = \"4 h\", nodes = 1 }]";
    let found = stays(&plan("{ uniform_progress = {} }", &format!("{SAVES}{events}")));
    assert_eq!(found, [(Market::Spot, 0), (Market::OnDemand, 135), (Market::Spot, 261)]);
}

/// The same without hysteresis; it leaves On-Demand at the save that makes up for the pace, waits until it is behind,
/// and takes Spot at the first save after it is there.
#[test]
fn thresholds_thrash() {
    let events = "capacity.events = [{ at = \"2 h\", nodes = 0 }, { at = \"4 h\", nodes = 1 }]";
    let found = stays(&plan("{ thresholds = {} }", &format!("{SAVES}{events}")));
    // On-Demand from 135 min; saves at 171 (120 min done, due 114): ahead, so it waits until 180 min; again from there,
    // a save at 216 (150 done, due 144), and waits until 225; a save at 261, where Spot is.
    let (spot, on_demand) = (Market::Spot, Market::OnDemand);
    assert_eq!(found, [(spot, 0), (on_demand, 135), (on_demand, 180), (on_demand, 225), (spot, 261)]);
    let kept = stays(&plan("{ thresholds = { keep_on_demand = true } }", &format!("{SAVES}{events}")));
    assert_eq!(kept, [(spot, 0), (on_demand, 135), (spot, 261)]);
}

/// Spot goes at 2 h, comes at 3 h for 5 min, and stays from 4 h on: with 10 min asked for it is taken at 4 h 10 min, or
/// rather at the save after: On-Demand from 2 h, trains from 2 h 6 min, saves at 36 and 6 min past.
#[test]
fn fall_back_returns_once_spot_lasts() {
    let events = "capacity.events = [{ at = \"2 h\", nodes = 0 }, { at = \"3 h\", nodes = 1 }, { at = \"3 h 5 min\", nodes = 0 }, { at = \"4 h\", nodes = 1 }]"
        .replace("3 h 5 min", "185 min");
    let found = stays(&plan("{ fall_back = { return_after = \"10 min\" } }", &format!("{SAVES}{events}")));
    assert_eq!(found, [(Market::Spot, 0), (Market::OnDemand, 120), (Market::Spot, 276)]);
}

/// 12 slices of an hour, 40 min of work each; no Spot until 5 h. In the first slice On-Demand begins 46 min before its
/// end; it stays until the save after that end, at which more is done than a slice asks for.
#[test]
fn time_slices_are_worked_off_one_by_one() {
    let events = "capacity.events = [{ at = \"0 s\", nodes = 0 }, { at = \"5 h\", nodes = 1 }]";
    let found = stays(&plan("{ time_sliced = { slice = \"1 h\" } }", &format!("{SAVES}{events}")));
    // From 14 min; trains from 20; saves at 50 and 80 min, where 60 of the 80 min due by 2 h are done: 26 min before 2 h it
    // must go on, so it waits from 80 to 94 min. Trains from 100, saves at 130: 90 of the 120 due by 3 h, so from 144.
    assert_eq!(found[..3], [(Market::OnDemand, 14), (Market::OnDemand, 94), (Market::OnDemand, 144)]);
    assert!(found.iter().filter(|(market, _)| *market == Market::Spot).all(|(_, at)| *at >= 300));
}

const WORLD: &str = "capacity.renewal = { uptime = { weibull = { shape = 0.7, mean = \"1.5 h\" } }, gap = { exponential = { mean = \"50 min\" } }, begin = \"stationary\" }\nstart = { start = \"6 min\" }\n";

fn costs(plan: &Plan, replications: u64) -> Vec<f64> {
    let mut scratch = Scratch::default();
    let run = |replication| {
        let outcome = simulate(plan, &Streams::new(1), replication, &mut scratch, &mut ());
        assert_eq!(outcome.end, End::Finished, "{replication}");
        assert_eq!(outcome.time.total(), outcome.elapsed);
        outcome.cost().as_usd()
    };
    (0..replications).map(run).collect()
}

/// With an overhead and free saves at every tenth of a second, tick mode comes to what event mode says as the tick shrinks: the mean
/// distance of 400 replications is at least halved from 10 min to 1 min to 6 s, and then below 3 cents of about 14 $.
#[test]
fn tick_mode_converges_to_event_mode() {
    for policy in ["{ greedy = {} }", "{ uniform_progress = {} }"] {
        let saves = "checkpoint = { every = \"100 ms\", stall = \"0 s\" }\n";
        let event = costs(&plan(policy, &format!("{WORLD}{saves}")), 400);
        let distance = |tick: &str| {
            let ticked = plan(policy, &format!("{WORLD}simulation.tick = \"{tick}\""));
            let ticked = costs(&ticked, 400);
            event.iter().zip(&ticked).map(|(a, b)| (a - b).abs()).sum::<f64>() / event.len() as f64
        };
        let found = ["10 min", "1 min", "6 s"].map(distance);
        assert!(
            found[1] < 0.5 * found[0] && found[2] < 0.5 * found[1] && found[2] < 0.03,
            "{policy}: {found:?}"
        );
    }
}

/// A row of the peer through a scenario: us-west-2a from tick 3,514 of 195 s on is found by its instant.
#[test]
fn a_published_row_is_met_by_a_scenario() {
    let trace = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("data/traces");
    let text = format!(
        r#"
schema = 1
name = "row"
job = {{ work = {{ ideal_time = "48 h" }}, deadline = "52 h", submit = 2023-02-23T20:29:06Z }}
start = {{ start = "72 s" }}
pricing = {{ rule = "flat", spot = "0.9731 USD/h", on_demand = "3.06 USD/h" }}
policy = {{ safety_net = "engine", uniform_progress = {{}} }}
capacity.trace = {{ file = "{}/aws-2023-02-15-v100-us-east-1a.csv", begin = "start" }}
simulation = {{ tick = "195 s", replications = 1 }}
[[cluster]]
name = "c"
instance = "p3.2xlarge"
nodes = 1
market = "spot"
"#,
        trace.display()
    );
    // data/verify/policies.csv, second row of `rc_cr_threshold`: 50.05 h, 0.541667 h Spot, 3 preemptions.
    let (code, clusters, stderr) = run_text("policy-row", &text, &[]);
    assert_eq!(code, 0, "{stderr}");
    let cost = crate::run::number(&clusters[0], "cost_usd_mean");
    assert!((cost - 146.221_346).abs() < 1e-6, "{cost}");
    assert!((crate::run::number(&clusters[0], "makespan_h_mean") - 50.05).abs() < 1e-9);
    assert!((crate::run::number(&clusters[0], "preemptions_mean") - 3.0).abs() < 1e-9);
}

/// Every policy that keeps a deadline keeps it in any world, with constant spans.
#[test]
fn deadlines_are_kept() {
    let policies = [
        "{ thresholds = {} }",
        "{ thresholds = { keep_on_demand = true, dwell = \"20 min\" } }",
        "{ uniform_progress = { ahead = 1 } }",
        "{ time_sliced = { slice = \"90 min\" } }",
    ];
    for policy in policies {
        let plan = plan(policy, &format!("{WORLD}checkpoint = {{ every = \"17 min\", stall = \"20 s\" }}"));
        for replication in 0..1_000 {
            let outcome = outcome(&plan, replication);
            assert!(outcome.meets(Span::from_ns(12 * H)), "{policy} {replication}: {outcome:?}");
        }
    }
}

/// An overhead that ends half a millisecond after a tick counts as done with it; all seconds are in one place still.
#[test]
fn an_overhead_just_beyond_a_tick_loses_no_time() {
    let world = WORLD.replace("6 min", "361.0005 s");
    let plan = plan("{ uniform_progress = {} }", &format!("{world}simulation.tick = \"1 s\""));
    for replication in 0..50 {
        let outcome = outcome(&plan, replication);
        assert_eq!(outcome.time.total(), outcome.elapsed, "{replication}");
    }
}
