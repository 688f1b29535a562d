//! What must hold of every plot, whatever the results: legible, inert, the same each time.

use super::drawing::Rect;
use super::theme::{HEIGHT, WIDTH};
use super::*;

type Plot = fn(&PlotData) -> Drawing;
const PLOTS: [(&str, Plot); 4] = [
    ("cost_vs_time", cost_vs_time),
    ("makespan_ecdf", makespan_ecdf),
    ("cost_distribution", cost_distribution),
    ("time_parts", time_parts),
];

fn check_legible(case: &str, data: &PlotData) {
    for (plot, draw) in PLOTS {
        check_texts(&format!("{case}, {plot}"), &draw(data));
    }
}

/// No two texts lie upon each other, none leaves the picture.
pub(super) fn check_texts(case: &str, drawing: &Drawing) {
    let picture = Rect { left: 0.0, top: 0.0, right: WIDTH, bottom: HEIGHT };
    let areas = drawing.text_areas();
    for (index, (text, area)) in areas.iter().enumerate() {
        assert!(picture.contains(area), "{case}: {text:?} leaves the picture: {area:?}");
        for (other, other_area) in &areas[..index] {
            assert!(!area.overlaps(other_area), "{case}: {text:?} lies upon {other:?}");
        }
    }
}

fn check_drawn(case: &str, data: &PlotData) {
    for (plot, draw) in PLOTS {
        check_written(&format!("{case}, {plot}"), &draw(data));
    }
}

/// The plot can be written, and says something.
pub(super) fn check_written(case: &str, drawing: &Drawing) {
    assert!(!drawing.title().is_empty(), "{case}");
    let svg = drawing.to_svg();
    assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN") && !svg.contains("inf\""), "{case}");
    assert!(drawing.to_png().starts_with(b"\x89PNG"), "{case}");
}

/// The same results with all times and costs multiplied.
fn scaled(mut data: PlotData, time: f64, cost: f64) -> PlotData {
    let times = |i: Interval, by: f64| Interval { value: i.value * by, low: i.low * by, high: i.high * by };
    for cluster in &mut data.clusters {
        for run in &mut cluster.runs {
            run.elapsed_h *= time;
            run.cost_usd *= cost;
        }
        cluster.time_h = cluster.time_h.map(|hours| hours * time);
        cluster.makespan_h_mean = cluster.makespan_h_mean.map(|i| times(i, time));
        cluster.cost_per_finished_usd = cluster.cost_per_finished_usd.map(|i| times(i, cost));
        cluster.cost_usd_mean = times(cluster.cost_usd_mean, cost);
    }
    data.deadline_h = data.deadline_h.map(|hours| hours * time);
    data.horizon_h *= time;
    data
}

/// The same, with no run finished.
fn unfinished(mut data: PlotData) -> PlotData {
    let none = Interval { value: 0.0, low: 0.0, high: 0.000_384 };
    for cluster in &mut data.clusters {
        cluster.runs.iter_mut().for_each(|run| run.finished = false);
        cluster.cost_per_finished_usd = None;
        cluster.makespan_h_mean = None;
        cluster.finish_probability = none;
        cluster.deadline_probability = data.deadline_h.map(|_| none);
    }
    data
}

fn renamed(mut data: PlotData, name: &str) -> PlotData {
    data.title = name.to_owned();
    data.footer = name.to_owned();
    data.clusters.iter_mut().for_each(|cluster| cluster.name = name.to_owned());
    data
}

#[test]
fn texts_keep_apart_in_usual_results() {
    check_legible("three clusters", &sample::three_clusters());
    check_legible("five clusters", &sample::five_clusters());
    for count in [1, 2, 4, 7, 12, 30] {
        check_legible(&format!("{count} clusters"), &sample::many_clusters(count));
    }
    let without_deadline = PlotData { deadline_h: None, ..sample::five_clusters() };
    check_legible("no deadline", &without_deadline);
}

#[test]
fn texts_keep_apart_at_any_scale() {
    for time in [1e-4, 1e-3, 0.02, 1.0, 24.0, 2000.0] {
        for cost in [1e-4, 0.02, 1.0, 50.0, 1e5] {
            check_legible(
                &format!("time × {time}, cost × {cost}"),
                &scaled(sample::three_clusters(), time, cost),
            );
        }
    }
}

#[test]
fn texts_keep_apart_with_long_names() {
    let name = "16x a-cluster-with-a-name-that-nobody-should-give.24xlarge in two regions Spot";
    check_legible("long names", &renamed(sample::five_clusters(), name));
    check_legible("many long names", &renamed(sample::many_clusters(12), name));
}

#[test]
fn odd_results_are_drawn() {
    let three = sample::three_clusters;
    check_drawn("nothing", &PlotData { clusters: Vec::new(), baseline: None, ..three() });
    check_drawn("nothing finished", &unfinished(three()));
    check_legible("nothing finished", &unfinished(three()));
    check_drawn("nothing finished, no deadline", &unfinished(PlotData { deadline_h: None, ..three() }));
    check_drawn("free of charge", &scaled(three(), 1.0, 0.0));
    check_drawn("no time", &scaled(three(), 0.0, 1.0));
    let mut alike = three();
    for cluster in &mut alike.clusters {
        let first = cluster.runs[0];
        cluster.runs.iter_mut().for_each(|run| *run = first);
    }
    check_drawn("no spread", &alike);
    let mut empty = three();
    empty.clusters.iter_mut().for_each(|cluster| cluster.runs.clear());
    check_drawn("no runs kept", &empty);
    let mut single = three();
    single.clusters.iter_mut().for_each(|cluster| cluster.runs.truncate(1));
    check_drawn("one run each", &single);
    let mut apart = three();
    apart.clusters[1] = scaled(three(), 1e-3, 1e-3).clusters[1].clone();
    apart.clusters[2] = scaled(three(), 1e3, 1e3).clusters[2].clone();
    check_drawn("seven orders apart", &apart);
    check_legible("seven orders apart", &apart);
}

#[test]
fn hostile_names_are_inert() {
    let name = "</text><script>alert('x')</script> \"&\" \u{202e}evil\u{0}\u{7}\n\u{feff}";
    let data = renamed(sample::five_clusters(), name);
    check_drawn("hostile names", &data);
    for (plot, draw) in PLOTS {
        let svg = draw(&data).to_svg();
        assert!(!svg.contains("<script") && !svg.contains("\u{202e}"), "{plot}");
        let control = svg.chars().find(|&c| c.is_control() && c != '\n');
        assert_eq!(control, None, "{plot}");
    }
}

#[test]
fn the_same_results_give_the_same_bytes() {
    for (plot, draw) in PLOTS {
        let (first, second) = (draw(&sample::five_clusters()), draw(&sample::five_clusters()));
        assert!(first.to_svg() == second.to_svg() && first.to_png() == second.to_png(), "{plot}");
    }
}
