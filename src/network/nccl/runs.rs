//! Measured rows gathered by the system that they are of.

use super::cluster_words::ClusterWords;
use super::fit::Run;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Fewer bytes are not compared: launch costs alone rule them.
const BYTES_MIN: u64 = 1_024;

/// One measured all-reduce, in the words of whoever measured it: a row of `data/verify/nccl_measured.csv`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct MeasuredRow {
    /// Name of the cluster.
    pub system: String,
    /// Machine or instance type.
    pub instance: String,
    /// Nodes.
    pub nodes: u32,
    /// GPUs of each that took part.
    pub gpus_per_node: u32,
    /// Network between nodes.
    pub inter: String,
    /// Links inside a node.
    pub intra: String,
    /// Bytes reduced: the buffer of one rank.
    pub bytes: u64,
    /// Time it took, microseconds.
    pub time_us: f64,
}

impl MeasuredRow {
    /// What is written of its cluster.
    fn words(&self) -> ClusterWords<'_> {
        ClusterWords {
            system: &self.system,
            instance: &self.instance,
            nodes: self.nodes,
            gpus_per_node: self.gpus_per_node,
            inter: &self.inter,
            intra: &self.intra,
        }
    }
}

/// All rows of one system.
#[derive(Debug, Clone, PartialEq)]
pub struct SystemRun {
    /// Its name.
    pub system: String,
    /// Its cluster and times, by rising bytes.
    pub run: Run,
}

/// Systems in the order of the rows, and how many rows are left out for which reason.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SystemRuns {
    /// Systems.
    pub systems: Vec<SystemRun>,
    /// Rows left out.
    pub skipped: BTreeMap<String, usize>,
}

impl SystemRuns {
    /// Gathers `rows`. Rows of one name whose shape differs are of different systems.
    pub fn gather(rows: &[MeasuredRow]) -> Self {
        let mut found = Self::default();
        let mut known: Vec<(ClusterWords<'_>, usize)> = Vec::new();
        for row in rows {
            match found.place(row, &mut known) {
                Ok(at) => found.systems[at].run.rows.push((row.bytes, row.time_us / 1e6)),
                Err(why) => *found.skipped.entry(why).or_default() += 1,
            }
        }
        for system in &mut found.systems {
            system.run.rows.sort_by_key(|&(bytes, _)| bytes);
        }
        found
    }

    /// Where the row's system stands; new ones are added.
    fn place<'a>(
        &mut self,
        row: &'a MeasuredRow,
        known: &mut Vec<(ClusterWords<'a>, usize)>,
    ) -> Result<usize, String> {
        if row.bytes < BYTES_MIN {
            return Err("fewer than 1 KiB".to_owned());
        }
        if !(row.time_us.is_finite() && row.time_us > 0.0) {
            return Err("its time is not a number above 0".to_owned());
        }
        if let Some((_, at)) = known.iter().find(|(words, _)| *words == row.words()) {
            return Ok(*at);
        }
        let cluster = row.words().cluster()?;
        let at = self.systems.len();
        let run = Run { class: cluster.class, nccl: cluster.nccl, rows: Vec::new() };
        self.systems.push(SystemRun { system: row.system.clone(), run });
        known.push((row.words(), at));
        Ok(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(system: &str, inter: &str, bytes: u64, time_us: f64) -> MeasuredRow {
        MeasuredRow {
            system: system.to_owned(),
            instance: "g5.2xlarge".to_owned(),
            nodes: 2,
            gpus_per_node: 1,
            inter: inter.to_owned(),
            intra: "-".to_owned(),
            bytes,
            time_us,
        }
    }

    #[test]
    fn rows_are_gathered_by_system_and_sorted_by_size() {
        let runs = SystemRuns::gather(&[
            row("a", "TCP 10G", 4_096, 200.0),
            row("b", "TCP 25G", 2_048, 100.0),
            row("a", "TCP 10G", 1_024, 150.0),
        ]);
        let names: Vec<&str> = runs.systems.iter().map(|system| system.system.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        assert_eq!(runs.systems[0].run.rows, [(1_024, 150e-6), (4_096, 200e-6)]);
    }

    #[test]
    fn what_cannot_be_compared_is_counted_by_reason() {
        let runs = SystemRuns::gather(&[
            row("a", "TCP 10G", 512, 200.0),
            row("a", "TCP 10G", 2_048, f64::NAN),
            row("b", "pigeon", 2_048, 100.0),
        ]);
        assert!(runs.systems.is_empty());
        assert_eq!(runs.skipped.values().sum::<usize>(), 3);
        assert!(runs.skipped.keys().any(|why| why.contains("pigeon")), "{runs:?}");
    }
}
