//! What `spotsim calibrate network` found.

use super::nccl_fit;
use super::number::fixed;
use super::text::{self, Column, Paint};
use crate::calibrate::instance::InstanceFit;
use crate::calibrate::network::{AllReduce, Caution, NetworkCalibration};
use crate::network::{MeasuredFabric, MeasuredLine, MeasuredSize};
use crate::scenario::problem::{Problem, Problems};
use crate::units::Bandwidth;
use serde_json::{Value, json};
use std::fmt::Write;

/// A line that is further off than this, root mean square, is no good description.
const SPREAD_POOR: f64 = 0.1;
const TWO_NODES_COUNT: &str = "with two nodes this way of counting overstates the link:";
const TWO_NODES_HALF: &str = "in a tree of two each link carries half of the bytes that count";

/// What there is to tell.
#[derive(Debug, Clone, Copy)]
pub struct Answer<'a> {
    /// The fabric.
    pub calibration: &'a NetworkCalibration,
    /// NCCL's model fitted to it, where an instance was named.
    pub own: Option<&'a InstanceFit>,
    /// The all-reduce that was asked for.
    pub all_reduce: Option<AllReduce>,
    /// Where the fabric was written to.
    pub written: Option<&'a str>,
}

/// For people.
pub fn table(answer: &Answer<'_>) -> String {
    let NetworkCalibration { fabric, best, .. } = answer.calibration;
    let ranks = fabric.ranks();
    let verdict = format!(
        "{} ({}) of bus bandwidth among {ranks} ranks: the largest of {} rows, at {} {}.",
        gb_per_s(best.bus_bandwidth),
        gbit_per_s(best.bus_bandwidth),
        fabric.sizes.len(),
        amount(best.bytes),
        way(best.in_place),
    );
    let mut table = "What does an all-reduce get out of this fabric?\n\n".to_owned();
    for line in text::wrapped(&verdict, text::columns() - 2) {
        _ = writeln!(table, "  {line}");
    }
    table += &format!("\n{}\n", rows(fabric));
    if let Some(asked) = answer.all_reduce {
        let words = all_reduce_words(answer.calibration, asked);
        table += &text::beside(&amount(asked.bytes.get()), &[words]);
    }
    let small = answer.calibration.smallest().map_or(String::new(), |(bytes, rate)| {
        format!(" Small ones wait for latency: at {} {} GB/s.", amount(bytes.get()), fixed(rate, 2))
    });
    let used = format!(
        "the largest bandwidth, for large sizes.{small} The average that nccl-tests prints mixes both and is \
         not used."
    );
    table += &text::beside("Used", &[used]);
    if let (Some(link), Some(efficiency)) = (answer.calibration.link, answer.calibration.link_efficiency()) {
        let words = format!("{} % of {}", fixed(efficiency * 100.0, 1), gb_per_s(link));
        table += &text::beside("Link", &[words]);
    }
    table += &match answer.own {
        Some(own) => nccl_fit::sentences(own, fabric),
        None => text::beside("Fit", &[fit_words(&fabric.fit)]),
    };
    table += &text::beside("Measured", &[measured_words(fabric)]);
    let rate = format!("{} GB/s", fixed(fabric.bus_bandwidth_gb_per_s, 2).replace(',', ""));
    table += &format!("\nNext      spotsim run FILE --set 'network.bandwidth=\"{rate}\"'\n");
    if let Some(written) = answer.written {
        table += &format!("Written   {}\n", text::inert(written));
        table += &text::beside("", &["a scenario takes it as [network] calibration".to_owned()]);
    }
    table
}

fn rows(fabric: &MeasuredFabric) -> String {
    let column = |head: &str, of: &dyn Fn(&MeasuredSize) -> String| {
        Column::figures(head, fabric.sizes.iter().map(of).collect())
    };
    let ms = |us: Option<f64>| us.map_or(super::number::MISSING.to_owned(), |us| fixed(us / 1e3, 3));
    let bus = |bytes: u64, us: Option<f64>| {
        let rate = us.map(|us| fixed(fabric.bus_gb_per_s(bytes, us / 1e6), 2));
        rate.unwrap_or(super::number::MISSING.to_owned())
    };
    let first = column("size", &|size| amount(size.bytes));
    let others = [
        column("out-of-place, ms", &|size| ms(size.out_of_place_us)),
        column("bus, GB/s", &|size| bus(size.bytes, size.out_of_place_us)),
        column("in-place, ms", &|size| ms(size.in_place_us)),
        column("bus, GB/s", &|size| bus(size.bytes, size.in_place_us)),
    ];
    text::table(&first, &others, Paint { colour: false })
}

fn all_reduce_words(calibration: &NetworkCalibration, asked: AllReduce) -> String {
    let ranks = calibration.fabric.ranks();
    let at_best = format!(
        "{} at {}: each of {ranks} ranks sends 2 × {}/{ranks} of it.",
        milliseconds(asked.at_best_s),
        gb_per_s(calibration.best.bus_bandwidth),
        ranks - 1
    );
    match asked.between_sizes_s {
        Some(seconds) => {
            format!("{at_best} {} on a line between the measured sizes around it.", milliseconds(seconds))
        }
        None => format!("{at_best} It lies beyond the measured sizes."),
    }
}

fn fit_words(fit: &MeasuredLine) -> String {
    let poor = match fit.spread {
        spread if spread > SPREAD_POOR => " These sizes are far from a line: go by the rows.",
        _ => "",
    };
    format!(
        "latency {} µs and {} GB/s; all times within {} % of this line, {} % in the root mean square.{poor}",
        fixed(fit.latency_us, 1),
        fixed(fit.bus_bandwidth_gb_per_s, 2),
        fixed(fit.spread_max * 100.0, 1),
        fixed(fit.spread * 100.0, 1),
    )
}

fn measured_words(fabric: &MeasuredFabric) -> String {
    let library = match fabric.library.as_str() {
        "NCCL" => "NCCL, version not said".to_owned(),
        known => text::inert(known),
    };
    let nodes = if fabric.nodes == 1 { "node" } else { "nodes" };
    let device =
        if fabric.device.is_empty() { "GPUs, kind not said".to_owned() } else { text::inert(&fabric.device) };
    format!(
        "{} {nodes} of {} × {device}; {}; {}",
        fabric.nodes,
        fabric.gpus_per_node,
        library,
        text::inert(&fabric.date)
    )
}

/// One JSON document.
pub fn json(answer: &Answer<'_>) -> String {
    let NetworkCalibration { fabric, best, .. } = answer.calibration;
    let rate = best.bus_bandwidth.bytes_per_s();
    let size = |size: &MeasuredSize| {
        let bus = |us: Option<f64>| us.map(|us| fabric.bus_gb_per_s(size.bytes, us / 1e6));
        json!({
            "bytes": size.bytes,
            "out_of_place_us": size.out_of_place_us,
            "out_of_place_gb_per_s": bus(size.out_of_place_us),
            "in_place_us": size.in_place_us,
            "in_place_gb_per_s": bus(size.in_place_us),
        })
    };
    let all_reduce = answer.all_reduce.map(|asked| {
        json!({
            "bytes": asked.bytes.get(),
            "time_ms": asked.at_best_s * 1e3,
            "time_between_sizes_ms": asked.between_sizes_s.map(|seconds| seconds * 1e3),
        })
    });
    let warnings: Vec<String> =
        warnings(answer.calibration).iter().map(|problem| problem.title.clone()).collect();
    let document = json!({
        "schema": 1,
        "device": fabric.device,
        "library": fabric.library,
        "date": fabric.date,
        "nodes": fabric.nodes,
        "gpus_per_node": fabric.gpus_per_node,
        "ranks": fabric.ranks(),
        "bus_bandwidth_gb_per_s": rate / 1e9,
        "bus_bandwidth_gbit_per_s": rate * 8.0 / 1e9,
        "at_bytes": best.bytes,
        "at_placement": way(best.in_place),
        "link_gb_per_s": answer.calibration.link.map(|link| link.bytes_per_s() / 1e9),
        "link_efficiency": answer.calibration.link_efficiency(),
        "all_reduce": all_reduce,
        "fit": fabric.fit,
        "nccl_fit": answer.own.map(|own| nccl_fit::json(own, fabric)),
        "sizes": fabric.sizes.iter().map(size).collect::<Vec<Value>>(),
        "warnings": warnings,
    });
    String::from_utf8_lossy(&super::json::to_bytes(&document)).into_owned()
}

/// A line a size.
pub fn csv(answer: &Answer<'_>) -> String {
    let fabric = &answer.calibration.fabric;
    let mut csv = "bytes,out_of_place_us,out_of_place_gb_per_s,in_place_us,in_place_gb_per_s\n".to_owned();
    for size in &fabric.sizes {
        let two = |us: Option<f64>| match us {
            Some(us) => format!("{us},{}", fabric.bus_gb_per_s(size.bytes, us / 1e6)),
            None => ",".to_owned(),
        };
        _ = writeln!(csv, "{},{},{}", size.bytes, two(size.out_of_place_us), two(size.in_place_us));
    }
    csv
}

/// The file that `--out` writes: [`MeasuredFabric`] as TOML, with words on what it holds for.
pub fn toml(calibration: &NetworkCalibration) -> String {
    let fabric = &calibration.fabric;
    let (nodes, gpus) = (fabric.nodes, fabric.gpus_per_node);
    let mut head = format!(
        "# What an all-reduce gets out of one fabric, measured with nccl-tests on {nodes} x {gpus} GPUs.\n\
         # In a scenario of {nodes} x {gpus} GPUs: [network] calibration = this file, or\n\
         # [network] bandwidth = \"{} GB/s\"\n",
        fixed(fabric.bus_bandwidth_gb_per_s, 2).replace(',', "")
    );
    for problem in warnings(calibration).iter() {
        for line in [&problem.title].into_iter().chain(&problem.notes).chain(&problem.helps) {
            _ = writeln!(head, "# {line}");
        }
    }
    let body = ::toml::to_string(fabric).expect("numbers and texts in named fields are TOML");
    format!("{head}\n{body}")
}

/// What a reader of the figures must know.
pub fn warnings(calibration: &NetworkCalibration) -> Problems {
    let rate = calibration.best.bus_bandwidth;
    let problem = |caution: &Caution| match *caution {
        Caution::AboveLink { link } => Problem::warning(format!(
            "{} is more than the link of a node carries, {}",
            gb_per_s(rate),
            gb_per_s(link)
        ))
        .note(TWO_NODES_COUNT)
        .note(TWO_NODES_HALF)
        .help(format!("use it for two nodes only; more nodes get at most {}", gb_per_s(link))),
        Caution::TwoNodes => {
            Problem::warning(format!("{} holds for two nodes, not for more", gb_per_s(rate)))
                .note(TWO_NODES_COUNT)
                .note(TWO_NODES_HALF)
                .help("give `--link` to see whether it is above line rate; measure on more nodes")
        }
        Caution::LinkTooSlow { link } => Problem::warning(format!(
            "{} is more than the link of a node carries, {}: that cannot be on {} nodes",
            gb_per_s(rate),
            gb_per_s(link),
            calibration.fabric.nodes
        ))
        .help("give `--link` the rate of all NICs of a node together, in bits or bytes as it is"),
        Caution::LinkUnused => Problem::warning("one node took part: `--link` is not used")
            .note("the bandwidth is that inside a node"),
        Caution::StillRising => {
            Problem::warning("bandwidth still grows at the largest size: larger ones will get more")
                .help("run all_reduce_perf up to 1 GiB or more: -e 1G")
        }
    };
    Problems::new(calibration.cautions.iter().map(problem).collect())
}

fn way(in_place: bool) -> &'static str {
    if in_place { "in-place" } else { "out-of-place" }
}

fn gb_per_s(rate: Bandwidth) -> String {
    format!("{} GB/s", fixed(rate.bytes_per_s() / 1e9, 2))
}

fn gbit_per_s(rate: Bandwidth) -> String {
    format!("{} Gbit/s", fixed(rate.bytes_per_s() * 8.0 / 1e9, 1))
}

fn milliseconds(seconds: f64) -> String {
    format!("{} ms", fixed(seconds * 1e3, if seconds < 1e-3 { 3 } else { 1 }))
}

/// Bytes in the unit that gives the least whole number: `400 MB` and not `390625 KiB`.
pub(super) fn amount(bytes: u64) -> String {
    const UNITS: [(&str, u64); 6] = [
        ("GiB", 1 << 30),
        ("GB", 1_000_000_000),
        ("MiB", 1 << 20),
        ("MB", 1_000_000),
        ("KiB", 1 << 10),
        ("kB", 1_000),
    ];
    let whole = UNITS.iter().filter(|(_, unit)| bytes > 0 && bytes.is_multiple_of(*unit));
    match whole.min_by_key(|(_, unit)| bytes / unit) {
        Some((name, unit)) => format!("{} {name}", super::number::count(bytes / unit)),
        None => format!("{} B", super::number::count(bytes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_the_unit_that_people_meant() {
        for (bytes, words) in [
            (400_000_000, "400 MB"),
            (8 << 20, "8 MiB"),
            (2 << 30, "2 GiB"),
            (345_600_001, "345,600,001 B"),
            (0, "0 B"),
        ] {
            assert_eq!(amount(bytes), words);
        }
    }
}
