//! Laws fitted to the recordings that come with the program, beside another program's.

use crate::run::{folder, root, spotsim_in};
use spotsim::records::{Content, own};
use spotsim::trace::fit::{Family, Sample, UptimeFits, uptime_laws};
use spotsim::trace::runs::runs;
use std::path::Path;

/// One row of `tests/fits/uptimes.csv`.
struct Row<'a>(Vec<&'a str>);

impl Row<'_> {
    fn number(&self, column: usize) -> f64 {
        self.0[column].parse().unwrap()
    }

    fn fits(&self) -> (u64, UptimeFits) {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/traces").join(self.0[0]);
        let recording = own::read(&std::fs::read_to_string(file).unwrap()).unwrap();
        let Content::Capacity(series) = recording.content else { panic!("{} is capacity", self.0[0]) };
        let runs = runs(&series[0], self.0[1].parse().unwrap());
        let ups = runs.iter().filter(|run| run.up);
        let sample = Sample::new(ups.filter_map(|run| run.observed(self.number(2))));
        (sample.complete(), uptime_laws(&sample).unwrap())
    }
}

fn each_row(check: impl Fn(&Row<'_>, u64, &UptimeFits)) {
    let rows = include_str!("../fits/uptimes.csv").lines().filter(|line| !line.starts_with('#')).skip(1);
    let mut seen = 0;
    for row in rows.map(|line| Row(line.split(',').collect())) {
        let (complete, fits) = row.fits();
        check(&row, complete, &fits);
        seen += 1;
    }
    assert_eq!(seen, 30);
}

/// Medians and spreads within 1 %; the digits given are three after the point.
#[test]
fn the_best_law_of_each_recorded_zone_is_that_of_another_program() {
    each_row(|row, complete, fits| {
        assert_eq!(complete.to_string(), row.0[3], "{}", row.0[0]);
        let best = fits.best().unwrap();
        assert_eq!(best.family.name(), row.0[4], "{}", row.0[0]);
        let (mu_ln_h, sigma) = (best.point()[0] - libm::log(3_600.0), libm::exp(best.point()[1]));
        assert!((mu_ln_h - row.number(5)).abs() < 0.01, "{}: {mu_ln_h}", row.0[0]);
        assert!((sigma / row.number(6) - 1.0).abs() < 0.01, "{}: {sigma}", row.0[0]);
    });
}

/// One unit of the last digit given, and the rounding of that.
#[test]
fn the_other_laws_of_each_recorded_zone_are_as_far_behind_as_another_program_says() {
    each_row(|row, _, fits| {
        for (column, family) in Family::UNLIMITED.into_iter().enumerate() {
            let behind = fits.behind(family).unwrap();
            assert!((behind - row.number(7 + column)).abs() < 0.1, "{} {family:?}: {behind}", row.0[0]);
        }
        let shape = libm::exp(fits.get(Family::Weibull).unwrap().point()[0]);
        assert!((shape - row.number(11)).abs() < 0.001_5, "{}: {shape}", row.0[0]);
    });
}

/// A scenario with the table that `spotsim trace fit` printed for a recording.
fn pasted(name: &str, recording: &str, more: &[&str]) -> (String, std::process::Output) {
    let folder = folder(name);
    std::fs::write(folder.join("recording.csv"), recording).unwrap();
    let arguments = [&["trace", "fit", "recording.csv", "--out", "capacity.toml"], more].concat();
    let fitted = spotsim_in(&folder, &arguments);
    assert!(fitted.status.success(), "{}", String::from_utf8_lossy(&fitted.stderr));
    let table = std::fs::read_to_string(folder.join("capacity.toml")).unwrap();
    let scenario = format!("{SCENARIO}\n{table}");
    std::fs::write(folder.join("scenario.toml"), scenario).unwrap();
    let checked = spotsim_in(&folder, &["validate", "scenario.toml"]);
    (table, checked)
}

const SCENARIO: &str = r#"
schema = 1
name = "fitted"
[job]
work = { ideal_time = "10 h" }
horizon = "30 d"
[pricing]
rule = "flat"
on_demand = "2 USD/h"
spot = "1 USD/h"
[[cluster]]
name = "Spot"
instance = "p3.2xlarge"
nodes = 1
market = "spot"
zones = ["us-west-2a"]
"#;

fn accepted(table: &str, checked: &std::process::Output) {
    assert!(checked.status.success(), "{table}\n{}", String::from_utf8_lossy(&checked.stderr));
}

#[test]
fn the_table_fitted_to_a_recorded_zone_is_a_scenarios_capacity() {
    let recording = root().join("data/traces/aws-2023-02-15-v100-us-west-2a.csv");
    let recording = std::fs::read_to_string(recording).unwrap();
    let (table, checked) = pasted("fit_renewal", &recording, &["--resolution", "650 s"]);
    accepted(&table, &checked);
    // Reference: mu_ln_h 0.245, sigma 1.727 of 157 ended uptimes; e^0.245 = 1.278.
    assert!(table.contains("uptime = { lognormal = { median = \"1.278 h\", sigma = 1.728 } }"), "{table}");
    assert!(table.contains("# uptimes: 157 ended, 1 cut off; lognormal fits best"), "{table}");
}

#[test]
fn too_few_runs_are_answered_with_how_wide_the_answer_is() {
    let recording = root().join("data/traces/gcp-2025-10-04-h100-asia-south2-b.csv");
    let (table, _) = pasted("fit_few", &std::fs::read_to_string(recording).unwrap(), &[]);
    assert!(table.contains("# uptimes: 0 ended, 1 cut off; the mean is above"), "{table}");
    assert!(!table.contains("[capacity"), "{table}");
}

/// A recording in the project's own format, of spans up and down in turn, first down.
fn recording(spans_s: &[u64]) -> String {
    let mut begin: spotsim::units::Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
    let mut text = "# kind: availability\nstart,duration_s,nodes\n".to_owned();
    for (index, &seconds) in spans_s.iter().enumerate() {
        text += &format!("{begin},{seconds},{}\n", index % 2);
        begin = begin.checked_add(spotsim::units::Span::from_s(seconds)).unwrap();
    }
    text
}

fn stream() -> spotsim::rng::Stream {
    spotsim::rng::Streams::new(1).stream(spotsim::rng::Source::Coverage, 0, 0, 0)
}

/// Fifty days in calm, with uptimes of 20 h, and fifty in storm, with uptimes of 20 min, by turns of ten.
#[test]
fn the_table_fitted_to_calm_and_storm_is_a_scenarios_capacity() {
    let mut stream = stream();
    let (mut spans, mut t) = (Vec::new(), 0.0);
    while t < 200.0 * 86_400.0 {
        let is_calm = ((t / 864_000.0) as u64).is_multiple_of(2);
        let mean = if spans.len().is_multiple_of(2) {
            1_200.0
        } else if is_calm {
            72_000.0
        } else {
            1_200.0
        };
        let span = (1.0 - mean * libm::log(stream.open01())).round();
        t += span;
        spans.push(span as u64);
    }
    let (table, checked) = pasted("fit_markov", &recording(&spans), &[]);
    assert!(table.contains("[[capacity.markov.state]]"), "{table}");
    accepted(&table, &checked);
}

/// Losses are ten times as frequent from noon to midnight.
#[test]
fn the_table_fitted_to_a_daily_rhythm_is_a_scenarios_capacity() {
    let mut stream = stream();
    let (mut spans, mut t) = (Vec::new(), 0_u64);
    while t < 100 * 86_400 {
        let mut span = 0_u64;
        loop {
            span += 60;
            let is_afternoon = (t + span) % 86_400 > 43_200;
            let per_minute = if spans.len().is_multiple_of(2) {
                0.05
            } else if is_afternoon {
                0.02
            } else {
                0.002
            };
            if stream.open01() < per_minute {
                break;
            }
        }
        t += span;
        spans.push(span);
    }
    let (table, checked) = pasted("fit_diurnal", &recording(&spans), &[]);
    assert!(table.contains("[capacity.diurnal]"), "{table}");
    accepted(&table, &checked);
}
