//! Figures of every class of fabrics, from the all-reduces of many clusters.

use crate::network::nccl::{
    Calibrated, FabricClass, FabricFit, MeasuredRow, SystemRun, SystemRuns, fit_classes,
};
use rayon::prelude::*;

/// Shares of rows below `time_low` and `time_high`.
const LOW_HIGH: (f64, f64) = (0.1, 0.9);
/// A class with fewer rows takes the spread of all rows.
const SPREAD_ROWS_MIN: usize = 10;

/// Why rows give no figures.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FabricsError {
    /// The file is not CSV of the right columns.
    #[error("not rows of measured all-reduces: {0}")]
    Csv(String),
    /// No row can be used.
    #[error("no row can be used")]
    Empty,
}

/// What was found for one class.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassFigures {
    /// The class.
    pub class: FabricClass,
    /// Its figures.
    pub fit: FabricFit,
    /// A tenth of the times of systems that were left out lie below this share of the prediction.
    pub time_low: f64,
    /// A tenth lie above this multiple of it.
    pub time_high: f64,
    /// Systems that were fitted.
    pub systems: usize,
    /// Rows of them.
    pub rows: usize,
}

/// Figures of every class, and what was left out.
#[derive(Debug, Clone, PartialEq)]
pub struct Fabrics {
    /// In the order of [`FabricClass::ALL`].
    pub classes: Vec<ClassFigures>,
    /// Rows that could not be used, by reason.
    pub skipped: Vec<(String, usize)>,
}

/// One measured time over the prediction of a fit that did not see its system.
struct Ratio {
    class: FabricClass,
    ratio: f64,
    weight: f64,
}

/// Fits all classes to the rows of a file with the columns of `data/verify/nccl_measured.csv`.
pub fn fabrics(text: &str) -> Result<Fabrics, FabricsError> {
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
    let rows: Result<Vec<MeasuredRow>, csv::Error> = reader.deserialize().collect();
    let rows = rows.map_err(|error| FabricsError::Csv(error.to_string()))?;
    let SystemRuns { systems, skipped } = SystemRuns::gather(&rows);
    if systems.is_empty() {
        return Err(FabricsError::Empty);
    }
    let fits = fit_classes(systems.iter().map(|system| &system.run));
    let ratios: Vec<Ratio> = (0..systems.len())
        .into_par_iter()
        .flat_map_iter(|at| left_out_ratios(&systems, at).collect::<Vec<_>>())
        .collect();
    let classes = FabricClass::ALL.map(|class| {
        let of_class = || systems.iter().filter(|system| system.run.class == class);
        let own: Vec<&Ratio> = ratios.iter().filter(|ratio| ratio.class == class).collect();
        let spread = if own.len() < SPREAD_ROWS_MIN { ratios.iter().collect() } else { own };
        ClassFigures {
            class,
            fit: fits.of(class),
            time_low: quantile(&spread, LOW_HIGH.0),
            time_high: quantile(&spread, LOW_HIGH.1),
            systems: of_class().count(),
            rows: of_class().map(|system| system.run.rows.len()).sum(),
        }
    });
    Ok(Fabrics { classes: classes.to_vec(), skipped: skipped.into_iter().collect() })
}

/// Times of the system at `at` over predictions from all others.
fn left_out_ratios(systems: &[SystemRun], at: usize) -> impl Iterator<Item = Ratio> {
    let run = &systems[at].run;
    let others = systems.iter().filter(|system| system.system != systems[at].system);
    let fit = fit_classes(others.map(|system| &system.run)).of(run.class);
    let ours = Calibrated::new(run.nccl, fit);
    let weight = 1.0 / (run.rows.len() as f64).sqrt();
    run.rows.iter().map(move |&(bytes, seconds)| Ratio {
        class: run.class,
        ratio: seconds / ours.all_reduce(bytes).time_s,
        weight,
    })
}

/// The ratio below which `share` of the weight lies.
fn quantile(ratios: &[&Ratio], share: f64) -> f64 {
    let mut sorted: Vec<&Ratio> = ratios.to_vec();
    sorted.sort_by(|a, b| a.ratio.total_cmp(&b.ratio));
    let total: f64 = sorted.iter().map(|ratio| ratio.weight).sum();
    let mut below = 0.0;
    for ratio in &sorted {
        below += ratio.weight;
        if below >= share * total {
            return ratio.ratio;
        }
    }
    sorted.last().map_or(1.0, |ratio| ratio.ratio)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{ALL_REDUCES, Catalogue};

    #[test]
    fn a_file_of_other_columns_is_refused() {
        assert!(matches!(fabrics("a,b\n1,2\n"), Err(FabricsError::Csv(_))));
    }

    #[test]
    fn rows_that_cannot_be_used_are_counted() {
        let header = "system,instance,nodes,gpus_per_node,inter,intra,bytes,time_us";
        let text = format!("{header}\nx,TPU v5e,2,1,TCP 10G,-,1024,10\n");
        assert_eq!(fabrics(&text), Err(FabricsError::Empty));
    }

    /// The shipped figures have four digits.
    #[test]
    fn the_shipped_figures_are_those_of_the_carried_rows() {
        let found = fabrics(ALL_REDUCES).unwrap();
        let shipped: Vec<_> = Catalogue::builtin().nccl_figures().collect();
        assert_eq!(shipped.len(), found.classes.len());
        for (ours, shipped) in found.classes.iter().zip(shipped) {
            assert_eq!(ours.class.name(), shipped.class);
            for (ours, shipped) in [
                (ours.fit.latency_factor, shipped.latency_factor),
                (ours.fit.hop_us, shipped.hop_us.unwrap_or(0.0)),
                (ours.fit.efficiency, shipped.efficiency),
                (ours.fit.rate_max_gb_per_s.unwrap_or(0.0), shipped.rate_max_gb_per_s.unwrap_or(0.0)),
                (ours.time_low, shipped.time_low),
                (ours.time_high, shipped.time_high),
                (ours.systems as f64, f64::from(shipped.systems)),
                (ours.rows as f64, f64::from(shipped.rows)),
            ] {
                assert!(
                    (ours - shipped).abs() <= 1e-3 * shipped,
                    "{}: {ours} {shipped}",
                    found.classes.len()
                );
            }
        }
    }
}
