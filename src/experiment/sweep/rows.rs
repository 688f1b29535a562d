//! The rows of `sweep.csv`, read back: what is told of a sweep comes from them, so that a resumed or merged
//! one says the same.

use crate::stats::Interval;
use std::io::Read;
use thiserror::Error;

/// Status of a configuration that the scenario's rules refuse.
pub const INVALID: &str = "invalid";
/// Status of a row that has all its figures.
pub const SIMULATED: &str = "simulated";

/// One cluster of one configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepRow {
    /// Number of the configuration, from 0.
    pub configuration: u64,
    /// Its value for each key, as it would be written in the scenario.
    pub values: Vec<String>,
    /// Name of the cluster; empty where the configuration is invalid.
    pub cluster: String,
    /// `simulated`, `infeasible` or `invalid`.
    pub status: String,
    /// A figure a column, empty where it does not exist.
    pub figures: Vec<Option<f64>>,
}

/// All rows of a sweep, in order of configuration and cluster.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SweepRows {
    /// Dotted keys of the scenario that differ.
    pub keys: Vec<String>,
    /// Names of the figures.
    pub figures: Vec<String>,
    /// The rows.
    pub rows: Vec<SweepRow>,
}

/// Why a text is not the table of a sweep.
#[derive(Debug, Error)]
pub enum RowsError {
    /// Not CSV, or a row of another length.
    #[error("{0}")]
    Csv(#[from] csv::Error),
    /// The columns that every such table has are not where they should be.
    #[error("the header does not begin with `configuration`, then the keys, `cluster` and `status`")]
    Header,
    /// A cell that should be a number.
    #[error("line {line}: `{text}` in column `{column}` is not a number")]
    Number {
        /// Line of the text, from 1.
        line: u64,
        /// Name of the column.
        column: String,
        /// What stands there.
        text: String,
    },
}

impl SweepRows {
    /// Reads a table, row by row.
    pub fn read(text: impl Read) -> Result<Self, RowsError> {
        let mut reader = csv::Reader::from_reader(text);
        let header: Vec<String> = reader.headers()?.iter().map(str::to_owned).collect();
        // A key may be named like a column, a figure cannot: the last pair is the right one.
        let cluster = (1..header.len().saturating_sub(1))
            .rfind(|&at| header[at] == "cluster" && header[at + 1] == "status")
            .filter(|_| header[0] == "configuration")
            .ok_or(RowsError::Header)?;
        let mut all = Self {
            keys: header[1..cluster].to_vec(),
            figures: header[cluster + 2..].to_vec(),
            rows: Vec::new(),
        };
        for record in reader.records() {
            let record = record?;
            let line = record.position().map_or(0, csv::Position::line);
            all.rows.push(row(&record, &header, cluster, line)?);
        }
        Ok(all)
    }

    /// Where a figure stands in each row.
    pub fn column(&self, figure: &str) -> Option<usize> {
        self.figures.iter().position(|name| name == figure)
    }

    /// A figure of a row.
    pub fn figure(&self, row: &SweepRow, figure: &str) -> Option<f64> {
        row.figures.get(self.column(figure)?).copied().flatten()
    }

    /// A figure with its interval, which is that of its mean if it is named `…_mean`. Without an interval it
    /// is taken as exact.
    pub fn interval(&self, row: &SweepRow, figure: &str) -> Option<Interval> {
        let stem = figure.strip_suffix("_mean").unwrap_or(figure);
        let end = |side: &str| self.figure(row, &format!("{stem}_ci_{side}"));
        let value = self.figure(row, figure)?;
        Some(Interval { value, low: end("low").unwrap_or(value), high: end("high").unwrap_or(value) })
    }

    /// Clusters in the order in which they first occur.
    pub fn clusters(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for row in self.rows.iter().filter(|row| row.status != INVALID) {
            if !names.contains(&row.cluster) {
                names.push(row.cluster.clone());
            }
        }
        names
    }

    /// Number of configurations, those that are invalid too.
    pub fn configurations(&self) -> u64 {
        let mut numbers: Vec<u64> = self.rows.iter().map(|row| row.configuration).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers.len() as u64
    }
}

fn row(
    record: &csv::StringRecord,
    header: &[String],
    cluster: usize,
    line: u64,
) -> Result<SweepRow, RowsError> {
    let refuse =
        |at: usize| RowsError::Number { line, column: header[at].clone(), text: record[at].to_owned() };
    let figure = |at: usize| match &record[at] {
        "" => Ok(None),
        text => text.parse().map(Some).map_err(|_| refuse(at)),
    };
    Ok(SweepRow {
        configuration: record[0].parse().map_err(|_| refuse(0))?,
        values: (1..cluster).map(|at| record[at].to_owned()).collect(),
        cluster: record[cluster].to_owned(),
        status: record[cluster + 1].to_owned(),
        figures: (cluster + 2..record.len()).map(figure).collect::<Result<_, _>>()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "configuration,job.work,\"a,b\",cluster,status,cost_usd_mean,cost_usd_ci_low,cost_usd_ci_high\n\
        0,8 h,1,Spot,simulated,1.5,1.25,1.75\n\
        0,8 h,1,\"On, Demand\",infeasible,,,\n\
        1,bad,1,,invalid,,,\n";

    #[test]
    fn a_table_is_read_with_what_it_lacks() {
        let all = SweepRows::read(TABLE.as_bytes()).unwrap();
        assert_eq!(all.keys, ["job.work", "a,b"]);
        assert_eq!(all.clusters(), ["Spot", "On, Demand"]);
        assert_eq!((all.configurations(), all.rows.len()), (2, 3));
        let cost = all.interval(&all.rows[0], "cost_usd_mean");
        assert_eq!(cost, Some(Interval { value: 1.5, low: 1.25, high: 1.75 }));
        assert_eq!(all.figure(&all.rows[1], "cost_usd_mean"), None);
        assert_eq!(all.rows[2].status, INVALID);
    }

    #[test]
    fn a_wrong_cell_is_named() {
        let wrong = TABLE.replace("1.25", "x");
        let error = SweepRows::read(wrong.as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), "line 2: `x` in column `cost_usd_ci_low` is not a number");
        assert!(matches!(SweepRows::read("a,b\n1,2\n".as_bytes()), Err(RowsError::Header)));
    }
}
