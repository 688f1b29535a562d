//! The text on hand-made steps; the wording is that of `terminal.txt`.

use super::fixture::{Kind, LARGER, ON_DEMAND, SMALLER, case_19, step, three, with_burst};
use super::*;
use crate::scenario::anatomy::Form;
use crate::units::Bytes;

fn printed(results: &[StepResult]) -> String {
    let view = StepView { results, file: "scenarios/seed-g5.toml", colour: false, out: None, written: &[] };
    table(&view)
}

#[track_caller]
fn check(results: &[StepResult], expected: &[&str]) {
    let text = printed(results);
    for line in expected {
        assert!(text.contains(line), "no {line:?} in\n{text}");
    }
}

/// Figures and heads are those of the mock-up.
#[test]
fn the_mock_up_is_printed() {
    let right = "\
One training step of vit_base_patch16_224, 128 samples per GPU, 4 GPUs, amp-bf16

                            step  compute  host_copy  exposed_comm  data_stall  samples/s   mfu
1x g5.12xlarge On-Demand  397 ms   370 ms      15 ms         12 ms        0 ms      1,290  0.48
4x g5.4xlarge Spot        512 ms   370 ms      15 ms        127 ms        0 ms      1,000  0.37
4x g5.2xlarge Spot        788 ms   370 ms      15 ms        403 ms        0 ms        650  0.24

Bound by  compute on 1x g5.12xlarge On-Demand; network on 4x g5.4xlarge Spot and 4x g5.2xlarge Spot
          1x g5.12xlarge On-Demand: compute needs 385 ms; next comes network, at 237 ms
          4x g5.4xlarge Spot: network needs 512 ms; next comes compute, at 385 ms
          4x g5.2xlarge Spot: network needs 788 ms; next comes compute, at 385 ms
Gradients 1x g5.12xlarge On-Demand: 346 MB, each GPU sends 519 MB; Ring, Simple, bus 7.21 GB/s:
          72.0 ms, 60.0 ms hidden, 12.0 ms exposed
          4x g5.4xlarge Spot: 346 MB, each node sends 519 MB; Ring, Simple, bus 1.50 GB/s: 347 ms,
          220 ms hidden, 127 ms exposed
          4x g5.2xlarge Spot: 346 MB, each node sends 519 MB; Ring, Simple, bus 0.833 GB/s: 623 ms,
          220 ms hidden, 403 ms exposed
Loader    1x g5.12xlarge On-Demand: 8 vCPU make a node's next batch in 41.0 ms, at most 12,488
          samples/s, 10 % busy; 1.3 cores at work, first batch after 344 ms, 1,233 MB of shared
          memory
          4x g5.4xlarge Spot: 8 vCPU make a node's next batch in 31.0 ms, at most 4,129 samples/s,
          6 % busy; 1.3 cores at work, first batch after 344 ms, 1,233 MB of shared memory
          4x g5.2xlarge Spot: 8 vCPU make a node's next batch in 62.0 ms, at most 2,065 samples/s,
          8 % busy; 1.3 cores at work, first batch after 344 ms, 1,233 MB of shared memory
Memory    a step needs 14.2 of 24.0 GB on each GPU
Compute   roofline, operation by operation; no calibration file

GPU time by pass   forward   backward   optimizer
every cluster       120 ms     240 ms       10 ms

GPU time by operation   matrix products   attention   optimizer
every cluster                    252 ms      108 ms       10 ms

Assumed   A10G reaches 82 % of its roofline (2026-01-15, confidence medium)

Next      spotsim run scenarios/seed-g5.toml   what the whole job costs, interruptions included
          spotsim show scenarios/seed-g5.toml  every default filled in
          spotsim catalog networks             rates of networks, dates, sources
";
    let text = printed(&three());
    assert_eq!(text, right, "{text}");
}

#[test]
fn credits_are_a_line_of_their_own_and_last_so_long() {
    let results = [with_burst(&SMALLER, &LARGER)];
    check(
        &results,
        &[
            "\n4x g5.2xlarge Spot     788 ms",
            "\n  with burst credits   512 ms",
            "Credits   a full bucket of burst credits lasts 24.0 min of training at 1.65 GB/s; then",
            "with burst credits Ring, Simple, bus 1.50 GB/s: 347 ms",
        ],
    );
}

/// The project's case 19 at 10 and 100 Gbit/s; a bill of 35.56 USD for 100 M samples is 0.3556 USD a million.
#[test]
fn more_nodes_are_slower_or_faster_but_dearer() {
    let mut slow = step(&SMALLER);
    slow.scaling = case_19(1.25e9);
    slow.fixed_global_batch = true;
    check(
        &[slow.clone()],
        &[
            "by nodes, global batch fixed   nodes         step   samples/s   efficiency   $ / M samples",
            "1     640.0 ms     1,562.5        1.000          0.3556",
            "8   2,040.0 ms       490.2        0.039          9.0667",
            "Nodes     one node is best for time and money; adding nodes makes it slower",
        ],
    );
    let mut fast = slow;
    fast.scaling = case_19(12.5e9);
    check(
        &[fast],
        &[
            "8   276.0 ms       3,623        0.290          1.2267",
            "Nodes     8 nodes are fastest, one node is cheapest: faster but dearer, 2.32 times as fast for 3.45",
        ],
    );
}

#[test]
fn scaling_of_one_machine_is_not_a_question() {
    let mut alone = step(&ON_DEMAND);
    alone.scaling = case_19(1.25e9)[..1].to_vec();
    let text = printed(&[alone]);
    assert!(!text.contains("by nodes") && !text.contains("Nodes"), "{text}");
}

#[test]
fn a_price_that_is_not_known_leaves_the_fastest() {
    let mut result = step(&SMALLER);
    result.scaling = case_19(12.5e9);
    result.scaling.iter_mut().for_each(|point| point.usd_per_msample = None);
    let text = printed(&[result]);
    assert!(text.contains("Nodes     8 nodes are fastest\n") && !text.contains('$'), "{text}");
}

#[test]
fn short_and_long_steps_keep_three_digits() {
    let short = Kind { gpu_ms: [0.2, 1.5, 3.1, 0.1], all_reduce_ms: 0.9, batch_ms: 0.0, ..ON_DEMAND };
    let long = Kind { gpu_ms: [90.0, 6_000.0, 12_000.0, 300.0], all_reduce_ms: 900.0, ..ON_DEMAND };
    check(&[step(&short)], &["5.05 ms", "4.70 ms", "0.20 ms", "0.15 ms"]);
    check(&[step(&long)], &["18.5 s", "18.3 s"]);
}

#[test]
fn what_a_scenario_gives_is_not_explained() {
    let mut given = step(&Kind { all_reduce_ms: 0.0, batch_ms: 0.0, gpu_ms: [0.0; 4], ..ON_DEMAND });
    given.anatomy.form = Form::Given;
    given.anatomy.sustained.parts.computing = "397 ms".parse().unwrap();
    (given.model, given.anatomy.memory, given.anatomy.mfu) = (None, None, None);
    let text = printed(&[given]);
    assert!(text.starts_with("One training step, 128 samples per GPU"), "{text}");
    assert!(text.contains("Compute   given in the scenario, not modelled"), "{text}");
    for word in ["Gradients", "Loader", "Memory", "GPU time"] {
        assert!(!text.contains(word), "{word} is in\n{text}");
    }
}

#[test]
fn a_step_that_does_not_fit_or_starves_is_told() {
    let mut result = step(&Kind { batch_ms: 900.0, ..SMALLER });
    result.anatomy.memory = Some((Bytes::new(30_100_000_000), Bytes::new(24_000_000_000)));
    check(
        &[result],
        &[
            "Bound by  loader\n",
            "loader needs 900 ms; next comes network, at 788 ms",
            "30.1 of 24.0 GB on each GPU: it does not fit",
            "waits 112 ms for it",
        ],
    );
}

#[test]
fn lines_keep_to_a_hundred_columns() {
    let mut results: Vec<StepResult> = Vec::new();
    for index in 0..30 {
        let mut result = with_burst(&SMALLER, &Kind { all_reduce_ms: 300.0 + f64::from(index), ..LARGER });
        result.name = format!("{index}x a-name-that-nobody-should-give\u{1b}[31m.24xlarge Spot");
        result.scaling = case_19(1.25e9);
        results.push(result);
    }
    let text = printed(&results);
    assert!(text.lines().all(|line| text::width(line) <= text::WIDTH), "{text}");
    assert!(!text.contains('\u{1b}'));
}

/// `step_ms` is the sum of its four parts at every pace (design, "Names in results").
#[test]
fn json_has_every_pace_and_bucket() {
    let scenario = crate::report::table::fixture::scenario(&crate::report::table::fixture::three(), &[]);
    let mut results = three();
    results[2] = with_burst(&SMALLER, &LARGER);
    results[2].scaling = case_19(1.25e9);
    let value = json(&scenario, &results);
    assert_eq!(value["scenario"]["name"], "seed-g5");
    let cluster = &value["clusters"][2];
    assert_eq!((&cluster["bound"], &cluster["step_ms"]), (&"network".into(), &788.into()));
    assert_eq!(cluster["scaling"][3]["nodes"], 8);
    let paces = cluster["paces"].as_array().unwrap();
    assert_eq!(paces.iter().map(|pace| &pace["pace"]).collect::<Vec<_>>(), ["burst", "sustained"]);
    for pace in paces {
        let ms = |name: &str| pace[name].as_f64().unwrap();
        let parts = ["compute_ms", "host_copy_ms", "exposed_comm_ms", "data_stall_ms"].map(ms);
        assert!((parts.iter().sum::<f64>() - ms("step_ms")).abs() < 1e-9);
        assert_eq!(pace["buckets"].as_array().unwrap().len(), 13);
    }
}

#[test]
fn csv_has_a_line_a_pace_of_each_cluster() {
    let bytes = csv(&[with_burst(&SMALLER, &LARGER), step(&ON_DEMAND)]);
    let text = String::from_utf8(bytes).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4, "{text}");
    assert!(lines[0].starts_with("name,pace,instance,nodes,gpus,market,step_ms,compute_ms,host_copy_ms,"));
    assert!(lines[1].starts_with("4x g5.2xlarge Spot,burst,g5.2xlarge,4,4,spot,512,"));
    assert!(lines[3].ends_with(",compute"));
}
