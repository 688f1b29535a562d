//! Figures of fabrics as the text of `data/nccl_figures.toml`.

use crate::calibrate::fabrics::{ClassFigures, Fabrics};

/// The whole file. `date` and `source` say when and from what the figures were fitted.
pub fn toml(fabrics: &Fabrics, date: &str, source: &str) -> String {
    let mut text = format!(
        "\
# What fabrics make of NCCL's model of an all-reduce. Written by `spotsim calibrate fabrics`; not edited by hand.
#
# time = latency_factor x NCCL's latency + hops x hop_us + bytes / (efficiency x NCCL's bandwidth), the least over the
# algorithms and protocols that NCCL considers; a node sends at most `rate_max_gb_per_s`.
# Eight of ten times of a system that no fit has seen lie between `time_low` and `time_high` times the prediction.
# A class with few systems is drawn to its neighbours, one with none is its neighbours.

date = {date:?}
source = {source:?}
"
    );
    for class in &fabrics.classes {
        text.push_str(&table(class));
    }
    text
}

fn table(figures: &ClassFigures) -> String {
    let ClassFigures { class, fit, time_low, time_high, systems, rows } = figures;
    let mut text = format!("\n[[figures]]\nclass = {:?}\n", class.name());
    let mut line = |key: &str, value: String| text.push_str(&format!("{key} = {value}\n"));
    line("latency_factor", digits(fit.latency_factor));
    if fit.hop_us > 0.0 {
        line("hop_us", digits(fit.hop_us));
    }
    line("efficiency", digits(fit.efficiency));
    if let Some(rate) = fit.rate_max_gb_per_s {
        line("rate_max_gb_per_s", digits(rate));
    }
    line("time_low", digits(*time_low));
    line("time_high", digits(*time_high));
    line("systems", systems.to_string());
    line("rows", rows.to_string());
    line("confidence", format!("{:?}", confidence(*systems)));
    text
}

/// By the number of sites: runs of equal hardware differ by 7 to 20 %.
fn confidence(systems: usize) -> &'static str {
    match systems {
        0 => "none of its own: borrowed from its neighbours",
        1 => "low, fitted to one system and drawn to its neighbours",
        2 | 3 => "medium, fitted to a few systems",
        _ => "medium, fitted; sites differ as `time_low` and `time_high` say",
    }
}

/// Four significant digits of a number above 0.
fn digits(value: f64) -> String {
    let whole = libm::log10(value).floor() as i32 + 1;
    format!("{value:.*}", (4 - whole).max(1) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calibrate::fabrics::fabrics;
    use crate::facts::ALL_REDUCES;

    #[test]
    fn the_shipped_file_is_what_the_command_writes() {
        let text = toml(&fabrics(ALL_REDUCES).unwrap(), "2026-12-02", "data/verify/nccl_measured.csv");
        assert!(text == include_str!("../../data/nccl_figures.toml"), "{text}");
    }

    #[test]
    fn numbers_have_four_digits() {
        for (value, right) in [(0.66312, "0.6631"), (60.267, "60.27"), (1.0, "1.000"), (12_345.6, "12345.6")]
        {
            assert_eq!(digits(value), right);
        }
    }
}
