//! Rates of loss at which Spot and On-Demand cost the same: rows of `breakeven_vectors.csv`.

use super::super::relative::{Compared, Figure};
use super::row::number;
use crate::analytic::{BreakEven, Cadence};
use serde::Deserialize;

/// Columns without which a file is not of this kind.
pub(super) const COLUMNS: [&str; 4] = ["id", "mode", "ondemand_over_spot_price", "breakeven_rate_per_s"];

/// One row; the file explains its columns.
#[derive(Debug, Deserialize)]
pub(super) struct Row {
    pub id: String,
    mode: String,
    save_s: f64,
    restart_s: f64,
    interval_s: Option<f64>,
    work_s: f64,
    ondemand_over_spot_price: f64,
    breakeven_rate_per_s: String,
    breakeven_rate_per_h: String,
    mean_uptime_h: Option<f64>,
}

/// The row's figures beside ours; one that is `none` on one side only is infinitely far off.
pub(super) fn compared(row: &Row) -> Compared {
    let cadence = match row.mode.as_str() {
        "no_save" => Cadence::NoSaves,
        "fixed_interval" => Cadence::Fixed(row.interval_s.ok_or("no interval_s")?),
        "exact_interval" => Cadence::Exact,
        mode => return Err(format!("mode {mode}: not known")),
    };
    let spans = [row.save_s, row.restart_s, row.work_s, row.interval_s.unwrap_or(1.0)];
    if !(spans.iter().all(|s| s.is_finite() && *s >= 0.0) && row.work_s > 0.0 && row.interval_s != Some(0.0))
    {
        return Err("times must be numbers from 0, work and interval above 0".into());
    }
    if !(row.ondemand_over_spot_price.is_finite() && row.ondemand_over_spot_price > 0.0) {
        return Err("a price ratio is a number above 0".into());
    }
    let job = BreakEven {
        cadence,
        save_s: row.save_s,
        restart_s: row.restart_s,
        work_s: row.work_s,
        price_ratio: row.ondemand_over_spot_price,
    };
    match (job.rate_per_s(), row.breakeven_rate_per_s.as_str()) {
        (None, "none") => Ok(Vec::new()),
        (None, _) | (_, "none") => Ok(vec![Figure::new(f64::INFINITY, 0.0)]),
        (Some(rate), right) => Ok(vec![
            Figure::new(rate, number(right)?),
            Figure::new(3_600.0 * rate, number(&row.breakeven_rate_per_h)?),
            Figure::if_given(1.0 / (3_600.0 * rate), row.mean_uptime_h),
        ]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::verify::rows::read;

    #[test]
    fn a_row_without_sense_is_told_not_solved() {
        for (times, ratio) in [
            ("60,600,1800,86400", "inf"),
            ("60,600,1800,86400", "0"),
            ("-1,600,1800,86400", "3"),
            ("60,inf,1800,86400", "3"),
            ("60,600,0,86400", "3"),
            ("60,600,1800,0", "3"),
        ] {
            let text = format!(
                "id,mode,save_s,restart_s,interval_s,work_s,ondemand_over_spot_price,\
                 breakeven_rate_per_s,breakeven_rate_per_h,mean_uptime_h\n\
                 x,fixed_interval,{times},{ratio},1e-5,0.036,27.7\n"
            );
            let rows: Vec<Row> = read(&text).unwrap();
            assert!(compared(&rows[0]).is_err(), "{times} {ratio}");
        }
    }
}
