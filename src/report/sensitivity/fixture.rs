//! A study made up for tests: a cost of 10 + provision + 2 restore + 3 uptime, each from 0 to 1, so that the inputs
//! make 1/14, 4/14 and 9/14 of its variance.

use super::{Input, SensitivityView};
use crate::experiment::sensitivity::{Method, Place, finding};
use crate::experiment::sweep::{SweepRow, SweepRows};

pub(in crate::report) const METHODS: [Method; 3] =
    [Method::Sobol { base: 256 }, Method::Morris { trajectories: 10, levels: 4 }, Method::OneAtATime];
const SEED: u64 = 3;
const INPUTS: [(&str, &str, &str, &str); 3] = [
    ("start.provision", "provision", "1 min", "3 min"),
    ("start.restore", "restore", "1 min", "20 min"),
    ("capacity.lifetime.exponential.mean", "uptime", "2 h", "8 h"),
];

fn cost(place: &Place) -> f64 {
    let weights = [1.0, 2.0, 3.0];
    10.0 + place.iter().zip(weights).map(|(u, weight)| weight * u.unwrap_or(0.5)).sum::<f64>()
}

fn rows(method: Method) -> SweepRows {
    let places = method.places(INPUTS.len(), SEED).expect("three inputs");
    let row = |(number, place): (usize, &Place)| SweepRow {
        configuration: number as u64,
        values: vec![String::new(); INPUTS.len()],
        cluster: "Spot".to_owned(),
        status: "simulated".to_owned(),
        figures: [0.0, -0.1, 0.1].map(|off| Some(cost(place) + off)).to_vec(),
    };
    let figures = ["cost_per_finished_usd", "cost_per_finished_usd_ci_low", "cost_per_finished_usd_ci_high"];
    SweepRows {
        keys: INPUTS.map(|input| input.0.to_owned()).to_vec(),
        figures: figures.map(str::to_owned).to_vec(),
        rows: places.iter().enumerate().map(row).collect(),
    }
}

/// What `look` makes of the view of a study by that method.
pub(in crate::report) fn with_view<T>(method: Method, look: impl Fn(&SensitivityView<'_>) -> T) -> T {
    let inputs = INPUTS.map(|(key, name, low, high)| Input {
        key: key.to_owned(),
        name: name.to_owned(),
        low: low.to_owned(),
        high: high.to_owned(),
        law: format!("{{ uniform = {{ low = \"{low}\", high = \"{high}\" }} }}"),
    });
    let found = finding(method, SEED, &rows(method), "Spot", "cost_per_finished_usd");
    let findings = [found.expect("the study is whole")];
    look(&SensitivityView {
        name: "f",
        title: "Which of them?",
        seed: SEED,
        replications: 1_000,
        method,
        inputs: &inputs,
        findings: &findings,
    })
}
