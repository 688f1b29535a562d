//! What holds of every training step, whatever the cluster. Fair shares of a network card and its credits have
//! laws of their own, in `network::share`, `network::credits` and `credits_walk`.

use crate::run::{root, scenario};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use spotsim::experiment::step::steps;
use spotsim::report::step::csv as steps_csv;
use spotsim::scenario::anatomy::{Anatomy, Pace};
use spotsim::scenario::load::Scenario;

/// Times are whole nanoseconds: what adds up of three parts may be off by as many.
const ROUNDING_S: f64 = 3e-9;

/// A cluster and its job, as text that fits the memory of any of [`INSTANCES`].
#[derive(Debug, Clone)]
struct Setup {
    instance: &'static str,
    nodes: u32,
    batch: u32,
    accumulate: u32,
    overlap: bool,
    compression: &'static str,
    /// More lines of [job], and of [network].
    job: String,
    network: String,
}

const INSTANCES: [&str; 6] =
    ["g5.2xlarge", "g5.4xlarge", "g5.12xlarge", "g4dn.12xlarge", "p3.8xlarge", "p4d.24xlarge"];
const COMPRESSIONS: [&str; 3] = ["\"none\"", "\"fp16\"", "{ powersgd = { rank = 4 } }"];

fn any_setup() -> impl Strategy<Value = Setup> {
    let cluster = (prop::sample::select(&INSTANCES), 2_u32..40);
    let job = (1_u32..=32, 1_u32..=6, any::<bool>(), prop::sample::select(&COMPRESSIONS));
    (cluster, job).prop_map(|((instance, nodes), (batch, accumulate, overlap, compression))| Setup {
        instance,
        nodes,
        batch,
        accumulate,
        overlap,
        compression,
        job: String::new(),
        network: String::new(),
    })
}

impl Setup {
    /// With a card that always gives so many Gbit/s.
    fn at(&self, gbit_per_s: f64) -> Self {
        let network = format!("baseline = \"{gbit_per_s} Gbit/s\"\nburst = \"{gbit_per_s} Gbit/s\"");
        Self { network, ..self.clone() }
    }

    fn scenario(&self) -> Scenario {
        let Self { instance, nodes, batch, accumulate, overlap, compression, job, network } = self;
        scenario(&format!(
            r#"
schema = 1
name = "laws"
[job]
model = "vit_base_patch16_224"
precision = "amp-fp16"
batch_per_gpu = {batch}
work = "100 k steps"
{job}
[compute]
accumulate = {accumulate}
[network]
overlap = {overlap}
compression = {compression}
{network}
[[cluster]]
name = "c"
instance = "{instance}"
nodes = {nodes}
market = "on-demand"
"#
        ))
    }

    fn step(&self) -> Anatomy {
        self.scenario().clusters[0].step.clone().unwrap()
    }
}

fn total_s(pace: &Pace) -> f64 {
    pace.parts.total().as_secs()
}

fn exposed_s(pace: &Pace) -> f64 {
    pace.parts.exposed_comm.as_secs()
}

/// Each law's seed is fixed, so that none fails by chance.
fn config() -> Config {
    let rng_seed = RngSeed::Fixed(20_261_202);
    Config { cases: 150, rng_seed, failure_persistence: None, ..Config::default() }
}

proptest! {
    #![proptest_config(config())]

    /// Whichever algorithm and protocol each has: the model takes those of the least time.
    #[test]
    fn a_faster_card_never_slows_a_step(setup in any_setup(), gbit in 5.0..200.0_f64, more in 1.0..4.0_f64) {
        let (slow, fast) = (setup.at(gbit).step(), setup.at(gbit * more).step());
        prop_assert!(
            total_s(&fast.sustained) <= total_s(&slow.sustained) + ROUNDING_S,
            "{} s at {gbit} Gbit/s, {} s at {more} times that", total_s(&slow.sustained), total_s(&fast.sustained),
        );
    }

    /// By hand: each of n sends 2(n−1)/n of S, which is 2S but for one part in n.
    #[test]
    fn an_all_reduce_among_many_takes_twice_the_gradients(setup in any_setup(), gbit in 1.0..400.0_f64) {
        let network = format!("bandwidth = \"{gbit} Gbit/s\"");
        let many = Setup { nodes: 1_000, compression: COMPRESSIONS[0], network, ..setup }.step();
        let limit_s = 2.0 * many.gradients.as_f64() / (gbit * 1e9 / 8.0);
        let share = many.sustained.communication_s() / limit_s;
        prop_assert!((share - (1.0 - 1.0 / f64::from(many.ranks))).abs() < 1e-6, "{share} of it");
    }

    #[test]
    fn no_more_is_exposed_than_is_sent(setup in any_setup()) {
        let step = setup.step();
        for pace in step.burst.iter().chain([&step.sustained]) {
            prop_assert!(exposed_s(pace) <= pace.communication_s() + ROUNDING_S);
        }
    }

    #[test]
    fn without_overlap_all_that_is_sent_is_exposed(setup in any_setup()) {
        let step = Setup { overlap: false, ..setup }.step();
        prop_assert!((exposed_s(&step.sustained) - step.sustained.communication_s()).abs() <= ROUNDING_S);
    }

    #[test]
    fn one_node_with_local_samples_does_not_feel_its_card(setup in any_setup(), gbit in 1.0..400.0_f64) {
        let alone = Setup { nodes: 1, ..setup };
        let own = alone.step();
        prop_assert_eq!(own.sustained.nic, None);
        prop_assert_eq!(own, alone.at(gbit).step());
    }

    #[test]
    fn credits_never_slow_a_step(setup in any_setup(), baseline in 5.0..50.0_f64, more in 1.0..8.0_f64) {
        let burst = baseline * more;
        let network = format!("baseline = \"{baseline} Gbit/s\"\nburst = \"{burst} Gbit/s\"\nburst_time = \"9 min\"");
        let step = Setup { network, ..setup }.step();
        if let Some(burst) = &step.burst {
            prop_assert!(total_s(burst) <= total_s(&step.sustained));
            prop_assert!(step.burst_earn > 0.0);
        }
    }

    #[test]
    fn a_card_that_also_brings_samples_gives_gradients_no_more_than_it_has(setup in any_setup(), kb in 1_u32..4_000) {
        let job = format!("input = {{ cpu_time_per_sample = \"1 ms\", from = \"s3\", read_per_sample = \"{kb} kB\" }}");
        let (alone, shared) = (setup.at(25.0).step(), Setup { job, ..setup.at(25.0) }.step());
        prop_assert!(shared.sustained.nic.unwrap() <= alone.sustained.nic.unwrap());
        // Each of two streams that want all of it gets half.
        prop_assert!(shared.sustained.nic.unwrap().bytes_per_s() >= 25e9 / 8.0 / 2.0 * (1.0 - 1e-9));
    }

    #[test]
    fn a_step_takes_at_least_as_long_as_its_samples(setup in any_setup(), ms in 1_u32..200) {
        let job = format!("input = {{ cpu_time_per_sample = \"{ms} ms\" }}");
        let step = Setup { job, ..setup }.step();
        let made_s = step.loader.unwrap().batch_s;
        prop_assert!(total_s(&step.sustained) >= made_s - ROUNDING_S, "{} s, {made_s} s", total_s(&step.sustained));
    }

    #[test]
    fn more_micro_batches_never_raise_the_exposed_share(setup in any_setup()) {
        let share = |accumulate| {
            let step = Setup { accumulate, ..setup.clone() }.step();
            exposed_s(&step.sustained) / total_s(&step.sustained)
        };
        let (few, more) = (share(setup.accumulate), share(setup.accumulate + 1));
        prop_assert!(more <= few + 1e-7, "{few} with {}, {more} with one more", setup.accumulate);
    }

    #[test]
    fn a_step_is_the_sum_of_its_four_parts(setup in any_setup(), ms in 0_u32..50) {
        let job = format!("input = {{ cpu_time_per_sample = \"{ms} ms\" }}");
        check_parts(&Setup { job, ..setup }.scenario());
    }
}

/// The figures as they are printed: the parts are not rounded apart.
fn check_parts(scenario: &Scenario) {
    let bytes = steps_csv(&steps(scenario));
    let mut reader = csv::Reader::from_reader(bytes.as_slice());
    let names = reader.headers().unwrap().clone();
    for record in reader.records() {
        let record = record.unwrap();
        let figure =
            |name: &str| -> f64 { record[names.iter().position(|n| n == name).unwrap()].parse().unwrap() };
        let parts = ["compute_ms", "host_copy_ms", "exposed_comm_ms", "data_stall_ms"].map(figure);
        assert!(parts.iter().all(|part| *part >= 0.0), "{parts:?}");
        let step_ms = figure("step_ms");
        assert!((parts.iter().sum::<f64>() / step_ms - 1.0).abs() < 1e-12, "{parts:?} of {step_ms}");
    }
}

#[test]
fn the_born_from_case_is_the_sum_of_its_parts() {
    let text = std::fs::read_to_string(root().join("scenarios/seed-g5.toml")).unwrap();
    check_parts(&scenario(&text));
}
