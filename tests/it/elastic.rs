//! Elastic gangs and spares, at instants computed by hand.

use crate::run::{first, minutes, outcome, s, scenario};
use spotsim::rng::Streams;
use spotsim::scenario::plan::Plan;
use spotsim::sim::{End, Outcome, Part, Reason, Scratch, Stay, simulate};
use spotsim::units::Span;

/// `at(61, 30)` is 61 min 30 s.
fn at(minutes: u64, seconds: u64) -> Span {
    s(60 * minutes + seconds)
}

/// Four nodes at 1 $/h that make 1,200 steps of 3 s: 60 min, or 4 s a step with three of them. They provision
/// for 1 min, start for 4 and find each other in 1, so that they train from 6 min on; a node lost is granted
/// again 11 min after it is asked for, provisioned a minute later and up 4 min after that.
pub fn plan(cluster: &str, more: &str) -> Plan {
    let usual = [
        "start.provision = \"1 min\"",
        "start.start = \"4 min\"",
        "start.rendezvous = \"1 min\"",
        "start.restore = \"1 min\"",
        "start.reshard = \"2 min\"",
        "capacity.acquire = \"11 min\"",
        "capacity.acquire_first = \"0 s\"",
    ];
    let key = |line: &&str| line.split_inclusive('=').next().unwrap().to_owned();
    let usual: Vec<&str> = usual.into_iter().filter(|line| !more.contains(&key(line))).collect();
    let text = format!(
        r#"
schema = 1
name = "elastic"
job.work = "1200 steps"
compute.step_time = "3 s"
pricing = {{ rule = "flat", on_demand = "2 USD/h", spot = "1 USD/h" }}
{}
{more}
[[cluster]]
name = "four"
instance = "g5.xlarge"
nodes = 4
market = "spot"
{cluster}
"#,
        usual.join("\n")
    );
    scenario(&text).clusters[0].plan.clone()
}

const FROM_SAVE: &str = "min_nodes = 3\nstart.reshard_from = \"save\"";
const FROM_MEMORY: &str = "min_nodes = 3\nstart.reshard_from = \"memory\"";
const EVERY_12_MIN: &str = "checkpoint = { every = \"12 min\", stall = \"0 s\" }";

/// The capacity of [`plan`] with `lose` events: (minute, second) and slots.
fn lose(events: &[(u64, u64, &str)]) -> String {
    let event = |(m, s, slots): &(u64, u64, &str)| format!("{{ at = \"{m} min {s} s\", lose = [{slots}] }}");
    let events: Vec<String> = events.iter().map(event).collect();
    format!("capacity.events = [{}]", events.join(", "))
}

/// The elapsed time of a run that finishes, and that of these parts.
fn finished<const N: usize>(plan: &Plan, parts: [Part; N]) -> (Span, [Span; N]) {
    let outcome = outcome(plan, 0);
    assert_eq!(outcome.end, End::Finished, "{outcome:?}");
    (outcome.elapsed, parts.map(|part| outcome.time.get(part)))
}

fn counts(outcome: &Outcome) -> [u32; 3] {
    [outcome.attempts, outcome.preemptions, outcome.nodes_lost]
}

/// Node 3 goes at 31 min, 500 steps into the work, and cannot be had again in time. From the save after 24 min
/// (480 steps) 20 steps are lost; reshard and restore take 3 min, and 720 steps of 4 s take 48.
#[test]
fn three_of_four_go_on_from_the_newest_save() {
    let more = format!("{}\n{EVERY_12_MIN}\ncapacity.acquire = \"10 h\"", lose(&[(31, 0, "3")]));
    let plan = plan(FROM_SAVE, &more);
    let (outcome, ledger) = first(&plan);
    assert_eq!((outcome.end, outcome.elapsed), (End::Finished, minutes(82)));
    let parts = [Part::Starting, Part::Restoring, Part::Computing, Part::Lost];
    assert_eq!(parts.map(|part| outcome.time.get(part)), [5, 3, 72, 1].map(minutes));
    assert_eq!(counts(&outcome), [2, 1, 1]);
    // Three stays of 81 min and one of 30 min, each rounded by itself.
    assert_eq!((outcome.cost().nusd(), ledger.stays.len()), (3 * 1_350_000_000 + 500_000_000, 4));
}

/// From memory only the step under way is lost: 500 steps are made at 31 min, and 1.5 s of the next. 700 steps
/// of 4 s are left after 2 min: 31:01.5 + 2:00 + 46:40.
#[test]
fn three_of_four_go_on_from_memory() {
    let more = "capacity.events = [{ at = \"31 min 1500 ms\", lose = [3] }]\ncapacity.acquire = \"10 h\"";
    let (elapsed, parts) = finished(&plan(FROM_MEMORY, more), [Part::Restoring, Part::Computing, Part::Lost]);
    let half = Span::from_ns(1_500_000_000);
    assert_eq!(elapsed, at(79, 40) + half);
    assert_eq!(parts, [minutes(2), at(71, 40), half]);
}

/// Saves of 30 s end at 18:30 and 31:00. The loss at 36:00 leaves 580 steps, 5 min of them since the newest save,
/// so that the next is due 7 min (105 steps of 4 s) after 38:00. It ends at 45:30 and keeps 685 steps; all three
/// nodes go at 50:00 and with them what only they knew, 4:30 of steps. All are asked for at 50:00 and provisioned
/// at 62:00; node 3, provisioned at 48:00, is up by then. After 5 min of start and 1 of restore 515 steps of 3 s
/// and two saves follow: 68:00 + 25:45 + 1:00.
#[test]
fn the_cadence_of_saves_goes_on_in_memory_and_saves_what_memory_loses() {
    let events = lose(&[(36, 0, "3"), (50, 0, "0, 1, 2")]);
    let more = format!("{events}\ncheckpoint = {{ every = \"12 min\", stall = \"30 s\" }}");
    let plan = plan(FROM_MEMORY, &more);
    let parts = [Part::Acquiring, Part::Restoring, Part::CheckpointStall, Part::Computing, Part::Lost];
    let (elapsed, found) = finished(&plan, parts);
    assert_eq!(elapsed, at(94, 45));
    let computing = s(580 * 3 + 105 * 4 + 515 * 3);
    assert_eq!(found, [minutes(11), minutes(3), at(2, 30), computing, at(4, 30)]);
    assert_eq!(counts(&outcome(&plan, 0)), [3, 2, 4]);
}

/// Node 3 goes at 30:00 after 480 steps; three go on at 32:02. It is granted again at 40:00, provisioned at 41:00 and
/// up at 45:00, which falls into the 195th step of 4 s: it joins at 45:02. All go on at 47:04 with 525 steps left.
#[test]
fn a_node_joins_from_memory_at_the_next_step() {
    let more =
        format!("{}\ncapacity.acquire = \"10 min\"\nstart.reshard = \"2 min 2 s\"", lose(&[(30, 0, "3")]));
    let plan = plan(FROM_MEMORY, &more);
    let (outcome, ledger) = first(&plan);
    assert_eq!((outcome.end, outcome.elapsed), (End::Finished, at(73, 19)));
    assert_eq!((outcome.time.get(Part::Lost), outcome.time.get(Part::Restoring)), (Span::ZERO, at(4, 4)));
    assert_eq!(counts(&outcome), [2, 1, 1]);
    let mut ran: Vec<Span> = ledger.stays.iter().map(|stay| stay.bill.billed).collect();
    ran.sort();
    // It is billed from its provisioning on, while it starts beside the others.
    assert_eq!(ran, [minutes(29), at(32, 19), at(72, 19), at(72, 19), at(72, 19)]);
}

/// Node 3 goes at 31:00; three go on from 480 steps at 34:00. It is up at 47:00 and joins when the save after 24 min
/// of theirs is durable, at 58:00 with 840 steps. Reshard and restore, then 360 steps of 3 s from 61:00.
#[test]
fn a_node_joins_from_a_save_when_that_is_durable() {
    let plan = plan(FROM_SAVE, &format!("{}\n{EVERY_12_MIN}", lose(&[(31, 0, "3")])));
    let parts = [Part::Restoring, Part::Computing, Part::Lost];
    assert_eq!(finished(&plan, parts), (minutes(79), [6, 66, 1].map(minutes)));
    assert_eq!(counts(&outcome(&plan, 0)), [2, 1, 1]);
}

/// Without saves nobody joins until the next loss: node 3, up at 47:00, takes part after node 2 went at 60:00.
/// Each loss takes all: 25 min, and 26 of three nodes. From 63:00 on three make 1,200 steps of 4 s.
#[test]
fn without_saves_a_node_joins_at_the_next_loss() {
    let plan = plan(FROM_SAVE, &lose(&[(31, 0, "3"), (60, 0, "2")]));
    assert_eq!(finished(&plan, [Part::Lost]), (minutes(143), [minutes(51)]));
    assert_eq!(counts(&outcome(&plan, 0)), [3, 2, 2]);
}

/// At 31:00 the path falls to 2 nodes, fewer than 3: 500 steps stay in the memory of nodes 0 and 1. At 40:00 one more
/// is asked for, since the path allows one: granted at 51:00, provisioned at 52:00, then 4 + 1 min of start and 2
/// of reshard. Three train from 59:00. The fourth, asked for at 60:00, is up at 76:00, at the end of the 255th step
/// of 4 s, and joins; from 78:00 on 445 steps of 3 s are left.
#[test]
fn a_gang_below_its_least_size_waits_and_begins_again() {
    let path = r#"capacity.events = [
        { at = "31 min", nodes = 2 }, { at = "40 min", nodes = 3 }, { at = "60 min", nodes = 4 }]"#;
    let parts = [
        Part::Queued,
        Part::Acquiring,
        Part::Provisioning,
        Part::Starting,
        Part::Restoring,
        Part::Computing,
        Part::Lost,
    ];
    let (elapsed, found) = finished(&plan(FROM_MEMORY, path), parts);
    assert_eq!(elapsed, at(100, 15));
    let computing = s(500 * 3 + 255 * 4 + 445 * 3);
    assert_eq!(found, [minutes(9), minutes(11), minutes(2), minutes(10), minutes(4), computing, Span::ZERO]);
    // From the save at 24 min: restore for 1 min in place of reshard, and 20 steps (1 min) lost. Three train from
    // 58:00; the fourth is up at 76:00, joins with the save at 82:00, and 360 steps are left at 85:00.
    let from_save = plan(FROM_SAVE, &format!("{path}\n{EVERY_12_MIN}"));
    assert_eq!(finished(&from_save, [Part::Lost]), (minutes(103), [minutes(1)]));
}

/// It begins with three: the fourth, whose grant takes 20 min, is up at 25:00 and joins at the next step.
/// Three train from 6:00: 19 min are 285 steps; 915 steps of 3 s from 27:00 on.
#[test]
fn a_gang_begins_with_its_least_size() {
    let path = r#"capacity.events = [{ at = "0 s", nodes = 3 }, { at = "20 min", nodes = 4 }]"#;
    assert_eq!(finished(&plan(FROM_MEMORY, path), [Part::Lost]), (at(72, 45), [Span::ZERO]));
    let outcome = outcome(&plan(FROM_MEMORY, path), 0);
    assert_eq!(counts(&outcome), [1, 0, 0]);
    // A rigid gang waits for all four: granted at 20:00, or it would train from 6:00.
    let rigid = plan("on_loss = \"keep\"", path);
    assert_eq!(finished(&rigid, [Part::Queued]), (minutes(86), [minutes(20)]));
}

/// A spare is up when node 3 goes at 31:00: of the start only the rendezvous is repeated, then 1 min of restore. If it
/// is cold, its own 4 min come first. 720 steps of 3 s are left. Four nodes are billed from 1:00 to the end, node 3 to
/// 31:00, and another in its slot from 43:00, each stay rounded by itself.
#[test]
fn a_spare_takes_the_place_of_a_lost_node() {
    let warm = 4 * 1_133_333_333 + 500_000_000 + 433_333_333;
    let cold = 4 * 1_200_000_000 + 500_000_000 + 500_000_000;
    for (are, elapsed, nusd) in [("warm", 69, warm), ("cold", 73, cold)] {
        let cluster = format!("spares = 1\nspares_are = \"{are}\"");
        let plan = plan(&cluster, &format!("{}\n{EVERY_12_MIN}", lose(&[(31, 0, "3")])));
        let (outcome, ledger) = first(&plan);
        assert_eq!((outcome.end, outcome.elapsed), (End::Finished, minutes(elapsed)), "{are}");
        assert_eq!(outcome.time.get(Part::Provisioning), minutes(1));
        assert_eq!(counts(&outcome), [2, 1, 1]);
        assert_eq!(outcome.cost().nusd(), nusd, "{are}");
        assert_eq!(ledger.stays.iter().filter(|stay| stay.slot == 4).count(), 1);
    }
}

/// Nothing is lost: the spare changes the bill and no second.
#[test]
fn a_spare_beside_an_undisturbed_gang_costs_its_time() {
    let (with, without) = (outcome(&plan("spares = 2", ""), 0), outcome(&plan("", ""), 0));
    assert_eq!((with.elapsed, with.time), (without.elapsed, without.time));
    assert_eq!((with.cost().nusd(), without.cost().nusd()), (6 * 1_083_333_333, 4 * 1_083_333_333));
}

/// The spare goes at 31:00: the gang trains on to 66:00, and another spare is provisioned at 43:00. If node 3 goes at
/// 40:00 the gang waits for it: 3 min, 4 + 1 of start, 1 of restore, then 36 min of work from 49:00.
#[test]
fn the_loss_of_a_spare_breaks_no_gang() {
    let spare =
        |events: &[(u64, u64, &str)]| plan("spares = 1", &format!("{}\n{EVERY_12_MIN}", lose(events)));
    let (outcome, ledger) = first(&spare(&[(31, 0, "4")]));
    assert_eq!((outcome.end, outcome.elapsed), (End::Finished, minutes(66)));
    assert_eq!(counts(&outcome), [1, 0, 1]);
    let of_spare = |stay: &&Stay| stay.slot == 4;
    let stays: Vec<Span> = ledger.stays.iter().filter(of_spare).map(|stay| stay.bill.billed).collect();
    assert_eq!(stays, [minutes(30), minutes(23)]);
    let parts = [Part::Acquiring, Part::Provisioning, Part::Lost];
    let both = finished(&spare(&[(31, 0, "4"), (40, 0, "3")]), parts);
    assert_eq!(both, (minutes(85), [2, 2, 10].map(minutes)));
}

/// A spare that is half way through its own start is waited for. The spare of slot 4 goes at 31:00; another is
/// provisioned at 43:00 and up at 47:00. Node 3 goes at 45:00: up at 47:00, 1 + 1 min, 36 min from 49:00.
#[test]
fn a_spare_that_starts_is_waited_for_no_longer_than_it_takes() {
    let more = format!("{}\n{EVERY_12_MIN}", lose(&[(31, 0, "4"), (45, 0, "3")]));
    assert_eq!(finished(&plan("spares = 1", &more), [Part::Starting]), (at(73, 0), [minutes(5 + 3)]));
}

/// An elastic gang takes a warm spare in when it changes anyway: four train again from 34:00.
#[test]
fn an_elastic_gang_goes_on_at_full_size_with_a_spare() {
    let more = format!("{}\n{EVERY_12_MIN}", lose(&[(31, 0, "3")]));
    let warm = plan(&format!("spares = 1\n{FROM_SAVE}"), &more);
    assert_eq!(finished(&warm, [Part::Restoring]), (minutes(70), [minutes(3)]));
    // A cold one starts from 31:00 to 35:00 while three train from 34:00, and joins with their save at 46:00, when
    // 660 steps are made; 540 steps of 3 s from 49:00.
    let cold = plan(&format!("spares = 1\nspares_are = \"cold\"\n{FROM_SAVE}"), &more);
    assert_eq!(finished(&cold, [Part::Restoring]), (minutes(76), [minutes(6)]));
}

/// Survivors hang for 15 min before they go on, but not after a notice that the job listens to; then the save at
/// the notice keeps all.
#[test]
fn survivors_hang_before_they_go_on() {
    let events =
        format!("{}\ncapacity.acquire = \"10 h\"\nstart.detection = \"15 min\"", lose(&[(31, 0, "3")]));
    let hangs = plan(FROM_MEMORY, &events);
    assert_eq!(finished(&hangs, [Part::Lost]), (at(94, 40), [minutes(15)]));
    // 460 steps are made when the notice comes at 29:00. The save takes 30 s; to 31:00 all stand still.
    let notice =
        "capacity.notice = { lead = \"2 min\" }\ncheckpoint = { on_notice = true, stall = \"30 s\" }";
    let warned = plan(FROM_SAVE, &format!("{events}\n{notice}"));
    let (elapsed, parts) = finished(&warned, [Part::Lost, Part::CheckpointStall]);
    assert_eq!((elapsed, parts), (at(34, 0) + s(740 * 4), [Span::ZERO, minutes(2)]));
}

/// Each loss is a restart, a join is none; losses from which memory is kept are progress.
#[test]
fn limits_count_losses_and_not_joins() {
    let events = lose(&[(31, 0, "3"), (60, 0, "2")]);
    let gave_up = |cluster: &str, limit: &str| outcome(&plan(cluster, &format!("{events}\n{limit}")), 0);
    let outcome = gave_up(FROM_MEMORY, "limits.max_restarts = 1");
    assert_eq!((outcome.end, outcome.elapsed), (End::GaveUp(Reason::MaxRestarts), minutes(60)));
    // Nothing was saved, so all is lost at the end.
    assert_eq!(outcome.time.get(Part::Computing), Span::ZERO);
    let outcome = gave_up(FROM_SAVE, "limits.attempts_without_progress = 1");
    assert_eq!((outcome.end.reason(), outcome.elapsed), ("attempts_without_progress", minutes(60)));
    assert_eq!(gave_up(FROM_MEMORY, "limits.attempts_without_progress = 0").end, End::Finished);
    // 5 min of start, 25 of training, 2 of reshard, and 8 more.
    let outcome = gave_up(FROM_MEMORY, "limits.max_run = \"40 min\"");
    assert_eq!((outcome.end.reason(), outcome.elapsed), ("max_run", minutes(41)));
    let outcome = gave_up(FROM_MEMORY, "job.horizon = \"50 min\"");
    assert_eq!((outcome.end, outcome.elapsed), (End::Censored, minutes(50)));
}

/// Nodes that fail one by one On-Demand: replaced at once, up 5 min later.
#[test]
fn hardware_that_fails_on_demand_is_replaced_beside_the_gang() {
    let more = "failures.per_node = { exponential = { mean = \"3 h\" } }";
    let mut plan = plan(FROM_MEMORY, more);
    plan.policy = spotsim::policy::Policy::OnDemandOnly;
    let mut failures = 0;
    for replication in 0..50 {
        let outcome = simulate(&plan, &Streams::new(0), replication, &mut Scratch::default(), &mut ());
        assert_eq!((outcome.end, outcome.preemptions), (End::Finished, 0));
        failures += outcome.failures;
    }
    assert!(failures > 20, "{failures}");
}
