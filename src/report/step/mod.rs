//! What `spotsim step` says: one training step of each cluster taken apart, what bounds it, and what
//! other numbers of nodes would do.

mod anatomy;
mod comparison;
mod csv;
mod figures;
#[cfg(test)]
pub mod fixture;
mod json;
mod operations;
mod scaling;
#[cfg(test)]
mod tests;

pub use csv::csv;
pub use json::json;

use super::number;
use super::text::{self, Paint};
use crate::experiment::step::StepResult;

/// Assumptions told one by one; `show` has all.
const ASSUMED_MAX: usize = 16;
/// Sentences of one kind; more are counted.
const SENTENCES_MAX: usize = 8;
/// Names told in one sentence.
const NAMES_MAX: usize = 3;

/// Everything that the text is made from.
#[derive(Debug, Clone, Copy)]
pub struct StepView<'a> {
    /// The steps, one a cluster, in the order of the scenario.
    pub results: &'a [StepResult],
    /// The scenario's file as the user typed it.
    pub file: &'a str,
    /// Whether escape sequences for colour are wanted.
    pub colour: bool,
    /// The folder that was written, if any.
    pub out: Option<&'a str>,
    /// The files in it.
    pub written: &'a [String],
}

/// The text for people, at most 100 columns wide.
pub fn table(view: &StepView<'_>) -> String {
    let (results, paint) = (view.results, Paint { colour: view.colour });
    let sections = [
        lines(&text::wrapped(&heading(results), text::columns())),
        comparison::table(results, paint),
        anatomy::sentences(results),
        anatomy::gpu_time(results, paint),
        operations::table(results, paint),
        scaling::table(results, paint),
        scaling::verdicts(results),
        text::beside("Assumed", &assumptions(results)),
        next_and_written(view, paint),
    ];
    let shown: Vec<String> = sections.into_iter().filter(|section| !section.is_empty()).collect();
    shown.join("\n")
}

/// What the text says, for another layout: nothing is wrapped, coloured or escaped, names are inert.
#[derive(Debug)]
pub(super) struct Told {
    /// The rows of the comparison, a pace each.
    pub(super) names: text::Column,
    /// Their clusters among those of the scenario.
    pub(super) numbers: Vec<usize>,
    /// Their figures.
    pub(super) columns: Vec<text::Column>,
    /// What bounds a step and what it is made of: sentences beside a word.
    pub(super) sentences: Vec<(&'static str, Vec<String>)>,
}

/// The pieces of [`table`] that hold answers.
pub(super) fn told(results: &[StepResult]) -> Told {
    let (names, columns) = comparison::columns(results);
    Told { names, numbers: comparison::numbers(results), columns, sentences: anatomy::lines(results) }
}

/// What steps they are, as far as they are alike: model, samples, GPUs, arithmetic.
pub(super) fn heading(results: &[StepResult]) -> String {
    let model = common(results, |r| r.model.clone()).flatten();
    let batch = range(results.iter().filter_map(|r| r.batch_per_gpu));
    let ranks = range(results.iter().map(|r| f64::from(r.anatomy.ranks)));
    let parts = [
        Some(model.map_or("One training step".to_owned(), |model| {
            format!("One training step of {}", text::inert(&model))
        })),
        batch.map(|batch| format!("{batch} samples per GPU")),
        ranks.map(|ranks| if ranks == "1" { "1 GPU".to_owned() } else { format!("{ranks} GPUs") }),
        common(results, |r| r.precision.to_owned()),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// What all clusters share; `None` where they differ or there are none.
pub(super) fn common<T: PartialEq>(results: &[StepResult], of: impl Fn(&StepResult) -> T) -> Option<T> {
    let first = of(results.first()?);
    results.iter().all(|result| of(result) == first).then_some(first)
}

/// "128", or "64 to 128" where values differ.
fn range(values: impl Iterator<Item = f64> + Clone) -> Option<String> {
    let (low, high) = (values.clone().fold(f64::INFINITY, f64::min), values.fold(0.0, f64::max));
    let text = |value: f64| number::fixed(value, if value.fract() == 0.0 { 0 } else { 2 });
    match low <= high {
        true if low == high => Some(text(low)),
        true => Some(format!("{} to {}", text(low), text(high))),
        false => None,
    }
}

/// A sentence of each cluster beside its name. Clusters of which the same is true share it, and if that
/// is all of them, no name is needed.
fn of_each(results: &[StepResult], of: impl Fn(&StepResult) -> Option<String>) -> Vec<String> {
    let mut told: Vec<(String, Vec<String>)> = Vec::new();
    for result in results {
        let Some(sentence) = of(result) else { continue };
        let name = text::name(&result.name);
        match told.iter_mut().find(|(other, _)| *other == sentence) {
            Some((_, names)) => names.push(name),
            None => told.push((sentence, vec![name])),
        }
    }
    let of_all = told.len() == 1 && told[0].1.len() == results.len();
    let beside_names = |(sentence, names): (String, Vec<String>)| {
        if of_all { sentence } else { format!("{}: {sentence}", text::listed(names, NAMES_MAX)) }
    };
    capped(told.into_iter().map(beside_names).collect(), SENTENCES_MAX, "more, told by --format json")
}

fn capped(mut sentences: Vec<String>, most: usize, where_else: &str) -> Vec<String> {
    let more = sentences.len().saturating_sub(most);
    if more > 0 {
        sentences.truncate(most);
        sentences.push(format!("{} {where_else}", number::count(more as u64)));
    }
    sentences
}

/// Every assumption once.
fn assumptions(results: &[StepResult]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for assumption in results.iter().flat_map(|result| &result.assumed) {
        let assumption = text::inert(assumption);
        if !all.contains(&assumption) {
            all.push(assumption);
        }
    }
    capped(all, ASSUMED_MAX, "more, told by `spotsim show`")
}

fn next_and_written(view: &StepView<'_>, paint: Paint) -> String {
    let file = text::shell_file(view.file);
    let hints = [
        (format!("spotsim run {file}"), "what the whole job costs, interruptions included"),
        (format!("spotsim show {file}"), "every default filled in"),
        ("spotsim catalog networks".to_owned(), "rates of networks, dates, sources"),
    ];
    let written = view.out.map_or(String::new(), |out| text::written(out, view.written));
    text::hints(&hints, paint) + &written
}

fn lines(all: &[String]) -> String {
    all.iter().map(|line| format!("{line}\n")).collect()
}
