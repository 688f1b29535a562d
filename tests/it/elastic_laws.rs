//! Elastic gangs and spares against the rigid gang and against theory, their steps, and what is refused.

use crate::elastic::plan;
use crate::run::{folder, run_text, scenario, spotsim_in};
use spotsim::analytic::{OutOfDomain, theory};
use spotsim::rng::Streams;
use spotsim::sim::{End, Ledger, Scratch, simulate};
use spotsim::stats::Moments;

/// With `min_nodes = nodes` an elastic gang is the rigid one that keeps its survivors, draw by draw, where the path
/// is all or none and what a node starts by itself takes a constant time.
#[test]
fn a_gang_that_needs_all_its_nodes_is_the_rigid_one() {
    let text = |cluster: &str, more: &str| {
        format!(
            r#"
schema = 1
name = "same"
job.work = {{ ideal_time = "9 h" }}
job.horizon = "6 d"
start = {{ provision = {LOGNORMAL}, start = "3 min", rendezvous = {LOGNORMAL}, restore = {LOGNORMAL}, detection = {LOGNORMAL} }}
pricing = {{ rule = "ec2", on_demand = "2 USD/h", spot = "1 USD/h" }}
failures.per_node = {{ exponential = {{ mean = "30 h" }} }}
[capacity]
lifetime = {{ weibull = {{ shape = 0.7, mean = "9 h" }} }}
acquire = {LOGNORMAL}
renewal = {{ uptime = {{ exponential = {{ mean = "5 h" }} }}, gap = {LOGNORMAL} }}
shock = [{{ mean = "8 h", hit = 0.5 }}]
notice = {{ lead = "2 min", probability = 0.6 }}
{more}
[[cluster]]
name = "c"
instance = "g5.xlarge"
nodes = 3
market = "spot"
{cluster}
"#
        )
    };
    const LOGNORMAL: &str = "{ lognormal = { median = \"5 min\", sigma = 1.0 } }";
    for more in [
        "[checkpoint]\nevery = \"20 min\"\nstall = \"30 s\"",
        "[checkpoint]\non_notice = \"late\"\nstall = \"50 s\"\nfinal_save = true\n[limits]\nmax_run = \"20 h\"",
        "[checkpoint]\nevery = \"20 min\"\nstall = \"30 s\"\n[limits]\nmax_restarts = 6\nattempts_without_progress = 2",
    ] {
        let rigid = scenario(&text("on_loss = \"keep\"", more)).clusters[0].plan.clone();
        let elastic = scenario(&text("min_nodes = 3", more)).clusters[0].plan.clone();
        let mut broken = 0;
        for replication in 0..400 {
            let outcome = |plan| {
                let mut ledger = Ledger::default();
                let streams = Streams::new(5);
                (simulate(plan, &streams, replication, &mut Scratch::default(), &mut ledger), ledger.stays)
            };
            let (a, b) = (outcome(&rigid), outcome(&elastic));
            assert_eq!(a, b, "replication {replication}");
            broken += a.0.preemptions;
        }
        assert!(broken > 400, "{broken}");
    }
}

/// Nodes that live for an exponential time of rate l and come back after one of rate u, each by itself, with work
/// that goes at the pace k/n of k nodes, loses nothing and pays nothing for a change. The work by t is
/// p t + (n − k(t))/(n (l + u)) and a martingale, p = u/(l + u), by Dynkin's formula for the birth-death chain k;
/// stopped when the work W is done, where k weighs each state by its pace, so that E k(T) = 1 + (n − 1) p:
/// E T = (W − (1 − p)(1 − 1/n)/(l + u))/p. The mean of 1,000 within 4 standard errors: a false alarm in
/// 16,000, seed fixed.
#[test]
fn the_long_run_rate_is_that_of_a_birth_death_chain() {
    let text = r#"
schema = 1
name = "theory"
job = { work = { ideal_time = "200 h" }, horizon = "1000 d" }
checkpoint = { every = "1 ms", stall = "0 s" }
start.reshard_from = "memory"
capacity = { lifetime = { exponential = { mean = "5 h" } }, acquire = { exponential = { mean = "2 h" } }, acquire_first = "0 s" }
[[cluster]]
name = "c"
instance = "g5.xlarge"
nodes = 4
min_nodes = 1
market = "spot"
"#;
    let plan = &scenario(text).clusters[0].plan;
    let (mut us, mut scratch) = (Moments::default(), Scratch::default());
    for replication in 0..1_000 {
        let outcome = simulate(plan, &Streams::new(9), replication, &mut scratch, &mut ());
        assert_eq!(outcome.end, End::Finished);
        us.push(i64::try_from(outcome.elapsed.ns() / 1_000).unwrap());
    }
    let (l, u, n): (f64, f64, f64) = (1.0 / 5.0, 1.0 / 2.0, 4.0);
    let p = u / (l + u);
    let right = (200.0 - (1.0 - p) * (1.0 - 1.0 / n) / (l + u)) / p;
    let (mean, error) = (us.mean().unwrap() / 3.6e9, us.sd().unwrap() / 3.6e9 / 1_000_f64.sqrt());
    assert!((mean - right).abs() <= 4.0 * error, "{mean} h, right is {right} h, standard error {error} h");
}

/// With k nodes the samples of a step take nodes/k times the step of k nodes, halves up: 100 ns in 133 ns of three
/// nodes, 200 of two; from a model the step itself changes with the nodes, and a fixed batch is spread anew.
#[test]
fn fewer_nodes_take_longer_for_the_same_samples() {
    let sizes = |nodes: u32, keys: &str| {
        let text = |nodes, size: &str| {
            format!(
                "schema = 1\nname = \"sizes\"\n{keys}\n[[cluster]]\nname = \"c\"\ninstance = \"g5.2xlarge\"\n\
                 nodes = {nodes}\nmarket = \"spot\"\n{size}"
            )
        };
        let elastic = scenario(&text(nodes, "min_nodes = 2")).clusters[0].plan.clone();
        let alone = |k| scenario(&text(k, "")).clusters[0].plan.work.step.total().ns();
        let table = elastic.elastic.unwrap().sizes;
        table.iter().zip(2..).map(|(size, k)| (size.step.total().ns(), alone(k))).collect::<Vec<_>>()
    };
    let given = sizes(4, "job.work = \"100 steps\"\ncompute.step_time = \"100 ns\"");
    assert_eq!(given.iter().map(|(step, _)| *step).collect::<Vec<_>>(), [200, 133, 100]);
    let ideal = sizes(4, "job.work = { ideal_time = \"1 h\" }");
    assert_eq!(ideal.iter().map(|(step, _)| *step).collect::<Vec<_>>(), [2_000_000, 1_333_333, 1_000_000]);
    let model = "job = { work = \"100 k steps\", model = \"vit_base_patch16_224\", ";
    for (k, (step, alone)) in (2_u64..).zip(sizes(4, &format!("{model} batch_per_gpu = 64 }}"))) {
        assert!(step.abs_diff(alone * 4 / k) <= 3, "{step} of {alone} with {k}");
    }
    for (step, alone) in sizes(4, &format!("{model} global_batch = 120 }}")) {
        assert_eq!(step, alone);
    }
}

#[test]
fn theory_declines_gangs_that_are_not_renewed() {
    for cluster in ["min_nodes = 2", "spares = 1"] {
        let plan = plan(cluster, "capacity.lifetime = { exponential = { mean = \"5 h\" } }");
        assert_eq!(theory(&plan), Err(OutOfDomain::Elastic));
    }
}

#[test]
fn what_does_not_go_together_is_refused_with_a_word() {
    let base = r#"
schema = 1
name = "refused"
job = { work = { ideal_time = "5 h" }, deadline = "9 h" }
[capacity]
lifetime = { exponential = { mean = "5 h" } }
"#;
    for (number, (more, cluster, words)) in [
        ("", "min_nodes = 5", "from 1 to 4"),
        ("", "min_nodes = 0", "from 1 to 4"),
        ("", "spares = 65", "from 0 to 64"),
        ("", "min_nodes = 2\non_loss = \"release\"", "does not go with `min_nodes`"),
        ("", "spares = 1\non_loss = \"release\"", "does not go with `spares`"),
        ("policy.greedy = {}", "min_nodes = 2", "the policy `greedy` with `min_nodes`"),
        ("policy.greedy = {}", "spares = 2", "the policy `greedy` with `spares`"),
        (
            "checkpoint = { every = \"1 h\", stall = \"1 s\", to = \"local\" }",
            "spares = 2",
            "saves on local drives with `spares`",
        ),
        (
            "checkpoint = { every = \"1 h\", mode = \"async\", stall = \"1 s\", upload = \"9 s\" }",
            "min_nodes = 2",
            "uploading saves beside training with `min_nodes`",
        ),
        (
            "checkpoint = { every = \"optimum\", stall = \"1 s\" }\nstart.reshard_from = \"memory\"",
            "min_nodes = 2",
            "`every = \"optimum\"` is not available with `reshard_from = \"memory\"`",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let head = "[[cluster]]\nname = \"c\"\ninstance = \"g5.xlarge\"\nnodes = 4\nmarket = \"spot\"";
        let text = format!("{base}\n{head}\n{cluster}\n{more}");
        let folder = folder(&format!("elastic-{number}"));
        std::fs::write(folder.join("s.toml"), text).unwrap();
        let output = spotsim_in(&folder, &["validate", "s.toml"]);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{words}: {stderr}");
        assert!(stderr.contains(words), "{words}: {stderr}");
    }
}

/// A run of both kinds through the binary, threads and all.
#[test]
fn elastic_clusters_run_beside_rigid_ones() {
    let text = r#"
schema = 1
name = "beside"
job = { work = { ideal_time = "8 h" } }
start = { provision = "2 min", start = "3 min", reshard = "30 s", reshard_from = "memory" }
capacity = { lifetime = { exponential = { mean = "6 h" } }, acquire = "20 min" }
[[cluster]]
name = "rigid"
instance = "g5.xlarge"
nodes = 4
market = "spot"
[[cluster]]
name = "elastic"
instance = "g5.xlarge"
nodes = 4
min_nodes = 2
market = "spot"
[[cluster]]
name = "spare"
instance = "g5.xlarge"
nodes = 4
spares = 1
market = "spot"
[simulation]
replications = 600
"#;
    let (code, clusters, stderr) = run_text("elastic", text, &[]);
    assert_eq!(code, 0, "{stderr}");
    let makespan = |index: usize| crate::run::number(&clusters[index], "makespan_h_mean");
    assert!(makespan(1) < makespan(2) && makespan(2) < makespan(0), "{clusters:?}");
}
