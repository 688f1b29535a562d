//! What `spotsim calibrate throughput` found, as lines of the catalogue's files.

use crate::calibrate::throughput::{Evidence, ThroughputCalibration};
use std::fmt::Write;

/// Lines for `data/software.toml` and, GPU by GPU, for `data/gpus.toml`.
pub fn toml(found: &ThroughputCalibration) -> String {
    let fitted = &found.coefficients;
    let mut text = format!("# Fitted to {}\n", rows(&found.all));
    for (reason, count) in &found.skipped {
        _ = writeln!(text, "# left aside: {count} ({reason})");
    }
    text += "\n# for data/software.toml\n";
    for (key, value) in [
        ("score_traffic", fitted.score_traffic),
        ("wide_traffic", fitted.wide_traffic),
        ("tf32_share", fitted.tf32_share),
        ("typical_compute_efficiency", fitted.typical.compute),
        ("typical_memory_efficiency", fitted.typical.memory),
        ("power_exponent", fitted.power_exponent),
    ] {
        _ = writeln!(text, "{key} = {value:.3}");
    }
    for (name, traffic, evidence) in &found.frameworks {
        _ = writeln!(text, "\n[[framework]]\nname = \"{name}\"\ntraffic = {traffic:.3}");
        text += &lines(evidence, "");
    }
    for (kind, bytes, evidence) in &found.activations {
        _ = writeln!(text, "\n[[activation]]\nkind = \"{}\"\nbytes = {bytes:.2}", kind.name());
        text += &lines(evidence, "");
    }
    text += "\n# for data/gpus.toml\n";
    for (name, efficiency, evidence) in &found.gpus {
        _ = writeln!(
            text,
            "\n# {name}\ncompute_efficiency = {:.3}\nmemory_efficiency = {:.3}",
            efficiency.compute, efficiency.memory
        );
        text += &lines(evidence, "efficiency_");
    }
    text
}

/// `494 rows, mean error 5.4 %`.
fn rows(evidence: &Evidence) -> String {
    let spread = evidence.spread.map_or(String::new(), |s| format!(", mean error {:.1} %", 100.0 * s));
    format!("{} rows of one GPU{spread}", evidence.rows)
}

fn lines(evidence: &Evidence, prefix: &str) -> String {
    let mut text = format!("{prefix}rows = {}\n", evidence.rows);
    if let Some(spread) = evidence.spread {
        _ = writeln!(text, "{prefix}spread = {spread:.3}");
    }
    text
}
