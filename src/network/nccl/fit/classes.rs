//! Figures of all fabrics from the runs of many systems.

use super::super::Nccl;
use super::super::calibrated::{FabricFit, Terms, fastest};
use super::super::fabric::FabricClass;
use super::layout::{self, Place, UNKNOWNS};
use super::solve::{Quadratic, least};

/// Relative error from which a row counts by its size, not by its square: what sites differ by.
const ORDINARY_ERROR: f64 = 0.15;

/// One system's measured all-reduces.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Its fabric.
    pub class: FabricClass,
    /// NCCL's model of it.
    pub nccl: Nccl,
    /// Bytes, and seconds above 0.
    pub rows: Vec<(u64, f64)>,
}

/// Figures of every class.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassFits {
    fits: Vec<FabricFit>,
}

impl ClassFits {
    /// Those of one class.
    pub fn of(&self, class: FabricClass) -> FabricFit {
        self.fits[class as usize]
    }
}

/// A row and every way in which NCCL could have done it.
struct Row {
    class: FabricClass,
    places: [Option<Place>; FabricFit::COUNT],
    terms: Vec<Terms>,
    time_us: f64,
    weight: f64,
}

/// The figures that miss the rows least: relative errors, as squares while small and by size when large. A system
/// counts by the square root of its rows, so that neither long sweeps nor single points rule.
pub fn fit_classes<'a>(runs: impl IntoIterator<Item = &'a Run>) -> ClassFits {
    let rows: Vec<Row> = runs.into_iter().flat_map(rows_of).collect();
    let costs = layout::belief_costs();
    let found = least(vec![0.0; UNKNOWNS], |at| quadratic(at, &rows, &costs));
    ClassFits { fits: FabricClass::ALL.map(|class| layout::figures(class, &found)).to_vec() }
}

fn rows_of(run: &Run) -> impl Iterator<Item = Row> {
    let weight = 1.0 / (run.rows.len() as f64).sqrt();
    let places = layout::places(run.class);
    run.rows.iter().map(move |&(bytes, seconds)| Row {
        class: run.class,
        places,
        terms: Terms::of(&run.nccl, bytes),
        time_us: seconds * 1e6,
        weight,
    })
}

fn quadratic(at: &[f64], rows: &[Row], costs: &[f64]) -> Quadratic {
    let mut sum = Quadratic::zero(UNKNOWNS);
    for (unknown, (value, cost)) in at.iter().zip(costs).enumerate() {
        sum.cost += cost * value * value;
        sum.gradient[unknown] += cost * value;
        sum.curvature[unknown * UNKNOWNS + unknown] += cost;
    }
    let fits = FabricClass::ALL.map(|class| layout::figures(class, at));
    for row in rows {
        add(&mut sum, row, &fits[row.class as usize]);
    }
    sum
}

fn add(sum: &mut Quadratic, row: &Row, fit: &FabricFit) {
    let way = fastest(&row.terms, fit);
    let error = way.time_us(fit) / row.time_us - 1.0;
    let bend = (1.0 + (error / ORDINARY_ERROR) * (error / ORDINARY_ERROR)).sqrt();
    sum.cost += row.weight * 2.0 * ORDINARY_ERROR * ORDINARY_ERROR * (bend - 1.0);
    let weight = row.weight / bend;
    let slopes = way.slopes(fit);
    let both = row.places.iter().zip(slopes).filter_map(|(place, slope)| Some(((*place)?, slope)));
    let by_unknown: Vec<(usize, f64)> = both
        .flat_map(|(place, slope)| [(place.pool, slope / row.time_us), (place.own, slope / row.time_us)])
        .collect();
    for &(i, slope) in &by_unknown {
        sum.gradient[i] += weight * slope * error;
        for &(j, other) in &by_unknown {
            sum.curvature[i * UNKNOWNS + j] += weight * slope * other;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::{Calibrated, Inter, Processor, Topology, Transport};
    use super::*;

    fn pair(transport: Transport, gb_per_s: f64) -> Nccl {
        let inter = Some(Inter { transport, nics: 1, nic_gb_per_s: gb_per_s });
        let (cpu, intra) = (Processor::Amd, None);
        let topology =
            Topology { nodes: 2, gpus_per_node: 1, sm: 86, cpu, intra, inter, net_latency_us: 0.0 };
        Nccl::of(&topology).unwrap()
    }

    fn run(class: FabricClass, nccl: Nccl, fit: FabricFit) -> Run {
        let calibrated = Calibrated::new(nccl, fit);
        let rows = (10..28).map(|power| (1 << power, calibrated.all_reduce(1 << power).time_s)).collect();
        Run { class, nccl, rows }
    }

    const MADE: FabricFit =
        FabricFit { latency_factor: 1.2, hop_us: 70.0, efficiency: 0.6, rate_max_gb_per_s: Some(2.0) };

    fn made_runs() -> Vec<Run> {
        [1.25, 3.125, 6.25].map(|rate| run(FabricClass::Tcp, pair(Transport::Sockets, rate), MADE)).to_vec()
    }

    /// Beliefs still pull a little. Latency factor and hop are told apart by their sum only.
    #[test]
    fn figures_that_made_the_times_give_them_again() {
        let runs = made_runs();
        let found = fit_classes(&runs).of(FabricClass::Tcp);
        for run in &runs {
            let ours = Calibrated::new(run.nccl, found);
            for &(bytes, right) in &run.rows {
                let error = ours.all_reduce(bytes).time_s / right - 1.0;
                assert!(error.abs() < 0.03, "{bytes} B: {error}, {found:?}");
            }
        }
        assert!((found.rate_max_gb_per_s.unwrap() - 2.0).abs() < 0.1, "{found:?}");
    }

    #[test]
    fn a_class_without_rows_borrows_from_its_neighbours() {
        let fits = fit_classes(&made_runs());
        let borrowed = fits.of(FabricClass::Tcpx).hop_us;
        assert!(borrowed > 30.0, "{borrowed}");
        assert!(fits.of(FabricClass::RdmaGpuDirect).hop_us < 15.0);
    }

    #[test]
    fn without_any_row_the_beliefs_stand() {
        let fit = fit_classes(&[]).of(FabricClass::Tcp);
        assert!((fit.efficiency - 0.8).abs() < 1e-12, "{fit:?}");
        assert!((fit.rate_max_gb_per_s.unwrap() - 3.0).abs() < 1e-12, "{fit:?}");
    }
}
