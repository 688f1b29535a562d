//! Scaling efficiency of data-parallel training: published rows against buckets, overlap and all-reduce.

mod job;
mod reduce;
mod row;
mod tables;

use super::{SuiteResult, VerifyError, rows};
use job::predicted_efficiency;
use row::{Row, in_series};
use tables::Tables;

/// Published throughputs; sources and date in the file.
const ROWS: &str = include_str!("../../../../data/verify/ddp_scaling.csv");
/// One GPU alone, for series that state efficiency only.
const SINGLE_GPU: &str = include_str!("../../../../data/verify/ddp_single_gpu.csv");

/// Columns without which a file is not this suite's.
pub(super) const COLUMNS: [&str; 10] = [
    "model",
    "instance",
    "nodes",
    "gpus",
    "network",
    "precision",
    "batch_per_gpu",
    "strategy",
    "throughput",
    "efficiency_vs_first_row_of_series",
];

/// The largest median error that passes, per cent. A row further off is named with its likely cause.
const TOLERANCE_PERCENT: f64 = 10.0;

/// A row and how far the prediction is off.
struct Compared<'a> {
    row: &'a Row,
    measured: f64,
    predicted: f64,
}

impl Compared<'_> {
    /// Predicted over measured, less 1, per cent.
    fn error_percent(&self) -> f64 {
        100.0 * (self.predicted / self.measured - 1.0)
    }

    fn note(&self, tables: &Tables) -> String {
        let Row { model, instance, precision, batch_per_gpu, gpus, .. } = self.row;
        format!(
            "{model}, {precision}, batch {batch_per_gpu}, {gpus} GPUs of {instance}: {:.3} predicted, {:.3} measured; {}",
            self.predicted,
            self.measured,
            tables.cause(self.row)
        )
    }
}

/// Entry `ddp`; `data` replaces the built-in rows.
pub(super) fn ddp(data: Option<&str>) -> Result<Vec<SuiteResult>, VerifyError> {
    let tables = Tables::read()?;
    let rows: Vec<Row> = rows::read(data.unwrap_or(ROWS))?;
    if let Some(row) = rows.iter().find(|row| row.nodes == 0 || !row.gpus.is_multiple_of(row.nodes)) {
        return Err(VerifyError::Row(format!("`{}`: gpus must be a multiple of nodes", row.model)));
    }
    // Rows that lack their one-node point may find it among the rows that are carried.
    let mut known: Vec<Row> = rows.clone();
    known.extend(rows::read::<Row>(ROWS)?);
    known.extend(rows::read::<Row>(SINGLE_GPU)?);

    let found = rows.iter().enumerate().map(|(index, row)| compare(row, &rows[..index], &known, &tables));
    let (compared, skipped) = rows::covered(found);
    Ok(vec![entry(&compared, skipped, &tables)])
}

/// The row's prediction, or why there is none.
fn compare<'a>(row: &'a Row, before: &[Row], known: &[Row], tables: &Tables) -> Result<Compared<'a>, String> {
    row.states_enough()?;
    let measured = row.efficiency.ok_or("no efficiency stated")?;
    if measured == 1.0 && !before.iter().any(|other| in_series(row, other)) {
        return Err("first of its series".to_owned());
    }
    if !(measured.is_finite() && measured > 0.0) {
        return Err("efficiency not above 0".to_owned());
    }
    Ok(Compared { row, measured, predicted: predicted_efficiency(row, known, tables)? })
}

fn entry(compared: &[Compared<'_>], skipped: Vec<(String, usize)>, tables: &Tables) -> SuiteResult {
    let mut errors: Vec<f64> = compared.iter().map(|c| c.error_percent().abs()).collect();
    errors.sort_by(f64::total_cmp);
    let mean = errors.iter().sum::<f64>() / errors.len().max(1) as f64;
    let far: Vec<&Compared<'_>> =
        compared.iter().filter(|c| c.error_percent().abs() > TOLERANCE_PERCENT).collect();
    let mut notes = vec![format!("mean {mean:.1} %; {} rows are off by more than 10 %:", far.len())];
    notes.extend(far.iter().map(|c| c.note(tables)));
    SuiteResult {
        suite: "ddp",
        rows: compared.len(),
        skipped,
        metric: "median error, %",
        value: if errors.is_empty() { f64::INFINITY } else { median(&errors) },
        tolerance: TOLERANCE_PERCENT,
        missed: Vec::new(),
        notes,
    }
}

/// The middle of sorted numbers, at least one.
fn median(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    if sorted.len().is_multiple_of(2) { 0.5 * (sorted[middle - 1] + sorted[middle]) } else { sorted[middle] }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "model,instance,nodes,gpus,network,precision,batch_per_gpu,strategy,throughput,unit,\
                          efficiency_vs_first_row_of_series,source\n";

    fn entry_of(rows: &str) -> SuiteResult {
        ddp(Some(&format!("{HEADER}{rows}"))).unwrap().remove(0)
    }

    /// The bound was set before anything was predicted; nothing is fitted to these rows.
    #[test]
    fn published_efficiencies_are_met() {
        let entry = ddp(None).unwrap().remove(0);
        assert!(entry.pass(), "median {} %", entry.value);
        assert!(entry.rows >= 60, "{} rows", entry.rows);
    }

    #[test]
    fn every_row_far_off_has_a_cause() {
        let entry = ddp(None).unwrap().remove(0);
        assert!(entry.notes.iter().all(|note| !note.contains("no cause known")), "{:#?}", entry.notes);
    }

    #[test]
    fn rows_of_ones_own_are_compared_with_what_they_say() {
        let rows = "BERT-large,DGX A100,1,8,IB 8x200G,amp,8,DDP,100,seq/s,1.000,a log\n\
                    BERT-large,DGX A100,2,16,IB 8x200G,amp,8,DDP,20,seq/s,0.100,a log\n";
        let entry = entry_of(rows);
        assert_eq!((entry.rows, entry.skipped_rows()), (1, 1));
        assert!(!entry.pass() && entry.value > 500.0, "{}", entry.value);
    }

    #[test]
    fn what_is_not_stated_is_skipped_with_the_reason() {
        let rows = "ResNet-50,p3.16xlarge,2,16,TCP 25G,unknown,,DDP,2633,img/s,0.488,a page\n\
                    ResNet-50,p3.16xlarge,2,16,TCP 25G,fp32,64,DDP,2633,img/s,0.488,a page\n";
        let reasons: Vec<String> = entry_of(rows).skipped.into_iter().map(|(reason, _)| reason).collect();
        assert_eq!(reasons, ["batch not stated", "no one-node point to take computing from"]);
    }

    #[test]
    fn gpus_that_do_not_divide_among_nodes_are_refused() {
        let row = "ResNet-50,p3.16xlarge,3,16,TCP 25G,fp32,64,DDP,2633,img/s,0.488,a page\n";
        assert!(matches!(ddp(Some(&format!("{HEADER}{row}"))), Err(VerifyError::Row(_))));
    }
}
