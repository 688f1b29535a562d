//! Hardware failures, shocks, detection and the phases of a start, at instants computed by hand.

use crate::run::{first, minutes, outcome, scenario};
use spotsim::pricing::Ended;
use spotsim::scenario::plan::Plan;
use spotsim::sim::{End, Part, Reason};

/// Four nodes at 1 $/h that have 60 min of work and 10 min of bring-up a time, with `more` keys.
fn plan(market: &str, on_loss: &str, more: &str) -> Plan {
    let text = format!(
        r#"
schema = 1
name = "gangs"
job.work = {{ ideal_time = "60 min" }}
start.start = "10 min"
pricing = {{ rule = "ec2", on_demand = "1 USD/h", spot = "1 USD/h" }}
{more}
[[cluster]]
name = "four"
instance = "g5.xlarge"
nodes = 4
market = "{market}"
on_loss = "{on_loss}"
"#
    );
    scenario(&text).clusters[0].plan.clone()
}

/// Hardware that lasts 50 min fails at 50 min, with 40 of 60 min done, and the second time too.
#[test]
fn hardware_fails_on_demand_too_and_is_no_preemption() {
    let mut plan = plan("on-demand", "release", "failures.per_node = \"50 min\"\nlimits.max_restarts = 1");
    let (outcome, ledger) = first(&plan);
    assert_eq!(outcome.end, End::GaveUp(Reason::MaxRestarts));
    assert_eq!((outcome.preemptions, outcome.failures, outcome.nodes_lost), (0, 2, 8));
    assert_eq!((outcome.elapsed, outcome.time.get(Part::Lost)), (minutes(100), minutes(80)));
    assert!(ledger.stays.iter().all(|stay| stay.ended == Ended::Failed && stay.bill.billed == minutes(50)));
    plan.failures = None;
    assert_eq!(first(&plan).0.elapsed, minutes(70));
}

/// EC2 gives the first hour away if it takes a node back, not if the node breaks.
#[test]
fn a_node_that_fails_in_its_first_hour_is_billed() {
    let failing = plan("spot", "release", "failures.per_node = \"50 min\"\nlimits.max_restarts = 0");
    assert_eq!(outcome(&failing, 0).cost().nusd(), 4 * 833_333_333);
    let taken = plan("spot", "release", "capacity.lifetime = \"50 min\"\nlimits.max_restarts = 0");
    assert_eq!(outcome(&taken, 0).cost().nusd(), 0);
}

/// A lifetime that ends at the same instant takes the node back before it can fail.
#[test]
fn a_node_that_is_taken_back_as_it_fails_is_preempted() {
    let both = "capacity.lifetime = \"50 min\"\nfailures.per_node = \"50 min\"\nlimits.max_restarts = 0";
    let outcome = outcome(&plan("spot", "release", both), 0);
    assert_eq!((outcome.preemptions, outcome.failures), (1, 0));
}

/// A gang of n nodes whose hardware lasts 20 h in the mean finishes 60 min of work after 10 min of start
/// at once with chance e^{−n · 70/1,200}: 0.7919 of four. Of 20,000 the share is within 4.5 standard errors
/// (a false alarm in 150,000, seed fixed).
#[test]
fn failures_come_at_the_rate_of_their_law() {
    let more = "failures.per_node = { exponential = { mean = \"20 h\" } }\nlimits.max_restarts = 0";
    let plan = plan("on-demand", "release", more);
    let n = 20_000;
    let finished = (0..n).filter(|&k| outcome(&plan, k).end == End::Finished).count();
    let share = finished as f64 / n as f64;
    assert!((share - 0.791_89).abs() < 4.5 * 0.406 / (n as f64).sqrt(), "{share}");
}

/// Clusters in one zone, and of any size, meet the same shocks; a shock that takes every node breaks both
/// at once.
#[test]
fn a_shock_takes_the_nodes_of_every_cluster_of_the_zone() {
    let more = "capacity.shock = [{ mean = \"1 h\", hit = 1.0 }]\nlimits.max_restarts = 0";
    let four = plan("spot", "release", more);
    let mut two = four.clone();
    two.nodes = 2;
    let mut broken = 0;
    for replication in 0..50 {
        let (a, b) = (outcome(&four, replication), outcome(&two, replication));
        assert_eq!(a.elapsed, b.elapsed);
        broken += a.preemptions;
        assert_eq!((a.nodes_lost, b.nodes_lost), (4 * a.preemptions, 2 * a.preemptions));
    }
    assert!(broken > 10, "{broken}");
}

/// Node 3 is taken at 40 min, 30 min into the work; the others hang for 15 min. Then 4 nodes start for
/// 10 min and train for 60: 40 + 15 + 70 = 125 min. The survivors pay the hang.
#[test]
fn survivors_hang_until_the_loss_is_detected() {
    let lose = "capacity.events = [{ at = \"40 min\", lose = [3] }]\nstart.detection = \"15 min\"";
    for (on_loss, stays) in [("release", 8), ("keep", 5)] {
        let (outcome, ledger) = first(&plan("spot", on_loss, lose));
        assert_eq!((outcome.end, outcome.elapsed), (End::Finished, minutes(125)), "{on_loss}");
        assert_eq!(outcome.time.get(Part::Lost), minutes(45));
        assert_eq!((outcome.preemptions, outcome.nodes_lost, ledger.stays.len()), (1, 1, stays));
        // 3 nodes for 55 min and 4 for 70; the node taken at 40 min is free.
        let right = (3.0 * 55.0 + 4.0 * 70.0) / 60.0;
        assert!((outcome.cost().as_usd() - right).abs() < 1e-8, "{on_loss}");
    }
}

/// At 45 min the last survivor goes too: nobody is left to hang, and the gang is asked for anew.
#[test]
fn a_hang_ends_when_the_last_survivor_goes() {
    let lose = r#"capacity.events = [{ at = "40 min", lose = [3] }, { at = "45 min", lose = [0, 1, 2] }]
start.detection = "15 min""#;
    let (outcome, _) = first(&plan("spot", "keep", lose));
    assert_eq!((outcome.elapsed, outcome.preemptions, outcome.nodes_lost), (minutes(115), 1, 4));
}

/// A hang counts as training to `max_run`, and no step is left to make at the limit.
#[test]
fn limits_end_a_hang() {
    let lose = "capacity.events = [{ at = \"40 min\", lose = [3] }]\nstart.detection = \"2 h\"\n";
    for (limit, reason) in
        [("max_run = \"72 min\"", Reason::MaxRun), ("max_wait = \"72 min\"", Reason::MaxWait)]
    {
        let (outcome, _) = first(&plan("spot", "keep", &format!("{lose}limits.{limit}")));
        assert_eq!((outcome.end, outcome.elapsed), (End::GaveUp(reason), minutes(72)));
    }
    let (outcome, _) = first(&plan("spot", "keep", &format!("{lose}limits.max_restarts = 0")));
    assert_eq!((outcome.end, outcome.elapsed), (End::GaveUp(Reason::MaxRestarts), minutes(160)));
}

/// Greedy leaves for On-Demand in the middle of a hang: 70 min before the deadline of 130 min.
#[test]
fn a_policy_leaves_spot_in_a_hang() {
    let lose = r#"capacity.events = [{ at = "40 min", lose = [3] }]
start.detection = "9 h"
policy.greedy = {}
job.deadline = "130 min""#;
    let (outcome, _) = first(&plan("spot", "keep", lose));
    assert_eq!((outcome.end, outcome.elapsed), (End::Finished, minutes(130)));
}

/// One of four nodes goes at 40 min. A job that listens to the notice stops at 38 min with 28 min kept and needs
/// no timeout: 40 + 10 + 32. One that does not hangs until 55 min and begins anew: 55 + 10 + 60.
#[test]
fn survivors_do_not_hang_after_a_notice_that_the_job_listens_to() {
    let elapsed = |on_notice: bool| {
        let more = format!(
            r#"checkpoint = {{ on_notice = {on_notice}, stall = "90 s" }}
start.detection = "15 min"
[capacity]
notice.lead = "2 min"
events = [{{ at = "40 min", lose = [1] }}]"#
        );
        outcome(&plan("spot", "release", &more), 0).elapsed
    };
    assert_eq!((elapsed(true), elapsed(false)), (minutes(82), minutes(125)));
}

/// Greedy leaves Spot at 30 min with 10 min of work kept. The On-Demand nodes fail at 55, 80 and 105 min, with
/// 15 min more of work kept each time; 5 min are left then, done at 105 + 10 + 5. Spot was left for good, so
/// nothing is left again though the deadline is lost.
#[test]
fn on_demand_nodes_that_fail_are_replaced_after_a_policy_left_spot() {
    let more = r#"checkpoint = { every = "5 min", stall = "0 s" }
capacity.events = [{ at = "20 min", nodes = 0 }]
failures.per_node = "25 min"
policy.greedy = {}
job.deadline = "100 min""#;
    let (outcome, ledger) = first(&plan("spot", "release", more));
    assert_eq!((outcome.end, outcome.elapsed), (End::Finished, minutes(120)));
    assert_eq!((outcome.preemptions, outcome.failures, ledger.stays.len()), (1, 3, 20));
}

/// 10 + 1 + 2 + 3 + 4 + 5 min of start and 60 of work, and the same as the ideal time.
#[test]
fn the_phases_of_a_start_add_up() {
    let more = r#"start.image = "1 min"
start.framework = "2 min"
start.rendezvous = "3 min"
start.data = "4 min"
start.warm_up = "5 min""#;
    let plan = plan("spot", "release", more);
    let (outcome, _) = first(&plan);
    assert_eq!((outcome.elapsed, outcome.time.get(Part::Starting)), (minutes(85), minutes(25)));
}

/// A phase draws from its own stream: one more phase moves no other draw.
#[test]
fn a_phase_more_leaves_the_draws_of_the_others_alone() {
    let image = "start.image = { exponential = { mean = \"5 min\" } }";
    let one = outcome(&plan("spot", "release", image), 0).elapsed;
    let two = outcome(&plan("spot", "release", &format!("{image}\nstart.data = \"7 min\"")), 0).elapsed;
    assert_eq!(two, one + minutes(7));
}
