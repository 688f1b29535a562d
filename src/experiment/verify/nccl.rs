//! Measured all-reduces against the calibrated model: with the shipped figures, with figures that never saw the
//! system, and with figures fitted to five of a system's own sizes.

use super::{SuiteResult, VerifyError, rows};
use crate::facts::{ALL_REDUCES, Catalogue};
use crate::network::nccl::{
    Calibrated, ClassFits, FabricClass, FabricFit, MeasuredRow, Run, SystemRun, SystemRuns, fit_classes,
    fit_one,
};
use crate::scenario::fabric::figures_of;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Columns without which a file is not this suite's.
pub(super) const COLUMNS: [&str; 8] =
    ["system", "instance", "nodes", "gpus_per_node", "inter", "intra", "bytes", "time_us"];

/// Per cent. The shipped figures have seen the rows; they miss them by about 18.
const SHIPPED_PERCENT: f64 = 22.0;
const LEFT_OUT_PERCENT: f64 = 27.0;
const LEFT_OUT_MIDDLE_PERCENT: f64 = 25.0;
const FIVE_SIZES_PERCENT: f64 = 10.0;
/// Sizes of gradient buckets, bytes.
const MIDDLE: std::ops::RangeInclusive<u64> = (1 << 20)..=(1 << 27);
/// A system with fewer sizes is not fitted to five of them.
const SIZES_MIN: usize = 8;
/// Where the errors cannot be lower, whatever the model.
const FLOOR: &str = "floor: public runs of equal hardware differ by 7 to 9 % within a node and over p5's EFA, by 21 % \
                     over p4d's, by 59 % over InfiniBand, some of it badly tuned";

/// One row's error, in per cent of the measured time.
#[derive(Debug, Clone)]
struct Miss {
    system: String,
    class: FabricClass,
    bytes: u64,
    percent: f64,
}

/// Entries `nccl`, `nccl/left-out`, `nccl/left-out-1-128MiB` and `nccl/five-sizes`; `data` replaces the built-in rows,
/// never the rows that figures are fitted to.
pub(super) fn nccl(data: Option<&str>) -> Result<Vec<SuiteResult>, VerifyError> {
    let carried = SystemRuns::gather(&rows::read::<MeasuredRow>(ALL_REDUCES)?).systems;
    let given = SystemRuns::gather(&rows::read::<MeasuredRow>(data.unwrap_or(ALL_REDUCES))?);
    let left_out: Vec<ClassFits> =
        given.systems.par_iter().map(|system| fit_without(&carried, &system.system)).collect();
    let unseen: Vec<Miss> = given
        .systems
        .iter()
        .zip(&left_out)
        .flat_map(|(system, fits)| {
            misses(system, &Calibrated::new(system.run.nccl, fits.of(system.run.class)))
        })
        .collect();
    let skipped: Vec<(String, usize)> = given.skipped.into_iter().collect();
    let (middle, others): (Vec<Miss>, Vec<Miss>) =
        unseen.iter().cloned().partition(|miss| MIDDLE.contains(&miss.bytes));
    let mut outside = skipped.clone();
    if !others.is_empty() {
        outside.push(("not 1 to 128 MiB".to_owned(), others.len()));
    }
    let mut all = mean_entry("nccl/left-out", LEFT_OUT_PERCENT, &unseen, skipped.clone());
    all.notes.push(borrowers(&carried, &given.systems));
    all.notes.push(FLOOR.to_owned());
    Ok(vec![
        mean_entry("nccl", SHIPPED_PERCENT, &shipped(&given.systems), skipped.clone()),
        all,
        mean_entry("nccl/left-out-1-128MiB", LEFT_OUT_MIDDLE_PERCENT, &middle, outside),
        five_sizes(&given.systems, &left_out, skipped),
    ])
}

/// Figures from all carried systems but the one of this name.
fn fit_without(carried: &[SystemRun], system: &str) -> ClassFits {
    fit_classes(carried.iter().filter(|other| other.system != system).map(|other| &other.run))
}

fn misses(system: &SystemRun, model: &Calibrated) -> Vec<Miss> {
    misses_of(system, model, &system.run.rows)
}

fn misses_of(system: &SystemRun, model: &Calibrated, rows: &[(u64, f64)]) -> Vec<Miss> {
    let miss = |&(bytes, seconds): &(u64, f64)| Miss {
        system: system.system.clone(),
        class: system.run.class,
        bytes,
        percent: 100.0 * (model.all_reduce(bytes).time_s - seconds).abs() / seconds,
    };
    rows.iter().map(miss).collect()
}

/// With the figures of `data/nccl_figures.toml`.
fn shipped(systems: &[SystemRun]) -> Vec<Miss> {
    let catalogue = Catalogue::builtin();
    let fit = |class| figures_of(catalogue, class);
    systems
        .iter()
        .flat_map(|system| misses(system, &Calibrated::new(system.run.nccl, fit(system.run.class))))
        .collect()
}

fn mean(misses: &[Miss]) -> f64 {
    if misses.is_empty() {
        return f64::INFINITY;
    }
    misses.iter().map(|miss| miss.percent).sum::<f64>() / misses.len() as f64
}

fn mean_entry(
    suite: &'static str,
    tolerance: f64,
    misses: &[Miss],
    skipped: Vec<(String, usize)>,
) -> SuiteResult {
    SuiteResult {
        suite,
        rows: misses.len(),
        skipped,
        metric: "MAPE, %",
        value: mean(misses),
        tolerance,
        missed: Vec::new(),
        notes: if misses.is_empty() { Vec::new() } else { vec![by_class(misses), worst_systems(misses)] },
    }
}

fn by_class(misses: &[Miss]) -> String {
    let mut classes: BTreeMap<FabricClass, Vec<Miss>> = BTreeMap::new();
    for miss in misses {
        classes.entry(miss.class).or_default().push(miss.clone());
    }
    let parts = classes
        .iter()
        .map(|(class, misses)| format!("{} {:.0} % of {}", class.name(), mean(misses), misses.len()));
    format!("by fabric: {}", parts.collect::<Vec<_>>().join(", "))
}

fn worst_systems(misses: &[Miss]) -> String {
    let mut systems: BTreeMap<&str, Vec<Miss>> = BTreeMap::new();
    for miss in misses {
        systems.entry(&miss.system).or_default().push(miss.clone());
    }
    let mut means: Vec<(f64, &str)> =
        systems.iter().map(|(system, misses)| (mean(misses), *system)).collect();
    means.sort_by(|a, b| b.0.total_cmp(&a.0));
    let parts = means.iter().take(3).map(|(percent, system)| format!("{system} {percent:.0} %"));
    format!("furthest off: {}", parts.collect::<Vec<_>>().join(", "))
}

/// The systems whose fabric no other carried system has.
fn borrowers(carried: &[SystemRun], given: &[SystemRun]) -> String {
    let alone = |system: &&SystemRun| {
        !carried.iter().any(|other| other.run.class == system.run.class && other.system != system.system)
    };
    let names: Vec<&str> = given.iter().filter(alone).map(|system| system.system.as_str()).collect();
    match names.is_empty() {
        true => "every fabric has another system".to_owned(),
        false => format!("fabric of their own, figures borrowed from neighbours: {}", names.join(", ")),
    }
}

/// Entry `nccl/five-sizes`: the median over systems of the mean error at the sizes that were not fitted.
fn five_sizes(
    systems: &[SystemRun],
    left_out: &[ClassFits],
    mut skipped: Vec<(String, usize)>,
) -> SuiteResult {
    let mut all = Vec::new();
    let mut means = Vec::new();
    let (mut few, mut fitted) = (0, 0);
    for (system, fits) in systems.iter().zip(left_out) {
        match other_sizes(system, &fits.of(system.run.class)) {
            Some(misses) => {
                means.push(mean(&misses));
                fitted += system.run.rows.len() - misses.len();
                all.extend(misses);
            }
            None => few += system.run.rows.len(),
        }
    }
    for (why, rows) in
        [("of a system with fewer than 8 sizes", few), ("one of the five sizes that were fitted", fitted)]
    {
        if rows > 0 {
            skipped.push((why.to_owned(), rows));
        }
    }
    SuiteResult {
        suite: "nccl/five-sizes",
        rows: all.len(),
        skipped,
        metric: "median of systems, %",
        value: median(means),
        tolerance: FIVE_SIZES_PERCENT,
        missed: Vec::new(),
        notes: if all.is_empty() { Vec::new() } else { vec![worst_systems(&all)] },
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    match (values.get(values.len() / 2), values.len() % 2) {
        (None, _) => f64::INFINITY,
        (Some(middle), 1) => *middle,
        (Some(above), _) => (above + values[values.len() / 2 - 1]) / 2.0,
    }
}

/// Errors at the sizes between five that are spread evenly; `None` if there are too few or they give no figures.
fn other_sizes(system: &SystemRun, class: &FabricFit) -> Option<Vec<Miss>> {
    let Run { rows, nccl, .. } = &system.run;
    if rows.len() < SIZES_MIN {
        return None;
    }
    let picked: Vec<usize> = (0..5).map(|k| (k * (rows.len() - 1) + 2) / 4).collect();
    let five: Vec<(u64, f64)> = picked.iter().map(|&at| rows[at]).collect();
    let own = fit_one(nccl, class, &five).ok()?;
    let model = Calibrated { curve: Some(own.curve), ..Calibrated::new(*nccl, own.fit) };
    let others = rows.iter().enumerate().filter(|(at, _)| !picked.contains(at));
    let others: Vec<(u64, f64)> = others.map(|(_, row)| *row).collect();
    Some(misses_of(system, &model, &others))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "system,instance,nodes,gpus_per_node,inter,intra,bytes,time_us\n";

    fn with(rows: &str) -> Vec<SuiteResult> {
        nccl(Some(&format!("{HEADER}{rows}"))).unwrap()
    }

    #[test]
    fn the_carried_rows_pass() {
        for result in nccl(None).unwrap() {
            assert!(result.pass(), "{result:#?}");
        }
    }

    /// Rows of a system that is carried, under its own name and under another.
    #[test]
    fn a_carried_system_is_left_out_of_its_own_figures() {
        let rows: String = ALL_REDUCES
            .lines()
            .filter(|line| line.starts_with("p4d-2x8-eks,"))
            .map(|line| format!("{line}\n"))
            .collect();
        let own = with(&rows);
        let renamed = with(&rows.replace("p4d-2x8-eks", "another"));
        assert_eq!(own[0].value, renamed[0].value);
        assert!(own[1].value > renamed[1].value + 5.0, "{} {}", own[1].value, renamed[1].value);
    }

    /// Four digits of the shipped figures move no prediction by a tenth of a per cent.
    #[test]
    fn a_new_system_is_predicted_with_the_shipped_figures() {
        let results = with("mine,g5.xlarge,2,1,TCP 10G,-,1048576,2000\n");
        assert!((results[0].value - results[1].value).abs() < 0.2, "{results:#?}");
    }

    #[test]
    fn a_system_that_is_not_understood_is_skipped_with_the_reason() {
        let results = with("mine,g5.xlarge,2,1,pigeon,-,1048576,2000\n");
        assert_eq!((results[0].rows, results[0].skipped_rows()), (0, 1));
        assert!(results[0].skipped[0].0.contains("pigeon") && !results[0].pass(), "{results:#?}");
    }

    #[test]
    fn the_median_of_an_even_number_lies_between_the_middle_two() {
        assert_eq!(median(vec![4.0, 1.0, 3.0, 2.0]), 2.5);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
    }
}
