//! What the pieces of an experiment cost, each by itself; `benches/README.md` has the baseline.

use criterion::{Criterion, criterion_group, criterion_main};
use spotsim::capacity::{Exponential, Gamma, Kind, Law, Lognormal, Weibull};
use spotsim::experiment::{CHUNK, Tally};
use spotsim::report::csv;
use spotsim::rng::{Source, Streams};
use spotsim::scenario::load::{Overrides, Scenario};
use spotsim::scenario::template::Template;
use spotsim::sim::{Outcome, Scratch, simulate};
use spotsim::stats::points::{SobolSequence, latin_hypercube};
use spotsim::units::Span;
use spotsim_bench::{files, resolve};
use std::fs::read_to_string;
use std::hint::black_box;

/// The first case: two Spot clusters and one On-Demand.
const SEED: &str = "seed-g5";
/// A sweep of two of its keys.
const SWEEP: &str = "sweep-g5";

/// The scenario `name` of `scenarios/`.
fn scenario(name: &str) -> Scenario {
    let (_, path) = files().into_iter().find(|(file, _)| file == name).expect("the scenario is there");
    resolve(&path, &read_to_string(&path).expect("the scenario can be read"))
}

/// The outcomes of one replication, one a cluster.
fn replicate(scenario: &Scenario, replication: u64, scratch: &mut Scratch) -> Vec<Outcome> {
    let streams = Streams::new(scenario.seed);
    let run = |plan| simulate(plan, &streams, replication, scratch, &mut ());
    scenario.clusters.iter().map(|cluster| &cluster.plan).map(run).collect()
}

/// One replication of all clusters of a scenario, the next each time.
fn replications(criterion: &mut Criterion) {
    for (name, path) in files() {
        let scenario = resolve(&path, &read_to_string(&path).expect("the scenario can be read"));
        let (streams, mut scratch, mut next) = (Streams::new(scenario.seed), Scratch::default(), 0);
        criterion.bench_function(&format!("replication/{name}"), |bencher| {
            bencher.iter(|| {
                next += 1;
                for cluster in &scenario.clusters {
                    black_box(simulate(&cluster.plan, &streams, next, &mut scratch, &mut ()));
                }
            });
        });
    }
}

/// Sums: one replication of a cluster beside its baseline, and two chunks joined.
fn tallies(criterion: &mut Criterion) {
    let scenario = scenario(SEED);
    let mut scratch = Scratch::default();
    let worlds: Vec<Vec<Outcome>> =
        (0..CHUNK).map(|replication| replicate(&scenario, replication, &mut scratch)).collect();
    let fill = |tally: &mut Tally| {
        for outcomes in &worlds {
            tally.push(&outcomes[0], None, Some(&outcomes[2]));
        }
    };
    criterion.bench_function("tally/256 pushes", |bencher| {
        bencher.iter(|| {
            let mut tally = Tally::default();
            tally.reserve(CHUNK as usize);
            fill(&mut tally);
            tally
        });
    });
    let mut chunk = Tally::default();
    fill(&mut chunk);
    criterion.bench_function("tally/merge of 256", |bencher| {
        bencher.iter_batched(
            || chunk.clone(),
            |mut tally| {
                tally.merge(&chunk);
                tally
            },
            criterion::BatchSize::SmallInput,
        );
    });
    criterion.bench_function("csv/256 rows", |bencher| {
        let mut bytes = Vec::new();
        bencher.iter(|| {
            bytes.clear();
            for (replication, outcomes) in (0..).zip(&worlds) {
                csv::replication("4x g5.2xlarge Spot", replication, &outcomes[0], &mut bytes);
            }
            bytes.len()
        });
    });
}

/// From the text of a scenario to plans; the catalogue is read before.
fn resolving(criterion: &mut Criterion) {
    for (name, path) in files() {
        let text = read_to_string(&path).expect("the scenario can be read");
        criterion.bench_function(&format!("resolve/{name}"), |bencher| {
            bencher.iter(|| resolve(&path, &text));
        });
    }
}

/// One configuration of a sweep, the next each time: keys set anew, and all that follows from them.
fn templates(criterion: &mut Criterion) {
    let (_, path) = files().into_iter().find(|(file, _)| file == SWEEP).expect("the scenario is there");
    let text = read_to_string(&path).expect("the scenario can be read");
    let no_file = |name: &str| Err(name.to_owned());
    let template = Template::parse(SWEEP, text, &Overrides::default(), &no_file);
    let sweep = template.own().0.and_then(|scenario| scenario.sweep).expect("the scenario sweeps keys");
    let mut number = 0;
    criterion.bench_function(&format!("configuration/{SWEEP}"), |bencher| {
        bencher.iter(|| {
            number = (number + 1) % sweep.count();
            template.resolve(&sweep.of_grid(number)).0.expect("the values are in range")
        });
    });
}

/// Points of designs on a cube of eight dimensions.
fn points(criterion: &mut Criterion) {
    let sequence = SobolSequence::new(8).expect("there are so many dimensions");
    let mut number = 0;
    criterion.bench_function("points/Sobol', scrambled", |bencher| {
        bencher.iter(|| {
            number += 1;
            sequence.scrambled(number, 7)
        });
    });
    let mut stream = Streams::new(0).stream(Source::Points, 0, 0, 0);
    criterion.bench_function("points/256 of a Latin hypercube", |bencher| {
        bencher.iter(|| latin_hypercube(256, 8, &mut || stream.bits()));
    });
}

/// One draw of each law that scenarios have most.
fn laws(criterion: &mut Criterion) {
    let mean = Span::from_s(21_600);
    let kinds = [
        ("exponential", Exponential::new(mean).map(Kind::Exponential)),
        ("weibull", Weibull::from_mean(0.62, mean).map(Kind::Weibull)),
        ("lognormal", Lognormal::from_mean(mean, 1.2).map(Kind::Lognormal)),
        ("gamma", Gamma::from_mean(0.7, mean).map(Kind::Gamma)),
    ];
    for (name, kind) in kinds {
        let law = kind.and_then(|kind| Law::new(kind, None)).expect("the parameters are in range");
        let mut stream = Streams::new(0).stream(Source::Path, 0, 0, 0);
        criterion.bench_function(&format!("draw/{name}"), |bencher| bencher.iter(|| law.sample(&mut stream)));
    }
}

criterion_group!(models, replications, tallies, resolving, templates, points, laws);
criterion_main!(models);
