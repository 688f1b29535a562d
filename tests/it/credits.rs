//! Burst credits in the engine, at instants computed by hand.

use crate::run::{s, scenario};
use spotsim::capacity::Law;
use spotsim::checkpoint::{Cycle, Every};
use spotsim::policy::{Greedy, Policy};
use spotsim::rng::Streams;
use spotsim::scenario::plan::{Burst, OnLoss, Plan, StepParts};
use spotsim::sim::{End, Outcome, Part, Scratch, simulate};
use spotsim::units::Span;

fn ms(milliseconds: u64) -> Span {
    Span::from_ns(milliseconds * 1_000_000)
}

/// A gang of four that comes back after a loss within 100 + 60 + 20 + 20 = 200 s, with `more` keys.
pub fn gang(more: &str) -> Plan {
    let text = format!(
        r#"
schema = 1
name = "credits"
job.work = "1500 steps"
compute.step_time = "2 s"
start = {{ provision = "60 s", start = "20 s", restore = "20 s", on_first = false }}
[[cluster]]
name = "four"
instance = "g5.xlarge"
nodes = 4
market = "spot"
on_loss = "keep"
[capacity]
acquire = "100 s"
acquire_first = "0 s"
{more}
"#
    );
    scenario(&text).clusters[0].plan.clone()
}

/// 1,500 steps of 2 s, or of 1 s while the credits last: for 1,000 s from full ones; an idle second earns
/// half a second. A save after each 100 s of kept steps, for `stall`.
fn plan(more: &str, stall: Span) -> Plan {
    let mut plan = gang(more);
    plan.work.step = StepParts { computing: ms(600), exposed_comm: ms(1_300), data_stall: ms(100) };
    let step = StepParts { computing: ms(600), exposed_comm: ms(300), data_stall: ms(100) };
    plan.work.burst = Some(Burst { step, full: s(1_000), earn: 0.5 });
    plan.cycle = Cycle::new(s(2), Some(Every::Time(s(100))), stall, false);
    plan
}

/// Its first replication.
pub fn run(plan: &Plan) -> Outcome {
    simulate(plan, &Streams::new(0), 0, &mut Scratch::default(), &mut ())
}

fn elapsed(plan: &Plan) -> Span {
    let outcome = run(plan);
    assert_eq!((outcome.end, outcome.time.total()), (End::Finished, outcome.elapsed));
    outcome.elapsed
}

const LOSE_ONE: &str = r#"events = [{ at = "600 s", lose = [3] }]"#;

/// 1,000 steps of 1 s, then 500 of 2 s.
#[test]
fn full_credits_last_for_their_burst_and_then_steps_are_slow() {
    let plan = plan("", Span::ZERO);
    let time = run(&plan).time;
    assert_eq!(elapsed(&plan), s(2_000));
    assert_eq!(time.get(Part::Computing), ms(1_500 * 600));
    assert_eq!(time.get(Part::ExposedComm), ms(1_000 * 300 + 500 * 1_300));
    assert_eq!(time.get(Part::DataStall), ms(1_500 * 100));
    assert_eq!(plan.uninterrupted(), s(2_000));
}

/// Cut at an instant, with a save after every step: at 1,000 s step 1,000 is done, at 1,001 s the next is
/// half done, and at 1,002 s it is done too.
#[test]
fn credits_run_out_at_the_hand_computed_instant() {
    for (horizon, kept) in [(1_000, 1_000), (1_001, 1_000), (1_002, 1_001)] {
        let mut plan = plan("", Span::ZERO);
        plan.horizon = s(horizon);
        plan.cycle = Cycle::new(s(2), Some(Every::Steps(1)), Span::ZERO, false);
        assert_eq!(run(&plan).time.get(Part::Computing), ms(kept * 600), "at {horizon} s");
    }
}

/// With credits for 1,000 s and 1 ns, step 1,001 begins in the burst and lasts 1 s.
#[test]
fn a_step_lasts_as_the_regime_in_which_it_began() {
    let mut plan = plan("", Span::ZERO);
    for (full, expected) in [(s(1_000) + Span::from_ns(1), s(1_999)), (s(1_001), s(1_999))] {
        plan.work.burst.as_mut().unwrap().full = full;
        assert_eq!(elapsed(&plan), expected);
    }
}

/// 19 saves of 10 s: after each 100 s of the 2,000 s but the last.
#[test]
fn saves_neither_spend_nor_earn_credits() {
    assert_eq!(elapsed(&plan("", s(10))), s(2_000 + 190));
}

/// Three nodes have 400 s left at 600 s and earn 100 s until 800 s; the new one is full. Of the last 900
/// steps 500 are fast: 800 + 500 + 2 × 400 s.
#[test]
fn kept_nodes_earn_credits_while_the_gang_comes_back() {
    assert_eq!(elapsed(&plan(LOSE_ONE, Span::ZERO)), s(2_100));
}

/// All of the last 900 steps are fast.
#[test]
fn new_nodes_are_full_after_a_release() {
    let mut plan = plan(LOSE_ONE, Span::ZERO);
    plan.on_loss = OnLoss::Release;
    assert_eq!(elapsed(&plan), s(800 + 900));
}

/// After 3,000 s for the new node the others would have 400 + 1,550 s; they have 1,000 s. Of the last
/// 1,400 steps 1,000 are fast: 3,700 + 1,000 + 2 × 400 s.
#[test]
fn nobody_earns_more_than_full_credits() {
    let mut plan = plan(LOSE_ONE, Span::ZERO);
    plan.work.steps = 2_000;
    plan.capacity.acquire = Law::constant(s(3_000));
    assert_eq!(elapsed(&plan), s(3_700 + 1_000 + 800));
}

/// The second loss, at 770 s, is within the start after the first: training begins at 970 s, after 370 s
/// that earned 185 s. Of the last 900 steps 585 are fast: 970 + 585 + 2 × 315 s.
#[test]
fn an_attempt_that_never_trains_goes_on_earning() {
    let losses = r#"events = [{ at = "600 s", lose = [3] }, { at = "770 s", lose = [2] }]"#;
    assert_eq!(elapsed(&plan(losses, Span::ZERO)), s(2_185));
}

/// Of the 50 s since the newest save all are lost, but their credits are spent: 350 s are left at 650 s,
/// 450 s at 850 s. Of the last 900 steps 450 are fast: 850 + 450 + 2 × 450 s.
#[test]
fn lost_steps_have_spent_their_credits() {
    let plan = plan(r#"events = [{ at = "650 s", lose = [0] }]"#, Span::ZERO);
    assert_eq!(elapsed(&plan), s(2_200));
    assert_eq!(run(&plan).time.get(Part::Lost), s(50));
}

/// No Spot at all: `greedy` leaves at 4,000 − 1,500 × 2 s, less 0 s for the first start and 100 s for one after it, and
/// then the work takes the 2,000 s of a gang with full credits.
#[test]
fn greedy_counts_on_no_credits() {
    let mut plan = plan(r#"events = [{ at = "0 s", nodes = 0 }]"#, Span::ZERO);
    plan.policy = Policy::Greedy(Greedy { deadline: s(4_000) });
    assert_eq!(elapsed(&plan), s(900 + 2_000));
}

#[test]
fn credits_of_one_replication_do_not_leak_into_another() {
    let mut plan = plan(r#"lifetime = { exponential = { mean = "20 min" } }"#, s(3));
    plan.work.steps = 10_000;
    let mut scratch = Scratch::default();
    let mut backwards: Vec<_> = (0..200)
        .rev()
        .map(|replication| simulate(&plan, &Streams::new(0), replication, &mut scratch, &mut ()))
        .collect();
    backwards.reverse();
    for (replication, outcome) in (0..).zip(backwards) {
        let alone = simulate(&plan, &Streams::new(0), replication, &mut Scratch::default(), &mut ());
        assert_eq!(alone, outcome, "replication {replication}");
    }
}
