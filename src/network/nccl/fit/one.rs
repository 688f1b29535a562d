//! Figures of one system from a few of its own sizes.

use super::super::Nccl;
use super::super::calibrated::{FabricFit, Terms, fastest};
use super::solve::{Quadratic, least};

/// Fewest different sizes that a system's own figures are fitted to.
pub const SIZES_MIN: usize = 5;
/// Error of one measured time, relative.
const ORDINARY_ERROR: f64 = 0.05;
/// How far a system strays from its class: standard deviations of the logarithms of its figures.
const STRAY: [f64; FabricFit::COUNT] = [0.7, 1.5, 0.4, 0.7];

/// What a system's times are, over what its figures give, by size: straight lines between the logarithms of measured
/// sizes, constant outside them.
#[derive(Debug, Clone, PartialEq)]
pub struct SizeCurve {
    /// Logarithms of bytes and of the factor, by rising bytes; at least one.
    points: Vec<(f64, f64)>,
}

impl SizeCurve {
    /// The factor at `bytes`.
    pub fn factor(&self, bytes: u64) -> f64 {
        let at = libm::log(bytes.max(1) as f64);
        let after = self.points.partition_point(|&(size, _)| size < at);
        let log = match (after.checked_sub(1).map(|before| self.points[before]), self.points.get(after)) {
            (Some((x0, y0)), Some(&(x1, y1))) => y0 + (y1 - y0) * (at - x0) / (x1 - x0),
            (Some((_, only)), None) | (None, Some(&(_, only))) => only,
            (None, None) => 0.0,
        };
        libm::exp(log)
    }
}

/// What a system's own sizes say.
#[derive(Debug, Clone, PartialEq)]
pub struct OneFit {
    /// Its figures, drawn to those of its class where the sizes leave them open.
    pub fit: FabricFit,
    /// What the figures leave over.
    pub curve: SizeCurve,
    /// Root mean square of the relative errors that the figures alone leave.
    pub spread: f64,
}

/// Why sizes give no figures.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FitError {
    /// Too few different sizes.
    #[error("{0} different sizes; at least {SIZES_MIN} are needed")]
    TooFewSizes(usize),
    /// A size or a time that is not above 0.
    #[error("{bytes} bytes in {seconds} s: both must be above 0")]
    NotPositive {
        /// The size.
        bytes: u64,
        /// Its time.
        seconds: f64,
    },
    /// One rank sends nothing.
    #[error("one rank has nobody to reduce with")]
    OneRank,
}

/// The figures of one system by its `rows` (bytes, seconds): near those of its class, as close to the rows as that
/// allows. Several times of a size are averaged.
pub fn fit_one(nccl: &Nccl, class: &FabricFit, rows: &[(u64, f64)]) -> Result<OneFit, FitError> {
    let points = points(nccl, rows)?;
    let (begin, has) = logs(class);
    let figures =
        |at: &[f64]| FabricFit::from_logs(std::array::from_fn(|figure| begin[figure] + at[figure]), has);
    let found = least(vec![0.0; FabricFit::COUNT], |at| quadratic(at, &points, &figures(at)));
    let fit = figures(&found);
    let left: Vec<f64> = points.iter().map(|point| libm::log(point.time_us / point.ours(&fit).0)).collect();
    let squares: f64 = left.iter().map(|log| (libm::exp(*log) - 1.0) * (libm::exp(*log) - 1.0)).sum();
    let sizes = points.iter().map(|point| libm::log(point.bytes as f64));
    let spread = (squares / points.len() as f64).sqrt();
    Ok(OneFit { fit, curve: SizeCurve { points: sizes.zip(left.iter().copied()).collect() }, spread })
}

struct Point {
    bytes: u64,
    time_us: f64,
    terms: Vec<Terms>,
}

impl Point {
    /// Our time, microseconds, and its relative slopes.
    fn ours(&self, fit: &FabricFit) -> (f64, [f64; FabricFit::COUNT]) {
        let way = fastest(&self.terms, fit);
        let time_us = way.time_us(fit);
        (time_us, way.slopes(fit).map(|slope| slope / time_us))
    }
}

fn points(nccl: &Nccl, rows: &[(u64, f64)]) -> Result<Vec<Point>, FitError> {
    if nccl.ranks.count() < 2 {
        return Err(FitError::OneRank);
    }
    if let Some(&(bytes, seconds)) =
        rows.iter().find(|(bytes, seconds)| *bytes == 0 || !(seconds.is_finite() && *seconds > 0.0))
    {
        return Err(FitError::NotPositive { bytes, seconds });
    }
    let mut sizes: Vec<u64> = rows.iter().map(|(bytes, _)| *bytes).collect();
    sizes.sort_unstable();
    sizes.dedup();
    if sizes.len() < SIZES_MIN {
        return Err(FitError::TooFewSizes(sizes.len()));
    }
    let mean_us = |size: u64| {
        let times: Vec<f64> = rows.iter().filter(|(bytes, _)| *bytes == size).map(|(_, s)| s * 1e6).collect();
        times.iter().sum::<f64>() / times.len() as f64
    };
    let point = |bytes| Point { bytes, time_us: mean_us(bytes), terms: Terms::of(nccl, bytes) };
    Ok(sizes.into_iter().map(point).collect())
}

/// Logarithms of a class's figures, and which it has.
fn logs(class: &FabricFit) -> ([f64; FabricFit::COUNT], [bool; FabricFit::COUNT]) {
    let rate = class.rate_max_gb_per_s;
    let has = [true, class.hop_us > 0.0, true, rate.is_some()];
    let values = [class.latency_factor, class.hop_us, class.efficiency, rate.unwrap_or(1.0)];
    (std::array::from_fn(|figure| if has[figure] { libm::log(values[figure]) } else { 0.0 }), has)
}

fn quadratic(at: &[f64], points: &[Point], fit: &FabricFit) -> Quadratic {
    let n = FabricFit::COUNT;
    let mut sum = Quadratic::zero(n);
    for (figure, value) in at.iter().enumerate() {
        let cost = 1.0 / (STRAY[figure] * STRAY[figure]);
        sum.cost += cost * value * value;
        sum.gradient[figure] += cost * value;
        sum.curvature[figure * n + figure] += cost;
    }
    let weight = 1.0 / (ORDINARY_ERROR * ORDINARY_ERROR);
    for point in points {
        let (time_us, slopes) = point.ours(fit);
        let error = libm::log(time_us / point.time_us);
        sum.cost += weight * error * error;
        for i in 0..n {
            sum.gradient[i] += weight * slopes[i] * error;
            for j in 0..n {
                sum.curvature[i * n + j] += weight * slopes[i] * slopes[j];
            }
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::super::super::{Calibrated, Inter, Processor, Topology, Transport};
    use super::*;

    const CLASS: FabricFit =
        FabricFit { latency_factor: 1.0, hop_us: 60.0, efficiency: 0.66, rate_max_gb_per_s: Some(2.4) };

    fn pair() -> Nccl {
        let inter = Some(Inter { transport: Transport::Sockets, nics: 1, nic_gb_per_s: 1.25 });
        let (cpu, intra) = (Processor::Amd, None);
        let topology =
            Topology { nodes: 2, gpus_per_node: 1, sm: 86, cpu, intra, inter, net_latency_us: 0.0 };
        Nccl::of(&topology).unwrap()
    }

    fn rows(fit: FabricFit, powers: &[u32]) -> Vec<(u64, f64)> {
        let calibrated = Calibrated::new(pair(), fit);
        powers.iter().map(|&power| (1 << power, calibrated.all_reduce(1 << power).time_s)).collect()
    }

    #[test]
    fn five_sizes_tell_the_others() {
        let own = FabricFit { hop_us: 110.0, efficiency: 0.5, ..CLASS };
        let found = fit_one(&pair(), &CLASS, &rows(own, &[10, 14, 18, 22, 27])).unwrap();
        let ours = Calibrated { curve: Some(found.curve), ..Calibrated::new(pair(), found.fit) };
        for (bytes, right) in rows(own, &[12, 16, 20, 25, 30]) {
            let error = ours.all_reduce(bytes).time_s / right - 1.0;
            assert!(error.abs() < 0.03, "{bytes} B: {error}");
        }
    }

    /// Measured at 2^10 and 2^20 as twice and half the figures: once at 2^15, half at 2^30.
    #[test]
    fn a_curve_is_straight_between_sizes_and_flat_outside() {
        let log = |power: f64| power * std::f64::consts::LN_2;
        let curve = SizeCurve { points: vec![(log(10.0), log(1.0)), (log(20.0), log(-1.0))] };
        for (power, right) in [(5, 2.0), (10, 2.0), (15, 1.0), (20, 0.5), (30, 0.5)] {
            assert!((curve.factor(1 << power) - right).abs() < 1e-12, "{power}");
        }
    }

    #[test]
    fn four_sizes_are_too_few_however_often_they_are_repeated() {
        let mut four = rows(CLASS, &[10, 14, 18, 22]);
        four.extend(four.clone());
        assert_eq!(fit_one(&pair(), &CLASS, &four), Err(FitError::TooFewSizes(4)));
    }

    #[test]
    fn a_time_of_nothing_is_refused() {
        let mut rows = rows(CLASS, &[10, 14, 18, 22, 27]);
        rows[2].1 = 0.0;
        assert!(matches!(fit_one(&pair(), &CLASS, &rows), Err(FitError::NotPositive { .. })));
    }
}
