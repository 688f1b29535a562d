//! The page on simulated results.

use super::run;
use crate::experiment::step::steps;
use crate::experiment::{ClusterResult, Options, Replicated, Status, replicate, summarise};
use crate::report::pictures;
use crate::report::table::fixture::{cluster, empty, mock, scenario, three};
use crate::scenario::load::Scenario;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

fn simulated(scenario: &Scenario) -> (Vec<ClusterResult>, Vec<Replicated>) {
    let stop = AtomicBool::new(false);
    let mut options =
        Options { stop: &stop, draw: None, rows: None, progress: &mut (), numbers: 0..scenario.replications };
    let all = vec![true; scenario.clusters.len()];
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let mut replicated = replicate(scenario, &all, &pool, &mut options).unwrap();
    let pairs = scenario.clusters.iter().zip(&mut replicated);
    let results = pairs.map(|(cluster, of)| summarise(cluster, of, Status::Simulated)).collect();
    (results, replicated)
}

/// The page of 200 replications of `clusters`, with its pictures.
fn page_of(clusters: &[String], set: &[&str]) -> String {
    let scenario = scenario(clusters, &[&["simulation.replications=200"], set].concat());
    let (results, replicated) = simulated(&scenario);
    run(&scenario, &results, &steps(&scenario), &[], &pictures::all(&scenario, &results, &replicated))
}

/// Elements without an end tag.
const VOID: [&str; 2] = ["meta", "input"];

/// Checks that every tag is closed in the right order. Text has no `<` of its own, so each begins a tag.
#[track_caller]
fn check_well_formed(html: &str) {
    let body = html.strip_prefix("<!doctype html>").unwrap();
    let mut open = Vec::new();
    for piece in body.split('<').skip(1) {
        let (tag, _) = piece.split_once('>').unwrap_or_else(|| panic!("unclosed: {piece}"));
        let name: String = tag.chars().take_while(|c| c.is_ascii_alphanumeric()).collect();
        if let Some(closed) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(closed), "in {tag}");
        } else if !tag.ends_with('/') && !VOID.contains(&name.as_str()) {
            open.push(name);
        }
        assert!(tag.matches('"').count().is_multiple_of(2), "quotation marks of {tag}");
    }
    assert!(open.is_empty(), "left open: {open:?}");
}

#[test]
fn the_page_is_well_formed_and_names_every_cluster() {
    let html = page_of(&three(), &[]);
    check_well_formed(&html);
    for name in ["1×&nbsp;g5.12xlarge On-Demand", "4×&nbsp;g5.4xlarge Spot", "4×&nbsp;g5.2xlarge Spot"] {
        assert!(html.contains(&format!("{name}</th>")), "{name}");
    }
    assert_eq!(html.matches("<svg ").count(), 5);
}

#[test]
fn hostile_text_is_text() {
    let hostile = "</style><script>\"'&\u{202e}";
    let clusters = [cluster(hostile, "ml.g5.2xlarge", 1, "spot")];
    let title = format!("title={}", toml::Value::String(hostile.to_owned()));
    let html = page_of(&clusters, &[&title]);
    check_well_formed(&html);
    assert!(!html.contains("<script") && !html.contains('\u{202e}'));
    let shown = "&lt;/style&gt;&lt;script&gt;&quot;&#39;&amp;\\u{202e}";
    assert!(html.contains(&format!("<p class=\"question\">{shown} ")));
    assert!(html.contains(&format!("class=\"cluster spot\">{shown}</th>")));
}

#[test]
fn nothing_is_loaded_or_run() {
    let html = page_of(&three(), &[]);
    for fetching in ["<script", "<link", "<img", "url(", "@import", " src=", " href=\"h", " on"] {
        let found = html.find(fetching).map(|at| &html[at..html.len().min(at + 60)]);
        let is_text = found.is_some_and(|found| fetching == " on" && !found.contains('='));
        assert!(found.is_none() || is_text, "{found:?}");
    }
}

/// With an hour in each part. Text upon light bars is dark in both themes and no role.
#[test]
fn every_colour_of_a_picture_has_its_role() {
    let scenario = scenario(&three(), &["simulation.replications=200"]);
    let (mut results, replicated) = simulated(&scenario);
    results.iter_mut().for_each(|result| result.time_h = [1.0; 11]);
    let html =
        run(&scenario, &results, &steps(&scenario), &[], &pictures::all(&scenario, &results, &replicated));
    let (style, body) = html.split_once("</style>").unwrap();
    let mut colors = BTreeSet::new();
    for attribute in ["fill", "stroke"] {
        let before = format!(" {attribute}=\"");
        let values = body.split(&before).skip(1);
        colors.extend(values.map(|value| (attribute, value.split_once('"').unwrap().0)));
    }
    assert!(colors.len() > 12, "{colors:?}");
    for (attribute, color) in colors {
        let rule = format!("svg [{attribute}=\"{color}\"]{{{attribute}:var(--");
        assert!(color == "none" || color == "#11161D" || style.contains(&rule), "{attribute} {color}");
    }
}

#[test]
fn the_table_has_the_figures_of_the_terminal() {
    let scenario = scenario(&three(), &[]);
    let html = run(&scenario, &mock(&scenario), &[], &[], &[]);
    for cell in [
        "<h1>4×&nbsp;g5.4xlarge Spot is the cheapest: $18.35 per finished run",
        "<td data-label=\"cost, $ per run\" class=\"first\">18.35 <small>[18.33, 18.36]</small></td>",
        "<td data-label=\"p95, h\">11.07</td>",
        "<td data-label=\"done by 12 h, %\">96.7 <small>[96.3, 97.0]</small></td>",
        "<td data-label=\"saves, %\">41.0</td>",
    ] {
        assert!(html.contains(cell), "no {cell} in\n{html}");
    }
    assert!(!html.contains("data stall</th>"), "a part that is 0 for all");
}

#[test]
fn another_rate_of_losses_has_an_answer_of_its_own() {
    let scenario = scenario(&three(), &[]);
    let results = mock(&scenario);
    let html = run(&scenario, &results, &[], &[("twice as often", results.clone())], &[]);
    check_well_formed(&html);
    let (_, section) = html.split_once("<h3>Lost twice as often</h3>").unwrap();
    assert!(section.starts_with("\n<p>4×&nbsp;g5.4xlarge Spot is the cheapest: $18.35 per finished run"));
    assert!(section.contains("aria-label=\"If Spot is lost twice as often\""));
}

#[test]
fn clusters_that_cannot_do_it_are_told_with_their_times() {
    let scenario = scenario(&three(), &["job.deadline=\"1 h\""]);
    let results: Vec<ClusterResult> = (0..3).map(|index| empty(&scenario, index)).collect();
    let html = run(&scenario, &results, &[], &[], &[]);
    check_well_formed(&html);
    assert!(
        html.contains("<h1>No cluster can meet the 1&nbsp;h deadline, even without an interruption.</h1>")
    );
    assert_eq!(html.matches("infeasible\">").count(), 3);
    assert!(html.contains("nothing simulated") && !html.contains("Where time and money"));
}

#[test]
fn a_run_that_nothing_finished_is_told() {
    let html = page_of(&three(), &["job.horizon=\"1 h\"", "job.deadline=\"30 h\""]);
    check_well_formed(&html);
    assert!(html.contains("<h1>No cluster finished in any replication.</h1>"));
}

#[test]
fn a_run_stopped_at_once_is_told() {
    let scenario = scenario(&three(), &[]);
    let results: Vec<ClusterResult> =
        (0..3).map(|index| ClusterResult { status: Status::Simulated, ..empty(&scenario, index) }).collect();
    let html = run(&scenario, &results, &[], &[], &[]);
    check_well_formed(&html);
    assert!(html.contains("<h1>No replication is complete.</h1>"));
}
