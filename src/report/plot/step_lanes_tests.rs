//! What must hold of the lanes, whatever the steps.

use super::layout_tests::{check_texts, check_written};
use super::step_lanes;
use crate::experiment::step::StepResult;
use crate::report::step::fixture::{Kind, LARGER, ON_DEMAND, SMALLER, step, three, with_burst};

/// The times of `kind`, all multiplied.
fn scaled(kind: &Kind, by: f64) -> Kind {
    let gpu_ms = kind.gpu_ms.map(|ms| ms * by);
    Kind { gpu_ms, all_reduce_ms: kind.all_reduce_ms * by, batch_ms: kind.batch_ms * by, ..*kind }
}

fn check(case: &str, results: &[StepResult]) {
    let drawing = step_lanes(results);
    check_texts(case, &drawing);
    check_written(case, &drawing);
}

fn texts(results: &[StepResult]) -> Vec<String> {
    step_lanes(results).text_areas().into_iter().map(|(text, _)| text).collect()
}

#[track_caller]
fn check_says(results: &[StepResult], expected: &[&str]) {
    let texts = texts(results);
    for text in expected {
        assert!(texts.iter().any(|said| said == text), "no {text:?} in {texts:?}");
    }
}

/// Names, numbers and places are those of the mock-up.
#[test]
fn the_lanes_say_what_the_mock_up_says() {
    check_says(
        &three(),
        &[
            "forward 120",
            "backward 240",
            "all-reduce 623",
            "GPU waits 403",
            "waits 127",
            "hidden but for 12",
            "next batch ready after 62",
            "788 ms",
            "650 samples/s",
        ],
    );
}

#[test]
fn texts_keep_apart_for_one_to_four_clusters_and_more() {
    let mut all = three();
    all.push(step(&Kind { buckets: 52, ..LARGER }));
    all.extend(three());
    for count in 1..=all.len() {
        check_texts(&format!("{count} clusters"), &step_lanes(&all[..count]));
    }
    check_says(
        &all,
        &[
            "grey traffic is hidden by the backward pass, green is traffic that nothing hides · 3 more clusters not shown",
        ],
    );
}

#[test]
fn texts_keep_apart_at_any_scale() {
    for by in [1e-4, 0.013, 1.0, 25.0, 1e4] {
        let kinds = [ON_DEMAND, LARGER, SMALLER].map(|kind| step(&scaled(&kind, by)));
        check_texts(&format!("times × {by}"), &step_lanes(&kinds));
    }
    check("seven orders apart", &[step(&scaled(&LARGER, 1e-3)), step(&SMALLER), step(&scaled(&LARGER, 1e4))]);
}

#[test]
fn texts_keep_apart_whatever_bounds_the_step() {
    for all_reduce_ms in [0.0, 0.5, 30.0, 74.0, 221.0, 300.0, 700.0, 19_500.0] {
        for batch_ms in [0.0, 1.0, 300.0, 400.0, 2_000.0] {
            for (buckets, forward) in [(1, 120.0), (6, 2.0), (52, 800.0)] {
                let gpu_ms = [15.0, forward, 2.0 * forward, 10.0];
                let kind = Kind { gpu_ms, all_reduce_ms, batch_ms, buckets, ..SMALLER };
                let case = format!("{all_reduce_ms} ms in {buckets}, loader {batch_ms}, forward {forward}");
                let drawing = step_lanes(&[step(&kind), step(&SMALLER)]);
                check_texts(&case, &drawing);
            }
        }
    }
}

#[test]
fn odd_steps_are_drawn() {
    check("nothing", &[]);
    let mut named = step(&SMALLER);
    named.name =
        "16x </text><script>alert(1)</script>\u{202e}evil\u{0} a-name-that-nobody-should-give".to_owned();
    check("hostile name", &[named.clone(), named.clone()]);
    let svg = step_lanes(&[named]).to_svg();
    assert!(!svg.contains("<script") && !svg.contains('\u{202e}'));
    let mut given =
        step(&Kind { all_reduce_ms: 0.0, gpu_ms: [0.0; 4], batch_ms: 0.0, nodes: (1, 1), ..SMALLER });
    given.anatomy.sustained.parts.computing = "400 ms".parse().unwrap();
    check("given", &[given.clone()]);
    check_says(&[given], &["compute 400", "one GPU, nothing to send", "no input is modelled"]);
}

#[test]
fn the_title_states_what_is_waited_for() {
    let title = |results: &[StepResult]| step_lanes(results).title().to_owned();
    assert_eq!(title(&three()), "Gradients make 4× g5.2xlarge wait 403 ms, 1× g5.12xlarge 12 ms");
    assert_eq!(title(&three()[2..]), "Gradients outlast the backward pass by 403 ms on 4× g5.2xlarge");
    let hidden = Kind { all_reduce_ms: 50.0, buckets: 52, ..SMALLER };
    assert_eq!(title(&[step(&hidden)]), "The backward pass hides the all-reduce on 4× g5.2xlarge");
    let starved = Kind { batch_ms: 1_400.0, ..SMALLER };
    assert_eq!(title(&[step(&starved)]), "The GPU waits 612 ms a step for its data on 4× g5.2xlarge");
    let alone = Kind { all_reduce_ms: 0.0, nodes: (1, 1), ..SMALLER };
    assert_eq!(title(&[step(&alone)]), "All of the 385 ms of a step is computing on 4× g5.2xlarge");
}

/// With `overlap = false` the all-reduce begins when the backward pass has ended.
#[test]
fn traffic_that_nothing_hides_is_said() {
    let mut serial = step(&Kind { buckets: 1, ..SMALLER });
    let sustained = &mut serial.anatomy.sustained;
    (sustained.transfers[0].start_s, sustained.transfers[0].end_s) = (0.375, 0.998);
    sustained.parts.exposed_comm = "623 ms".parse().unwrap();
    check_says(&[serial], &["all-reduce 623", "none hidden", "GPU waits 623"]);
}

#[test]
fn a_picture_of_a_cluster_with_credits_says_which_pace_it_shows() {
    let footer = texts(&[with_burst(&SMALLER, &LARGER)]).into_iter().find(|text| text.contains("pace"));
    assert!(footer.is_some_and(|footer| footer.ends_with("sustained pace, burst credits used up")));
}

/// Buckets of less than a pixel and a half would be a moiré of gaps.
#[test]
fn thin_buckets_are_one_bar() {
    let bars = |all_reduce_ms| {
        let kind = Kind { all_reduce_ms, buckets: 400, ..SMALLER };
        step_lanes(&[step(&kind)]).to_svg().matches("#2A8676").count()
    };
    assert!(bars(623.0) < 20, "{}", bars(623.0));
}

#[test]
fn the_same_steps_give_the_same_bytes() {
    let (first, second) = (step_lanes(&three()), step_lanes(&three()));
    assert!(first.to_svg() == second.to_svg() && first.to_png() == second.to_png());
}
