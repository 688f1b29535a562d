//! The fit of efficiencies and traffic to measured training steps.
//!
//! Least squares of the logarithm of modelled over measured samples/s, robust against odd rows. Parameters
//! are logarithms of [`Coefficients`] (the exponent as it is). Each has a weak prior at the constant of the
//! reference's roofline model, and the efficiencies of a GPU one at those of a typical GPU: a GPU with one
//! row moves as far as that row can move it. Nothing is random.

use super::coefficients::Factors;
use super::{ActivationKind, Case, CaseModel, Coefficients, Efficiency};
use crate::stats::{LeastSquares, least_squares};
use std::collections::{BTreeMap, BTreeSet};

/// Standard deviation of a row's logarithm: what the model leaves open and benchmarks scatter.
const ROW_SD: f64 = 0.06;
/// Standard deviation of the logarithm of a GPU's efficiency around a typical GPU's.
const GPU_SD: f64 = 0.15;
/// Versions whose traffic is fitted, against PyTorch 1.12's: slower ones of one series of benchmarks.
pub(super) const FITTED_FRAMEWORKS: [&str; 2] = ["pytorch-1.10", "pytorch-1.11"];

/// What is fitted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Parameter {
    FrameworkTraffic(&'static str),
    ScoreTraffic,
    WideTraffic,
    Tf32Share,
    ActivationBytes(ActivationKind),
    TypicalCompute,
    TypicalMemory,
    PowerExponent,
    Compute(String),
    Memory(String),
}

impl Parameter {
    /// Centre and standard deviation of the prior: the reference's constant and how far it may be off.
    /// The efficiencies of a GPU have theirs from a typical GPU.
    fn prior(&self) -> Option<(f64, f64)> {
        match self {
            Self::FrameworkTraffic(_) => Some((libm::log(1.1), 0.5)),
            Self::ScoreTraffic => Some((0.0, 0.5)),
            Self::WideTraffic => Some((libm::log(1.45), 0.5)),
            Self::Tf32Share => Some((0.0, 0.3)),
            Self::ActivationBytes(_) => Some((libm::log(28.0), 1.0)),
            Self::TypicalCompute => Some((0.0, 1.0)),
            Self::TypicalMemory => Some((libm::log(0.74), 1.0)),
            Self::PowerExponent => Some((0.0, 1.0)),
            Self::Compute(_) | Self::Memory(_) => None,
        }
    }

    fn start(&self) -> f64 {
        match self {
            Self::Memory(_) => libm::log(0.74),
            _ => self.prior().map_or(0.0, |(centre, _)| centre),
        }
    }

    /// Whether the rate of a case depends on it.
    fn moves(&self, case: &Case) -> bool {
        let kinds = match case.model {
            CaseModel::Plain { .. } => None,
            CaseModel::Counts(kinds) => Some(kinds),
        };
        match self {
            Self::FrameworkTraffic(name) => case.row.framework == *name,
            Self::ScoreTraffic => kinds.is_none(),
            Self::WideTraffic => kinds.is_some() && !case.is_half(),
            Self::Tf32Share => case.is_tf32(),
            Self::ActivationBytes(kind) => kinds.is_some_and(|kinds| kinds.contains(kind)),
            Self::TypicalCompute | Self::TypicalMemory | Self::PowerExponent => false,
            Self::Compute(gpu) | Self::Memory(gpu) => case.row.gpu == *gpu,
        }
    }
}

/// Columns of the parameters of one case; `None` where its factor is not fitted and 1.
struct Columns {
    compute: usize,
    memory: usize,
    framework_traffic: Option<usize>,
    score_traffic: usize,
    wide_traffic: usize,
    tf32_share: usize,
    activation_bytes: [Option<usize>; 2],
}

impl Columns {
    fn new(case: &Case, parameters: &[Parameter]) -> Self {
        let find = |wanted: &Parameter| parameters.binary_search(wanted).ok();
        let at = |wanted: &Parameter| find(wanted).expect("`Problem::new` inserts every parameter of a case");
        let framework = FITTED_FRAMEWORKS.into_iter().find(|name| case.row.framework == *name);
        Self {
            compute: at(&Parameter::Compute(case.row.gpu.clone())),
            memory: at(&Parameter::Memory(case.row.gpu.clone())),
            framework_traffic: framework.and_then(|name| find(&Parameter::FrameworkTraffic(name))),
            score_traffic: at(&Parameter::ScoreTraffic),
            wide_traffic: at(&Parameter::WideTraffic),
            tf32_share: at(&Parameter::Tf32Share),
            activation_bytes: match case.model {
                CaseModel::Plain { .. } => [None; 2],
                CaseModel::Counts(kinds) => kinds.map(|kind| find(&Parameter::ActivationBytes(kind))),
            },
        }
    }

    fn factors(&self, x: &[f64]) -> Factors {
        let value = |column: usize| libm::exp(x[column]);
        Factors {
            efficiency: Efficiency { compute: value(self.compute), memory: value(self.memory) },
            framework_traffic: self.framework_traffic.map_or(1.0, value),
            score_traffic: value(self.score_traffic),
            wide_traffic: value(self.wide_traffic),
            tf32_share: value(self.tf32_share),
            activation_bytes: self.activation_bytes.map(|column| column.map_or(0.0, value)),
        }
    }
}

/// What is believed before any row: a sum of parameters, each times its weight, and how far it may be off.
struct Prior {
    terms: Vec<(usize, f64)>,
    centre: f64,
    sd: f64,
}

/// The problem: cases, then priors.
struct Problem<'a> {
    cases: &'a [&'a Case],
    /// Columns on which each case depends.
    columns: Vec<Columns>,
    parameters: Vec<Parameter>,
    priors: Vec<Prior>,
}

impl<'a> Problem<'a> {
    fn new(cases: &'a [&'a Case]) -> Self {
        let power: BTreeMap<&str, f64> =
            cases.iter().map(|case| (case.row.gpu.as_str(), libm::log(case.chip.relative_power()))).collect();
        let mut wanted: BTreeSet<Parameter> = FITTED_FRAMEWORKS.map(Parameter::FrameworkTraffic).into();
        wanted.extend(ActivationKind::ALL.map(Parameter::ActivationBytes));
        wanted.extend([
            Parameter::ScoreTraffic,
            Parameter::WideTraffic,
            Parameter::Tf32Share,
            Parameter::TypicalCompute,
            Parameter::TypicalMemory,
            Parameter::PowerExponent,
        ]);
        for gpu in power.keys() {
            wanted.insert(Parameter::Compute((*gpu).to_owned()));
            wanted.insert(Parameter::Memory((*gpu).to_owned()));
        }
        let parameters: Vec<Parameter> = wanted.into_iter().collect();
        let columns = cases.iter().map(|case| Columns::new(case, &parameters)).collect();
        let priors = priors(&parameters, &power);
        Self { cases, columns, parameters, priors }
    }

    fn coefficients(&self, x: &[f64]) -> Coefficients {
        let mut found = Coefficients {
            framework_traffic: BTreeMap::new(),
            score_traffic: 1.0,
            wide_traffic: 1.0,
            tf32_share: 1.0,
            activation_bytes: BTreeMap::new(),
            typical: Efficiency { compute: 1.0, memory: 1.0 },
            power_exponent: 0.0,
            gpus: BTreeMap::new(),
        };
        for (parameter, x) in self.parameters.iter().zip(x) {
            let value = libm::exp(*x);
            let unset = Efficiency { compute: 1.0, memory: 1.0 };
            match parameter {
                Parameter::FrameworkTraffic(name) => {
                    found.framework_traffic.insert((*name).to_owned(), value);
                }
                Parameter::ScoreTraffic => found.score_traffic = value,
                Parameter::WideTraffic => found.wide_traffic = value,
                Parameter::Tf32Share => found.tf32_share = value,
                Parameter::ActivationBytes(kind) => {
                    found.activation_bytes.insert(*kind, value);
                }
                Parameter::TypicalCompute => found.typical.compute = value,
                Parameter::TypicalMemory => found.typical.memory = value,
                Parameter::PowerExponent => found.power_exponent = *x,
                Parameter::Compute(gpu) => found.gpus.entry(gpu.clone()).or_insert(unset).compute = value,
                Parameter::Memory(gpu) => found.gpus.entry(gpu.clone()).or_insert(unset).memory = value,
            }
        }
        found
    }
}

/// Of every parameter its own; of a GPU's efficiencies that they are near those of a typical GPU.
fn priors(parameters: &[Parameter], power: &BTreeMap<&str, f64>) -> Vec<Prior> {
    let at = |wanted: &Parameter| {
        parameters.binary_search(wanted).expect("`Problem::new` inserts all parameters of a typical GPU")
    };
    let prior = |(column, parameter): (usize, &Parameter)| {
        if let Some((centre, sd)) = parameter.prior() {
            return Prior { terms: vec![(column, 1.0)], centre, sd };
        }
        let mut terms = vec![(column, 1.0)];
        match parameter {
            Parameter::Compute(gpu) => terms.extend([
                (at(&Parameter::TypicalCompute), -1.0),
                (at(&Parameter::PowerExponent), -power[gpu.as_str()]),
            ]),
            _ => terms.push((at(&Parameter::TypicalMemory), -1.0)),
        }
        Prior { terms, centre: 0.0, sd: GPU_SD }
    };
    parameters.iter().enumerate().map(prior).collect()
}

impl LeastSquares for Problem<'_> {
    fn rows(&self) -> usize {
        self.cases.len() + self.priors.len()
    }

    fn residual(&self, row: usize, x: &[f64]) -> f64 {
        match self.cases.get(row) {
            Some(case) => log_error(case, case.samples_per_s_with(&self.columns[row].factors(x))) / ROW_SD,
            None => {
                let Prior { terms, centre, sd } = &self.priors[row - self.cases.len()];
                (terms.iter().map(|(column, weight)| weight * x[*column]).sum::<f64>() - centre) / sd
            }
        }
    }

    fn depends(&self, row: usize, column: usize) -> bool {
        match self.cases.get(row) {
            Some(case) => self.parameters[column].moves(case),
            None => self.priors[row - self.cases.len()].terms.iter().any(|(term, _)| *term == column),
        }
    }

    fn is_robust(&self, row: usize) -> bool {
        row < self.cases.len()
    }
}

/// Logarithm of modelled over measured samples/s.
fn log_error(case: &Case, samples_per_s: f64) -> f64 {
    libm::log(samples_per_s / case.measured)
}

/// Fits all coefficients to the cases.
pub fn fit(cases: &[&Case]) -> Coefficients {
    let problem = Problem::new(cases);
    let start: Vec<f64> = problem.parameters.iter().map(Parameter::start).collect();
    let found = least_squares(&problem, &start)
        .expect("every parameter has a prior, so that the sum of squares has one lowest point");
    problem.coefficients(&found)
}

/// One measured figure of a GPU that was not measured before moves its two efficiencies from `known`; all
/// else stays.
pub fn fit_one(case: &Case, known: &Coefficients) -> Coefficients {
    let problem = OneCase { case, known };
    let start = [0.0, 0.0];
    let found = least_squares(&problem, &start).expect("both efficiencies have a prior");
    problem.coefficients(&found)
}

/// Two parameters: logarithms of a GPU's efficiencies over those of an unmeasured one.
struct OneCase<'a> {
    case: &'a Case,
    known: &'a Coefficients,
}

impl OneCase<'_> {
    fn coefficients(&self, x: &[f64]) -> Coefficients {
        let prior = self.known.unmeasured(&self.case.chip);
        let moved =
            Efficiency { compute: prior.compute * libm::exp(x[0]), memory: prior.memory * libm::exp(x[1]) };
        let mut found = self.known.clone();
        found.gpus.insert(self.case.row.gpu.clone(), moved);
        found
    }
}

impl LeastSquares for OneCase<'_> {
    fn rows(&self) -> usize {
        3
    }

    fn residual(&self, row: usize, x: &[f64]) -> f64 {
        if row < 2 {
            return x[row] / GPU_SD;
        }
        log_error(self.case, self.case.samples_per_s(&self.coefficients(x))) / ROW_SD
    }

    fn depends(&self, row: usize, column: usize) -> bool {
        row == 2 || row == column
    }

    fn is_robust(&self, _: usize) -> bool {
        false
    }
}

/// Mean absolute error of samples/s over what was measured, per cent.
pub fn mean_error<'a>(cases: impl IntoIterator<Item = &'a Case>, coefficients: &Coefficients) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for case in cases {
        sum += error(case, coefficients);
        count += 1.0;
    }
    100.0 * sum / count
}

/// |modelled - measured| / measured samples/s.
pub fn error(case: &Case, coefficients: &Coefficients) -> f64 {
    (case.samples_per_s(coefficients) / case.measured - 1.0).abs()
}

#[cfg(test)]
mod tests {
    use super::super::measured::tests::{RTX_3090, row};
    use super::super::{Chip, MeasuredRow};
    use super::*;

    fn case(model: &str, gpu: &str, samples_per_s: f64) -> Case {
        let row = MeasuredRow {
            model: model.into(),
            gpu: gpu.into(),
            samples_per_s_per_gpu: Some(samples_per_s),
            ..row()
        };
        Case::new(&row, Some(RTX_3090)).unwrap()
    }

    /// Rates made by known numbers are explained within half of what a row may scatter (6 %), though all priors
    /// pull; and a GPU at half the speed of the other is found to be that.
    #[test]
    fn rates_made_by_the_model_are_found_again() {
        let models = ["tiny_patch16", "small_patch16", "base_patch16", "base_patch32", "large_patch16"];
        let names: Vec<String> = models.iter().map(|model| format!("vit_{model}_224")).collect();
        let mut made = fit(&[]);
        let mut cases = Vec::new();
        for (gpu, speed) in [("fast", 1.0), ("slow", 0.5)] {
            made.gpus.insert(gpu.into(), Efficiency { compute: 1.1 * speed, memory: 0.5 * speed });
            for name in &names {
                let rate = case(name, gpu, 1.0).samples_per_s(&made);
                cases.push(case(name, gpu, rate));
            }
        }
        let cases: Vec<&Case> = cases.iter().collect();
        let found = fit(&cases);
        assert!(mean_error(cases.iter().copied(), &found) < 3.0, "{found:?}");
        let ratio = found.gpus["slow"].compute / found.gpus["fast"].compute;
        assert!((ratio - 0.5).abs() < 0.1, "{ratio}");
    }

    /// RTX 3090, ViT-B/16, 390.86 samples/s: a figure within the prior's reach is nearly met.
    #[test]
    fn one_figure_moves_a_gpu_most_of_the_way_to_it() {
        let known = fit(&[]);
        let figure = case("vit_base_patch16_224", "new", 390.86);
        let (before, after) = (error(&figure, &known), error(&figure, &fit_one(&figure, &known)));
        assert!(after < 0.25 * before, "{before} {after}");
    }

    /// 350 W for 71 TFLOP/s against 72 W for 121.
    #[test]
    fn a_gpu_of_little_power_is_expected_to_reach_less_of_its_peak() {
        let known = Coefficients { power_exponent: 0.2, ..fit(&[]) };
        let capped = Chip { fp16_flop_per_s: 121e12, tdp_w: 72.0, ..RTX_3090 };
        assert!(known.unmeasured(&capped).compute < known.unmeasured(&RTX_3090).compute);
    }
}
