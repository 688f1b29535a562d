//! Each special case of the text on hand-made results; the wording is that of `terminal.txt`.

use super::fixture::{Figures, against, cluster, empty, finished, interval, mock, printed, scenario, three};
use super::{RunView, run_table};
use crate::experiment::{ClusterResult, Estimate, Foresight, Status};
use crate::scenario::load::Scenario;
use crate::stats::{Interval, wilson};

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    for line in expected {
        assert!(text.contains(line), "no {line:?} in\n{text}");
    }
}

#[track_caller]
fn check_absent(text: &str, unexpected: &[&str]) {
    for word in unexpected {
        assert!(!text.contains(word), "{word:?} is in\n{text}");
    }
}

/// A cluster that always finishes at this cost, in so many hours.
fn plain(scenario: &Scenario, index: usize, cost: Interval, hours: f64) -> ClusterResult {
    let makespan = (interval(hours, hours - 0.05, hours + 0.05), hours + 1.0);
    let figures = Figures { cost: (cost, cost.low, cost.high), makespan, on_time: 9_670, preemptions: 1.0 };
    finished(scenario, index, &figures)
}

/// The same without any spread.
fn constant(scenario: &Scenario, index: usize, cost: f64, hours: f64) -> ClusterResult {
    let still = |value| Estimate {
        mean: Some(value),
        sd: Some(0.0),
        interval: Some(interval(value, value, value)),
        p05: Some(value),
        p50: Some(value),
        p95: Some(value),
    };
    ClusterResult {
        cost_usd: still(cost),
        makespan_h: still(hours),
        ..plain(scenario, index, interval(cost, cost, cost), hours)
    }
}

/// One replication: means without deviations and intervals.
fn only(result: ClusterResult) -> ClusterResult {
    let alone = |of: Estimate| Estimate { mean: of.mean, ..Estimate::default() };
    ClusterResult {
        replications: 1,
        finished: 1,
        finish_probability: wilson(1, 1, 0.95),
        deadline_probability: wilson(1, 1, 0.95),
        cost_usd: alone(result.cost_usd),
        makespan_h: alone(result.makespan_h),
        saved_usd: None,
        savings_vs_baseline: None,
        cheaper_probability: None,
        longer_h: None,
        ..result
    }
}

/// The figures and most words are those of the mock-up; hours of a part below 1 % are summed in `other`.
#[test]
fn the_mock_up_is_printed() {
    let scenario = scenario(&three(), &[]);
    let text = printed(&scenario, &mock(&scenario));
    let right = "\
Four small Spot machines or one big On-Demand one?

  4x g5.4xlarge Spot is the cheapest: $18.35 per finished run, 41.0 % less than 1x g5.12xlarge
  On-Demand, in 7.25 h (2.84 h longer). It meets the 12 h deadline in 96.7 % of replications.

cluster                       cost, $ per run 9 of 10 runs          makespan, h p95, h preempted
1x g5.12xlarge On-Demand 31.12 [31.12, 31.12]  31.12–31.12    4.41 [4.41, 4.41]   4.45         0
4x g5.4xlarge Spot       18.35 [18.33, 18.36]  17.53–19.93    7.25 [7.20, 7.30]  11.07      1.47
4x g5.2xlarge Spot       23.11 [23.09, 23.12]  22.17–24.70 10.86 [10.81, 10.92]  15.57      2.08

                            done by 12 h, %      saves, $ per run  saves, %  cheaper, %  longer, h
1x g5.12xlarge On-Demand            > 99.96              baseline
4x g5.4xlarge Spot        96.7 [96.3, 97.0]  12.78 [12.76, 12.79]      41.0     > 99.96       2.84
4x g5.2xlarge Spot        78.5 [77.7, 79.3]     8.01 [8.00, 8.03]      25.7     > 99.96       6.45

All 10,000 replications of every cluster finished. Brackets: 95 % intervals, simulation error only.
Savings are paired: the same worlds for all. 4x g5.2xlarge Spot is dominated by 4x g5.4xlarge Spot:
dearer and slower.
SageMaker will report savings of 60.0 % for 4x g5.4xlarge Spot and 58.0 % for 4x g5.2xlarge Spot.

Where the time went, mean       █ computing  ▓ waiting in a step  ▒ start, save, lost  ░ no capacity
  1x g5.12xlarge On-Demand ███████████████████████▓  4.41 h
  4x g5.4xlarge Spot       ███████████████████████▓▓▓▓▓▓▓▓▒▒░░░░░░░  7.26 h
  4x g5.2xlarge Spot       ███████████████████████▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▒▒▒▒░░░░░░░░░  10.88 h

mean hours                   computing   exposed_comm   queued   lost   bring-up   other
  1x g5.12xlarge On-Demand        4.18           0.13        –      –       0.06    0.04
  4x g5.4xlarge Spot              4.18           1.38     1.18   0.17       0.22    0.13
  4x g5.2xlarge Spot              4.18           4.37     1.63   0.25       0.28    0.17

Assumed   uptime, gap, start: this file, not measured
";
    assert!(text.starts_with(right), "{text}");
    let end = "\
Seed 0 (none given), 10,000 replications.

Next      spotsim run scenarios/seed-g5.toml --explain-cost  one replication's bill
          spotsim show scenarios/seed-g5.toml                every default filled in
          spotsim catalog instances                          prices, dates, sources
";
    assert!(text.ends_with(end), "{text}");
}

#[test]
fn an_assumption_of_several_clusters_is_told_once() {
    let scenario = scenario(&three(), &[]);
    let text = printed(&scenario, &mock(&scenario));
    assert_eq!(text.matches("of the peak and 0.43 of the memory bandwidth").count(), 1);
    assert_eq!(text.matches("sagemaker rule: queueing is not billed").count(), 1);
}

#[test]
fn overlapping_intervals_give_no_winner() {
    let scenario = scenario(&three()[1..], &[]);
    let results = [
        plain(&scenario, 0, interval(18.35, 18.33, 18.37), 7.0),
        plain(&scenario, 1, interval(18.36, 18.34, 18.38), 8.0),
    ];
    let text = printed(&scenario, &results).replace("\n  ", " ");
    check(
        &text,
        &["No cluster is surely cheapest: the intervals of 4x g5.4xlarge Spot at $18.35 [18.33, 18.37] and \
           4x g5.2xlarge Spot at $18.36 [18.34, 18.38] per finished run overlap."],
    );
    check_absent(&text, &["is the cheapest", "dominated", "saves, "]);
}

/// Common random numbers tell the two apart although their own intervals overlap.
#[test]
fn the_paired_interval_decides_against_the_baseline() {
    let scenario = scenario(&three()[..2], &[]);
    let baseline = plain(&scenario, 0, interval(18.40, 18.20, 18.60), 4.0);
    let spot = plain(&scenario, 1, interval(18.30, 18.10, 18.50), 7.0);
    let spot = against(spot, interval(0.10, 0.08, 0.12), 0.005, 3.0);
    check(&printed(&scenario, &[baseline, spot]), &["4x g5.4xlarge Spot is the cheapest: $18.30"]);
}

#[test]
fn a_baseline_that_wins_is_not_compared_with_itself() {
    let scenario = scenario(&three()[..2], &[]);
    let baseline = plain(&scenario, 0, interval(10.0, 9.9, 10.1), 4.0);
    let spot =
        against(plain(&scenario, 1, interval(15.0, 14.9, 15.1), 7.0), interval(-5.0, -5.1, -4.9), -0.5, 3.0);
    let text = printed(&scenario, &[baseline, spot]);
    check(&text, &["1x g5.12xlarge On-Demand is the cheapest: $10.00 per finished run, in 4.00 h. It meets"]);
    check(&text, &["−5.00 [−5.10, −4.90]", "−50.0"]);
}

#[test]
fn without_a_baseline_spot_is_held_against_itself_on_demand() {
    let scenario = scenario(&three()[1..2], &[]);
    let saved = Some(interval(0.4, 0.39, 0.41));
    let result = ClusterResult {
        savings_vs_on_demand: saved,
        ..plain(&scenario, 0, interval(18.0, 17.9, 18.1), 7.25)
    };
    let text = printed(&scenario, &[result]).replace("\n  ", " ");
    check(
        &text,
        &["4x g5.4xlarge Spot costs $18.00 per finished run, 40.0 % less than the same machines On-Demand \
           without an interruption, in 7.25 h."],
    );
    check_absent(&text, &["cheapest", "saves, "]);
}

#[test]
fn one_replication_has_neither_intervals_nor_quantiles() {
    let scenario = scenario(&three(), &["simulation.replications=1"]);
    let results: Vec<ClusterResult> = mock(&scenario).into_iter().map(only).collect();
    let text = printed(&scenario, &results);
    check(
        &text,
        &["In the one replication 4x g5.4xlarge Spot is the cheapest", "It\n  meets the 12 h deadline."],
    );
    check(&text, &["One replication has no intervals", "done by 12 h\n", "yes", "1 replication.\n"]);
    check_absent(&text, &["[", "9 of 10", "p95", "mean", ">"]);
}

#[test]
fn equal_replications_are_said_to_be_equal() {
    let scenario = scenario(&three()[..1], &[]);
    let text = printed(&scenario, &[constant(&scenario, 0, 28.90, 4.08)]);
    check(&text, &["All replications are equal: nothing in this\nscenario is random."]);
    check(&text, &["It meets the 12 h deadline."]);
    check_absent(&text, &["[", "9 of 10", "p95"]);
}

/// The uptime is drawn, so that all replications are equal is luck: the bound of all of them stays.
#[test]
fn chance_that_never_came_up_is_not_called_absent() {
    let scenario = scenario(&three()[1..2], &[]);
    let result = ClusterResult {
        deadline_probability: wilson(10_000, 10_000, 0.95),
        ..constant(&scenario, 0, 18.0, 7.0)
    };
    let text = printed(&scenario, &[result]);
    check(&text, &["what is random never\nmade a difference", "> 99.96 % of replications"]);
}

#[test]
fn equal_costs_without_chance_are_a_draw() {
    let scenario = scenario(&three()[..1], &[]);
    let twice = super::fixture::scenario(
        &[three().remove(0), cluster("another", "ml.g5.12xlarge", 1, "on-demand")],
        &[],
    );
    let results = [constant(&scenario, 0, 28.90, 4.08), constant(&twice, 1, 28.90, 4.08)];
    check(
        &printed(&twice, &results),
        &["No cluster is cheapest: 1x g5.12xlarge On-Demand and another cost $28.90 per finished run."],
    );
}

/// 200 censored and 110 given up of 10,000: 2.0 % and 1.1 %, together 3.1 %.
#[test]
fn what_did_not_finish_is_told_with_its_causes() {
    let scenario = scenario(&three()[1..2], &[]);
    let mut result = ClusterResult {
        finished: 9_690,
        censored: 200,
        gave_up: vec![("max_run", 0), ("max_wait", 110)],
        finish_probability: wilson(9_690, 10_000, 0.95),
        ..plain(&scenario, 0, interval(18.35, 18.33, 18.36), 7.25)
    };
    result.makespan_h.p95 = None;
    let text = printed(&scenario, &[result]);
    let flat = text.replace("\n  ", " ").replace('\n', " ");
    check(
        &flat,
        &[
            "3.1 % of replications of 4x g5.4xlarge Spot did not finish: 2.0 % cut by the 7 d horizon, \
             1.1 % max_wait.",
            "It finishes in 96.9 % of replications.",
            "The p95 of 4x g5.4xlarge Spot is not reached by 7 d.",
        ],
    );
    check(&text, &["not reached", "cost, $ / finished run", "finished, %", "all runs, $"]);
    check_absent(&text, &["inf", "NaN", "100.0"]);
}

#[test]
fn a_run_that_nobody_finishes_says_so_and_still_has_its_cost() {
    let scenario = scenario(&three()[1..2], &[]);
    let cost = interval(18.35, 18.33, 18.36);
    let result = ClusterResult {
        finished: 0,
        censored: 10_000,
        finish_probability: wilson(0, 10_000, 0.95),
        deadline_probability: wilson(0, 10_000, 0.95),
        makespan_h: Estimate::default(),
        cost_per_finished_usd: None,
        ..plain(&scenario, 0, cost, 7.25)
    };
    let text = printed(&scenario, &[result]);
    check(&text, &["  No cluster finished in any replication.\n", "< 0.04", "all runs, $", "18.35"]);
    check(&text, &["No replication of 4x g5.4xlarge Spot finished: cut by the 7 d horizon."]);
    check_absent(&text, &["finished run", "makespan", "p95"]);
}

#[test]
fn a_cluster_that_misses_its_deadline_is_said_to_miss_it() {
    let scenario = scenario(&three()[1..2], &[]);
    let result = ClusterResult {
        deadline_probability: wilson(0, 10_000, 0.95),
        ..plain(&scenario, 0, interval(18.0, 17.9, 18.1), 13.0)
    };
    check(&printed(&scenario, &[result]), &["It misses the 12 h deadline in\n  > 99.96 % of replications."]);
}

#[test]
fn without_a_deadline_there_is_no_word_of_one() {
    let text = super::fixture::HEAD.replace("deadline = \"12 h\"\n", "") + &three()[1];
    let scenario = super::fixture::read(text, &[]);
    let result =
        ClusterResult { deadline_probability: None, ..plain(&scenario, 0, interval(18.0, 17.9, 18.1), 7.0) };
    check_absent(&printed(&scenario, &[result]), &["deadline", "done by", "in time"]);
}

/// The ideal times are those of the catalogue; 4.08 h is rounded up to 4.5 h.
#[test]
fn where_no_cluster_can_meet_the_deadline_the_shortfall_is_shown() {
    let scenario = scenario(&three()[..2], &["job.deadline='4 h'"]);
    let mut results = [empty(&scenario, 0), empty(&scenario, 1)];
    results[0].ideal_h = 4.41;
    results[1].ideal_h = 5.70;
    let right = "\
No cluster can meet the 4 h deadline, even without an interruption.

cluster                    ideal time   deadline   status
1x g5.12xlarge On-Demand       4.41 h        4 h   infeasible, 24.6 min short
4x g5.4xlarge Spot             5.70 h        4 h   infeasible, 1.70 h short

Next      spotsim run scenarios/seed-g5.toml --set job.deadline='\"4.5 h\"'  or more nodes
          spotsim show scenarios/seed-g5.toml
";
    assert_eq!(printed(&scenario, &results), right);
}

#[test]
fn an_infeasible_cluster_stands_beside_the_others() {
    let scenario = scenario(&three()[..2], &["job.deadline='5 h'"]);
    let feasible = constant(&scenario, 0, 28.90, 4.08);
    let text = printed(&scenario, &[feasible, empty(&scenario, 1)]);
    check(
        &text,
        &[
            "is the only cluster that can meet the 5 h deadline: $28.90",
            "4x g5.4xlarge Spot              infeasible",
        ],
    );
    check(&text, &["4x g5.4xlarge Spot cannot meet the 5 h deadline, even without an interruption"]);
    check(&text, &["every simulated cluster", "nothing\nthat was simulated is random"]);
    let bars = text.split("Where the time went").nth(1).unwrap().split("Assumed").next().unwrap();
    check_absent(bars, &["g5.4xlarge"]);
}

#[test]
fn an_interrupted_run_says_how_far_it_came() {
    let scenario = scenario(&three(), &["simulation.seed=7"]);
    let results = mock(&scenario);
    let view = RunView {
        scenario: &scenario,
        results: &results,
        file: "my file.toml",
        asked: 50_000,
        colour: false,
        out: Some("output/seed-g5"),
        written: &["summary.json".to_owned(), "clusters.csv".to_owned()],
    };
    let text = run_table(&view);
    check(&text, &["Seed 7, 10,000 of 50,000 replications (interrupted).\n"]);
    check(&text, &["spotsim show 'my file.toml'", "Written   output/seed-g5/ summary.json, clusters.csv\n"]);
}

#[test]
fn a_run_stopped_before_its_first_replication_has_no_figures() {
    let scenario = scenario(&three()[..1], &[]);
    let result = ClusterResult { status: Status::Simulated, ..empty(&scenario, 0) };
    let text = printed(&scenario, &[result]);
    check(&text, &["  No replication is complete.\n", "0 replications.\n"]);
    check_absent(&text, &["finished", "cost", "Where"]);
}

#[test]
fn colour_marks_names_verdict_and_brackets() {
    let scenario = scenario(&three(), &[]);
    let results = mock(&scenario);
    let file = "seed-g5.toml";
    let view = RunView {
        scenario: &scenario,
        results: &results,
        file,
        asked: 10_000,
        colour: true,
        out: None,
        written: &[],
    };
    let text = run_table(&view);
    check(
        &text,
        &["\u{1b}[1m4x g5.4xlarge Spot is the cheapest", "\u{1b}[38;5;32m4x g5.4xlarge Spot\u{1b}[0m"],
    );
    check(&text, &["\u{1b}[38;5;166m1x g5.12xlarge On-Demand\u{1b}[0m", "\u{1b}[2m[18.33, 18.36]\u{1b}[0m"]);
    check_absent(&printed(&scenario, &results), &["\u{1b}"]);
}

#[test]
fn hostile_names_cannot_reach_the_terminal() {
    let name = "\u{1b}]0;owned\u{7}\u{202e}4x\r\nSpot";
    let scenario = scenario(&[cluster(name, "ml.g5.2xlarge", 4, "spot")], &[]);
    let text = printed(&scenario, &[plain(&scenario, 0, interval(18.0, 17.9, 18.1), 7.0)]);
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text}");
    check_absent(&text, &["\u{202e}"]);
}

/// Paid in the worlds in which the deadline was met, beside the bounds of the same worlds.
#[test]
fn perfect_foresight_is_told_unless_it_lives_on_free_stays() {
    let scenario = scenario(&three(), &[]);
    let told = |free_stays| {
        let mut results = mock(&scenario);
        results[1].foresight = Some(Foresight {
            worlds: 1_000,
            bound_usd: interval(17.1, 17.0, 17.2),
            above_bound: Some(interval(0.073, 0.071, 0.075)),
            free_stays,
        });
        printed(&scenario, &results).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let sentence = "Where 4x g5.4xlarge Spot meets the deadline, it pays at most 7.3 ± 0.2 % more than perfect \
                    foresight, which in the mean of all worlds pays $17.10.";
    assert!(told(false).contains(sentence), "{}", told(false));
    assert!(!told(true).contains("foresight"));
}
