//! Saves: asynchronous, at a notice, on local drives, at the best interval; right answers by hand.

use crate::run::{folder, outcome, root, s, scenario, spotsim_in};
use spotsim::checkpoint::Every;
use spotsim::scenario::cluster::Cluster;
use spotsim::scenario::plan::Plan;
use spotsim::sim::{End, Part};
use spotsim::units::Span;

/// One node that works for 2 h in steps of `step`; more tables in `more`.
fn one_node(step: &str, steps: u64, more: &str) -> Cluster {
    let text = format!(
        r#"
schema = 1
name = "checkpoints"
job.work = "{steps} steps"
compute.step_time = "{step}"
pricing = {{ rule = "flat", on_demand = "1 USD/h", spot = "1 USD/h" }}
{more}
[[cluster]]
name = "c"
instance = "g5.2xlarge"
nodes = 1
market = "spot"
"#
    );
    scenario(&text).clusters.remove(0)
}

/// Steps of 1 s; the only node is lost at 6,000 s and comes back at once. 90 s, 119 s and 120 s fit a notice
/// of 2 min, which stops the job at 5,880 s; 121 s does not. Late, the save of 90 s begins at 5,910 s.
#[test]
fn a_notice_keeps_what_fits_into_it() {
    let check = |stall: &str, on_notice: &str, lost: u64, stood: u64| {
        let more = format!(
            "checkpoint = {{ on_notice = {on_notice}, stall = \"{stall}\" }}\n[capacity]\nnotice.lead = \"2 min\"\n\
             events = [{{ at = \"6000 s\", lose = [0] }}]"
        );
        let outcome = outcome(&one_node("1 s", 7_200, &more).plan, 0);
        assert_eq!(outcome.time.get(Part::Lost), s(lost), "{stall} {on_notice}: lost");
        assert_eq!(outcome.time.get(Part::CheckpointStall), s(stood), "{stall} {on_notice}: stood still");
        assert_eq!(outcome.elapsed, s(7_200 + lost + stood), "{stall} {on_notice}: elapsed");
    };
    for stall in ["90 s", "119 s", "120 s"] {
        check(stall, "true", 0, 120);
    }
    check("121 s", "true", 6_000, 0);
    check("90 s", "\"late\"", 0, 90);
    check("119 s", "\"late\"", 0, 119);
    check("121 s", "\"late\"", 6_000, 0);
    check("90 s", "false", 6_000, 0);
}

/// Hardware fails without a word, whatever the provider would announce.
#[test]
fn a_failure_of_hardware_gives_no_notice() {
    let more = "checkpoint = { on_notice = true, stall = \"90 s\" }\ncapacity.notice.lead = \"2 min\"\n\
                failures.per_node = \"6000 s\"\nlimits.max_restarts = 0";
    let outcome = outcome(&one_node("1 s", 7_200, more).plan, 0);
    assert_eq!((outcome.failures, outcome.preemptions), (1, 0));
    assert_eq!(outcome.time.get(Part::Lost), s(6_000));
}

/// Case 17: free background saves at 30, 60 and 90 min, killed at 100 min. In B, C and E nothing is tried, so
/// nothing stands still. E, killed at 99:30: a step of 45 s began 1 ms before the notice.
#[test]
fn case_17_a_notice_shorter_than_the_save_keeps_nothing() {
    let check = |lead: &str, save: &str, (step, at): (&str, u64), kept: u64, stood: u64| {
        let steps = 7_200_000_000_000 / step.parse::<Span>().unwrap().ns();
        let more = format!(
            "checkpoint = {{ every = \"30 min\", stall = \"0 s\", on_notice = true, notice_save = \"{save}\" }}\n\
             [capacity]\nnotice.lead = \"{lead}\"\nevents = [{{ at = \"{at} s\", lose = [0] }}]"
        );
        let outcome = outcome(&one_node(step, steps, &more).plan, 0);
        assert_eq!(outcome.time.get(Part::Lost), s(at - kept - stood), "{lead} {save}: lost");
        assert_eq!(outcome.time.get(Part::CheckpointStall), s(stood), "{lead} {save}: stood still");
        assert_eq!(outcome.elapsed, s(at + 7_200 - kept), "{lead} {save}: what was left to do");
    };
    let (minute, fine) = (60, ("1 s", 6_000));
    check("120 s", "90 s", fine, 98 * minute, 120);
    check("120 s", "180 s", fine, 90 * minute, 0);
    check("30 s", "90 s", fine, 90 * minute, 0);
    check("119.999 s", "90 s", ("45 s", 5_970), 90 * minute, 0);
}

const LOSSES: &str = "job.horizon = \"300 d\"\nstart = { start = \"1 min\", restore = \"30 s\" }\n\
                      [capacity]\nacquire = \"2 min\"\nlifetime = { weibull = { shape = 0.7, mean = \"40 min\" } }";

#[test]
fn asynchronous_saves_without_stall_and_upload_are_free_saves() {
    let cluster = |mode: &str| {
        one_node(
            "1.3 s",
            9_000,
            &format!("checkpoint = {{ every = \"7 min\", stall = \"0 s\" {mode} }}\n{LOSSES}"),
        )
    };
    let (free, uploaded) = (cluster(""), cluster(", mode = \"async\", upload = \"0 s\""));
    assert_eq!(free.plan, uploaded.plan);
    for replication in 0..200 {
        assert_eq!(outcome(&free.plan, replication), outcome(&uploaded.plan, replication));
    }
}

/// On one path of losses: no attempt keeps more with an upload than without, so the job is never done sooner.
#[test]
fn an_upload_never_loses_less_than_none() {
    let plan = |upload: &str| {
        let saves = format!(
            "checkpoint = {{ every = \"7 min\", stall = \"0 s\", mode = \"async\", upload = \"{upload}\" }}"
        );
        one_node("1.3 s", 9_000, &format!("{saves}\n{LOSSES}")).plan
    };
    let (none, uploads) = (plan("0 s"), ["10 s", "7 min", "11 min"].map(plan));
    for replication in 0..300 {
        let free = outcome(&none, replication);
        assert_eq!(free.end, End::Finished);
        for uploading in &uploads {
            let outcome = outcome(uploading, replication);
            assert!(outcome.time.get(Part::Lost) >= free.time.get(Part::Lost), "{replication}");
            assert!(outcome.elapsed >= free.elapsed, "{replication}");
        }
    }
}

/// ViT-B/16 has 86,567,656 parameters: 12 bytes each are 1.0388 GB. g5.2xlarge: EBS at 106.25 MB/s, less than a
/// volume's 131.072; S3 at ten requests, 450 MB/s up, and down at the
/// card's 625, less than 900.
#[test]
fn size_and_target_give_stall_upload_and_restore() {
    let cluster = |checkpoint: &str, nodes: u32| {
        let text = format!(
            r#"
schema = 1
name = "target"
job = {{ work = "1 M samples", model = "vit_base_patch16_224", batch_per_gpu = 64 }}
checkpoint = {{ every = "15 min", {checkpoint} }}
[[cluster]]
name = "c"
instance = "g5.2xlarge"
nodes = {nodes}
market = "spot"
"#
        );
        scenario(&text).clusters.remove(0)
    };
    let bytes = 86_567_656.0 * 12.0;
    let close = |span: Span, right: f64, what: &str| {
        assert!((span.as_secs() - right).abs() < 1e-6, "{what}: {span}, right is {right} s");
    };
    let ebs = cluster("to = \"ebs\"", 4);
    close(ebs.plan.cycle.stall(), bytes / 106.25e6, "ebs");
    let s3 = cluster("to = \"s3\", mode = \"async\"", 1);
    close(s3.plan.cycle.stall(), bytes / 5e9, "copy to the host");
    close(s3.plan.cycle.upload(), bytes / 450e6, "s3");
    assert!((s3.plan.start.restore.mean_s() - bytes / 625e6).abs() < 1e-6);
    let sharded = cluster("to = \"s3\", mode = \"sharded\", bandwidth = \"100 MB/s\"", 4);
    close(sharded.plan.cycle.stall(), bytes / 4.0 / 100e6, "sharded");
    assert_eq!(cluster("stall = \"5 s\"", 4).plan.start.restore.mean_s(), 0.0);
}

/// ViT-B/16 on four nodes whose card is held to `card`; steps take as long as their gradients do, 2 × 3/4 × 346.27 MB
/// at 5 Gbit/s.
fn uploading(card: &str, checkpoint: &str, nodes: u32) -> Plan {
    let text = format!(
        r#"
schema = 1
name = "upload"
job = {{ work = "100 k steps", model = "vit_base_patch16_224", batch_per_gpu = 64 }}
compute.time_per_sample = "1 ms"
network = {{ overlap = false, {card} }}
checkpoint = {{ every = "15 min", to = "s3", mode = "async", {checkpoint} }}
[[cluster]]
name = "c"
instance = "g5.2xlarge"
nodes = {nodes}
market = "spot"
"#
    );
    scenario(&text).clusters.remove(0).plan
}

const HELD: &str = r#"baseline = "5 Gbit/s", burst = "10 Gbit/s", burst_time = "52 min""#;

/// All 1.0388 GB of a save displace gradients on a card that is full without it: steps are slower by
/// size / 625 MB/s in all. At 200 MB/s, less than half of the card, the upload is as fast as alone; at 450 it gets half.
#[test]
fn an_upload_takes_its_bytes_from_the_gradients_of_a_full_card() {
    let size = 86_567_656.0 * 12.0;
    for (bandwidth, rate) in [("200 MB/s", 200e6), ("450 MB/s", 312.5e6)] {
        let cycle = uploading(HELD, &format!("bandwidth = \"{bandwidth}\""), 4).cycle;
        let close = |span: Span, right: f64| {
            assert!((span.as_secs() / right - 1.0).abs() < 1e-6, "{bandwidth}: {span}, right is {right} s");
        };
        close(cycle.upload(), size / rate);
        close(cycle.stall(), size / 5e9 + size / 625e6);
    }
}

/// One node has no gradients to send; a given time is taken as it is; and a card that is idle for most of a step
/// gives an upload more than half of itself, and less than all.
#[test]
fn an_upload_shares_the_card_only_while_gradients_are_sent() {
    let size = 86_567_656.0 * 12.0;
    let alone = uploading(HELD, "bandwidth = \"450 MB/s\"", 1).cycle;
    assert!((alone.upload().as_secs() - size / 450e6).abs() < 1e-6);
    assert!((alone.stall().as_secs() - size / 5e9).abs() < 1e-6);
    assert_eq!(uploading(HELD, "stall = \"1 s\", upload = \"2 s\"", 4).cycle.upload(), s(2));
    let card = r#"baseline = "10 Gbit/s", burst = "10 Gbit/s""#;
    let shared = uploading(card, "bandwidth = \"1250 MB/s\"", 4).cycle;
    let upload_s = shared.upload().as_secs();
    assert!(size / 1.25e9 < upload_s && upload_s < size / 0.625e9, "{upload_s}");
    let slower_s = shared.stall().as_secs() - size / 5e9;
    assert!(0.0 < slower_s && slower_s < upload_s / 2.0, "{slower_s}");
}

/// Two nodes, free saves on local drives every 10 min, slot 1 lost at 25 min and back at once. Kept, slot 0 holds
/// 20 min; released, or with a part on each node, all 25 min are lost.
#[test]
fn saves_on_local_drives_go_with_their_nodes() {
    let lost = |on_loss: &str, mode: &str| {
        let text = format!(
            r#"
schema = 1
name = "local"
job.work = "3600 steps"
compute.step_time = "1 s"
checkpoint = {{ every = "10 min", stall = "0 s", to = "local", mode = "{mode}" }}
start.restore = "0 s"
capacity.events = [{{ at = "25 min", lose = [1] }}]
[[cluster]]
name = "c"
instance = "g5.2xlarge"
nodes = 2
market = "spot"
on_loss = "{on_loss}"
"#
        );
        let plan = scenario(&text).clusters.remove(0).plan;
        let outcome = outcome(&plan, 0);
        assert_eq!(outcome.time.total(), outcome.elapsed);
        assert_eq!(outcome.kept_stepping(), s(3_600));
        outcome.time.get(Part::Lost)
    };
    assert_eq!(lost("keep", "sync"), s(5 * 60));
    assert_eq!(lost("keep", "sharded"), s(25 * 60));
    assert_eq!(lost("release", "sync"), s(25 * 60));
}

/// Four nodes with a mean lifetime of 24 h lose one every 6 h. A save of 60 s: (1 − y) e^y = e^(−60/21600) has
/// y = 0.0734..., so saves lie M·y apart; the equation itself is checked.
#[test]
fn the_optimum_interval_is_the_exact_one_for_exponential_losses() {
    let text = r#"
schema = 1
name = "optimum"
job.work = { ideal_time = "100 h" }
checkpoint = { every = "optimum", stall = "60 s" }
capacity.lifetime = { exponential = { mean = "24 h" } }
[[cluster]]
name = "c"
instance = "g5.2xlarge"
nodes = 4
market = "spot"
[[cluster]]
name = "never lost"
instance = "g5.2xlarge"
nodes = 4
market = "on-demand"
"#;
    let clusters = scenario(text).clusters;
    let Some(Every::Time(every)) = clusters[0].plan.cycle.every() else { panic!("no interval") };
    let y = every.as_secs() / 21_600.0;
    let (left, right) = ((1.0 - y) * libm::exp(y), libm::exp(-60.0 / 21_600.0));
    assert!((left - right).abs() < 1e-8, "{every}: {left}, right is {right}");
    assert_eq!(clusters[1].plan.cycle.every(), None);
}

/// The optimum of a fixed lifetime of an hour, with 2 min to start: one save of 60 s at its very end.
#[test]
fn the_optimum_interval_fits_a_known_lifetime() {
    let more = "start.start = \"2 min\"\ncheckpoint = { every = \"optimum\", stall = \"60 s\" }\n\
                capacity.lifetime = \"1 h\"";
    let plan = one_node("1 s", 360_000, more).plan;
    assert_eq!(plan.cycle.every(), Some(Every::Time(s(3_600 - 120 - 60))));
}

/// Saves that cost nothing are a second apart, not a nanosecond.
#[test]
fn the_optimum_interval_of_free_saves_is_a_second() {
    let text = r#"
schema = 1
name = "free"
job.work = { ideal_time = "1 h" }
checkpoint = { every = "optimum", stall = "0 s" }
capacity.lifetime = "1 h"
[[cluster]]
name = "c"
instance = "g5.xlarge"
nodes = 1
market = "spot"
"#;
    assert_eq!(scenario(text).clusters[0].plan.cycle.every(), Some(Every::Time(s(1))));
}

/// A random law of `acquire` holds for `acquire_first` too, and a model of parameters alone has no counts.
#[test]
fn what_show_prints_of_random_acquiring_and_of_a_described_model_can_be_read() {
    let text = r#"
schema = 1
name = "shown"
job = { work = "10 k steps", model = { params = 350_000_000 }, batch_per_gpu = 8 }
compute.time_per_sample = "10 ms"
capacity = { lifetime = "5 h", acquire = { exponential = { mean = "5 min" } } }
[[cluster]]
name = "c"
instance = "g5.2xlarge"
nodes = 2
market = "spot"
"#;
    let out = folder("shown-again");
    std::fs::write(out.join("f.toml"), text).unwrap();
    let shown = spotsim_in(&out, &["show", "f.toml"]).stdout;
    std::fs::write(out.join("g.toml"), &shown).unwrap();
    let again = spotsim_in(&out, &["show", "g.toml"]);
    assert_eq!(again.status.code(), Some(0), "{}", String::from_utf8_lossy(&again.stderr));
}

/// An ideal time has no steps after which to save.
#[test]
fn steps_between_saves_need_work_in_steps() {
    let arguments = ["validate", "scenarios/smallest.toml", "--set", "checkpoint.steps=5"];
    let output = spotsim_in(root(), &arguments);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("`steps` needs work in steps"), "{stderr}");
}

/// `show` prints the interval in the place of the word, so that what it prints can be run.
#[test]
fn show_says_the_interval_that_the_optimum_came_to() {
    let arguments =
        ["show", "scenarios/smallest.toml", "--set", "checkpoint={ every = 'optimum', stall = '5 s' }"];
    let output = spotsim_in(root(), &arguments);
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(stdout.contains("# optimum: exact for exponential losses"), "{stdout}");
}
