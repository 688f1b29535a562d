//! Measured against roofline, operation by operation.

use super::super::number;
use super::super::text::{self, Column, Paint};
use super::figures::TimeUnit;
use crate::experiment::step::StepResult;
use crate::scenario::anatomy::{Calibrated, Form, GpuTime, OperationTime};

/// A table for each set of measured times; nothing where no cluster has a calibration.
pub(super) fn table(results: &[StepResult], paint: Paint) -> String {
    let mut told: Vec<(&GpuTime, &Calibrated, Vec<String>)> = Vec::new();
    for result in results {
        let Form::Calibrated(calibrated) = &result.anatomy.form else { continue };
        let gpu = &result.anatomy.gpu;
        match told.iter_mut().find(|(other, from, _)| *other == gpu && *from == calibrated) {
            Some((.., names)) => names.push(text::name(&result.name)),
            None => told.push((gpu, calibrated, vec![text::name(&result.name)])),
        }
    }
    let tables: Vec<String> = told
        .into_iter()
        .map(|(gpu, calibrated, names)| {
            let heading = format!(
                "Measured ({}, class {}) against roofline, {}:",
                text::inert(&calibrated.device),
                calibrated.class,
                text::listed(names, super::NAMES_MAX)
            );
            let lines: Vec<String> = text::wrapped(&heading, text::columns());
            format!("{}\n{}", lines.join("\n"), of_one(gpu, paint))
        })
        .collect();
    tables.join("\n")
}

fn of_one(gpu: &GpuTime, paint: Paint) -> String {
    let operations = &gpu.operations;
    let unit = TimeUnit::of(operations.iter().map(|of| of.time_s.max(of.roofline_s) * 1e3), 3);
    let cells = |cell: &dyn Fn(&OperationTime) -> String| operations.iter().map(cell).collect::<Vec<_>>();
    let share = |of: &OperationTime, part_s: f64| {
        // Both are sums, whose last digits may differ where they are of the same kernels.
        let share = part_s / of.time_s;
        let share = if (share - 1.0).abs() < 1e-9 { 1.0 } else { share };
        if part_s > 0.0 { number::percent(share) } else { number::MISSING.to_owned() }
    };
    let over = |of: &OperationTime| {
        if of.roofline_s > 0.0 { ratio(of.time_s / of.roofline_s) } else { number::MISSING.to_owned() }
    };
    let first = Column::words("operation", cells(&|of| of.name.to_owned()));
    let columns = [
        Column::figures("times", cells(&|of| number::count(u64::from(of.count)))),
        Column::figures("in the step", cells(&|of| unit.text(of.time_s * 1e3))),
        Column::figures("by roofline", cells(&|of| unit.text(of.roofline_s * 1e3))),
        Column::figures("over roofline", cells(&over)),
        Column::figures("measured, %", cells(&|of| share(of, of.measured_s))),
        Column::figures("between, %", cells(&|of| share(of, of.between_s))),
    ];
    text::table(&first, &columns, paint)
}

/// "0.93", "1.07", "1,217".
fn ratio(ratio: f64) -> String {
    number::fixed(ratio, if ratio < 100.0 { 2 } else { 0 })
}
