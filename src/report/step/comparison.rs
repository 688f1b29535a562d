//! The clusters side by side, a line a pace.

use super::figures::{Figures, TimeUnit, decimals};
use super::number;
use super::text::{self, Column, Kind, Paint};
use crate::experiment::step::StepResult;

/// The table. A cluster with burst credits has two lines: its sustained pace, and beneath it that with
/// credits.
pub(super) fn table(results: &[StepResult], paint: Paint) -> String {
    let (names, columns) = columns(results);
    text::table(&names, &columns, paint)
}

/// The cluster of each line, by its place in the scenario.
pub(super) fn numbers(results: &[StepResult]) -> Vec<usize> {
    let lines = |result: &StepResult| 1 + usize::from(result.anatomy.burst.is_some());
    results.iter().flat_map(|result| std::iter::repeat_n(result.number, lines(result))).collect()
}

/// The names of the lines, and their figures.
pub(super) fn columns(results: &[StepResult]) -> (Column, Vec<Column>) {
    let mut names = Column { head: String::new(), cells: Vec::new(), kind: Kind::Words };
    let (mut markets, mut rows) = (Vec::new(), Vec::new());
    for result in results {
        let anatomy = &result.anatomy;
        names.cells.push(text::name(&result.name));
        rows.push(Figures::of(anatomy, &anatomy.sustained));
        if let Some(burst) = &anatomy.burst {
            names.cells.push("  with burst credits".to_owned());
            rows.push(Figures::of(anatomy, burst));
        }
        markets.resize(rows.len(), result.market);
    }
    names.kind = Kind::Names(markets);
    let unit = TimeUnit::of(rows.iter().map(|row| row.step_ms), 3);
    let slowest = rows.iter().map(|row| row.samples_per_s).fold(f64::INFINITY, f64::min);
    let column = |head: &str, cell: &dyn Fn(&Figures) -> String| {
        Column::figures(head, rows.iter().map(cell).collect())
    };
    let columns = vec![
        column("step", &|row| unit.text(row.step_ms)),
        column("compute", &|row| unit.text(row.compute_ms)),
        column("host_copy", &|row| unit.text(row.host_copy_ms)),
        column("exposed_comm", &|row| unit.text(row.exposed_comm_ms)),
        column("data_stall", &|row| unit.text(row.data_stall_ms)),
        column("samples/s", &|row| number::fixed(row.samples_per_s, decimals(slowest, 3))),
        column("mfu", &|row| row.mfu.map_or(number::MISSING.to_owned(), |mfu| number::fixed(mfu, 2))),
    ];
    (names, columns)
}
