//! Efficiencies of accelerators and traffic of software from measured training steps.

use crate::compute::fit::{fit, mean_error};
use crate::compute::{ActivationKind, Case, CaseModel, Coefficients, Efficiency, MeasuredRow};
use crate::facts::Catalogue;
use crate::scenario::speed::chip;
use std::collections::BTreeMap;

/// Why a file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ThroughputError {
    /// It is not CSV with the columns of `vit_throughput.csv`.
    #[error("not a table of measured steps: {0}")]
    Table(String),
    /// Nothing to fit to.
    #[error("no row of one GPU that states its batch; {0}")]
    NoRows(String),
}

/// Rows behind a fitted number, and their mean absolute error as a fraction; `None` without rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    /// How many.
    pub rows: usize,
    /// |modelled - measured| / measured, mean.
    pub spread: Option<f64>,
}

/// What the rows say.
#[derive(Debug, Clone, PartialEq)]
pub struct ThroughputCalibration {
    /// All fitted numbers.
    pub coefficients: Coefficients,
    /// Every accelerator of the catalogue, in its order: efficiencies, and the rows behind them.
    pub gpus: Vec<(String, Efficiency, Evidence)>,
    /// Versions of frameworks with a traffic of their own.
    pub frameworks: Vec<(String, f64, Evidence)>,
    /// Bytes for each activation, by kind.
    pub activations: Vec<(ActivationKind, f64, Evidence)>,
    /// All rows.
    pub all: Evidence,
    /// Rows left aside, by reason.
    pub skipped: BTreeMap<String, usize>,
}

/// Fits everything to the rows of one GPU in a table of the columns of `vit_throughput.csv`.
pub fn calibrate(text: &str, catalogue: &Catalogue) -> Result<ThroughputCalibration, ThroughputError> {
    let mut skipped = BTreeMap::<String, usize>::new();
    let mut cases = Vec::new();
    for row in read(text)? {
        let case = if row.gpus == 1 {
            Case::new(&row, catalogue.gpu(&row.gpu).map(chip))
        } else {
            Err("several GPUs".to_owned())
        };
        match case {
            Ok(case) => cases.push(case),
            Err(reason) => *skipped.entry(reason).or_default() += 1,
        }
    }
    if cases.is_empty() {
        let reasons: Vec<String> =
            skipped.iter().map(|(reason, count)| format!("{count}: {reason}")).collect();
        return Err(ThroughputError::NoRows(reasons.join("; ")));
    }
    let coefficients = fit(&cases.iter().collect::<Vec<_>>());
    let evidence = |wanted: &dyn Fn(&Case) -> bool| {
        let rows: Vec<&Case> = cases.iter().filter(|case| wanted(case)).collect();
        let spread = (!rows.is_empty()).then(|| mean_error(rows.iter().copied(), &coefficients) / 100.0);
        Evidence { rows: rows.len(), spread }
    };
    let gpus = catalogue
        .gpus()
        .map(|gpu| {
            let efficiency = coefficients.efficiency(&gpu.name, &chip(gpu));
            (gpu.name.clone(), efficiency, evidence(&|case| case.row.gpu.eq_ignore_ascii_case(&gpu.name)))
        })
        .collect();
    let frameworks = coefficients
        .framework_traffic
        .iter()
        .map(|(name, traffic)| (name.clone(), *traffic, evidence(&|case| case.row.framework == *name)))
        .collect();
    let is_of = |case: &Case, kind| matches!(case.model, CaseModel::Counts(kinds) if kinds.contains(&kind));
    let activations = coefficients
        .activation_bytes
        .iter()
        .map(|(kind, bytes)| (*kind, *bytes, evidence(&|case| is_of(case, *kind))))
        .collect();
    let all = evidence(&|_| true);
    Ok(ThroughputCalibration { coefficients, gpus, frameworks, activations, all, skipped })
}

fn read(text: &str) -> Result<Vec<MeasuredRow>, ThroughputError> {
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
    let rows: Result<Vec<MeasuredRow>, csv::Error> = reader.deserialize().collect();
    rows.map_err(|error| ThroughputError::Table(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: &str = include_str!("../../data/verify/vit_throughput.csv");

    /// To the three digits that the files carry.
    fn agrees(fitted: f64, written: f64) -> bool {
        (fitted - written).abs() <= 0.000_51 * written.abs().max(1.0)
    }

    /// Anyone can repeat the fit: `spotsim calibrate throughput --from data/verify/vit_throughput.csv`.
    #[test]
    fn the_numbers_of_the_catalogue_are_the_fit_to_the_shipped_rows() {
        let catalogue = Catalogue::builtin();
        let found = calibrate(ROWS, catalogue).unwrap();
        for (name, efficiency, evidence) in &found.gpus {
            let gpu = catalogue.gpu(name).unwrap();
            let same = agrees(efficiency.compute, gpu.compute_efficiency)
                && agrees(efficiency.memory, gpu.memory_efficiency)
                && evidence.rows == gpu.efficiency_rows as usize;
            assert!(same, "{name}: {efficiency:?} {evidence:?}");
        }
        let (software, fitted) = (catalogue.software(), &found.coefficients);
        for (fitted, written) in [
            (fitted.score_traffic, software.score_traffic),
            (fitted.wide_traffic, software.wide_traffic),
            (fitted.tf32_share, software.tf32_share),
            (fitted.typical.compute, software.typical_compute_efficiency),
            (fitted.typical.memory, software.typical_memory_efficiency),
            (fitted.power_exponent, software.power_exponent),
        ] {
            assert!(agrees(fitted, written), "{fitted} {written}");
        }
        for framework in &software.framework {
            assert!(agrees(fitted.framework_traffic[&framework.name], framework.traffic), "{framework:?}");
        }
        for (kind, bytes, _) in &found.activations {
            let written =
                software.activation.iter().find(|activation| activation.kind == kind.name()).unwrap();
            assert!(agrees(*bytes, written.bytes), "{written:?}");
        }
    }

    #[test]
    fn a_table_without_usable_rows_says_why() {
        let (head, rest) = ROWS.split_once("\n2,").unwrap();
        let row = rest.lines().next().unwrap().replace(",512,nchw", ",,nchw");
        let error = calibrate(&format!("{head}\n2,{row}\n"), Catalogue::builtin()).unwrap_err();
        assert_eq!(error, ThroughputError::NoRows("1: states no batch".into()));
    }

    #[test]
    fn another_table_is_refused() {
        let refused = calibrate("a,b\n1,2\n", Catalogue::builtin());
        assert!(matches!(refused, Err(ThroughputError::Table(_))));
    }
}
