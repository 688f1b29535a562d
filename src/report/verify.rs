//! What `verify` found.

use super::text::{columns, wrapped};
use crate::experiment::verify::SuiteResult;
use serde_json::json;
use std::fmt::Write;

/// A line an entry, then what was skipped and why. Where a metric does not fit into the line it stands beneath.
pub fn table(results: &[SuiteResult]) -> String {
    let widest =
        |of: &dyn Fn(&SuiteResult) -> usize, least: usize| results.iter().map(of).fold(least, usize::max);
    let suite = widest(&|r| r.suite.len(), 20);
    let metric = widest(&|r| r.metric.len(), 6);
    // Figures and the verdict take 43 columns, what parts the metric from its neighbours two.
    let fits = suite + 45 + metric <= columns();
    let beside = |words: &str| if fits { format!("  {words:<metric$}") } else { String::new() };
    let mut text = format!(
        "{:<suite$}{:>7}{:>9}{}{:>10}{:>11}\n",
        "suite",
        "rows",
        "skipped",
        beside("metric"),
        "value",
        "tolerance"
    );
    for r in results {
        let verdict = if r.pass() { "pass" } else { "FAIL" };
        let (rows, skipped) = (r.rows, r.skipped_rows());
        _ = writeln!(
            text,
            "{:<suite$}{rows:>7}{skipped:>9}{}{:>10}{:>11}  {verdict}",
            r.suite,
            beside(r.metric),
            short(r.value),
            short(r.tolerance)
        );
        let beneath = (!fits).then(|| r.metric.to_owned());
        for note in beneath.iter().chain(&r.missed).chain(&r.notes) {
            for line in wrapped(note, columns() - 2) {
                _ = writeln!(text, "  {line}");
            }
        }
    }
    for r in results.iter().filter(|r| !r.skipped.is_empty()) {
        let reasons: Vec<String> =
            r.skipped.iter().map(|(reason, count)| format!("{count} ({reason})")).collect();
        for line in wrapped(&format!("skipped: {} {}", r.suite, reasons.join(", ")), columns()) {
            _ = writeln!(text, "{line}");
        }
    }
    let passed = results.iter().filter(|r| r.pass()).count();
    _ = writeln!(text, "{passed} of {} entries pass.", results.len());
    text
}

/// Small numbers by their power of ten: 3.1e-10.
fn short(value: f64) -> String {
    match value {
        v if v == 0.0 || (1e-3..1e6).contains(&v) => format!("{v:.3}"),
        v if v.is_finite() => format!("{v:.1e}"),
        _ => "not reached".to_owned(),
    }
}

/// `{suites: [{suite, rows, skipped, metric, value, tolerance, pass}]}`.
pub fn json(results: &[SuiteResult]) -> String {
    let suites: Vec<_> = results
        .iter()
        .map(|r| {
            json!({
                "suite": r.suite,
                "rows": r.rows,
                "skipped": r.skipped_rows(),
                "metric": r.metric,
                "value": r.value,
                "tolerance": r.tolerance,
                "pass": r.pass(),
            })
        })
        .collect();
    String::from_utf8_lossy(&super::json::to_bytes(&json!({ "suites": suites }))).into_owned()
}

/// The same as CSV.
pub fn csv(results: &[SuiteResult]) -> String {
    let mut text = "suite,rows,skipped,metric,value,tolerance,pass\n".to_owned();
    for r in results {
        let metric = super::csv::field(r.metric);
        let (skipped, pass) = (r.skipped_rows(), r.pass());
        _ = writeln!(text, "{},{},{skipped},{metric},{},{},{pass}", r.suite, r.rows, r.value, r.tolerance);
    }
    text
}
