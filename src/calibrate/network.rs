//! A fabric from one run of nccl-tests.

use super::nccl_tests::{Benchmark, Shape, Timing};
use crate::network::{MeasuredFabric, MeasuredLine, MeasuredSize, bus_factor};
use crate::units::{Bandwidth, Bytes};

/// Sizes that a line can be trusted with.
pub const SIZES_MIN: usize = 5;
/// Printed with two decimals, bus bandwidth over algorithm bandwidth is off by up to 1 %.
const FACTOR_TOLERANCE: f64 = 0.02;
/// A bandwidth that still grows by more than this at the largest size is not the largest.
const STILL_RISING: f64 = 1.05;

/// What one run of a benchmark says about a fabric.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkCalibration {
    /// All that is worth keeping in a file.
    pub fabric: MeasuredFabric,
    /// Where the largest bus bandwidth was reached.
    pub best: Best,
    /// Rate of the link of one node, all its NICs together; `None` if not known or if one node took part.
    pub link: Option<Bandwidth>,
    /// What a reader of the figures must know.
    pub cautions: Vec<Caution>,
}

/// The measurement with the largest bus bandwidth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Best {
    /// Bytes reduced.
    pub bytes: u64,
    /// Whether into the buffer that was sent.
    pub in_place: bool,
    /// Its bus bandwidth.
    pub bus_bandwidth: Bandwidth,
}

/// How long one all-reduce takes on the measured ranks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AllReduce {
    /// Bytes reduced.
    pub bytes: Bytes,
    /// Seconds at the largest bus bandwidth.
    pub at_best_s: f64,
    /// Seconds by the measured sizes around it; `None` beyond them.
    pub between_sizes_s: Option<f64>,
}

/// What a reader of the figures must know.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Caution {
    /// More than the link of a node carries, on two nodes: each NIC of a tree carries half of what counts.
    AboveLink {
        /// Rate of the link.
        link: Bandwidth,
    },
    /// More than the link carries, where that cannot be.
    LinkTooSlow {
        /// Rate of the link.
        link: Bandwidth,
    },
    /// Two nodes can look faster than their link is; which it is cannot be said without its rate.
    TwoNodes,
    /// A link was given, but one node uses none.
    LinkUnused,
    /// Bandwidth still grew at the largest size.
    StillRising,
}

/// What else is known of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Context {
    /// Nodes and GPUs.
    pub shape: Shape,
    /// `"2026-12-02"`.
    pub date: String,
    /// Rate of the link of one node, all its NICs together.
    pub link: Option<Bandwidth>,
}

/// Why a run says nothing about a fabric.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum CalibrateError {
    /// Nothing moves.
    #[error("one rank took part: it has nobody to reduce with")]
    OneRank,
    /// The bus bandwidth is not that of this many ranks' all-reduce.
    #[error(
        "busbw is {found:.2} x algbw, where an all-reduce of {ranks} ranks has {right:.2} x: this is another \
         collective, or these are other ranks"
    )]
    OtherCollective {
        /// Ranks.
        ranks: u32,
        /// Bus bandwidth over algorithm bandwidth.
        found: f64,
        /// What that would be.
        right: f64,
    },
    /// Too few for a fit.
    #[error(
        "a fit needs {SIZES_MIN} different sizes, here are {found}; the largest bus bandwidth is {best_gb_per_s:.2} GB/s"
    )]
    TooFewSizes {
        /// Different sizes.
        found: usize,
        /// The largest bus bandwidth of these.
        best_gb_per_s: f64,
    },
    /// The times fall as the sizes grow.
    #[error("larger sizes take no longer than smaller ones: no bandwidth follows")]
    NotRising,
}

/// Takes the fabric out of a run.
pub fn calibrate(benchmark: &Benchmark, context: &Context) -> Result<NetworkCalibration, CalibrateError> {
    let shape = context.shape;
    if shape.ranks() < 2 {
        return Err(CalibrateError::OneRank);
    }
    check_collective(benchmark, shape)?;
    let best = best(benchmark, shape)?;
    let mut sizes: Vec<MeasuredSize> = benchmark
        .rows
        .iter()
        .map(|row| MeasuredSize {
            bytes: row.bytes.get(),
            out_of_place_us: row.out_of_place.map(microseconds),
            in_place_us: row.in_place.map(microseconds),
        })
        .collect();
    sizes.sort_by_key(|size| size.bytes);
    let best_gb_per_s = best.bus_bandwidth.bytes_per_s() / 1e9;
    let found = sizes.chunk_by(|a, b| a.bytes == b.bytes).count();
    if found < SIZES_MIN {
        return Err(CalibrateError::TooFewSizes { found, best_gb_per_s });
    }
    let fabric = MeasuredFabric {
        device: benchmark.device.clone().unwrap_or_default(),
        class: "cuda".to_owned(),
        library: benchmark.library.as_ref().map_or("NCCL".to_owned(), |version| format!("NCCL {version}")),
        date: context.date.clone(),
        nodes: shape.nodes,
        gpus_per_node: shape.gpus_per_node,
        bus_bandwidth_gb_per_s: best_gb_per_s,
        fit: fit(benchmark, shape).ok_or(CalibrateError::NotRising)?,
        sizes,
    };
    let cautions = cautions(&fabric, &best, context.link);
    let link = context.link.filter(|_| shape.nodes > 1);
    Ok(NetworkCalibration { fabric, best, link, cautions })
}

impl NetworkCalibration {
    /// The largest bus bandwidth over the rate of the link; above 1 only by the way of counting.
    pub fn link_efficiency(&self) -> Option<f64> {
        Some(self.best.bus_bandwidth.bytes_per_s() / self.link?.bytes_per_s())
    }

    /// How long `bytes` take.
    pub fn all_reduce(&self, bytes: Bytes) -> AllReduce {
        AllReduce {
            bytes,
            at_best_s: self.fabric.secs_at(self.best.bus_bandwidth, bytes),
            between_sizes_s: self.fabric.secs_between_sizes(bytes),
        }
    }

    /// The smallest size and its bus bandwidth, 10^9 bytes per second, measured as the largest was.
    pub fn smallest(&self) -> Option<(Bytes, f64)> {
        let us =
            |size: &MeasuredSize| if self.best.in_place { size.in_place_us } else { size.out_of_place_us };
        let (bytes, us) = self.fabric.sizes.iter().find_map(|size| Some((size.bytes, us(size)?)))?;
        Some((Bytes::new(bytes), self.fabric.bus_gb_per_s(bytes, us / 1e6)))
    }
}

fn microseconds(timing: Timing) -> f64 {
    // To the last digit that was printed: 611.2 and not 611.1999999999999.
    (timing.seconds * 1e8).round() / 1e2
}

/// The benchmark prints for each collective what its bus carries; the fastest row says it most exactly.
fn check_collective(benchmark: &Benchmark, shape: Shape) -> Result<(), CalibrateError> {
    let fastest = benchmark
        .rows
        .iter()
        .flat_map(|row| row.timings().map(move |timing| (row.bytes.as_f64() / timing.seconds, timing)))
        .filter_map(|(rate, timing)| Some((rate, timing.bus_factor?)))
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let right = bus_factor(shape.ranks());
    match fastest {
        Some((_, found)) if (found - right).abs() > FACTOR_TOLERANCE * right => {
            Err(CalibrateError::OtherCollective { ranks: shape.ranks(), found, right })
        }
        _ => Ok(()),
    }
}

fn best(benchmark: &Benchmark, shape: Shape) -> Result<Best, CalibrateError> {
    let all = benchmark.rows.iter().flat_map(|row| {
        let of = |timing: Option<Timing>, in_place| {
            let rate = bus_factor(shape.ranks()) * row.bytes.as_f64() / timing?.seconds;
            let bus_bandwidth = Bandwidth::from_bytes_per_s(rate)?;
            Some(Best { bytes: row.bytes.get(), in_place, bus_bandwidth })
        };
        of(row.out_of_place, false).into_iter().chain(of(row.in_place, true))
    });
    let rate = |of: &Best| of.bus_bandwidth.bytes_per_s();
    all.max_by(|a, b| rate(a).total_cmp(&rate(b)))
        .ok_or(CalibrateError::TooFewSizes { found: 0, best_gb_per_s: 0.0 })
}

/// The line `t = a + b x`, with `x` the bytes that each rank sends, that makes Σ ((a + b x − t) / t)² least: small
/// sizes count as much as large ones. A latency below 0 is held at 0. `None` if times do not grow with `x`.
fn fit(benchmark: &Benchmark, shape: Shape) -> Option<MeasuredLine> {
    let factor = bus_factor(shape.ranks());
    let points: Vec<(f64, f64)> = benchmark
        .rows
        .iter()
        .flat_map(|row| row.timings().map(move |timing| (factor * row.bytes.as_f64(), timing.seconds)))
        .collect();
    let sum = |term: &dyn Fn(f64, f64) -> f64| points.iter().map(|&(x, t)| term(x, t)).sum::<f64>();
    let (s, sx, sxx) = (sum(&|_, t| 1.0 / t / t), sum(&|x, t| x / t / t), sum(&|x, t| x * x / t / t));
    let (st, sxt) = (sum(&|_, t| 1.0 / t), sum(&|x, t| x / t));
    let determinant = s * sxx - sx * sx;
    let free = ((sxx * st - sx * sxt) / determinant, (s * sxt - sx * st) / determinant);
    let (a, b) = if free.0 >= 0.0 { free } else { (0.0, sxt / sxx) };
    if !(a.is_finite() && b.is_finite() && b > 0.0) {
        return None;
    }
    let errors = || points.iter().map(|&(x, t)| (a + b * x - t) / t);
    let squares = errors().map(|error| error * error).sum::<f64>();
    Some(MeasuredLine {
        latency_us: a * 1e6,
        bus_bandwidth_gb_per_s: 1.0 / b / 1e9,
        spread: (squares / points.len() as f64).sqrt(),
        spread_max: errors().map(f64::abs).fold(0.0, f64::max),
    })
}

fn cautions(fabric: &MeasuredFabric, best: &Best, link: Option<Bandwidth>) -> Vec<Caution> {
    let mut cautions = Vec::new();
    match (fabric.nodes, link) {
        (1, Some(_)) => cautions.push(Caution::LinkUnused),
        (2, Some(link)) if best.bus_bandwidth > link => cautions.push(Caution::AboveLink { link }),
        (2, None) => cautions.push(Caution::TwoNodes),
        (3.., Some(link)) if best.bus_bandwidth > link => cautions.push(Caution::LinkTooSlow { link }),
        _ => {}
    }
    let smaller = fabric.sizes.iter().rfind(|size| size.bytes < best.bytes);
    let largest = fabric.sizes.last().is_some_and(|size| size.bytes == best.bytes);
    let before = smaller.and_then(|size| Some(fabric.bus_gb_per_s(size.bytes, size.mean_us()? / 1e6)));
    if largest && before.is_some_and(|rate| fabric.bus_bandwidth_gb_per_s > STILL_RISING * rate) {
        cautions.push(Caution::StillRising);
    }
    cautions
}

#[cfg(test)]
mod tests {
    use super::super::nccl_tests::BenchmarkRow;
    use super::*;

    const PAIR: Shape = Shape { nodes: 2, gpus_per_node: 1 };

    /// Two ranks send each byte once, so bus bandwidth is bytes over seconds.
    fn benchmark(rows: &[(u64, f64)]) -> Benchmark {
        let timing = |seconds| Some(Timing { seconds, bus_factor: Some(1.0) });
        let rows = rows.iter().map(|&(bytes, seconds)| BenchmarkRow {
            bytes: Bytes::new(bytes),
            out_of_place: timing(seconds),
            in_place: None,
        });
        Benchmark { rows: rows.collect(), ..Benchmark::default() }
    }

    fn on(
        shape: Shape,
        link: Option<&str>,
        rows: &[(u64, f64)],
    ) -> Result<NetworkCalibration, CalibrateError> {
        let link = link.map(|rate| rate.parse().unwrap());
        calibrate(&benchmark(rows), &Context { shape, date: "2026-12-02".into(), link })
    }

    /// 100 µs and 1 GB/s.
    fn line(bytes: u64) -> (u64, f64) {
        (bytes, 100e-6 + bytes as f64 / 1e9)
    }

    #[test]
    fn a_line_gives_back_its_own_latency_and_bandwidth() {
        let rows = [1_000, 10_000, 100_000, 1_000_000, 10_000_000].map(line);
        let fit = on(PAIR, None, &rows).unwrap().fabric.fit;
        assert!((fit.latency_us - 100.0).abs() < 1e-6, "{fit:?}");
        assert!((fit.bus_bandwidth_gb_per_s - 1.0).abs() < 1e-9, "{fit:?}");
        assert!(fit.spread < 1e-9 && fit.spread_max < 1e-9, "{fit:?}");
    }

    #[test]
    fn four_sizes_are_too_few_and_repeating_one_adds_none() {
        let rows = [1_000, 10_000, 100_000, 1_000_000, 1_000_000].map(line);
        let error = on(PAIR, None, &rows).unwrap_err();
        assert!(matches!(error, CalibrateError::TooFewSizes { found: 4, .. }), "{error}");
    }

    #[test]
    fn times_that_do_not_grow_give_no_bandwidth() {
        let rows = [(1_000, 5e-3), (2_000, 4e-3), (4_000, 3e-3), (8_000, 2e-3), (16_000, 1e-3)];
        assert_eq!(on(PAIR, None, &rows).unwrap_err(), CalibrateError::NotRising);
    }

    #[test]
    fn one_rank_reduces_with_nobody() {
        let one = Shape { nodes: 1, gpus_per_node: 1 };
        assert_eq!(on(one, None, &[line(1_000)]).unwrap_err(), CalibrateError::OneRank);
    }

    /// Four ranks' all-reduce has 2 × 3/4 = 1.5 x, an all-gather half of that; these rows have 1 x.
    #[test]
    fn another_collective_is_found_out() {
        let four = Shape { nodes: 4, gpus_per_node: 1 };
        let error = on(four, None, &[line(1_000_000)]).unwrap_err();
        assert_eq!(error, CalibrateError::OtherCollective { ranks: 4, found: 1.0, right: 1.5 });
    }

    #[test]
    fn more_than_the_link_on_two_nodes_is_not_the_link() {
        let rows = [1_000, 1_000_000, 100_000_000, 400_000_000, 800_000_000].map(line);
        let cautions = |link| on(PAIR, link, &rows).unwrap().cautions;
        assert_eq!(cautions(None), [Caution::TwoNodes]);
        assert_eq!(cautions(Some("8 Gbit/s")), []);
        let efficiency = on(PAIR, Some("8 Gbit/s"), &rows).unwrap().link_efficiency();
        assert!((efficiency.unwrap() - 800.0 / 800.1).abs() < 1e-12, "{efficiency:?}");
        let link = "4 Gbit/s".parse().unwrap();
        assert_eq!(cautions(Some("4 Gbit/s")), [Caution::AboveLink { link }]);
    }

    #[test]
    fn a_bandwidth_that_still_rises_is_not_the_largest() {
        let rows = [1_000, 2_000, 4_000, 8_000, 16_000].map(line);
        assert_eq!(on(PAIR, Some("8 Gbit/s"), &rows).unwrap().cautions, [Caution::StillRising]);
    }
}
