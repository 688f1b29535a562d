//! Two clusters in one replication meet the same world.

use crate::run::scenario;
use spotsim::rng::Streams;
use spotsim::sim::{Ledger, Part, Scratch, simulate};
use spotsim::stats::PairMoments;

fn two(first: &str, second: &str) -> spotsim::scenario::load::Scenario {
    scenario(&format!(
        r#"
schema = 1
name = "crn"
job = {{ work = {{ ideal_time = "20 h" }} }}
start = {{ start = "5 min" }}
capacity.renewal = {{ uptime = {{ weibull = {{ shape = 0.7, mean = "3 h" }} }}, gap = {{ exponential = {{ mean = "1 h" }} }} }}
[[cluster]]
name = "a"
instance = "g5.xlarge"
nodes = 1
market = "spot"
{first}
[[cluster]]
name = "b"
instance = "g5.xlarge"
nodes = 1
market = "spot"
{second}
"#
    ))
}

const EVERY_20: &str = "checkpoint = { every = \"20 min\", stall = \"30 s\" }";
const EVERY_25: &str = "checkpoint = { every = \"25 min\", stall = \"30 s\" }";

/// The queue shows the path: until the first of the two finishes, both wait at the same instants.
#[test]
fn the_path_does_not_depend_on_what_we_do() {
    let scenario = two(EVERY_20, EVERY_25);
    for replication in 0..200 {
        let queues = scenario.clusters.iter().map(|cluster| {
            let mut ledger = Ledger::default();
            simulate(&cluster.plan, &Streams::new(0), replication, &mut Scratch::default(), &mut ledger);
            let queued = ledger.phases.into_iter().filter(|phase| phase.part == Part::Queued);
            queued.map(|phase| (phase.from, phase.to)).collect::<Vec<_>>()
        });
        let [a, b] = queues.collect::<Vec<_>>().try_into().unwrap();
        let both = a.len().min(b.len());
        assert!(both > 0 || replication != 0);
        assert_eq!(a[..both], b[..both], "replication {replication}");
    }
}

/// Var(A − B) ≪ Var A + Var B for makespans that differ in the interval alone.
#[test]
fn the_difference_is_far_less_noisy_than_either() {
    let scenario = two(EVERY_20, EVERY_25);
    let mut pair = PairMoments::default();
    let mut scratch = Scratch::default();
    for replication in 0..5_000 {
        let mut s = |i: usize| {
            let plan = &scenario.clusters[i].plan;
            let outcome = simulate(plan, &Streams::new(0), replication, &mut scratch, &mut ());
            i64::try_from(outcome.elapsed.ns() / 1_000_000_000).unwrap()
        };
        let (a, b) = (s(0), s(1));
        pair.push(a, b);
    }
    let (apart, paired) =
        (pair.x().variance().unwrap() + pair.y().variance().unwrap(), pair.difference().variance().unwrap());
    assert!(paired < 0.05 * apart, "{paired} against {apart}");
}

/// Clusters of different zones meet different worlds.
#[test]
fn zones_have_paths_of_their_own() {
    let scenario = two(&format!("zones = [\"x\"]\n{EVERY_20}"), &format!("zones = [\"y\"]\n{EVERY_20}"));
    let elapsed = |i: usize| {
        simulate(&scenario.clusters[i].plan, &Streams::new(0), 0, &mut Scratch::default(), &mut ()).elapsed
    };
    assert_ne!(elapsed(0), elapsed(1));
}
