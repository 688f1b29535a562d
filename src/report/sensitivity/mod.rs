//! What `spotsim sensitivity` says: which uncertain key a result hangs on.

mod data;
#[cfg(test)]
pub(in crate::report) mod fixture;
mod tables;
mod words;

pub use data::{csv, json};
pub use words::sentence;
pub(super) use words::{amount, level, percent_of, result_name};

use super::number;
use super::sweep::rounded;
use super::text::{self, Column, Paint, hints, shell_file};
use crate::experiment::sensitivity::{Finding, Found, Method};

/// An uncertain key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// Dotted, as `--set` has it.
    pub key: String,
    /// As short as tells it from the others.
    pub name: String,
    /// Its value at the low end of the range that is told.
    pub low: String,
    /// At the high end.
    pub high: String,
    /// Its law, as TOML.
    pub law: String,
}

impl Input {
    /// "2 h to 8 h", with no more digits than are read.
    pub(in crate::report) fn range(&self) -> String {
        format!("{} to {}", rounded(&self.low), rounded(&self.high))
    }
}

/// A study and what is known of it beside its findings.
#[derive(Debug, Clone, Copy)]
pub struct SensitivityView<'a> {
    /// The scenario's name.
    pub name: &'a str,
    /// The scenario's question.
    pub title: &'a str,
    /// Of all random streams, points and resamples.
    pub seed: u64,
    /// Replications at each point.
    pub replications: u64,
    /// How the keys were varied.
    pub method: Method,
    /// The keys, in the order of the columns.
    pub inputs: &'a [Input],
    /// One a cluster and result.
    pub findings: &'a [Finding],
}

impl SensitivityView<'_> {
    /// Points of the study.
    pub fn points(&self) -> usize {
        self.method.points(self.inputs.len())
    }

    /// Inputs by a weight, the heaviest first; of equal ones the earlier.
    pub(in crate::report) fn ranked(&self, weight: impl Fn(usize) -> f64) -> Vec<usize> {
        let mut all: Vec<usize> = (0..self.inputs.len()).collect();
        all.sort_by(|&a, &b| weight(b).total_cmp(&weight(a)));
        all
    }
}

/// What the text says beside the study.
#[derive(Debug, Clone, Copy)]
pub struct Printed<'a> {
    /// Whether the terminal has colour.
    pub colour: bool,
    /// The scenario file, as it was named.
    pub file: &'a str,
    /// The folder, and what was written there.
    pub out: &'a str,
    /// Names of files in it.
    pub written: &'a [String],
}

/// The text for people, at most 100 columns wide.
pub fn table(view: &SensitivityView<'_>, printed: &Printed<'_>) -> String {
    let paint = Paint { colour: printed.colour };
    let title = lines(text::wrapped(&text::inert(view.title), text::columns()));
    let verdicts =
        view.findings.iter().flat_map(|finding| text::wrapped(&sentence(view, finding), text::columns() - 2));
    let verdicts = lines(verdicts.map(|line| format!("  {}", paint.bold(&line))).collect());
    let mut sections = vec![title, verdicts];
    for finding in view.findings {
        if let Some(table) = table_of(view, finding) {
            sections.push(format!("{}\n{}", finding_name(finding), table.text(view, paint)));
        }
    }
    sections.push(text::beside("Notes", &notes(view)));
    let next = next(view, printed);
    sections.push(hints(&next, paint) + &text::written(printed.out, printed.written));
    sections.join("\n")
}

/// What the text says, for another layout: nothing is wrapped, coloured or escaped, names are inert.
#[derive(Debug)]
pub(super) struct Told {
    /// One a finding of the study.
    pub(super) findings: Vec<ToldFinding>,
    /// How it is to be read.
    pub(super) notes: Vec<String>,
}

/// A finding.
#[derive(Debug)]
pub(super) struct ToldFinding {
    /// Cluster and result.
    pub(super) name: String,
    /// What was found.
    pub(super) sentence: String,
    /// The inputs with an effect, and their figures; `None` where no input has one.
    pub(super) table: Option<(Column, Vec<Column>)>,
    /// On inputs without an effect, and on pairs.
    pub(super) notes: Vec<String>,
}

/// The pieces of [`table`] that hold answers.
pub(super) fn told(view: &SensitivityView<'_>) -> Told {
    let told = |finding: &Finding| {
        let table = table_of(view, finding);
        let notes = table.as_ref().map_or(Vec::new(), |table| {
            [table.without_effect(view), table.together.clone()].into_iter().flatten().collect()
        });
        ToldFinding {
            name: finding_name(finding),
            sentence: sentence(view, finding),
            table: table.filter(|table| !table.first.cells.is_empty()).map(|of| (of.first, of.columns)),
            notes,
        }
    };
    Told { findings: view.findings.iter().map(told).collect(), notes: notes(view) }
}

fn finding_name(finding: &Finding) -> String {
    format!("{}, {}", text::name(&finding.cluster), result_name(&finding.result))
}

fn table_of(view: &SensitivityView<'_>, finding: &Finding) -> Option<tables::Table> {
    match &finding.found {
        Found::Sobol(indices) => Some(tables::sobol(view, indices)),
        Found::Morris(effects) => Some(tables::morris(view, finding, effects)),
        Found::OneAtATime { base, bars } => Some(tables::tornado(view, finding, *base, bars)),
        Found::Lacking { .. } => None,
    }
}

fn lines(lines: Vec<String>) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn notes(view: &SensitivityView<'_>) -> Vec<String> {
    let brackets = match view.method {
        Method::OneAtATime => "",
        _ => "; brackets are 95 % intervals by bootstrap: of the points, not of the ranges",
    };
    let mut notes = vec![format!(
        "{} points, {} replications each, all in the same worlds (seed {}){}",
        number::count(view.points() as u64),
        number::count(view.replications),
        view.seed,
        brackets
    )];
    notes.push(
        match view.method {
            Method::Sobol { .. } => {
                "ST: share of the variance that an input has part in, S1: share that it makes alone; the rest of ST it makes \
                 together with others. Estimates may lie below 0 or above 1; no effect: both are below 0.005"
            }
            Method::Morris { .. } => {
                "mean size: how far the result moves over the input's range, from its 1st to its 99th percentile; spread: how \
                 much that hangs on where the others stand"
            }
            Method::OneAtATime => {
                "each input from its 5th to its 95th percentile, the others as the scenario has them: what inputs do \
                 together does not show"
            }
        }
        .to_owned(),
    );
    notes.push("all of it is about these ranges only, of inputs that do not go with each other".to_owned());
    let noise = view.findings.iter().filter_map(|finding| finding.noise).fold(0.0, f64::max);
    if noise > 0.0 && view.method != Method::OneAtATime {
        notes.push(format!(
            "noise: share of the variance between points that the chance of their replications makes at most, {} at the worst \
             result; more replications make it less",
            percent_of(noise)
        ));
    }
    notes
}

fn next(view: &SensitivityView<'_>, printed: &Printed<'_>) -> Vec<(String, &'static str)> {
    let command = |more: &str| format!("spotsim sensitivity {}{more}", shell_file(printed.file));
    match view.method {
        Method::Sobol { base } => vec![
            (command(&format!(" --samples {}", 4 * base)), "half the intervals"),
            (command(" --method one-at-a-time"), "in dollars and hours"),
        ],
        Method::Morris { .. } => vec![(command(" --method sobol"), "shares of the variance")],
        Method::OneAtATime => vec![(command(" --method sobol"), "with what inputs do together")],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(method: Method) -> String {
        fixture::with_view(method, |view| {
            table(
                view,
                &Printed { colour: false, file: "f.toml", out: "o", written: &["points.csv".to_owned()] },
            )
        })
    }

    /// Inputs of the fixture make 1/14, 4/14 and 9/14 of the variance.
    #[test]
    fn the_sentence_names_what_drives_the_result() {
        let text = text_of(Method::Sobol { base: 256 });
        let driven = "Spot: cost per finished run is driven by uptime (ST 0.64) and restore (0.2";
        assert!(text.contains(driven), "{text}");
        assert!(text.contains("2 h to 8 h"), "{text}");
        let text = text_of(Method::Morris { trajectories: 10, levels: 4 });
        assert!(
            text.contains("Spot: cost per finished run moves most with uptime ($2.94), restore ($1.96)"),
            "{text}"
        );
        let text = text_of(Method::OneAtATime);
        assert!(text.contains("from $11.65 to $14.35 with"), "{text}");
    }

    /// Inputs of the fixture that a result does not hang on at all are told in one line.
    #[test]
    fn inputs_without_effect_take_one_line() {
        let method = Method::OneAtATime;
        fixture::with_view(method, |view| {
            let mut finding = view.findings[0].clone();
            if let Found::OneAtATime { bars, .. } = &mut finding.found {
                bars.last_mut().unwrap().at_low = bars.last().unwrap().at_high;
            }
            let printed = Printed { colour: false, file: "f.toml", out: "o", written: &[] };
            let text = table(&SensitivityView { findings: &[finding], ..*view }, &printed);
            assert_eq!(text.matches("no effect: ").count(), 1, "{text}");
        });
    }

    #[test]
    fn every_text_is_narrow() {
        for method in fixture::METHODS {
            let text = text_of(method);
            assert!(text.lines().all(|line| text::width(line) <= text::WIDTH), "{text}");
        }
    }
}
