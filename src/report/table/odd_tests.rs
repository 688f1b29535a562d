//! Whatever the results are, the text is harmless and fits.

use super::fixture::{empty, interval, scenario, three};
use super::{RunView, run_table};
use crate::experiment::{ClusterResult, Estimate, Status};
use crate::report::text::{WIDTH, width};
use crate::stats::{Interval, wilson};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};

/// Any number, the odd ones too.
fn figure() -> BoxedStrategy<f64> {
    prop_oneof![Just(0.0), Just(f64::NAN), Just(f64::INFINITY), -1e6..1e6, -1e-6..1e-6, any::<f64>(),].boxed()
}

fn some_estimate() -> BoxedStrategy<Estimate> {
    (prop::option::of(figure()), figure(), figure(), prop::option::of(figure()))
        .prop_map(|(mean, sd, low, p)| {
            let interval = mean.map(|value| interval(value, low, sd));
            Estimate { mean, sd: Some(sd), interval, p05: p, p50: p, p95: p }
        })
        .boxed()
}

fn some_interval() -> BoxedStrategy<Option<Interval>> {
    prop::option::of((figure(), figure(), figure()).prop_map(|(value, low, high)| interval(value, low, high)))
        .boxed()
}

fn some_result() -> BoxedStrategy<ClusterResult> {
    let scenario = scenario(&three()[1..2], &[]);
    let shares = (1_u64..100_000).prop_flat_map(|n| (Just(n), 0..=n, 0..=n));
    let figures = (some_estimate(), some_estimate(), some_estimate(), figure(), any::<bool>());
    let compared = (some_interval(), some_interval(), some_interval(), some_interval());
    (".{0,60}", shares, figures, compared, prop::array::uniform11(figure()))
        .prop_map(
            move |(
                name,
                (n, finished, late),
                (makespan, cost, losses, ideal_h, simulated),
                compared,
                time_h,
            )| {
                ClusterResult {
                    name,
                    status: if simulated { Status::Simulated } else { Status::Infeasible },
                    ideal_h,
                    replications: n,
                    finished,
                    censored: n - finished,
                    finish_probability: wilson(finished, n, 0.95),
                    deadline_probability: wilson(n - late, n, 0.95),
                    makespan_h: makespan,
                    cost_usd: cost,
                    preemptions: losses,
                    cost_per_finished_usd: compared.0,
                    savings_vs_baseline: compared.1,
                    saved_usd: compared.2,
                    longer_h: compared.3,
                    cheaper_probability: wilson(late, n, 0.95),
                    time_h,
                    ..empty(&scenario, 0)
                }
            },
        )
        .boxed()
}

proptest! {
    #![proptest_config(Config { cases: 64, rng_seed: RngSeed::Fixed(20_261_202), failure_persistence: None, ..Config::default() })]

    #[test]
    fn no_result_makes_a_line_too_long(
        results in prop::collection::vec(some_result(), 3),
        file in ".{0,60}",
        out in prop::option::of(".{0,150}"),
    ) {
        let scenario = scenario(&three(), &[]);
        let written = vec![file.clone(); 3];
        let out = out.as_deref();
        let view = RunView {
            scenario: &scenario, results: &results, file: &file, asked: 9, colour: false, out, written: &written,
        };
        let text = run_table(&view);
        for line in text.lines() {
            prop_assert!(width(line) <= WIDTH, "{} columns: {line}", width(line));
        }
        let figures = text.split("Assumed").next().unwrap_or_default();
        let said = figures.split_whitespace().any(|word| matches!(word, "inf" | "NaN" | "-inf"));
        let named = results.iter().any(|result| result.name.contains("inf") || result.name.contains("NaN"));
        prop_assert!(!said || named, "{text}");
    }
}
