//! Samples/s of measured training steps: the compute model with the catalogue's efficiencies, and what it is
//! worth for GPUs and model families that it was not fitted to.

use super::{SuiteResult, VerifyError, rows};
use crate::compute::fit::{error, fit, fit_one};
use crate::compute::{Case, Coefficients, Covered, MeasuredRow};
use crate::facts::Catalogue;
use crate::scenario::speed::{chip, coefficients};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Rows gathered for this project, 2026-12; sources and columns explained in the file.
const ROWS: &str = include_str!("../../../data/verify/vit_throughput.csv");

const METRIC: &str = "MAPE of samples/s, %";
/// Per cent; the reference's roofline model reached 21.4, 6.7, 24.2 (its own rows), and 9.3.
const TOLERANCE: f64 = 18.0;
const TOLERANCE_PLAIN: f64 = 6.0;
const TOLERANCE_GPU: f64 = 20.0;
const TOLERANCE_ONE_ROW: f64 = 10.0;
const TOLERANCE_FAMILY: f64 = 8.0;
/// Compute alone against rates that include communication: what 2 to 128 GPUs lose to it, and the model's
/// own error.
const TOLERANCE_MULTI_GPU: f64 = 25.0;

/// Columns without which a file is not this suite's.
pub(super) const COLUMNS: [&str; 7] =
    ["row_id", "model", "family", "gpu", "fwd_gmacs", "batch_per_gpu", "samples_per_s_per_gpu"];

/// Rows that can be compared, and why the others cannot.
struct Cases {
    one_gpu: Vec<Case>,
    multi_gpu: Vec<Case>,
    skipped: BTreeMap<String, usize>,
}

/// Entries `throughput` and its groups; `data` replaces the rows that are compared, never those fitted to.
pub(super) fn throughput(data: Option<&str>) -> Result<Vec<SuiteResult>, VerifyError> {
    let catalogue = Catalogue::builtin();
    let fitted = cases(rows::read(ROWS)?, catalogue);
    let given = match data {
        Some(text) => &cases(rows::read(text)?, catalogue),
        None => &fitted,
    };
    let known = coefficients(catalogue);
    let mut first = all(given, &known);
    let mut groups = vec![plain(given, &known), multi_gpu(given, &known)];
    groups.extend(left_out_gpus(given, &fitted));
    groups.push(left_out_families(given, &fitted));
    // A file need not have rows for every group.
    let (groups, empty): (Vec<_>, Vec<_>) = groups.into_iter().partition(|group| group.rows > 0);
    first.notes.extend(empty.iter().map(no_rows));
    Ok([vec![first], groups].concat())
}

/// `throughput/multi-gpu: no row to compare`, and what was skipped.
fn no_rows(entry: &SuiteResult) -> String {
    let reasons: Vec<String> =
        entry.skipped.iter().map(|(reason, count)| format!("; {count} skipped: {reason}")).collect();
    format!("{}: no row to compare{}", entry.suite, reasons.concat())
}

fn cases(rows: Vec<MeasuredRow>, catalogue: &Catalogue) -> Cases {
    let mut found = Cases { one_gpu: Vec::new(), multi_gpu: Vec::new(), skipped: BTreeMap::new() };
    for row in rows {
        match Case::new(&row, catalogue.gpu(&row.gpu).map(chip)) {
            Ok(case) if row.gpus == 1 => found.one_gpu.push(case),
            Ok(case) => found.multi_gpu.push(case),
            Err(reason) => *found.skipped.entry(reason).or_default() += 1,
        }
    }
    found
}

/// A case and its relative error.
type Error<'a> = (&'a Case, f64);

fn errors<'a>(cases: impl IntoIterator<Item = &'a Case>, known: &Coefficients) -> Vec<Error<'a>> {
    cases.into_iter().map(|case| (case, error(case, known))).collect()
}

fn mean(errors: &[Error<'_>]) -> f64 {
    100.0 * errors.iter().map(|(_, error)| error).sum::<f64>() / errors.len() as f64
}

fn entry(
    suite: &'static str,
    tolerance: f64,
    errors: &[Error<'_>],
    skipped: BTreeMap<String, usize>,
) -> SuiteResult {
    let worst = errors.iter().max_by(|a, b| a.1.total_cmp(&b.1));
    SuiteResult {
        suite,
        rows: errors.len(),
        skipped: skipped.into_iter().collect(),
        metric: METRIC,
        value: if errors.is_empty() { f64::INFINITY } else { mean(errors) },
        tolerance,
        missed: Vec::new(),
        notes: worst
            .map(|(case, error)| {
                let MeasuredRow { row_id, model, gpu, .. } = &case.row;
                format!("furthest off: row {row_id}, {model} on {gpu}, {:.0} %", 100.0 * error)
            })
            .into_iter()
            .collect(),
    }
}

/// Entry `throughput`: every row of one GPU that states its batch.
fn all(given: &Cases, known: &Coefficients) -> SuiteResult {
    let mut skipped = given.skipped.clone();
    if !given.multi_gpu.is_empty() {
        skipped.insert("several GPUs: entry throughput/multi-gpu".into(), given.multi_gpu.len());
    }
    entry("throughput", TOLERANCE, &errors(&given.one_gpu, known), skipped)
}

/// Entry `throughput/plain`: plain ViTs, operation by operation.
fn plain(given: &Cases, known: &Coefficients) -> SuiteResult {
    let plain = given.one_gpu.iter().filter(|case| case.is_plain());
    entry("throughput/plain", TOLERANCE_PLAIN, &errors(plain, known), BTreeMap::new())
}

/// Entry `throughput/multi-gpu`: one GPU's share where several train together, by compute alone.
fn multi_gpu(given: &Cases, known: &Coefficients) -> SuiteResult {
    let mut result =
        entry("throughput/multi-gpu", TOLERANCE_MULTI_GPU, &errors(&given.multi_gpu, known), BTreeMap::new());
    result.notes.push("computing alone: what communication adds is not in it".into());
    result
}

/// Errors of one group that was left out of the fit.
struct LeftOut<'a> {
    name: String,
    errors: Vec<Error<'a>>,
    one_row: Vec<Error<'a>>,
    skipped: BTreeMap<String, usize>,
}

/// Entries `throughput/left-out-gpu` and `throughput/left-out-gpu-one-row`: each GPU by a fit to the rows of
/// all others; then with one of its own rows, the first of a transformer in half precision.
fn left_out_gpus(given: &Cases, fitted: &Cases) -> Vec<SuiteResult> {
    let gpus: BTreeSet<&str> = given.one_gpu.iter().map(|case| case.row.gpu.as_str()).collect();
    let gpus: Vec<&str> = gpus.into_iter().collect();
    let everything = Covered::by(&fitted.one_gpu);
    let left_out: Vec<LeftOut<'_>> =
        gpus.par_iter().map(|gpu| left_out_gpu(gpu, given, fitted, &everything)).collect();

    let mut skipped = BTreeMap::new();
    for (reason, count) in left_out.iter().flat_map(|one| &one.skipped) {
        *skipped.entry(reason.clone()).or_default() += count;
    }
    let (unseen, one_row): (Vec<_>, Vec<_>) =
        left_out.into_iter().map(|one| ((one.name.clone(), one.errors), (one.name, one.one_row))).unzip();
    vec![
        grouped("throughput/left-out-gpu", TOLERANCE_GPU, &unseen, skipped.clone()),
        grouped("throughput/left-out-gpu-one-row", TOLERANCE_ONE_ROW, &one_row, skipped),
    ]
}

/// An entry over named groups, with the mean of each in a note: `A10 7.2 %, GH200-96GB 25.1 %`.
fn grouped(
    suite: &'static str,
    tolerance: f64,
    groups: &[(String, Vec<Error<'_>>)],
    skipped: BTreeMap<String, usize>,
) -> SuiteResult {
    let errors: Vec<Error<'_>> = groups.iter().flat_map(|(_, errors)| errors).copied().collect();
    let mut result = entry(suite, tolerance, &errors, skipped);
    let measured = groups.iter().filter(|(_, errors)| !errors.is_empty());
    let each: Vec<String> = measured.map(|(name, errors)| format!("{name} {:.1} %", mean(errors))).collect();
    result.notes.push(each.join(", "));
    result
}

fn left_out_gpu<'a>(gpu: &str, given: &'a Cases, fitted: &Cases, everything: &Covered) -> LeftOut<'a> {
    let others: Vec<&Case> = fitted.one_gpu.iter().filter(|case| case.row.gpu != gpu).collect();
    let covered = Covered::by(others.iter().copied());
    let mut skipped = BTreeMap::<String, usize>::new();
    let mut own = Vec::new();
    for case in given.one_gpu.iter().filter(|case| case.row.gpu == gpu) {
        match covered.lacks(everything, case) {
            Some(what) => *skipped.entry(format!("{what} was measured on {gpu} alone")).or_default() += 1,
            None => own.push(case),
        }
    }
    let known = fit(&others);
    let figure = own.iter().position(|case| case.is_half() && case.is_transformer()).unwrap_or(0);
    let one_row = match own.get(figure) {
        Some(case) => {
            let rest = own.iter().enumerate().filter(|(index, _)| *index != figure).map(|(_, case)| *case);
            errors(rest, &fit_one(case, &known))
        }
        None => Vec::new(),
    };
    LeftOut { name: gpu.to_owned(), errors: errors(own, &known), one_row, skipped }
}

/// Entry `throughput/left-out-family`: each family of plain ViTs by a fit to the rows of all others.
fn left_out_families(given: &Cases, fitted: &Cases) -> SuiteResult {
    let plain = || given.one_gpu.iter().filter(|case| case.is_plain());
    let families: BTreeSet<&str> = plain().map(|case| case.row.family.as_str()).collect();
    let families: Vec<&str> = families.into_iter().collect();
    let left_out: Vec<(String, Vec<Error<'_>>)> = families
        .par_iter()
        .map(|family| {
            let others: Vec<&Case> =
                fitted.one_gpu.iter().filter(|case| case.row.family != *family).collect();
            let own = plain().filter(|case| case.row.family == *family);
            ((*family).to_owned(), errors(own, &fit(&others)))
        })
        .collect();
    grouped("throughput/left-out-family", TOLERANCE_FAMILY, &left_out, BTreeMap::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_within_its_tolerance() {
        for result in throughput(None).unwrap() {
            assert!(result.pass(), "{}: {} of {}", result.suite, result.value, result.tolerance);
        }
    }

    /// Rows given stand in for the built-in ones in what is compared, never in what is fitted.
    #[test]
    fn a_row_that_is_wrong_changes_the_error_and_no_parameter() {
        let (head, rest) = ROWS.split_once("\n2,").unwrap();
        let first = rest.lines().next().unwrap();
        let right = throughput(Some(&format!("{head}\n2,{first}\n"))).unwrap();
        let twice = first.replace(",3450.55,", ",6901.10,");
        assert_ne!(first, twice);
        let wrong = throughput(Some(&format!("{head}\n2,{twice}\n"))).unwrap();
        let modelled = |result: &SuiteResult, rate: f64| {
            [1.0 - result.value / 100.0, 1.0 + result.value / 100.0].map(|ratio| rate * ratio)
        };
        let [low, high] = modelled(&right[0], 3450.55);
        let [from_wrong, _] = modelled(&wrong[0], 6901.10);
        assert!((from_wrong - low).abs().min((from_wrong - high).abs()) < 1.0, "{low} {high} {from_wrong}");
    }

    #[test]
    fn a_file_without_rows_for_a_group_has_no_entry_for_it() {
        let (head, rest) = ROWS.split_once("\n2,").unwrap();
        let results = throughput(Some(&format!("{head}\n2,{}\n", rest.lines().next().unwrap()))).unwrap();
        assert_eq!(results.iter().map(|result| result.suite).collect::<Vec<_>>(), ["throughput"]);
        assert!(results[0].notes.iter().any(|note| note.starts_with("throughput/plain: no row")));
    }

    #[test]
    fn rows_that_cannot_be_compared_are_skipped_with_the_reason() {
        let result = &throughput(None).unwrap()[0];
        let skipped: BTreeMap<_, _> = result.skipped.iter().cloned().collect();
        assert_eq!(skipped["end to end: may be bound by its data loader"], 11);
        assert_eq!(result.rows + result.skipped_rows(), 588);
    }
}
